//! Classes of characters.

/// Class of a character that is not drawn, or that only changes how others are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Invisible {
    /// Tag characters, U+E0000 to U+E007F, and the rest of their plane, which has no characters otherwise.
    Tag,
    /// Variation selectors, the 256 of Unicode and the three of Mongolian.
    Selector,
    /// ZWJ and ZWNJ.
    Joiner,
    /// Zero-width spaces and the invisible operators.
    ZeroWidth,
    /// Left-to-right, right-to-left and Arabic letter mark.
    Mark,
    /// RLO and LRO.
    Override,
    /// The other bidi controls: embeddings, isolates and their ends.
    Bidi,
    /// Soft hyphen.
    SoftHyphen,
    /// Fillers, the combining grapheme joiner, and other characters that are ignored by default.
    Filler,
}

/// The class of a character; `None` for one that is drawn.
pub(crate) fn invisible(character: char) -> Option<Invisible> {
    let class = match character {
        '\u{ad}' => Invisible::SoftHyphen,
        '\u{0}'..'\u{34f}' => return None,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' => {
            Invisible::Filler
        }
        '\u{61c}' | '\u{200e}' | '\u{200f}' => Invisible::Mark,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
            Invisible::Selector
        }
        '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => Invisible::ZeroWidth,
        '\u{200c}' | '\u{200d}' => Invisible::Joiner,
        '\u{202d}' | '\u{202e}' => Invisible::Override,
        '\u{202a}'..='\u{202c}' | '\u{2066}'..='\u{2069}' => Invisible::Bidi,
        '\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{fff0}'..='\u{fffb}' => Invisible::Filler,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => Invisible::Filler,
        '\u{e0000}'..='\u{effff}' => Invisible::Tag,
        _ => return None,
    };
    Some(class)
}

/// The byte that a variation selector carries: 0 to 15 for VS1 to VS16, 16 to 255 for VS17 to VS256.
pub(crate) fn selector_byte(character: char) -> Option<u8> {
    let code = u32::from(character);
    let byte = match character {
        '\u{fe00}'..='\u{fe0f}' => code - 0xfe00,
        '\u{e0100}'..='\u{e01ef}' => code - 0xe0100 + 16,
        _ => return None,
    };
    u8::try_from(byte).ok()
}

/// The character that a tag character stands for: the one with the same number in plane 0.
pub(crate) fn tag_letter(character: char) -> Option<char> {
    let letter = char::from_u32(u32::from(character).checked_sub(0xe0000)?)?;
    (!letter.is_control() || matches!(letter, '\t' | '\n' | '\r' | '\u{80}'..='\u{9f}')).then_some(letter)
}

/// True for letters of scripts whose spelling uses ZWJ, ZWNJ or zero-width spaces: Arabic and its kin, the scripts of
/// South and South-East Asia, Mongolian.
pub(crate) fn takes_joiners(character: char) -> bool {
    matches!(character,
        '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1900}'..='\u{1aff}'
        | '\u{1b00}'..='\u{1c7f}' | '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'
        | '\u{10a00}'..='\u{10fff}' | '\u{11000}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

/// True for letters of Hebrew and of Arabic and its kin.
pub(crate) fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// True for ideographs, kana and hangul.
pub(crate) fn is_east_asian(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

/// True for symbols that can be drawn as emoji.
pub(crate) fn is_pictograph(character: char) -> bool {
    matches!(character, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{20e3}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

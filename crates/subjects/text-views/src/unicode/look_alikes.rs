//! The ASCII letters that other characters look like.

use std::sync::LazyLock;

use unicode_security::confusable_detection::skeleton;

/// Code points that the table covers.
const LIMIT: usize = 0x1_f200;

/// Set in an entry whose character resembles the letter only within a word that has other look-alikes.
const WEAK: u8 = 0x80;

/// For each ASCII letter the characters that are taken for it, where the confusables of UTS 39 have another letter or
/// none: capitals of the same form, small capitals, letters of phonetics.
const STRONG: &[(char, &str)] = &[
    ('a', "аαɑᴀά⍺"),
    ('A', "АΑᎪ"),
    ('b', "ʙɓƅ"),
    ('B', "ВΒ"),
    ('c', "сϲᴄ"),
    ('C', "СϹ"),
    ('d', "ԁᴅɗժɖ"),
    ('e', "еҽεᴇɛ℮ɘ"),
    ('E', "ЕΕ"),
    ('f', "ꜰғϝ"),
    ('g', "ɡɢցԍ"),
    ('h', "һհʜ"),
    ('H', "НΗ"),
    ('i', "іιɪ⍳"),
    ('I', "ІΙ"),
    ('j', "јϳᴊʝ"),
    ('J', "Ј"),
    ('k', "кκᴋƙќ"),
    ('K', "КΚ"),
    ('l', "ӏʟլ"),
    ('m', "ᴍɱ"),
    ('M', "МΜ"),
    ('n', "ηɴո"),
    ('N', "Ν"),
    ('o', "оοᴏօ"),
    ('O', "ОΟ"),
    ('p', "рρᴘ⍴"),
    ('P', "РΡ"),
    ('q', "ԛզգʠ"),
    ('Q', "Ԛ"),
    ('r', "ʀɾ"),
    ('s', "ѕꜱʂ"),
    ('S', "Ѕ"),
    ('t', "τᴛ"),
    ('T', "ТΤ"),
    ('u', "υսᴜ"),
    ('v', "ѵνᴠ"),
    ('w', "ԝᴡաѡ"),
    ('W', "Ԝ"),
    ('x', "хχ"),
    ('X', "ХΧ"),
    ('y', "уүγʏ"),
    ('Y', "УҮΥ"),
    ('z', "ᴢʐ"),
    ('Z', "Ζ"),
];

/// Look-alikes of the second order, read as such only beside Latin letters or strong look-alikes.
const WEAK_LETTERS: &[(char, &str)] = &[
    ('a', "ӑӓ"),
    ('A', "ΛΔ"),
    ('b', "вьъыЬβБ"),
    ('d', "δ"),
    ('e', "єэӗέ"),
    ('E', "ЄЭΣ"),
    ('h', "нћ"),
    ('i', "ίї"),
    ('I', "Ї"),
    ('k', "қ"),
    ('l', "λ"),
    ('m', "м"),
    ('n', "пπήл"),
    ('N', "И"),
    ('o', "σӧόθφө"),
    ('O', "ΩΘ"),
    ('r', "гяґ"),
    ('R', "Я"),
    ('s', "ς"),
    ('t', "т"),
    ('u', "ийμύц"),
    ('w', "шщωψώ"),
    ('x', "жҳӝ"),
    ('y', "чӱўў"),
    ('z', "з"),
    ('Z', "З"),
];

/// For each code point below [`LIMIT`] the ASCII letter, or 0.
static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut table = vec![0; LIMIT];
    for range in [
        0x180..0x2b0_u32,
        0x370..0x590,
        0x13a0..0x1680,
        0x1d00..0x1dc0,
        0x2100..0x2150,
        0x2c60..0x2d68,
        0xa4d0..0xa500,
        0xa640..0xa800,
        0xab30..0xabc0,
        0x10400..0x10450,
    ] {
        for code in range {
            if let Some(letter) =
                char::from_u32(code).filter(|letter| letter.is_alphabetic()).and_then(prototype)
            {
                table[code as usize] = letter;
            }
        }
    }
    // Negative squared and circled capitals; those with a plain form are folded by NFKC.
    for first in [0x1f150, 0x1f170] {
        for (letter, code) in (b'A'..=b'Z').zip(first..) {
            table[code] = letter;
        }
    }
    for (letters, flag) in [(WEAK_LETTERS, WEAK), (STRONG, 0)] {
        for (letter, look_alikes) in letters {
            for look_alike in look_alikes.chars() {
                table[look_alike as usize] = *letter as u8 | flag;
            }
        }
    }
    table
});

/// The ASCII letter with the same skeleton (UTS 39 section 4).
fn prototype(character: char) -> Option<u8> {
    let mut buffer = [0; 4];
    let look: String = skeleton(character.encode_utf8(&mut buffer)).collect();
    let is_capital = character.is_uppercase();
    match look.as_str() {
        // The prototypes of `m`, and of `I` and `l`.
        "rn" => Some(b'm'),
        "l" if is_capital => Some(b'I'),
        _ => match look.as_bytes() {
            [letter] if letter.is_ascii_alphabetic() => Some(*letter),
            _ => None,
        },
    }
}

/// Resemblance of a character to an ASCII letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LookAlike {
    /// The ASCII letter.
    pub(crate) letter: char,
    /// True if it is taken for it only within a word of other Latin letters.
    pub(crate) is_weak: bool,
}

/// The ASCII letter that a character looks like; `None` for ASCII and for all that looks like none.
pub(crate) fn look_alike(character: char) -> Option<LookAlike> {
    let entry = TABLE.get(character as usize).copied().filter(|entry| *entry != 0)?;
    Some(LookAlike { letter: char::from(entry & !WEAK), is_weak: entry & WEAK != 0 })
}

/// The Cyrillic letter that an ASCII letter looks like.
#[rustfmt::skip]
pub(crate) fn cyrillic(letter: char) -> Option<char> {
    let cyrillic = match letter {
        'a' => 'а', 'c' => 'с', 'e' => 'е', 'i' => 'і', 'k' => 'к', 'o' => 'о', 'p' => 'р', 'x' => 'х', 'y' => 'у',
        'A' => 'А', 'B' => 'В', 'C' => 'С', 'E' => 'Е', 'H' => 'Н', 'K' => 'К', 'M' => 'М', 'O' => 'О', 'P' => 'Р',
        'T' => 'Т', 'X' => 'Х', 'Y' => 'У',
        _ => return None,
    };
    Some(cyrillic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_other_scripts_have_their_ascii_look_alike() {
        let folded = |text: &str| -> String {
            text.chars().map(|letter| look_alike(letter).map_or(letter, |found| found.letter)).collect()
        };
        assert_eq!(folded("іgnоrе аӏӏ"), "ignore all");
        assert_eq!(folded("ɪɢɴᴏʀᴇ"), "ignore");
        assert_eq!(folded("ΙΑΜ"), "IAM");
        assert_eq!(folded("🅸🅶"), "IG");
        assert_eq!(folded("Ꭺոսօ"), "Anuo");
        assert_eq!(folded("dжü漢"), "dxü漢");
    }

    #[test]
    fn strong_look_alikes_come_before_weak_ones() {
        assert!(look_alike('и').unwrap().is_weak);
        assert!(!look_alike('о').unwrap().is_weak);
        assert_eq!(look_alike('\u{10ffff}'), None);
        assert_eq!(look_alike('z'), None);
    }
}

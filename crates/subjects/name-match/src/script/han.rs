//! Chinese characters, read in Mandarin.

/// Returns the reading of a character in Hanyu Pinyin without tones, capitalised as `any_ascii` returns it. The first
/// character of a name is its surname, and some characters have another reading there.
pub fn pinyin(character: char, is_surname: bool) -> &'static str {
    let surname = match character {
        '曾' => "Zeng",
        '单' | '單' => "Shan",
        '解' => "Xie",
        '仇' => "Qiu",
        '区' | '區' => "Ou",
        '查' => "Zha",
        '朴' => "Piao",
        '任' => "Ren",
        '华' | '華' => "Hua",
        '盖' | '蓋' => "Ge",
        '翟' => "Zhai",
        '尹' => "Yin",
        _ => "",
    };
    if is_surname && !surname.is_empty() { surname } else { any_ascii::any_ascii_char(character) }
}

/// The most letters of a syllable; the longest are `chuang`, `shuang` and `zhuang`.
const LONGEST: usize = 8;

/// Writes the syllable in Wade-Giles without marks, as names from Taiwan are written.
pub fn wade_giles(pinyin: &str, out: &mut Vec<u8>) {
    let mut letters = [0; LONGEST];
    letters.iter_mut().zip(pinyin.bytes()).for_each(|(to, letter)| *to = letter.to_ascii_lowercase());
    let pinyin = &letters[..pinyin.len().min(LONGEST)];
    const INITIALS: &[(&[u8], &[u8])] = &[
        (b"zh", b"ch"),
        (b"b", b"p"),
        (b"d", b"t"),
        (b"g", b"k"),
        (b"j", b"ch"),
        (b"q", b"ch"),
        (b"x", b"hs"),
        (b"z", b"ts"),
        (b"c", b"ts"),
        (b"r", b"j"),
    ];
    const FINALS: &[(&[u8], &[u8])] =
        &[(b"ong", b"ung"), (b"ian", b"ien"), (b"ie", b"ieh"), (b"ue", b"ueh"), (b"uo", b"o")];
    if pinyin.starts_with(b"ch") || pinyin.starts_with(b"sh") {
        out.extend_from_slice(pinyin);
        return;
    }
    let initial = INITIALS.iter().find(|(from, _)| pinyin.starts_with(from));
    let rest = initial.map_or(pinyin, |(from, to)| {
        out.extend_from_slice(to);
        &pinyin[from.len()..]
    });
    match FINALS.iter().find(|(from, _)| rest.ends_with(from)) {
        Some((from, to)) => {
            out.extend_from_slice(&rest[..rest.len() - from.len()]);
            out.extend_from_slice(to);
        }
        None => out.extend_from_slice(rest),
    }
}

/// Initials of Wade-Giles in Hanyu Pinyin, the longest first. An apostrophe stands for the breath after the letter.
const FROM_INITIALS: &[(&str, &str)] = &[
    ("ch'", "ch"),
    ("ch", "zh"),
    ("ts'", "c"),
    ("tz'", "c"),
    ("ts", "z"),
    ("tz", "z"),
    ("ss", "s"),
    ("sz", "s"),
    ("sh", "sh"),
    ("hs", "x"),
    ("k'", "k"),
    ("p'", "p"),
    ("t'", "t"),
    ("k", "g"),
    ("p", "b"),
    ("t", "d"),
    ("j", "r"),
    ("m", "m"),
    ("f", "f"),
    ("n", "n"),
    ("l", "l"),
    ("h", "h"),
    ("s", "s"),
    ("w", "w"),
    ("y", "y"),
];
/// Finals of Wade-Giles in Hanyu Pinyin; `v` stands for u with a diaeresis.
const FROM_FINALS: &[(&str, &str)] = &[
    ("a", "a"),
    ("ai", "ai"),
    ("an", "an"),
    ("ang", "ang"),
    ("ao", "ao"),
    ("e", "e"),
    ("eh", "e"),
    ("ei", "ei"),
    ("en", "en"),
    ("eng", "eng"),
    ("erh", "er"),
    ("i", "i"),
    ("ia", "ia"),
    ("iang", "iang"),
    ("iao", "iao"),
    ("ieh", "ie"),
    ("ien", "ian"),
    ("ih", "i"),
    ("in", "in"),
    ("ing", "ing"),
    ("iu", "iu"),
    ("iung", "iong"),
    ("o", "uo"),
    ("ou", "ou"),
    ("u", "u"),
    ("ua", "ua"),
    ("uai", "uai"),
    ("uan", "uan"),
    ("uang", "uang"),
    ("uei", "ui"),
    ("ui", "ui"),
    ("un", "un"),
    ("ung", "ong"),
    ("uo", "uo"),
    ("v", "u"),
    ("van", "uan"),
    ("veh", "ue"),
    ("vn", "un"),
];

/// The most signs of a syllable of Wade-Giles: `ch'uang`.
const LONGEST_WADE_GILES: usize = 7;

/// Writes a syllable of Wade-Giles in Hanyu Pinyin without tones; returns false if it is none.
pub fn from_wade_giles(syllable: &str, out: &mut Vec<u8>) -> bool {
    let mut letters = [0; LONGEST_WADE_GILES];
    let mut length = 0;
    for sign in syllable.chars() {
        let letter = match sign {
            'ü' | 'Ü' => b'v',
            '\'' | '’' | '‘' | 'ʻ' | 'ʼ' | '`' | '´' => b'\'',
            _ if sign.is_ascii_alphabetic() => u8::try_from(sign.to_ascii_lowercase()).unwrap_or_default(),
            _ => return false,
        };
        let Some(place) = letters.get_mut(length) else { return false };
        *place = letter;
        length += 1;
    }
    let syllable = std::str::from_utf8(&letters[..length]).unwrap_or_default();
    let initial = FROM_INITIALS.iter().find(|(from, _)| syllable.starts_with(from));
    let (from, initial) = initial.copied().unwrap_or(("", ""));
    let Some((last, pinyin)) = FROM_FINALS.iter().find(|(last, _)| *last == &syllable[from.len()..]) else {
        return false;
    };
    let is_palatal = *last != "ih" && last.starts_with(['i', 'v']);
    let initial = match (initial, is_palatal) {
        ("ch", true) => "q",
        ("zh", true) => "j",
        ("y", _) if *last == "u" => "yo",
        (other, _) => other,
    };
    let last = match (initial, *last) {
        ("g" | "k" | "h", "o") => "e",
        ("b" | "p" | "m" | "f" | "w", "o") => "o",
        ("z" | "c" | "s", "u") if from.len() > 1 && from != "ts" && from != "ts'" => "i",
        ("y", "en") => "an",
        _ => pinyin,
    };
    out.extend_from_slice(initial.as_bytes());
    out.extend_from_slice(last.as_bytes());
    true
}

#[cfg(test)]
mod tests {
    use super::from_wade_giles;

    #[test]
    fn syllables_of_wade_giles_are_read() {
        for (syllable, pinyin) in [
            ("Ch'en", "chen"),
            ("Ch'üan", "quan"),
            ("kuo", "guo"),
            ("Hsi", "xi"),
            ("P’ing", "ping"),
            ("Tse", "ze"),
            ("tung", "dong"),
            ("Chung", "zhong"),
            ("Teng", "deng"),
            ("Tzu", "zi"),
            ("ko", "ge"),
            ("yu", "you"),
            ("Chieh", "jie"),
            ("jen", "ren"),
        ] {
            let mut out = Vec::new();
            assert!(from_wade_giles(syllable, &mut out), "{syllable}");
            assert_eq!(String::from_utf8(out).unwrap(), pinyin, "{syllable}");
        }
        for other in ["Isma'il", "Müller", "", "O'Brien"] {
            assert!(!from_wade_giles(other, &mut Vec::new()), "{other}");
        }
    }
}

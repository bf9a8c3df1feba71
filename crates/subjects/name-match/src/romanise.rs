//! Romanisation of one word of any script.

use super::script::{Script, arabic, cyrillic, greek, han, hangul};

/// Writes the romanisation of a word. `second` selects the alternative romanisation, which is empty if it equals the
/// first.
pub fn romanise(word: &[char], script: Script, is_surname: bool, second: bool, out: &mut Vec<u8>) {
    match script {
        Script::Latin => latin(word, second, out),
        Script::Greek if second => {}
        Script::Greek => greek::romanise(word, base, out),
        Script::Arabic | Script::Hebrew => {
            if second {
                out.extend_from_slice(arabic::term(word).as_bytes());
            } else {
                arabic::letters(word, out);
            }
        }
        Script::Hangul => {
            let custom = if second { hangul::Romanisation::North } else { hangul::Romanisation::South };
            word.iter().for_each(|syllable| hangul::romanise(*syllable, is_surname, custom, out));
        }
        Script::Han => {
            let pinyin = word.first().map_or("", |character| han::pinyin(*character, is_surname));
            if second {
                han::wade_giles(pinyin, out);
            } else {
                out.extend(pinyin.bytes().map(|byte| byte.to_ascii_lowercase()));
            }
        }
        Script::Cyrillic => {
            let custom = if second { cyrillic::otherwise } else { cyrillic::romanise };
            word.iter().for_each(|letter| by_table(*letter, custom, out));
        }
        Script::Other if second => {}
        Script::Other => word.iter().for_each(|letter| by_table(*letter, |_| None, out)),
    }
}

fn latin(word: &[char], second: bool, out: &mut Vec<u8>) {
    if second && word.iter().all(char::is_ascii) {
        out.extend_from_slice(other_numeral(word).as_bytes());
        return;
    }
    for letter in word {
        let other = match letter {
            'ä' | 'Ä' => "ae",
            'ö' | 'Ö' | 'ø' | 'Ø' => "oe",
            'ü' | 'Ü' => "ue",
            'å' | 'Å' => "aa",
            'đ' | 'Đ' => "dj",
            'ı' | 'İ' => "i",
            _ => "",
        };
        if letter.is_ascii() {
            out.push(u8::try_from(letter.to_ascii_lowercase()).unwrap_or(b' '));
        } else if second && !other.is_empty() {
            out.extend_from_slice(other.as_bytes());
        } else {
            by_table(*letter, |_| None, out);
        }
    }
}

/// Small numbers in Arabic and Roman numerals.
const NUMERALS: &[(&str, &str)] = &[
    ("2", "ii"),
    ("3", "iii"),
    ("4", "iv"),
    ("7", "vii"),
    ("8", "viii"),
    ("9", "ix"),
    ("12", "xii"),
    ("13", "xiii"),
    ("14", "xiv"),
    ("15", "xv"),
];

/// Returns true if the letters are a small Roman numeral that is hardly ever a name.
pub fn is_roman(letters: &[u8]) -> bool {
    NUMERALS.iter().any(|(_, roman)| roman.as_bytes() == letters)
}

/// Returns a small number in the other numerals (Roman for Arabic, Arabic for Roman); empty for other words.
fn other_numeral(word: &[char]) -> &'static str {
    let is = |numeral: &str| numeral.chars().eq(word.iter().map(char::to_ascii_lowercase));
    NUMERALS
        .iter()
        .find_map(|(arabic, roman)| {
            if is(arabic) {
                Some(*roman)
            } else if is(roman) {
                Some(*arabic)
            } else {
                None
            }
        })
        .unwrap_or("")
}

/// One letter by a script's table, else by `any_ascii`; only lower-case letters and digits come out.
fn by_table(letter: char, table: impl Fn(char) -> Option<&'static str>, out: &mut Vec<u8>) {
    for letter in letter.to_lowercase() {
        let text = table(letter).unwrap_or_else(|| any_ascii::any_ascii_char(letter));
        out.extend(text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()));
    }
}

/// The letter under its accents.
fn base(letter: char) -> char {
    let mut base = None;
    for letter in letter.to_lowercase().take(1) {
        unicode_normalization::char::decompose_canonical(letter, |part| {
            base.get_or_insert(part);
        });
    }
    base.unwrap_or(letter)
}

/// Writes a romanised word as the customs of lists write it, where it seems to follow others: the Revised Romanization
/// of Korean (`jeong` for `jong`, `gim` for `kim`), German and Polish (`Jahja` for `Yahya`, `Prigoschin` for
/// `Prigozhin`), French (`Rachid` for `Rashid`). Nothing is written for other words.
pub fn other_customs(word: &[u8], out: &mut Vec<u8>) {
    if !word.iter().all(u8::is_ascii_lowercase) || word.len() < 3 {
        return;
    }
    if hangul::from_south(word, out) {
        return;
    }
    let from = out.len();
    let mut at = 0;
    while at < word.len() {
        let rest = &word[at..];
        let before_vowel = |after: usize| rest.get(after).is_some_and(|letter| b"aeiou".contains(letter));
        let (letters, taken): (&[u8], usize) = match rest {
            [b's', b'c', b'h', ..] if at > 0 && before_vowel(3) => (b"zh", 3),
            [b's' | b't', b'c', b'h', ..] => (&rest[..3], 3),
            [b'c', b'h', ..] => (b"sh", 2),
            [b'd', b'j', ..] => (b"j", 2),
            [b'j', ..] if before_vowel(1) => (b"y", 1),
            _ => (&rest[..1], 1),
        };
        out.extend_from_slice(letters);
        at += taken;
    }
    if out[from..] == *word {
        out.truncate(from);
    }
}

//! Korean syllables: the South's Revised Romanization with its customary surnames, and the North's spelling.

const FIRST: u32 = 0xac00;
const INITIALS: [[&str; 19]; 2] = [
    ["g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h"],
    ["k", "kk", "n", "t", "tt", "r", "m", "p", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h"],
];
const VOWELS: [[&str; 21]; 2] = [
    [
        "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi",
        "yu", "eu", "ui", "i",
    ],
    [
        "a", "ae", "ya", "yae", "o", "e", "yo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi",
        "yu", "u", "ui", "i",
    ],
];
const FINALS: [&str; 28] = [
    "", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t",
    "ng", "t", "t", "k", "t", "p", "t",
];

/// Romanisation system of Korean syllables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Romanisation {
    /// The Republic of Korea's.
    South,
    /// The Democratic People's Republic of Korea's.
    North,
}

/// Writes the romanisation of one syllable.
pub fn romanise(syllable: char, is_surname: bool, custom: Romanisation, out: &mut Vec<u8>) {
    if is_surname && let Some(surname) = surname(syllable, custom) {
        out.extend_from_slice(surname.as_bytes());
        return;
    }
    let Some(code) = u32::from(syllable).checked_sub(FIRST).map(|code| code as usize) else { return };
    let custom = usize::from(custom == Romanisation::North);
    let (initial, vowel, last) = (code / 588, code % 588 / 28, code % 28);
    for part in [INITIALS[custom].get(initial), VOWELS[custom].get(vowel), FINALS.get(last)] {
        out.extend_from_slice(part.copied().unwrap_or("").as_bytes());
    }
}

/// Surnames whose customary spelling is not their syllable's.
fn surname(syllable: char, custom: Romanisation) -> Option<&'static str> {
    let (south, north) = match syllable {
        '이' | '리' => ("lee", "ri"),
        '김' => ("kim", "kim"),
        '박' => ("park", "pak"),
        '최' => ("choi", "choe"),
        '정' => ("jung", "jong"),
        '조' => ("cho", "jo"),
        '강' => ("kang", "kang"),
        '임' | '림' => ("lim", "rim"),
        '오' => ("oh", "o"),
        '신' => ("shin", "sin"),
        '유' | '류' => ("yoo", "ryu"),
        '우' => ("woo", "u"),
        '노' | '로' => ("roh", "ro"),
        '문' => ("moon", "mun"),
        '백' => ("baek", "paek"),
        '양' | '량' => ("yang", "ryang"),
        _ => return None,
    };
    Some(if custom == Romanisation::South { south } else { north })
}

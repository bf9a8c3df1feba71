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

/// The most syllables of a word that is read as Korean.
const MOST_SYLLABLES: usize = 4;

/// Surnames that the two romanisations write otherwise though they share their vowel.
const SURNAMES: &[&[u8]] =
    &[b"gim", b"bak", b"gang", b"baek", b"gwon", b"gwak", b"gu", b"bae", b"bang", b"byeon"];

/// Writes a word of the South's romanisation in the North's, by which lists write the names of the North; nothing where
/// the word may as well be of another language. Returns false if it cannot be read as Korean.
pub fn from_south(word: &[u8], out: &mut Vec<u8>) -> bool {
    let has = |vowel: &[u8]| word.windows(vowel.len()).any(|letters| letters == vowel);
    let from = out.len();
    let is_korean = read(word, MOST_SYLLABLES, out);
    if !is_korean || !(has(b"eo") || has(b"eu") || SURNAMES.contains(&word)) {
        out.truncate(from);
    }
    is_korean
}

/// Reads the syllables of a word, the longest ones first, and writes them in the North's romanisation. What is written is
/// of no use where the word has no syllables or more than `most`.
fn read(word: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
    if word.is_empty() {
        return true;
    }
    let Some(most) = most.checked_sub(1) else { return false };
    let from = out.len();
    for (initial, north) in INITIALS[0].iter().zip(INITIALS[1]) {
        let Some(rest) = word.strip_prefix(initial.as_bytes()) else { continue };
        let by_length =
            |length| VOWELS[0].iter().zip(VOWELS[1]).filter(move |(vowel, _)| vowel.len() == length);
        for (vowel, north_vowel) in [3, 2, 1].into_iter().flat_map(by_length) {
            let Some(rest) = rest.strip_prefix(vowel.as_bytes()) else { continue };
            for last in ["ng", "k", "n", "t", "l", "m", "p", ""] {
                let Some(rest) = rest.strip_prefix(last.as_bytes()) else { continue };
                for part in [north, north_vowel, last] {
                    out.extend_from_slice(part.as_bytes());
                }
                if read(rest, most, out) {
                    return true;
                }
                out.truncate(from);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::from_south;

    #[test]
    fn words_of_the_souths_romanisation_are_written_in_the_norths() {
        for (south, north) in [
            ("jeong", "jong"),
            ("jeongeun", "jongun"),
            ("gim", "kim"),
            ("cheol", "chol"),
            ("yeong", "yong"),
            ("kim", ""),
            ("george", ""),
            ("leonid", ""),
        ] {
            let mut out = Vec::new();
            from_south(south.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), north, "{south}");
        }
        let is_korean = |word: &[u8]| from_south(word, &mut Vec::new());
        assert!(is_korean(b"jang") && is_korean(b"chen") && !is_korean(b"jahja"));
    }
}

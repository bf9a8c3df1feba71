//! Letters of one script that are put in place of another's because they look alike, and digits in place of letters.
//!
//! The letters after UTS #39 (Unicode Security Mechanisms): the prototypes of its confusables.

use unicode_security::confusable_detection::skeleton;

use super::script::Script;
use super::word::{Span, Word};

/// Replaces the letters of other scripts in a word that also has Latin ones by the Latin letters that they resemble.
/// Returns true if there were any.
pub fn fold_mixed_word(word: &mut [char]) -> bool {
    let latin = |letter: &char| letter.is_alphabetic() && Script::of(*letter) == Script::Latin;
    let foreign = |letter: &char| {
        matches!(Script::of(*letter), Script::Cyrillic | Script::Greek | Script::Other)
            && !compatible(*letter)
    };
    let mixed = word.iter().any(latin) && word.iter().any(foreign);
    if mixed {
        for letter in word.iter_mut().filter(|letter| foreign(letter)) {
            *letter = latin_twin(*letter).unwrap_or(*letter);
        }
    }
    mixed
}

/// Tests that the letter is a compatibility form of an ASCII letter (full width, mathematical).
fn compatible(letter: char) -> bool {
    let mut ascii = true;
    unicode_normalization::char::decompose_compatible(letter, |part| ascii &= part.is_ascii());
    ascii
}

/// Adds a Latin form to words of Cyrillic or Greek look-alikes if another word of the text is Latin. Returns true if it
/// added one.
pub fn fold_whole_words(words: &mut [Word], letters: &mut Vec<u8>, source: &str) -> bool {
    let others = |word: &Word| matches!(word.script, Script::Cyrillic | Script::Greek);
    if !words.iter().any(|word| word.script == Script::Latin) || !words.iter().any(others) {
        return false;
    }
    let mut folded = false;
    for word in words.iter_mut().filter(|word| others(word)) {
        let start = letters.len();
        let text = source.get(word.source.range()).unwrap_or("");
        let twins = text.chars().map(latin_twin);
        if twins.clone().all(|twin| twin.is_some()) {
            letters.extend(twins.flatten().filter_map(|twin| u8::try_from(twin.to_ascii_lowercase()).ok()));
            word.forms[1] = Span::new(start, letters.len());
            folded = true;
        }
    }
    folded
}

/// The Latin letter that a letter looks like.
fn latin_twin(letter: char) -> Option<char> {
    // UTS #39 reads some capitals by their lower case's twin, so both are tried.
    let mut buffer = [0; 4];
    let twin = |letter: char, buffer: &mut [u8; 4]| {
        let mut skeleton = skeleton(letter.encode_utf8(buffer));
        match (skeleton.next(), skeleton.next()) {
            (Some(twin), None) if twin.is_ascii_alphabetic() => Some(twin),
            _ => None,
        }
    };
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    match letter {
        // Its capital looks like H, and that is how it is used; UTS #39 has no twin for the small one.
        'н' | 'Н' | 'Η' => Some('h'),
        'т' | 'Т' | 'Τ' => Some('t'),
        'м' | 'М' | 'Μ' => Some('m'),
        'в' | 'В' | 'Β' => Some('b'),
        'к' | 'К' | 'Κ' | 'κ' => Some('k'),
        _ => twin(letter, &mut buffer).or_else(|| twin(lower, &mut buffer)),
    }
}

/// The letters that a digit `1` may stand for.
pub const ONES: [u8; 2] = [b'i', b'l'];

/// Returns true if the digits of a word may stand for letters: it has more letters than digits, and is not an ordinal
/// (`2nd`).
pub fn may_hide_letters(word: &[u8]) -> bool {
    let letters = word.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_ordinal = letters == 2 && ORDINALS.iter().any(|suffix| word.ends_with(suffix));
    digits > 0 && letters > digits && letters + digits == word.len() && !is_ordinal
}

const ORDINALS: [&[u8]; 4] = [b"st", b"nd", b"rd", b"th"];

/// Returns the letter that a digit resembles, with `one` for a `1`; any other byte is returned unchanged.
pub fn letter_of_digit(byte: u8, one: u8) -> u8 {
    match byte {
        b'0' => b'o',
        b'1' => one,
        b'2' => b'z',
        b'3' => b'e',
        b'4' => b'a',
        b'5' => b's',
        b'6' | b'9' => b'g',
        b'7' => b't',
        b'8' => b'b',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{ONES, fold_mixed_word, letter_of_digit, may_hide_letters};

    fn folded(word: &str) -> (String, bool) {
        let mut letters: Vec<char> = word.chars().collect();
        let noticed = fold_mixed_word(&mut letters);
        (letters.into_iter().collect::<String>().to_lowercase(), noticed)
    }

    #[test]
    fn cyrillic_and_greek_twins_among_latin_letters_are_read_as_latin() {
        assert_eq!(folded("Рutin"), ("putin".into(), true));
        assert_eq!(folded("Sеrgеу"), ("sergey".into(), true));
        assert_eq!(folded("ΟSAMA"), ("osama".into(), true));
    }

    #[test]
    fn digits_within_a_word_of_letters_are_read_as_letters() {
        let read = |word: &[u8], one| word.iter().map(|byte| letter_of_digit(*byte, one)).collect::<Vec<_>>();
        for (word, letters) in
            [("v1ktor", "viktor"), ("b0ut", "bout"), ("5adam", "sadam"), ("a1i", "ali"), ("1van", "ivan")]
        {
            assert!(may_hide_letters(word.as_bytes()), "{word}");
            assert!(ONES.iter().any(|one| read(word.as_bytes(), *one) == letters.as_bytes()), "{word}");
        }
    }

    #[test]
    fn numbers_and_ordinals_are_left_alone() {
        for word in ["737", "f16", "3m", "su27", "7628", "2nd", "11th", "viktor"] {
            assert!(!may_hide_letters(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn words_of_one_script_are_left_alone() {
        assert_eq!(folded("Путин"), ("путин".into(), false));
        assert_eq!(folded("Ｐutin"), ("ｐutin".into(), false), "full width is no look-alike");
    }
}

//! Similarity of two words.

use super::distance::within;
use super::script::abjad;

/// A word with its folded form.
#[derive(Clone, Copy, Debug)]
pub struct WordShape<'w> {
    /// Letters of the word: lower-case ASCII and digits, or an abjad's bytes.
    pub letters: &'w [u8],
    /// Folded form of the word.
    pub folded: &'w [u8],
}

/// Set of the letters of a word's two forms, one bit each, which rules out most dissimilar pairs of words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signature {
    letters: u32,
    folded: u32,
    is_abjad: bool,
}

/// Words that are alike are at most two edits apart in one of their forms. An edit takes one letter away and brings
/// another at most.
const MOST_OTHER_LETTERS: u32 = 4;

impl Signature {
    /// Computes the signature of a word.
    pub fn of(shape: WordShape<'_>) -> Self {
        // Letters that share a bit only make it see less.
        let bits = |word: &[u8]| word.iter().fold(0, |bits, letter| bits | 1 << (letter & 31));
        Self { letters: bits(shape.letters), folded: bits(shape.folded), is_abjad: is_abjad(shape.letters) }
    }

    /// Returns true if the [`similarity`] of two words with these signatures must be 0.
    pub fn rules_out(self, other: Self) -> bool {
        self.is_abjad == other.is_abjad
            && (self.letters ^ other.letters).count_ones() > MOST_OTHER_LETTERS
            && (self.folded ^ other.folded).count_ones() > MOST_OTHER_LETTERS
    }
}

/// Minimum length of words that may differ by one edit, in letters.
pub const SHORTEST_EDITED: usize = 4;
/// Minimum length of words that may differ by two edits, in letters.
pub const SHORTEST_EDITED_TWICE: usize = 7;
/// Number of first letters that words two edits apart must share, unless their consonants agree.
pub const COMMON_PREFIX: usize = 3;
/// Minimum number of consonants that can identify a word.
pub const FEWEST_CONSONANTS: usize = 2;

/// The similarity of two words, 0 to 1; 0 for words that are not the same name. A word of an abjad is only ever
/// compared with romanised ones that have a [skeleton](abjad::skeletons) of its own.
pub fn similarity(a: WordShape<'_>, b: WordShape<'_>) -> f32 {
    if a.letters == b.letters {
        return 1.0;
    }
    match (is_abjad(a.letters), is_abjad(b.letters)) {
        (true, false) => return read_as(a.letters, b.letters),
        (false, true) => return read_as(b.letters, a.letters),
        (true, true) => return edited(a.letters, b.letters).unwrap_or(0.0),
        (false, false) => {}
    }
    if has_digit(a.letters) || has_digit(b.letters) {
        return 0.0;
    }
    let further = letters_of_further_syllables(a.letters, b.letters);
    if a.folded == b.folded && further < FEWEST_MORE {
        return match a.folded.len() {
            ..=SHORT_FOLDED if vowels(a.letters).eq(vowels(b.letters)) => 0.8,
            ..=SHORT_FOLDED => 0.7,
            _ => 0.96,
        };
    }
    let by_letters = edited(a.letters, b.letters).unwrap_or(0.0);
    if further + 1 < FEWEST_MORE { by_letters.max(respelled(a, b)) } else { by_letters }
}

/// Returns true if the word is of an abjad (Arabic or Hebrew), stored as consonants.
pub fn is_abjad(letters: &[u8]) -> bool {
    letters.first().is_some_and(|letter| !letter.is_ascii_lowercase() && !letter.is_ascii_digit())
}

/// The letters that one word has more than another that may be one syllable: `seyeong` sounds like `song`, but has one
/// syllable more.
fn letters_of_further_syllables(a: &[u8], b: &[u8]) -> usize {
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    if shorter <= LONGEST_SYLLABLE { longer - shorter } else { 0 }
}

/// The most letters of a word that may be one syllable.
const LONGEST_SYLLABLE: usize = 4;
/// The fewest letters of a further syllable.
const FEWEST_MORE: usize = 3;

fn has_digit(letters: &[u8]) -> bool {
    letters.iter().any(u8::is_ascii_digit)
}

/// Words one edit apart, and long ones two edits apart.
fn edited(a: &[u8], b: &[u8]) -> Option<f32> {
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    if shorter + 1 < SHORTEST_EDITED || longer < SHORTEST_EDITED {
        return None;
    }
    let most = if shorter >= SHORTEST_EDITED_TWICE { 2 } else { 1 };
    match within(a, b, most)? {
        1 => {
            let likeness = match longer {
                4 if shorter == 4 && !is_swap(a, b) => return None,
                4 => 0.7,
                5 => 0.8,
                6 => 0.85,
                7 => 0.88,
                _ => 0.9,
            };
            let likeness = if is_swap(a, b) { likeness + SWAPPED } else { likeness };
            let begins_otherwise = a[0] != b[0] && !is_swap(a, b);
            Some(if begins_otherwise { likeness - OTHER_BEGINNING } else { likeness })
        }
        _ => {
            let together = a[..COMMON_PREFIX] == b[..COMMON_PREFIX];
            together.then_some(match longer {
                7 => 0.72,
                8 => 0.76,
                9 => 0.8,
                _ => 0.83,
            })
        }
    }
}

/// Letters that changed places are the commonest slip.
const SWAPPED: f32 = 0.03;
/// Cost of a different first letter, which people rarely mistype.
const OTHER_BEGINNING: f32 = 0.05;

/// Tests that two words one edit apart have the same letters.
fn is_swap(a: &[u8], b: &[u8]) -> bool {
    let sum = |word: &[u8]| word.iter().map(|letter| u32::from(*letter)).sum::<u32>();
    a.len() == b.len() && sum(a) == sum(b)
}

/// Folded forms up to this length are shared by different names.
const SHORT_FOLDED: usize = 3;

/// The vowels of a word, with those that two letters stand for as one: `bout` has that of `but`, and `choe` another than
/// `cho`.
fn vowels(word: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < word.len() && !matches!(word[at], b'a' | b'e' | b'i' | b'o' | b'u' | b'y') {
            at += 1;
        }
        let (vowel, taken) = match word.get(at..)? {
            [b'o', b'u' | b'o', ..] => (b'u', 2),
            [b'e', b'e', ..] | [b'i', b'e' | b'i' | b'y', ..] => (b'i', 2),
            [b'a', b'a', ..] => (b'a', 2),
            [b'y', ..] => (b'i', 1),
            [vowel, ..] => (*vowel, 1),
            [] => return None,
        };
        at += taken;
        Some(vowel)
    })
}

/// Words whose consonants agree or whose folded forms are one edit apart.
fn respelled(a: WordShape<'_>, b: WordShape<'_>) -> f32 {
    let longer = a.folded.len().max(b.folded.len());
    let consonants = a.folded.iter().filter(|letter| is_consonant(**letter)).count();
    let agree = consonants >= FEWEST_CONSONANTS
        && a.folded
            .iter()
            .filter(|letter| is_consonant(**letter))
            .eq(b.folded.iter().filter(|l| is_consonant(**l)));
    let distance = within(a.folded, b.folded, 2);
    match (agree, distance) {
        (true, Some(0 | 1)) if longer >= 5 => 0.9,
        (true, Some(0 | 1)) if longer >= 4 && a.letters.len().max(b.letters.len()) > 4 => 0.78,
        (true, Some(2)) if longer >= 7 => 0.82,
        (true, Some(2)) if longer >= 6 && consonants >= 3 => 0.74,
        (false, Some(1)) if longer >= 7 => 0.8,
        (false, Some(1)) if longer >= 6 => 0.74,
        _ => 0.0,
    }
}

/// Returns true if a letter of a folded form is a consonant. The vowels of folded forms are `a`, `i` and `u`.
pub fn is_consonant(letter: u8) -> bool {
    !matches!(letter, b'a' | b'i' | b'u')
}

/// A word of an abjad against a romanised one.
fn read_as(word: &[u8], romanised: &[u8]) -> f32 {
    let Some(cost) = abjad::cost(word, romanised) else { return 0.0 };
    let letters = word.len().max(3);
    #[allow(clippy::cast_precision_loss)] // both are below a hundred
    let share = f32::from(cost) / (10 * letters) as f32;
    (0.95 - share).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::distance::LONGEST;
    use super::super::fold::fold;
    use super::{Signature, WordShape, similarity};

    fn alike(a: &str, b: &str) -> f32 {
        let (mut fold_a, mut fold_b) = (Vec::new(), Vec::new());
        fold(a.as_bytes(), &mut fold_a);
        fold(b.as_bytes(), &mut fold_b);
        let shape = |letters, folded| WordShape { letters, folded };
        similarity(shape(a.as_bytes(), &fold_a), shape(b.as_bytes(), &fold_b))
    }

    #[test]
    fn closer_spellings_are_more_alike() {
        assert!(alike("sergei", "sergei") > alike("sergei", "sergey"));
        assert!(alike("sergei", "sergey") > alike("sergei", "sergoi"));
        assert!(alike("vladimirovich", "vladimirovihc") > alike("lukas", "pukas"));
    }

    #[test]
    fn similarity_is_symmetric() {
        for (a, b) in
            [("mohammed", "muhamad"), ("yousef", "yusuf"), ("ali", "ala"), ("gonzalez", "gonzaleez")]
        {
            assert_eq!(alike(a, b).to_bits(), alike(b, a).to_bits());
        }
    }

    /// A word, and the same with a few edits.
    fn word_and_edited() -> impl Strategy<Value = (String, String)> {
        let edits = proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8, b'a'..=b'z'), 0..4);
        ("[a-z0-9]{1,12}|[ksh]{1,3}[aeiouy]{1,3}[rnmt]{1,3}[aeiou]{0,3}[vzj]{0,2}[a-z]{0,6}", edits).prop_map(
            |(word, edits)| {
                let mut edited = word.clone().into_bytes();
                for (at, edit, letter) in edits {
                    let at = at.index(edited.len() + 1);
                    match edit {
                        0 => edited.insert(at, letter),
                        1 if at < edited.len() => edited[at] = letter,
                        2 if at + 1 < edited.len() => edited.swap(at, at + 1),
                        3 if at < edited.len() && edited.len() > 1 => drop(edited.remove(at)),
                        _ => {}
                    }
                }
                (word, String::from_utf8(edited).unwrap())
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn words_that_their_letters_rule_out_are_not_alike((a, b) in word_and_edited()) {
            let (mut fold_a, mut fold_b) = (Vec::new(), Vec::new());
            fold(a.as_bytes(), &mut fold_a);
            fold(b.as_bytes(), &mut fold_b);
            let one = WordShape { letters: a.as_bytes(), folded: &fold_a };
            let other = WordShape { letters: b.as_bytes(), folded: &fold_b };
            prop_assert!(a.len().max(b.len()) <= LONGEST);
            if Signature::of(one).rules_out(Signature::of(other)) {
                prop_assert!(similarity(one, other) < f32::EPSILON, "{} {}", a, b);
            }
        }
    }

    #[test]
    fn most_words_are_ruled_out_by_their_letters() {
        let signature = |word: &str| {
            let mut folded = Vec::new();
            fold(word.as_bytes(), &mut folded);
            Signature::of(WordShape { letters: word.as_bytes(), folded: &folded })
        };
        assert!(signature("vladimir").rules_out(signature("mohammed")));
        assert!(!signature("vladimir").rules_out(signature("wladimir")));
        assert!(!signature("vladimir").rules_out(signature("vladmiir")));
    }

    #[test]
    fn numbers_are_the_same_or_not() {
        assert!(alike("7628", "7629") < f32::EPSILON);
    }
}

//! Names that are compared as a whole, since their words say little one by one: single letters (`K M A`), legal forms
//! and titles alone (`SPC`), and syllabic characters, of which a romanisation says less than they do.

use watchlist::EntityKind;

use super::lexicon::Sense;
use super::parse::{Family, Token, tokens};
use super::script::Script;
use super::segmented_text::SegmentedText;
use super::weight;

/// Hashes of a name's text, with and without the surrounding words; 0 stands for no hash. Two names with a common hash
/// have the same text.
pub type Fingerprints = [u64; 2];

/// The fewest letters that are a name once a legal form of single letters (`S.A.`) is taken away from them.
const FEWEST_LEFT: usize = 3;

/// Returns the fingerprints of a listed name; zeros if one of its words can carry a match.
pub fn of_listed(reading: &SegmentedText, tokens: &[Token], family: Family) -> Fingerprints {
    let carries = |token: &Token| weight::of(token, family, 1.0).core && !token.initial;
    match of_syllables(reading) {
        0 if tokens.iter().any(carries) => Fingerprints::default(),
        0 => of_letters(reading, tokens, family),
        hash => [hash, 0],
    }
}

/// Returns the fingerprints of a query for each family, in the order of [`Family::ALL`].
pub fn of_question(reading: &SegmentedText, tokens: &[Token]) -> [Fingerprints; 3] {
    match of_syllables(reading) {
        0 => Family::ALL.map(|family| of_letters(reading, tokens, family)),
        hash => [[hash, 0]; 3],
    }
}

/// Returns true if two names have the same text.
pub fn agree(one: Fingerprints, other: Fingerprints) -> bool {
    one.iter().any(|hash| *hash != 0 && other.contains(hash))
}

/// The letters, whatever stands between them, without legal forms, titles and noise; where nothing is left, with them.
/// Single letters may be the name or its legal form (`Y.A.S.`, `B.R.C. S.A.`), so they are taken both ways.
fn of_letters(reading: &SegmentedText, tokens: &[Token], family: Family) -> Fingerprints {
    let letters = |token: &Token| reading.letters(token.forms[0]);
    let is_name = |token: &&Token| !surrounds(token, family);
    let may_be_name = |token: &&Token| is_name(token) || letters(token).len() == 1;
    let length =
        |words: &mut dyn Iterator<Item = &Token>| words.map(|token| letters(token).len()).sum::<usize>();
    let with = length(&mut tokens.iter().filter(may_be_name));
    let without = length(&mut tokens.iter().filter(is_name));
    let bytes = |token| letters(token).iter().map(|byte| u32::from(*byte));
    let whole = if with >= 2 {
        hash(tokens.iter().filter(may_be_name).flat_map(bytes))
    } else {
        hash(tokens.iter().flat_map(bytes))
    };
    let is_less = (FEWEST_LEFT..with).contains(&without);
    [whole, if is_less { hash(tokens.iter().filter(is_name).flat_map(bytes)) } else { 0 }]
}

/// Hash of the text of a name with syllabic characters, without its separators; 0 for any other name.
fn of_syllables(reading: &SegmentedText) -> u64 {
    let letters = || reading.words().iter().flat_map(|word| reading.source(word).chars());
    if letters().any(|letter| Script::of(letter).is_syllabic()) {
        hash(letters().flat_map(char::to_lowercase).map(u32::from))
    } else {
        0
    }
}

/// FNV-1a; never 0 but for nothing.
fn hash(mut units: impl Iterator<Item = u32>) -> u64 {
    let Some(first) = units.next() else { return 0 };
    let mix = |hash: u64, unit: u32| (hash ^ u64::from(unit)).wrapping_mul(0x0100_0000_01b3);
    units.fold(mix(0xcbf2_9ce4_8422_2325, first), mix).max(1)
}

/// Returns true if the word surrounds a name of that family and is not part of it.
pub fn surrounds(token: &Token, family: Family) -> bool {
    token.senses.within(family).is_some_and(is_surrounding)
}

fn is_surrounding(sense: Sense) -> bool {
    matches!(sense, Sense::Legal(_) | Sense::Noise | Sense::Honorific | Sense::ShipPrefix)
}

/// The content of a text that is read as a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameContent {
    /// The text has no words.
    Nothing,
    /// The text has only legal forms, titles, ship prefixes and noise, or a single letter. It is a name only if a list
    /// has it.
    GenericWordsOnly,
    /// The text is a name.
    Name,
}

/// Words that join others and are no names themselves.
const CONNECTING: [&[u8]; 3] = [b"and", b"of", b"for"];

/// Classifies a text as the name of a party of this kind; `None` stands for an unknown kind. A text that is a
/// [name](NameContent::Name) is found by a screen if it is listed.
///
/// ```
/// use name_match::{NameContent, name_content};
///
/// assert_eq!(name_content("ООО", None), NameContent::GenericWordsOnly);
/// assert_eq!(name_content("ООО Вектор", None), NameContent::Name);
/// ```
pub fn name_content(text: &str, kind: Option<EntityKind>) -> NameContent {
    let (mut reading, mut words) = (SegmentedText::default(), Vec::new());
    reading.read(text);
    tokens(&reading, &mut words, &mut Vec::new());
    if words.is_empty() {
        return NameContent::Nothing;
    }
    let families = kind.filter(|kind| *kind != EntityKind::Unknown).map(Family::of);
    let is_name = |token: &&Token| {
        let around = match families {
            Some(family) => surrounds(token, family),
            None => Family::ALL.into_iter().any(|family| surrounds(token, family)),
        };
        !around && !CONNECTING.contains(&reading.letters(token.forms[0]))
    };
    let is_letter = |token: &Token| {
        let letters = reading.letters(token.forms[0]);
        letters.len() == 1 && !token.number && !token.script.is_syllabic()
    };
    let mut names = words.iter().filter(is_name);
    let letters = names.clone().filter(|token| is_letter(token)).count();
    // A person's initials stand for names that nobody can tell.
    let fewest = if kind == Some(EntityKind::Person) { usize::MAX } else { 2 };
    if names.any(|token| !is_letter(token)) || letters >= fewest {
        NameContent::Name
    } else {
        NameContent::GenericWordsOnly
    }
}

#[cfg(test)]
mod tests {
    use super::{NameContent, name_content};
    use watchlist::EntityKind;

    #[test]
    fn what_surrounds_names_is_told_in_any_language() {
        for text in [
            "PJSC",
            "OOO",
            "ООО",
            "ПАО",
            "Limitada",
            "Aktiengesellschaft",
            "GmbH & Co KG",
            "Sociedad Anónima de Capital Variable",
            "Общество с ограниченной ответственностью",
            "有限公司",
            "주식회사",
            "Ltd. Şti.",
            "S.p.A.",
            "Messrs. Attn Finance Dept",
            "Account 4471",
            "the of and",
            "Mr.",
            "M/V",
            "A",
            "Mr. O",
            "م",
        ] {
            assert_eq!(name_content(text, None), NameContent::GenericWordsOnly, "{text}");
        }
    }

    #[test]
    fn what_may_be_a_name_is_one() {
        for text in [
            "Li Na",
            "李",
            "3M",
            "12345",
            "K M A",
            "T.D.G.",
            "Do Van Dat",
            "Le",
            "Vanguard Ltd",
            "ISIS",
            "IBM",
        ] {
            assert_eq!(name_content(text, None), NameContent::Name, "{text}");
        }
        // Legal forms are forms of organisations.
        assert_eq!(name_content("Ip", Some(EntityKind::Person)), NameContent::Name);
        assert_eq!(name_content("Ip", None), NameContent::GenericWordsOnly);
        assert_eq!(name_content("J. R.", Some(EntityKind::Person)), NameContent::GenericWordsOnly);
    }

    #[test]
    fn nothing_to_read_says_nothing() {
        for text in ["", " ", "...", "\u{200d}\u{200f}", "\u{0}\u{7}", "()"] {
            assert_eq!(name_content(text, None), NameContent::Nothing, "{text:?}");
        }
    }
}

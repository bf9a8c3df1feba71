//! Labels that a brand and other words make up.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::brands::{BRAND_TOP_LEVELS, Brand, LURE_WORDS, Lure, OPEN_COUNTRIES, brand, brands, other_words};
use crate::letters;

/// The fewest letters of a distinctive brand that counts beside any other word.
const MIN_LETTERS: usize = 5;
/// The fewest letters of a distinctive brand that is looked for within a longer word.
const MIN_INNER_LETTERS: usize = 6;
/// The fewest letters of a brand whose misspelling counts beside a word of lure.
const MIN_MISSPELT_LETTERS: usize = 6;
/// The fewest letters of a word of lure that counts run together with a common word.
const MIN_LURE_LETTERS: usize = 5;
/// The most words between hyphens that make up a brand's label.
const MAX_JOINED: usize = 4;
/// The most words of a label that are looked at.
const MAX_WORDS: usize = 16;

/// Surroundings of a label, which say beside which words a brand counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Setting<'a> {
    /// A name that somebody registered in this top-level domain: a distinctive brand counts beside any words.
    Registered(&'a str),
    /// A name in a top-level domain with much abuse: brands that others build on count beside any words too.
    Abused(&'a str),
    /// A name of a platform's customer, or a label left of another name: a word of lure is needed.
    Given,
}

/// A brand and the words beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Combination {
    pub(crate) brand: &'static Brand,
    pub(crate) words: Vec<String>,
}

/// The first brand that makes up a label with other words; the top-level domain can be a word of lure too.
pub(crate) fn find(label: &str, setting: Setting<'_>) -> Option<Combination> {
    let words: Vec<&str> = label.split('-').filter(|word| !word.is_empty()).take(MAX_WORDS).collect();
    let of_several = || {
        let joined: String = words.concat();
        (words.len() > 1).then(|| run_together(&joined, setting)).flatten()
    };
    between_hyphens(&words, setting)
        .or_else(|| words.iter().find_map(|word| run_together(word, setting)))
        .or_else(of_several)
}

/// The first brand that is one of the words, or several that stand together.
fn between_hyphens(words: &[&str], setting: Setting<'_>) -> Option<Combination> {
    if words.len() < 2 {
        return None;
    }
    let top = match setting {
        Setting::Registered(top) | Setting::Abused(top) => Some(top),
        Setting::Given => None,
    };
    for length in (1..=MAX_JOINED.min(words.len() - 1)).rev() {
        for start in 0..=words.len() - length {
            let joined = words[start..start + length].concat();
            let others = || words[..start].iter().chain(&words[start + length..]).copied();
            let Some((brand, is_misspelt)) = named(&joined, length) else { continue };
            let lures: Vec<String> =
                others().chain(top).filter(|word| is_lure(word, brand)).map(str::to_owned).collect();
            let is_enough = match setting {
                Setting::Registered(_) => brand.is_distinctive(),
                Setting::Abused(_) => !brand.is_word,
                Setting::Given => false,
            };
            if !lures.is_empty() {
                return Some(Combination { brand, words: lures });
            }
            if is_enough && !is_misspelt && brand.label.len() >= MIN_LETTERS {
                return Some(Combination { brand, words: others().map(str::to_owned).collect() });
            }
        }
    }
    None
}

/// The brand of a word, and whether its letters differ.
fn named(word: &str, joined: usize) -> Option<(&'static Brand, bool)> {
    let found = match brand(word) {
        Some(brand) => Some((brand, false)),
        None if joined > 1 => None,
        None => letters::with_appearance(word).map(|brand| (brand, true)).or_else(|| {
            letters::one_letter_away(word)
                .filter(|brand| !brand.is_word && brand.label.len() >= MIN_MISSPELT_LETTERS)
                .map(|brand| (brand, true))
        }),
    };
    found.filter(|(brand, is_misspelt)| !(brand.is_exact && *is_misspelt))
}

/// True if a word lures beside a brand, or is made up of words that do.
fn is_lure(word: &str, brand: &Brand) -> bool {
    let is_strong = |word: &str| LURE_WORDS.get(word).is_some_and(|lure| lure.counts_beside(brand));
    let is_two = || {
        (3..word.len().saturating_sub(2)).any(|at| {
            word.is_char_boundary(at) && {
                let (first, second) = word.split_at(at);
                (is_strong(first) && LURE_WORDS.contains_key(second))
                    || (is_strong(second) && LURE_WORDS.contains_key(first))
            }
        })
    };
    is_strong(word) || is_two()
}

/// The brands that are looked for within longer words.
static INNER: LazyLock<(AhoCorasick, Vec<&'static Brand>)> = LazyLock::new(|| {
    let all: Vec<&Brand> =
        brands().iter().filter(|brand| !brand.is_exact && brand.label.len() >= 3).collect();
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(all.iter().map(|brand| brand.label))
        .expect("a few thousand short words are within the automaton's bounds");
    (automaton, all)
});

/// The first brand that makes up a word with words of lure before and after it.
fn run_together(word: &str, setting: Setting<'_>) -> Option<Combination> {
    let (automaton, all) = &*INNER;
    if brand(word).is_some() || other_words().contains(word) || LURE_WORDS.contains_key(word) {
        return None;
    }
    automaton.find_overlapping_iter(word).find_map(|found| {
        let brand = all[found.pattern().as_usize()];
        let (before, after) = (&word[..found.start()], &word[found.end()..]);
        let after = after.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_long = brand.label.len() >= MIN_INNER_LETTERS;
        if before.is_empty() && after.is_empty() {
            let is_numbered = brand.is_distinctive() && is_long && setting != Setting::Given;
            let number = word[found.end()..].to_owned();
            return is_numbered.then(|| Combination { brand, words: vec![number] });
        }
        let is_at_an_edge = before.is_empty() || after.is_empty();
        if matches!(setting, Setting::Abused(_)) && !brand.is_word && is_long && is_at_an_edge {
            let words = [before, after].into_iter().filter(|word| !word.is_empty()).map(str::to_owned);
            return Some(Combination { brand, words: words.collect() });
        }
        let words = if brand.is_distinctive() && brand.label.len() >= MIN_LETTERS {
            // `samsungmobile.com` is more often the brand's than not.
            let takes_weak = match setting {
                Setting::Registered(top) => !is_of_old_or_country(top),
                Setting::Abused(_) => true,
                Setting::Given => false,
            };
            let counts = |word: &str| {
                let is_counted = |lure: &Lure| {
                    lure.is_strong || (takes_weak && (lure.is_weak || lure.counts_beside(brand)))
                };
                LURE_WORDS.get(word).is_some_and(is_counted)
            };
            lures(before, &counts).zip(lures(after, &counts)).or_else(|| at_an_edge(brand, before, after))
        } else {
            let counts = |word: &str| {
                word.len() >= MIN_LURE_LETTERS
                    && LURE_WORDS.get(word).is_some_and(|lure| lure.counts_beside(brand))
            };
            // Short labels end many words: `trackING`.
            let is_whole = brand.label.len() >= MIN_LETTERS || before.is_empty();
            is_whole.then(|| lures(before, &counts).zip(lures(after, &counts))).flatten()
        };
        let (first, second) = words?;
        Some(Combination { brand, words: first.into_iter().chain(second).collect() })
    })
}

/// True for the old top-level domains and those of countries, where brands have more names than a list can hold.
fn is_of_old_or_country(top: &str) -> bool {
    BRAND_TOP_LEVELS.contains(&top)
        || ((top.len() == 2 || top.starts_with("xn--")) && !OPEN_COUNTRIES.contains(&top))
}

/// The words of lure that a text is made up of; none for an empty text.
fn lures(text: &str, counts: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let is_word = |word: &str| LURE_WORDS.contains_key(word) && counts(word);
    if is_word(text) {
        return Some(vec![text.to_owned()]);
    }
    (1..text.len()).rev().filter(|at| text.is_char_boundary(*at)).find_map(|at| {
        let (first, second) = text.split_at(at);
        (is_word(first) && is_word(second)).then(|| vec![first.to_owned(), second.to_owned()])
    })
}

/// The strong word of lure at an edge of a word that a long distinctive brand is in.
fn at_an_edge(brand: &Brand, before: &str, after: &str) -> Option<(Vec<String>, Vec<String>)> {
    if brand.label.len() < MIN_INNER_LETTERS {
        return None;
    }
    let is_strong = |word: &&str| {
        word.len() >= MIN_LURE_LETTERS && LURE_WORDS.get(*word).is_some_and(|lure| lure.counts_beside(brand))
    };
    let first = (1..=before.len()).rev().filter_map(|end| before.get(..end)).find(is_strong);
    let last = (0..after.len()).filter_map(|start| after.get(start..)).find(is_strong);
    let own = |word: Option<&str>| word.map(str::to_owned).into_iter().collect();
    let is_at_start = before.is_empty() || first.is_some();
    (is_at_start && (first.is_some() || last.is_some())).then(|| (own(first), own(last)))
}

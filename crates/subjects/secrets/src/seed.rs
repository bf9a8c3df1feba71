//! Seed phrases: runs of BIP-39 words, checked by their checksum.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use bip39::{Language, Mnemonic};
use unicode_normalization::UnicodeNormalization as _;

/// Longest run whose windows are checked; a longer one is a word list and is reported whole, as a warning.
const LONGEST_RUN: usize = 60;

/// Each list word with the languages it is in, as bits in the order of [`Language::ALL`].
static WORDS: LazyLock<HashMap<String, u16>> = LazyLock::new(|| {
    let mut words = HashMap::new();
    for (bit, language) in Language::ALL.iter().enumerate() {
        for word in language.word_list() {
            *words.entry(word.nfkd().collect()).or_insert(0) |= 1 << bit;
        }
    }
    words
});

/// Words that join the words of a list.
const JOINERS: [&str; 5] = ["and", "then", "und", "et", "y"];

struct Word {
    span: Range<usize>,
    text: String,
    languages: u16,
}

/// Sort of a run of list words.
#[derive(Clone, Copy)]
pub(crate) enum Sort {
    /// The checksum is right.
    Right,
    /// The checksum of some words is right, and all sorts of marks part them, as in code. One in 16 such runs is right by chance.
    Scattered,
    /// The words are parted alike, and the checksum is wrong.
    Wrong,
}

/// Gives the spans of seed phrases.
pub(crate) fn phrases(text: &str) -> Vec<(Range<usize>, Sort)> {
    let mut found = Vec::new();
    let mut run: Vec<Word> = Vec::new();
    let letters = |c: char| c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c);
    let mut at = 0;
    while let Some(start) = text[at..].find(letters).map(|i| at + i) {
        let end = text[start..].find(|c| !letters(c)).map_or(text.len(), |i| start + i);
        at = end;
        let word = listed(&text[start..end]);
        let near = run.last().is_none_or(|last| start - last.span.end <= 14);
        let shared = run.first().map_or(u16::MAX, |first| first.languages);
        let Some((word, languages)) = word else {
            // "legal and winner and thank": the words between are none of a sentence.
            if !JOINERS.contains(&&text[start..end]) {
                close(text, &mut run, &mut found);
            }
            continue;
        };
        if word == "word" && text[end..].trim_start_matches(' ').starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        if !near || shared & languages == 0 {
            close(text, &mut run, &mut found);
        }
        // The first word carries the languages that all words of the run share.
        if let Some(first) = run.first_mut() {
            first.languages &= languages;
        }
        run.push(Word { span: start..end, text: word, languages });
    }
    close(text, &mut run, &mut found);
    found
}

fn listed(word: &str) -> Option<(String, u16)> {
    if word.len() > 60 || (word.is_ascii() && !(3..=12).contains(&word.len())) {
        return None;
    }
    let plain: String =
        if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase().nfkd().collect() };
    WORDS.get(&plain).map(|languages| (plain, *languages))
}

fn close(text: &str, run: &mut Vec<Word>, found: &mut Vec<(Range<usize>, Sort)>) {
    let words = std::mem::take(run);
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
    if words.len() < 12 {
        return;
    }
    let languages = first.languages;
    let whole = first.span.start..last.span.end;
    // Only the longest count that fits is tried: a shorter window inside a wrong phrase is right by chance, 1 in 16 or more.
    let count = [24, 21, 18, 15, 12].into_iter().find(|n| *n <= words.len()).unwrap_or(12);
    let counts: &[usize] = if words.len() > 26 { &[24, 12] } else { &[count] };
    let tried = words.len() <= LONGEST_RUN;
    let right =
        || counts.iter().flat_map(|n| words.windows(*n)).filter(|w| is_varied(w) && valid(w, languages));
    if tried && right().next().is_some() {
        // The whole run is the secret: which words beside the window belong to it cannot be known.
        let sort = if right().any(|window| uniform(text, window)) { Sort::Right } else { Sort::Scattered };
        found.push((whole, sort));
    } else if parts(text, &words).any(|part| is_varied(part) && valid(part, languages)) {
        found.push((whole, Sort::Right));
    } else if is_varied(&words) && uniform(text, &words) {
        found.push((whole, Sort::Wrong));
    }
}

/// The words of a run that other marks than those within them part from the rest, where there are as many as a phrase has.
fn parts<'w>(text: &str, words: &'w [Word]) -> impl Iterator<Item = &'w [Word]> {
    let mut parts = Vec::new();
    let mut start = 0;
    for end in 1..=words.len() {
        let goes_on =
            end < words.len() && (end < start + 2 || gap(text, words, end - 1) == gap(text, words, start));
        if !goes_on {
            parts.push(&words[start..end]);
            start = end;
        }
    }
    parts.into_iter().filter(|part| [12, 15, 18, 21, 24].contains(&part.len()))
}

/// What stands between a word and the next, white space and numbers aside; a line end counts.
fn gap(text: &str, words: &[Word], word: usize) -> String {
    let between = &text[words[word].span.end..words[word + 1].span.start];
    between.chars().filter(|c| *c == '\n' || (!c.is_whitespace() && !c.is_ascii_digit())).collect()
}

/// True if as many words differ as in any phrase that a wallet makes, or if it is one of the published examples, which repeat
/// the first word of the list.
fn is_varied(words: &[Word]) -> bool {
    let mut different: Vec<&str> = Vec::new();
    for word in words {
        if different.len() < MIN_DIFFERENT && !different.contains(&word.text.as_str()) {
            different.push(&word.text);
        }
    }
    different.len() == MIN_DIFFERENT || different.contains(&"abandon")
}

/// Fewest different words of a phrase.
const MIN_DIFFERENT: usize = 6;

/// Whether all words are separated alike, numbers and kinds of white space aside; those of prose are not.
fn uniform(text: &str, words: &[Word]) -> bool {
    let gap = |pair: &[Word]| {
        let between = text[pair[0].span.end..pair[1].span.start].chars();
        between.filter(|c| !c.is_whitespace() && !c.is_ascii_digit())
    };
    // A list word may stand before the phrase, as in "seed phrase: ...".
    let mut pairs = words.windows(2).skip(words.len().saturating_sub(12).min(2));
    let Some(first) = pairs.next() else { return true };
    pairs.all(|pair| gap(pair).eq(gap(first)))
}

fn valid(window: &[Word], languages: u16) -> bool {
    let phrase = window.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
    let of = |(bit, _): &(usize, &Language)| languages & (1 << bit) != 0;
    Language::ALL
        .iter()
        .enumerate()
        .filter(of)
        .any(|(_, l)| Mnemonic::parse_in_normalized(*l, &phrase).is_ok())
}

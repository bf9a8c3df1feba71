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

struct Word {
    span: Range<usize>,
    text: String,
    languages: u16,
}

/// Gives the spans of seed phrases and whether each has a right checksum.
pub(crate) fn phrases(text: &str) -> Vec<(Range<usize>, bool)> {
    let mut found = Vec::new();
    let mut run: Vec<Word> = Vec::new();
    let letters = |c: char| c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c);
    let mut at = 0;
    while let Some(start) = text[at..].find(letters).map(|i| at + i) {
        let end = text[start..].find(|c| !letters(c)).map_or(text.len(), |i| start + i);
        at = end;
        let word = listed(&text[start..end]);
        let near = run.last().is_none_or(|last| start - last.span.end <= 12);
        let shared = run.first().map_or(u16::MAX, |first| first.languages);
        let Some((word, languages)) = word else {
            close(text, &mut run, &mut found);
            continue;
        };
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

fn close(text: &str, run: &mut Vec<Word>, found: &mut Vec<(Range<usize>, bool)>) {
    let words = std::mem::take(run);
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
    if words.len() < 12 {
        return;
    }
    let whole = first.span.start..last.span.end;
    // Only the longest count that fits is tried: a shorter window inside a wrong phrase is right by chance, 1 in 16 or more.
    let count = [24, 21, 18, 15, 12].into_iter().find(|n| *n <= words.len()).unwrap_or(12);
    let counts: &[usize] = if words.len() > 26 { &[24, 12] } else { &[count] };
    let tried = words.len() <= LONGEST_RUN;
    if tried && counts.iter().any(|n| words.windows(*n).any(|w| valid(w, first.languages))) {
        // The whole run is the secret: which words beside the window belong to it cannot be known.
        found.push((whole, true));
    } else if uniform(text, &words) {
        found.push((whole, false));
    }
}

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

//! Construction of the index from a list's entries.

use std::collections::HashMap;
use std::ops::Range;

use watchlist::Entry;

use super::{Index, IndexedName, JoinedWords, ListedWord, NamePart};
use crate::country::Country;
use crate::facts::listed_numbers;
use crate::frequency;
use crate::lexicon::Sense;
use crate::parse::{Family, Token, tokens};
use crate::segmented_text::SegmentedText;
use crate::similarity::is_abjad;
use crate::variants::VariantMiner;
use crate::vocabulary::{VocabularyBuilder, WordId};
use crate::weight;
use crate::whole;

/// The most words that a listed name is indexed by.
const MOST_SLOTS: usize = 32;
/// The longest joined word, in letters.
const LONGEST_JOINED: usize = 32;

#[derive(Default)]
pub(super) struct IndexBuilder {
    words: VocabularyBuilder,
    rows: Vec<IndexedName>,
    tokens: Vec<(WordId, Token, NamePart)>,
    joined: Vec<JoinedWords>,
    miner: VariantMiner,
    numbers: Vec<(Box<str>, u32)>,
    countries: Vec<Option<Country>>,
    country_starts: Vec<u32>,
    /// Every name of a country that the list has.
    known: HashMap<Box<str>, Option<Country>>,
    reading: SegmentedText,
    parsed: Vec<Token>,
    scratch: Vec<u8>,
}

impl IndexBuilder {
    pub(super) fn entry(&mut self, at: u32, entry: &Entry) {
        let family = Family::of(entry.kind);
        let mut names = Vec::with_capacity(entry.names.len());
        for (number, name) in entry.names.iter().enumerate() {
            self.reading.read(&name.text);
            tokens(&self.reading, &mut self.parsed, &mut self.scratch);
            self.parsed.truncate(MOST_SLOTS);
            let row = IndexedName {
                entry: at,
                name: u32::try_from(number).unwrap_or(u32::MAX),
                family,
                quality: name.quality,
                fingerprints: whole::of_listed(&self.reading, &self.parsed, family),
                initials: self.parsed.iter().fold(0, |count, token| count + u8::from(token.initial)),
                weight: 0.0,
                slots: (0, 0),
                joined: (0, 0),
            };
            names.push(self.row(row));
        }
        if family == Family::Person {
            self.miner.entry(at, &names);
        }
        self.country_starts.push(u32::try_from(self.countries.len()).unwrap_or(u32::MAX));
        let known = entry
            .countries
            .iter()
            .map(|name| *self.known.entry(name.clone()).or_insert_with(|| Country::named(name)));
        self.countries.extend(known);
        self.numbers.extend(listed_numbers(entry).map(|number| (number.into(), at)));
    }

    fn row(&mut self, mut row: IndexedName) -> Vec<WordId> {
        let start = self.tokens.len();
        let mut given = false;
        for (at, token) in self.parsed.iter().enumerate() {
            let word = self.words.word(self.reading.letters(token.forms[0]));
            self.words.count(word, row.entry);
            let part = match (row.family, self.reading.comma) {
                (Family::Person, Some(comma)) if at < comma => NamePart::Surname,
                (Family::Person, Some(_)) if !given && !token.initial && may_be_given(token) => {
                    given = true;
                    NamePart::Given
                }
                (Family::Person, Some(_)) => NamePart::Middle,
                _ => NamePart::Plain,
            };
            self.tokens.push((word, *token, part));
        }
        let first_joined = self.joined.len();
        self.join();
        let range = |start: usize, end: usize| {
            (u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX))
        };
        row.slots = range(start, self.tokens.len());
        row.joined = range(first_joined, self.joined.len());
        self.rows.push(row);
        self.tokens[start..].iter().map(|(word, ..)| *word).collect()
    }

    /// Joins neighbours as the list writes the name, and a person's last given name with the surname, which follows it
    /// in natural order.
    fn join(&mut self) {
        let words = self.parsed.len();
        for length in [2, 3] {
            for start in 0..(words + 1).saturating_sub(length) {
                self.join_parts(start..start + length, 0..0);
            }
        }
        let surnames = self.reading.comma.filter(|comma| *comma > 0 && *comma < words);
        if let Some(surnames) = surnames {
            self.join_parts(words - 1..words, 0..1);
            if words - surnames >= 2 {
                self.join_parts(words - 2..words, 0..1);
            }
            if surnames >= 2 {
                self.join_parts(words - 1..words, 0..2);
            }
        }
    }

    fn join_parts(&mut self, first: Range<usize>, then: Range<usize>) {
        let parts = || first.clone().chain(then.clone());
        let letters = |at: usize| self.reading.letters(self.parsed[at].forms[0]);
        if joinable(parts().map(letters)) {
            self.scratch.clear();
            parts().for_each(|at| self.scratch.extend_from_slice(letters(at)));
            let word = self.words.word(&self.scratch);
            let listed = parts().fold(0, |mask, at| mask | 1 << at);
            self.joined.push(JoinedWords { word, listed, bits: 0.0 });
        }
    }

    pub(super) fn finish(mut self, entries: u32, flat: bool) -> Index {
        let vocabulary = self.words.finish();
        let variants = self.miner.finish(&vocabulary);
        let mut numbers = self.numbers;
        numbers.sort_unstable();
        self.country_starts.push(u32::try_from(self.countries.len()).unwrap_or(u32::MAX));
        let mut index = Index {
            variants,
            families: self.rows.iter().map(|row| row.family).collect(),
            rows: self.rows,
            slots: Vec::with_capacity(self.tokens.len()),
            joined: self.joined,
            starts: Vec::new(),
            postings: Vec::new(),
            numbers,
            countries: self.countries,
            country_starts: self.country_starts,
            texts: Vec::new(),
            entries,
            flat,
            is_joined: Vec::new(),
            vocabulary,
        };
        index.is_joined = vec![false; index.vocabulary.len() as usize];
        for joined in &index.joined {
            index.is_joined[joined.word as usize] = true;
        }
        let mut slots = Vec::with_capacity(self.tokens.len());
        for row in &index.rows {
            let tokens = &self.tokens[row.slots.0 as usize..row.slots.1 as usize];
            let first = slots.len();
            slots.extend(
                tokens.iter().map(|(word, token, part)| slot(&index, *word, token, *part, row.family)),
            );
            if slots[first..].iter().all(|slot| slot.part == NamePart::Light) {
                promote(tokens, row.family, &mut slots[first..]);
            }
        }
        for row in &index.rows {
            let slots = &slots[row.slots.0 as usize..row.slots.1 as usize];
            for joined in &mut index.joined[row.joined.0 as usize..row.joined.1 as usize] {
                let parts = slots.iter().enumerate().filter(|(at, _)| joined.listed >> at & 1 == 1);
                let parts = parts.map(|(_, slot)| slot.bits).sum();
                joined.bits = frequency::joined_bits(index.vocabulary.shape(joined.word).letters, parts);
            }
        }
        for row in &mut index.rows {
            let slots = &slots[row.slots.0 as usize..row.slots.1 as usize];
            row.weight =
                slots.iter().filter(|slot| slot.part != NamePart::Light).map(|slot| slot.weight).sum();
        }
        index.slots = slots;
        index.post();
        index
    }
}

/// Tests that the word can be the first given name: no particle and no mere title.
fn may_be_given(token: &Token) -> bool {
    matches!(token.senses.person, None | Some(Sense::HonorificOrName))
}

/// Tests that neighbours are joined: two always, three where one of them is short, as particles and syllables are.
pub(crate) fn joinable<'w>(parts: impl Iterator<Item = &'w [u8]> + Clone) -> bool {
    let letters: usize = parts.clone().map(<[u8]>::len).sum();
    let short = parts.clone().any(|part| part.len() <= 3);
    letters <= LONGEST_JOINED && (parts.count() == 2 || short)
}

fn slot(index: &Index, word: WordId, token: &Token, part: NamePart, family: Family) -> ListedWord {
    let rarity = index.rarity(Some(word));
    let weight = match token.senses.person {
        // Where the list says that it is the surname, it is no title.
        Some(Sense::HonorificOrName) if part == NamePart::Surname => weight::core(family, rarity),
        _ => weight::of(token, family, rarity),
    };
    let part = if family == Family::Person && token.initial { NamePart::Initial } else { part };
    let letters = index.vocabulary.shape(word).letters;
    ListedWord {
        word,
        weight: weight.weight,
        rarity,
        bits: frequency::bits(letters),
        part: if weight.core || part == NamePart::Initial { part } else { NamePart::Light },
        first: letters.first().copied().filter(|_| !is_abjad(letters)).unwrap_or(0),
        initial: token.initial,
        legal: matches!(token.senses.within(family), Some(Sense::Legal(_))),
        script: token.script,
    }
}

/// A name of nothing but particles, titles and noise is what it says; of a legal form alone, it is nothing.
fn promote(tokens: &[(WordId, Token, NamePart)], family: Family, slots: &mut [ListedWord]) {
    for ((_, token, part), slot) in tokens.iter().zip(slots) {
        if !matches!(token.senses.within(family), Some(Sense::Legal(_))) {
            slot.weight = weight::core(family, slot.rarity).weight;
            slot.part = *part;
        }
    }
}

impl Index {
    /// Makes the tables of rows by word and by text.
    fn post(&mut self) {
        let rows = (0..).zip(&self.rows);
        let texts = rows.flat_map(|(at, row)| row.fingerprints.map(|hash| (hash, at)));
        self.texts = texts.filter(|(hash, _)| *hash != 0).collect();
        self.texts.sort_unstable();
        let mut pairs: Vec<(WordId, u32)> = Vec::with_capacity(self.slots.len() + self.joined.len());
        for (at, row) in self.rows.iter().enumerate() {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            pairs.extend(self.slots(row).iter().map(|slot| (slot.word, at)));
            pairs.extend(self.joined(row).iter().map(|joined| (joined.word, at)));
        }
        pairs.sort_unstable();
        self.starts = vec![0; self.vocabulary.len() as usize + 1];
        for (word, _) in &pairs {
            self.starts[*word as usize + 1] += 1;
        }
        for at in 1..self.starts.len() {
            self.starts[at] += self.starts[at - 1];
        }
        self.postings = pairs.into_iter().map(|(_, row)| row).collect();
    }
}

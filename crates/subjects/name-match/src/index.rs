//! The index of a list's names.

mod build;

pub(super) use build::joinable;

use watchlist::{Entry, List, Quality};

use build::IndexBuilder;

use super::country::Country;
use super::method;
use super::parse::Family;
use super::romanise::is_roman;
use super::script::Script;
use super::variants::Variants;
use super::vocabulary::{Vocabulary, WordId};
use super::weight;
use super::whole::Fingerprints;

/// The part of a listed name that a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamePart {
    /// One of a person's surnames.
    Surname,
    /// A person's first given name.
    Given,
    /// A person's further given name or patronymic.
    Middle,
    /// A person's name of which the list has only the initial.
    Initial,
    /// A word of a name without distinguished parts.
    Plain,
    /// A word with little weight: a particle, a title, a legal form.
    Light,
}

/// A word of a listed name.
#[derive(Clone, Copy, Debug)]
pub struct ListedWord {
    /// Id of the word in the vocabulary.
    pub word: WordId,
    /// Weight of the word in the score, 0 to 1.
    pub weight: f32,
    /// Rarity of the word, 0 to 1.
    pub rarity: f32,
    /// How much the word tells about who bears it, in bits.
    pub bits: f32,
    /// The part of the name that the word is.
    pub part: NamePart,
    /// First letter in ASCII, for the comparison with initials; 0 if it is not a letter.
    pub first: u8,
    /// True for a word of one letter.
    pub initial: bool,
    /// True for a word of an organisation's legal form.
    pub legal: bool,
    /// Script of the word.
    pub script: Script,
}

/// Neighbouring words that are joined to one.
#[derive(Clone, Copy, Debug)]
pub struct JoinedWords {
    /// Id of the joined word in the vocabulary.
    pub word: WordId,
    /// The words that are joined, as a bit set of their positions.
    pub listed: u32,
    /// How much they tell about who bears them, in bits.
    pub bits: f32,
}

/// A listed name in the index.
#[derive(Clone, Copy, Debug)]
pub struct IndexedName {
    /// Index of the entry in the list.
    pub entry: u32,
    /// Index of the name in the entry.
    pub name: u32,
    /// Family of the name.
    pub family: Family,
    /// Quality of the name.
    pub quality: Quality,
    /// Fingerprints of the text, for the comparison of names as a whole.
    pub fingerprints: Fingerprints,
    /// Number of initials.
    pub initials: u8,
    /// Sum of the weights of the words other than particles, titles and legal forms.
    pub weight: f32,
    slots: (u32, u32),
    joined: (u32, u32),
}

/// The index of a list's names, built once and used for many screens.
#[derive(Debug)]
pub struct Index {
    pub(super) vocabulary: Vocabulary,
    pub(super) variants: Variants,
    pub(super) rows: Vec<IndexedName>,
    /// The rows' families by themselves, which is all that most look-ups need of them.
    pub(super) families: Vec<Family>,
    slots: Vec<ListedWord>,
    joined: Vec<JoinedWords>,
    /// For each word, where its rows begin in `postings`.
    starts: Vec<u32>,
    postings: Vec<u32>,
    /// Identification numbers, IMO numbers among them, and their entries; sorted.
    pub(super) numbers: Vec<(Box<str>, u32)>,
    /// The entries' countries, those that are not known as `None`, and where each entry's begin.
    pub(super) countries: Vec<Option<Country>>,
    pub(super) country_starts: Vec<u32>,
    /// Fingerprints and the rows that have them; sorted.
    pub(super) texts: Vec<(u64, u32)>,
    pub(super) entries: u32,
    flat: bool,
    /// Set for words that come from joining neighbours.
    is_joined: Vec<bool>,
}

impl Index {
    /// Builds the index of a list.
    pub fn build(list: &List) -> Self {
        Self::of(&list.entries, false)
    }

    /// The index of those entries; `flat` where rarity is to be taken from no list.
    pub(super) fn of(entries: &[Entry], flat: bool) -> Self {
        let mut maker = IndexBuilder::default();
        for (at, entry) in entries.iter().enumerate() {
            maker.entry(u32::try_from(at).unwrap_or(u32::MAX), entry);
        }
        maker.finish(u32::try_from(entries.len()).unwrap_or(u32::MAX), flat)
    }

    /// Returns the words of a listed name.
    pub fn slots(&self, row: &IndexedName) -> &[ListedWord] {
        &self.slots[row.slots.0 as usize..row.slots.1 as usize]
    }

    /// Returns the joined neighbours of a listed name.
    pub fn joined(&self, row: &IndexedName) -> &[JoinedWords] {
        &self.joined[row.joined.0 as usize..row.joined.1 as usize]
    }

    /// The countries of an entry.
    pub(super) fn countries_of(&self, entry: u32) -> &[Option<Country>] {
        let at = entry as usize;
        &self.countries[self.country_starts[at] as usize..self.country_starts[at + 1] as usize]
    }

    /// Returns the positions of the names that have a word, by itself or joined.
    pub fn rows_of(&self, word: WordId) -> &[u32] {
        let at = word as usize;
        &self.postings[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// The most that a word counts in a name of each family.
    pub(super) fn most(&self, word: WordId) -> [f32; 3] {
        if self.is_joined(word) {
            return [method::MOST_JOINED; 3];
        }
        let letters = self.vocabulary.shape(word).letters;
        if letters.iter().any(u8::is_ascii_digit) || is_roman(letters) {
            return [1.0; 3];
        }
        Family::ALL.map(|family| weight::core(family, self.rarity(Some(word))).weight)
    }

    /// Tests that a word comes from joining neighbours.
    fn is_joined(&self, word: WordId) -> bool {
        self.is_joined[word as usize]
    }

    /// Returns the rarity of a word among the entries, 0 to 1. `None` stands for a word that the list does not have.
    pub fn rarity(&self, word: Option<WordId>) -> f32 {
        match word {
            _ if self.flat => FLAT_RARITY,
            Some(word) => weight::rarity(self.vocabulary.entries(word), self.entries),
            None => 1.0,
        }
    }
}

/// The rarity of every word where there is no list to take it from.
const FLAT_RARITY: f32 = 0.7;

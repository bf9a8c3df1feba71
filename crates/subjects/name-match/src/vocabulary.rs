//! The words of a list, with search keys for similar words.
//!
//! Every way in which [`similarity`](super::similarity::similarity) takes two words for one has a key here that both
//! have, so that looking up the keys of a word loses nothing against comparing it with every word of the list.

use std::collections::HashMap;

use super::fold::fold;
use super::script::abjad;
use super::similarity::{
    COMMON_PREFIX, FEWEST_CONSONANTS, SHORTEST_EDITED, SHORTEST_EDITED_TWICE, Signature, WordShape, is_abjad,
    is_consonant,
};
use super::word::Span;

/// Id of a word of the vocabulary: its position.
pub type WordId = u32;

/// A word, or several joined.
#[derive(Clone, Copy, Debug, Default)]
struct VocabularyWord {
    letters: Span,
    folded: Span,
    signature: Signature,
    /// Number of entries that have it as one word.
    entries: u32,
    /// The last entry that was counted.
    last_entry: u32,
}

/// All words of a list's names, and all joined neighbours.
#[derive(Debug, Default)]
pub struct Vocabulary {
    text: Vec<u8>,
    units: Vec<VocabularyWord>,
    /// Pairs of a key and a word, sorted.
    keys: Vec<(u32, WordId)>,
    /// Offsets into `keys` by the upper bits of the key.
    directory: Vec<u32>,
}

/// Upper bits of a key by which the directory is made.
const DIRECTORY_BITS: u32 = 20;

/// Collects the words of a vocabulary.
#[derive(Debug, Default)]
pub struct VocabularyBuilder {
    vocabulary: Vocabulary,
    ids: HashMap<Box<[u8]>, WordId>,
    scratch: Vec<u8>,
}

impl VocabularyBuilder {
    /// Returns the id of the word with these letters, and adds it if it is new.
    pub fn word(&mut self, letters: &[u8]) -> WordId {
        if let Some(id) = self.ids.get(letters) {
            return *id;
        }
        let vocabulary = &mut self.vocabulary;
        let id = u32::try_from(vocabulary.units.len()).unwrap_or(u32::MAX);
        fold(letters, &mut self.scratch);
        let mut write = |bytes: &[u8]| {
            let start = vocabulary.text.len();
            vocabulary.text.extend_from_slice(bytes);
            Span::new(start, vocabulary.text.len())
        };
        let (letters_at, folded) = (write(letters), write(&self.scratch));
        let signature = Signature::of(WordShape { letters, folded: &self.scratch });
        vocabulary.units.push(VocabularyWord {
            letters: letters_at,
            folded,
            signature,
            entries: 0,
            last_entry: u32::MAX,
        });
        self.ids.insert(letters.into(), id);
        id
    }

    /// Counts a word for an entry, at most once for each entry.
    pub fn count(&mut self, word: WordId, entry: u32) {
        if let Some(unit) = self.vocabulary.units.get_mut(word as usize)
            && unit.last_entry != entry
        {
            unit.last_entry = entry;
            unit.entries += 1;
        }
    }

    /// Builds the vocabulary with its search keys.
    pub fn finish(self) -> Vocabulary {
        let mut vocabulary = self.vocabulary;
        let mut keys = Vec::with_capacity(vocabulary.units.len() * 12);
        let mut scratch = Vec::new();
        for id in 0..vocabulary.len() {
            let single = vocabulary.entries(id) > 0;
            vocabulary_keys(vocabulary.shape(id), single, &mut scratch, &mut |key| keys.push((key, id)));
        }
        keys.sort_unstable();
        keys.dedup();
        let mut directory = vec![0_u32; (1 << DIRECTORY_BITS) + 1];
        for (key, _) in &keys {
            directory[(key >> (32 - DIRECTORY_BITS)) as usize + 1] += 1;
        }
        for at in 1..directory.len() {
            directory[at] += directory[at - 1];
        }
        keys.shrink_to_fit();
        vocabulary.keys = keys;
        vocabulary.directory = directory;
        vocabulary
    }
}

impl Vocabulary {
    /// Returns the number of words.
    pub fn len(&self) -> u32 {
        u32::try_from(self.units.len()).unwrap_or(u32::MAX)
    }

    /// Returns the letters and the folded form of a word.
    pub fn shape(&self, word: WordId) -> WordShape<'_> {
        let unit = self.units.get(word as usize).copied().unwrap_or_default();
        WordShape { letters: &self.text[unit.letters.range()], folded: &self.text[unit.folded.range()] }
    }

    /// Returns the signature of a word.
    pub fn signature(&self, word: WordId) -> Signature {
        self.units.get(word as usize).copied().unwrap_or_default().signature
    }

    /// Returns the number of entries that have the word by itself; 0 if it only results from joining.
    pub fn entries(&self, word: WordId) -> u32 {
        self.units.get(word as usize).map_or(0, |unit| unit.entries)
    }

    /// Calls `found` with every word that may be similar to `shape`, with some of them more than once. A joined word
    /// (not `single`) is only looked up by the keys that imply a sufficient similarity.
    pub fn like(
        &self,
        shape: WordShape<'_>,
        single: bool,
        scratch: &mut Vec<u8>,
        mut found: impl FnMut(WordId),
    ) {
        question_keys(shape, single, scratch, &mut |key| self.with_key(key, &mut found));
    }

    /// Calls `found` with every word that may have these letters or fold to the same.
    pub fn spelled(&self, shape: WordShape<'_>, mut found: impl FnMut(WordId)) {
        self.with_key(hash(WordKeyKind::Exact, [shape.letters, b""]), &mut found);
        self.with_key(hash(WordKeyKind::Folded, [shape.folded, b""]), &mut found);
    }

    fn with_key(&self, key: u32, found: &mut impl FnMut(WordId)) {
        let bucket = (key >> (32 - DIRECTORY_BITS)) as usize;
        let (start, end) = (self.directory[bucket] as usize, self.directory[bucket + 1] as usize);
        let bucket = &self.keys[start..end];
        let same = bucket.iter().skip_while(|(other, _)| *other < key).take_while(|(other, _)| *other == key);
        same.for_each(|(_, word)| found(*word));
    }
}

/// The ways to a word.
#[derive(Clone, Copy)]
enum WordKeyKind {
    Exact,
    Edited,
    Folded,
    Consonants,
    Prefix,
    /// Key from a word of an abjad to romanised words.
    Romanised,
    /// Key from a romanised word to words of an abjad.
    Abjad,
}

/// FNV-1a over the way and the bytes, mixed once more.
fn hash(way: WordKeyKind, parts: [&[u8]; 2]) -> u32 {
    let mut hash = 0x811c_9dc5_u32 ^ (way as u32);
    for byte in parts.into_iter().flatten() {
        hash = (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    }
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(0x2c1b_3c6d);
    hash ^ (hash >> 12)
}

fn vocabulary_keys(shape: WordShape<'_>, single: bool, scratch: &mut Vec<u8>, found: &mut impl FnMut(u32)) {
    shared_keys(shape, single, scratch, found);
    let (in_abjad, in_latin) = (WordKeyKind::Abjad, WordKeyKind::Romanised);
    skeleton_keys(shape, if is_abjad(shape.letters) { in_abjad } else { in_latin }, found);
}

fn skeleton_keys(shape: WordShape<'_>, way: WordKeyKind, found: &mut impl FnMut(u32)) {
    if is_abjad(shape.letters) {
        abjad::skeletons(shape.letters, |skeleton| found(hash(way, [&skeleton.to_bytes(), b""])));
        return;
    }
    let [one, other] = abjad::skeletons_of_romanised(shape.letters);
    found(hash(way, [&one.to_bytes(), b""]));
    if other != one {
        found(hash(way, [&other.to_bytes(), b""]));
    }
}

fn question_keys(shape: WordShape<'_>, single: bool, scratch: &mut Vec<u8>, found: &mut impl FnMut(u32)) {
    shared_keys(shape, single, scratch, found);
    let (to_latin, to_abjad) = (WordKeyKind::Romanised, WordKeyKind::Abjad);
    skeleton_keys(shape, if is_abjad(shape.letters) { to_latin } else { to_abjad }, found);
}

/// The keys that a word has on either side.
fn shared_keys(shape: WordShape<'_>, single: bool, scratch: &mut Vec<u8>, found: &mut impl FnMut(u32)) {
    let letters = shape.letters;
    found(hash(WordKeyKind::Exact, [letters, b""]));
    if letters.len() + 1 >= SHORTEST_EDITED {
        deletions(WordKeyKind::Edited, letters, found);
    }
    if is_abjad(letters) {
        return;
    }
    found(hash(WordKeyKind::Folded, [shape.folded, b""]));
    if single && shape.folded.len() + 1 >= SHORTEST_EDITED {
        deletions(WordKeyKind::Folded, shape.folded, found);
    }
    scratch.clear();
    scratch.extend(shape.folded.iter().copied().filter(|letter| is_consonant(*letter)));
    if scratch.len() >= FEWEST_CONSONANTS {
        found(hash(WordKeyKind::Consonants, [scratch, b""]));
    }
    if single && letters.len() >= SHORTEST_EDITED_TWICE {
        found(hash(WordKeyKind::Prefix, [&letters[..COMMON_PREFIX], b""]));
    }
}

/// The word, and the word without each of its letters: two words one edit apart have one of these in common.
fn deletions(way: WordKeyKind, letters: &[u8], found: &mut impl FnMut(u32)) {
    found(hash(way, [letters, b""]));
    for at in 0..letters.len() {
        if at == 0 || letters[at] != letters[at - 1] {
            found(hash(way, [&letters[..at], &letters[at + 1..]]));
        }
    }
}

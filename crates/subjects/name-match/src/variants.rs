//! Spelling variants that the list itself uses for one name.
//!
//! Where two names of one entry differ in one word only, these two words are spellings of one name. A pair that
//! several entries have holds everywhere.

use super::distance::within;
use super::vocabulary::{Vocabulary, WordId};

/// Fewest entries that must have a pair.
const LEAST_ENTRIES: usize = 2;
/// The most names of one entry that are looked at.
const MOST_NAMES: usize = 64;

/// Pairs of spelling variants, in both directions, sorted.
#[derive(Debug, Default)]
pub struct Variants(Vec<(WordId, WordId)>);

/// Collects pairs of spelling variants from the names of a list.
#[derive(Debug, Default)]
pub struct VariantMiner {
    pairs: Vec<(WordId, WordId, u32)>,
}

impl VariantMiner {
    /// Adds the names of one entry, each a list of words in any order.
    pub fn entry(&mut self, entry: u32, names: &[Vec<WordId>]) {
        for (at, one) in names.iter().take(MOST_NAMES).enumerate() {
            for other in names.iter().take(MOST_NAMES).skip(at + 1) {
                if let Some((a, b)) = only_difference(one, other) {
                    self.pairs.push((a.min(b), a.max(b), entry));
                }
            }
        }
    }

    /// Returns the pairs of similar words that occur in enough entries.
    pub fn finish(mut self, vocabulary: &Vocabulary) -> Variants {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let mut variants = Vec::new();
        for group in self.pairs.chunk_by(|one, next| (one.0, one.1) == (next.0, next.1)) {
            let (a, b, _) = group[0];
            if group.len() >= LEAST_ENTRIES && related(vocabulary, a, b) {
                variants.extend([(a, b), (b, a)]);
            }
        }
        variants.sort_unstable();
        Variants(variants)
    }
}

impl Variants {
    /// Returns the other spellings of a word.
    pub fn of(&self, word: WordId) -> impl Iterator<Item = WordId> + '_ {
        let first = self.0.partition_point(|(one, _)| *one < word);
        self.0[first..].iter().take_while(move |(one, _)| *one == word).map(|(_, other)| *other)
    }
}

/// The one word of each that the other does not have.
fn only_difference(one: &[WordId], other: &[WordId]) -> Option<(WordId, WordId)> {
    if one.len() != other.len() || one.len() < 2 {
        return None;
    }
    let mut left: Vec<WordId> = other.to_vec();
    let mut lone = None;
    for word in one {
        if let Some(at) = left.iter().position(|candidate| candidate == word) {
            left.swap_remove(at);
        } else if lone.replace(*word).is_some() {
            return None;
        }
    }
    Some((lone?, *left.first()?))
}

/// Tests that two words may be spellings of one name: half of their letters agree.
fn related(vocabulary: &Vocabulary, a: WordId, b: WordId) -> bool {
    let (a, b) = (vocabulary.shape(a), vocabulary.shape(b));
    let shorter = a.folded.len().min(b.folded.len());
    let most = u32::try_from(shorter / 2).unwrap_or(0);
    a.letters.len() > 2 && b.letters.len() > 2 && within(a.folded, b.folded, most).is_some()
}

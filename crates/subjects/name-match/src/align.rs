//! Alignment: pairs words of the query with words of the listed name.
//!
//! Each word is used at most once. A pair may join neighbours on either side. Of all sets of pairs that do not
//! overlap, the one with the greatest value is taken.

use super::index::{Index, IndexedName, NamePart};
use super::method;
use super::parse::Family;
use super::prepared_query::{PreparedQuery, weight_of};

/// A pair of matching words in an alignment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Words of the query, as a bit set of their positions.
    pub asked: u64,
    /// Words of the listed name, as a bit set of their positions.
    pub listed: u64,
    /// Similarity of the two sides, 0 to 1.
    pub similarity: f32,
    /// Weight of the pair in the score.
    pub weight: f32,
    /// How much the words tell about who bears them, in bits: that of the side which tells less.
    pub bits: f32,
    /// True if one side is only an initial.
    pub initial: bool,
    /// True if words were joined and only sound alike: another cutting of other letters is another name too often.
    pub joined_by_sound: bool,
    value: f32,
}

impl Pair {
    fn overlaps(&self, other: &Self) -> bool {
        self.asked & other.asked != 0 || self.listed & other.listed != 0
    }
}

/// Aligns the words of a query with those of a listed name. Its buffers are reused between calls.
#[derive(Debug, Default)]
pub struct WordAligner {
    candidates: Vec<Pair>,
    /// Values of all candidates from each on.
    rest: Vec<f32>,
    chosen: Vec<usize>,
    best: Vec<usize>,
    best_value: f32,
    steps: u32,
    /// The pairs of the last alignment.
    pub pairs: Vec<Pair>,
}

impl WordAligner {
    /// Aligns a query with a listed name, and stores the result in `pairs`.
    pub fn align(&mut self, index: &Index, question: &PreparedQuery, row: &IndexedName) {
        self.candidates.clear();
        self.collect(index, question, row);
        self.candidates.sort_unstable_by(|a, b| {
            b.value.total_cmp(&a.value).then(a.asked.cmp(&b.asked)).then(a.listed.cmp(&b.listed))
        });
        self.choose();
        self.pairs.clear();
        self.pairs.extend(self.best.iter().map(|at| self.candidates[*at]));
    }

    fn collect(&mut self, index: &Index, question: &PreparedQuery, row: &IndexedName) {
        let slots = index.slots(row);
        for (at, slot) in slots.iter().enumerate() {
            for link in question.links(slot.word) {
                let unit = &question.units[usize::from(link.unit)];
                let light = weight_of(question, row.family, unit.mask) <= method::FREE;
                let least = match (unit.length, light && slot.part != NamePart::Light) {
                    (1, false) => 0.0,
                    (_, false) => joined_least(question, row.family, unit.mask),
                    (_, true) => 1.0,
                };
                if link.similarity >= least {
                    self.add(question, row.family, unit.mask, 1 << at, link.similarity, slot.weight);
                    self.mark(unit.bits.min(slot.bits), unit.length > 1 && link.similarity < 1.0);
                }
            }
        }
        for joined in index.joined(row) {
            for link in question.links(joined.word) {
                let unit = &question.units[usize::from(link.unit)];
                // Cut at other places, not merely spelled otherwise: that the words by themselves tell.
                let recut = unit.length != joined.listed.count_ones() as usize;
                if link.similarity < if recut { method::SAME_JOINED } else { 1.0 } {
                    continue;
                }
                let listed = u64::from(joined.listed);
                let parts = slots.iter().enumerate().filter(|(at, _)| listed >> at & 1 == 1);
                let weight: f32 = parts.map(|(_, slot)| slot.weight).sum();
                let similarity = link.similarity - method::JOINED_PRICE;
                self.add(
                    question,
                    row.family,
                    unit.mask,
                    listed,
                    similarity,
                    weight.min(method::MOST_JOINED),
                );
                self.mark(unit.bits.min(joined.bits), link.similarity < 1.0);
            }
        }
        if row.family == Family::Person {
            self.collect_initials(index, question, row);
        }
    }

    fn collect_initials(&mut self, index: &Index, question: &PreparedQuery, row: &IndexedName) {
        for (at, slot) in index.slots(row).iter().enumerate() {
            for (asked, word) in question.asked.iter().enumerate() {
                if word.token.initial != slot.initial && word.first == slot.first && slot.first != 0 {
                    let weight = slot.weight.min(method::INITIAL_WEIGHT);
                    self.add(question, row.family, 1 << asked, 1 << at, method::INITIAL, weight);
                    if let Some(last) = self.candidates.last_mut() {
                        last.initial = true;
                    }
                }
            }
        }
    }

    fn add(
        &mut self,
        question: &PreparedQuery,
        family: Family,
        asked: u64,
        listed: u64,
        similarity: f32,
        weight: f32,
    ) {
        let own = weight_of(question, family, asked);
        let value = similarity * (weight + own) + method::ANY_PAIR;
        self.candidates.push(Pair {
            asked,
            listed,
            similarity,
            weight,
            initial: false,
            bits: method::INITIAL_BITS,
            joined_by_sound: false,
            value,
        });
    }

    fn mark(&mut self, bits: f32, joined_by_sound: bool) {
        if let Some(last) = self.candidates.last_mut() {
            (last.bits, last.joined_by_sound) = (bits, joined_by_sound);
        }
    }

    /// Branch and bound over the candidates in order; past a number of steps the best found so far stands.
    fn choose(&mut self) {
        self.rest.clear();
        self.rest.resize(self.candidates.len() + 1, 0.0);
        for at in (0..self.candidates.len()).rev() {
            self.rest[at] = self.rest[at + 1] + self.candidates[at].value;
        }
        self.chosen.clear();
        self.best.clear();
        (self.best_value, self.steps) = (0.0, 0);
        self.branch(0, 0, 0, 0.0);
    }

    fn branch(&mut self, from: usize, asked: u64, listed: u64, value: f32) {
        self.steps += 1;
        let free = |pair: &Pair| pair.asked & asked == 0 && pair.listed & listed == 0;
        let Some(at) = (from..self.candidates.len()).find(|at| free(&self.candidates[*at])) else {
            if value > self.best_value {
                self.best_value = value;
                self.best.clone_from(&self.chosen);
            }
            return;
        };
        let pair = self.candidates[at];
        self.chosen.push(at);
        self.branch(at + 1, asked | pair.asked, listed | pair.listed, value + pair.value);
        self.chosen.pop();
        let contested = self.candidates[at + 1..].iter().any(|other| free(other) && other.overlaps(&pair));
        if contested && self.steps < method::MOST_STEPS && value + self.rest[at + 1] > self.best_value {
            self.branch(at + 1, asked, listed, value);
        }
    }
}

/// Least similarity of joined words of the query to a listed word. It is higher where they hold a legal form, noise or
/// a single letter.
fn joined_least(question: &PreparedQuery, family: Family, mut mask: u64) -> f32 {
    while mask != 0 {
        let asked = &question.asked[mask.trailing_zeros() as usize];
        if asked.token.initial || asked.weights[family as usize].weight <= method::NOTHING {
            return method::SAME_SPELLING;
        }
        mask &= mask - 1;
    }
    method::SAME_JOINED
}

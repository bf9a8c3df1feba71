//! Candidates: the listed names that may match the query.
//!
//! A name that shares no word with the question, or too little of it, is passed over unscored. The bound by which that
//! is decided is never below the score, so that nothing is lost.

use super::Scratch;
use crate::index::Index;
use crate::method;
use crate::parse::Family;
use crate::prepared_query::PreparedQuery;

/// Bound on a listed name's score, from the words that the query may share with it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CandidateBound {
    /// The round in which it was met.
    pub(super) round: u32,
    /// The words of the question that it may have.
    asked: u64,
    /// The most that its words weigh which the question may have.
    covered: f32,
    /// Sum of these weights, each times its similarity.
    matched: f32,
    /// The bound on its score that follows.
    pub(super) best: f32,
}
impl Index {
    /// Notes for each row what it may have of the question.
    pub(super) fn gather(&self, scratch: &mut Scratch) {
        if scratch.rows.len() != self.rows.len() || scratch.round == u32::MAX {
            scratch.rows = vec![CandidateBound::default(); self.rows.len()];
            scratch.round = 0;
        }
        scratch.round += 1;
        scratch.met.clear();
        let question = &scratch.question;
        for word in question.linked() {
            let (mut mask, mut similarity) = (0, 0.0_f32);
            for link in question.links(*word) {
                mask |= question.units[usize::from(link.unit)].mask;
                similarity = similarity.max(link.similarity);
            }
            let counts = question.free.map(|free| mask & !free != 0);
            if counts == [false; 3] {
                continue;
            }
            let weights = self.most(*word);
            for row in self.rows_of(*word) {
                let family = self.families[*row as usize] as usize;
                if !counts[family] {
                    continue;
                }
                let seen = &mut scratch.rows[*row as usize];
                if seen.round != scratch.round {
                    *seen = CandidateBound { round: scratch.round, ..CandidateBound::default() };
                    scratch.met.push(*row);
                }
                let weight = weights[family];
                seen.asked |= mask;
                seen.covered += weight;
                seen.matched += weight * similarity;
            }
        }
    }

    /// A bound on the score of a row.
    pub(super) fn best_possible(&self, question: &PreparedQuery, row: usize, seen: &CandidateBound) -> f32 {
        let row = &self.rows[row];
        let family = row.family as usize;
        let all_free = question.free[family];
        let (mut asked_most, mut free, mut left) = (0.0, 0.0, 0.0);
        for (at, asked) in question.asked.iter().enumerate() {
            if all_free >> at & 1 == 1 {
                free += asked.most[family];
            } else if seen.asked >> at & 1 == 1 {
                asked_most += asked.most[family];
            } else {
                left += asked.left[family];
            }
        }
        let initials = if row.family == Family::Person { f32::from(row.initials) } else { 0.0 };
        if initials > 0.0 {
            left = 0.0;
        }
        let most = asked_most.min(seen.matched) + free + initials * method::INITIAL_WEIGHT;
        let has_two = (seen.asked | all_free).count_ones() >= 2;
        let (price, listed_price) = match row.family {
            Family::Person if has_two => (method::UNMATCHED_EXTRA, 0.0),
            Family::Person => (method::UNMATCHED_QUERY, 0.0),
            Family::Entity | Family::Craft if has_two => {
                (method::UNMATCHED_ENTITY_EXTRA, method::UNMATCHED_ENTITY)
            }
            Family::Entity | Family::Craft => (method::UNMATCHED_QUERY, method::UNMATCHED_ENTITY),
        };
        let unmatched_listed_words = (row.weight - seen.covered - free).max(0.0);
        let best =
            method::NAMES_ALONE * (most / (most + price * left + listed_price * unmatched_listed_words));
        // All of the name may stand in the question: joined words count for at least half of what they are.
        let words = (seen.asked & !all_free).count_ones();
        let may_hold = words >= 2 && seen.covered + free + method::FREE >= row.weight / 2.0;
        if may_hold { best.max(method::CONTAINED) } else { best }
    }
}

//! Score: the similarity of a query's name and a listed name.

use super::align::WordAligner;
use super::index::{Index, IndexedName, ListedWord, NamePart};
use super::method;
use super::parse::Family;
use super::prepared_query::{PreparedQuery, weight_of};
use super::whole;

/// Sums that a score is computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreSums {
    /// Sum of the weights of the words with a partner, each times its similarity.
    pub matched_similarity: f32,
    /// Sum of the weights of the words with a partner.
    pub matched_words: f32,
    /// Sum of the weights of the query's words without a partner.
    pub unmatched_query_words: f32,
    /// Cost of the listed words without a partner.
    pub unmatched_listed_words: f32,
    /// Sum of the weights of the listed words without a partner.
    pub unmatched_listed_weight: f32,
    /// Rarity of the matched words.
    pub rarity: f32,
    /// True if a word other than a particle or an initial has a partner.
    pub carried: bool,
    /// Number of words with a partner, without particles and initials.
    pub words: u32,
    /// Minimum similarity of any pair.
    pub least: f32,
    /// True if all pairs are the same names, in the same or another common spelling.
    pub same: bool,
    /// True if both names are compared as a whole and have the same text.
    pub same_text: bool,
    /// True for a person's name.
    pub person: bool,
    /// True if the words have the same order.
    pub in_order: bool,
    /// True if the query contains the whole listed name, with its words next to each other.
    pub contained: bool,
}

/// Computes the sums of an alignment.
pub fn tally(
    index: &Index,
    question: &PreparedQuery,
    row: &IndexedName,
    alignment: &WordAligner,
) -> ScoreSums {
    let slots = index.slots(row);
    let person = row.family == Family::Person;
    let mut tally = ScoreSums { in_order: true, same: true, least: 1.0, person, ..ScoreSums::default() };
    let (mut asked, mut listed) = (0_u64, 0_u64);
    for pair in &alignment.pairs {
        tally.matched_similarity += pair.weight * pair.similarity;
        tally.matched_words += pair.weight;
        asked |= pair.asked;
        listed |= pair.listed;
        let first = slots[pair.listed.trailing_zeros() as usize];
        if !pair.initial {
            tally.rarity += rarity(slots, pair.listed) * pair.similarity;
            let asked_core = pair.asked & !question.free[row.family as usize] != 0;
            let core = asked_core
                && ((first.part != NamePart::Light && !first.initial) || pair.listed.count_ones() > 1);
            tally.carried |= core;
            tally.words += if core { pair.asked.count_ones().min(pair.listed.count_ones()) } else { 0 };
        }
        tally.least = tally.least.min(pair.similarity);
        tally.same &= pair.similarity >= method::SAME_NAME || pair.weight <= method::FREE;
        tally.in_order &= !alignment.pairs.iter().any(|other| {
            (other.asked < pair.asked) != (other.listed < pair.listed) && other.asked != pair.asked
        });
    }
    let all = (1_u64 << question.asked.len()) - 1;
    let together = weight_of(question, row.family, between(asked) & !asked) <= method::FREE;
    tally.unmatched_query_words = left(question, row.family, all & !asked);
    let surname_met =
        slots.iter().enumerate().any(|(at, slot)| slot.part == NamePart::Surname && listed >> at & 1 == 1);
    let mut middle = 0.0_f32;
    for (_, slot) in slots.iter().enumerate().filter(|(at, _)| listed >> at & 1 == 0) {
        let cost = slot.weight * price(row.family, slot.part, surname_met);
        if slot.part == NamePart::Middle {
            middle += cost;
        } else {
            tally.unmatched_listed_words += cost;
        }
        tally.unmatched_listed_weight += if slot.part == NamePart::Light { 0.0 } else { slot.weight };
    }
    tally.unmatched_listed_words += middle.min(method::MOST_MIDDLE);
    tally.same_text = whole::agree(row.fingerprints, question.fingerprints[row.family as usize]);
    // A single word that is only spelled alike is another name too often.
    tally.same &= tally.words > 1 || tally.least >= method::SAME_LONE;
    tally.contained = tally.same
        && tally.words >= 2
        && together
        && tally.unmatched_listed_weight <= method::FREE
        && tally.rarity >= method::CONTAINED_RARITY;
    tally.same |= tally.same_text;
    tally
}

/// The bits from the lowest to the highest of some.
fn between(mask: u64) -> u64 {
    let (low, high) = (mask.trailing_zeros(), mask.leading_zeros());
    if mask == 0 { 0 } else { (u64::MAX << low) & (u64::MAX >> high) }
}

/// Weight of the query's words without a partner. A repeated word counts next to nothing.
fn left(question: &PreparedQuery, family: Family, mask: u64) -> f32 {
    let left = question.asked.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
    left.fold(0.0, |sum, (_, asked)| sum + asked.left[family as usize])
}

fn rarity(slots: &[ListedWord], mask: u64) -> f32 {
    let met =
        slots.iter().enumerate().filter(|(at, slot)| mask >> at & 1 == 1 && slot.part != NamePart::Light);
    met.fold(0.0, |sum, (_, slot)| sum + slot.rarity)
}

fn price(family: Family, part: NamePart, surname_met: bool) -> f32 {
    match (family, part) {
        (_, NamePart::Light) => method::UNMATCHED_LIGHT,
        (Family::Entity | Family::Craft, _) => method::UNMATCHED_ENTITY,
        (_, NamePart::Surname) if surname_met => method::UNMATCHED_SURNAME_PART,
        (_, NamePart::Surname) => method::UNMATCHED_SURNAME,
        (_, NamePart::Given) => method::UNMATCHED_GIVEN,
        (_, NamePart::Middle | NamePart::Initial) => method::UNMATCHED_MIDDLE,
        (_, NamePart::Plain) => method::UNMATCHED_PART,
    }
}

/// Computes the score of the names without facts, 0 to [`method::NAMES_ALONE`].
pub fn of(tally: &ScoreSums) -> f32 {
    if tally.same_text {
        return method::NAMES_ALONE;
    }
    if !tally.carried || tally.matched_words <= 0.0 {
        return 0.0;
    }
    let missing = (1.0 - tally.rarity / method::RARITY_WANTED).max(0.0);
    let dearer = 1.0 + method::RARITY_PRICE * missing;
    let contradiction = tally.unmatched_query_words.min(tally.unmatched_listed_weight);
    // A fuller name than the list has is still that name, where nothing of the list's is missing.
    let fuller = tally.person && tally.words >= 2 && tally.unmatched_listed_weight <= method::FREE;
    let question_price = if fuller { method::UNMATCHED_EXTRA } else { method::UNMATCHED_QUERY };
    let left = question_price * tally.unmatched_query_words
        + dearer * tally.unmatched_listed_words
        + method::CONTRADICTION * contradiction;
    let order = if tally.in_order { 1.0 } else { method::OUT_OF_ORDER };
    let common = 1.0 - method::COMMON_PRICE * missing;
    let lone = if tally.words == 1 { method::LONE_PRICE * (1.0 - tally.least) } else { 0.0 };
    let score = method::NAMES_ALONE
        * (tally.matched_similarity / (tally.matched_words + left) * order * common - lone).max(0.0);
    // What is put around a listed name does not hide it.
    if tally.contained { score.max(method::CONTAINED) } else { score }
}

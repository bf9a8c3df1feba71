//! Score: the similarity of a query's name and a listed name.

use super::align::{Pair, WordAligner};
use super::index::{Index, IndexedName, ListedWord, NamePart};
use super::lexicon::Sense;
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
    /// How much the matched words tell about who bears them, in bits.
    pub bits: f32,
    /// True if words were joined that only sound alike.
    pub joined_by_sound: bool,
    /// True if all pairs are the same names, in the same or another common spelling.
    pub same: bool,
    /// True if the names have the same words but for legal forms, each in the same letters and script. Only titles and
    /// the like may be left over in the query.
    pub verbatim: bool,
    /// The same, but that the words may be cut otherwise (`Alzawahiri`, `Al Zawahiri`), and words may be said twice.
    pub spelled: bool,
    /// True if the names have the same words of legal forms, or none.
    pub same_form: bool,
    /// Rarity of the rarest word that matches.
    pub rarest: f32,
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
    let mut tally = ScoreSums {
        in_order: true,
        same: true,
        verbatim: true,
        spelled: true,
        same_form: true,
        least: 1.0,
        person,
        ..ScoreSums::default()
    };
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
            tally.bits += if core { pair.bits * pair.similarity * pair.similarity } else { 0.0 };
            tally.words += if core { pair.asked.count_ones().min(pair.listed.count_ones()) } else { 0 };
        }
        tally.bits += if pair.initial { pair.bits } else { 0.0 };
        tally.joined_by_sound |= pair.joined_by_sound;
        let is_spelled = is_spelled(question, slots, pair);
        let is_verbatim = is_spelled && is_cut_alike(question, slots, pair);
        tally.same_form &= is_verbatim || !first.legal;
        tally.verbatim &= is_verbatim || first.legal;
        tally.spelled &= is_spelled || first.legal;
        tally.rarest = tally.rarest.max(if pair.similarity >= 1.0 { first.rarity } else { 0.0 });
        tally.least = tally.least.min(pair.similarity);
        let is_same = pair.similarity >= method::SAME_NAME && !pair.joined_by_sound;
        tally.same &= is_same || pair.weight <= method::FREE;
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
    for (_, slot) in slots.iter().enumerate().filter(|(at, _)| listed >> at & 1 == 0) {
        tally.same_form &= !slot.legal;
        tally.verbatim &= slot.legal;
        tally.spelled &= slot.legal;
    }
    for left in question.asked.iter().enumerate().filter(|(at, _)| (all & !asked) >> at & 1 == 1) {
        match left.1.token.senses.within(row.family) {
            Some(Sense::Legal(_)) => tally.same_form = false,
            Some(Sense::Honorific | Sense::ShipPrefix | Sense::Noise) => {}
            _ => {
                tally.verbatim = false;
                // A word that is said twice or says nothing makes it no other name.
                tally.spelled &= left.1.left[row.family as usize] <= method::FREE;
            }
        }
    }
    tally.same_text = whole::agree(row.fingerprints, question.fingerprints[row.family as usize]);
    // A single word that is only spelled alike is another name too often.
    tally.same &= tally.words > 1 || tally.least >= method::SAME_LONE;
    tally.contained = tally.same
        && tally.words >= 2
        && together
        && tally.unmatched_listed_weight <= method::FREE
        && tally.rarity >= method::CONTAINED_RARITY
        && (!person || tally.bits >= method::BITS_CONTAINED);
    tally.same |= tally.same_text;
    tally.verbatim |= tally.same_text;
    tally.spelled |= tally.same_text;
    tally.same_form |= tally.same_text;
    tally
}

/// Tests that the words of a pair are cut alike. Single letters are one cutting however they are set (`S.A.`, `SA`).
fn is_cut_alike(question: &PreparedQuery, slots: &[ListedWord], pair: &Pair) -> bool {
    let asked = || question.asked.iter().enumerate().filter(|(at, _)| pair.asked >> at & 1 == 1);
    let listed = || slots.iter().enumerate().filter(|(at, _)| pair.listed >> at & 1 == 1);
    pair.asked.count_ones() == pair.listed.count_ones()
        || (pair.asked.is_power_of_two() || asked().all(|(_, word)| word.token.initial))
            && (pair.listed.is_power_of_two() || listed().all(|(_, slot)| slot.initial))
}

/// Tests that the words of a pair have the same letters in the same script, however they are cut.
fn is_spelled(question: &PreparedQuery, slots: &[ListedWord], pair: &Pair) -> bool {
    let asked = || question.asked.iter().enumerate().filter(|(at, _)| pair.asked >> at & 1 == 1);
    let mut listed = slots.iter().enumerate().filter(|(at, _)| pair.listed >> at & 1 == 1);
    let script = listed.next().map(|(_, slot)| slot.script);
    // Who writes digits for letters means the letters.
    let is_disguised = pair.similarity >= method::DISGUISED && asked().any(|(_, word)| word.token.disguised);
    (pair.similarity >= 1.0 - method::JOINED_PRICE || is_disguised)
        && !pair.joined_by_sound
        && asked().all(|(_, word)| Some(word.token.script) == script)
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
    let fuller = tally.words >= 2 && tally.unmatched_listed_weight <= method::FREE;
    let question_price = match (fuller, tally.person) {
        (true, true) => method::UNMATCHED_EXTRA,
        (true, false) => method::UNMATCHED_ENTITY_EXTRA,
        (false, _) => method::UNMATCHED_QUERY,
    };
    let left = question_price * tally.unmatched_query_words
        + dearer * tally.unmatched_listed_words
        + method::CONTRADICTION * contradiction;
    let order = if tally.in_order { 1.0 } else { method::OUT_OF_ORDER };
    let common = 1.0 - method::COMMON_PRICE * missing;
    let lone = if tally.words == 1 { method::LONE_PRICE * (1.0 - tally.least) } else { 0.0 };
    let alike = tally.matched_similarity / (tally.matched_words + left) * order * common;
    let score = method::NAMES_ALONE * (alike - lone - namesakes(tally)).max(0.0);
    // What is put around a listed name does not hide it.
    if tally.contained { score.max(method::CONTAINED) } else { score }
}

/// The price of how many people have as much of a name as matches. The whole of a name in the letters of the list has
/// none: it is the name.
fn namesakes(tally: &ScoreSums) -> f32 {
    let is_within = tally.unmatched_query_words > method::FREE || tally.joined_by_sound;
    let is_whole = tally.same && !is_within && tally.unmatched_listed_weight <= method::FREE;
    if !tally.person || is_whole {
        return 0.0;
    }
    let wanted = if is_within { method::BITS_WANTED_WITHIN } else { method::BITS_WANTED };
    method::BIT_PRICE * (wanted - tally.bits).max(0.0)
}

//! Screening of a name against a list.

mod candidates;
mod explain;

use watchlist::{EntityKind, Entry, List, Quality};

use super::align::WordAligner;
use super::country::Country;
use super::facts::{Fact, Facts, ScoreEffect, effects, imo_number, query_numbers};
use super::index::{Index, IndexedName};
use super::method;
use super::parse::{Family, Token};
use super::prepared_query::PreparedQuery;
use super::score::{self, ScoreSums};
use super::segmented_text::{SegmentedText, TextNotes};
use super::whole;
use candidates::CandidateBound;
pub use explain::{AlignedPair, ComparisonSide, IgnoredCategory, IgnoredSpan};

/// A query: a name, and facts about the party.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'q> {
    /// The name of the party.
    pub name: &'q str,
    /// The facts besides the name.
    pub facts: Facts<'q>,
    /// Minimum score of a hit, within [`method::MIN_SCORE`]; [`method::POSSIBLE`] where it is `None`.
    pub min_score: Option<f32>,
}

impl Query<'_> {
    /// Returns the minimum score of a hit.
    fn least(&self) -> f32 {
        let (least, most) = method::MIN_SCORE;
        self.min_score.map_or(method::POSSIBLE, |score| score.clamp(least, most))
    }
}

/// The verdict on a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// No listed name is similar enough.
    NoMatch,
    /// A listed name may be that of the party.
    PossibleMatch,
    /// A listed name is the name of the party.
    Match,
}

/// The result of a screen.
#[derive(Clone, Debug)]
pub struct ScreenResult {
    /// The most serious of the hits' verdicts; [`Verdict::NoMatch`] where there is no hit.
    pub verdict: Verdict,
    /// The score of the best candidate, 0 to 1, even if it is not a hit.
    pub score: f32,
    /// The hits, at most one for each entry, the best first.
    pub hits: Vec<Hit>,
    /// Notes about the text of the query's name.
    pub notes: TextNotes,
}

impl ScreenResult {
    /// Joins the results of two readings of one name: of each entry the better hit, at most `limit` in all.
    fn and(mut self, other: Self, limit: usize) -> Self {
        let order = |a: &Hit, b: &Hit| {
            (b.verdict.cmp(&a.verdict)).then(b.score.total_cmp(&a.score)).then(a.entry.cmp(&b.entry))
        };
        self.hits.extend(other.hits);
        self.hits.sort_by(|a, b| a.entry.cmp(&b.entry).then(order(a, b)));
        self.hits.dedup_by_key(|hit| hit.entry);
        self.hits.sort_by(order);
        self.hits.truncate(limit);
        Self {
            verdict: self.verdict.max(other.verdict),
            score: self.score.max(other.score),
            hits: self.hits,
            notes: self.notes,
        }
    }
}

/// A listed entry that the name may belong to.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The index of the entry in the list, counted from 0.
    pub entry: usize,
    /// The index of the matched name among the entry's names, counted from 0.
    pub name: usize,
    /// The quality of the matched name.
    pub quality: Quality,
    /// The verdict of this hit alone.
    pub verdict: Verdict,
    /// The score with the effects of the facts, 0 to 1.
    pub score: f32,
    /// The score of the names without the facts, 0 to 1.
    pub name_score: f32,
    /// The sums from which the score of the names is computed.
    pub tally: ScoreSums,
    /// The effects of the facts on the score.
    pub effects: Vec<ScoreEffect>,
    /// The pairs of words of the query with words of the listed name.
    pub alignment: Vec<AlignedPair>,
    /// The words of either name that do not identify a party.
    pub ignored_words: Vec<IgnoredSpan>,
}

/// The buffers of a screen. One value can be used again for any index.
#[derive(Debug, Default)]
pub struct Scratch {
    question: PreparedQuery,
    alignment: WordAligner,
    /// For each row, what it may have of the question.
    rows: Vec<CandidateBound>,
    met: Vec<u32>,
    round: u32,
    found: Vec<Candidate>,
    /// A listed name that is explained, and its words.
    listed: SegmentedText,
    listed_tokens: Vec<Token>,
}

/// A row's score.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    row: u32,
    entry: u32,
    score: f32,
    verdict: Verdict,
}

impl Index {
    /// Screens a name against the list from which the index was built. `limit` is the largest number of hits.
    pub fn screen(
        &self,
        list: &List,
        query: &Query<'_>,
        limit: usize,
        scratch: &mut Scratch,
    ) -> ScreenResult {
        self.screen_entries(&list.entries, query, limit, scratch, false)
    }

    /// Brute-force oracle: the index must return every hit that this returns.
    ///
    /// It compares the query with every name of the list and skips only names whose score is 0. It does not use the
    /// index's keys or bounds.
    #[doc(hidden)]
    pub fn screen_every(
        &self,
        list: &List,
        query: &Query<'_>,
        limit: usize,
        scratch: &mut Scratch,
    ) -> ScreenResult {
        self.screen_entries(&list.entries, query, limit, scratch, true)
    }

    pub(super) fn screen_entries(
        &self,
        entries: &[Entry],
        query: &Query<'_>,
        limit: usize,
        scratch: &mut Scratch,
        every: bool,
    ) -> ScreenResult {
        let screened = self.screen_once(entries, query, limit, scratch, false, every);
        if !scratch.question.reading.has_joined {
            return screened;
        }
        // The words of a name may have been joined. Whoever is hit as it stands must hide nobody that is hit when it is cut.
        let cut = self.screen_once(entries, query, limit, scratch, true, every);
        screened.and(cut, limit)
    }

    fn screen_once(
        &self,
        entries: &[Entry],
        query: &Query<'_>,
        limit: usize,
        scratch: &mut Scratch,
        cuts: bool,
        every: bool,
    ) -> ScreenResult {
        scratch.question.ask(self, query.name, cuts, every);
        scratch.found.clear();
        if every {
            let by_number = !query.facts.id_numbers.is_empty() || query.facts.imo.is_some();
            for row in 0..self.rows.len() {
                if by_number || self.has_partner(&scratch.question, &self.rows[row]) {
                    self.consider(entries, query, row, scratch);
                }
            }
        } else {
            self.gather(scratch);
            let mut met = std::mem::take(&mut scratch.met);
            let floor = query.least() - query.facts.most_raise();
            for row in &met {
                let row = *row as usize;
                let seen = &mut scratch.rows[row];
                seen.best = self.best_possible(&scratch.question, row, seen);
                if seen.best >= floor {
                    self.consider(entries, query, row, scratch);
                }
            }
            self.gather_texts(entries, query, scratch);
            if scratch.found.is_empty() {
                self.consider_likeliest(entries, query, &mut met, scratch);
            }
            scratch.met = met;
            self.gather_numbers(entries, query, scratch);
        }
        self.conclude(entries, query, limit, scratch)
    }

    /// Scores the names that might come nearest, where none can be a hit.
    fn consider_likeliest(
        &self,
        entries: &[Entry],
        query: &Query<'_>,
        met: &mut [u32],
        scratch: &mut Scratch,
    ) {
        let order = |a: &u32, b: &u32| {
            let best = |row: &u32| scratch.rows[*row as usize].best;
            best(b).total_cmp(&best(a)).then(a.cmp(b))
        };
        if met.len() > method::LIKELIEST {
            met.select_nth_unstable_by(method::LIKELIEST, order);
        }
        for row in met.iter().take(method::LIKELIEST) {
            self.consider(entries, query, *row as usize, scratch);
        }
    }

    /// Names that are compared as a whole are found by their text.
    fn gather_texts(&self, entries: &[Entry], query: &Query<'_>, scratch: &mut Scratch) {
        let fingerprints = scratch.question.fingerprints;
        for (family, hash) in
            Family::ALL.into_iter().zip(fingerprints).flat_map(|(f, both)| both.map(|h| (f, h)))
        {
            let first = self.texts.partition_point(|(other, _)| *other < hash);
            for (_, row) in self.texts[first..].iter().take_while(|(other, _)| *other == hash) {
                if self.families[*row as usize] == family {
                    self.consider(entries, query, *row as usize, scratch);
                }
            }
        }
    }

    /// Entries that have the very number that was asked for are scored whatever their names.
    fn gather_numbers(&self, entries: &[Entry], query: &Query<'_>, scratch: &mut Scratch) {
        let numbers = query_numbers(query.facts.id_numbers);
        for number in numbers.into_iter().chain(query.facts.imo.map(imo_number)) {
            let first = self.numbers.partition_point(|(other, _)| **other < *number);
            for (_, entry) in self.numbers[first..].iter().take_while(|(other, _)| **other == *number) {
                let rows = self.rows.partition_point(|row| row.entry < *entry);
                let rows = rows..self.rows.partition_point(|row| row.entry <= *entry);
                rows.for_each(|row| self.consider(entries, query, row, scratch));
            }
        }
    }

    /// Tests that the query has a word of the name. Where it has not, no pair carries it, and its [score](score::of) is
    /// 0: initials carry nothing, and a name that is compared as a whole is the same text or another.
    fn has_partner(&self, question: &PreparedQuery, row: &IndexedName) -> bool {
        self.slots(row).iter().any(|slot| question.is_linked(slot.word))
            || self.joined(row).iter().any(|joined| question.is_linked(joined.word))
            || whole::agree(row.fingerprints, question.fingerprints[row.family as usize])
    }

    /// Aligns the question with a row and adds up the pairs.
    fn tally(&self, row: &IndexedName, scratch: &mut Scratch) -> ScoreSums {
        scratch.alignment.align(self, &scratch.question, row);
        score::tally(self, &scratch.question, row, &scratch.alignment)
    }

    /// Scores a row and notes it.
    fn consider(&self, entries: &[Entry], query: &Query<'_>, at: usize, scratch: &mut Scratch) {
        let row = &self.rows[at];
        let tally = self.tally(row, scratch);
        let Some(entry) = entries.get(row.entry as usize) else { return };
        let (score, verdict) = with_facts(query, entry, self.countries_of(row.entry), row, &tally);
        if score <= 0.0 {
            return;
        }
        let row = u32::try_from(at).unwrap_or(u32::MAX);
        scratch.found.push(Candidate { row, entry: self.rows[at].entry, score, verdict });
    }

    fn conclude(
        &self,
        entries: &[Entry],
        query: &Query<'_>,
        limit: usize,
        scratch: &mut Scratch,
    ) -> ScreenResult {
        let order = |a: &Candidate, b: &Candidate| {
            (b.verdict.cmp(&a.verdict)).then(b.score.total_cmp(&a.score)).then(a.row.cmp(&b.row))
        };
        scratch.found.sort_unstable_by(|a, b| a.entry.cmp(&b.entry).then(order(a, b)));
        scratch.found.dedup_by_key(|found| found.entry);
        scratch.found.sort_unstable_by(order);
        let best = scratch.found.iter().map(|found| found.score).max_by(f32::total_cmp);
        let hits = scratch.found.iter().filter(|found| found.verdict > Verdict::NoMatch).take(limit).count();
        let mut screened = ScreenResult {
            verdict: scratch.found.first().map_or(Verdict::NoMatch, |found| found.verdict),
            score: best.unwrap_or(0.0),
            hits: Vec::with_capacity(hits),
            notes: scratch.question.reading.notes,
        };
        for at in 0..hits {
            let found = scratch.found[at];
            screened.hits.push(self.explain(entries, query, found, scratch));
        }
        screened
    }
}

/// The score with the facts, and the verdict.
fn with_facts(
    query: &Query<'_>,
    entry: &Entry,
    countries: &[Option<Country>],
    row: &IndexedName,
    tally: &ScoreSums,
) -> (f32, Verdict) {
    let (least, name_score) = (query.least(), score::of(tally));
    let (mut score, mut number_agrees, mut kind) = (name_score, false, 0.0);
    let (mut bits, mut is_born_otherwise) = (tally.bits, false);
    for effect in effects(&query.facts, entry, countries, name_score) {
        score += effect.change;
        kind += if effect.fact == Fact::Kind { effect.change } else { 0.0 };
        bits += match effect.fact {
            Fact::Birth if effect.agrees => method::BIRTH_BITS,
            Fact::Country if effect.agrees => method::COUNTRY_BITS,
            _ => 0.0,
        };
        is_born_otherwise |= effect.fact == Fact::Birth && !effect.agrees;
        number_agrees |= effect.agrees && matches!(effect.fact, Fact::IdNumber | Fact::Imo);
    }
    // What the name and the facts earn; a hit's least score is given below to what must not be passed over.
    let earned = score;
    let strong = row.quality != Quality::Weak;
    // Contradicting facts are easily made up: they never clear a name that is letter for letter a listed one. And who
    // has a listed party's document is looked at, whatever the name.
    let exact = strong && tally.spelled && tally.same_form && name_score >= method::MATCH;
    // What kind of party it is, is the caller's reading: it alone clears no name of words that are a listed one's.
    let other_kind = strong
        && tally.same
        && tally.words >= 2
        && tally.least >= 1.0 - method::JOINED_PRICE
        && match row.family {
            Family::Person => tally.bits >= method::BITS_WANTED,
            Family::Entity | Family::Craft => tally.rarity >= method::RARITY_WANTED,
        }
        && !is_born_otherwise
        && score - kind >= least;
    if number_agrees || exact || other_kind {
        score = score.max(least);
    } else if name_score <= 0.0 {
        return (0.0, Verdict::NoMatch);
    } else if is_born_otherwise || kind < 0.0 {
        score = score.min(least - CLEARED);
    }
    score = score.clamp(0.0, 1.0);
    let evident = match row.family {
        _ if number_agrees || (tally.verbatim && tally.same_form) => true,
        Family::Person => bits >= method::BITS_OF_MATCH,
        Family::Entity | Family::Craft => {
            tally.rarity >= method::RARITY_WANTED || (tally.verbatim && tally.rarest >= method::RARE_WORD)
        }
    };
    let is_same = tally.same && evident;
    let verdict = if earned >= method::MATCH && score >= method::MATCH && strong && is_same && kind >= 0.0 {
        Verdict::Match
    } else if score >= least {
        Verdict::PossibleMatch
    } else {
        Verdict::NoMatch
    };
    (score, verdict)
}

/// How far below a hit a name stays that a contradicting fact clears.
const CLEARED: f32 = 0.001;

/// Compares two names without a list, so all words count as equally rare.
pub fn compare(asked: &str, listed: &str, kind: EntityKind, scratch: &mut Scratch) -> ScreenResult {
    let entry = Entry::new("0", &watchlist::ListName::new(""), kind, listed);
    let entries = [entry];
    let index = Index::of(&entries, true);
    let facts = Facts { kind: Some(kind), ..Facts::default() };
    index.screen_entries(&entries, &Query { name: asked, facts, min_score: None }, 1, scratch, false)
}

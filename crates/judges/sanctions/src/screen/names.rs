//! A name screened against several lists.

use std::collections::HashSet;

use name_match::{Hit, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use receipt::time::Timestamp;
use verdict::Objection;
use watchlist::Entry;

use super::asked::AskedLists;
use super::dismissal::{DismissalStatus, DismissedEntry};
use super::subject::ScreenSubject;
use crate::live::{LiveList, LiveLists};

/// The verdict on a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NameVerdict {
    /// No listed name is similar.
    NoMatch,
    /// The name may be a listed name.
    PossibleMatch,
    /// The name is a listed name.
    Match,
}

impl From<Verdict> for NameVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::NoMatch => Self::NoMatch,
            Verdict::PossibleMatch => Self::PossibleMatch,
            Verdict::Match => Self::Match,
        }
    }
}

/// Note about the text of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueryNote {
    /// Invisible characters were removed.
    InvisibleCharacters,
    /// Letters of one script stand for letters of another that look alike, or digits for letters; they
    /// were read as these.
    LookAlikeLetters,
    /// Escapes of HTML or of a URL were decoded: `&amp;`, `%20`.
    DecodedEscapes,
    /// The name is longer than what is compared. Such a name is never a `NO_MATCH`.
    Truncated,
}

/// Result of a screen on all lists.
#[derive(Debug)]
pub(crate) struct CombinedScreen<'l> {
    /// The worst verdict of the hits that are not dismissed.
    pub(crate) verdict: NameVerdict,
    pub(crate) score: f32,
    /// The best first, and the dismissed ones last.
    pub(crate) hits: Vec<ScreenHit<'l>>,
    /// What came of each dismissal, in the caller's order.
    pub(crate) dismissed: Vec<DismissedEntry>,
    pub(crate) query_notes: Vec<QueryNote>,
}

/// A hit on one of the lists.
#[derive(Debug)]
pub(crate) struct ScreenHit<'l> {
    pub(crate) list: &'l LiveList,
    pub(crate) hit: Hit,
    /// The verdict of the hit. Only a list of sanctions makes a `MATCH`: other lists do not say that nobody may deal with the
    /// party.
    pub(crate) verdict: NameVerdict,
    /// Position of the name among those of the question, the first being 0.
    pub(crate) name: usize,
    pub(crate) is_dismissed: bool,
    /// Entries of the other lists that are the same party.
    pub(crate) elsewhere: Vec<(&'l LiveList, &'l Entry)>,
    /// Positions of the list among those that were asked, and of the entry in it.
    at: (usize, usize),
}

impl<'l> ScreenHit<'l> {
    /// The entry that is hit.
    pub(crate) fn entry(&self) -> Option<&'l Entry> {
        self.list.indexed.list().entries.get(self.hit.entry)
    }
}

/// Refuses a name of which there is nothing to compare, unless a list has it: `SPC` is an alias of somebody's.
///
/// # Errors
/// The name's, and those of [`AskedLists::new`].
pub(crate) fn refuse_unless_listed(
    live: &LiveLists,
    lists: &[String],
    subject: &ScreenSubject,
    at: Timestamp,
) -> Result<(), Objection> {
    let Some(error) = &subject.unless_listed else { return Ok(()) };
    if live.names().is_empty() {
        return Err(error.clone().into());
    }
    let asked = AskedLists::new(live, lists)?;
    let screening = screen(&asked, subject, 1, at);
    if screening.hits.is_empty() && screening.verdict == NameVerdict::NoMatch {
        return Err(error.clone().into());
    }
    Ok(())
}

/// Screens the names of a party against each of the lists.
pub(crate) fn screen<'l>(
    asked: &'l AskedLists<'_>,
    subject: &ScreenSubject,
    limit: usize,
    at: Timestamp,
) -> CombinedScreen<'l> {
    let mut hits: Vec<ScreenHit<'l>> = Vec::new();
    let mut score = 0.0_f32;
    let mut dismissed: Vec<_> =
        subject.dismissed.iter().map(|dismissal| dismissal.with(DismissalStatus::NoMatch)).collect();
    let (mut invisible, mut look_alike, mut escapes, mut truncated) = (false, false, false, false);
    for (position, list) in asked.lists.iter().enumerate() {
        for (name, query) in subject.queries().enumerate() {
            // As many more as may be dismissed, so that these hide no other.
            let Some(screened) = list.indexed.screen(&query, limit + dismissed.len()) else { continue };
            score = score.max(screened.score);
            invisible |= screened.notes.invisible;
            look_alike |= screened.notes.look_alike;
            escapes |= screened.notes.escapes;
            truncated |= screened.notes.truncated;
            for hit in screened.hits {
                let at = (position, hit.entry);
                let verdict = match NameVerdict::from(hit.verdict) {
                    NameVerdict::Match if !list.topic().is_sanctions() => NameVerdict::PossibleMatch,
                    verdict => verdict,
                };
                let elsewhere = Vec::new();
                hits.push(ScreenHit { list, hit, verdict, name, is_dismissed: false, elsewhere, at });
            }
        }
    }
    for hit in &mut hits {
        hit.is_dismissed = is_dismissed(hit, asked, subject, &mut dismissed, at);
    }
    // A stable sort: what is equal stays in the order of the lists, and of the names.
    hits.sort_by(|one, other| {
        (one.is_dismissed.cmp(&other.is_dismissed))
            .then(other.verdict.cmp(&one.verdict))
            // A list of another topic pushes none of sanctions out of sight.
            .then(other.list.topic().is_sanctions().cmp(&one.list.topic().is_sanctions()))
            .then(other.hit.score.total_cmp(&one.hit.score))
    });
    let mut hits = one_a_party(asked, hits);
    let first = hits.first().filter(|first| !first.is_dismissed);
    let mut verdict = first.map_or(NameVerdict::NoMatch, |first| first.verdict);
    if truncated {
        // Something of the name was not looked at: it may be on a list.
        verdict = verdict.max(NameVerdict::PossibleMatch);
    }
    hits.truncate(limit);
    let notes = [
        (invisible, QueryNote::InvisibleCharacters),
        (look_alike, QueryNote::LookAlikeLetters),
        (escapes, QueryNote::DecodedEscapes),
        (truncated, QueryNote::Truncated),
    ];
    let query_notes = notes.into_iter().filter_map(|(holds, note)| holds.then_some(note)).collect();
    CombinedScreen { verdict, score, hits, dismissed, query_notes }
}

/// Leaves of the hits on one party the first, with the entries of the other lists that are the same party. A dismissed hit
/// stands for no other: each entry is dismissed by itself.
fn one_a_party<'l>(asked: &'l AskedLists<'_>, hits: Vec<ScreenHit<'l>>) -> Vec<ScreenHit<'l>> {
    let mut told: HashSet<(bool, (usize, usize))> = HashSet::new();
    let mut kept = Vec::with_capacity(hits.len());
    for mut hit in hits {
        if !told.insert((hit.is_dismissed, hit.at)) {
            continue;
        }
        for (list, entry) in asked.linked(hit.at.0, hit.at.1) {
            told.insert((hit.is_dismissed, (list, entry)));
            let other = &asked.lists[list];
            hit.elsewhere.extend(other.indexed.list().entries.get(entry).map(|entry| (other, entry)));
        }
        kept.push(hit);
    }
    kept
}

/// Tests that a hit is on a dismissed entry, and notes what came of the dismissals of that entry.
fn is_dismissed(
    hit: &ScreenHit<'_>,
    asked: &AskedLists<'_>,
    subject: &ScreenSubject,
    dismissed: &mut [DismissedEntry],
    at: Timestamp,
) -> bool {
    let Some(entry) = hit.entry() else { return false };
    let mut is_dismissed = false;
    for (dismissal, shown) in subject.dismissed.iter().zip(dismissed) {
        if let Some(status) = dismissal.status(entry, &asked.lists, at) {
            // Of several entries of one key, that which is dismissed is told.
            if shown.status != DismissalStatus::Dismissed {
                shown.status = status;
            }
            is_dismissed |= status == DismissalStatus::Dismissed;
        }
    }
    is_dismissed
}

//! A name screened against several lists.

use name_match::{Hit, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use verdict::FieldError;

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
    /// The name is longer than what is compared. Such a name is never a `NO_MATCH`.
    Truncated,
}

/// Result of a screen on all lists.
#[derive(Debug)]
pub(crate) struct CombinedScreen<'l> {
    pub(crate) verdict: NameVerdict,
    pub(crate) score: f32,
    /// The best first.
    pub(crate) hits: Vec<(&'l LiveList, Hit)>,
    pub(crate) query_notes: Vec<QueryNote>,
}

/// Refuses a name of which there is nothing to compare, unless a list has it: `SPC` is an alias of somebody's.
pub(crate) fn refuse_unless_listed(lists: &LiveLists, subject: &ScreenSubject) -> Result<(), FieldError> {
    let Some(error) = &subject.unless_listed else { return Ok(()) };
    match screen(lists.names(), subject, 1).verdict {
        NameVerdict::NoMatch => Err(error.clone()),
        NameVerdict::PossibleMatch | NameVerdict::Match => Ok(()),
    }
}

/// Screens a name against each of the lists.
pub(crate) fn screen<'l>(lists: &'l [LiveList], subject: &ScreenSubject, limit: usize) -> CombinedScreen<'l> {
    let mut screening = CombinedScreen {
        verdict: NameVerdict::NoMatch,
        score: 0.0,
        hits: Vec::new(),
        query_notes: Vec::new(),
    };
    let (mut invisible, mut look_alike, mut truncated) = (false, false, false);
    for list in lists {
        let Some(screened) = list.indexed.screen(&subject.query(), limit) else { continue };
        screening.verdict = screening.verdict.max(screened.verdict.into());
        screening.score = screening.score.max(screened.score);
        invisible |= screened.notes.invisible;
        look_alike |= screened.notes.look_alike;
        truncated |= screened.notes.truncated;
        screening.hits.extend(screened.hits.into_iter().map(|hit| (list, hit)));
    }
    // A stable sort: what is equal stays in the order of the lists.
    screening.hits.sort_by(|(_, one), (_, other)| {
        other.verdict.cmp(&one.verdict).then(other.score.total_cmp(&one.score))
    });
    screening.hits.truncate(limit);
    let notes = [
        (invisible, QueryNote::InvisibleCharacters),
        (look_alike, QueryNote::LookAlikeLetters),
        (truncated, QueryNote::Truncated),
    ];
    screening.query_notes.extend(notes.into_iter().filter_map(|(holds, note)| holds.then_some(note)));
    if truncated {
        // Something of the name was not looked at: it may be on a list.
        screening.verdict = screening.verdict.max(NameVerdict::PossibleMatch);
    }
    screening
}

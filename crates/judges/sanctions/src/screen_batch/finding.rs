//! The finding, member by member as it stands in the receipt.

use std::borrow::Cow;

use name_match::method;
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use watchlist::Topic;

use crate::screen::{
    AskedLists, CombinedScreen, DismissedEntry, ListEvidence, NameVerdict, QueryNote, ScreenEvidence,
    ScreenHit, ScreenSubject, ScreenedList, named_lists, rounded, screen,
};
use crate::screen_entity::{MatchedName, matched_name, query_name};

/// Name and version of the rules in this module. The finding names the rules of the name comparison separately.
pub const METHOD: &str = "screen-batch/3";

const SCOPE: &str = "A screen of each name against the snapshots of the sanctions lists named here: it says which \
    listed name is most like it, and does not say that a party is the listed one, that it is on no list under another \
    name, or who owns it.";

/// The finding of `POST /screen-batch`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct BatchFinding {
    /// The worst of the entities' verdicts.
    pub verdict: NameVerdict,
    /// Numbers of entities by verdict.
    pub counts: VerdictCounts,
    /// Result of each entity, in the caller's order.
    pub results: Vec<EntityResult>,
    /// All lists that were screened.
    pub lists: Vec<ScreenedList>,
    /// Evidence: the time of the screen and the snapshots.
    pub evidence: ScreenEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// Scope of the verdict, and its limits.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// Numbers of entities by verdict.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct VerdictCounts {
    /// `NO_MATCH`.
    pub no_match: u32,
    /// `POSSIBLE_MATCH`.
    pub possible_match: u32,
    /// `MATCH`.
    pub r#match: u32,
}

/// Result of one entity.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct EntityResult {
    /// The name as it was asked.
    pub entity: String,
    /// The further names as they were asked; absent where none was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub names: Vec<String>,
    /// The verdict.
    pub verdict: NameVerdict,
    /// Score of the best candidate, 0 to 1, on `NO_MATCH` too.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// Minimum score of a match.
    pub min_score: f64,
    /// What came of each dismissed entry; absent where none was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub dismissed: Vec<DismissedEntry>,
    /// The best match; absent where there is none.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub best: Option<BestMatch>,
    /// Notes about the text of the name.
    pub query_notes: Vec<QueryNote>,
}

/// Listed entry that the name may belong to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct BestMatch {
    /// The publisher's own key of the entry.
    pub uid: String,
    /// The list that it is on.
    pub list: String,
    /// Why parties are on the list. Only a list of sanctions makes a `MATCH`.
    pub topic: Topic,
    /// The name that it is listed under.
    pub name: String,
    /// The question's name that matches; absent where the entity has one name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_name: Option<String>,
    /// Name of the entry that matches.
    pub matched_name: MatchedName,
}

/// Makes the finding on lists that cover names; `None` where there is none.
pub(super) fn find(
    subjects: &[ScreenSubject],
    asked: &AskedLists<'_>,
    at: Timestamp,
) -> Option<BatchFinding> {
    let looked = ListEvidence::of(&asked.lists, at)?;
    let results: Vec<EntityResult> = subjects.iter().map(|subject| result(subject, asked, at)).collect();
    let mut counts = VerdictCounts::default();
    for result in &results {
        *match result.verdict {
            NameVerdict::NoMatch => &mut counts.no_match,
            NameVerdict::PossibleMatch => &mut counts.possible_match,
            NameVerdict::Match => &mut counts.r#match,
        } += 1;
    }
    let VerdictCounts { no_match, possible_match, r#match } = counts;
    let lists = named_lists(&looked.lists);
    Some(BatchFinding {
        explanation: format!(
            "{} names were screened against {lists}: {match} MATCH, {possible_match} POSSIBLE_MATCH, {no_match} NO_MATCH. The \
             verdict is the worst of them.",
            results.len(),
        ),
        verdict: results.iter().map(|result| result.verdict).max()?,
        counts,
        results,
        scope: looked.scope(SCOPE),
        lists: looked.lists,
        evidence: looked.evidence,
        method: format!("{METHOD}, {}", method::METHOD).into(),
    })
}

fn result(subject: &ScreenSubject, asked: &AskedLists<'_>, at: Timestamp) -> EntityResult {
    let CombinedScreen { verdict, score, hits, dismissed, query_notes } = screen(asked, subject, 1, at);
    EntityResult {
        entity: subject.name.clone(),
        names: subject.names.clone(),
        verdict,
        score: rounded(score),
        min_score: subject.min_score(),
        best: hits.first().filter(|hit| !hit.is_dismissed).and_then(|hit| best(hit, subject)),
        dismissed,
        query_notes,
    }
}

fn best(found: &ScreenHit<'_>, subject: &ScreenSubject) -> Option<BestMatch> {
    let entry = found.entry()?;
    Some(BestMatch {
        uid: entry.uid.to_string(),
        list: entry.list.to_string(),
        topic: found.list.topic(),
        name: entry.primary().to_owned(),
        query_name: query_name(found, subject),
        matched_name: matched_name(entry, &found.hit),
    })
}

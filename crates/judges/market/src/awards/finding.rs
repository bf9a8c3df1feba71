//! The finding of `/awards`, a pure function of the question and the gathered answers.

use std::borrow::Cow;

use jiff::civil::Date;
use receipt::json::Object;
use record_search::{FieldError, FieldProblem};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use usaspending::{AwardAnswer, AwardCounts, AwardSearch, AwardSearchRequest, AwardTypes, ToptierAgencies};

use crate::records::SearchVerdict;
use crate::source::{Gathered, Piece, SourceRecord};

/// The kind of document of the page of results.
pub(super) const SEARCH: &str = "search";
/// The kind of document of the counts.
pub(super) const COUNT: &str = "count";
/// The kind of document of the reference of agencies.
pub(super) const AGENCIES: &str = "agencies";
/// The kind of document of the reference of award types.
pub(super) const TYPES: &str = "award_types";

const SCOPE: &str = "What USAspending's own search gave for this query, from what agencies have reported so far; the Department of \
    Defense reports ninety days late. Whether a recipient of that name is the one that the caller means was not looked at.";
const METHOD: &str = "awards/1";

/// The finding of `/awards`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct AwardsFinding {
    /// Whether awards match.
    pub verdict: SearchVerdict,
    /// Number of awards that match.
    pub count: u64,
    /// True if awards match that `next` does not lead to.
    pub truncated: bool,
    /// How to go on: the value of the field `next`; `null` after the last page.
    pub next: Option<String>,
    /// True if the source could not be asked again and an older answer serves.
    pub stale: bool,
    /// The group that was searched.
    pub group: &'static str,
    /// The codes of award types that were searched.
    pub types: Vec<String>,
    /// The name of the agency as the service has it; `null` where none was asked for.
    pub agency: Option<String>,
    /// Words of the service to those who ask, such as warnings.
    pub messages: Vec<String>,
    /// The awards, the greatest amount first.
    #[schemars(with = "Vec<serde_json::Map<String, Value>>")]
    pub awards: Vec<Object>,
    /// What the finding rests on.
    pub evidence: AwardsEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// Scope of the verdict: the statements that it makes and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the method.
    pub method: Cow<'static, str>,
}

/// What a finding of `/awards` rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct AwardsEvidence {
    /// The day in Washington on which it was asked.
    #[schemars(with = "String")]
    pub searched_on: Date,
    /// What was asked of the service, and what came back.
    pub sources: Vec<SourceRecord>,
}

/// The reason why there is no search.
pub(super) enum NoSearch {
    /// A field of the question.
    Field(FieldError),
    /// A reference of the service that cannot be read.
    Reference(String),
}

/// The search on a day, with the service's own codes and names.
pub(super) fn search(
    request: &AwardSearchRequest,
    gathered: &Gathered,
    today: Date,
) -> Result<AwardSearch, NoSearch> {
    let reference = |kind| found(gathered, kind).map_err(NoSearch::Reference);
    let unreadable = |error: record_search::AnswerError| NoSearch::Reference(error.to_string());
    let types = AwardTypes::read(&reference(TYPES)?.kept).map_err(unreadable)?;
    let search = request.check(today, &types).map_err(NoSearch::Field)?;
    if search.agency.is_none() {
        return Ok(search);
    }
    let agencies = ToptierAgencies::read(&reference(AGENCIES)?.kept).map_err(unreadable)?;
    search.with_agencies(&agencies).map_err(NoSearch::Field)
}

/// The error of an agency's name that matches nothing and that the reference does not have.
pub(super) fn doubt(search: &AwardSearch, gathered: &Gathered) -> Option<FieldError> {
    let agency = search.agency.as_ref()?;
    let answer = AwardAnswer::read(search, &found(gathered, SEARCH).ok()?.kept).ok()?;
    if !answer.is_agency_in_doubt {
        return None;
    }
    let known = ToptierAgencies::read(&found(gathered, AGENCIES).ok()?.kept).ok()?;
    let nearest = known.nearest(&agency.name).join("; ");
    let reason = format!(
        "{:?} is the subtier agency of no award that matches, so the name may be wrong; toptier agencies of a like name are: \
         {nearest}",
        agency.name
    );
    Some(FieldError::new("agency", reason).of(FieldProblem::UnknownValue))
}

/// The answer of a kind.
pub(super) fn found<'a>(gathered: &'a Gathered, kind: &str) -> Result<&'a Piece, String> {
    let mut pieces = gathered.pieces().filter(|piece| piece.record.document == kind && piece.is_found());
    pieces.next().ok_or_else(|| format!("the source usaspending has no answer: {kind}"))
}

/// The finding on a day, from the answers.
pub(super) fn find(
    request: &AwardSearchRequest,
    gathered: &Gathered,
    today: Date,
) -> Result<AwardsFinding, String> {
    let search = search(request, gathered, today).map_err(|none| match none {
        NoSearch::Field(error) => error.to_string(),
        NoSearch::Reference(why) => why,
    })?;
    let answer =
        AwardAnswer::read(&search, &found(gathered, SEARCH)?.kept).map_err(|error| error.to_string())?;
    let counts = AwardCounts::read(&found(gathered, COUNT)?.kept).map_err(|error| error.to_string())?;
    let count = counts.of_search(&search).ok_or("the counts are those of another kind of award")?;
    let stale = gathered.is_stale();
    // A count and a page are two requests: a record that came between them is in one alone.
    let count = count.max(answer.awards.len() as u64);
    let verdict = if count > 0 { SearchVerdict::Found } else { SearchVerdict::NoneFound };
    if verdict == SearchVerdict::NoneFound {
        if stale {
            return Err(
                "it cannot be asked now, and an older answer does not show that nothing is there".to_owned()
            );
        }
        if answer.is_agency_in_doubt {
            return Err(
                "the name of the agency may be wrong, so no answer does not show that nothing is there"
                    .to_owned(),
            );
        }
    }
    let mut sources = gathered.records();
    for record in sources.iter_mut().filter(|record| record.document == SEARCH) {
        record.truncated = answer.truncated;
    }
    let group = search.group.name();
    Ok(AwardsFinding {
        verdict,
        explanation: format!(
            "{count} awards of the group {group} match the search, by what agencies have reported."
        ),
        count,
        truncated: answer.truncated,
        next: answer.next.map(|next| next.to_string()),
        stale,
        group,
        types: search.types,
        agency: search.agency.map(|agency| agency.name),
        messages: [counts.messages, answer.messages].concat(),
        awards: answer.awards.iter().map(usaspending::Award::to_json).collect(),
        evidence: AwardsEvidence { searched_on: today, sources },
        scope: SCOPE.into(),
        method: METHOD.into(),
    })
}

//! The finding of `/federal-register`, a pure function of the question and the gathered answers.

use std::borrow::Cow;

use federal_register::{Answer, FIRST_DAY, MAX_RESULTS, Plan, Search};
use jiff::civil::Date;
use receipt::json::Object;
use record_search::AnswerError;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::judge::MAX_COUNT_CALLS;
use crate::records::SearchVerdict;
use crate::source::{Gathered, Piece, SourceRecord};

/// The kind of document of the page of results.
pub(super) const SEARCH: &str = "search";
/// The kind of document of the count of a part.
pub(super) const COUNT: &str = "count";

const SCOPE: &str = "What the Federal Register's own search gave for this query. Documents are matched by that service; whether \
    they are about what the caller means was not looked at.";
const METHOD: &str = "federal-register/1";

/// The finding of `/federal-register`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct RegisterFinding {
    /// Whether documents match.
    pub verdict: SearchVerdict,
    /// Number of documents that match. Where `count_is_exact` is false there are more.
    pub count: u64,
    /// True if `count` is their number. The service never states more than 10,000: a longer search is counted in parts.
    pub count_is_exact: bool,
    /// The parts by days of publication that were counted; empty where one count was enough.
    pub parts: Vec<RegisterPart>,
    /// True if documents match that were not counted or that `next` does not lead to.
    pub truncated: bool,
    /// How to go on: the value of the field `next`; `null` after the last page.
    pub next: Option<String>,
    /// True if the source could not be asked again and an older answer serves.
    pub stale: bool,
    /// The service's own description of the query, held against what was asked.
    pub description: String,
    /// The documents, the newest first: `key` is the number with the day, since numbers before 2016 were reused.
    #[schemars(with = "Vec<serde_json::Map<String, Value>>")]
    pub documents: Vec<Object>,
    /// What the finding rests on.
    pub evidence: RegisterEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// Scope of the verdict: the statements that it makes and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the method.
    pub method: Cow<'static, str>,
}

/// The documents of some days.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RegisterPart {
    /// The first day.
    #[schemars(with = "Option<String>")]
    pub from: Option<Date>,
    /// The last day.
    #[schemars(with = "Option<String>")]
    pub to: Option<Date>,
    /// Number of documents; 10,000 stands for that many or more.
    pub count: u64,
}

/// What a finding of `/federal-register` rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RegisterEvidence {
    /// The day in Washington on which it was asked.
    #[schemars(with = "String")]
    pub searched_on: Date,
    /// What was asked of the service, and what came back.
    pub sources: Vec<SourceRecord>,
}

/// The plan by which a search at the service's cap is counted.
pub(super) fn plan(search: &Search, today: Date) -> Plan {
    Plan::new(search.clone(), (FIRST_DAY, today), MAX_COUNT_CALLS)
}

/// The search that counts a part.
pub(super) fn counting(part: &Search) -> Search {
    Search { page: 1, per_page: 1, ..part.clone() }
}

/// The count of a part, from its answer.
pub(super) fn counted(part: &Search, piece: &Piece) -> Result<u64, AnswerError> {
    Answer::read(&counting(part), &piece.kept).map(|answer| answer.count)
}

/// The finding on a day, from the answers: the page of results, then the counts of the plan's parts in their order.
pub(super) fn find(search: &Search, gathered: &Gathered, today: Date) -> Result<RegisterFinding, String> {
    let page =
        gathered.of_kind(SEARCH).next().filter(|piece| piece.is_found()).ok_or("no answer to the search")?;
    let answer = Answer::read(search, &page.kept).map_err(|error| error.to_string())?;
    let mut counts = gathered.of_kind(COUNT);
    let (mut count, mut truncated, mut parts) = (answer.count, answer.truncated, Vec::new());
    let mut count_is_exact = true;
    if answer.count >= MAX_RESULTS {
        let mut plan = plan(search, today);
        plan.counted(answer.count);
        while let Some(part) = plan.part().cloned() {
            let piece = counts.next().filter(|piece| piece.is_found()).ok_or("no answer to a count")?;
            plan.counted(counted(&part, piece).map_err(|error| error.to_string())?);
        }
        let part = |(part, count): &(Search, u64)| {
            let (from, to) = part.days();
            RegisterPart { from, to, count: *count }
        };
        parts = plan.parts().iter().map(part).collect();
        count_is_exact = !plan.is_truncated();
        count = parts.iter().map(|part| part.count).sum::<u64>().max(answer.count);
        truncated = plan.is_truncated() || answer.next.is_none();
    }
    let stale = gathered.is_stale();
    let verdict = if count > 0 { SearchVerdict::Found } else { SearchVerdict::NoneFound };
    if verdict == SearchVerdict::NoneFound && stale {
        return Err(
            "it cannot be asked now, and an older answer does not show that nothing is there".to_owned()
        );
    }
    let least = if count_is_exact { "" } else { "more than " };
    Ok(RegisterFinding {
        verdict,
        explanation: format!("{least}{count} documents of the Federal Register match the search."),
        count,
        count_is_exact,
        parts,
        truncated,
        next: answer.next.map(|next| next.to_string()),
        stale,
        description: answer.description,
        documents: answer.documents.iter().map(federal_register::Document::to_json).collect(),
        evidence: RegisterEvidence { searched_on: today, sources: records(gathered, truncated) },
        scope: SCOPE.into(),
        method: METHOD.into(),
    })
}

/// The records, of which that of the search says whether there is more.
fn records(gathered: &Gathered, truncated: bool) -> Vec<SourceRecord> {
    let mut records = gathered.records();
    for record in records.iter_mut().filter(|record| record.document == SEARCH) {
        record.truncated = truncated;
    }
    records
}

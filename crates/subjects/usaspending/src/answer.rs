//! Answers with many rows.

use jiff::civil::Date;
use receipt::json::{Json, Object};
use record_search::{AnswerError, Row, Table, checked_date, parse, rows_of};

use crate::agencies::is_named;
use crate::award::{table_of, whole};
use crate::next::Cursor;
use crate::tables::{LIST_ANSWER, PAGE, SEARCH_AWARD, SUBAWARD};
use crate::{AgencyRole, AgencyTier, Award, AwardSearch, Next, SERVICE};

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwardAnswer {
    /// The awards of the page.
    pub awards: Vec<Award>,
    /// True if the service has more.
    pub has_next: bool,
    /// How to go on.
    pub next: Option<Next>,
    /// True if the service has more that cannot be reached, since it names no cursor.
    pub truncated: bool,
    /// True if no award matches and the name of the agency was not compared with the service's reference, which has no subtier
    /// agencies: the name may be wrong, so the answer says nothing about the agency.
    pub is_agency_in_doubt: bool,
    /// Words of the service to those who ask, such as warnings.
    pub messages: Vec<String>,
    /// All members of the answer but its rows.
    pub envelope: Row,
}

impl AwardAnswer {
    /// Reads the answer of a search.
    ///
    /// # Errors
    /// [`AnswerError`]; [`AnswerError::Ignored`] where a message or a row shows that the service ignored a filter.
    pub fn read(search: &AwardSearch, body: &[u8]) -> Result<Self, AnswerError> {
        let table = if search.subawards { &SUBAWARD } else { &SEARCH_AWARD };
        let list = List::read(body, |_| table)?;
        refuse_ignored(search, &list)?;
        let next = if list.has_next { search.next(list.cursor) } else { None };
        let is_unknown = search.agency.as_ref().is_some_and(|agency| !agency.is_known);
        Ok(Self {
            is_agency_in_doubt: is_unknown && list.rows.is_empty(),
            truncated: list.has_next && next.is_none(),
            awards: list.rows,
            has_next: list.has_next,
            next,
            messages: list.messages,
            envelope: list.envelope,
        })
    }
}

/// Rows of any other list: transactions, funding, awards under a vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// The rows.
    pub rows: Vec<Award>,
    /// True if the service has more.
    pub has_next: bool,
    /// Words of the service to those who ask, such as warnings.
    pub messages: Vec<String>,
    /// All members of the answer but its rows.
    pub envelope: Row,
}

impl Records {
    /// Reads a list; each row's members tell its kind.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn read(body: &[u8]) -> Result<Self, AnswerError> {
        let List { rows, has_next, messages, envelope, .. } = List::read(body, table_of)?;
        Ok(Self { rows, has_next, messages, envelope })
    }
}

struct List {
    rows: Vec<Award>,
    has_next: bool,
    cursor: Option<Cursor>,
    messages: Vec<String>,
    envelope: Row,
}

impl List {
    fn read(body: &[u8], table: impl Fn(&Object) -> &'static Table) -> Result<Self, AnswerError> {
        let parsed = parse(SERVICE, body)?;
        let answer = whole(&parsed)?;
        let missing = |member| AnswerError::Missing { service: SERVICE, kind: "list", member };
        let originals = rows_of(SERVICE, answer, "results")?.ok_or_else(|| missing("results"))?;
        let envelope = LIST_ANSWER.read_lossless(answer)?;
        let page =
            answer.get("page_metadata").and_then(Json::as_object).ok_or_else(|| missing("page_metadata"))?;
        let has_next = PAGE.read_lossless(page)?.flag("has_next").unwrap_or_default();
        let rows = originals
            .into_iter()
            .map(|row| Award::of(table(row), row))
            .collect::<Result<Vec<_>, AnswerError>>()?;
        let cursor = Cursor::of(page.get("last_record_unique_id"), page.get("last_record_sort_value"));
        Ok(Self { rows, has_next, cursor, messages: messages(answer), envelope })
    }
}

/// The texts of `messages`, which is an array of texts or one text.
pub(crate) fn messages(answer: &Object) -> Vec<String> {
    match answer.get("messages") {
        Some(Json::Array(elements)) => elements.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        Some(Json::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// An error where the service says that it did not use a filter.
pub(crate) fn refuse_unused(messages: &[String]) -> Result<(), AnswerError> {
    if messages.iter().any(|message| message.contains("filters from the request were not used")) {
        return Err(AnswerError::Ignored { service: SERVICE, filters: vec!["filters"] });
    }
    Ok(())
}

fn refuse_ignored(search: &AwardSearch, list: &List) -> Result<(), AnswerError> {
    refuse_unused(&list.messages)?;
    let mut filters = Vec::new();
    if let Some(agency) = &search.agency {
        let member = match (agency.role, agency.tier) {
            (AgencyRole::Awarding, AgencyTier::Toptier) => "awarding_agency",
            (AgencyRole::Awarding, AgencyTier::Subtier) => "awarding_sub_agency",
            (AgencyRole::Funding, AgencyTier::Toptier) => "funding_agency",
            (AgencyRole::Funding, AgencyTier::Subtier) => "funding_sub_agency",
        };
        if !list.rows.iter().all(|award| is_named(&award.row, member, &agency.name)) {
            filters.push("agency");
        }
    }
    if search.since.is_some_and(|since| list.rows.iter().any(|award| is_until(&award.row, since))) {
        filters.push("since");
    }
    if filters.is_empty() { Ok(()) } else { Err(AnswerError::Ignored { service: SERVICE, filters }) }
}

/// True if the row was changed last on the day or before it.
fn is_until(row: &Row, since: Date) -> bool {
    let day = row.text("last_modified_date").and_then(|text| text.get(..10));
    day.and_then(|day| checked_date("last_modified_date", day).ok()).is_some_and(|day| day <= since)
}

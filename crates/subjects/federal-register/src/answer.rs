//! Answers with many documents.

use receipt::json::Object;
use record_search::{AnswerError, MAX_ROWS, Row, Table, parse, rows_of};

use crate::document::whole;
use crate::echo::rows_prove_agencies;
use crate::tables::{DOCUMENT, INSPECTION, LIST_ANSWER, SEARCH_ANSWER};
use crate::{Document, MAX_RESULTS, Next, SERVICE, Search, contradictions, echo_check};

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The documents that match; [`MAX_RESULTS`] means that many or more.
    pub count: u64,
    /// The pages that the service shows, at most 50.
    pub total_pages: Option<u64>,
    /// The address of the next page, as the service names it.
    pub next_page_url: Option<String>,
    /// The service's own description of the query.
    pub description: String,
    /// The documents of the page, newest first.
    pub documents: Vec<Document>,
    /// True if `count` is the service's cap, or if more documents match than can be reached.
    pub truncated: bool,
    /// How to go on.
    pub next: Option<Next>,
    /// All members of the answer but its rows.
    pub envelope: Row,
}

impl Answer {
    /// Reads the answer of a search.
    ///
    /// # Errors
    /// [`AnswerError`]; [`AnswerError::Ignored`] where the description or a row shows that the service ignored a filter.
    pub fn read(search: &Search, body: &[u8]) -> Result<Self, AnswerError> {
        let parsed = parse(SERVICE, body)?;
        let answer = whole(&parsed)?;
        let envelope = SEARCH_ANSWER.read_lossless(answer)?;
        let description = envelope.text("description").unwrap_or_default().to_owned();
        let count = envelope.count("count").unwrap_or_default();
        let missing = echo_check(search, &description);
        // A wrong question goes before what its rows are like.
        if missing.iter().any(|field| *field != "agencies") {
            return Err(AnswerError::Ignored { service: SERVICE, filters: missing });
        }
        let mut documents = documents(&DOCUMENT, answer, count)?;
        if !rows_prove_agencies(search, &description, &documents) {
            refuse_ignored(missing)?;
        }
        refuse_ignored(contradictions(search, &documents))?;
        if search.per_page == 1 {
            let at = if search.page % 2 == 1 { 0 } else { 1 };
            documents = documents.into_iter().skip(at).take(1).collect();
        }
        let last = documents.iter().filter_map(|document| document.published).min();
        let (next, is_cut) = search.next(count, last);
        Ok(Self {
            count,
            total_pages: envelope.count("total_pages"),
            next_page_url: envelope.text("next_page_url").map(str::to_owned),
            description,
            documents,
            truncated: is_cut || count >= MAX_RESULTS,
            next,
            envelope,
        })
    }
}

/// The documents on public inspection, which are published on a day to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicInspection {
    /// The documents on public inspection, as the service counts them.
    pub count: u64,
    /// The documents.
    pub documents: Vec<Document>,
    /// All members of the answer but its rows, such as the time of the last special filings.
    pub envelope: Row,
}

impl PublicInspection {
    /// Reads the answer of `public-inspection-documents/current.json`.
    ///
    /// # Errors
    /// [`AnswerError`].
    pub fn read(body: &[u8]) -> Result<Self, AnswerError> {
        let parsed = parse(SERVICE, body)?;
        let answer = whole(&parsed)?;
        let envelope = LIST_ANSWER.read_lossless(answer)?;
        let count = envelope.count("count").unwrap_or_default();
        Ok(Self { count, documents: documents(&INSPECTION, answer, count)?, envelope })
    }
}

fn refuse_ignored(filters: Vec<&'static str>) -> Result<(), AnswerError> {
    if filters.is_empty() { Ok(()) } else { Err(AnswerError::Ignored { service: SERVICE, filters }) }
}

/// The documents of an answer. Only an answer that counts none may lack the member `results`.
pub(crate) fn documents(table: &Table, answer: &Object, count: u64) -> Result<Vec<Document>, AnswerError> {
    let Some(rows) = rows_of(SERVICE, answer, "results")? else {
        return match count {
            0 => Ok(Vec::new()),
            _ => Err(AnswerError::Missing { service: SERVICE, kind: "search answer", member: "results" }),
        };
    };
    if rows.len() as u64 > count {
        let detail = format!("{} rows, but count is {count}", rows.len());
        return Err(AnswerError::Shape { service: SERVICE, detail });
    }
    debug_assert!(rows.len() <= MAX_ROWS);
    rows.into_iter().map(|row| Document::of(table, row)).collect()
}

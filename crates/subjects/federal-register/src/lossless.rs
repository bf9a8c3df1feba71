//! Any recorded answer through the same normalising.

use receipt::json::{Json, Object};
use record_search::{AnswerError, Row, Table, parse, rows_of};

use crate::SERVICE;
use crate::document::{table_of, whole};
use crate::tables::{LIST_ANSWER, RECORD};

/// Normalises each row of a recorded answer and compares it with the original again. Returns the rows and the names of all
/// members that were left out on purpose, sorted. It reads searches, lists, public inspection, single documents and other
/// objects of the service; the last have all their members under `other`.
///
/// # Errors
/// [`AnswerError`]; [`AnswerError::Lost`] names members that are neither in a row nor left out on purpose.
pub fn check_lossless(body: &[u8]) -> Result<(Vec<Row>, Vec<String>), AnswerError> {
    let parsed = parse(SERVICE, body)?;
    let mut rows = Vec::new();
    if let Json::Array(elements) = &parsed {
        for element in elements {
            rows.push(RECORD.read_lossless(whole(element)?)?);
        }
    } else {
        let answer = whole(&parsed)?;
        match rows_of(SERVICE, answer, "results")? {
            Some(originals) => {
                LIST_ANSWER.read_lossless(answer)?;
                for original in originals {
                    rows.push(table(original).read_lossless(original)?);
                }
            }
            None if answer.contains("count") => {
                LIST_ANSWER.read_lossless(answer)?;
            }
            None => rows.push(table(answer).read_lossless(answer)?),
        }
    }
    let mut dropped: Vec<String> =
        rows.iter().flat_map(|row| &row.dropped).map(|name| (*name).to_owned()).collect();
    dropped.sort_unstable();
    dropped.dedup();
    Ok((rows, dropped))
}

fn table(row: &Object) -> &'static Table {
    if row.contains("document_number") || row.contains("publication_date") { table_of(row) } else { &RECORD }
}

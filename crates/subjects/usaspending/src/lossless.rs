//! Any recorded answer through the same normalising.

use receipt::json::Json;
use record_search::{AnswerError, Row, parse, rows_of};

use crate::SERVICE;
use crate::award::{table_of, whole};
use crate::tables::{COUNTS, LIST_ANSWER, RECORD};

/// Normalises each row of a recorded answer and compares it with the original again. Returns the rows and the names of all
/// members that were left out on purpose, sorted. It reads searches, counts, lists of transactions, funding and awards, single
/// awards and other objects of the service; the last have all their members under `other`.
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
        if let Some(counts) = answer.get("results").and_then(Json::as_object) {
            LIST_ANSWER.read_lossless(answer)?;
            let table = if counts.contains("idvs") { &COUNTS } else { &RECORD };
            rows.push(table.read_lossless(counts)?);
        } else if let Some(originals) = rows_of(SERVICE, answer, "results")? {
            LIST_ANSWER.read_lossless(answer)?;
            for original in originals {
                rows.push(table_of(original).read_lossless(original)?);
            }
        } else {
            rows.push(table_of(answer).read_lossless(answer)?);
        }
    }
    let mut dropped: Vec<String> =
        rows.iter().flat_map(|row| &row.dropped).map(|name| (*name).to_owned()).collect();
    dropped.sort_unstable();
    dropped.dedup();
    Ok((rows, dropped))
}

//! GET /keys: the log's records of the notary's keys, with their proofs.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use ledger::{Ledger, LedgerError, StoredReceipt};
use receipt::hash::ReceiptHash;
use receipt::history::KEY_CLASS;
use receipt::sign::receipt_json;
use verdict::Reason;

use crate::app::App;
use crate::pipeline::{self, Client};
use crate::refusal::Refusal;
use crate::routes;

pub(crate) const PATH: &str = "/keys";
/// The parameter that names the first leaf of an answer.
const FROM: &str = "from";
/// The most records of one answer.
const MOST: usize = 32;

/// Shows the records from a leaf on, in the order of their leaves: at most [`MOST`], and the leaf from which the next
/// answer goes on.
pub async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let asked = from(query.as_deref().unwrap_or_default());
    let (from, quota) = routes::visit_asking(&app, &client, PATH, asked).await?;
    let (keys, ledger) = (app.notary.keys.current(), &app.notary.ledger);
    let newer = newer_records(&**ledger, keys.records.len()).await?;
    let mut records = newer.as_ref().unwrap_or(&keys.records).iter().filter(|record| record.leaf >= from);
    let mut shown = Vec::new();
    for StoredReceipt { leaf, payload, signature } in records.by_ref().take(MOST) {
        let proof = match ledger.inclusion(*leaf).await {
            Ok(inclusion) => inclusion.to_text(),
            // Another replica has just logged it: it is shown once this one knows that head.
            Err(LedgerError::NoSuchLeaf(_)) => break,
            Err(error) => return Err(error.into()),
        };
        shown.push(receipt_json(payload, &ReceiptHash::of_payload(payload), signature, Some(&proof)));
    }
    let next = records.next().map_or_else(|| "null".to_owned(), |record| record.leaf.to_string());
    let mut body = br#"{"receipts":["#.to_vec();
    body.extend(shown.join(&b','));
    body.extend(format!(r#"],"next":{next}}}"#).into_bytes());
    Ok(routes::typed("application/json", body, quota))
}

/// All records of the store, where another process has logged one more than so many that this one follows; else `None`. A caller
/// who has that record from the other process would take this log for one that hides it. While no server takes writes, this process
/// tells what it knows.
async fn newer_records(ledger: &dyn Ledger, known: usize) -> Result<Option<Vec<StoredReceipt>>, Refusal> {
    if !ledger.is_shared() {
        return Ok(None);
    }
    let counts = match ledger.counts().await {
        Ok(counts) => counts,
        Err(_) if ledger.is_away() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let count =
        counts.iter().find(|count| count.class == KEY_CLASS).map_or(0, |count| count.free + count.paid);
    if count <= known as u64 {
        return Ok(None);
    }
    match ledger.key_records().await {
        Ok(records) => Ok(Some(records)),
        Err(_) if ledger.is_away() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn from(query: &str) -> Result<u64, Refusal> {
    let malformed = || Refusal::field(FROM, Reason::Malformed, "must be a leaf index, such as 0");
    let query = pipeline::query_object(query)?;
    let Some(from) = query.get(FROM) else { return Ok(0) };
    from.as_str().and_then(|leaf| leaf.parse().ok()).ok_or_else(malformed)
}

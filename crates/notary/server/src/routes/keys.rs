//! GET /keys: the log's records of the notary's keys, with their proofs.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use ledger::{LedgerError, StoredReceipt};
use receipt::hash::ReceiptHash;
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
    let keys = app.notary.keys.current();
    let mut records = keys.records.iter().filter(|record| record.leaf >= from);
    let mut shown = Vec::new();
    for StoredReceipt { leaf, payload, signature } in records.by_ref().take(MOST) {
        let proof = match app.notary.ledger.inclusion(*leaf).await {
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

fn from(query: &str) -> Result<u64, Refusal> {
    let malformed = || Refusal::field(FROM, Reason::Malformed, "must be a leaf index, such as 0");
    let query = pipeline::query_object(query)?;
    let Some(from) = query.get(FROM) else { return Ok(0) };
    from.as_str().and_then(|leaf| leaf.parse().ok()).ok_or_else(malformed)
}

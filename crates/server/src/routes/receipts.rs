//! GET /receipts/{hash}: the receipt; with `.jws` the compact JWS, with `.tlog-proof` its newest proof.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use ledger::{Inclusion, StoredReceipt};
use receipt::hash::ReceiptHash;
use receipt::json::{Json, parse};
use receipt::sign::{compact_jws, receipt_json};
use verdict::Reason;

use crate::app::App;
use crate::desk::Client;
use crate::refusal::Refusal;
use crate::routes::{self, Named};

enum Form {
    Json,
    Jws,
    Proof,
}

/// The receipt in the form that the path's extension asks for.
pub async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    Named(name): Named,
) -> Result<Response, Refusal> {
    let quota = routes::visit(&app, &client, "/receipts/{hash}").await?;
    let (text, form) = match name.split_once('.') {
        None => (&*name, Form::Json),
        Some((text, "jws")) => (text, Form::Jws),
        Some((text, "tlog-proof")) => (text, Form::Proof),
        Some(_) => return Err(Refusal::not_found("a receipt has the forms .jws and .tlog-proof")),
    };
    let hash = parse_hash(text)?;
    let proved = find(&app, hash).await?;
    let mut response = match form {
        Form::Json => routes::typed("application/json", proved.to_json(), quota),
        Form::Jws => routes::typed("application/jose", proved.jws(), quota),
        Form::Proof => routes::typed("text/plain; charset=utf-8", proved.proof(), quota),
    };
    // Who holds the hash may read the receipt; a shared cache need not hold it for others.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=60"));
    Ok(response)
}

/// A receipt's hash as text.
///
/// # Errors
/// 400 naming `hash`.
pub(crate) fn parse_hash(text: &str) -> Result<ReceiptHash, Refusal> {
    text.parse()
        .map_err(|_| Refusal::field("hash", Reason::Malformed, "must be 64 lowercase hexadecimal digits"))
}

/// A stored receipt with its newest proof.
pub(crate) struct Proved {
    hash: ReceiptHash,
    stored: StoredReceipt,
    inclusion: Inclusion,
}

/// The receipt of a hash.
///
/// # Errors
/// 404.
pub(crate) async fn find(app: &App, hash: ReceiptHash) -> Result<Proved, Refusal> {
    let found = app.notary.ledger.receipt_with_inclusion(&hash).await?;
    let (stored, inclusion) = found.ok_or(Refusal::not_found("no receipt has this hash"))?;
    Ok(Proved { hash, stored, inclusion })
}

impl Proved {
    /// The whole receipt.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let StoredReceipt { payload, signature, .. } = &self.stored;
        receipt_json(payload, &self.hash, signature, Some(&self.inclusion.to_text()))
    }

    /// The proof's text.
    pub(crate) fn proof(&self) -> String {
        self.inclusion.to_text()
    }

    /// The compact JWS, under the key that the payload names.
    fn jws(&self) -> String {
        let payload = parse(&self.stored.payload).ok();
        let kid = payload.as_ref().and_then(|payload| payload.get("kid")).and_then(Json::as_str);
        compact_jws(&self.stored.payload, &self.stored.signature, kid.unwrap_or_default())
    }
}

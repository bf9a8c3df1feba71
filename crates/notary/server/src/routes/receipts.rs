//! GET /receipts/{hash}: the receipt; with `.jws` the compact JWS, with `.tlog-proof` its newest proof, with `.svg` its
//! picture, where its judge draws one.

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
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes::{self, PathParameter, cosigned};

const PATH: &str = "/receipts/{hash}";

/// The required form of a receipt's hash, for errors.
pub(crate) const HASH_FORM: &str = "must be 64 lowercase hexadecimal digits";

enum ReceiptFormat {
    Json,
    Jws,
    Proof,
    Drawing,
}

/// Serves the receipt in the form of the path's extension.
pub async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    name: Result<PathParameter, Refusal>,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let ((hash, form), quota) = routes::visit_asking(&app, &client, PATH, asked(name)).await?;
    let proved = find(&app, hash).await?;
    let mut response = match form {
        ReceiptFormat::Json => routes::typed("application/json", proved.to_json(), quota),
        ReceiptFormat::Jws => routes::typed("application/jose", proved.jws()?, quota),
        ReceiptFormat::Proof => {
            let proof = match &app.cosigning {
                Some(cosigning) => cosigned::proof(cosigning, proved.leaf()).await?,
                None => proved.proof(),
            };
            routes::typed("text/plain; charset=utf-8", proof, quota)
        }
        ReceiptFormat::Drawing => {
            let (of_app, length) = (Arc::clone(&app), proved.payload_bytes());
            let draw = move || proved.drawing(&of_app);
            let drawing = app.compute.apart(client.party(), length, draw).await??;
            let mut response = routes::typed("image/svg+xml", drawing, quota);
            // Opened by itself it is a document, and holds what callers wrote.
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_SECURITY_POLICY, routes::NO_SCRIPT);
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            response
        }
    };
    routes::link_page(response.headers_mut(), &hash);
    // Anybody who has the hash may read the receipt; a shared cache need not keep it for others.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=60"));
    Ok(response)
}

fn asked(name: Result<PathParameter, Refusal>) -> Result<(ReceiptHash, ReceiptFormat), Refusal> {
    let PathParameter(name) = name?;
    let (text, form) = match name.split_once('.') {
        None => (&*name, ReceiptFormat::Json),
        Some((text, "jws")) => (text, ReceiptFormat::Jws),
        Some((text, "tlog-proof")) => (text, ReceiptFormat::Proof),
        Some((text, "svg")) => (text, ReceiptFormat::Drawing),
        Some(_) => return Err(Refusal::not_found("a receipt has the forms .jws, .tlog-proof and .svg")),
    };
    Ok((parse_hash(text)?, form))
}

/// The hash in a path.
///
/// # Errors
/// 400 naming `hash`.
pub(crate) fn parse_hash(text: &str) -> Result<ReceiptHash, Refusal> {
    text.parse().map_err(|_| Refusal::field("hash", Reason::Malformed, HASH_FORM))
}

/// 503 for a stored receipt that is none.
pub(crate) fn unreadable() -> Refusal {
    Refusal::unavailable("ledger", 60, "the stored receipt cannot be read")
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

    /// The text of the proof under the newest durable checkpoint.
    pub(crate) fn proof(&self) -> String {
        self.inclusion.to_text()
    }

    /// The index of the receipt's leaf.
    pub(crate) fn leaf(&self) -> u64 {
        self.stored.leaf
    }

    /// The number of bytes of the payload.
    fn payload_bytes(&self) -> usize {
        self.stored.payload.len()
    }

    /// The picture that the class's judge draws.
    ///
    /// # Errors
    /// 404 where it draws none.
    fn drawing(&self, app: &App) -> Result<String, Refusal> {
        let receipt = parse(&self.to_json()).map_err(|_| unreadable())?;
        let drawing = app.route_table.judge_of(&receipt).and_then(|judge| judge.drawing(&receipt));
        drawing.ok_or(Refusal::not_found("this receipt has no picture"))
    }

    /// The compact JWS, under the key that the payload names.
    ///
    /// # Errors
    /// 503 where it names none: a header without the key would verify under no key.
    fn jws(&self) -> Result<String, Refusal> {
        let StoredReceipt { payload, signature, .. } = &self.stored;
        let members = parse(payload).map_err(|_| unreadable())?;
        let kid = members.get("kid").and_then(Json::as_str).ok_or_else(unreadable)?;
        Ok(compact_jws(payload, signature, kid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_payload_that_names_no_key_has_no_jws() {
        let jws = |payload: &str| {
            let stored = StoredReceipt { leaf: 0, payload: payload.into(), signature: [0; 64] };
            let inclusion = Inclusion { leaf: 0, path: Vec::new(), checkpoint: "".into() };
            Proved { hash: ReceiptHash([0; 32]), stored, inclusion }.jws()
        };
        assert!(jws(r#"{"kid":"did:web:notary.example#k"}"#).is_ok());
        for payload in ["", "[]", "{}", r#"{"kid":7}"#] {
            assert!(matches!(jws(payload), Err(Refusal::Unavailable(_))), "{payload}");
        }
    }
}

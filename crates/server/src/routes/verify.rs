//! GET and POST /verify: recompute and confirm a receipt, check by check.

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use bytes::Bytes;
use receipt::hash::ReceiptHash;
use receipt::json::{Json, Object};
use receipt::verify::{Check, Report};
use serde_json::{Map, Value, json};
use verdict::{Fields, Reason};

use crate::app::App;
use crate::desk::{self, Client};
use crate::dispute::{self, Shown};
use crate::refusal::{Quota, Refusal};
use crate::routes::{self, receipts};
use crate::terms::BODY_LIMIT;

const PATH: &str = "/verify";

/// `GET /verify?hash=`: a receipt that this notary issued.
pub async fn by_hash(
    State(app): State<Arc<App>>,
    client: Client,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let asked = asked(query.as_deref().unwrap_or_default());
    let (hash, quota) = routes::visit_asking(&app, &client, PATH, asked).await?;
    let receipt = receipts::find(&app, hash).await.map_err(unknown)?.to_json();
    let (report, shown) = judged(&app, &receipt).await?;
    Ok(answer(&receipt, &report, &shown, quota))
}

fn asked(query: &str) -> Result<ReceiptHash, Refusal> {
    let query = desk::query_object(query)?;
    let fields = Fields::root(&query);
    let hash = fields.text("hash", 0..=usize::MAX)?.parse();
    Ok(hash.map_err(|_| fields.error("hash", Reason::Malformed, receipts::HASH_FORM))?)
}

/// `POST /verify` with a whole receipt, whoever issued it. One without a proof gets the log's, where it has it.
pub async fn whole(
    State(app): State<Arc<App>>,
    client: Client,
    request: Request,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let (parts, body) = request.into_parts();
    let body = desk::read_body(&parts, body, BODY_LIMIT).await?;
    let given = given(&app, &parts, body).await;
    let ((receipt, report, shown), quota) = routes::visit_asking(&app, &client, PATH, given).await?;
    Ok(answer(&receipt, &report, &shown, quota))
}

/// A receipt that was sent, and what holds of it: only a verification says which field of it is wrong.
async fn given(app: &App, parts: &Parts, body: Bytes) -> Result<(Bytes, Report, Shown), Refusal> {
    let mut object = desk::read_object(parts, &body)?;
    let receipt = match proof_for(app, &object).await? {
        Some(proof) => {
            object.insert("proof", proof);
            Json::Object(object).canonical().into()
        }
        None => body,
    };
    let (mut report, shown) = judged(app, &receipt).await?;
    // What comes out of our own ledger has its proof from there; what was sent may be of a tree that our key signed and
    // our log never had.
    if let Some(tree) = report.checkpoint {
        report.compare_checkpoint(app.notary.ledger.root_at(tree.size).await?);
    }
    Ok((receipt, report, shown))
}

/// The log's proof for a receipt that came without one.
async fn proof_for(app: &App, object: &Object) -> Result<Option<String>, Refusal> {
    if object.contains("proof") {
        return Ok(None);
    }
    let Some(hash) = object.get("receipt_hash").and_then(Json::as_str) else { return Ok(None) };
    let Ok(hash) = hash.parse() else { return Ok(None) };
    match receipts::find(app, hash).await {
        Ok(proved) => Ok(Some(proved.proof())),
        Err(Refusal::NotFound { .. }) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Verifies a receipt, and holds the head that it names against the log.
async fn report(app: &App, receipt: &[u8]) -> Result<Report, Refusal> {
    let mut report = app.verifier.verify_at(receipt, Some(app.notary.clock.now()))?;
    if let Some(head) = report.log_head {
        report.compare_head(app.notary.ledger.root_at(head.size).await?);
    }
    Ok(report)
}

/// What holds of a receipt, and what has been said about it since.
pub(crate) async fn judged(app: &App, receipt: &[u8]) -> Result<(Report, Shown), Refusal> {
    let report = report(app, receipt).await?;
    let shown = dispute::shown(&*app.notary.ledger, &report.receipt_hash, receipt).await?;
    Ok((report, shown))
}

fn answer(receipt: &[u8], report: &Report, shown: &Shown, quota: Option<Quota>) -> Response {
    let Shown { disputes, superseded_by } = shown;
    let head = format!(
        r#"{{"valid":{},"checks":{},"disputes":{},"superseded_by":{},"receipt":"#,
        report.valid(),
        checks(report),
        json!(disputes),
        json!(superseded_by),
    );
    let body = [head.as_bytes(), receipt.trim_ascii(), b"}"].concat();
    routes::typed("application/json", body, quota)
}

fn checks(report: &Report) -> Value {
    let line =
        |(name, check): (&str, &Check)| (name.to_owned(), json!({"ok": check.ok, "detail": check.detail}));
    Value::Object(report.checks().map(line).collect())
}

/// A 404 says `valid: false` too.
fn unknown(refusal: Refusal) -> Refusal {
    let Refusal::NotFound { detail, .. } = refusal else { return refusal };
    let mut extra = Map::new();
    extra.insert("valid".to_owned(), json!(false));
    Refusal::NotFound { detail, extra: Some(Box::new(extra)) }
}

//! GET and POST /verify: recompute and confirm a receipt, check by check.

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use bytes::Bytes;
use capacity::ComputeClient;
use dispute::ReceiptStatus;
use module::terms::BODY_LIMIT;
use receipt::hash::ReceiptHash;
use receipt::json::{Json, parse};
use receipt::verify::{CheckResult, Report};
use serde_json::{Map, Value, json};
use verdict::{Field, Fields};

use crate::app::App;
use crate::pages;
use crate::pipeline::{self, Client, WholeBody};
use crate::refusal::{Quota, Refusal};
use crate::routes::{self, receipts};

const PATH: &str = "/verify";

/// Serves `GET /verify?hash=`: verifies a receipt that this notary issued. A browser that names no hash gets the page that
/// verifies a receipt by itself.
pub async fn by_hash(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    if query.is_none() && pages::wants_page(&headers) {
        return pages::verify(&app);
    }
    let asked = asked(query.as_deref().unwrap_or_default());
    let (hash, quota) = routes::visit_asking(&app, &client, PATH, asked).await?;
    let receipt = receipts::find(&app, hash).await.map_err(unknown)?.to_json();
    let receipt = Bytes::from(receipt);
    let (report, shown) = judged(&app, client.party(), receipt.clone()).await?;
    Ok(answer(&receipt, &report, &shown, quota))
}

fn asked(query: &str) -> Result<ReceiptHash, Refusal> {
    let query = pipeline::query_object(query)?;
    let fields = Fields::root(&query);
    let hash = Field::text("hash", 0..=usize::MAX).form("", receipts::HASH_FORM);
    Ok(fields.parse(&hash, |text| text.parse().ok())?)
}

/// Serves `POST /verify` with a whole receipt of any issuer. A receipt without a proof gets the log's, if the log has
/// it.
pub async fn whole(
    State(app): State<Arc<App>>,
    client: Client,
    request: Request,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let (parts, body) = request.into_parts();
    let body = pipeline::read_body(app.inflow.hold(client.network()), &parts, body, BODY_LIMIT).await?;
    let given = given(&app, client.party(), parts, body).await;
    let ((receipt, report, shown), quota) = routes::visit_asking(&app, &client, PATH, given).await?;
    Ok(answer(&receipt, &report, &shown, quota))
}

/// Verifies a receipt that was sent: only a verification shows which field is wrong.
async fn given(
    app: &Arc<App>,
    party: ComputeClient,
    parts: Parts,
    body: WholeBody,
) -> Result<(Bytes, Report, ReceiptStatus), Refusal> {
    let WholeBody { bytes, hold } = body;
    let (length, text) = (bytes.len(), bytes.clone());
    let unproved = app.compute.apart(party, length, move || unproved(&parts, &text)).await??;
    let proof = match unproved {
        Some(hash) => proof_for(app, hash).await?,
        None => None,
    };
    let receipt = match proof {
        Some(proof) => app.compute.apart(party, length, move || with_proof(&bytes, proof)).await??,
        None => bytes,
    };
    let (mut report, shown) = judged(app, party, receipt.clone()).await?;
    drop(hold);
    // A receipt out of our own ledger has its proof from there; a receipt that was sent may be of a tree that our key
    // signed and our log never had.
    if let Some(tree) = report.checkpoint {
        report.compare_checkpoint(app.notary.ledger.root_at(tree.size).await?);
    }
    Ok((receipt, report, shown))
}

/// The hash that a receipt without a proof names.
fn unproved(parts: &Parts, body: &[u8]) -> Result<Option<ReceiptHash>, Refusal> {
    let object = pipeline::read_object(parts, body)?;
    if object.contains("proof") {
        return Ok(None);
    }
    Ok(object.get("receipt_hash").and_then(Json::as_str).and_then(|hash| hash.parse().ok()))
}

/// The receipt with a proof in it.
fn with_proof(body: &[u8], proof: String) -> Result<Bytes, Refusal> {
    let Json::Object(mut object) = parse(body)? else { return Err(receipts::unreadable()) };
    object.insert("proof", proof);
    Ok(Json::Object(object).canonical().into())
}

/// The log's proof for a receipt that came without one.
async fn proof_for(app: &App, hash: ReceiptHash) -> Result<Option<String>, Refusal> {
    match receipts::find(app, hash).await {
        Ok(proved) => Ok(Some(proved.proof())),
        Err(Refusal::NotFound { .. }) => Ok(None),
        // Its leaf stays, and with it the proof for whoever has the receipt.
        Err(Refusal::Erased(erased)) => Ok(Some(erased.proof)),
        Err(refusal) => Err(refusal),
    }
}

/// Verifies a receipt, and holds the head that it names against the log.
async fn report(app: &Arc<App>, party: ComputeClient, receipt: Bytes) -> Result<Report, Refusal> {
    let (of_app, length) = (Arc::clone(app), receipt.len());
    let verify = move || {
        let keys = of_app.notary.keys.current();
        keys.verifier.verify_at(&receipt, Some(of_app.notary.clock.now()))
    };
    let mut report = app.compute.apart(party, length, verify).await??;
    if let Some(head) = report.log_head {
        report.compare_head(app.notary.ledger.root_at(head.size).await?);
    }
    Ok(report)
}

/// Verifies a receipt, and collects the later statements about it.
pub(crate) async fn judged(
    app: &Arc<App>,
    party: ComputeClient,
    receipt: Bytes,
) -> Result<(Report, ReceiptStatus), Refusal> {
    let report = report(app, party, receipt.clone()).await?;
    let shown = dispute::shown(&*app.notary.ledger, &report.receipt_hash, &receipt).await?;
    Ok((report, shown))
}

fn answer(receipt: &[u8], report: &Report, shown: &ReceiptStatus, quota: Option<Quota>) -> Response {
    let ReceiptStatus { disputes, superseded_by } = shown;
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
    let line = |(name, check): (&str, &CheckResult)| {
        (name.to_owned(), json!({"ok": check.ok, "detail": check.detail}))
    };
    Value::Object(report.checks().map(line).collect())
}

/// A 404 says `valid: false` too.
fn unknown(refusal: Refusal) -> Refusal {
    let Refusal::NotFound { detail, .. } = refusal else { return refusal };
    let mut extra = Map::new();
    extra.insert("valid".to_owned(), json!(false));
    Refusal::NotFound { detail, extra: Some(Box::new(extra)) }
}

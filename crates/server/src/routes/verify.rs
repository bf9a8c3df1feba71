//! GET and POST /verify: recompute and confirm a receipt, check by check.

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::response::Response;
use receipt::json::{Json, Object};
use receipt::verify::{Check, Report};
use serde_json::{Map, Value, json};
use verdict::Fields;

use crate::app::App;
use crate::desk::{self, Client};
use crate::refusal::{Quota, Refusal};
use crate::routes::{self, receipts};
use crate::terms::BODY_LIMIT;

/// `GET /verify?hash=`: a receipt that this notary issued.
pub async fn by_hash(
    State(app): State<Arc<App>>,
    client: Client,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let quota = routes::visit(&app, &client, "/verify").await?;
    let query = desk::query_object(query.as_deref().unwrap_or_default())?;
    let hash = receipts::parse_hash(Fields::root(&query).text("hash", 0..=usize::MAX)?)?;
    let receipt = receipts::find(&app, hash).await.map_err(unknown)?.to_json();
    answer(&app, receipt, quota)
}

/// `POST /verify` with a whole receipt, whoever issued it. One without a proof gets the log's, where it has it.
pub async fn whole(
    State(app): State<Arc<App>>,
    client: Client,
    request: Request,
) -> Result<Response, Refusal> {
    desk::flood(&app, &client, "/verify", routes::published_rate("/verify")).await?;
    let (parts, body) = request.into_parts();
    let body = desk::read_body(&parts, body, BODY_LIMIT).await?;
    let object = desk::read_object(&parts, &body)?;
    let quota = routes::visit(&app, &client, "/verify").await?;
    let receipt = match proof_for(&app, &object).await? {
        Some(proof) => {
            let mut object = object;
            object.insert("proof", proof);
            Json::Object(object).canonical()
        }
        None => body.to_vec(),
    };
    answer(&app, receipt, quota)
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

fn answer(app: &App, receipt: Vec<u8>, quota: Option<Quota>) -> Result<Response, Refusal> {
    let now = app.notary.clock.now();
    let report = app.verifier.verify_at(&receipt, Some(now))?;
    let head = format!(
        r#"{{"valid":{},"checks":{},"disputes":[],"superseded_by":null,"receipt":"#,
        report.valid(),
        checks(&report)
    );
    let body = [head.as_bytes(), receipt.trim_ascii(), b"}"].concat();
    Ok(routes::typed("application/json", body, quota))
}

fn checks(report: &Report) -> Value {
    let line =
        |(name, check): (&str, &Check)| (name.to_owned(), json!({"ok": check.ok, "detail": check.detail}));
    Value::Object(report.checks().map(line).into_iter().collect())
}

/// A 404 says `valid: false` too.
fn unknown(refusal: Refusal) -> Refusal {
    let Refusal::NotFound { detail, .. } = refusal else { return refusal };
    let mut extra = Map::new();
    extra.insert("valid".to_owned(), json!(false));
    Refusal::NotFound { detail, extra: Some(Box::new(extra)) }
}

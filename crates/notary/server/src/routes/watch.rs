//! GET and DELETE /watch/{id}: a watch, for the holder of its id.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use ledger::{Alert, Watch, WatchKey};
use serde_json::{Value, json};
use verdict::Timestamp;
use watch::CapabilityId;

use crate::app::App;
use crate::pipeline::Client;
use crate::refusal::{Quota, Refusal};
use crate::routes::{self, PathParameter};

pub(crate) const PATH: &str = "/watch/{id}";

/// Shows the watch.
pub async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    name: Result<PathParameter, Refusal>,
) -> Result<Response, Refusal> {
    let (key, quota) = asked(&app, &client, name).await?;
    let watch = app.notary.ledger.watch(&key).await?.ok_or_else(unknown)?;
    let mut response = routes::json(&shown(&app, &watch), quota);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Ends the watch. A watch that has already ended stays as it is.
pub async fn end(
    State(app): State<Arc<App>>,
    client: Client,
    name: Result<PathParameter, Refusal>,
) -> Result<Response, Refusal> {
    let (key, quota) = asked(&app, &client, name).await?;
    if !app.notary.ledger.end_watch(&key, app.notary.clock.now()).await? {
        return Err(unknown());
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(quota) = quota {
        quota.write(response.headers_mut());
    }
    Ok(response)
}

/// Reads the id of a path. A malformed id is the id of no watch.
async fn asked(
    app: &App,
    client: &Client,
    name: Result<PathParameter, Refusal>,
) -> Result<(WatchKey, Option<Quota>), Refusal> {
    routes::flood(app, client, PATH).await?;
    let key = name
        .and_then(|PathParameter(text)| CapabilityId::parse(&text).ok_or_else(unknown))
        .map(CapabilityId::key);
    routes::visit_asking(app, client, PATH, key).await
}

fn unknown() -> Refusal {
    Refusal::not_found("no watch has this id")
}

fn shown(app: &App, watch: &Watch) -> Value {
    let now = app.notary.clock.now();
    let webhook = watch.webhook.as_ref().map(|webhook| {
        json!({
            "url": webhook.url,
            "key": app.webhook_key.public(),
            "state": if watch.gone_at.is_some() { "gone" } else { "active" },
        })
    });
    let facts = watch::facts(&watch.screened);
    let snapshots: Vec<&str> = match facts {
        Value::Null => watch.screened.snapshots.split(' ').filter(|id| !id.is_empty()).collect(),
        _ => Vec::new(),
    };
    json!({
        "status": status(watch, now),
        "agent": watch.agent,
        "class": watch.class,
        "receipt_hash": watch.opened_by.to_string(),
        "until": watch.until.to_string(),
        "ended_at": watch.ended_at.map(|at| at.to_string()),
        "verdict": watch.screened.verdict,
        "screened_at": watch.screened.at.to_string(),
        "snapshots": snapshots,
        "facts": facts,
        "webhook": webhook,
        "alerts": watch.alerts.iter().map(alert).collect::<Vec<_>>(),
    })
}

fn status(watch: &Watch, now: Timestamp) -> &'static str {
    match watch.ended_at {
        Some(at) if at < watch.until => "ended",
        None if now < watch.until => "live",
        _ => "expired",
    }
}

fn alert(alert: &Alert) -> Value {
    let webhook = alert.webhook.as_ref().map(|webhook| {
        json!({
            "state": webhook.state.as_str(),
            "attempts": webhook.attempts,
            "at": webhook.at.to_string(),
            "error": webhook.error,
        })
    });
    json!({
        "receipt_hash": alert.receipt.to_string(),
        "verdict": alert.verdict,
        "signed_at": alert.at.to_string(),
        "webhook": webhook,
    })
}

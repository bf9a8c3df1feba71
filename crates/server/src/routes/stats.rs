//! GET /stats: live totals.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::desk::Client;
use crate::refusal::Refusal;
use crate::routes;

/// Receipts by class, revenue, the log. Latencies are of this process, since `since`.
pub async fn show(State(app): State<Arc<App>>, client: Client) -> Result<Response, Refusal> {
    let quota = routes::visit(&app, &client, "/stats").await?;
    let counts = app.notary.ledger.counts().await?;
    let head = app.notary.ledger.head();
    let mut by_class = Map::new();
    for route in app.docket.routes() {
        let class = route.terms.class;
        let count = counts.iter().find(|count| count.class == class);
        let (free, paid) = count.map_or((0, 0), |count| (count.free, count.paid));
        let percentiles = app.latencies.percentiles(class);
        let line = json!({
            "count": free + paid,
            "free": free,
            "paid": paid,
            "p50_ms": percentiles.map(|(p50, _)| p50),
            "p95_ms": percentiles.map(|(_, p95)| p95),
        });
        by_class.insert(class.to_owned(), line);
    }
    let issued: u64 = counts.iter().map(|count| count.free + count.paid).sum();
    let body = json!({
        "receipts_issued": issued,
        "by_class": by_class,
        "revenue": revenue(&app),
        "log": {"size": head.size, "root": head.root.to_hex()},
        "since": app.since.to_string(),
        "lists": Value::Array(Vec::new()),
    });
    Ok(routes::json(&body, quota))
}

/// From settled payments only; none can be settled yet.
fn revenue(app: &App) -> Value {
    let asset = app.settlement.as_ref().map_or("USDC", |settlement| &settlement.asset);
    json!({asset: {"total": "0.00", "by_class": {}, "bonds": "0.00"}})
}

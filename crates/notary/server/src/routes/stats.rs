//! GET /stats: live totals.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use ledger::Ledger;
use receipt::json::{Json, parse};
use serde_json::{Map, Value, json};
use tlog::TilePath;
use tlog::tile::decode_bundle;
use verdict::{Timestamp, Usd};

use crate::app::App;
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes;

/// Shows the receipts by class, the revenue and the log. Response times are of this process; `since` is the time of the
/// log.
pub async fn show(State(app): State<Arc<App>>, client: Client) -> Result<Response, Refusal> {
    let quota = routes::hit(&app, &client, "/stats").await?;
    let counts = app.notary.ledger.counts().await?;
    let head = app.notary.ledger.head();
    let mut by_class = Map::new();
    for route in app.route_table.routes() {
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
        "revenue": revenue(&app).await?,
        "log": {"size": head.size, "root": head.root.to_hex()},
        "since": began(&*app.notary.ledger).await?.to_string(),
        "latencies_since": app.started.to_string(),
        "lists": sources(&app),
    });
    Ok(routes::json(&body, quota))
}

/// The state of the modules' sources, each with the name of its module.
fn sources(app: &App) -> Vec<Value> {
    let lines = app.standings().flat_map(|(module, standing)| {
        standing.sources.into_iter().map(move |source| {
            let mut line = json!(source);
            line["module"] = json!(module);
            line
        })
    });
    lines.collect()
}

/// The start of the log: the time of its first receipt, or of its founding where it has none yet.
async fn began(ledger: &dyn Ledger) -> Result<Timestamp, Refusal> {
    let head = ledger.head();
    if head.size == 0 {
        return Ok(head.latest);
    }
    let first = TilePath::entries(0, 1).expect("a bundle of one entry has a path");
    let time = ledger.tile(first).await?.and_then(|bundle| first_time(&bundle));
    time.ok_or_else(|| Refusal::unavailable("ledger", 60, "the log's first entry cannot be read"))
}

/// The `t` of a bundle's first entry.
fn first_time(bundle: &[u8]) -> Option<Timestamp> {
    let entry = parse(decode_bundle(bundle).ok()?.first()?).ok()?;
    entry.get("t").and_then(Json::as_str)?.parse().ok()
}

/// The revenue by asset, from settled payments only, without bonds.
async fn revenue(app: &App) -> Result<Value, Refusal> {
    let mut assets: BTreeMap<String, Earned> = BTreeMap::new();
    if let Some(gate) = &app.gate {
        assets.insert(gate.terms.network().symbol.clone(), Earned::default());
    }
    for line in app.notary.ledger.revenue().await? {
        let earned = assets.entry(line.symbol).or_default();
        earned.total += line.income;
        earned.bonds += line.bonds;
        if line.income > 0 {
            earned.by_class.insert(line.class, amount(line.income));
        }
    }
    let line = |(asset, earned): (String, Earned)| {
        let Earned { total, bonds, by_class } = earned;
        (asset, json!({"total": amount(total), "by_class": by_class, "bonds": amount(bonds)}))
    };
    Ok(Value::Object(assets.into_iter().map(line).collect()))
}

#[derive(Default)]
struct Earned {
    total: u64,
    bonds: u64,
    by_class: Map<String, Value>,
}

fn amount(atomic: u64) -> Value {
    Usd::from_atomic(atomic).to_string().into()
}

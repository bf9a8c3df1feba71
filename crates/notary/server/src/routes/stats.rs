//! GET /stats: live totals.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use ledger::Ledger;
use receipt::history::KEY_CLASS;
use receipt::json::{Json, parse};
use serde_json::{Map, Value, json};
use time_stamp::TIME_STAMP_CLASS;
use tlog::TilePath;
use tlog::tile::decode_bundle;
use verdict::{Timestamp, Usd};

use crate::app::App;
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes;

/// Shows the receipts by class, the revenue and the log, which are of all replicas. Response times are of the one that answers,
/// which `latencies_replica` tells from the others; `since` is the time of the log.
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
    let issued = counts.iter().filter(|count| !is_own(&count.class));
    let issued: u64 = issued.map(|count| count.free + count.paid).sum();
    let body = json!({
        "receipts_issued": issued,
        "by_class": by_class,
        "revenue": revenue(&app).await?,
        "days": days(&app).await?.iter().map(Day::shown).collect::<Vec<_>>(),
        "log": {"size": head.size, "root": head.root.to_hex()},
        "since": began(&*app.notary.ledger).await?.to_string(),
        "latencies_since": app.started.to_string(),
        "latencies_replica": replica_id(&app),
        "replicas": replicas(&app).await?,
        "lists": sources(&app),
    });
    Ok(routes::json(&body, quota))
}

/// Returns true if receipts of a class are what the notary has to say of itself: nobody asked for them.
fn is_own(class: &str) -> bool {
    matches!(class, KEY_CLASS | TIME_STAMP_CLASS)
}

/// Tells this replica from others, without the name of its machine: the first 4 bytes of the SHA-256 of its name, in hexadecimal digits.
fn replica_id(app: &App) -> String {
    let digest = receipt::hash::sha256(app.replica.as_bytes());
    digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// The number of replicas that were heard of within the last seconds.
async fn replicas(app: &App) -> Result<usize, Refusal> {
    let replicas = app.notary.ledger.replicas().await?;
    let newest = replicas.iter().map(|replica| replica.seen_at).max();
    Ok(newest.map_or(0, |newest| replicas.iter().filter(|replica| replica.is_alive(newest)).count()))
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

/// The number of days that are shown, including today.
const DAYS: u32 = 30;

/// The receipts and the income of one UTC day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Day {
    /// The date, as `YYYY-MM-DD`.
    pub(crate) date: String,
    pub(crate) free: u64,
    pub(crate) paid: u64,
    /// Without what was given back since; over all tokens, each of which is a dollar token with six decimals.
    pub(crate) income: Usd,
    by_class: Map<String, Value>,
}

impl Day {
    fn shown(&self) -> Value {
        let Self { date, free, paid, income, by_class } = self;
        json!({"day": date, "free": free, "paid": paid, "income": income.to_string(), "by_class": by_class})
    }
}

/// The last days from the first receipt that was counted on, the earliest first, those without a receipt too.
pub(crate) async fn days(app: &App) -> Result<Vec<Day>, Refusal> {
    let today = app.notary.clock.now().unix_days();
    let first = today.saturating_sub(DAYS - 1);
    let mut counts = app.notary.ledger.days(first).await?;
    counts.retain(|count| !is_own(&count.class));
    // Days of before they were counted are not shown as days without a receipt.
    let counted = counts.iter().find(|count| count.free + count.paid > 0);
    let first = counted.map_or(today, |count| count.day.max(first));
    let day = |number: u32| {
        let of_day: Vec<_> = counts.iter().filter(|count| count.day == number).collect();
        let income: i64 = of_day.iter().map(|count| count.income).sum();
        let line = |count: &&ledger::DayCount| (count.class.clone(), json!(count.free + count.paid));
        let date = Timestamp::from_millis(i64::from(number) * 86_400_000).map(Timestamp::day);
        Day {
            date: date.unwrap_or_default(),
            free: of_day.iter().map(|count| count.free).sum(),
            paid: of_day.iter().map(|count| count.paid).sum(),
            income: Usd::from_atomic(u64::try_from(income).unwrap_or_default()),
            by_class: of_day.iter().map(line).collect(),
        }
    };
    Ok((first..=today).map(day).collect())
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

//! Requests, and what becomes of them.

use grading::copy_trade::{CopyFinding, CopyQuestion, CopyTradeJudge};
use grading::grade_strategy::{GradeFinding, GradeJudge, GradeQuestion};
use receipt::json::Json;
use serde_json::{Value, json};
use verdict::{Fields, Judge as _, Question, Timestamp};

/// The time at which everything here is judged.
pub fn now() -> Timestamp {
    "2026-11-21T12:00:00.000Z".parse().unwrap()
}

fn read<Q: Question>(body: &Value) -> Result<Q, (String, &'static str)> {
    let request = receipt::json::parse(body.to_string().as_bytes()).unwrap();
    let Json::Object(request) = request else { panic!("{body} is no object") };
    Q::read(&Fields::root(&request)).map_err(|error| (error.path.dotted(), error.reason.code()))
}

/// The question, or the field that is wrong, and why.
pub fn question(body: &Value) -> Result<GradeQuestion, (String, &'static str)> {
    let question: GradeQuestion = read(body)?;
    question.admit(now()).map_err(|error| (error.path.dotted(), error.reason.code()))?;
    Ok(question)
}

pub fn grade(body: &Value) -> GradeFinding {
    GradeJudge.replay(&question(body).unwrap(), &[], now()).unwrap()
}

pub fn copy_question(body: &Value) -> Result<CopyQuestion, (String, &'static str)> {
    read(body)
}

pub fn copy(body: &Value) -> CopyFinding {
    CopyTradeJudge.replay(&copy_question(body).unwrap(), &[], now()).unwrap()
}

/// That a request is refused for this field.
#[track_caller]
pub fn refused(body: &Value, field: &str, reason: &str) {
    assert_eq!(question(body).unwrap_err(), (field.to_owned(), reason), "{body}");
}

/// A trade that has everything.
pub fn trade() -> Value {
    json!({
        "trade_id": "t-1", "instrument": "XYZ", "side": "long", "opened_at": "2026-01-05T09:00:00Z",
        "closed_at": "2026-01-05T15:00:00Z", "settled": true, "currency": "USD", "size": 10, "entry_price": 100,
        "exit_price": 101, "fees": 1, "pnl_net": 9, "equity_before": 1000, "max_loss": 50, "benchmark_return": 0.001,
    })
}

/// The value with members changed; `null` in place of a member takes it out.
pub fn with(mut value: Value, changes: Value) -> Value {
    for (name, change) in changes.as_object().unwrap() {
        match change {
            Value::Null => drop(value.as_object_mut().unwrap().remove(name)),
            change => value[name] = change.clone(),
        }
    }
    value
}

pub fn trades(trades: impl IntoIterator<Item = Value>) -> Value {
    json!({"agent": "a", "risk_free": 0, "declared_trials": 5, "trades": trades.into_iter().collect::<Vec<_>>()})
}

/// Numbers spread evenly over -1 to 1, as random as these tests need.
pub fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX) * 2.0 - 1.0
    }
}

/// The day so many days after 2024-01-01.
pub fn day(after: i64) -> String {
    let instant = jiff::Timestamp::from_second(1_704_067_200 + after * 86_400).unwrap();
    instant.to_string()[..10].to_owned()
}

/// A year of daily trades of half the equity each, with so much of an edge and so wide a spread.
pub fn year(edge: f64, spread: f64) -> Vec<Value> {
    let (mut luck, mut market) = (noise(7), noise(11));
    (0..250)
        .map(|at| {
            let (equity, size, entry) = (100_000.0, 500.0, 100.0);
            let exit = ((entry * (1.0 + edge + spread * luck())) * 10_000.0_f64).round() / 10_000.0;
            let pnl = ((exit - entry) * size * 100.0_f64).round() / 100.0 - 1.0;
            json!({
                "trade_id": format!("t-{at}"), "side": "long", "opened_at": format!("{}T09:00:00Z", day(at)),
                "closed_at": format!("{}T15:00:00Z", day(at)), "settled": true, "currency": "USD", "size": size,
                "entry_price": entry, "exit_price": exit, "fees": 1, "pnl_net": pnl, "equity_before": equity,
                "max_loss": 1_000, "benchmark_return": (market() * 1e6_f64).round() / 1e8,
            })
        })
        .collect()
}

/// The costs of a copier who pays little.
pub fn low_costs() -> Value {
    json!({
        "half_spread": 0.0001, "fee": "0.0001", "order_size": 10_000, "adv": 100_000_000, "daily_volatility": 0.01,
        "latency_seconds": 1,
    })
}

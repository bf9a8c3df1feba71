//! A record as the request of a caller who states it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::record::{CopyCosts, Costs, Day, Mark, Record, Rows, Trade};

/// The most instruments that costs are stated for one by one.
const MOST_INSTRUMENTS: usize = 256;
const SECONDS_A_DAY: i64 = 86_400;

/// Returns the JSON members of a request that states a record, as `/grade-strategy` takes it: rows, statements and, where the
/// record has them, a copier's costs. Trades are stated as closed, with the benchmark's return over their whole hold, and the
/// account's marks where the record has them. `costs` names every instrument that was traded, and the drift of each.
///
/// ```
/// use simulated_returns::{cells, record, request};
///
/// let cell = cells().into_iter().find(|cell| cell.name().starts_with("scalper")).expect("a cell");
/// let body = request(&record(&cell, 7));
/// assert_eq!(body["trades"][0]["opened_at"], "2019-01-07T13:30:00Z");
/// assert_eq!(body["costs"]["by_instrument"]["ES"]["measured_drift"], 6e-4);
/// ```
#[must_use]
pub fn request(record: &Record) -> Value {
    let mut body = Map::new();
    body.insert("agent".to_owned(), json!("simulated"));
    body.insert("risk_free".to_owned(), json!(record.risk_free));
    match &record.rows {
        Rows::Days(days) => body.insert("returns".to_owned(), days.iter().map(day).collect()),
        Rows::Trades { trades, marks } => {
            if !marks.is_empty() {
                body.insert("marks".to_owned(), marks.iter().map(mark).collect());
            }
            body.insert("trades".to_owned(), trades.iter().map(trade).collect())
        }
    };
    if let Some(trials) = record.declared_trials {
        body.insert("declared_trials".to_owned(), json!(trials));
    }
    if record.cash_is_benchmark {
        body.insert("benchmark".to_owned(), json!("cash"));
    }
    if !record.alternatives.is_empty() {
        body.insert("alternatives".to_owned(), json!(record.alternatives));
    }
    if let (Some(stated), Rows::Trades { trades, .. }) = (&record.costs, &record.rows) {
        body.insert("costs".to_owned(), costs(stated, trades));
    }
    Value::Object(body)
}

fn day(day: &Day) -> Value {
    let mut row = json!({ "date": date(day.day), "r": day.r });
    put(&mut row, "b", day.b);
    put(&mut row, "max_loss", day.max_loss);
    row
}

fn mark(mark: &Mark) -> Value {
    json!({ "date": date(mark.day), "equity": mark.equity, "b": mark.benchmark })
}

fn trade(trade: &Trade) -> Value {
    let mut row = json!({
        "instrument": trade.instrument,
        "opened_at": time(trade.opened_at),
        "closed_at": time(trade.closed_at),
        "settled": true,
        "fees": trade.fees,
        "pnl_net": trade.pnl_net,
        "equity_before": trade.equity_before,
        "benchmark_return": trade.benchmark_of_hold,
    });
    put(&mut row, "max_loss", trade.max_loss);
    if let Some(happened) = trade.outcome {
        put(&mut row, "price", Some(trade.entry_price));
        put(&mut row, "stake", Some(trade.notional()));
        put(&mut row, "outcome", Some(if happened { 1.0 } else { 0.0 }));
    } else {
        row["side"] = json!(if trade.side.sign() > 0.0 { "long" } else { "short" });
        put(&mut row, "size", Some(trade.size));
        put(&mut row, "entry_price", Some(trade.entry_price));
        put(&mut row, "exit_price", Some(trade.exit_price));
    }
    row
}

fn costs(stated: &CopyCosts, trades: &[Trade]) -> Value {
    let names: BTreeSet<&str> = trades.iter().map(|trade| trade.instrument.as_str()).collect();
    let own = |name: &&str| {
        let costs = stated.by_instrument.iter().find(|(of, _)| of == name);
        (
            (*name).to_owned(),
            instrument(costs.map_or(&stated.general, |(_, costs)| costs), stated.measured_drift),
        )
    };
    let mut all = instrument(&stated.general, stated.measured_drift);
    all["order_size"] = json!(stated.general.order_size);
    all["latency_seconds"] = json!(stated.general.latency_seconds);
    if names.len() <= MOST_INSTRUMENTS {
        all["by_instrument"] = Value::Object(names.iter().map(own).collect());
    }
    all
}

fn instrument(costs: &Costs, drift: f64) -> Value {
    json!({
        "half_spread": costs.half_spread,
        "fee": costs.fee,
        "adv": costs.adv,
        "daily_volatility": costs.daily_volatility,
        "measured_drift": drift,
    })
}

fn put(row: &mut Value, name: &str, number: Option<f64>) {
    if let Some(number) = number {
        row[name] = json!(number);
    }
}

/// A time of RFC 3339. Records lie within the range of times.
fn time(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

fn date(day: i32) -> String {
    let at = Timestamp::from_second(i64::from(day) * SECONDS_A_DAY).unwrap_or_default();
    Date::from(at.to_zoned(jiff::tz::TimeZone::UTC).datetime()).to_string()
}

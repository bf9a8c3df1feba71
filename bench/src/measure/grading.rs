//! Grading: how long one client alone waits for the grade of a record of 2,000 settlement days, every step of the rule and
//! the whole bootstrap included; from its trades, and from its returns.

use receipt::time::Timestamp;
use serde_json::{Value, json};

use super::{Bench, latency};
use crate::http;
use crate::questions::Random;
use crate::report::{Report, Target};

const COMMAND: &str = "grading";
const PATH: &str = "/grade-strategy";
/// Settlement days of a record.
const DAYS: i64 = 2000;
/// Records that differ.
const RECORDS: u64 = 20;
const MILLIS_A_DAY: i64 = 86_400_000;
/// 2019-01-01.
const FIRST_DAY: i64 = 17_897;

/// Measures it and adds the figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let scratch = bench.scratch()?;
    let notary = bench.notary(scratch.path())?;
    let forms = [
        ("2,000 trades graded, p95", of_trades as fn(u64) -> anyhow::Result<Value>),
        ("2,000 returns graded, p95", of_returns),
    ];
    for (name, form) in forms {
        let request = |number| anyhow::Ok(http::post(PATH, form(number)?.to_string().as_bytes()));
        let requests = (0..RECORDS).map(request).collect::<anyhow::Result<Vec<_>>>()?;
        // A whole bootstrap, not a record that was refused before it.
        let mut plan = bench.plan(&notary, &requests, r#""observed":"#);
        plan.connections = 1;
        let outcomes = bench.repeat(&plan)?;
        report.add(latency(name, COMMAND, &outcomes, 95.0, Target::AtMost(150.0)));
    }
    Ok(())
}

/// A day's return with something of an edge, in millionths; its benchmark's return.
fn day(random: &mut Random) -> (i64, i64) {
    let mut swing = |width: u64| (0..4).map(|_| random.below(width) as i64).sum::<i64>() - 2 * width as i64;
    (1500 + swing(17_000), swing(17_000))
}

fn date(at: i64) -> anyhow::Result<String> {
    Ok(Timestamp::from_millis((FIRST_DAY + at) * MILLIS_A_DAY)?.day())
}

fn of_returns(number: u64) -> anyhow::Result<Value> {
    let mut random = Random::new(number);
    let row = |at| {
        let (r, b) = day(&mut random);
        let (r, b) = (r as f64 / 1e6, b as f64 / 1e6);
        Ok(json!({"date": date(at)?, "r": r, "b": b, "max_loss": 0.05}))
    };
    let rows = (0..DAYS).map(row).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(json!({"agent": format!("bench-{number}"), "declared_trials": 1, "returns": rows}))
}

/// A trade a day of half the equity.
fn of_trades(number: u64) -> anyhow::Result<Value> {
    let mut random = Random::new(number);
    let row = |at| {
        let (r, b) = day(&mut random);
        let date = date(at)?;
        // 500 of a thing at 100, of an equity of 100,000: a hundredth of a price is a twenty-thousandth of that.
        let cents = r / 50;
        anyhow::Ok(json!({
            "trade_id": format!("{number}-{at}"), "instrument": "XYZ", "side": "long",
            "opened_at": format!("{date}T09:00:00Z"), "closed_at": format!("{date}T15:30:00Z"), "settled": true,
            "currency": "USD", "size": 500, "entry_price": "100.00",
            "exit_price": format!("{:.2}", 100.0 + cents as f64 / 100.0), "fees": "1.00", "pnl_net": cents * 5 - 1,
            "equity_before": 100_000, "max_loss": 5000, "benchmark_return": b as f64 / 1e6,
        }))
    };
    let rows = (0..DAYS).map(row).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(json!({"agent": format!("bench-{number}"), "declared_trials": 1, "trades": rows}))
}

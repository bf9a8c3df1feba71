//! The rule on simulated records whose truth is known: `grading/track_records.jsonl`, judged by the rates that its
//! authors ask for. Rows without dates get the weekdays from 2015-01-01.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use grading::rule::{Asked, rule};
use grading::{Benchmark, Record, Reservations, Unit, Verdict};
use serde::Deserialize;

use crate::outcome::Outcome;

/// 2015-01-01, a Thursday, in days since 1970-01-01.
const FIRST_DAY: i32 = 16_436;

#[derive(Deserialize)]
struct Row {
    id: String,
    true_label: String,
    generating_process: Process,
    declared_trials: Option<u32>,
    hidden_tail_stake: Option<f64>,
    returns: Vec<f64>,
    benchmark: Vec<f64>,
}

#[derive(Deserialize)]
struct Process {
    kind: String,
    annual_sharpe: f64,
    n: usize,
    periods_per_year: f64,
}

/// A rate that the data's authors ask for.
struct Goal {
    name: &'static str,
    counts: fn(&Row) -> bool,
    wrong: Verdict,
    /// The greatest share that may be wrong, rounded up to whole records.
    most: f64,
}

const GOALS: [Goal; 5] = [
    Goal {
        name: "false_edge",
        counts: |row| {
            ["ZERO_EDGE", "NEGATIVE", "REGIME_BETA", "MARTINGALE_ZERO_EV"].contains(&row.true_label.as_str())
        },
        wrong: Verdict::RealEdge,
        most: 0.01,
    },
    Goal {
        name: "selected",
        counts: |row| row.true_label == "SELECTED",
        wrong: Verdict::RealEdge,
        most: 0.015,
    },
    Goal {
        name: "temporal",
        counts: |row| row.true_label == "REGIME_TEMPORAL",
        wrong: Verdict::RealEdge,
        most: 0.05,
    },
    Goal {
        name: "jackpot",
        counts: |row| row.true_label == "REGIME_JACKPOT",
        wrong: Verdict::RealEdge,
        most: 0.05,
    },
    Goal {
        name: "lost_edge",
        counts: |row| {
            let process = &row.generating_process;
            row.true_label == "EDGE" && process.annual_sharpe >= 2.0 && process.n >= 250
        },
        wrong: Verdict::NegativeEv,
        most: 0.01,
    },
];

pub fn run(folder: &Path) -> Option<Outcome> {
    let text = fs::read_to_string(folder.join("track_records.jsonl")).ok()?;
    let mut outcome = Outcome { name: "grading/labelled".to_owned(), ..Outcome::default() };
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        outcome.total += 1;
        match serde_json::from_str::<Row>(line) {
            Ok(row) if row.returns.len() == row.benchmark.len() => {
                let ruling = rule(&record(&row), Asked::default());
                rows.push((row, ruling));
            }
            Ok(row) => outcome.failures.push(format!("{}: the two series differ in length", row.id)),
            Err(error) => outcome.failures.push(format!("line {}: {error}", number + 1)),
        }
    }
    outcome.passed = rows.len();
    let mut holds = rows.len() == outcome.total;
    let mut figures = Vec::new();
    for goal in &GOALS {
        let counted: Vec<_> = rows.iter().filter(|(row, _)| (goal.counts)(row)).collect();
        let wrong: Vec<_> = counted.iter().filter(|(_, ruling)| ruling.verdict == goal.wrong).collect();
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let most = (goal.most * counted.len() as f64).ceil() as usize; // a few hundred
        holds &= wrong.len() <= most;
        outcome.passed -= wrong.len().min(outcome.passed);
        figures.push(format!("{}={}/{} (at most {most})", goal.name, wrong.len(), counted.len()));
        for (row, ruling) in wrong {
            let Process { kind, n, .. } = &row.generating_process;
            outcome.failures.push(format!("{} ({kind}, {n} units): {:?}", row.id, ruling.verdict));
        }
    }
    outcome.figures = figures.join(" ");
    outcome.details = table(rows.iter().map(|(row, ruling)| (row, ruling.verdict)));
    outcome.bar = Some(holds);
    Some(outcome)
}

/// A line for each process and Sharpe ratio: how many of each verdict.
fn table<'r>(rows: impl Iterator<Item = (&'r Row, Verdict)>) -> Vec<String> {
    let mut table: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    for (row, verdict) in rows {
        let Process { kind, annual_sharpe, .. } = &row.generating_process;
        let cell = table.entry(format!("{kind} sharpe {annual_sharpe}")).or_default();
        *cell.entry(format!("{verdict:?}")).or_default() += 1;
    }
    table.into_iter().map(|(name, verdicts)| format!("{name}: {verdicts:?}")).collect()
}

fn record(row: &Row) -> Record {
    let weekdays = (FIRST_DAY..).filter(|day| (day + 3) % 7 < 5);
    let values = row.returns.iter().zip(&row.benchmark);
    let unit = |(day, (x, b)): (i32, (&f64, &f64))| Unit {
        day,
        x: *x,
        b: Some(*b),
        max_loss: row.hidden_tail_stake,
    };
    Record {
        units: weekdays.zip(values).map(unit).collect(),
        declared_trials: row.declared_trials,
        periods_per_year: row.generating_process.periods_per_year,
        benchmark: Benchmark::Series,
        reservations: Reservations::default(),
        open_loss: 0.0,
        alternatives: Vec::new(),
    }
}

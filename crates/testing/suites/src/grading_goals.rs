//! The labelled track records of `grading/track_records.jsonl`, and the rates that their authors ask for. It knows nothing
//! of who graded them: the project's own test of `touchstone judge` reads the same records.

use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday, date};
use serde::Deserialize;
use serde_json::{Value, json};

/// The first weekday of rows without dates.
const FIRST_DAY: Date = date(2015, 1, 1);

/// A record whose truth is known.
#[derive(Deserialize)]
pub struct Labelled {
    pub id: String,
    true_label: String,
    pub generating_process: Process,
    declared_trials: Option<u32>,
    hidden_tail_stake: Option<f64>,
    returns: Vec<f64>,
    benchmark: Vec<f64>,
}

/// The process that made the record.
#[derive(Deserialize)]
pub struct Process {
    pub kind: String,
    pub annual_sharpe: f64,
    pub n: usize,
    periods_per_year: f64,
}

impl Labelled {
    /// Reads a line.
    pub fn read(line: &str) -> Result<Self, String> {
        let record: Self = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if record.returns.len() == record.benchmark.len() {
            Ok(record)
        } else {
            Err(format!("{}: the two series differ in length", record.id))
        }
    }

    /// The record as a caller asks about it.
    pub fn question(&self) -> Value {
        let weekdays = FIRST_DAY
            .series(1.day())
            .filter(|day| !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday));
        let rows = weekdays.zip(self.returns.iter().zip(&self.benchmark)).map(|(day, (r, b))| {
            json!({"date": day.to_string(), "r": r, "b": b, "max_loss": self.hidden_tail_stake})
        });
        let mut question = json!({
            "agent": "suite",
            "returns": rows.collect::<Vec<_>>(),
            "periods_per_year": self.generating_process.periods_per_year,
        });
        if let Some(trials) = self.declared_trials {
            question["declared_trials"] = json!(trials);
        }
        question
    }
}

/// A rate that the data's authors ask for.
struct Goal {
    name: &'static str,
    counts: fn(&Labelled) -> bool,
    wrong: &'static str,
    /// The greatest share that may be wrong, rounded up to whole records.
    most: f64,
}

const GOALS: [Goal; 5] = [
    Goal {
        name: "false_edge",
        counts: |record| {
            ["ZERO_EDGE", "NEGATIVE", "REGIME_BETA", "MARTINGALE_ZERO_EV"].contains(&&*record.true_label)
        },
        wrong: "REAL_EDGE",
        most: 0.01,
    },
    Goal {
        name: "selected",
        counts: |record| record.true_label == "SELECTED",
        wrong: "REAL_EDGE",
        most: 0.015,
    },
    Goal {
        name: "temporal",
        counts: |record| record.true_label == "REGIME_TEMPORAL",
        wrong: "REAL_EDGE",
        most: 0.05,
    },
    Goal {
        name: "jackpot",
        counts: |record| record.true_label == "REGIME_JACKPOT",
        wrong: "REAL_EDGE",
        most: 0.05,
    },
    Goal {
        name: "lost_edge",
        counts: |record| {
            let process = &record.generating_process;
            record.true_label == "EDGE" && process.annual_sharpe >= 2.0 && process.n >= 250
        },
        wrong: "NEGATIVE_EV",
        most: 0.01,
    },
];

/// A rate of wrong verdicts, and its bound.
pub struct Rate<'r> {
    pub name: &'static str,
    /// The records that were given the wrong verdict.
    pub wrong: Vec<&'r (Labelled, String)>,
    /// All that it is over.
    pub of: usize,
    /// The most records that may be wrong.
    pub most: usize,
}

impl Rate<'_> {
    /// Returns true if the rate is within its bound.
    pub fn holds(&self) -> bool {
        self.wrong.len() <= self.most
    }
}

/// Every rate over records and their verdicts.
pub fn rates(graded: &[(Labelled, String)]) -> Vec<Rate<'_>> {
    let rate = |goal: &Goal| {
        let counted: Vec<_> = graded.iter().filter(|(record, _)| (goal.counts)(record)).collect();
        let of = counted.len();
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let most = (goal.most * of as f64).ceil() as usize; // a few hundred
        let wrong = counted.into_iter().filter(|(_, verdict)| verdict == goal.wrong).collect();
        Rate { name: goal.name, wrong, of, most }
    };
    GOALS.iter().map(rate).collect()
}

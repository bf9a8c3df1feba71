//! Simulated returns as records, for tests.

use simulated_returns::{Process, YEAR, simulate};

use crate::record::{Benchmark, PossibleLosses, Reservations, SettlementUnit, TrackRecord};

/// A record on five days of seven, of a Sharpe ratio a year, that declares no trials and gives no greatest loss.
pub(crate) fn record(process: Process, units: usize, sharpe: f64, number: u64) -> TrackRecord {
    let made = simulate(process, units, sharpe, number);
    // Monday, 1970-01-05, is the first.
    let day = |at: usize| i32::try_from(at / 5 * 7 + at % 5 + 4).unwrap();
    let rows = made.x.into_iter().zip(made.b).enumerate();
    TrackRecord {
        units: rows
            .map(|(at, (x, b))| SettlementUnit { day: day(at), x, b: Some(b), max_loss: None })
            .collect(),
        declared_trials: None,
        periods_per_year: YEAR,
        benchmark: Benchmark::Series,
        reservations: Reservations::default(),
        open_losses: Vec::new(),
        unreconciled_equity: Vec::new(),
        alternatives: Vec::new(),
        lacks_risk_free: false,
        possible: PossibleLosses::default(),
        cash: Vec::new(),
    }
}

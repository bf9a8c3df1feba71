//! Generators of records of daily returns.

pub(crate) mod benchmark;
pub(crate) mod edge;
pub(crate) mod selection;

use crate::market::{WARM_UP, date};
use crate::record::Day;

/// A day's standard deviation.
pub(crate) const SPREAD: f64 = 0.01;

/// Daily returns before their owner states anything.
pub(crate) struct Series {
    /// Fractions of the equity.
    pub x: Vec<f64>,
    /// The benchmark's; empty where cash is the benchmark.
    pub b: Vec<f64>,
    /// The greatest intended loss of a day, as a fraction of the equity.
    pub stake: f64,
}

impl Series {
    /// A series whose greatest intended loss is five standard deviations of 1 %.
    pub fn new(x: Vec<f64>, b: &[f64]) -> Self {
        Self { x, b: b.to_vec(), stake: 5.0 * SPREAD }
    }

    /// The rows of the series.
    pub fn rows(&self) -> Vec<Day> {
        // Nobody truthfully says that less could be lost than was lost.
        let worst = self.x.iter().fold(self.stake, |worst, x| worst.max(-x));
        let row = |(at, r): (usize, &f64)| Day {
            day: date(WARM_UP + at),
            r: *r,
            b: self.b.get(at).copied(),
            max_loss: Some(worst),
        };
        self.x.iter().enumerate().map(row).collect()
    }
}

//! Simulated track records: daily returns from a process that is known to have, or not to have, an edge.
//!
//! A record depends only on its process, its length, its Sharpe ratio and its number. The returns are the same on any
//! computer, since all transcendental functions are those of `libm`. Tests and benchmarks of the grading rule use these
//! records; `touchstone bench grading-calibration` measures the rule's error rates on them.
//!
//! Two families: [`simulate`] draws the daily returns of a [`Process`]; [`record`] draws the record of a [`Cell`], which
//! has trades or days, marks, and the statements of its owner.

mod cell;
mod days;
mod market;
mod process;
mod random;
mod record;
mod request;
mod trades;

pub use cell::{Cell, Generator, Label, Part, cells, record};
pub use days::edge::Noise;
pub use process::{Process, Returns};
pub use record::{CopyCosts, Costs, Day, FIRST_DAY, Mark, Record, Rows, Side, Trade};
pub use request::request;
pub use trades::holds::Instruments;

use random::Random;

/// Number of units in a simulated year.
pub const YEAR: f64 = 252.0;

/// Simulates a record of `units` returns with a true Sharpe ratio of `sharpe` for a year. The same arguments give the
/// same record; `number` selects one of many.
///
/// ```
/// use simulated_returns::{Process, simulate};
///
/// let record = simulate(Process::Normal, 250, 2.0, 7);
/// assert_eq!(record.x.len(), 250);
/// assert_eq!(record, simulate(Process::Normal, 250, 2.0, 7));
/// assert_ne!(record, simulate(Process::Normal, 250, 2.0, 8));
/// ```
#[must_use]
pub fn simulate(process: Process, units: usize, sharpe: f64, number: u64) -> Returns {
    let name = format!("{}/{units}/{sharpe}", process.name());
    process.simulate(units, sharpe, &mut Random::new(&name, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean and the standard deviation.
    fn moments(x: &[f64]) -> (f64, f64) {
        let n = random::count(x.len());
        let mean = process::mean(x);
        let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
        (mean, libm::sqrt(squares / n))
    }

    #[test]
    fn processes_have_the_edge_and_the_spread_that_they_are_said_to_have() {
        for process in Process::NULLS {
            let (mean, sd) = moments(&simulate(process, 40_000, 0.0, 0).x);
            assert!((mean / sd).abs() < 4.0 / 200.0, "{process:?}: {mean}, {sd}");
        }
        for process in [Process::StudentT5, Process::LeftSkewed, Process::Garch, Process::Autoregressive] {
            let (mean, sd) = moments(&simulate(process, 40_000, 2.0, 0).x);
            assert!((sd / 0.01 - 1.0).abs() < 0.15, "{process:?}: {mean}, {sd}");
            assert!((mean / sd * YEAR.sqrt() - 2.0).abs() < 0.5, "{process:?}: {mean}, {sd}");
        }
    }
}

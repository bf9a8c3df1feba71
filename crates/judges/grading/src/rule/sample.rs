//! A record's units in the form that the statistics use.

use super::ONE_SIDED_95;
use crate::record::{Benchmark, PossibleLosses, SettlementUnit, TrackRecord, exceeds};
use crate::statistics::count;
use crate::statistics::moments::{Moments, autocorrelation};
use crate::statistics::newey_west::standard_error;

/// The greatest absolute return, of a unit or the benchmark, that enters the computation. The fourth power of such a
/// return can be summed without overflow.
const GREATEST: f64 = 1e6;

/// The units of a record with the statistics that several steps use.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The returns in order of day, as fractions of the equity.
    pub x: Vec<f64>,
    /// The benchmark's returns, if every unit has one.
    pub b: Option<Vec<f64>>,
    /// The moments of `x`.
    pub moments: Moments,
    /// Newey-West standard error of the mean.
    pub error: f64,
    /// Lowest return.
    pub least: f64,
    /// Largest possible loss of any unit, a positive fraction of the equity, if every unit states it.
    pub max_loss: Option<f64>,
    /// True if a unit lost more than its stated maximum loss.
    pub is_exceeded: bool,
    /// Effective sample size of the units, by the first autocorrelation if it is positive (Bayley and Hammersley 1946).
    pub independent: f64,
    /// Square root of the number of units in a year.
    pub year: f64,
    /// The losses that were possible, as far as they are known.
    pub possible: PossibleLosses,
}

impl Sample {
    /// Computes the sample; `None` if a number exceeds the range of the statistics.
    pub fn read(record: &TrackRecord) -> Option<Self> {
        let within = |x: f64| x.abs() <= GREATEST;
        let x: Vec<f64> = record.units.iter().map(|unit| unit.x).collect();
        let b: Option<Vec<f64>> = match record.benchmark {
            Benchmark::Series => record.units.iter().map(|unit| unit.b).collect(),
            Benchmark::Cash | Benchmark::Partial | Benchmark::Absent => None,
        };
        let all = x.iter().chain(b.iter().flatten());
        let periods = record.periods_per_year;
        let variants = record.alternatives.iter().flatten();
        if !all.chain(variants).all(|x| within(*x)) || !within(periods) || periods <= 0.0 {
            return None;
        }
        if record.benchmark == Benchmark::Series && b.is_none() {
            return None;
        }
        let moments = Moments::of(&x);
        let r = autocorrelation(&x, 1).max(0.0);
        let losses: Option<Vec<f64>> = record.units.iter().map(|unit| unit.max_loss).collect();
        let exceeds = |unit: &SettlementUnit| unit.max_loss.is_some_and(|most| exceeds(-unit.x, most));
        Some(Self {
            independent: count(x.len()) * (1.0 - r) / (1.0 + r),
            error: standard_error(&x),
            least: x.iter().copied().fold(f64::INFINITY, f64::min),
            max_loss: losses.map(|losses| losses.into_iter().fold(0.0, f64::max)),
            is_exceeded: record.units.iter().any(exceeds),
            moments,
            year: libm::sqrt(periods),
            possible: record.possible,
            b,
            x,
        })
    }

    /// Returns the largest possible loss of any unit; `None` if it is not stated, or the record exceeds it.
    pub fn known_max_loss(&self) -> Option<f64> {
        self.max_loss.filter(|_| !self.is_exceeded)
    }

    /// Returns the upper 95% bound of the yearly Sharpe ratio for a mean, by the effective sample size (Lo 2002).
    pub fn highest_sharpe(&self, mean: f64) -> f64 {
        (mean / self.moments.sd + ONE_SIDED_95 / libm::sqrt(self.independent)) * self.year
    }
}

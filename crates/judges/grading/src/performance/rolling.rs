//! The Sharpe ratio of the year before each of a number of days.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::six_places;
use crate::day::Day;
use crate::record::TrackRecord;
use crate::statistics::moments::Moments;
use crate::statistics::whole;

/// Maximum number of points of a finding.
pub const MOST_ROLLING: usize = 120;
/// The fewest units of a year whose ratio says anything.
const FEWEST: usize = 12;

/// The Sharpe ratio of a year of units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RollingSharpe {
    /// The last day of the year.
    pub date: Day,
    /// The Sharpe ratio a year, over the units of the year that ends with that day.
    pub sharpe: f64,
}

/// Returns the ratios of windows of a year's units, at most [`MOST_ROLLING`] at equal distances, the first and the last
/// among them. Empty where the record is shorter than a year, or a year has under [`FEWEST`] units.
pub fn rolling(record: &TrackRecord) -> Vec<RollingSharpe> {
    let x: Vec<f64> = record.units.iter().map(|unit| unit.x).collect();
    let window = whole(libm::round(record.periods_per_year), usize::MAX);
    if window < FEWEST || x.len() < window {
        return Vec::new();
    }
    let last = x.len() - window;
    let points = (last + 1).min(MOST_ROLLING);
    let start = |point: usize| if points > 1 { point * last / (points - 1) } else { last };
    let at = |start: usize| {
        let end = start + window;
        let ratio = Moments::of(x.get(start..end)?).sharpe() * libm::sqrt(record.periods_per_year);
        Some(RollingSharpe { date: Day(record.units.get(end - 1)?.day), sharpe: six_places(ratio)? })
    };
    (0..points).filter_map(|point| at(start(point))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated;
    use simulated_returns::Process;

    #[test]
    fn a_record_of_over_a_year_has_ratios_up_to_its_last_day() {
        let record = simulated::record(Process::StudentT5, 756, 2.0, 1);
        let found = rolling(&record);
        assert_eq!(found.len(), MOST_ROLLING);
        assert_eq!(found.last().map(|point| point.date.0), record.units.last().map(|unit| unit.day));
        assert_eq!(found[0].date.0, record.units[251].day);
        assert!(found.windows(2).all(|pair| pair[0].date < pair[1].date));
        assert_eq!(rolling(&simulated::record(Process::StudentT5, 252, 2.0, 1)).len(), 1);
        assert!(rolling(&simulated::record(Process::StudentT5, 251, 2.0, 1)).is_empty());
    }

    #[test]
    fn a_year_without_variation_has_no_ratio() {
        let mut record = simulated::record(Process::StudentT5, 300, 2.0, 1);
        record.units.iter_mut().for_each(|unit| unit.x = 0.0);
        assert!(rolling(&record).is_empty());
    }
}

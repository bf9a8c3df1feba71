//! Growth by calendar month and by calendar year.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::six_places;
use crate::day::Day;
use crate::record::SettlementUnit;

/// Maximum number of months of a finding: fifty years.
pub const MOST_MONTHS: usize = 600;
/// Maximum number of years of a finding.
pub const MOST_YEARS: usize = 50;

/// The growth of a calendar month.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MonthGrowth {
    /// The month, as `2024-01`.
    pub month: String,
    /// The returns of its units, compounded, as a fraction.
    pub growth: f64,
}

/// The growth of a calendar year.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct YearGrowth {
    /// The year.
    pub year: i16,
    /// The returns of its units, compounded, as a fraction.
    pub growth: f64,
}

/// Returns the growth of each month that has a unit, of the last [`MOST_MONTHS`] of them.
pub fn months(units: &[SettlementUnit]) -> Vec<MonthGrowth> {
    let month = |unit: &SettlementUnit| Day(unit.day).date().strftime("%Y-%m").to_string();
    let same = |one: &SettlementUnit, other: &SettlementUnit| {
        let (one, other) = (Day(one.day).date(), Day(other.day).date());
        (one.year(), one.month()) == (other.year(), other.month())
    };
    let growth = |units: &[SettlementUnit]| {
        Some(MonthGrowth { month: month(units.first()?), growth: compounded(units)? })
    };
    last(units.chunk_by(same).rev().filter_map(growth).take(MOST_MONTHS))
}

/// Returns the growth of each year that has a unit, of the last [`MOST_YEARS`] of them.
pub fn years(units: &[SettlementUnit]) -> Vec<YearGrowth> {
    let year = |unit: &SettlementUnit| Day(unit.day).date().year();
    let growth = |units: &[SettlementUnit]| {
        Some(YearGrowth { year: year(units.first()?), growth: compounded(units)? })
    };
    let by_year = units.chunk_by(|one, other| year(one) == year(other));
    last(by_year.rev().filter_map(growth).take(MOST_YEARS))
}

fn compounded(units: &[SettlementUnit]) -> Option<f64> {
    six_places(units.iter().fold(1.0, |equity, unit| equity * (1.0 + unit.x)) - 1.0)
}

/// In order of time, from what was taken backwards.
fn last<T>(backwards: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = backwards.collect();
    all.reverse();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(date: &str, x: f64) -> SettlementUnit {
        SettlementUnit { day: Day::of(date.parse().unwrap()).unwrap().0, x, b: None, max_loss: None }
    }

    #[test]
    fn returns_compound_within_their_month_and_their_year() {
        let units = [
            unit("2023-12-31", 0.1),
            unit("2024-01-01", 0.1),
            unit("2024-01-31", 0.1),
            unit("2024-03-01", -0.5),
        ];
        let months: Vec<_> = months(&units).into_iter().map(|of| (of.month, of.growth)).collect();
        let expected = [("2023-12", 0.1), ("2024-01", 0.21), ("2024-03", -0.5)];
        assert_eq!(months, expected.map(|(month, growth)| (month.to_owned(), growth)));
        let years: Vec<_> = years(&units).into_iter().map(|of| (of.year, of.growth)).collect();
        assert_eq!(years, [(2023, 0.1), (2024, -0.395)]);
    }

    #[test]
    fn of_a_longer_record_the_last_months_and_years_are_kept() {
        let units: Vec<_> =
            (0..2_000).map(|at| SettlementUnit { day: at * 31, x: 0.0, b: None, max_loss: None }).collect();
        let (months, years) = (months(&units), years(&units));
        assert_eq!((months.len(), years.len()), (MOST_MONTHS, MOST_YEARS));
        let last = Day(1_999 * 31).date();
        assert_eq!(years.last().map(|of| of.year), Some(last.year()));
        assert_eq!(months.last().map(|of| of.month.clone()), Some(last.strftime("%Y-%m").to_string()));
        assert!(months.windows(2).all(|pair| pair[0].month < pair[1].month));
    }
}

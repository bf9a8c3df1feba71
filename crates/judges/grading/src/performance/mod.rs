//! The figures that people know a track record by. None of them decides anything.
//!
//! Each has six decimal places, and is absent where the record does not have it. The lists are bounded, since receipts are
//! kept for ever.
//!
//! | module | holds |
//! |---|---|
//! | `calendar` | growth by month and by year |
//! | `drawdown` | the deepest drawdowns with their dates |
//! | `rolling` | the Sharpe ratio of the last year, over time |
//! | `holdings` | exposure and leverage, of the trades |

mod calendar;
mod drawdown;
mod holdings;
mod rolling;

pub use calendar::{MOST_MONTHS, MOST_YEARS, MonthGrowth, YearGrowth};
pub use drawdown::{Drawdown, MOST_DRAWDOWNS};
pub(crate) use holdings::Holdings;
pub use rolling::{MOST_ROLLING, RollingSharpe};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::TrackRecord;
use crate::statistics::moments::Moments;
use crate::statistics::performance::{
    annual_growth, annual_volatility, calmar, expected_shortfall, profit_factor, quantile, sortino, win_rate,
};
use crate::statistics::sharpe::{deflated, min_track_record, probabilistic, standard_deviation};

/// The standard normal's 97.5th percentile.
const TWO_SIDED_95: f64 = 1.959_963_984_540_054;
/// The probability at which a Sharpe ratio above zero counts as shown.
const SHOWN: f64 = 0.99;
/// The share of units that are worse than the value at risk.
const RISK_SHARE: f64 = 0.05;
/// The most units that are said to be needed: a century of days.
const MOST_UNITS: f64 = 36_525.0;

/// Figures of a record: over its returns, less the return of cash where `risk_free` is given, and before anything that a
/// benchmark explains is taken away. A figure that the record does not have is absent.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Performance {
    /// The return of cash in a year that was taken off all returns, as a fraction; absent where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_free: Option<f64>,
    /// Sharpe ratio a year, over nothing: the mean over the standard deviation, times the root of the units in a year (Sharpe 1994).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharpe: Option<f64>,
    /// Lower end of its 95% interval (Bailey and Lopez de Prado 2012, eq. 8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharpe_low: Option<f64>,
    /// Upper end of its 95% interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharpe_high: Option<f64>,
    /// Probability that the true Sharpe ratio is above zero, 0 to 1 (2012, eq. 10).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probabilistic_sharpe: Option<f64>,
    /// Probability that it is above the best of as many trials as the rule assumes, 0 to 1 (Bailey and Lopez de Prado 2014, eq. 2;
    /// trials without an edge, each with the variance of one record of this length).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deflated_sharpe: Option<f64>,
    /// Number of further units after which a Sharpe ratio like this one would be above zero with a probability of 0.99 (2012, eq. 11);
    /// 0 where it is by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_units: Option<u32>,
    /// Compound growth a year, as a fraction, in excess of cash where `risk_free` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<f64>,
    /// Compound growth a year of the returns as they are, with what cash paid, as a fraction; absent where `risk_free` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_growth: Option<f64>,
    /// Standard deviation a year, as a fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volatility: Option<f64>,
    /// Mean over the deviation below zero, a year (Sortino and Price 1994).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sortino: Option<f64>,
    /// Growth a year over the greatest drawdown (Young 1991).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calmar: Option<f64>,
    /// Greatest drawdown, as a negative fraction of the highest equity before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_drawdown: Option<f64>,
    /// Return of a unit that one in twenty is below, as a fraction (historical value at risk: the 5th percentile, Hyndman and Fan
    /// 1996, type 7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_at_risk: Option<f64>,
    /// Mean of the units' returns at or below that (expected shortfall, Acerbi and Tasche 2002).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_shortfall: Option<f64>,
    /// Share of units with a gain, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win_rate: Option<f64>,
    /// Sum of the gains over the sum of the losses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profit_factor: Option<f64>,
    /// Share of the time from the first opening to the last close with an open trade, 0 to 1; absent where a settled trade has no
    /// `opened_at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exposure: Option<f64>,
    /// Median over the openings of the notional that was then held, over equity: 1 is the whole equity. The notional is size times
    /// entry price, or a bet's stake; absent where a settled trade has none, or no `opened_at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leverage_median: Option<f64>,
    /// The greatest notional that was held, over equity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leverage_max: Option<f64>,
    /// The five deepest drawdowns, the deepest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drawdowns: Vec<Drawdown>,
    /// Growth of each year that has a unit; of a longer record the last 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub years: Vec<YearGrowth>,
    /// Growth of each month that has a unit; of a longer record the last 600.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub months: Vec<MonthGrowth>,
    /// Sharpe ratio of the year of units before each of at most 120 days; absent for a record of less than a year.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rolling_sharpe: Vec<RollingSharpe>,
}

/// The members of a question, beside its record, that figures come from.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct Stated {
    /// The return of cash in a year that was taken off the record.
    pub risk_free: Option<f64>,
    /// What the trades held.
    pub holdings: Holdings,
}

/// Rounds to six decimal places, as all figures of findings are that are no statistic of a step; `None` where it is no number.
pub(crate) fn six_places(figure: f64) -> Option<f64> {
    Some(libm::round(figure * 1e6) / 1e6).filter(|figure| figure.is_finite())
}

/// Returns the returns of a record; `None` for one of less than three units, or with a return that is past all measure.
fn usable(record: &TrackRecord) -> Option<Vec<f64>> {
    let x: Vec<f64> = record.units.iter().map(|unit| unit.x).collect();
    let is_usable =
        x.len() > 2 && record.periods_per_year > 0.0 && x.iter().all(|x| x.is_finite() && x.abs() < 1e6);
    is_usable.then_some(x)
}

/// Returns the compound growth a year of a record, in excess of the cash that was taken off it, as a fraction; `None` where there
/// are too few units, or nothing was left.
pub(crate) fn growth(record: &TrackRecord) -> Option<f64> {
    six_places(annual_growth(&usable(record)?, record.periods_per_year))
}

/// Returns the growth of a record with the cash that was taken off it; `None` where none was.
pub(crate) fn total_growth(record: &TrackRecord) -> Option<f64> {
    growth(&record.with_cash()?)
}

impl Performance {
    /// Computes the figures of a record that assumes that many trials.
    pub(crate) fn of(record: &TrackRecord, trials: u32, stated: &Stated) -> Self {
        let Some(x) = usable(record) else { return Self::default() };
        let periods = record.periods_per_year;
        let (moments, year) = (Moments::of(&x), libm::sqrt(periods));
        let (ratio, n) = (moments.sharpe(), moments.n);
        let error = standard_deviation(ratio, n, moments.skew, moments.kurtosis);
        let drawdowns = drawdown::deepest(&record.units);
        let needed = min_track_record(ratio, 0.0, moments.skew, moments.kurtosis, SHOWN);
        let more = needed.map(|needed| libm::ceil((needed - n).max(0.0))).filter(|more| *more <= MOST_UNITS);
        let Stated { risk_free, holdings } = *stated;
        Self {
            risk_free: risk_free.and_then(six_places),
            sharpe: six_places(ratio * year),
            sharpe_low: six_places((ratio - TWO_SIDED_95 * error) * year),
            sharpe_high: six_places((ratio + TWO_SIDED_95 * error) * year),
            probabilistic_sharpe: six_places(probabilistic(ratio, 0.0, n, moments.skew, moments.kurtosis)),
            deflated_sharpe: six_places(deflated(
                ratio,
                n,
                moments.skew,
                moments.kurtosis,
                f64::from(trials),
                1.0 / (n - 1.0),
            )),
            // Whole numbers up to a century of days are exact.
            more_units: more.map(|more| more as u32),
            growth: six_places(annual_growth(&x, periods)),
            total_growth: total_growth(record),
            volatility: six_places(annual_volatility(&x, periods)),
            sortino: six_places(sortino(&x, periods)),
            calmar: six_places(calmar(&x, periods)),
            max_drawdown: Some(drawdowns.first().map_or(0.0, |fall| fall.depth)),
            value_at_risk: six_places(quantile(&x, RISK_SHARE)),
            expected_shortfall: six_places(expected_shortfall(&x, RISK_SHARE)),
            win_rate: six_places(win_rate(&x)),
            profit_factor: six_places(profit_factor(&x)),
            exposure: holdings.exposure.and_then(six_places),
            leverage_median: holdings.leverage_median.and_then(six_places),
            leverage_max: holdings.leverage_max.and_then(six_places),
            drawdowns,
            years: calendar::years(&record.units),
            months: calendar::months(&record.units),
            rolling_sharpe: rolling::rolling(record),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated;
    use simulated_returns::Process;

    fn figures(record: &TrackRecord, trials: u32) -> Performance {
        Performance::of(record, trials, &Stated::default())
    }

    #[test]
    fn a_record_has_the_figures_that_people_know() {
        let record = simulated::record(Process::StudentT5, 756, 2.0, 1);
        let one = figures(&record, 1);
        let (low, at, high) = (one.sharpe_low.unwrap(), one.sharpe.unwrap(), one.sharpe_high.unwrap());
        assert!(low < at && at < high && (0.5..3.5).contains(&at), "{one:?}");
        assert!(one.probabilistic_sharpe.unwrap() > 0.9 && one.max_drawdown.unwrap() < 0.0);
        let many = figures(&record, 1_000);
        assert!(many.deflated_sharpe.unwrap() < one.deflated_sharpe.unwrap());
        assert!(many.deflated_sharpe.unwrap() < many.probabilistic_sharpe.unwrap());
    }

    #[test]
    fn the_growth_of_the_returns_as_they_are_stands_beside_that_in_excess_of_cash() {
        let record = simulated::record(Process::StudentT5, 756, 2.0, 1);
        let plain = figures(&record, 1);
        assert_eq!(plain.total_growth, None, "no rate, one growth");
        let less = figures(&record.less_cash(|_| 0.05), 1);
        assert_eq!(less.total_growth, plain.growth);
        let cash = plain.growth.unwrap() - less.growth.unwrap();
        assert!((0.04..0.08).contains(&cash), "{cash}");
        assert_eq!(figures(&record.less_cash(|_| 0.0), 1).total_growth, plain.growth);
    }

    #[test]
    fn more_units_are_said_to_be_needed_until_the_ratio_is_shown() {
        let short = simulated::record(Process::StudentT5, 60, 1.0, 3);
        let long = simulated::record(Process::StudentT5, 2_000, 3.0, 3);
        assert_eq!(figures(&long, 1).more_units, Some(0));
        assert!(figures(&short, 1).more_units != Some(0));
    }

    #[test]
    fn a_record_without_units_or_variation_has_none_that_json_cannot_hold() {
        let mut record = simulated::record(Process::StudentT5, 60, 1.0, 3);
        record.units.iter_mut().for_each(|unit| unit.x = 0.0);
        for found in [figures(&record, 1), {
            record.units.clear();
            figures(&record, 1)
        }] {
            let json = serde_json::to_value(&found).unwrap();
            assert!(!json.to_string().contains("null"), "{json}");
            assert_eq!(found.sharpe, None);
        }
    }
}

//! The figures that people know a track record by. None of them decides anything.

use schemars::JsonSchema;
use serde::Serialize;

use crate::record::TrackRecord;
use crate::statistics::moments::Moments;
use crate::statistics::performance::{
    annual_growth, annual_volatility, calmar, max_drawdown, profit_factor, sortino, win_rate,
};
use crate::statistics::sharpe::{deflated, min_track_record, probabilistic, standard_deviation};

/// The standard normal's 97.5th percentile.
const TWO_SIDED_95: f64 = 1.959_963_984_540_054;
/// The probability at which a Sharpe ratio above zero counts as shown.
const SHOWN: f64 = 0.99;
/// The most units that are said to be needed: a century of days.
const MOST_UNITS: f64 = 36_525.0;

/// Figures of a record: over its returns as they are stated, before anything that a benchmark explains is taken away. A figure
/// that the record does not have is absent.
#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub struct Performance {
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
    /// Compound growth a year, as a fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<f64>,
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
    /// Share of units with a gain among those that are not zero, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win_rate: Option<f64>,
    /// Sum of the gains over the sum of the losses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profit_factor: Option<f64>,
}

impl Performance {
    /// Computes the figures of a record that assumes that many trials.
    pub(super) fn of(record: &TrackRecord, trials: u32) -> Self {
        let x: Vec<f64> = record.units.iter().map(|unit| unit.x).collect();
        let periods = record.periods_per_year;
        let is_usable = x.len() > 2 && periods > 0.0 && x.iter().all(|x| x.is_finite() && x.abs() < 1e6);
        if !is_usable {
            return Self::default();
        }
        let (moments, year) = (Moments::of(&x), libm::sqrt(periods));
        let (ratio, n) = (moments.sharpe(), moments.n);
        let error = standard_deviation(ratio, n, moments.skew, moments.kurtosis);
        // Six places, as all figures of findings have that are no statistic of a step.
        let finite = |figure: f64| Some(libm::round(figure * 1e6) / 1e6).filter(|figure| figure.is_finite());
        let needed = min_track_record(ratio, 0.0, moments.skew, moments.kurtosis, SHOWN);
        let more = needed.map(|needed| libm::ceil((needed - n).max(0.0))).filter(|more| *more <= MOST_UNITS);
        Self {
            sharpe: finite(ratio * year),
            sharpe_low: finite((ratio - TWO_SIDED_95 * error) * year),
            sharpe_high: finite((ratio + TWO_SIDED_95 * error) * year),
            probabilistic_sharpe: finite(probabilistic(ratio, 0.0, n, moments.skew, moments.kurtosis)),
            deflated_sharpe: finite(deflated(
                ratio,
                n,
                moments.skew,
                moments.kurtosis,
                f64::from(trials),
                1.0 / (n - 1.0),
            )),
            // Whole numbers up to a century of days are exact.
            more_units: more.map(|more| more as u32),
            growth: finite(annual_growth(&x, periods)),
            volatility: finite(annual_volatility(&x, periods)),
            sortino: finite(sortino(&x, periods)),
            calmar: finite(calmar(&x, periods)),
            max_drawdown: finite(max_drawdown(&x)),
            win_rate: finite(win_rate(&x)),
            profit_factor: finite(profit_factor(&x)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated;
    use simulated_returns::Process;

    #[test]
    fn a_record_has_the_figures_that_people_know() {
        let record = simulated::record(Process::StudentT5, 756, 2.0, 1);
        let figures = Performance::of(&record, 1);
        let (low, at, high) =
            (figures.sharpe_low.unwrap(), figures.sharpe.unwrap(), figures.sharpe_high.unwrap());
        assert!(low < at && at < high && (0.5..3.5).contains(&at), "{figures:?}");
        assert!(figures.probabilistic_sharpe.unwrap() > 0.9 && figures.max_drawdown.unwrap() < 0.0);
        let many = Performance::of(&record, 1_000);
        assert!(many.deflated_sharpe.unwrap() < figures.deflated_sharpe.unwrap());
        assert!(many.deflated_sharpe.unwrap() < many.probabilistic_sharpe.unwrap());
    }

    #[test]
    fn more_units_are_said_to_be_needed_until_the_ratio_is_shown() {
        let short = simulated::record(Process::StudentT5, 60, 1.0, 3);
        let long = simulated::record(Process::StudentT5, 2_000, 3.0, 3);
        assert_eq!(Performance::of(&long, 1).more_units, Some(0));
        assert!(Performance::of(&short, 1).more_units != Some(0));
    }

    #[test]
    fn a_record_without_units_or_variation_has_none_that_json_cannot_hold() {
        let mut record = simulated::record(Process::StudentT5, 60, 1.0, 3);
        record.units.iter_mut().for_each(|unit| unit.x = 0.0);
        for figures in [Performance::of(&record, 1), {
            record.units.clear();
            Performance::of(&record, 1)
        }] {
            let json = serde_json::to_value(&figures).unwrap();
            assert!(json.as_object().unwrap().values().all(serde_json::Value::is_number), "{json}");
            assert_eq!(figures.sharpe, None);
        }
    }
}

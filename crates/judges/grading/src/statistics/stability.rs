//! Tests that a mean holds throughout a series.

use super::count;
use super::moments::{centred, mean, sum};
use super::newey_west::long_run_variance;

/// The mean of a part of a series, and its variance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SeriesPart {
    /// The mean of the part.
    pub mean: f64,
    /// The Newey-West variance of that mean.
    pub variance: f64,
}

impl SeriesPart {
    /// Computes the mean of a part, and its Newey-West variance.
    #[must_use]
    pub fn of(series: &[f64]) -> Self {
        let variance = long_run_variance(&centred(series)) / count(series.len());
        Self { mean: mean(series), variance }
    }

    /// The t statistic of the mean; not finite if the part is constant.
    #[must_use]
    pub fn t(&self) -> f64 {
        self.mean / libm::sqrt(self.variance)
    }
}

/// Cochran's Q (1954): the sum of the squared differences of the parts' means from their weighted mean, each divided by
/// the variance of the part's mean.
#[must_use]
pub fn cochran_q(parts: &[SeriesPart]) -> f64 {
    let (weights, weighted) = parts.iter().fold((0.0, 0.0), |(weights, weighted), part| {
        (weights + 1.0 / part.variance, weighted + part.mean / part.variance)
    });
    let common = weighted / weights;
    parts.iter().fold(0.0, |q, part| {
        let apart = part.mean - common;
        q + apart * apart / part.variance
    })
}

/// The position and the statistic of the largest shift of a series' mean.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shift {
    /// The first position after the shift.
    pub at: usize,
    /// The Wald statistic at that position.
    pub statistic: f64,
}

/// Finds the maximum Wald statistic for one shift of the mean, with 15% left out at either end (Andrews 1993,
/// Econometrica 61(4)). `None` if the series is too short or constant.
#[must_use]
pub fn mean_shift(series: &[f64]) -> Option<Shift> {
    let n = series.len();
    let trim = (n * 15).div_ceil(100).max(1);
    let variance = long_run_variance(&centred(series));
    let total = sum(series);
    let mut before = 0.0;
    let mut greatest: Option<Shift> = None;
    for (at, x) in series.iter().enumerate() {
        if at >= trim && at + trim <= n {
            let (left, right) = (count(at), count(n - at));
            let apart = before / left - (total - before) / right;
            let statistic = apart * apart / (variance * (1.0 / left + 1.0 / right));
            if statistic.is_finite() && greatest.is_none_or(|shift| statistic > shift.statistic) {
                greatest = Some(Shift { at, statistic });
            }
        }
        before += x;
    }
    greatest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_found_where_it_is() {
        let series: Vec<f64> =
            (0..200).map(|at| if at < 120 { 0.0 } else { 3.0 } + libm::sin(f64::from(at * at))).collect();
        let shift = mean_shift(&series).expect("it varies");
        assert_eq!(shift.at, 120);
        assert!(shift.statistic > 8.85);
        assert_eq!(mean_shift(&[1.0; 50]), None);
        assert_eq!(mean_shift(&[]), None);
    }

    #[test]
    fn parts_with_one_mean_do_not_differ() {
        let part = SeriesPart { mean: 0.5, variance: 2.0 };
        assert!(cochran_q(&[part; 4]).abs() < 1e-12);
        // Two parts: the squared distance over the sum of the variances.
        let q =
            cochran_q(&[SeriesPart { mean: 1.0, variance: 2.0 }, SeriesPart { mean: 4.0, variance: 1.0 }]);
        assert!((q - 3.0).abs() < 1e-12);
    }
}

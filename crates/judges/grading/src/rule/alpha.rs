//! Step 4: alpha, the part of the returns that the benchmark does not explain.

use super::sample::Sample;
use super::{LEFT_SKEWED, LEFT_SKEWED_UNKNOWN, LEVEL, LEVEL_LEFT_SKEWED};
use crate::statistics::distribution::{normal_sf, student_t_sf};
use crate::statistics::moments::{Moments, autocorrelation};
use crate::statistics::sharpe_2026::ReturnMoments;
use crate::statistics::{cosine, count, dimson};

/// Alpha: the part of the returns that does not move with the benchmark, and its significance.
#[derive(Clone, PartialEq, Debug)]
pub struct Alpha {
    /// The returns of alpha, one for each unit.
    pub series: Vec<f64>,
    /// The moments of `series`.
    pub moments: Moments,
    /// Sum of the slopes of the returns on the benchmark's returns, with one lead and five lags.
    pub beta: f64,
    /// The p-value at or below which alpha counts as an edge.
    pub level: f64,
    /// One-sided p-value of the mean, by its Newey-West standard error.
    pub p_newey_west: f64,
    /// One-sided p-value of the mean, by its variance over cosines, where the units depend on those before; else `None`.
    pub p_cosine: Option<f64>,
    /// One-sided p-value of the Sharpe ratio, with the variance under the hypothesis of no edge.
    pub p_at_zero: f64,
    /// One-sided p-value of the Sharpe ratio, with the variance at the observed ratio.
    pub p_at_observed: f64,
}

impl Alpha {
    /// Regresses the returns on the benchmark; without a benchmark, alpha is the returns themselves.
    pub fn of(sample: &Sample) -> Self {
        let n = sample.moments.n;
        let (series, beta, t, df) = match &sample.b {
            None => (sample.x.clone(), 0.0, sample.moments.mean / sample.error, n - 1.0),
            Some(b) => {
                let fit = dimson::regress(&sample.x, b);
                (fit.series, fit.beta, fit.t_alpha, n - 1.0 - count(dimson::SLOPES))
            }
        };
        let moments = Moments::of(&series);
        let rho = autocorrelation(&series, 1).max(0.0);
        let returns = ReturnMoments { n: n - 1.0, skew: moments.skew, kurtosis: moments.kurtosis, rho };
        let ratio = moments.sharpe();
        let p = |truth: f64| normal_sf(ratio / returns.standard_deviation(truth));
        let limit = if sample.known_max_loss().is_some() { LEFT_SKEWED } else { LEFT_SKEWED_UNKNOWN };
        Self {
            level: if moments.skew >= limit { LEVEL } else { LEVEL_LEFT_SKEWED },
            p_newey_west: student_t_sf(t, df),
            p_cosine: cosine::is_dependent(&series).then(|| cosine::p_of_mean(&series)),
            p_at_zero: p(0.0),
            p_at_observed: p(ratio),
            series,
            moments,
            beta,
        }
    }

    /// Returns the largest of the p-values; NaN if one of them is NaN.
    pub fn p(&self) -> f64 {
        let others = [self.p_at_zero, self.p_at_observed].into_iter().chain(self.p_cosine);
        others.fold(
            self.p_newey_west,
            |most, p| {
                if most.is_nan() || p.is_nan() { f64::NAN } else { most.max(p) }
            },
        )
    }
}

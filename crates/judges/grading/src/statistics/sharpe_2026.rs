//! Inference on the Sharpe ratio of autocorrelated returns that are not normal: Lopez de Prado, Lipton and Zoonekynd
//! (2025), "How to Use the Sharpe Ratio", SSRN 5520741. The variance is taken under the hypothesis, not at what was
//! observed.

use super::distribution::{normal_cdf, normal_pdf, normal_quantile, normal_sf};
use super::sharpe::expected_max;

/// The number and the moments of a series of returns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReturnMoments {
    /// The number of returns.
    pub n: f64,
    /// The population's skewness.
    pub skew: f64,
    /// The population's kurtosis, 3 for the normal.
    pub kurtosis: f64,
    /// First-order autocorrelation.
    pub rho: f64,
}

impl ReturnMoments {
    /// Variance of the estimated Sharpe ratio, times n, if the true ratio is `sharpe`.
    #[must_use]
    pub fn variance_factor(&self, sharpe: f64) -> f64 {
        let r = self.rho;
        let a = 1.0 + 2.0 * r / (1.0 - r);
        let b = 1.0 + r / (1.0 - r) + r * r / (1.0 - r * r);
        let c = 1.0 + 2.0 * r * r / (1.0 - r * r);
        a - b * self.skew * sharpe + c * 0.25 * (self.kurtosis - 1.0) * sharpe * sharpe
    }

    /// Standard error of the estimated Sharpe ratio, if the true ratio is `sharpe`.
    #[must_use]
    pub fn standard_deviation(&self, sharpe: f64) -> f64 {
        libm::sqrt(self.variance_factor(sharpe) / self.n)
    }

    /// Probability that the true Sharpe ratio is above `benchmark`.
    #[must_use]
    pub fn probabilistic(&self, sharpe: f64, benchmark: f64) -> f64 {
        normal_cdf((sharpe - benchmark) / self.standard_deviation(benchmark))
    }

    /// Number of returns that are required to state at `level` that the Sharpe ratio is above the benchmark's. `None`
    /// if it is not above.
    #[must_use]
    pub fn min_track_record(&self, sharpe: f64, benchmark: f64, level: f64) -> Option<f64> {
        let ratio = normal_quantile(level) / (sharpe - benchmark);
        (sharpe > benchmark).then(|| self.variance_factor(benchmark) * ratio * ratio)
    }

    /// Critical Sharpe ratio, at or above which the null hypothesis `null` is rejected at `level`.
    #[must_use]
    pub fn critical(&self, null: f64, level: f64) -> f64 {
        null - normal_quantile(level) * self.standard_deviation(null)
    }

    /// Power of the test: the probability that `null` is rejected if `alternative` is true.
    #[must_use]
    pub fn power(&self, null: f64, alternative: f64, level: f64) -> f64 {
        normal_sf((self.critical(null, level) - alternative) / self.standard_deviation(alternative))
    }

    /// Probability that `null` is true although it was rejected at `level`, before any observation. `prior` is the
    /// probability of `alternative`.
    #[must_use]
    pub fn planned_false_discovery_rate(&self, null: f64, alternative: f64, level: f64, prior: f64) -> f64 {
        discovery(level, self.power(null, alternative, level), prior)
    }

    /// Probability that `null` is true although it was rejected at the observed Sharpe ratio.
    #[must_use]
    pub fn observed_false_discovery_rate(&self, sharpe: f64, null: f64, alternative: f64, prior: f64) -> f64 {
        let under = |truth: f64| normal_sf((sharpe - truth) / self.standard_deviation(truth));
        discovery(under(null), under(alternative), prior)
    }

    /// Probability that the Sharpe ratio is above the expected maximum of `trials` without an edge.
    #[must_use]
    pub fn deflated(&self, sharpe: f64, trials: f64, variance: f64) -> f64 {
        let null = expected_max(trials, variance);
        let spread = libm::sqrt(variance_of_max(trials)) * self.standard_deviation(null);
        normal_cdf((sharpe - null) / spread)
    }
}

fn discovery(under_null: f64, under_alternative: f64, prior: f64) -> f64 {
    let false_ones = (1.0 - prior) * under_null;
    false_ones / (false_ones + prior * under_alternative)
}

/// Variance of the maximum of `k` standard normals, by Simpson's rule over twelve standard deviations to either side.
#[must_use]
pub fn variance_of_max(k: f64) -> f64 {
    const STEPS: u32 = 4_800;
    const REACH: f64 = 12.0;
    let width = 2.0 * REACH / f64::from(STEPS);
    let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
    for step in 0..=STEPS {
        let x = -REACH + width * f64::from(step);
        let simpson = match step {
            0 | STEPS => 1.0,
            _ if step % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let density = simpson * normal_pdf(x) * libm::pow(normal_cdf(x), k - 1.0);
        mass += density;
        first += density * x;
        second += density * x * x;
    }
    let mean = first / mass;
    second / mass - mean * mean
}

//! Inference on the Sharpe ratio: Lo (2002), Bailey and Lopez de Prado (2012, 2014).
//!
//! Sharpe ratios are per unit; skewness is the population's, and kurtosis is 3 for the normal.

use std::f64::consts::E;

use super::count;
use super::distribution::{normal_cdf, normal_quantile};

const EULER: f64 = 0.577_215_664_901_532_9;

/// The standard error of a Sharpe ratio of `n` returns (Bailey and Lopez de Prado 2012, "The Sharpe Ratio Efficient
/// Frontier", eq. 8).
#[must_use]
pub fn standard_deviation(sharpe: f64, n: f64, skew: f64, kurtosis: f64) -> f64 {
    libm::sqrt(variance_factor(sharpe, skew, kurtosis) / (n - 1.0))
}

fn variance_factor(sharpe: f64, skew: f64, kurtosis: f64) -> f64 {
    1.0 - skew * sharpe + 0.25 * (kurtosis - 1.0) * sharpe * sharpe
}

/// Probability that the true Sharpe ratio is above `benchmark` (2012, eq. 10).
#[must_use]
pub fn probabilistic(sharpe: f64, benchmark: f64, n: f64, skew: f64, kurtosis: f64) -> f64 {
    normal_cdf((sharpe - benchmark) / standard_deviation(sharpe, n, skew, kurtosis))
}

/// Number of returns that are required to state with a probability that the Sharpe ratio is above the benchmark's
/// (2012, eq. 11). `None` if it is not above.
#[must_use]
pub fn min_track_record(
    sharpe: f64,
    benchmark: f64,
    skew: f64,
    kurtosis: f64,
    probability: f64,
) -> Option<f64> {
    let ratio = normal_quantile(probability) / (sharpe - benchmark);
    (sharpe > benchmark).then(|| 1.0 + variance_factor(sharpe, skew, kurtosis) * ratio * ratio)
}

/// Expected maximum of `trials` independent Sharpe ratios without an edge and with this variance (Bailey and Lopez de
/// Prado 2014, "The Deflated Sharpe Ratio", eq. 1).
#[must_use]
pub fn expected_max(trials: f64, variance: f64) -> f64 {
    if trials <= 1.0 {
        return 0.0;
    }
    let first = normal_quantile(1.0 - 1.0 / trials);
    let second = normal_quantile(1.0 - 1.0 / (trials * E));
    libm::sqrt(variance) * ((1.0 - EULER) * first + EULER * second)
}

/// Probability that the Sharpe ratio is above the expected maximum of `trials` without an edge (2014, eq. 2).
#[must_use]
pub fn deflated(sharpe: f64, n: f64, skew: f64, kurtosis: f64, trials: f64, variance: f64) -> f64 {
    probabilistic(sharpe, expected_max(trials, variance), n, skew, kurtosis)
}

/// The standard error of a Sharpe ratio of independent normal returns (Lo 2002, "The Statistics of Sharpe Ratios", eq.
/// 9).
#[must_use]
pub fn lo_standard_error(sharpe: f64, n: f64) -> f64 {
    libm::sqrt((1.0 + 0.5 * sharpe * sharpe) / n)
}

/// The factor that scales a Sharpe ratio to `q` units whose returns follow an autoregression of order one (Lo 2002,
/// eq. 20).
#[must_use]
pub fn lo_scaling(rho: f64, q: usize) -> f64 {
    let mut power = 1.0;
    let mut sum = 0.0;
    for k in 1..q {
        power *= rho;
        sum += (count(q) - count(k)) * power;
    }
    count(q) / libm::sqrt(count(q) + 2.0 * sum)
}

/// Kelly fraction: the share of wealth that maximises its growth, for a bet that pays `odds` to one with probability
/// `chance` (Kelly 1956).
#[must_use]
pub fn kelly(chance: f64, odds: f64) -> f64 {
    chance - (1.0 - chance) / odds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64, within: f64) {
        assert!((found - wanted).abs() <= within, "{found} is not {wanted}");
    }

    #[test]
    fn a_yearly_ratio_of_two_takes_the_years_that_the_paper_says_to_stand_above_one() {
        // Bailey and Lopez de Prado (2012), section 5: monthly returns, normal and as hedge funds' are.
        let month = |yearly: f64| yearly / libm::sqrt(12.0);
        let years = |skew, kurtosis| {
            min_track_record(month(2.0), month(1.0), skew, kurtosis, 0.95).map(|months| months / 12.0)
        };
        near(years(0.0, 3.0).expect("it is above"), 3.24, 0.005);
        near(years(-0.72, 5.78).expect("it is above"), 4.99, 0.01);
        assert_eq!(min_track_record(0.1, 0.1, 0.0, 3.0, 0.95), None);
    }

    #[test]
    fn the_greatest_of_many_is_expected_where_the_paper_says() {
        // Bailey and Lopez de Prado (2014), the numerical example: 100 trials, a yearly variance of a half.
        near(expected_max(100.0, 0.5 / 250.0), 0.1132, 5e-5);
        near(expected_max(1.0, 0.5), 0.0, 0.0);
    }

    #[test]
    fn scaling_without_autocorrelation_is_the_root_of_time() {
        near(lo_scaling(0.0, 252), libm::sqrt(252.0), 1e-12);
        assert!(lo_scaling(0.2, 12) < libm::sqrt(12.0));
    }
}

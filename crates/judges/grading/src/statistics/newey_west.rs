//! Long-run variance with Bartlett weights: Newey and West (1987), Econometrica 55(3); lags by the rule of thumb of
//! Newey and West (1994), Review of Economic Studies 61(4).

use super::moments::{centred, dot, mean};
use super::{count, whole};

/// Number of lags for a series of `n` units: the integer part of 4 (n/100)^(2/9).
#[must_use]
pub fn lags(n: usize) -> usize {
    whole(4.0 * libm::pow(count(n) / 100.0, 2.0 / 9.0), n.saturating_sub(1))
}

/// Long-run variance of a centred series: the variance of its sum divided by its length.
#[must_use]
pub fn long_run_variance(centred: &[f64]) -> f64 {
    let lags = lags(centred.len());
    let mut sum = dot(centred, centred);
    for lag in 1..=lags {
        let weight = 1.0 - count(lag) / (count(lags) + 1.0);
        sum += 2.0 * weight * dot(centred, centred.get(lag..).unwrap_or_default());
    }
    sum / count(centred.len())
}

/// Newey-West standard error of the mean.
#[must_use]
pub fn standard_error(series: &[f64]) -> f64 {
    libm::sqrt(long_run_variance(&centred(series)) / count(series.len()))
}

/// t statistic of the mean: the mean divided by its Newey-West standard error.
#[must_use]
pub fn t_of_mean(series: &[f64]) -> f64 {
    mean(series) / standard_error(series)
}

/// Corrects a t statistic for a small sample: its variance is multiplied by n / (n - k), with k parameters.
#[must_use]
pub fn corrected(t: f64, n: usize, parameters: usize) -> f64 {
    t * libm::sqrt((count(n) - count(parameters)) / count(n))
}

/// A regression of returns on a benchmark by ordinary least squares, with Newey-West t statistics.
#[derive(Clone, PartialEq, Debug)]
pub struct Regression {
    /// Intercept: the mean return that the benchmark does not explain, for each unit.
    pub alpha: f64,
    /// Slope of the returns on the benchmark's returns.
    pub beta: f64,
    /// t statistic of alpha.
    pub t_alpha: f64,
    /// t statistic of beta.
    pub t_beta: f64,
}

/// Regresses `returns` on `benchmark`; the slope on a constant benchmark is 0.
#[must_use]
pub fn regress(returns: &[f64], benchmark: &[f64]) -> Regression {
    let n = count(returns.len());
    let (mean_return, mean_benchmark) = (mean(returns), mean(benchmark));
    let moves = centred(benchmark);
    let spread = dot(&moves, &moves);
    let explains = spread > 1e-24 * n;
    let slope = |d: f64| if explains { d / spread } else { 0.0 };
    let beta = slope(dot(&moves, &centred(returns)));
    let alpha = mean_return - beta * mean_benchmark;
    let residual = |x: &f64, b: &f64| x - alpha - beta * b;
    // The two estimates are weighted sums of the returns: the weight of a return times its residual is its influence.
    let influence = |weight: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let rows = returns.iter().zip(benchmark).zip(&moves);
        rows.map(|((x, b), d)| weight(*d) * residual(x, b)).collect()
    };
    let on_alpha = influence(&|d| 1.0 - mean_benchmark * n * slope(d));
    let on_beta = influence(&|d| n * slope(d));
    let t = |estimate: f64, influence: &[f64]| estimate / libm::sqrt(long_run_variance(influence) / n);
    Regression { alpha, beta, t_alpha: t(alpha, &on_alpha), t_beta: t(beta, &on_beta) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_a_benchmark_that_never_moves_explains_nothing() {
        let benchmark: Vec<f64> = (0..50).map(|at| libm::sin(f64::from(at))).collect();
        let noise = |at: i32| 0.1 * libm::cos(f64::from(at * at));
        let returns: Vec<f64> = benchmark.iter().zip(0..).map(|(b, at)| 0.3 + 2.0 * b + noise(at)).collect();
        let fit = regress(&returns, &benchmark);
        assert!((fit.alpha - 0.3).abs() < 0.05 && (fit.beta - 2.0).abs() < 0.05, "{fit:?}");
        assert!(fit.t_alpha > 10.0 && fit.t_beta > 10.0);
        let still = regress(&returns, &[0.25; 50]);
        assert!(still.beta == 0.0 && (still.alpha - mean(&returns)).abs() < 1e-15);
        assert!((still.t_alpha - t_of_mean(&returns)).abs() < 1e-12);
    }

    #[test]
    fn lags_follow_the_rule_of_thumb() {
        assert_eq!([60, 100, 252, 1_000].map(lags), [3, 4, 4, 6]);
    }
}

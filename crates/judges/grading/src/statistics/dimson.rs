//! Alpha with leads and lags of the benchmark: Dimson (1979), Journal of Financial Economics 7(2); Scholes and Williams (1977),
//! Journal of Financial Economics 5(3); Asness, Krail and Liew (2001), Journal of Portfolio Management 28(1).
//!
//! A record that is marked late, smoothed, or a day off moves with the benchmark of other days. Of these the benchmark of its own
//! day explains nothing, and the market's return looks like an edge.

use super::moments::{centred, dot, mean};
use super::newey_west::long_run_variance;
use super::{cosine, count};

/// The unit of the benchmark that lies ahead, and those that lie behind.
const LEADS: usize = 1;
const LAGS: usize = 5;
/// The units further behind, as sums, for returns that depend on those before: the rest of a second week, and of a month
/// (Corsi 2009, Journal of Financial Econometrics 7(2), looks at these sums).
const FURTHER: [std::ops::RangeInclusive<usize>; 2] = [6..=10, 11..=22];
/// The number of slopes.
pub const SLOPES: usize = LEADS + 1 + LAGS + FURTHER.len();
/// The share of a column's variance that the columns before it must leave, for it to say anything.
const LEAST_PIVOT: f64 = 0.05;

/// A regression of returns on the benchmark of the same unit, of the next one, and of the five before; of the 22 before where
/// the returns depend on those before.
#[derive(Clone, PartialEq, Debug)]
pub struct LaggedRegression {
    /// Sum of the slopes (Dimson's beta).
    pub beta: f64,
    /// Returns less what the benchmark explains; the mean is alpha.
    pub series: Vec<f64>,
    /// t statistic of alpha, by Newey and West.
    pub t_alpha: f64,
}

/// Regresses `returns` on `benchmark` with leads and lags. Where the benchmark's unit is before the first or after the last,
/// its mean stands for it. A column that others make up has the slope 0.
#[must_use]
pub fn regress(returns: &[f64], benchmark: &[f64]) -> LaggedRegression {
    let n = count(returns.len());
    let columns = columns(benchmark, cosine::is_dependent(returns));
    let moves: Vec<Vec<f64>> = columns.iter().map(|column| centred(column)).collect();
    let inverse = Inverse::of(&moves);
    let centred_returns = centred(returns);
    let covariances: [f64; SLOPES] = std::array::from_fn(|k| dot(&moves[k], &centred_returns));
    let slopes = inverse.times(&covariances);
    let means: [f64; SLOPES] = std::array::from_fn(|k| mean(&columns[k]));
    let explained = |t: usize| (0..SLOPES).fold(0.0, |sum, k| sum + slopes[k] * columns[k][t]);
    let series: Vec<f64> = returns.iter().enumerate().map(|(t, x)| x - explained(t)).collect();
    let alpha = mean(&series);
    // Alpha is a weighted sum of the returns: the weight of a return times its residual is its influence.
    let on_means = inverse.times(&means);
    let influence: Vec<f64> = series
        .iter()
        .enumerate()
        .map(|(t, kept)| {
            let weight = 1.0 - n * (0..SLOPES).fold(0.0, |sum, k| sum + on_means[k] * moves[k][t]);
            weight * (kept - alpha)
        })
        .collect();
    let error = libm::sqrt(long_run_variance(&influence) / n);
    let beta = (0..SLOPES).fold(0.0, |sum, k| sum + slopes[k] * count(lags(k).count()));
    LaggedRegression { beta, series, t_alpha: alpha / error }
}

/// The units of a column, counted back from the one ahead.
fn lags(column: usize) -> std::ops::RangeInclusive<usize> {
    let further = column.checked_sub(LEADS + 1 + LAGS).and_then(|at| FURTHER.get(at));
    further.map_or(column..=column, |lags| lags.start() + LEADS..=lags.end() + LEADS)
}

/// The benchmark, one unit ahead to five behind, and the sums further behind, which are nothing where they are not wanted.
fn columns(benchmark: &[f64], has_further: bool) -> [Vec<f64>; SLOPES] {
    let middle = mean(benchmark);
    let at = |t: usize, back: usize| {
        (t + LEADS).checked_sub(back).and_then(|t| benchmark.get(t)).copied().unwrap_or(middle)
    };
    std::array::from_fn(|k| {
        let is_wanted = has_further || k < SLOPES - FURTHER.len();
        let of = |t: usize| if is_wanted { lags(k).fold(0.0, |sum, back| sum + at(t, back)) } else { 0.0 };
        (0..benchmark.len()).map(of).collect()
    })
}

/// The inverse of the columns' products, by elimination in order; 0 for columns that those before them make up.
struct Inverse([[f64; SLOPES]; SLOPES]);

impl Inverse {
    fn of(moves: &[Vec<f64>]) -> Self {
        let mut left: [[f64; SLOPES]; SLOPES] =
            std::array::from_fn(|i| std::array::from_fn(|j| dot(&moves[i], &moves[j])));
        let mut right: [[f64; SLOPES]; SLOPES] =
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
        let whole: [f64; SLOPES] = std::array::from_fn(|i| left[i][i]);
        let mut kept = [true; SLOPES];
        // The benchmark of the same unit first: it must not be the one that is left out.
        let order = std::iter::once(LEADS).chain((0..SLOPES).filter(|k| *k != LEADS));
        for pivot in order {
            let value = left[pivot][pivot];
            if !(value > LEAST_PIVOT * whole[pivot] && value > 1e-24) {
                kept[pivot] = false;
                continue;
            }
            for j in 0..SLOPES {
                left[pivot][j] /= value;
                right[pivot][j] /= value;
            }
            for i in (0..SLOPES).filter(|i| *i != pivot) {
                let factor = left[i][pivot];
                for j in 0..SLOPES {
                    left[i][j] -= factor * left[pivot][j];
                    right[i][j] -= factor * right[pivot][j];
                }
            }
        }
        for i in 0..SLOPES {
            for j in 0..SLOPES {
                if !(kept[i] && kept[j]) {
                    right[i][j] = 0.0;
                }
            }
        }
        Self(right)
    }

    fn times(&self, vector: &[f64; SLOPES]) -> [f64; SLOPES] {
        std::array::from_fn(|i| (0..SLOPES).fold(0.0, |sum, j| sum + self.0[i][j] * vector[j]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::newey_west;

    /// Numbers without a pattern, from -1 to 1.
    fn noise(seed: u32, n: u32) -> Vec<f64> {
        let next = |state: &mut u32| {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(*state >> 8) / f64::from(1_u32 << 23) - 1.0
        };
        let mut state = seed;
        (0..n).map(|_| next(&mut state)).collect()
    }

    #[test]
    fn what_moves_with_the_benchmark_of_another_day_is_explained() {
        let benchmark: Vec<f64> = noise(1, 400).iter().map(|b| 0.2 + b).collect();
        let own = noise(2, 400);
        for shift in [-1_i32, 0, 1, 5] {
            let at = |t: usize| usize::try_from(i32::try_from(t).unwrap() - shift).ok();
            let moved = |t: usize| at(t).and_then(|t| benchmark.get(t)).copied().unwrap_or(0.2);
            let returns: Vec<f64> = own.iter().enumerate().map(|(t, x)| moved(t) + 0.1 * x).collect();
            let fit = regress(&returns, &benchmark);
            assert!((fit.beta - 1.0).abs() < 0.05, "{shift}: {}", fit.beta);
            assert!(fit.t_alpha.abs() < 3.0 && mean(&fit.series).abs() < 0.03, "{shift}: {fit:?}");
            if shift != 0 {
                assert!(newey_west::regress(&returns, &benchmark).t_alpha > 4.0, "{shift}");
            }
        }
    }

    #[test]
    fn what_is_averaged_over_a_month_is_explained() {
        let benchmark: Vec<f64> = noise(1, 800).iter().map(|b| 0.2 + b).collect();
        let own = noise(2, 800);
        let average = |t: usize| mean(&benchmark[t.saturating_sub(19)..=t]);
        let returns: Vec<f64> = own.iter().enumerate().map(|(t, x)| average(t) + 0.05 * x).collect();
        let fit = regress(&returns, &benchmark);
        assert!((fit.beta - 1.0).abs() < 0.1 && fit.t_alpha.abs() < 3.0, "{} {}", fit.beta, fit.t_alpha);
    }

    #[test]
    fn without_anything_to_explain_it_is_the_mean_and_a_constant_benchmark_explains_nothing() {
        let returns: Vec<f64> = noise(3, 300).iter().map(|x| 0.1 + x).collect();
        let still = regress(&returns, &[0.25; 300]);
        assert!(still.beta.abs() < 1e-12 && (mean(&still.series) - mean(&returns)).abs() < 1e-12);
        assert!((still.t_alpha - newey_west::t_of_mean(&returns)).abs() < 1e-9);
        // Every second unit the same: the lags make each other up.
        let flips: Vec<f64> = (0..300).map(|t| if t % 2 == 0 { 0.01 } else { -0.01 }).collect();
        let fit = regress(&returns, &flips);
        assert!(fit.t_alpha.is_finite() && fit.series.iter().all(|x| x.is_finite()));
    }
}

//! Long-run variance by equally weighted cosines: Lazarus, Lewis, Stock and Watson (2018), Journal of Business and Economic
//! Statistics 36(4), with their rule of 0.4 n^(2/3) cosines and the t distribution of as many degrees of freedom.
//!
//! The lags of Newey and West's rule of thumb see little of a dependence over weeks, such as that of overlapping holds.

use super::distribution::{chi_square_sf, student_t_sf};
use super::moments::{centred, ljung_box, mean};
use super::{count, whole};

/// Lags that the test for dependence looks at.
const TESTED_LAGS: u32 = 20;
/// The p-value below which a series counts as dependent.
const DEPENDENT: f64 = 0.10;

/// The number of cosines for a series of `n` units.
#[must_use]
pub fn cosines(n: usize) -> usize {
    whole(0.4 * libm::pow(count(n), 2.0 / 3.0), n).max(1)
}

/// One-sided p-value of a mean above zero, by the variance over the cosines.
#[must_use]
pub fn p_of_mean(series: &[f64]) -> f64 {
    let (n, of) = (series.len(), cosines(series.len()));
    let deviations = centred(series);
    let weight = |cosine: usize| {
        let turn = std::f64::consts::PI * count(cosine) / count(n);
        let sum = deviations
            .iter()
            .enumerate()
            .fold(0.0, |sum, (t, x)| sum + x * libm::cos(turn * (count(t) + 0.5)));
        2.0 / count(n) * sum * sum
    };
    let variance = (1..=of).fold(0.0, |sum, cosine| sum + weight(cosine)) / count(of);
    student_t_sf(mean(series) / libm::sqrt(variance / count(n)), count(of))
}

/// Tests that the units of a series depend on those before (Ljung and Box 1978).
#[must_use]
pub fn is_dependent(series: &[f64]) -> bool {
    let lags = TESTED_LAGS.min(u32::try_from(series.len() / 4).unwrap_or(TESTED_LAGS)).max(1);
    chi_square_sf(ljung_box(series, lags as usize), lags) <= DEPENDENT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_units_count_for_fewer() {
        assert_eq!([60, 252, 756].map(cosines), [6, 15, 33]);
        let long: Vec<f64> = (0..600)
            .map(|t| 0.05 + 0.3 * libm::sin(f64::from(t) / 40.0) + 0.2 * libm::sin(f64::from(t * t)))
            .collect();
        assert!(is_dependent(&long));
        assert!(p_of_mean(&long) > 2.0 * student_t_sf(super::super::newey_west::t_of_mean(&long), 599.0));
    }
}

//! Tests that look at signs and ranks only.

use super::count;
use super::distribution::{fair_binomial_at_least, normal_sf};

/// The most differences for which Wilcoxon's distribution is counted out.
const COUNTED: usize = 50;

/// One-sided sign test: the probability of at least as many returns above zero if both signs are equally likely.
#[must_use]
pub fn sign_test(returns: &[f64]) -> f64 {
    let above = returns.iter().filter(|r| **r > 0.0).count();
    let trials = returns.iter().filter(|r| **r != 0.0).count();
    fair_binomial_at_least(above, trials)
}

/// One-sided Wilcoxon signed-rank test (1945): the probability of a rank sum at least as large if the returns are
/// symmetric about zero. Exact up to 50 returns without ties or zeros, else by the normal approximation.
#[must_use]
pub fn signed_rank_test(returns: &[f64]) -> f64 {
    let mut values: Vec<f64> = returns.iter().copied().filter(|r| *r != 0.0).collect();
    values.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    let n = values.len();
    let (mut sum, mut ties, mut first) = (0.0, 0.0, 0);
    while first < n {
        let same = values[first..].iter().take_while(|v| v.abs() == values[first].abs()).count();
        // Equal values share the mean of their ranks, which count from one.
        let rank = count(first) + 0.5 * (count(same) + 1.0);
        let positive = values[first..first + same].iter().filter(|v| **v > 0.0).count();
        sum += rank * count(positive);
        ties += count(same) * count(same) * count(same) - count(same);
        first += same;
    }
    if n <= COUNTED && ties == 0.0 && n == returns.len() {
        return counted(super::whole(sum, n * (n + 1) / 2), n);
    }
    let size = count(n);
    let mean = size * (size + 1.0) / 4.0;
    let variance = (size * (size + 1.0) * (2.0 * size + 1.0) - 0.5 * ties) / 24.0;
    normal_sf((sum - mean) / libm::sqrt(variance))
}

/// The share of all signs of the ranks 1 to n whose positive ones sum to at least `least`.
fn counted(least: usize, n: usize) -> f64 {
    let most = n * (n + 1) / 2;
    let mut ways = vec![0.0; most + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=most).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let all = libm::ldexp(1.0, i32::try_from(n).unwrap_or(i32::MAX));
    ways[least.min(most)..].iter().fold(0.0, |sum, way| sum + way) / all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_gains_are_one_of_eight_signs() {
        assert!((signed_rank_test(&[1.0, 2.0, 3.0]) - 0.125).abs() < 1e-15);
        assert!((sign_test(&[1.0, 2.0, 3.0]) - 0.125).abs() < 1e-14);
        assert!((signed_rank_test(&[-1.0, 2.0, 3.0]) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn many_returns_that_lie_evenly_are_as_likely_as_not() {
        let returns: Vec<f64> = (1..=40).flat_map(|size| [f64::from(size), -f64::from(size)]).collect();
        assert!((signed_rank_test(&returns) - 0.5).abs() < 1e-12);
    }
}

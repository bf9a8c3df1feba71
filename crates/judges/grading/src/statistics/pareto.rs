//! Tail of a distribution beyond its resamples: Pickands (1975), Annals of Statistics 3(1); Hosking and Wallis (1987),
//! Technometrics 29(3); Knijnenburg, Wessels, Reinders and Shmulevich (2009), Bioinformatics 25(12).
//!
//! The share of resamples that are as good says nothing below one in their number. The excesses over a high threshold follow a
//! generalised Pareto distribution, whatever the distribution is, and it goes on beyond them.

use super::count;
use super::moments::sum;

/// Resamples that the tail is fitted to.
const EXCESSES: usize = 250;
/// The least number of resamples as good as what was observed for which their share is precise enough.
const ENOUGH: usize = 10;
/// Bounds of the shape. A normal distribution's excesses look like one of about -0.1, and a smaller shape has an end beyond which
/// nothing is possible; one of a half has no variance any more.
const LEAST_SHAPE: f64 = -0.1;
const MOST_SHAPE: f64 = 0.5;

/// Estimates the probability of a value at or above `observed` from `values` that were drawn: by their share where ten or more are
/// as good, or the values are too few for a fit; else by the tail of a generalised Pareto distribution.
#[must_use]
pub fn tail_probability(values: &[f64], observed: f64) -> f64 {
    let as_good = values.len() - values.iter().filter(|value| **value < observed).count();
    let share = (1.0 + count(as_good)) / (count(values.len()) + 1.0);
    if as_good >= ENOUGH || values.len() < 4 * EXCESSES || !observed.is_finite() {
        return share;
    }
    let mut sorted: Vec<f64> = values.to_vec();
    sorted.sort_unstable_by(|one, other| other.total_cmp(one));
    let Some((greatest, rest)) = sorted.split_at_checked(EXCESSES) else { return share };
    let Some(next) = rest.first() else { return share };
    let threshold = 0.5 * (greatest[EXCESSES - 1] + next);
    let excesses: Vec<f64> = greatest.iter().rev().map(|value| value - threshold).collect();
    let Some(tail) = Pareto::fit(&excesses) else { return share };
    let fitted = count(EXCESSES) / count(values.len()) * tail.survival(observed - threshold);
    fitted.clamp(f64::MIN_POSITIVE, share.max(f64::MIN_POSITIVE))
}

/// A generalised Pareto distribution of excesses above 0.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Pareto {
    shape: f64,
    scale: f64,
}

impl Pareto {
    /// Fits it to excesses in rising order by their probability-weighted moments (Hosking and Wallis 1987, section 3). `None`
    /// where they do not vary.
    fn fit(excesses: &[f64]) -> Option<Self> {
        let n = count(excesses.len());
        let mean = sum(excesses) / n;
        let weighted: Vec<f64> =
            excesses.iter().enumerate().map(|(at, x)| (n - count(at) - 1.0) / (n - 1.0) * x).collect();
        let shape = 2.0 - mean / (mean - 2.0 * sum(&weighted) / n);
        // Of a shape that is held the scale keeps the mean.
        let shape = if shape.is_finite() { shape.clamp(LEAST_SHAPE, MOST_SHAPE) } else { return None };
        let scale = mean * (1.0 - shape);
        (scale > 0.0).then_some(Self { shape, scale })
    }

    fn survival(&self, excess: f64) -> f64 {
        let Self { shape, scale } = *self;
        if shape.abs() < 1e-9 {
            return libm::exp(-excess / scale);
        }
        let base = 1.0 + shape * excess / scale;
        if base > 0.0 { libm::pow(base, -1.0 / shape) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::distribution::{normal_quantile, normal_sf};
    use proptest::prelude::*;

    /// The quantiles of a distribution at even steps.
    fn values(quantile: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..9_999).map(|at| quantile((f64::from(at) + 0.5) / 9_999.0)).collect()
    }

    #[test]
    fn the_tail_goes_on_as_the_distribution_does() {
        let normal = values(normal_quantile);
        for z in [3.0, 3.5, 4.0, 4.5] {
            let ratio = tail_probability(&normal, z) / normal_sf(z);
            assert!((0.3..6.0).contains(&ratio), "{z}: {ratio}");
        }
        let exponential = values(|p| -libm::log(1.0 - p));
        for x in [10.0, 12.0, 15.0] {
            let ratio = tail_probability(&exponential, x) / libm::exp(-x);
            assert!((0.4..2.5).contains(&ratio), "{x}: {ratio}");
        }
    }

    #[test]
    fn values_that_are_seen_count_as_they_are() {
        let drawn = values(|p| p);
        assert!((tail_probability(&drawn, 0.9) - 1_001.0 / 10_000.0).abs() < 1e-9);
        assert_eq!(tail_probability(&drawn[..10], 2.0), 1.0 / 11.0, "too few to fit");
        assert!(tail_probability(&vec![1.0; 9_999], 1.5) > 0.0);
    }

    proptest! {
        #[test]
        fn it_is_a_probability_that_falls(mut values in prop::collection::vec(-9.0_f64..9.0, 1_000..1_200), at in 0.0_f64..30.0) {
            let (near, far) = (tail_probability(&values, at), tail_probability(&values, at + 1.0));
            prop_assert!(near > 0.0 && near <= 1.0 && far <= near, "{} {}", near, far);
            values[0] = f64::NAN;
            let _ = tail_probability(&values, at);
        }
    }
}

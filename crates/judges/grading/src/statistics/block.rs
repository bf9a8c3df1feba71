//! The length of a bootstrap's blocks: Politis and White (2004), Econometric Reviews 23(1), as corrected by Patton,
//! Politis and White (2009), Econometric Reviews 28(4).

use super::moments::{centred, dot};
use super::{count, whole};

/// Optimal mean block lengths for the bootstrap of the mean, in units (Politis and White 2004; Patton, Politis and
/// White 2009).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BlockLengths {
    /// Mean block length of the stationary bootstrap.
    pub stationary: f64,
    /// Block length of the circular bootstrap.
    pub circular: f64,
}

/// Estimates the optimal block lengths; `None` for a series that is too short or constant.
#[must_use]
pub fn best_lengths(series: &[f64]) -> Option<BlockLengths> {
    let n = series.len();
    if n < 9 {
        return None;
    }
    let size = count(n);
    let longest = libm::ceil((3.0 * libm::sqrt(size)).min(size / 3.0));
    // This many autocorrelations in a row must be negligible.
    let run = whole(libm::log10(size), n).max(5);
    let furthest = (whole(libm::ceil(libm::sqrt(size)), n) + run).min(n - 2);
    let deviations = centred(series);
    let limit = 2.0 * libm::sqrt(libm::log10(size) / size);
    let covariance: Vec<f64> =
        (0..=furthest).map(|lag| dot(&deviations, &deviations[lag..]) / size).collect();
    let small = |lag: usize| {
        let (late, early) = (&deviations[lag + 1..], &deviations[..n - lag - 1]);
        let scale = libm::sqrt(dot(late, late) * dot(early, early));
        covariance[lag].abs() * size / scale < limit
    };
    let quiet = (run..=furthest).find(|lag| (lag - run..*lag).all(small)).map(|lag| lag - run);
    let bandwidth = quiet.map_or(furthest, |lag| 2 * lag.max(1)).min(furthest);
    let (mut slope, mut variance) = (0.0, covariance[0]);
    for (lag, covariance) in covariance.iter().enumerate().take(bandwidth + 1).skip(1) {
        let share = count(lag) / count(bandwidth);
        let window = if share <= 0.5 { 1.0 } else { 2.0 * (1.0 - share) };
        slope += 2.0 * window * count(lag) * covariance;
        variance += 2.0 * window * covariance;
    }
    let length = |spread: f64| libm::cbrt(2.0 * slope * slope / spread * size).min(longest);
    let square = variance * variance;
    let lengths = BlockLengths { stationary: length(2.0 * square), circular: length(4.0 / 3.0 * square) };
    (lengths.stationary.is_finite() && lengths.circular.is_finite()).then_some(lengths)
}

//! The statistics, each a function with its source.
//!
//! Everything transcendental is `libm`'s, and every sum runs in the order of the series, so that a statistic is the same
//! bits on any machine. No function panics; where a statistic does not exist, it is not a number, and the rule takes
//! that for a step that did not pass.

pub mod binary;
pub mod block;
pub mod cosine;
pub mod dimson;
pub mod distribution;
pub mod moments;
pub mod newey_west;
pub mod pareto;
pub mod performance;
pub mod ranks;
pub mod sharpe;
pub mod sharpe_2026;
pub mod stability;

/// Converts a count to a double.
#[must_use]
#[allow(clippy::cast_precision_loss)] // counts stay far below 2^53
pub const fn count(n: usize) -> f64 {
    n as f64
}

/// Converts a non-negative number to a count: its integer part, at most `most`.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bounded by both
pub fn whole(x: f64, most: usize) -> usize {
    if x > 0.0 { (x as usize).min(most) } else { 0 }
}

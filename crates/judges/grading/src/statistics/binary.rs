//! Statistics of forecasts of binary events.

use super::count;
use super::moments::{Moments, mean};

/// Brier score: the mean squared difference of forecasts and outcomes, 0 to 1 (Brier 1950).
#[must_use]
pub fn brier(forecasts: &[f64], outcomes: &[f64]) -> f64 {
    let squares: Vec<f64> = forecasts.iter().zip(outcomes).map(|(p, o)| (p - o) * (p - o)).collect();
    mean(&squares)
}

/// Brier skill score: 1 minus the ratio of the forecasts' and the reference's Brier score.
#[must_use]
pub fn brier_skill(forecasts: &[f64], reference: &[f64], outcomes: &[f64]) -> f64 {
    1.0 - brier(forecasts, outcomes) / brier(reference, outcomes)
}

/// The mean negative log likelihood of the outcomes.
#[must_use]
pub fn log_loss(forecasts: &[f64], outcomes: &[f64]) -> f64 {
    let clipped = |p: f64| p.clamp(f64::EPSILON, 1.0 - f64::EPSILON);
    let losses: Vec<f64> = forecasts
        .iter()
        .zip(outcomes)
        .map(|(p, o)| -o * libm::log(clipped(*p)) - (1.0 - o) * libm::log1p(-clipped(*p)))
        .collect();
    mean(&losses)
}

/// Mean of payout minus price of the contracts, and that mean divided by its standard error.
#[must_use]
pub fn edge(prices: &[f64], outcomes: &[f64]) -> (f64, f64) {
    let edges: Vec<f64> = outcomes.iter().zip(prices).map(|(o, p)| o - p).collect();
    let moments = Moments::of(&edges);
    (moments.mean, moments.sharpe() * libm::sqrt(moments.n))
}

/// Sum of the outcomes minus the sum of their prices, in standard deviations under these prices.
#[must_use]
pub fn z_against_prices(prices: &[f64], outcomes: &[f64]) -> f64 {
    let variances: Vec<f64> = prices.iter().map(|p| p * (1.0 - p)).collect();
    let (edge, _) = edge(prices, outcomes);
    let n = count(prices.len());
    edge * n / libm::sqrt(mean(&variances) * n)
}

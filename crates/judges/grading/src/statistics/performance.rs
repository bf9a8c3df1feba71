//! Performance figures of a record's returns, as usually reported.

use super::count;
use super::moments::{Moments, mean, sum};

/// Maximum drawdown: the largest fall from a high, as a fraction of that high, 0 to -1.
#[must_use]
pub fn max_drawdown(returns: &[f64]) -> f64 {
    let (mut equity, mut high, mut worst) = (1.0_f64, 1.0_f64, 0.0_f64);
    for r in returns {
        equity *= 1.0 + r;
        high = high.max(equity);
        worst = worst.min(equity / high - 1.0);
    }
    worst
}

/// Yearly volatility: the standard deviation scaled to a year of `periods` units.
#[must_use]
pub fn annual_volatility(returns: &[f64], periods: f64) -> f64 {
    Moments::of(returns).sd * libm::sqrt(periods)
}

/// Compound annual growth rate, for `periods` units in a year.
#[must_use]
pub fn annual_growth(returns: &[f64], periods: f64) -> f64 {
    let equity = returns.iter().fold(1.0, |equity, r| equity * (1.0 + r));
    libm::pow(equity, periods / count(returns.len())) - 1.0
}

/// Calmar ratio: the yearly growth divided by the maximum drawdown (Young 1991).
#[must_use]
pub fn calmar(returns: &[f64], periods: f64) -> f64 {
    annual_growth(returns, periods) / max_drawdown(returns).abs()
}

/// Yearly Sortino ratio: the mean divided by the downside deviation (Sortino and Price 1994).
#[must_use]
pub fn sortino(returns: &[f64], periods: f64) -> f64 {
    let losses: Vec<f64> = returns.iter().map(|r| r.min(0.0) * r.min(0.0)).collect();
    mean(returns) * periods / (libm::sqrt(mean(&losses)) * libm::sqrt(periods))
}

/// Quantile of a series at `share`, 0 to 1, with linear interpolation (Hyndman and Fan 1996, type 7).
#[must_use]
pub fn quantile(series: &[f64], share: f64) -> f64 {
    let mut sorted = series.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    quantile_of_sorted(&sorted, share)
}

/// Quantile at `share` of a series in ascending order.
#[must_use]
pub fn quantile_of_sorted(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * count(last);
    let below = super::whole(place, last);
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    low + (high - low) * (place - count(below))
}

/// Expected shortfall: the mean of the returns at or below the quantile at `share`.
#[must_use]
pub fn expected_shortfall(returns: &[f64], share: f64) -> f64 {
    let limit = quantile(returns, share);
    let worst: Vec<f64> = returns.iter().copied().filter(|r| *r <= limit).collect();
    mean(&worst)
}

/// Mean of the floor(share (n - 1)) + 1 lowest returns.
#[must_use]
pub fn mean_of_worst(returns: &[f64], share: f64) -> f64 {
    let mut sorted = returns.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let worst = super::whole(count(last) * share, last) + 1;
    mean(sorted.get(..worst).unwrap_or_default())
}

/// Tail ratio: the absolute 95th percentile divided by the absolute 5th.
#[must_use]
pub fn tail_ratio(returns: &[f64]) -> f64 {
    quantile(returns, 0.95).abs() / quantile(returns, 0.05).abs()
}

/// Share of returns above zero, 0 to 1.
#[must_use]
pub fn win_rate(returns: &[f64]) -> f64 {
    count(returns.iter().filter(|r| **r > 0.0).count()) / count(returns.len())
}

/// The sum of the returns above zero divided by the sum of the losses.
#[must_use]
pub fn profit_factor(returns: &[f64]) -> f64 {
    let won: Vec<f64> = returns.iter().copied().filter(|r| *r > 0.0).collect();
    let lost: Vec<f64> = returns.iter().copied().filter(|r| *r < 0.0).collect();
    sum(&won) / sum(&lost).abs()
}

/// Herfindahl-Hirschman index of the returns above zero: 1 / n for equal profits, 1 if one unit has all profit.
#[must_use]
pub fn profit_concentration(returns: &[f64]) -> f64 {
    let won: Vec<f64> = returns.iter().copied().filter(|r| *r > 0.0).collect();
    let all = sum(&won);
    won.iter().fold(0.0, |index, r| index + r / all * (r / all))
}

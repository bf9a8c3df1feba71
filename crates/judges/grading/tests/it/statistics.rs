//! The statistics against values that follow by hand, or that tables of the normal distribution give. The suites hold
//! them against other programs, on data outside the repository.

use grading::statistics::binary::{brier, brier_skill, edge, log_loss, z_against_prices};
use grading::statistics::performance::{
    annual_growth, annual_volatility, calmar, expected_shortfall, max_drawdown, mean_of_worst,
    profit_concentration, profit_factor, quantile, sortino, tail_ratio, win_rate,
};
use grading::statistics::sharpe::expected_max;
use grading::statistics::sharpe_2026::{ReturnMoments, variance_of_max};

#[track_caller]
fn near(found: f64, right: f64) {
    assert!((found - right).abs() <= 1e-9 * right.abs().max(1.0), "{found}, not {right}");
}

#[test]
fn forecasts_are_scored_by_brier_and_by_likelihood() {
    let (forecasts, outcomes) = ([0.9, 0.2], [1.0, 0.0]);
    near(brier(&forecasts, &outcomes), 0.025);
    near(brier_skill(&forecasts, &[0.5, 0.5], &outcomes), 0.9);
    near(log_loss(&[0.5, 0.5], &outcomes), std::f64::consts::LN_2);
    near(log_loss(&forecasts, &outcomes), -(0.9_f64.ln() + 0.8_f64.ln()) / 2.0);
    // A certain forecast that fails costs much, and not without end.
    near(log_loss(&[0.0], &[1.0]), -f64::EPSILON.ln());
}

#[test]
fn contracts_earn_what_they_pay_above_their_price() {
    let (prices, outcomes) = ([0.5; 4], [1.0, 1.0, 1.0, 0.0]);
    let (mean, ratio) = edge(&prices, &outcomes);
    near(mean, 0.25);
    // The sample's deviation is 0.5, the mean's standard error 0.25.
    near(ratio, 1.0);
    // One win more than the two that the prices promise, whose deviation is 1.
    near(z_against_prices(&prices, &outcomes), 1.0);
    near(z_against_prices(&[0.2; 25], &[0.0; 25]), -2.5);
}

#[test]
fn a_drawdown_is_the_deepest_fall_from_a_high() {
    near(max_drawdown(&[0.1, -0.5, 0.2, -0.1]), -0.5);
    near(max_drawdown(&[-0.5, 0.1, -0.5]), 0.5 * 1.1 * 0.5 - 1.0);
    near(max_drawdown(&[0.1, 0.2]), 0.0);
}

#[test]
fn yearly_figures_are_scaled_by_the_units_of_a_year() {
    near(annual_growth(&[0.1; 3], 12.0), 1.1_f64.powi(12) - 1.0);
    near(annual_growth(&[1.0, -0.5], 365.0), 0.0);
    near(annual_volatility(&[0.01, -0.01], 8.0), 0.01 * 2.0_f64.sqrt() * 8.0_f64.sqrt());
    // Half a year doubles, at the price of a fall by a half: 300 percent a year.
    near(calmar(&[-0.5, 3.0], 4.0), 6.0);
    near(sortino(&[0.02, -0.01], 4.0), 2.0 * 0.5_f64.sqrt());
}

#[test]
fn quantiles_are_interpolated_and_tails_averaged() {
    let series = [4.0, 1.0, 3.0, 2.0];
    for (share, right) in [(0.0, 1.0), (0.25, 1.75), (0.5, 2.5), (1.0, 4.0)] {
        near(quantile(&series, share), right);
    }
    assert!(quantile(&[], 0.5).is_nan());
    near(expected_shortfall(&series, 0.5), 1.5);
    // The whole part of 0.5 (n - 1) is 1: the two lowest.
    near(mean_of_worst(&series, 0.5), 1.5);
    near(mean_of_worst(&series, 0.0), 1.0);
    near(tail_ratio(&[-2.0, -1.0, 0.0, 1.0, 2.0]), 1.0);
    near(tail_ratio(&[-1.0, 0.0, 3.0]), 2.7 / 0.9);
}

#[test]
fn profits_are_counted_summed_and_weighed() {
    let returns = [0.03, -0.01, 0.0, 0.01, -0.01];
    near(win_rate(&returns), 0.4);
    near(profit_factor(&returns), 2.0);
    near(profit_concentration(&[0.01; 4]), 0.25);
    near(profit_concentration(&[0.5, -0.1, -0.2]), 1.0);
    near(profit_concentration(&returns), 0.75 * 0.75 + 0.25 * 0.25);
}

/// Independent normal returns.
fn normal(n: f64) -> ReturnMoments {
    ReturnMoments { n, skew: 0.0, kurtosis: 3.0, rho: 0.0 }
}

#[test]
fn the_variance_of_a_sharpe_ratio_has_its_known_special_cases() {
    near(normal(100.0).variance_factor(0.0), 1.0);
    // Lo (2002): 1 + S^2 / 2.
    near(normal(100.0).variance_factor(0.4), 1.08);
    // Mertens (2002): - skew S + (kurtosis - 3) S^2 / 4 besides.
    let fat = ReturnMoments { skew: -1.0, kurtosis: 7.0, ..normal(100.0) };
    near(fat.variance_factor(0.4), 1.08 + 0.4 + 0.16);
    // At a ratio of zero the autocorrelation alone counts: (1 + rho) / (1 - rho).
    near(ReturnMoments { rho: 0.2, ..fat }.variance_factor(0.0), 1.5);
    near(ReturnMoments { rho: 0.2, ..normal(150.0) }.standard_deviation(0.0), 0.1);
}

#[test]
fn a_sharpe_ratio_is_tested_as_tables_of_the_normal_distribution_have_it() {
    let hundred = normal(100.0);
    near(hundred.probabilistic(0.1, 0.0), 0.841_344_746_068_543);
    near(hundred.probabilistic(0.1, 0.1), 0.5);
    let z95 = 1.644_853_626_951_472_2;
    near(hundred.min_track_record(0.1, 0.0, 0.95).unwrap(), 100.0 * z95 * z95);
    assert_eq!(hundred.min_track_record(0.1, 0.1, 0.95), None);
    let critical = hundred.critical(0.0, 0.05);
    near(critical, z95 / 10.0);
    near(hundred.power(0.0, critical, 0.05), 0.5);
    near(hundred.power(0.0, 0.0, 0.05), 0.05);
    // With even odds before: 5 false alarms for each 50 discoveries.
    near(hundred.planned_false_discovery_rate(0.0, critical, 0.05, 0.5), 0.05 / 0.55);
    // As likely under either: what was believed before.
    near(hundred.observed_false_discovery_rate(0.1, 0.2, 0.2, 0.3), 0.7);
}

#[test]
fn the_best_of_many_trials_is_held_against_what_luck_gives() {
    // The variance of the highest of k normals: 1, 1 - 1/pi, and 1 + sqrt(3)/(2 pi) - 9/(4 pi).
    let pi = std::f64::consts::PI;
    near(variance_of_max(1.0), 1.0);
    near(variance_of_max(2.0), 1.0 - 1.0 / pi);
    near(variance_of_max(3.0), 1.0 + 3.0_f64.sqrt() / (2.0 * pi) - 9.0 / (4.0 * pi));
    let luck = expected_max(50.0, 0.01);
    near(normal(100.0).deflated(luck, 50.0, 0.01), 0.5);
    assert!(normal(100.0).deflated(luck / 2.0, 50.0, 0.01) < 0.05);
}

//! The statistics against reference libraries: `grading/numeric_crosscheck.json`. Closed forms must agree to 1e-9 of
//! their value, p-values and block lengths to 1e-6, and the bootstrap within each case's own tolerance.

use std::fs;
use std::path::Path;

use grading::bootstrap::{Seed, Stationary};
use grading::statistics::distribution::{chi_square_sf, student_t_sf};
use grading::statistics::moments::{Moments, autocorrelation, correlation, ljung_box};
use grading::statistics::sharpe_2026::ReturnMoments;
use grading::statistics::{binary, block, newey_west, performance, ranks, sharpe};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::outcome::Outcome;

/// Units in the year of the annual figures.
const YEAR: f64 = 252.0;
const CLOSED: f64 = 1e-9;
const LOOSER: f64 = 1e-6;
/// Draws for each of the reference's, so that of the chance in their difference hardly any is ours.
const DRAWS: usize = 8;
const MOST_DRAWS: usize = 1_000_000;

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    #[serde(default)]
    returns: Vec<f64>,
    #[serde(default)]
    benchmark: Vec<f64>,
    #[serde(default)]
    forecast: Vec<f64>,
    #[serde(default)]
    price: Vec<f64>,
    #[serde(default)]
    outcome: Vec<f64>,
    expected: Map<String, Value>,
}

#[derive(Deserialize)]
struct Bootstrap {
    mean_block: f64,
    resamples: usize,
    mean_se: f64,
    mean_ci95: [f64; 2],
    sharpe_se: f64,
    sharpe_ci95: [f64; 2],
    rel_tol_se: f64,
    abs_tol_ci_in_se: f64,
}

pub fn run(folder: &Path) -> Option<Outcome> {
    let text = fs::read_to_string(folder.join("numeric_crosscheck.json")).ok()?;
    let mut outcome = Outcome { name: "grading/crosscheck".to_owned(), ..Outcome::default() };
    match serde_json::from_str::<File>(&text) {
        Ok(file) => file.cases.iter().for_each(|case| check(case, &mut outcome)),
        Err(error) => {
            outcome.total = 1;
            outcome.failures.push(format!("numeric_crosscheck.json: {error}"));
        }
    }
    Some(outcome)
}

fn check(case: &Case, outcome: &mut Outcome) {
    for (name, expected) in &case.expected {
        outcome.total += 1;
        let failure =
            if name == "boot" { check_bootstrap(case, expected) } else { check_one(case, name, expected) };
        match failure {
            None => outcome.passed += 1,
            Some(failure) => outcome.failures.push(format!("{}: {name}: {failure}", case.id)),
        }
    }
}

fn check_one(case: &Case, name: &str, expected: &Value) -> Option<String> {
    let Some(found) = call(case, name) else { return Some("is not known".to_owned()) };
    let Some(wanted) = expected.as_f64() else {
        return (expected.is_null() != found.is_nan()).then(|| format!("is {found}, not {expected}"));
    };
    let loose =
        name.contains("_p_") || name.ends_with("_p") || name.contains("pvalue") || name.starts_with("opt_");
    let tolerance = if loose { LOOSER } else { CLOSED };
    let near = (found - wanted).abs() <= tolerance * wanted.abs() + 1e-15;
    (!near).then(|| format!("is {found}, not {wanted}"))
}

fn call(case: &Case, name: &str) -> Option<f64> {
    if !case.forecast.is_empty() {
        return call_binary(case, name);
    }
    let x = &case.returns[..];
    let moments = Moments::of(x);
    let lags = x.len().checked_sub(1)?;
    let t_of_mean = moments.sharpe() * libm::sqrt(moments.n);
    let by_benchmark = || newey_west::regress(x, &case.benchmark);
    let returns = ReturnMoments { n: moments.n, skew: moments.skew, kurtosis: moments.kurtosis, rho: 0.0 };
    let (ratio, skew, kurtosis) = (moments.sharpe(), moments.skew, moments.kurtosis);
    Some(match name {
        "mean" => moments.mean,
        "std_ddof1" => moments.sd,
        "sharpe_per_period" => ratio,
        "skew_biased" => skew,
        "kurtosis_pearson_biased" => kurtosis,
        "skew_unbiased" => moments.adjusted_skew(),
        "kurt_excess_unbiased" => moments.adjusted_excess_kurtosis(),
        "autocorr1" => correlation(&x[..lags], &x[1..]),
        "autocorr1_acf" => autocorrelation(x, 1),
        "psr0_2012" => sharpe::probabilistic(ratio, 0.0, moments.n, skew, kurtosis),
        "psr0_2026_rho0" => returns.probabilistic(ratio, 0.0),
        "min_trl_2012_95" => sharpe::min_track_record(ratio, 0.0, skew, kurtosis, 0.95).unwrap_or(f64::NAN),
        "t_stat" => t_of_mean,
        "t_pvalue_one_sided" => student_t_sf(t_of_mean, moments.n - 1.0),
        #[allow(clippy::cast_precision_loss)] // a few lags
        "nw_lags" => newey_west::lags(x.len()) as f64,
        "hac_t_mean_nocorr" => newey_west::t_of_mean(x),
        "hac_t_mean_corr" => newey_west::corrected(newey_west::t_of_mean(x), x.len(), 1),
        "alpha" => by_benchmark().alpha,
        "beta" => by_benchmark().beta,
        "hac_t_alpha_nocorr" => by_benchmark().t_alpha,
        "hac_t_beta_nocorr" => by_benchmark().t_beta,
        "ljung_box5_stat" => ljung_box(x, 5),
        "ljung_box5_p" => chi_square_sf(ljung_box(x, 5), 5),
        "jarque_bera" => moments.jarque_bera(),
        "max_drawdown" => performance::max_drawdown(x),
        "sortino_daily_ann252" => performance::sortino(x, YEAR),
        "calmar_ann252" => performance::calmar(x, YEAR),
        "annual_vol252" => performance::annual_volatility(x, YEAR),
        "cagr252" => performance::annual_growth(x, YEAR),
        "var95_numpy_linear" => performance::quantile(x, 0.05),
        "cvar95_mean_le_var" => performance::expected_shortfall(x, 0.05),
        "empyrical_cvar95" => performance::mean_of_worst(x, 0.05),
        "tail_ratio" => performance::tail_ratio(x),
        "win_rate" => performance::win_rate(x),
        "sign_test_p_greater" => ranks::sign_test(x),
        "wilcoxon_p_greater" => ranks::signed_rank_test(x),
        "profit_factor" => performance::profit_factor(x),
        "hhi_positive" => performance::profit_concentration(x),
        "opt_block_stationary" => block::best_lengths(x)?.stationary,
        "opt_block_circular" => block::best_lengths(x)?.circular,
        _ => return None,
    })
}

fn call_binary(case: &Case, name: &str) -> Option<f64> {
    let Case { forecast, price, outcome, .. } = case;
    Some(match name {
        "brier_forecast" => binary::brier(forecast, outcome),
        "brier_price" => binary::brier(price, outcome),
        "brier_skill_vs_price" => binary::brier_skill(forecast, price, outcome),
        "log_loss_forecast" => binary::log_loss(forecast, outcome),
        "log_loss_price" => binary::log_loss(price, outcome),
        "mean_edge_over_price" => binary::edge(price, outcome).0,
        "edge_t" => binary::edge(price, outcome).1,
        "z_price_null" => binary::z_against_prices(price, outcome),
        _ => return None,
    })
}

fn check_bootstrap(case: &Case, expected: &Value) -> Option<String> {
    let wanted: Bootstrap = match serde_json::from_value(expected.clone()) {
        Ok(wanted) => wanted,
        Err(error) => return Some(error.to_string()),
    };
    let drawn = Stationary::new(case.returns.len(), wanted.mean_block).moments(
        &case.returns,
        wanted.resamples.saturating_mul(DRAWS).min(MOST_DRAWS),
        Seed([0; 32]),
    );
    let means: Vec<f64> = drawn.iter().map(|resample| resample.mean).collect();
    let ratios: Vec<f64> = drawn.iter().map(|resample| resample.mean / resample.sd).collect();
    [(means, wanted.mean_se, wanted.mean_ci95), (ratios, wanted.sharpe_se, wanted.sharpe_ci95)]
        .iter()
        .find_map(|(found, se, interval)| {
            let spread = Moments::of(found).sd;
            if (spread / se - 1.0).abs() > wanted.rel_tol_se {
                return Some(format!("standard error {spread}, not {se}"));
            }
            let ends = [performance::quantile(found, 0.025), performance::quantile(found, 0.975)];
            let near = ends.iter().zip(interval).all(|(a, b)| (a - b).abs() <= wanted.abs_tol_ci_in_se * se);
            (!near).then(|| format!("interval {ends:?}, not {interval:?}"))
        })
}

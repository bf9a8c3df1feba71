//! The functions of the papers against the values that they publish: `grading/paper_cases.json`.

use std::fs;
use std::path::Path;

use grading::statistics::sharpe::{self, deflated, expected_max};
use grading::statistics::sharpe_2026::ReturnMoments;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::outcome::Outcome;

#[derive(Deserialize)]
struct Case {
    id: String,
    function: String,
    inputs: Inputs,
    expected: f64,
    abs_tol: f64,
}

/// A case's inputs: numbers, or texts like `0.036/0.079` and `2/sqrt(12)`.
#[derive(Deserialize)]
#[serde(transparent)]
struct Inputs(Map<String, Value>);

pub fn run(folder: &Path) -> Option<Outcome> {
    let text = fs::read_to_string(folder.join("paper_cases.json")).ok()?;
    let mut outcome = Outcome { name: "grading/paper".to_owned(), ..Outcome::default() };
    let cases: Vec<Value> = match serde_json::from_str(&text) {
        Ok(cases) => cases,
        Err(error) => {
            outcome.total = 1;
            outcome.failures.push(format!("paper_cases.json: {error}"));
            return Some(outcome);
        }
    };
    for case in cases {
        outcome.total += 1;
        let case: Case = match serde_json::from_value(case) {
            Ok(case) => case,
            Err(error) => {
                outcome.failures.push(format!("case {}: {error}", outcome.total));
                continue;
            }
        };
        let Case { id, function, inputs, expected, abs_tol } = &case;
        match call(function, inputs) {
            Some(found) if (found - expected).abs() <= *abs_tol => outcome.passed += 1,
            Some(found) => outcome.failures.push(format!("{id}: {function} is {found}, not {expected}")),
            None => outcome.failures.push(format!("{id}: {function} is not known, or an input is missing")),
        }
    }
    Some(outcome)
}

fn call(function: &str, inputs: &Inputs) -> Option<f64> {
    let get = |name: &str| inputs.number(name);
    let returns = || {
        Some(ReturnMoments { n: get("T")?, skew: get("skew")?, kurtosis: get("kurtosis")?, rho: get("rho")? })
    };
    match function {
        "psr_2012" => Some(sharpe::probabilistic(
            get("sr")?,
            get("sr_benchmark")?,
            get("n")?,
            get("skew")?,
            get("kurtosis")?,
        )),
        "sharpe_stdev_2012" => {
            Some(sharpe::standard_deviation(get("sr")?, get("n")?, get("skew")?, get("kurtosis")?))
        }
        "min_trl_2012_years" => {
            let (observed, benchmark) = (get("sr_monthly")?, get("sr_benchmark")?);
            let months =
                sharpe::min_track_record(observed, benchmark, get("skew")?, get("kurtosis")?, get("prob")?)?;
            Some(months / get("periods_per_year")?)
        }
        "sharpe_stdev_2026" => Some(returns()?.standard_deviation(get("sr")?)),
        "min_trl_2026" => returns()?.min_track_record(get("sr")?, get("sr_benchmark")?, get("alpha")?),
        "psr_2026" => Some(returns()?.probabilistic(get("sr")?, get("sr_benchmark")?)),
        "critical_sharpe_2026" => Some(returns()?.critical(get("sr0")?, get("alpha")?)),
        "power_2026" => Some(returns()?.power(get("sr0")?, get("sr1")?, get("alpha")?)),
        "ofdr_2026" => {
            Some(returns()?.observed_false_discovery_rate(get("sr")?, get("sr0")?, get("sr1")?, get("p_h1")?))
        }
        "pfdr_2026" => Some(returns()?.planned_false_discovery_rate(
            get("sr0")?,
            get("sr1")?,
            get("alpha")?,
            get("p_h1")?,
        )),
        "dsr_2026" => Some(returns()?.deflated(get("sr")?, get("trials")?, get("trial_variance")?)),
        "expected_max_sharpe" => Some(expected_max(get("trials")?, get("variance")?)),
        "dsr_2014" => {
            let year = get("periods_per_year")?;
            let observed = get("sr_annual")? / libm::sqrt(year);
            let variance = get("var_sr_annual")? / year;
            Some(deflated(observed, get("T")?, get("skew")?, get("kurtosis")?, get("trials")?, variance))
        }
        "lo_se_iid" => Some(sharpe::lo_standard_error(get("sr")?, get("T")?)),
        "lo_eta_ar1" => {
            let q = inputs.0.get("q")?.as_u64().and_then(|q| usize::try_from(q).ok())?;
            Some(sharpe::lo_scaling(get("rho")?, q))
        }
        "kelly_binary" => Some(sharpe::kelly(get("p")?, get("odds")?)),
        _ => None,
    }
}

impl Inputs {
    fn number(&self, name: &str) -> Option<f64> {
        match self.0.get(name)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => quotient(text),
            _ => None,
        }
    }
}

/// A quotient of factors, each a number or the square root of one.
fn quotient(text: &str) -> Option<f64> {
    let mut factors = text.split('/').map(|factor| {
        let factor = factor.trim();
        let root =
            factor.strip_suffix(')').and_then(|inner| inner.split_once("sqrt(")).map(|(_, inner)| inner);
        match root {
            Some(inner) => inner.trim().parse::<f64>().ok().map(libm::sqrt),
            None => factor.parse().ok(),
        }
    });
    let first = factors.next()??;
    factors.try_fold(first, |product, factor| Some(product / factor?))
}

//! Test cases of the models: ratios, and what their scores are expected to be.

use serde_json::{Map, Value};

use crate::model::ModelId;
use crate::score::{ModelScore, score_ratios};

/// The most inputs or expected members of a case.
pub const MAX_CASE_MEMBERS: usize = 32;

/// Checks a case `{"model", "inputs", "expected", "abs_tol"}`: every expected number must be within `abs_tol` of the computed one,
/// and every zone and flag equal to it. Inputs are numbers, or booleans that stand for 1 and 0.
///
/// # Errors
///
/// The first difference in words; also a case of another shape, an unknown model, an input that the model does not have, and an
/// expected member that the score does not have.
pub fn check_case(case: &Value) -> Result<(), String> {
    let name = case["model"].as_str().ok_or("the case has no model")?;
    let id = ModelId::from_name(name).ok_or_else(|| format!("unknown model {name}"))?;
    let tolerance = case["abs_tol"].as_f64().filter(|tolerance| *tolerance >= 0.0);
    let tolerance = tolerance.ok_or("the case has no abs_tol")?;
    let inputs = members(case, "inputs")?;
    let expected = members(case, "expected")?;
    if expected.is_empty() {
        return Err("the case expects nothing".to_owned());
    }
    let ratios: Result<Vec<(&str, f64)>, String> =
        inputs.iter().map(|(name, value)| Ok((name.as_str(), number(name, value)?))).collect();
    let score = score_ratios(id, &ratios?).map_err(|missing| {
        let faults = missing.inputs.iter().map(|fault| format!("{} {:?}", fault.input, fault.reason));
        format!("{name} was not computed: {}", faults.collect::<Vec<_>>().join(", "))
    })?;
    expected.iter().try_for_each(|(name, value)| compare(&score, name, value, tolerance))
}

fn members<'a>(case: &'a Value, name: &str) -> Result<&'a Map<String, Value>, String> {
    let members = case[name].as_object().ok_or_else(|| format!("the case has no {name}"))?;
    if members.len() > MAX_CASE_MEMBERS {
        return Err(format!("the case has more than {MAX_CASE_MEMBERS} {name}"));
    }
    Ok(members)
}

fn number(name: &str, value: &Value) -> Result<f64, String> {
    match value {
        Value::Bool(is) => Ok(f64::from(u8::from(*is))),
        _ => value.as_f64().ok_or_else(|| format!("{name} is not a number")),
    }
}

fn compare(score: &ModelScore, name: &str, expected: &Value, tolerance: f64) -> Result<(), String> {
    let solution = score.solution.as_ref();
    let missing = || format!("{} has no {name}", score.model.as_str());
    let computed = match name {
        "score" | "logit" => Some(score.score),
        "score_em" => score.score_em,
        "probability" => score.probability,
        "asset_value" => solution.map(|solution| solution.asset_value),
        "asset_vol" => solution.map(|solution| solution.asset_vol),
        "distance_to_default" => solution.map(|solution| solution.distance_to_default),
        "zone" | "zone_em" => {
            let zone = if name == "zone" { score.zone } else { score.zone_em };
            let computed = zone.ok_or_else(missing)?.as_str();
            return equal(name, Value::from(computed), expected);
        }
        "distress" | "failed" | "flag" => {
            return equal(name, Value::from(score.signals.ok_or_else(missing)?), expected);
        }
        _ => return Err(missing()),
    };
    let computed = computed.ok_or_else(missing)?.get();
    let expected = number(name, expected)?;
    if (computed - expected).abs() <= tolerance {
        Ok(())
    } else {
        Err(format!("{name} is {computed}, not {expected} within {tolerance}"))
    }
}

fn equal(name: &str, computed: Value, expected: &Value) -> Result<(), String> {
    if &computed == expected { Ok(()) } else { Err(format!("{name} is {computed}, not {expected}")) }
}

//! Merton's model: the value and the volatility of a company's assets from those of its equity.
//!
//! Equity `E` is a call on the assets `V` at the debt `D`, so that with `K = D exp(-r T)` and `s = sigma sqrt T`
//!
//! ```text
//! E       = V N(d1) - K N(d2)         d1 = ln(V/K) / s + s / 2,  d2 = d1 - s
//! sigma_E = sigma N(d1) V / E
//! ```
//!
//! Both are solved in units of `K`. For a given `s` the first has one solution `V` from `E` to `E + K`: the call is convex and rising,
//! so Newton's steps from above fall towards it, kept within a bracket. The second then has a solution `s` from 0 to
//! `sigma_E sqrt T`, found by bisection.

use schemars::JsonSchema;
use serde::Serialize;

use crate::checks::{FaultReason, InputFault};
use crate::formula::UsedItem;
use crate::number::{Finite, normal_cdf};

/// The horizon from items, in years.
pub const YEARS: f64 = 1.0;

/// The most steps of the bisection.
pub const MAX_BISECTIONS: u32 = 200;

/// The most steps of the inner solution.
pub const MAX_NEWTON_STEPS: u32 = 100;

/// The largest residual of either equation, as a fraction of its left side, with which it counts as solved.
pub const MAX_RESIDUAL: f64 = 1e-9;

/// Bounds of the arguments, ends included: amounts, volatility, rate, years, and equity over the discounted debt. Beyond the last a
/// solution in f64 does not reach [`MAX_RESIDUAL`].
const AMOUNT: (f64, f64) = (1e-9, 2e18);
const VOLATILITY: (f64, f64) = (0.001, 10.0);
const RATE: (f64, f64) = (-0.5, 1.0);
const TERM: (f64, f64) = (0.01, 50.0);
const EQUITY_OVER_DEBT: (f64, f64) = (1e-6, 1e9);

/// The arguments of the model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MertonInputs {
    /// Market value of equity.
    pub equity: f64,
    /// Annual volatility of equity, as a fraction.
    pub equity_vol: f64,
    /// Face value of the debt, in the unit of `equity`.
    pub debt: f64,
    /// Annual riskless rate, continuously compounded, as a fraction.
    pub r: f64,
    /// Years until the debt is due.
    pub years: f64,
}

/// An argument of the model, with its way from items.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SolvedInput {
    /// The name of the argument.
    pub name: &'static str,
    /// The formula over named items; absent where the argument was given itself.
    pub formula: Option<String>,
    /// The value.
    pub value: Finite,
    /// The items that it was computed from.
    pub inputs: Vec<UsedItem>,
}

/// The solution of the two equations.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Solution {
    /// The arguments: `equity`, `equity_vol`, `debt`, `r` and `T`.
    pub arguments: Vec<SolvedInput>,
    /// Value of the assets, in the unit of equity.
    pub asset_value: Finite,
    /// Annual volatility of the assets, as a fraction.
    pub asset_vol: Finite,
    /// (ln(V/D) + (r - sigma^2/2) T) / (sigma sqrt T).
    pub distance_to_default: Finite,
    /// Residual of the equation of the value of equity, as a fraction of it.
    pub value_residual: Finite,
    /// Residual of the equation of the volatility of equity, as a fraction of it.
    pub volatility_residual: Finite,
    /// Steps of the bisection.
    pub steps: u32,
}

/// Solves the two equations.
///
/// # Errors
///
/// The arguments that are out of their bounds, or [`FaultReason::NotSolved`] if a residual exceeds [`MAX_RESIDUAL`].
pub fn solve(inputs: &MertonInputs) -> Result<Solution, Vec<InputFault>> {
    let faults = faults(inputs);
    if !faults.is_empty() {
        return Err(faults);
    }
    let discounted = inputs.debt * libm::exp(-inputs.r * inputs.years);
    let root = inputs.years.sqrt();
    let (equity, target) = (inputs.equity / discounted, inputs.equity_vol * root);
    let outside = !(EQUITY_OVER_DEBT.0..=EQUITY_OVER_DEBT.1).contains(&equity);
    if outside {
        let mut fault = InputFault::new("equity / debt", FaultReason::OutOfRange);
        fault.detail = Some(format!("not from {} to {}", EQUITY_OVER_DEBT.0, EQUITY_OVER_DEBT.1));
        return Err(vec![fault]);
    }
    let (s, steps) = bisect(equity, target);
    let v = assets(equity, s);
    let (call, delta) = call(v, s);
    let value_residual = (call - equity).abs() / equity;
    let volatility_residual = (s * v * delta / equity - target).abs() / target;
    let asset_vol = s / root;
    let drift = (inputs.r - 0.5 * asset_vol * asset_vol) * inputs.years;
    let distance = (libm::log(v * discounted / inputs.debt) + drift) / s;
    let all = [v * discounted, asset_vol, distance, value_residual, volatility_residual].map(Finite::new);
    let is_solved = value_residual <= MAX_RESIDUAL && volatility_residual <= MAX_RESIDUAL;
    let [Some(asset_value), Some(asset_vol), Some(distance_to_default), Some(first), Some(second)] = all
    else {
        return Err(vec![InputFault::new("asset_value", FaultReason::NotSolved)]);
    };
    if !is_solved {
        return Err(vec![InputFault::new("asset_value", FaultReason::NotSolved)]);
    }
    Ok(Solution {
        arguments: Vec::new(),
        asset_value,
        asset_vol,
        distance_to_default,
        value_residual: first,
        volatility_residual: second,
        steps,
    })
}

fn faults(inputs: &MertonInputs) -> Vec<InputFault> {
    let mut faults = Vec::new();
    for (name, value, (least, most)) in [
        ("equity", inputs.equity, AMOUNT),
        ("equity_vol", inputs.equity_vol, VOLATILITY),
        ("debt", inputs.debt, AMOUNT),
        ("r", inputs.r, RATE),
        ("T", inputs.years, TERM),
    ] {
        let reason =
            if name == "debt" && value == 0.0 { FaultReason::ZeroDivisor } else { FaultReason::OutOfRange };
        // A NaN lies within no bounds.
        if !(least..=most).contains(&value) {
            let mut fault = InputFault::new(name, reason);
            fault.detail = Some(format!("not from {least} to {most}"));
            faults.push(fault);
        }
    }
    faults
}

/// Returns the call on assets `v` at 1 with total volatility `s`, and its slope.
fn call(v: f64, s: f64) -> (f64, f64) {
    let d1 = libm::log(v) / s + 0.5 * s;
    let delta = normal_cdf(d1);
    (v * delta - normal_cdf(d1 - s), delta)
}

/// Returns the assets at which the call is worth `equity`.
fn assets(equity: f64, s: f64) -> f64 {
    let (mut low, mut high) = (equity, equity + 1.0);
    let mut v = high;
    for _ in 0..MAX_NEWTON_STEPS {
        let (value, delta) = call(v, s);
        if value < equity {
            low = v;
        } else {
            high = v;
        }
        let step = v - (value - equity) / delta;
        let next = if step > low && step < high { step } else { 0.5 * (low + high) };
        if (next - v).abs() <= f64::EPSILON * v {
            return next;
        }
        v = next;
    }
    v
}

/// Returns the total volatility of the assets at which that of the equity is `target`, and the number of steps.
fn bisect(equity: f64, target: f64) -> (f64, u32) {
    let (mut low, mut high) = (0.0, target);
    for step in 1..=MAX_BISECTIONS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return (high, step);
        }
        let v = assets(equity, middle);
        let (_, delta) = call(v, middle);
        if middle * v * delta / equity < target {
            low = middle;
        } else {
            high = middle;
        }
    }
    (high, MAX_BISECTIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(equity: f64, equity_vol: f64, debt: f64, r: f64, years: f64) -> MertonInputs {
        MertonInputs { equity, equity_vol, debt, r, years }
    }

    /// Hull's textbook example: equity 3 million at 80 %, debt 10 million in a year, 5 %.
    #[test]
    fn the_textbook_example_has_its_printed_solution() {
        let solution = solve(&inputs(3.0, 0.8, 10.0, 0.05, 1.0)).unwrap();
        assert!((solution.asset_value.get() - 12.40).abs() < 0.005);
        assert!((solution.asset_vol.get() - 0.2123).abs() < 5e-5);
        assert!((normal_cdf(-solution.distance_to_default.get()) - 0.127).abs() < 5e-4);
    }

    #[test]
    fn the_unit_of_money_does_not_matter_and_the_term_does() {
        let one = solve(&inputs(3.0, 0.8, 10.0, 0.05, 2.5)).unwrap();
        let other = solve(&inputs(3e12, 0.8, 10e12, 0.05, 2.5)).unwrap();
        assert!((one.distance_to_default.get() - other.distance_to_default.get()).abs() < 1e-12);
        let year = solve(&inputs(3.0, 0.8, 10.0, 0.05, 1.0)).unwrap();
        assert!(one.distance_to_default.get() < year.distance_to_default.get());
    }

    #[test]
    fn arguments_out_of_bounds_are_named() {
        let faults = solve(&inputs(f64::NAN, -0.1, 0.0, 5.0, f64::INFINITY)).unwrap_err();
        let names: Vec<&str> = faults.iter().map(|fault| fault.input.as_str()).collect();
        assert_eq!(names, ["equity", "equity_vol", "debt", "r", "T"]);
        assert_eq!(faults[2].reason, FaultReason::ZeroDivisor);
        assert_eq!(solve(&inputs(1e-9, 0.5, 1e9, 0.0, 1.0)).unwrap_err()[0].input, "equity / debt");
    }

    #[test]
    fn a_solution_meets_both_equations_over_the_whole_range() {
        for equity in [1e-5, 1e-3, 0.1, 1.0, 30.0, 1e4, 1e8] {
            for volatility in [0.001, 0.02, 0.2, 0.8, 3.0, 10.0] {
                for years in [0.01, 1.0, 10.0] {
                    match solve(&inputs(equity, volatility, 1.0, 0.03, years)) {
                        Ok(solution) => assert!(solution.value_residual.get() <= MAX_RESIDUAL),
                        Err(faults) => panic!("{equity} {volatility} {years}: {faults:?}"),
                    }
                }
            }
        }
    }
}

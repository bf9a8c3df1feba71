//! `/copy-trade-score`, rule line by rule line.

use grading::GradeVerdict;
use grading::copy_trade::{CopyFinding, CopyReason, CopyVerdict};
use serde_json::{Value, json};

use crate::common::*;

fn score(rows: Vec<Value>, costs: Value) -> CopyFinding {
    copy(&with(trades(rows), json!({"costs": costs, "declared_trials": 5})))
}

/// That a record is judged so with low costs, but for these changes.
#[track_caller]
fn judged(rows: Vec<Value>, changes: Value, verdict: CopyVerdict, reason: CopyReason) -> CopyFinding {
    let finding = score(rows, with(low_costs(), changes));
    assert_eq!((finding.verdict, finding.reason), (verdict, reason), "{}", finding.explanation);
    assert_eq!(finding.explanation.matches(". ").count() + 1, 2, "{}", finding.explanation);
    finding
}

/// The gate of this name.
fn passed(finding: &CopyFinding, id: &str) -> bool {
    finding.gates.iter().find(|gate| gate.id == id).unwrap().passed
}

/// That only this gate keeps the verdict at `CAUTION`.
#[track_caller]
fn only(finding: &CopyFinding, id: &str) {
    let failed: Vec<&str> = finding.gates.iter().filter(|gate| !gate.passed).map(|gate| gate.id).collect();
    assert_eq!(failed, [id]);
}

fn edge() -> Vec<Value> {
    year(0.004, 0.01)
}

#[test]
fn an_edge_after_costs_that_passes_every_gate_may_be_copied() {
    let finding = judged(edge(), json!({}), CopyVerdict::Copy, CopyReason::AllGatesPassed);
    assert_eq!(finding.net.verdict, GradeVerdict::RealEdge);
}

#[test]
fn the_cost_is_spread_and_fees_impact_in_and_out_and_delay() {
    let costs = json!({
        "half_spread": 0.001, "fee": 0.0005, "order_size": 1, "adv": 10_000, "daily_volatility": 0.02,
        "latency_seconds": 864, "impact_coefficient": 0.5,
    });
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-15, "{found} is not {expected}");
    let cost = score(edge(), costs.clone()).cost;
    near(cost.spread_and_fees, 0.003);
    near(cost.impact, 2.0 * 0.5 * 0.02 * 0.01);
    near(cost.delay, 0.5 * 0.02 * 0.1);
    near(cost.total, cost.spread_and_fees + cost.impact + cost.delay);
    near(score(edge(), with(costs.clone(), json!({"measured_drift": 0.002}))).cost.delay, 0.002);
    near(score(edge(), with(costs, json!({"measured_drift": -0.002}))).cost.delay, 0.001);
}

#[test]
fn costs_are_taken_as_often_as_the_equity_is_turned_over() {
    // Half of the equity a day: 0.005 of it, of a mean return of 0.002.
    let finding = score(edge(), with(low_costs(), json!({"half_spread": 0.005, "fee": 0})));
    let gross = score(edge(), with(low_costs(), json!({"half_spread": 0, "fee": 0, "daily_volatility": 0})));
    let taken = gross.net.curve[0].equity - finding.net.curve[0].equity;
    let total = finding.cost.total;
    assert!((taken - 0.5 * total).abs() < 1e-12, "{taken} of {total}");
}

#[test]
fn a_record_that_loses_after_costs_is_to_be_avoided() {
    judged(year(-0.004, 0.01), json!({}), CopyVerdict::Avoid, CopyReason::NetNegativeEv);
    // It comes before what is missing.
    let finding = score(year(-0.004, 0.01), json!({}));
    assert_eq!(finding.reason, CopyReason::NetNegativeEv);
}

#[test]
fn a_profit_that_costs_take_is_to_be_avoided() {
    // The record is short, so that the grade of what is left says nothing.
    let short: Vec<Value> = edge().into_iter().take(40).collect();
    judged(short, json!({"half_spread": 0.01}), CopyVerdict::Avoid, CopyReason::CostsTakeProfit);
}

/// The same trades in other sizes.
fn sized(rows: Vec<Value>, size: impl Fn(usize, f64) -> f64) -> Vec<Value> {
    let mut before = 0.0;
    let resize = |(at, mut row): (usize, Value)| {
        let size = size(at, before);
        let gain = row["exit_price"].as_f64().unwrap() - row["entry_price"].as_f64().unwrap();
        before = gain * size;
        row["size"] = json!(size);
        row["pnl_net"] = json!((gain * size * 100.0).round() / 100.0 - 1.0);
        row
    };
    rows.into_iter().enumerate().map(resize).collect()
}

#[test]
fn sizes_that_grow_with_losses_are_to_be_avoided() {
    let doubled = sized(edge(), |_, before| if before < 0.0 { 500.0 } else { 250.0 });
    judged(doubled, json!({}), CopyVerdict::Avoid, CopyReason::Martingale);
    let once = sized(edge(), |at, _| if at == 9 { 501.0 } else { 125.0 });
    judged(once, json!({}), CopyVerdict::Avoid, CopyReason::Martingale);
    let four = sized(edge(), |at, _| if at == 9 { 500.0 } else { 125.0 });
    judged(four, json!({}), CopyVerdict::Copy, CopyReason::AllGatesPassed);
    // Sizes that hardly differ are not those of a martingale, whatever they correlate with.
    let rounding = sized(edge(), |_, before| if before < 0.0 { 500.1 } else { 500.0 });
    judged(rounding, json!({}), CopyVerdict::Copy, CopyReason::AllGatesPassed);
}

/// A record that falls by so much at its end, in three days.
fn falling(by: f64) -> Vec<Value> {
    let mut rows = year(0.01, 0.02);
    let loss = -(100_000.0 * by / 3.0).round();
    for row in &mut rows[240..243] {
        *row = with(row.take(), json!({"exit_price": null, "pnl_net": loss, "max_loss": 100_000}));
    }
    rows
}

#[test]
fn a_drawdown_of_half_is_to_be_avoided_and_one_of_a_quarter_is_no_case_for_copying() {
    judged(falling(0.72), json!({}), CopyVerdict::Avoid, CopyReason::Drawdown);
    let finding = score(falling(0.36), low_costs());
    assert_ne!(finding.verdict, CopyVerdict::Copy);
    assert!(!passed(&finding, "net.drawdown"));
    assert!(passed(&score(edge(), low_costs()), "net.drawdown"));
}

#[test]
fn without_a_cost_nothing_is_said_but_what_to_avoid() {
    for name in ["half_spread", "fee", "order_size", "adv", "daily_volatility", "latency_seconds"] {
        let finding =
            judged(edge(), json!({name: null}), CopyVerdict::InsufficientData, CopyReason::CostInputsMissing);
        assert_eq!(finding.missing.iter().map(|missing| missing.field).collect::<Vec<_>>(), [name]);
        assert_eq!((finding.capacity, finding.break_even_cost), (None, None));
    }
    let sizeless: Vec<Value> = edge().into_iter().map(|row| with(row, json!({"size": null}))).collect();
    judged(sizeless.clone(), json!({}), CopyVerdict::InsufficientData, CopyReason::CostInputsMissing);
    // With the turnover the costs are known, but not that no position was out of proportion.
    let finding = judged(sizeless, json!({"turnover": 0.5}), CopyVerdict::Caution, CopyReason::GateNotPassed);
    assert!(passed(&finding, "net.real_edge") && !passed(&finding, "size.largest_over_median"));
}

#[test]
fn a_record_too_short_to_grade_is_not_scored() {
    let short: Vec<Value> = edge().into_iter().take(40).collect();
    judged(short, json!({}), CopyVerdict::InsufficientData, CopyReason::NetInsufficient);
}

#[test]
fn each_gate_alone_keeps_a_record_from_being_copied() {
    let caution = |rows, changes| judged(rows, changes, CopyVerdict::Caution, CopyReason::GateNotPassed);
    // Three fifths of the edge, which leaves one all the same.
    only(&caution(year(0.008, 0.01), json!({"half_spread": 0.0022})), "cost.share_of_edge");
    // Six hours are 20 latencies of 18 minutes.
    judged(
        edge(),
        json!({"latency_seconds": 1_080, "daily_volatility": 0}),
        CopyVerdict::Copy,
        CopyReason::AllGatesPassed,
    );
    only(&caution(edge(), json!({"latency_seconds": 1_081, "daily_volatility": 0})), "hold.latencies");
    judged(edge(), json!({"latency_seconds": 0}), CopyVerdict::Copy, CopyReason::AllGatesPassed);
    judged(
        edge(),
        json!({"adv": 1_000_000, "daily_volatility": 0}),
        CopyVerdict::Copy,
        CopyReason::AllGatesPassed,
    );
    only(&caution(edge(), json!({"adv": 999_999, "daily_volatility": 0})), "size.share_of_adv");
    let unopened = edge().into_iter().map(|row| with(row, json!({"opened_at": null}))).collect();
    judged(unopened, json!({}), CopyVerdict::InsufficientData, CopyReason::NetInsufficient);
}

/// The part of the gross edge that costs take.
fn share_of_edge(finding: &CopyFinding) -> f64 {
    finding.gates.iter().find(|gate| gate.id == "cost.share_of_edge").unwrap().statistic.unwrap()
}

#[test]
fn costs_break_even_at_the_gross_edge_and_capacity_keeps_half_of_it() {
    let finding = score(edge(), with(low_costs(), json!({"adv": 1_000_000, "daily_volatility": 0.05})));
    let number = |text: &Option<String>| text.as_ref().unwrap().parse::<f64>().unwrap();
    let (even, capacity) = (number(&finding.break_even_size), number(&finding.capacity));
    let at = |size: f64| {
        score(
            edge(),
            with(low_costs(), json!({"adv": 1_000_000, "daily_volatility": 0.05, "order_size": size})),
        )
    };
    assert!((at(even).cost.total / finding.break_even_cost.unwrap() - 1.0).abs() < 1e-3);
    assert!((share_of_edge(&at(capacity)) - 0.5).abs() < 1e-3);
    assert!(passed(&at(capacity), "cost.share_of_edge") && passed(&at(capacity), "size.share_of_adv"));
    assert!(
        !passed(&at(capacity * 1.01), "cost.share_of_edge")
            || !passed(&at(capacity * 1.01), "size.share_of_adv")
    );
    // If impact costs next to nothing, the hundredth of the volume is the bound.
    let cheap = score(edge(), with(low_costs(), json!({"adv": 1_000_000, "daily_volatility": 0.0001})));
    assert_eq!(cheap.capacity.as_deref(), Some("10000"));
}

#[test]
fn returns_are_taken_for_the_whole_equity_once_a_day() {
    let mut luck = noise(3);
    let rows: Vec<Value> = (0..250)
        .map(|at| json!({"date": day(at), "r": 0.004 + 0.01 * luck(), "b": 0.0, "max_loss": 0.02}))
        .collect();
    let body = |costs: Value| json!({"returns": rows, "benchmark": "cash", "costs": costs});
    let (once, twice) = (copy(&body(low_costs())), copy(&body(with(low_costs(), json!({"turnover": 2})))));
    let taken = once.net.curve[0].equity - twice.net.curve[0].equity;
    assert!((taken - once.cost.total).abs() < 1e-12);
    // Of holds and sizes nothing is known.
    assert_ne!(once.verdict, CopyVerdict::Copy);
}

#[test]
fn no_cost_is_too_strange_for_a_receipt() {
    for changes in [
        json!({"adv": 5e-324}),
        json!({"adv": 5e-324, "daily_volatility": 0}),
        json!({"order_size": 1e300, "impact_coefficient": 100, "daily_volatility": 10}),
        json!({"adv": 1e300, "order_size": 5e-324}),
        json!({"half_spread": 1, "fee": 1, "measured_drift": 1, "latency_seconds": 864_000}),
    ] {
        let finding = score(edge(), with(low_costs(), changes.clone()));
        assert!(receipt::canonical::to_vec(&finding).is_ok(), "{changes}");
        let is_cheap = changes["adv"] == 1e300;
        assert_eq!(finding.verdict == CopyVerdict::Copy, is_cheap, "{changes}");
    }
    for (size, entry, equity) in [(1e300, 1e300, 1.0), (1e300, 1e-300, 1e-300), (5e-324, 5e-324, 1e300)] {
        let row = |row| {
            with(
                row,
                json!({"size": size, "entry_price": entry, "exit_price": null, "equity_before": equity}),
            )
        };
        let finding = score(edge().into_iter().map(row).collect(), low_costs());
        assert!(receipt::canonical::to_vec(&finding).is_ok());
        assert_ne!(finding.verdict, CopyVerdict::Copy);
    }
}

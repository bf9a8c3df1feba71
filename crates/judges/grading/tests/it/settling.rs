//! Rows to settlement units, and what is missing.

use grading::{Benchmark, GradeReason, GradeVerdict};
use serde_json::{Value, json};

use crate::common::*;

fn record(body: &Value) -> grading::TrackRecord {
    question(body).unwrap().settled.record.clone()
}

/// A trade on a day of January 2026, at an hour.
fn at(name: &str, day: u32, hour: u32, changes: Value) -> Value {
    let closed = format!("2026-01-{day:02}T{hour:02}:00:00Z");
    let bare = json!({"trade_id": name, "opened_at": null, "closed_at": closed, "exit_price": null});
    with(with(trade(), bare), changes)
}

#[test]
fn a_unit_is_a_days_profit_over_the_equity_before_its_first_close() {
    let body = trades([
        at("c", 6, 9, json!({"pnl_net": 30, "equity_before": 3000})),
        at("b", 5, 16, json!({"pnl_net": -4, "equity_before": 7})),
        at("a", 5, 10, json!({"pnl_net": 24, "equity_before": 2000})),
    ]);
    let record = record(&body);
    let found: Vec<(i32, f64)> = record.units.iter().map(|unit| (unit.day, unit.x)).collect();
    assert_eq!(found, [(20_458, 0.01), (20_459, 0.01)]);
    assert_eq!(record.units[0].max_loss, Some(0.05));
}

#[test]
fn the_settlement_day_is_that_of_the_close_in_utc() {
    let body = trades([
        at("a", 5, 10, json!({"closed_at": "2026-01-05T23:30:00-05:00"})),
        at("b", 6, 1, json!({"pnl_net": 1})),
    ]);
    assert_eq!(record(&body).units.len(), 1);
}

#[test]
fn the_benchmark_of_a_day_is_weighed_by_what_was_opened() {
    let body = trades([
        at("a", 5, 10, json!({"size": 1, "entry_price": 300, "benchmark_return": 0.01})),
        at("b", 5, 11, json!({"size": 10, "entry_price": 10, "benchmark_return": 0.03})),
    ]);
    let b = record(&body).units[0].b.unwrap();
    assert!((b - 0.015).abs() < 1e-15, "{b}");
    // Equal returns need no weights, different ones do.
    let same = at("c", 5, 12, json!({"size": null, "benchmark_return": 0.001}));
    assert_eq!(record(&trades([trade(), same])).units[0].b, Some(0.001));
    let other = at("c", 5, 12, json!({"size": null, "benchmark_return": 0.002}));
    let missing = grade(&trades([trade(), other])).missing;
    assert_eq!((missing[0].field, &*missing[0].first), ("size", "trades.1.size"));
}

#[test]
fn a_benchmark_that_is_there_is_not_declared_away() {
    let rows = |first: Value, second: Value| json!([{"date": "2026-01-05", "r": 0.1, "b": first}, {"date": "2026-01-06", "r": 0.1, "b": second}]);
    for (rows, declared, found) in [
        (rows(json!(0.1), json!("0.2")), json!("series"), Benchmark::Series),
        (rows(json!(0.1), json!("0.2")), json!("cash"), Benchmark::Series),
        (rows(json!(0.1), json!(null)), json!("cash"), Benchmark::Partial),
        (rows(json!(null), json!(null)), json!("cash"), Benchmark::Cash),
        (rows(json!(null), json!(null)), json!("series"), Benchmark::Absent),
    ] {
        let body = json!({"returns": rows, "benchmark": declared});
        assert_eq!(record(&body).benchmark, found, "{body}");
    }
    let half = [at("a", 5, 10, json!({})), at("b", 5, 11, json!({"benchmark_return": null}))];
    assert_eq!(record(&trades(half)).benchmark, Benchmark::Partial);
}

#[test]
fn what_is_not_settled_is_left_out_and_counted() {
    let open = |name: &str, changes: Value| {
        with(json!({"trade_id": name, "settled": false, "currency": "USD", "open_pnl": -1}), changes)
    };
    let rows: Vec<Value> = (1..=8).map(|day| at(&day.to_string(), day, 9, json!({}))).collect();
    let finding = |open: Vec<Value>| grade(&trades(rows.iter().cloned().chain(open)));
    let two = finding(vec![open("x", json!({})), open("y", json!({}))]);
    assert_eq!((two.rows.given, two.rows.settled, two.rows.unsettled), (10, 8, 2));
    assert_eq!((two.grade.units, two.grade.reason), (8, GradeReason::TooFewUnits));
    let three = finding(["x", "y", "z"].map(|name| open(name, json!({}))).to_vec());
    assert_eq!(
        (three.grade.verdict, three.grade.reason),
        (GradeVerdict::InsufficientData, GradeReason::UnsettledShare)
    );
}

#[test]
fn open_trades_without_their_profit_are_no_edge() {
    let open = |changes: Value| with(json!({"trade_id": "x", "settled": false, "currency": "USD"}), changes);
    let finding = |open: Value| grade(&trades(year(0.004, 0.01).into_iter().chain([open]))).grade;
    assert_eq!(finding(open(json!({"open_pnl": "-5"}))).verdict, GradeVerdict::RealEdge);
    // A gain that is only open makes nothing better, and a loss is as bad as if it had been taken.
    for (open_pnl, reason) in [
        ("40000", GradeReason::AllStepsPassed),
        ("-20000", GradeReason::OpenLoss),
        ("-1000000000000000000000000000000", GradeReason::OpenLoss),
    ] {
        let found = finding(open(json!({"open_pnl": open_pnl})));
        assert_eq!(found.reason, reason, "{open_pnl}");
        assert_eq!(found.verdict == GradeVerdict::RealEdge, reason == GradeReason::AllStepsPassed);
    }
    let hidden = finding(open(json!({})));
    assert_eq!(
        (hidden.verdict, hidden.reason),
        (GradeVerdict::InsufficientData, GradeReason::OpenPnlMissing)
    );
}

#[test]
fn what_a_step_needs_and_rows_lack_is_named() {
    let finding = grade(&trades([json!({"pnl": 1}), json!({"pnl": 2, "settled": true})]));
    assert_eq!(
        (finding.grade.verdict, finding.grade.reason),
        (GradeVerdict::InsufficientData, GradeReason::FieldsMissing)
    );
    let named: Vec<_> =
        finding.missing.iter().map(|missing| (missing.field, missing.rows, &*missing.first)).collect();
    let expected = [
        ("settled", 1, "trades.0.settled"),
        ("closed_at", 2, "trades.0.closed_at"),
        ("equity_before", 1, "trades.0.equity_before"),
    ];
    assert_eq!(named, expected);
    assert!(finding.explanation.contains("`closed_at`"), "{}", finding.explanation);
    let finding = grade(&json!({"returns": [{"r": 1}]}));
    assert_eq!((finding.missing[0].field, finding.grade.reason), ("date", GradeReason::FieldsMissing));
    let one_names_its_currency = [at("a", 5, 9, json!({"currency": null})), at("b", 5, 10, json!({}))];
    assert_eq!(grade(&trades(one_names_its_currency)).missing[0].field, "currency");
    // Only the first close of a day gives its equity.
    let later = [at("a", 5, 9, json!({})), at("b", 5, 10, json!({"equity_before": null}))];
    assert!(grade(&trades(later)).missing.is_empty());
}

#[test]
fn a_year_has_as_many_periods_as_units_were_settled_in_one() {
    let rows: Vec<Value> = (0..250).map(|at| json!({"date": day(at * 2), "r": 0.001})).collect();
    let body = json!({"returns": rows});
    let expected = 250.0 / (499.0 / 365.25);
    assert!((record(&body).periods_per_year - expected).abs() < 1e-9);
    assert_eq!(record(&with(body.clone(), json!({"periods_per_year": "190"}))).periods_per_year, 190.0);
    // A number that the dates contradict is not taken.
    let contradicted = record(&with(body, json!({"periods_per_year": 252})));
    assert!((contradicted.periods_per_year - expected).abs() < 1e-9);
}

#[test]
fn what_overflows_is_out_of_range_and_ruin_is_no_edge() {
    let overflowing = at("a", 5, 9, json!({"pnl_net": 1e300, "equity_before": 1e-300}));
    assert_eq!(grade(&trades([overflowing])).grade.reason, GradeReason::OutOfRange);
    let mut rows = year(0.004, 0.01);
    rows.push(at("x", 6, 1, json!({"closed_at": "2026-03-01T00:00:00Z", "pnl_net": -1000})));
    assert_ne!(grade(&trades(rows)).grade.verdict, GradeVerdict::RealEdge);
}

#[test]
fn no_trade_is_too_strange() {
    let graded = |strange: &Value| {
        let mut rows = year(0.004, 0.01);
        // The result of that row is not checked.
        rows[200] = with(with(rows[200].clone(), json!({"exit_price": null})), strange.clone());
        let finding = grade(&trades(rows));
        let text = receipt::canonical::to_vec(&finding).unwrap();
        assert!(receipt::json::parse(&text).is_ok(), "{strange}");
        finding.grade.verdict
    };
    for harmless in [
        json!({"pnl_net": 5e-324}),
        json!({"size": 5e-324}),
        json!({"size": 1e300, "entry_price": 1e300}),
        json!({"fees": 1e300}),
        json!({"settled": false, "open_pnl": 5e-324, "closed_at": null, "pnl_net": null}),
        json!({"opened_at": "2024-07-01T09:29:59+09:30", "closed_at": "2024-07-01T09:29:60.5+09:30"}),
    ] {
        assert_eq!(graded(&harmless), GradeVerdict::RealEdge, "{harmless}");
    }
    for strange in [
        json!({"pnl_net": 1e300}),
        json!({"pnl_net": -1e300}),
        json!({"equity_before": 5e-324}),
        json!({"max_loss": 1e300}),
        // Less than it lost.
        json!({"max_loss": 5e-324}),
        json!({"benchmark_return": 1e300}),
        json!({"settled": false, "open_pnl": -1e300, "closed_at": null, "pnl_net": null}),
    ] {
        assert_ne!(graded(&strange), GradeVerdict::RealEdge, "{strange}");
    }
}

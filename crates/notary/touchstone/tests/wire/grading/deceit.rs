//! Records that say of themselves what would make them look better, through the binary.

use serde_json::{Value, json};

use super::{record, trade};
use crate::command::said;
use crate::support::receipt::text;
use crate::support::service::{Launch, touchstone};

/// The record of 250 trades, each of them changed.
fn each(change: impl Fn(usize, &mut Value)) -> Value {
    let changed = |at: usize| {
        let mut trade = trade(at);
        change(at, &mut trade);
        trade
    };
    json!({"agent": "a", "declared_trials": 1, "trades": (0..250).map(changed).collect::<Vec<_>>()})
}

/// The same at a loss, which is that of one trade in three.
fn losing(change: impl Fn(bool, usize, &mut Value)) -> Value {
    each(|at, trade| {
        let loses = at % 3 == 2;
        trade["pnl_net"] = if loses { json!(-50) } else { json!(21 + at % 7) };
        change(loses, at, trade);
    })
}

/// Three in five of the losers, at most a fifth of the trades.
fn is_hidden(loses: bool, at: usize) -> bool {
    loses && at % 5 < 3
}

fn call_open(trade: &mut Value) {
    for (name, value) in [("settled", json!(false)), ("open_pnl", json!(0))] {
        trade[name] = value;
    }
    for name in ["closed_at", "pnl_net"] {
        trade[name] = Value::Null;
    }
}

#[test]
fn what_a_record_says_of_itself_makes_no_edge_of_it() {
    let mut without_hidden = losing(|_, _, _| ());
    let mut places = 0..;
    without_hidden["trades"].as_array_mut().unwrap().retain(|_| {
        let at = places.next().unwrap();
        !is_hidden(at % 3 == 2, at)
    });
    let mut tried = record(250);
    tried["alternatives"] = json!([vec![-0.001; 250]]);
    let cases = [
        (each(|_, _| ()), "ALL_STEPS_PASSED"),
        (without_hidden, "ALL_STEPS_PASSED"),
        (
            losing(|loses, at, trade| {
                if is_hidden(loses, at) {
                    call_open(trade);
                }
            }),
            "OPEN_LOSS",
        ),
        (each(|_, trade| trade["max_loss"] = json!(1e-6)), "TAIL_UNKNOWN"),
        (each(|_, trade| trade["benchmark_return"] = json!(0)), "BENCHMARK_ABSENT"),
        (
            losing(|loses, _, trade| {
                if loses {
                    trade["equity_before"] = json!(40_000);
                }
            }),
            "EQUITY_UNRECONCILED",
        ),
        (tried, "ALL_STEPS_PASSED"),
    ];
    let input: String = cases.iter().map(|(question, _)| question.to_string() + "\n").collect();
    let said = said(touchstone(["judge", "grade-strategy"]), input);
    let findings: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((said.code, findings.len()), (Some(0), cases.len()), "{}", said.err);
    for (finding, (_, reason)) in findings.iter().zip(&cases) {
        assert_eq!(text(finding, "reason"), *reason, "{finding}");
        assert_eq!(text(finding, "verdict") == "REAL_EDGE", *reason == "ALL_STEPS_PASSED");
    }
    // One variant does not stand for all that were tried.
    assert_eq!((&findings[6]["trials"], &findings[0]["trials"]), (&json!(1_000), &json!(1)));
}

#[test]
fn a_loser_that_is_called_open_is_told_by_what_it_kept() {
    let service = Launch::dev().without_limits().start();
    let ask = |kept: &str| {
        let mut body = record(20);
        let kept_value = body["trades"][17][kept].clone();
        call_open(&mut body["trades"][17]);
        body["trades"][17][kept] = kept_value;
        service.ask("/grade-strategy", &body)
    };
    ask("closed_at").names("trades.17.closed_at", "contradictory");
    ask("pnl_net").names("trades.17.pnl_net", "contradictory");
}

//! Rows that contradict themselves, one another or the marks: the path of the first that is wrong, or a finding that is no edge.

use serde_json::{Value, json};

use super::{record, trade};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

const ROUTES: [&str; 2] = ["/grade-strategy", "/copy-trade-score"];

/// That a record of 20 trades with these changes to one of them is refused on both routes.
#[track_caller]
fn refused(service: &Service, changes: Value, field: &str, reason: &str) {
    let mut body = record(20);
    for (name, value) in changes.as_object().unwrap() {
        body["trades"][17][name] = value.clone();
    }
    for route in ROUTES {
        service.ask(route, &body).names(&format!("trades.17.{field}"), reason);
    }
}

fn outcome(service: &Service, body: &Value) -> (String, String) {
    let receipt = service.ask("/grade-strategy", body).expect(200).json();
    (text(&receipt, "verdict").to_owned(), text(&receipt, "reason").to_owned())
}

#[test]
fn a_price_that_jumps_without_a_result_to_match_is_refused() {
    let service = Launch::dev().without_limits().start();
    // A split of two for one: bought at 5,000, sold at 2,500, and a gain of 45 is stated.
    let split = json!({"side": "long", "exit_price": 2_500, "fees": 0, "pnl_net": 45});
    refused(&service, split, "pnl_net", "contradictory");
    // The same on the other side, which did not gain 2,500.
    let short = json!({"side": "short", "exit_price": 2_500, "fees": 0, "pnl_net": 45});
    refused(&service, short, "pnl_net", "contradictory");
    // A split whose loss is stated as a result is a loss past what was said to be possible.
    let mut stated = record(250);
    for (name, value) in [("side", json!("long")), ("exit_price", json!(2_500)), ("fees", json!(0))] {
        stated["trades"][17][name] = value;
    }
    stated["trades"][17]["pnl_net"] = json!(-2_500);
    let (verdict, reason) = outcome(&service, &stated);
    assert_ne!(verdict, "REAL_EDGE", "{reason}");
}

#[test]
fn prices_sizes_and_equity_below_what_they_can_be_are_refused() {
    let service = Launch::dev().without_limits().start();
    for field in ["entry_price", "exit_price", "size", "max_loss"] {
        refused(&service, json!({field: -1}), field, "out_of_range");
    }
    refused(&service, json!({"fees": -1}), "fees", "out_of_range");
}

#[test]
fn opposite_trades_at_one_moment_are_no_edge_and_no_duplicates() {
    let service = Launch::dev().without_limits().start();
    // Each day a long and a short of one instrument, over the same hold: the one gains what the other loses, but for fees.
    let both = |at: usize| {
        ["long", "short"].map(|side| {
            let mut row = trade(at);
            let gains = (side == "long") == (at % 3 != 2);
            for (name, value) in [
                ("trade_id", json!(format!("{side}-{at}"))),
                ("instrument", json!("X")),
                ("side", json!(side)),
                ("exit_price", json!(if at % 3 == 2 { 4_960 } else { 5_040 })),
                ("fees", json!(1)),
                ("pnl_net", json!(if gains { 39 } else { -41 })),
            ] {
                row[name] = value;
            }
            row
        })
    };
    let body =
        json!({"agent": "a", "declared_trials": 1, "trades": (0..250).flat_map(both).collect::<Vec<_>>()});
    let (verdict, reason) = outcome(&service, &body);
    assert!(["NEGATIVE_EV", "INSUFFICIENT_DATA"].contains(&verdict.as_str()), "{verdict}: {reason}");
    // The same side twice is one trade twice.
    let mut twice = record(20);
    twice["trades"][17] = twice["trades"][16].clone();
    twice["trades"][17]["trade_id"] = json!("another");
    service.ask("/grade-strategy", &twice).names("trades.17.trade_id", "duplicate");
}

#[test]
fn marks_that_contradict_the_trades_are_refused_by_their_place() {
    let service = Launch::dev().without_limits().start();
    let mut body = record(28);
    let mut equity = 10_000.0;
    let mut marks = Vec::new();
    for at in 0..28 {
        equity += body["trades"][at]["pnl_net"].as_f64().unwrap();
        marks.push(json!({"date": format!("2024-01-{:02}", at + 1), "equity": equity, "b": 0.001}));
    }
    body["marks"] = json!(marks);
    service.ask("/grade-strategy", &body).expect(200);
    // From one day to the next, both without a position, the account gains three thousand that no trade made.
    for mark in &mut body["marks"].as_array_mut().unwrap()[20..] {
        mark["equity"] = json!(mark["equity"].as_f64().unwrap() + 3_000.0);
    }
    let problem = service.ask("/grade-strategy", &body).problem(400);
    assert!(text(&problem, "field").starts_with("marks."), "{problem}");
    assert_eq!(problem["reason"], "contradictory");
    // Said to be paid in, it is no gain.
    body["marks"][20]["cash_flow"] = json!(3_000);
    service.ask("/grade-strategy", &body).expect(200);
}

#[test]
fn positions_that_never_close_are_counted_and_make_no_edge() {
    let service = Launch::dev().without_limits().start();
    let open = |every: usize, open_pnl: Option<i64>| {
        let mut body = record(250);
        for (at, row) in body["trades"].as_array_mut().unwrap().iter_mut().enumerate() {
            if at % every == 2 {
                for name in ["closed_at", "pnl_net"] {
                    row[name] = Value::Null;
                }
                row["settled"] = json!(false);
                row["open_pnl"] = json!(open_pnl);
            }
        }
        outcome(&service, &body)
    };
    let insufficient = |reason: &str| ("INSUFFICIENT_DATA".to_owned(), reason.to_owned());
    assert_eq!(open(3, Some(-40)), insufficient("UNSETTLED_SHARE"));
    assert_eq!(open(9, None), insufficient("OPEN_PNL_MISSING"));
}

#[test]
fn a_close_before_its_opening_by_the_clocks_of_two_zones_is_refused() {
    let service = Launch::dev().without_limits().start();
    let hold = |opened: &str, closed: &str| json!({"opened_at": opened, "closed_at": closed});
    for (opened, closed) in [
        ("2024-01-18T10:00:00-05:00", "2024-01-18T11:00:00+09:00"),
        ("2024-01-18T15:00:00Z", "2024-01-18T15:30:00+01:00"),
    ] {
        refused(&service, hold(opened, closed), "closed_at", "contradictory");
    }
    // A time without its zone is none.
    refused(&service, hold("2024-01-18T10:00:00", "2024-01-18T11:00:00Z"), "opened_at", "malformed");
}

//! Inputs that may be sent, and the path and code of those that may not.

use grading::grade_strategy::GradeQuestion;
use proptest::prelude::*;
use serde_json::{Value, json};
use verdict::{Fields, Question as _};

use crate::common::*;

/// That a trade with these changes is refused for its member.
#[track_caller]
fn refuses(changes: Value, field: &str, reason: &str) {
    let body = trades([
        with(trade(), json!({"trade_id": "t-0", "closed_at": "2026-01-05T14:00:00Z"})),
        with(trade(), changes),
    ]);
    refused(&body, &format!("trades.1.{field}"), reason);
}

#[track_caller]
fn takes(changes: Value) {
    assert!(question(&trades([with(trade(), changes)])).is_ok());
}

#[test]
fn a_record_is_trades_or_returns() {
    refused(&json!({}), "trades", "missing");
    refused(&json!({"trades": [], "returns": []}), "returns", "contradictory");
    refused(&json!({"trades": {}}), "trades", "wrong_type");
    refused(&json!({"returns": [1]}), "returns.0", "wrong_type");
    refused(&json!({"trades": [null]}), "trades.0", "wrong_type");
    assert!(question(&json!({"trades": [], "more": 1})).is_ok());
    assert!(question(&json!({"returns": []})).is_ok());
}

#[test]
fn numbers_are_json_numbers_or_plain_decimals() {
    for number in [json!("9"), json!("9.000"), json!(9.0)] {
        takes(json!({"pnl_net": number}));
    }
    for text in
        ["NaN", "inf", "1e999", "1e3", "+9", "", " 9", ".9", "9.", "09", "-", "0x9", "--9", "9,0", "１"]
    {
        refuses(json!({"pnl_net": text}), "pnl_net", "malformed");
    }
    refuses(json!({"pnl_net": "9".repeat(41)}), "pnl_net", "malformed");
    refuses(json!({"pnl_net": true}), "pnl_net", "wrong_type");
    refuses(json!({"pnl_net": [9]}), "pnl_net", "wrong_type");
    let read = |number: Value| grade(&trades([with(trade(), json!({"pnl_net": number}))]));
    assert_eq!(read(json!("9.00")), read(json!(9)));
}

#[test]
fn a_zero_has_no_sign_as_in_the_canonical_form_that_a_rerun_reads() {
    let read = |text: &str| {
        let request = receipt::json::parse(text.as_bytes()).unwrap();
        let question = GradeQuestion::read(&Fields::root(request.as_object().unwrap())).unwrap();
        format!("{:?}", question.settled)
    };
    let returns =
        |r: &str| format!(r#"{{"returns": [{{"date": "2026-01-31", "r": {r}}}], "alternatives": [[{r}]]}}"#);
    for zero in ["-0", "-0.0", "-0e1", "\"-0.00\""] {
        assert_eq!(read(&returns(zero)), read(&returns("0")), "{zero}");
    }
    let free = with(trade(), json!({"pnl_net": 10, "fees": 0}));
    let named = with(free.clone(), json!({"trade_id": "t-2", "fees": "-0"}));
    refused(&trades([free, named]), "trades.1.trade_id", "duplicate");
}

#[test]
fn a_number_past_all_doubles_is_refused_before_the_question() {
    let error = receipt::json::parse(br#"{"trades":[{"pnl":1},{"pnl":1e999}]}"#).unwrap_err();
    assert_eq!((error.path.dotted().as_str(), error.code()), ("trades.1.pnl", "number_not_exact"));
}

#[test]
fn every_settled_trade_has_a_result() {
    refuses(json!({"pnl_net": null}), "pnl_net", "missing");
    refuses(json!({"pnl_net": null, "settled": null}), "pnl_net", "missing");
    takes(json!({"pnl_net": null, "exit_price": null, "closed_at": null, "settled": false}));
    takes(json!({"pnl_net": null, "pnl": 9}));
    takes(json!({"pnl": 9}));
    refuses(json!({"pnl": 9.5}), "pnl", "contradictory");
    refused(&json!({"returns": [{"r": 0}, {"date": "2026-01-05"}]}), "returns.1.r", "missing");
}

#[test]
fn what_is_not_settled_has_no_result_and_has_not_closed() {
    let open = |changes: Value| {
        let bare =
            json!({"settled": false, "open_pnl": 0, "closed_at": null, "exit_price": null, "pnl_net": null});
        with(bare, changes)
    };
    takes(open(json!({})));
    refuses(open(json!({"exit_price": 101})), "exit_price", "contradictory");
    refuses(open(json!({"price": 0.4, "stake": 20, "outcome": 0})), "outcome", "contradictory");
    refuses(open(json!({"pnl_net": -9})), "pnl_net", "contradictory");
    refuses(open(json!({"pnl": -9})), "pnl", "contradictory");
    refuses(open(json!({"pnl_net": -9, "open_pnl": null})), "pnl_net", "contradictory");
    takes(open(json!({"pnl_net": -9, "open_pnl": "-9"})));
    // When it will close may be known; when it did is that of a result.
    takes(open(json!({"closed_at": "2026-11-21T12:00:00.000000001Z"})));
    refuses(open(json!({"closed_at": "2026-11-21T12:00:00Z"})), "closed_at", "contradictory");
    refuses(open(json!({"closed_at": "2026-01-05T15:00:00Z"})), "closed_at", "contradictory");
}

#[test]
fn a_null_is_the_same_as_absent() {
    let nothing: serde_json::Map<String, Value> =
        trade().as_object().unwrap().keys().map(|name| (name.clone(), Value::Null)).collect();
    let mut row = Value::Object(nothing);
    row["pnl_net"] = json!(1);
    assert_eq!(grade(&trades([row])), grade(&trades([json!({"pnl_net": 1})])));
}

#[test]
fn times_have_their_offset_and_the_close_comes_after_the_opening() {
    for text in ["2026-01-05", "2026-01-05T10:00:00", "2026-01-05 10:00:00Z", "2026-02-30T10:00:00Z", "soon"]
    {
        refuses(json!({"opened_at": text}), "opened_at", "malformed");
        refuses(json!({"closed_at": text}), "closed_at", "malformed");
    }
    refuses(json!({"closed_at": 7}), "closed_at", "wrong_type");
    refuses(json!({"opened_at": "2026-01-05T16:00:00+00:30"}), "closed_at", "contradictory");
    takes(json!({"opened_at": "2026-01-05T16:00:00+02:00", "closed_at": "2026-01-05T15:00:00.123456789Z"}));
    takes(json!({"opened_at": "2016-12-31T23:59:60Z"}));
}

#[test]
fn nothing_closes_in_the_future() {
    refuses(json!({"closed_at": "2026-11-21T12:00:00.000000001Z"}), "closed_at", "in_future");
    refuses(json!({"closed_at": "2999-01-01T00:00:00Z"}), "closed_at", "in_future");
    takes(json!({"closed_at": "2026-11-21T14:00:00+02:00"}));
    refused(
        &json!({"returns": [{"r": 0, "date": "2026-11-22"}, {"r": 0, "date": "2026-11-21"}]}),
        "returns.0.date",
        "in_future",
    );
    assert!(question(&json!({"returns": [{"r": 0, "date": "2026-11-21"}]})).is_ok());
}

#[test]
fn no_trade_is_given_twice() {
    refused(&trades([trade(), trade()]), "trades.1.trade_id", "duplicate");
    let other = with(trade(), json!({"pnl_net": 9.001}));
    refused(&trades([trade(), other.clone()]), "trades.1.trade_id", "duplicate");
    let renamed = with(trade(), json!({"trade_id": "t-2"}));
    refused(&trades([trade(), renamed]), "trades.1.trade_id", "duplicate");
    assert!(question(&trades([trade(), with(other, json!({"trade_id": "t-2"}))])).is_ok());
    // Nor where it is not known when it was opened.
    let unopened = with(trade(), json!({"opened_at": null}));
    let renamed = with(unopened.clone(), json!({"trade_id": "t-2"}));
    refused(&trades([unopened.clone(), renamed.clone()]), "trades.1.trade_id", "duplicate");
    let later = with(renamed, json!({"closed_at": "2026-01-05T15:00:01Z"}));
    assert!(question(&trades([unopened, later])).is_ok());
    // Rows that say no more than a result are not the same trade.
    assert!(question(&trades([json!({"pnl": 1}), json!({"pnl": 1})])).is_ok());
    refused(
        &json!({"returns": [{"r": 0, "date": "2026-01-05"}, {"r": 1, "date": "2026-01-05"}]}),
        "returns.1.date",
        "duplicate",
    );
}

#[test]
fn amounts_are_of_one_currency() {
    refuses(json!({"currency": "EUR"}), "currency", "contradictory");
    refuses(json!({"currency": ""}), "currency", "empty");
}

#[test]
fn sizes_prices_and_equity_are_what_they_can_be() {
    for (field, value) in [
        ("size", 0.0),
        ("size", -1.0),
        ("entry_price", 0.0),
        ("entry_price", -1.0),
        ("exit_price", -0.01),
        ("max_loss", 0.0),
        ("fees", -5.0),
        ("price", 0.0),
        ("price", 1.01),
        ("outcome", -0.1),
        ("outcome", 1.1),
        ("stake", 0.0),
    ] {
        refuses(json!({field: value}), field, "out_of_range");
    }
    refuses(json!({"side": "up"}), "side", "unknown_value");
    refuses(json!({"settled": "yes"}), "settled", "wrong_type");
    refuses(json!({"trade_id": "x".repeat(129)}), "trade_id", "too_long");
    refused(&json!({"returns": [{"r": 0, "max_loss": -0.1}]}), "returns.0.max_loss", "out_of_range");
    // An option that expires worthless is sold at zero.
    takes(json!({"exit_price": 0, "pnl_net": -1001}));
}

#[test]
fn fees_are_negative_only_where_the_trade_says_that_they_are_a_rebate() {
    takes(json!({"fees": -5, "fee_is_rebate": true, "pnl_net": 15}));
    refuses(json!({"fees": -5, "fee_is_rebate": false, "pnl_net": 15}), "fees", "out_of_range");
}

#[test]
fn a_result_is_what_prices_size_and_fees_make_it() {
    // Half a percent of 10 gross and 1 of fees.
    takes(json!({"pnl_net": 9.05}));
    refuses(json!({"pnl_net": 9.06}), "pnl_net", "contradictory");
    refuses(json!({"pnl_net": 8.94}), "pnl_net", "contradictory");
    refuses(json!({"pnl_net": null, "pnl": 8.94}), "pnl", "contradictory");
    refuses(json!({"side": "short"}), "pnl_net", "contradictory");
    takes(json!({"side": "short", "pnl_net": -11}));
    // A cent, where that is more.
    takes(json!({"size": 0.01, "fees": 0, "pnl_net": 0.02}));
    refuses(json!({"size": 0.01, "fees": 0, "pnl_net": 0.0201}), "pnl_net", "contradictory");
    // Fees that are not given may be anything, but never add to a profit.
    takes(json!({"fees": null, "pnl_net": 3}));
    refuses(json!({"fees": null, "pnl_net": 10.06}), "pnl_net", "contradictory");
    // Without a price there is nothing to hold it against.
    takes(json!({"exit_price": null, "pnl_net": 3}));
}

#[test]
fn a_bet_has_its_result_from_price_outcome_and_stake() {
    let bet = |changes: Value| {
        let bet = json!({
            "trade_id": "t-1", "side": "yes", "closed_at": "2026-01-05T15:00:00Z", "settled": true, "price": 0.4,
            "stake": 20, "equity_before": 1000, "fees": 1,
        });
        trades([with(bet, changes)])
    };
    let unit = |changes: Value| question(&bet(changes)).unwrap().settled.record.units[0];
    // 50 shares at 0.4 that pay 1 each, less the fee; the stake and the fee are all that can be lost.
    let won = unit(json!({"outcome": 1}));
    assert!((won.x - 0.029).abs() < 1e-15 && won.max_loss == Some(0.021), "{won:?}");
    assert_eq!(unit(json!({"outcome": 0})).x, -0.021);
    assert_eq!(unit(json!({"outcome": 1, "pnl_net": 29})).x, 0.029);
    refused(&bet(json!({"outcome": 1, "pnl_net": -21})), "trades.0.pnl_net", "contradictory");
    refused(&bet(json!({})), "trades.0.pnl_net", "missing");
    assert_eq!(unit(json!({"pnl_net": 5})).x, 0.005);
    // If it has prices too, both must make its result.
    let prices = |exit: f64| {
        bet(json!({"outcome": 1, "entry_price": 0.4, "exit_price": exit, "size": 50, "pnl_net": 29}))
    };
    assert!(question(&prices(1.0)).is_ok());
    refused(&prices(0.5), "trades.0.pnl_net", "contradictory");
}

#[test]
fn a_stake_is_that_of_a_bet_alone() {
    let staked = |changes: Value| {
        let staked = with(trade(), json!({"stake": 0.0001, "max_loss": null}));
        question(&trades([with(staked, changes)])).unwrap().settled.record.units[0].max_loss
    };
    assert_eq!(staked(json!({})), None);
    assert_eq!(staked(json!({"side": null})), None);
    assert_eq!(staked(json!({"side": "yes", "fees": 0, "pnl_net": 10})), Some(0.0001 / 1_000.0));
}

#[test]
fn trials_periods_benchmark_and_variants_are_bounded() {
    let body = |name: &str, value: Value| json!({"returns": [{"date": "2026-01-05", "r": 0.5}], name: value});
    for value in [json!(0), json!(1.5), json!(-1), json!(1_000_001), json!("0")] {
        refused(&body("declared_trials", value), "declared_trials", "out_of_range");
    }
    assert_eq!(
        question(&body("declared_trials", json!("7"))).unwrap().settled.record.declared_trials,
        Some(7)
    );
    for value in [json!(0), json!(366.5), json!("-1")] {
        refused(&body("periods_per_year", value), "periods_per_year", "out_of_range");
    }
    refused(&body("benchmark", json!("index")), "benchmark", "unknown_value");
    refused(&body("alternatives", json!([[0.5], [0.5, 0.1]])), "alternatives.1", "out_of_range");
    refused(&body("alternatives", json!([[0.5], ["x"]])), "alternatives.1.0", "malformed");
    refused(&body("alternatives", json!([0.5])), "alternatives.0", "wrong_type");
    refused(&body("alternatives", json!(vec![json!(vec![0; 250_001]); 2])), "alternatives", "too_long");
    refused(&body("alternatives", json!(vec![json!([0.5]); 257])), "alternatives", "too_long");
    assert_eq!(
        question(&body("alternatives", json!([["0.5"]]))).unwrap().settled.record.alternatives,
        [[0.5]]
    );
}

#[test]
fn there_are_at_most_so_many_rows() {
    let rows = |count: usize| json!({"trades": vec![json!({"pnl": 1}); count]});
    assert!(question(&rows(200_000)).is_ok());
    refused(&rows(200_001), "trades", "too_long");
}

fn any_json() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        proptest::num::f64::NORMAL.prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        prop::sample::select(&["long", "0", "-0", "1", "2026-01-05", "2016-12-31T23:59:60Z", "NaN"][..])
            .prop_map(Value::from),
    ]
}

proptest! {
    #[test]
    fn no_row_is_too_strange(index in 0..15_usize, value in any_json(), other in 0..15_usize, second in any_json()) {
        let names = ["pnl_net", "pnl", "size", "entry_price", "exit_price", "fees", "equity_before", "closed_at",
            "opened_at", "settled", "side", "price", "outcome", "stake", "benchmark_return"];
        let mut row = trade();
        row[names[index]] = value;
        row[names[other]] = second;
        if let Ok(question) = question(&trades([row, with(trade(), json!({"trade_id": "t-2", "pnl_net": 9.01}))])) {
            prop_assert!(question.settled.record.units.len() <= 2);
        }
    }
}

//! Grading over HTTP: receipts that hold, paths of what is wrong, and disputes that find the same bytes.

mod bad_files;
mod bad_rows;
mod committed;
mod deceit;
mod graded_before;
mod import;
mod strange;

use serde_json::{Value, json};

use crate::command::said;
use crate::support::http::Request;
use crate::support::money::{pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{canonical, text, verify};
use crate::support::service::{BASE_URL, Launch, Service, touchstone};

/// A bond.
const BOND: u64 = 1_000_000;
const LIMIT: usize = 4 << 20;

/// A trade a day of 2024, one in three at a loss.
fn trade(at: usize) -> Value {
    let day = format!("2024-{:02}-{:02}", at / 28 % 12 + 1, at % 28 + 1);
    let pnl = if at % 3 == 2 { -40.0 } else { 45.0 + (at % 7) as f64 };
    json!({
        "trade_id": format!("t-{at}"), "closed_at": format!("{day}T15:{:02}:{:02}+02:00", at / 336 % 60, at / 20_160),
        "opened_at": format!("{day}T09:00:00Z"), "settled": true, "pnl_net": pnl, "equity_before": 10_000,
        "max_loss": 100, "benchmark_return": (at * at % 97) as f64 / 20_000.0 - 0.0024, "size": 1, "entry_price": 5_000,
    })
}

fn record(trades: usize) -> Value {
    json!({"agent": "a", "trades": (0..trades).map(trade).collect::<Vec<_>>()})
}

fn dispute(service: &Service, receipt: &Value) -> Value {
    let question = json!({"agent": "d", "receipt_hash": receipt["receipt_hash"], "reason": "It was luck."});
    let dispute = Request::json("/dispute", &question);
    service.send(&with_proof(dispute, &pays(BOND))).expect(200).json()
}

/// That a dispute of a receipt found every member of its finding again, byte for byte.
#[track_caller]
fn assert_replays(service: &Service, receipt: &Value) {
    let dispute = dispute(service, receipt);
    assert_eq!(
        (text(&dispute, "verdict"), text(&dispute, "reason")),
        ("UPHELD", "same_verdict"),
        "{dispute}"
    );
    let found = dispute["replay"]["finding"].as_object().unwrap();
    assert!(found.contains_key("evidence") && found.contains_key("method"));
    for (name, value) in found.iter().filter(|(name, _)| *name != "scope") {
        assert_eq!(canonical(value), canonical(&receipt[name]), "{name}");
    }
    // In development a receipt's scope says so before all else.
    assert!(text(receipt, "scope").ends_with(text(&dispute["replay"]["finding"], "scope")));
}

#[test]
fn of_a_row_its_result_is_demanded_and_nothing_else() {
    let service = Launch::dev().without_limits().start();
    let asked = |rows: &str, row: Value| service.ask("/grade-strategy", &json!({"agent": "a", rows: [row]}));
    asked("trades", json!({"trade_id": "1"})).names("trades.0.pnl_net", "missing");
    asked("returns", json!({"date": "2026-01-02"})).names("returns.0.r", "missing");
    for row in [
        json!({"pnl_net": 1}),
        json!({"pnl": 1}),
        json!({"price": 0.5, "outcome": 1, "stake": 10}),
        json!({"settled": false}),
    ] {
        asked("trades", row).expect(200);
    }
    asked("returns", json!({"r": 0.01})).expect(200);
}

#[test]
fn a_grade_is_a_receipt_that_holds_and_replays_to_the_byte() {
    let service = Launch::dev().without_limits().set("BASE_URL", BASE_URL).start();
    let receipt = service.ask("/grade-strategy", &record(250)).expect(200).json();
    verify(&receipt, &Notary::of(&service));
    assert_eq!((text(&receipt, "class"), text(&receipt, "method")), ("grade-strategy", "grade-strategy/3"));
    assert_eq!((&receipt["units"], &receipt["resamples"]), (&json!(250), &json!(9_999)));
    assert!(receipt["bootstrap"]["counts"].is_array(), "the bootstrap was drawn");
    assert_replays(&service, &receipt);
}

#[test]
fn a_grade_has_a_picture_by_itself_and_on_its_page_and_another_receipt_has_none() {
    let service = Launch::dev().without_limits().start();
    let target = |receipt: &Value| format!("/receipts/{}.svg", text(receipt, "receipt_hash"));
    let mut question = record(250);
    question["agent"] = json!("</text><script>alert(1)</script>");
    let receipt = service.ask("/grade-strategy", &question).expect(200).json();
    let answer = service.get(&target(&receipt)).expect(200);
    for (header, value) in [
        ("content-type", "image/svg+xml"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "private, max-age=60"),
    ] {
        assert_eq!(answer.header(header), Some(value));
    }
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("script-src"), "{policy}");
    let drawing = answer.text();
    assert!(drawing.starts_with("<svg ") && !drawing.contains("<script"), "{drawing}");
    for part in [text(&receipt, "verdict"), text(&receipt, "receipt_hash"), "250 settlement days"] {
        assert!(drawing.contains(part), "{part}");
    }
    let page = service.get(&format!("/r/{}", text(&receipt, "receipt_hash"))).expect(200).text();
    assert!(page.contains(&drawing) && page.contains(&target(&receipt)));
    // Nothing was graded: there is nothing to draw.
    let bare = json!({"agent": "a", "trades": [{"pnl": 1}]});
    let receipt = service.ask("/grade-strategy", &bare).expect(200).json();
    service.get(&target(&receipt)).problem(404);
    let page = service.get(&format!("/r/{}", text(&receipt, "receipt_hash"))).expect(200).text();
    assert!(!page.contains("tear-sheet") && !page.contains("its picture"));
}

#[test]
fn a_score_for_copying_is_one_too() {
    let service = Launch::dev().without_limits().set("BASE_URL", BASE_URL).start();
    let mut question = record(250);
    question["costs"] = json!({"half_spread": 0.0001, "fee": 0, "order_size": "500", "adv": "1000000",
        "daily_volatility": 0.01, "latency_seconds": 2});
    let receipt = service.ask("/copy-trade-score", &question).expect(200).json();
    verify(&receipt, &Notary::of(&service));
    assert_eq!(text(&receipt, "class"), "copy-trade-score");
    assert!(receipt["break_even_cost"].as_f64().unwrap() > 0.0);
    assert_replays(&service, &receipt);
}

#[test]
fn what_is_wrong_with_a_record_is_named_by_its_path() {
    let service = Launch::dev().without_limits().start();
    let with = |at: usize, name: &str, value: Value| {
        let mut body = record(20);
        body["trades"][at][name] = value;
        body
    };
    let ask = |body: &Value| service.ask("/grade-strategy", body);
    ask(&with(17, "pnl_net", json!("NaN"))).names("trades.17.pnl_net", "malformed");
    ask(&with(17, "pnl_net", Value::Null)).names("trades.17.pnl_net", "missing");
    ask(&with(3, "trade_id", json!("t-2"))).names("trades.3.trade_id", "duplicate");
    ask(&with(3, "closed_at", json!("2999-01-01T00:00:00Z"))).names("trades.3.closed_at", "in_future");
    ask(&with(3, "closed_at", json!("2020-01-01T00:00:00Z"))).names("trades.3.closed_at", "contradictory");
    let pointer = ask(&with(17, "size", json!(0))).problem(400);
    assert_eq!(text(&pointer, "pointer"), "/trades/17/size");
    let text = record(2).to_string().replacen("-40", "1e999", 1).replacen("45", "1e999", 1);
    service.post("/grade-strategy", text).names("trades.0.pnl_net", "number_not_exact");
    ask(&json!({"agent": "a"})).names("trades", "missing");
    service
        .ask("/copy-trade-score", &json!({"agent": "a", "returns": [], "costs": {"adv": 0}}))
        .names("costs.adv", "out_of_range");
    let whole = |name: &str, value: Value| {
        let mut body = record(20);
        body[name] = value;
        ask(&body)
    };
    let mark = |day: u8, equity: i64| json!({"date": format!("2024-01-{day:02}"), "equity": equity});
    whole("marks", json!([mark(2, 1), mark(2, 1)])).names("marks.1.date", "duplicate");
    whole("marks", json!([mark(1, 10_000), mark(30, 99_000)])).names("marks.1.equity", "contradictory");
    whole("risk_free", json!([{"date": "2024-01-01", "rate": 7}])).names("risk_free.0.rate", "out_of_range");
    whole("greatest_notional", json!(0)).names("greatest_notional", "out_of_range");
}

#[test]
fn a_ruined_account_is_graded_and_unknown_trials_are_asked_for() {
    let service = Launch::dev().without_limits().start();
    let graded = |body: &Value| {
        let receipt = service.ask("/grade-strategy", body).expect(200).json();
        assert_replays(&service, &receipt);
        receipt
    };
    let mut ruined = record(100);
    ruined["trades"][90]["equity_before"] = json!(-1);
    let receipt = graded(&ruined);
    assert_eq!((text(&receipt, "verdict"), text(&receipt, "reason")), ("NEGATIVE_EV", "RUIN"));
    let undeclared = graded(&record(100));
    let most = undeclared["holds_for_trials"].as_u64();
    assert!(most.is_some() && undeclared["loss_that_takes_profit"].as_f64() > Some(0.0), "{undeclared}");
    assert_eq!((&undeclared["trials"], &undeclared["trials_source"]), (&json!(1_000), &json!("assumed")));
}

#[test]
fn a_record_that_lacks_what_the_rule_needs_is_told_what_to_add() {
    let service = Launch::dev().without_limits().start();
    let bare = json!({"agent": "a", "trades": [{"pnl": 1}, {"pnl": "-1"}]});
    let receipt = service.ask("/grade-strategy", &bare).expect(200).json();
    assert_eq!(
        (text(&receipt, "verdict"), text(&receipt, "reason")),
        ("INSUFFICIENT_DATA", "FIELDS_MISSING")
    );
    let missing: Vec<&str> =
        receipt["missing"].as_array().unwrap().iter().map(|one| text(one, "field")).collect();
    assert_eq!(missing, ["settled", "closed_at", "equity_before"]);
}

#[test]
fn a_hundred_thousand_trades_are_too_many_for_a_body_and_not_for_judge() {
    let service = Launch::dev().without_limits().start();
    let body = record(100_000).to_string();
    assert!(body.len() > LIMIT);
    assert_eq!(service.post("/grade-strategy", &body).problem(413)["limit_bytes"], LIMIT);
    let said = said(touchstone(["judge", "grade-strategy"]), &(body + "\n"));
    let finding: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &finding["rows"]["settled"]), (Some(0), &json!(100_000)), "{}", said.err);
    assert_eq!(finding["units"], 336);
}

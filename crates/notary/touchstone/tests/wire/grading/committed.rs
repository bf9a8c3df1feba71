//! Trades that were committed with /commit before they opened are marked as such, and those that were not are not.

use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use verdict::Timestamp;

use super::{assert_replays, record};
use crate::command::said;
use crate::support::http::Request;
use crate::support::money::{PRICE, pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{canonical, text, verify};
use crate::support::service::{BASE_URL, Launch, Service, touchstone};

/// How long the trades of a test are committed before they open.
const AHEAD: Duration = Duration::from_secs(6);

fn now() -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap()
}

/// The time at which the trades that are committed now open.
fn soon() -> Timestamp {
    Timestamp::try_from(SystemTime::now() + AHEAD).unwrap()
}

fn wait_for(at: Timestamp) {
    while now() <= at {
        thread::sleep(Duration::from_millis(50));
    }
}

/// The hash of the receipt of a commit.
fn commit(service: &Service, question: &Value) -> String {
    let paid = with_proof(Request::json("/commit", question), &pays(PRICE));
    text(&service.send(&paid).expect(200).json(), "receipt_hash").to_owned()
}

fn content(number: usize, opened_at: Timestamp, previous: Option<&str>) -> Value {
    let mut content =
        json!({"instrument": "XYZ", "side": "long", "opened_at": opened_at.to_string(), "salt": number});
    if let Some(previous) = previous {
        content["previous"] = json!(previous);
    }
    content
}

/// A trade that opened and closed at that time, with its commitment.
fn trade(number: usize, opened_at: Timestamp, receipt_hash: &str, content: &Value) -> Value {
    json!({
        "trade_id": number.to_string(), "instrument": "XYZ", "side": "long", "opened_at": opened_at.to_string(),
        "closed_at": opened_at.to_string(), "settled": true, "pnl_net": number + 1, "equity_before": 1_000, "max_loss": 10,
        "commitment": {"receipt_hash": receipt_hash, "content": content},
    })
}

/// A series of commits, each of which names the one before, and their trades.
fn series(service: &Service, agent: &str, opened_at: Timestamp, count: usize) -> Vec<Value> {
    let mut previous: Option<String> = None;
    (0..count)
        .map(|number| {
            let content = content(number, opened_at, previous.as_deref());
            let hash = commit(service, &json!({"agent": agent, "content": content}));
            let trade = trade(number, opened_at, &hash, &content);
            previous = Some(hash);
            trade
        })
        .collect()
}

fn grade(service: &Service, trades: &[Value]) -> Value {
    service.ask("/grade-strategy", &json!({"agent": "scout", "trades": trades})).expect(200).json()
}

fn first_reason(receipt: &Value) -> (&Value, &Value) {
    let first = &receipt["committed"]["not_held"][0];
    (&first["reason"], &first["first"])
}

#[test]
fn a_series_that_was_committed_before_its_trades_opened_is_marked_and_replays_to_the_byte() {
    let launch = Launch::dev().without_limits().set("BASE_URL", BASE_URL);
    let service = launch.start();
    let opened_at = soon();
    let trades = series(&service, "scout", opened_at, 3);
    wait_for(opened_at);
    let receipt = grade(&service, &trades);
    verify(&receipt, &Notary::of(&service));
    let committed = &receipt["committed"];
    assert_eq!(
        (&committed["trades"], &committed["of"], &committed["named"]),
        (&json!(3), &json!(3), &json!(3))
    );
    assert_eq!((&committed["chain"], &committed["agent_commits"]), (&json!("unbroken"), &json!(3)));
    assert_eq!(committed["not_held"], json!([]));
    assert!(text(committed, "first_at").parse::<Timestamp>().unwrap() <= opened_at);
    let sentence = "3 of 3 settled trades were committed before they opened, 0 with a size, in one unbroken chain; the correction for trials stays.";
    assert!(text(&receipt, "explanation").ends_with(sentence), "{receipt}");
    let page = service.get(&format!("/r/{}", text(&receipt, "receipt_hash"))).expect(200).text();
    assert!(page.contains(sentence));
    assert_replays(&service, &receipt);
    // The mark decides nothing.
    let bare: Vec<Value> = trades
        .iter()
        .map(|trade| {
            let mut trade = trade.clone();
            trade.as_object_mut().unwrap().remove("commitment");
            trade
        })
        .collect();
    let unmarked = grade(&service, &bare);
    assert_eq!(unmarked.get("committed"), None);
    for member in ["verdict", "reason", "steps", "seed", "trials"] {
        assert_eq!(canonical(&unmarked[member]), canonical(&receipt[member]), "{member}");
    }
    // Without its middle the chain is broken, and the number of commits under the name is told.
    let dropped = grade(&service, &[trades[0].clone(), trades[2].clone()]);
    assert_eq!(
        (&dropped["committed"]["trades"], &dropped["committed"]["chain"]),
        (&json!(2), &json!("broken"))
    );
    assert_eq!(dropped["committed"]["agent_commits"], json!(3));
    let copied = json!({"agent": "scout", "trades": trades, "costs": {"fee": 0}});
    let copied = service.ask("/copy-trade-score", &copied).expect(200).json();
    assert_eq!(copied["committed"], receipt["committed"]);
    assert_replays(&service, &copied);
    let said = said(touchstone(["judge", "grade-strategy"]), format!("{}\n", json!({"trades": trades})));
    let finding: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(finding["committed"]["trades"], json!(0), "{}", said.err);
    assert_eq!(first_reason(&finding), (&json!("unchecked"), &json!("trades.0.commitment")));
}

#[test]
fn a_commitment_that_does_not_hold_is_listed_with_its_reason_and_marks_nothing() {
    let service = Launch::dev().without_limits().start();
    let opened_at = soon();
    let of = |number: usize| content(number, opened_at, None);
    let mine = commit(&service, &json!({"agent": "scout", "content": of(0)}));
    let theirs = commit(&service, &json!({"agent": "other", "content": of(1)}));
    let graded = text(&grade(&service, &[record(1)["trades"][0].clone()]), "receipt_hash").to_owned();
    let canonical = canonical(&of(2));
    let hash = format!("sha256:{}", hex::encode(Sha256::digest(canonical)));
    // The longest receipt that a commit has is read all the same.
    let label = "\u{10fffd}".repeat(256);
    let bare = commit(&service, &json!({"agent": "scout", "content_hash": hash, "label": label}));
    wait_for(opened_at);
    let late = commit(&service, &json!({"agent": "scout", "content": of(3)}));
    let unknown = "0".repeat(64);
    for (number, hash, committed, reason) in [
        (1, &theirs, of(1), "other_agent"),
        (3, &late, of(3), "late"),
        (4, &unknown, of(4), "unknown"),
        (4, &graded, of(4), "not_a_commit"),
        (0, &mine, of(5), "other_content"),
    ] {
        let receipt =
            grade(&service, &[record(1)["trades"][0].clone(), trade(number, opened_at, hash, &committed)]);
        assert_eq!(first_reason(&receipt), (&json!(reason), &json!("trades.1.commitment")));
        assert_eq!(receipt["committed"]["trades"], json!(0), "{reason}");
        assert!(text(&receipt, "explanation").ends_with("Its commitments (1) mark no settled trade."));
        assert_replays(&service, &receipt);
    }
    let held = grade(&service, &[trade(0, opened_at, &mine, &of(0)), trade(2, opened_at, &bare, &of(2))]);
    assert_eq!((&held["committed"]["trades"], &held["committed"]["chain"]), (&json!(2), &json!("none")));
    assert_eq!(held["committed"]["agent_commits"], json!(3), "the other agent's is not counted");
    let ask = |trades: Value| service.ask("/grade-strategy", &json!({"agent": "scout", "trades": trades}));
    let twice = json!([trade(0, opened_at, &mine, &of(0)), trade(1, opened_at, &mine, &of(0))]);
    ask(twice).names("trades.1.commitment.receipt_hash", "duplicate");
    let mut differs = trade(0, opened_at, &mine, &of(0));
    differs["side"] = json!("short");
    ask(json!([differs])).names("trades.0.commitment.content.side", "contradictory");
}

#[test]
fn a_paid_grade_is_marked_too() {
    let service = Launch::dev().start();
    let opened_at = soon();
    let trades = series(&service, "scout", opened_at, 1);
    wait_for(opened_at);
    let question = json!({"agent": "scout", "trades": trades});
    let paid = with_proof(Request::json("/grade-strategy", &question), &pays(PRICE));
    for _ in 0..2 {
        assert_eq!(grade(&service, &trades)["committed"]["trades"], json!(1));
    }
    let receipt = service.send(&paid).expect(200).json();
    assert_eq!(text(&receipt["payment"], "settlement"), "local");
    assert_eq!((&receipt["committed"]["trades"], &receipt["committed"]["not_held"]), (&json!(1), &json!([])));
    assert_replays(&service, &receipt);
}

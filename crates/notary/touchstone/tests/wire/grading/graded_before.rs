//! A receipt says how often its agent, and a record that begins like this one, were graded before.

use std::thread;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{assert_replays, record};
use crate::command::said;
use crate::support::http::Request;
use crate::support::money::{PRICE, pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{text, verify};
use crate::support::service::{BASE_URL, Launch, Service, touchstone};

fn grade(service: &Service, question: &Value) -> Value {
    service.ask("/grade-strategy", question).expect(200).json()
}

/// A record of as many trades, with other members.
fn with(trades: usize, members: Value) -> Value {
    let mut question = record(trades);
    question.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    question
}

#[test]
fn a_record_that_is_graded_again_is_known_by_its_beginning_whatever_is_stated_and_by_whom() {
    let launch = Launch::dev().without_limits().set("BASE_URL", BASE_URL);
    let data = launch.data().clone();
    let service = launch.start();
    let first = grade(&service, &with(70, json!({"agent": "one"})));
    assert_eq!(first["graded_before"], json!({"agent": 0, "record": 0}));
    assert!(!text(&first, "explanation").contains("begins like"), "{first}");
    let longer = with(90, json!({"agent": "other", "declared_trials": 1, "risk_free": 0.03}));
    assert_eq!(grade(&service, &longer)["graded_before"], json!({"agent": 0, "record": 1}));
    service.stop();

    let service = Launch::dev().without_limits().set("BASE_URL", BASE_URL).on(&data).start();
    let third = grade(&service, &with(70, json!({"agent": "one"})));
    verify(&third, &Notary::of(&service));
    assert_eq!(third["graded_before"], json!({"agent": 1, "record": 2}));
    assert!(
        text(&third, "explanation")
            .ends_with(" A record that begins like this one was graded 2 times before.")
    );
    let said = Sha256::digest(r#"{"agent":1,"record":2}"#);
    assert_eq!(third["evidence"]["graded_before_sha256"], hex::encode(said));
    for member in ["verdict", "reason", "steps", "seed", "performance"] {
        assert_eq!(third[member], first[member], "{member}");
    }
    assert_replays(&service, &third);
}

#[test]
fn another_record_and_one_too_short_for_an_edge_count_for_their_agent_alone() {
    let service = Launch::dev().without_limits().start();
    grade(&service, &record(70));
    let mut other = record(70);
    other["trades"][59]["pnl_net"] = json!(44);
    assert_eq!(grade(&service, &other)["graded_before"], json!({"agent": 1, "record": 0}));
    assert_eq!(grade(&service, &record(59))["graded_before"], json!({"agent": 2}));
    assert_eq!(grade(&service, &record(59))["graded_before"], json!({"agent": 3}));
    // What is refused is no receipt.
    service.ask("/grade-strategy", &json!({"agent": "a"})).names("trades", "missing");
    let score = |question: &Value| service.ask("/copy-trade-score", question).expect(200).json();
    assert_eq!(score(&record(70))["graded_before"], json!({"agent": 0, "record": 0}));
    let scored = score(&record(70));
    assert_eq!(scored["graded_before"], json!({"agent": 1, "record": 1}));
    assert!(
        text(&scored, "explanation").ends_with(" A record that begins like this one was scored once before.")
    );
    assert_replays(&service, &scored);
    assert_eq!(grade(&service, &record(70))["graded_before"], json!({"agent": 4, "record": 1}));
}

#[test]
fn a_paid_grade_counts_once_however_often_its_answer_is_fetched() {
    let service = Launch::dev().start();
    for _ in 0..2 {
        grade(&service, &record(70));
    }
    let paid = with_proof(Request::json("/grade-strategy", &record(70)), &pays(PRICE));
    for _ in 0..2 {
        let receipt = service.send(&paid).expect(200).json();
        assert_eq!(text(&receipt["payment"], "settlement"), "local");
        assert_eq!(receipt["graded_before"], json!({"agent": 2, "record": 2}));
    }
    let next = with_proof(Request::json("/grade-strategy", &record(71)), &pays(PRICE));
    assert_eq!(service.send(&next).expect(200).json()["graded_before"], json!({"agent": 3, "record": 3}));
}

#[test]
fn of_grades_at_the_same_time_each_is_answered_and_counted() {
    let service = Launch::dev().without_limits().start();
    let question = record(60);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let graded = grade(&service, &question);
                assert!(graded["graded_before"]["record"].as_u64().unwrap() < 8, "{graded}");
            });
        }
    });
    assert_eq!(grade(&service, &question)["graded_before"], json!({"agent": 8, "record": 8}));
}

#[test]
fn without_a_ledger_nothing_is_said_of_earlier_grades() {
    let said = said(touchstone(["judge", "grade-strategy"]), format!("{}\n", record(70)));
    let finding: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(finding["units"], 70, "{}", said.err);
    assert_eq!(finding.get("graded_before"), None);
    assert!(!said.out.contains("graded_before") && !said.out.contains("begins like"), "{}", said.out);
}

//! What a caller has cleared before, what it asks for as the least score, and what the answer says would help.

use serde_json::{Value, json};

use super::ENTITY;
use crate::support::http::Request;
use crate::support::money::{pays, with_proof};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

fn ask(service: &Service, question: Value) -> Value {
    let mut question = question;
    question["agent"] = json!("a");
    service.ask("/screen-entity", &question).expect(200).json()
}

fn dismissing(dismissal: Value) -> Value {
    json!({"entity": "Viktor Bout", "dismissed": [dismissal]})
}

#[test]
fn a_dismissed_entry_is_shown_and_does_not_count_until_it_changes_or_its_last_day_is_over() {
    let service = Launch::dev().without_limits().start();
    let told = ask(&service, json!({"entity": "Viktor Bout"}));
    assert_eq!(text(&told, "verdict"), "POSSIBLE_MATCH");
    assert!(told.get("dismissed").is_none(), "{told}");
    let (uid, entry) = (&told["matches"][0]["uid"], &told["matches"][0]["entry_sha256"]);
    let dismissal = json!({"uid": uid, "entry_sha256": entry, "reason": "another date of birth"});

    let cleared = ask(&service, dismissing(dismissal.clone()));
    assert_eq!(text(&cleared, "verdict"), "NO_MATCH");
    assert_eq!(cleared["matches"][0]["is_dismissed"], true);
    assert_eq!(cleared["matches"][0]["uid"], *uid);
    assert_eq!(cleared["dismissed"][0]["status"], "dismissed");
    assert_eq!(cleared["dismissed"][0]["reason"], "another date of birth");

    let with = |member: &str, value: Value| {
        let mut dismissal = dismissal.clone();
        dismissal[member] = value;
        ask(&service, dismissing(dismissal))
    };
    for (member, value, verdict, status) in [
        ("until", json!("2999-12-31"), "NO_MATCH", "dismissed"),
        ("until", json!("2026-01-01"), "POSSIBLE_MATCH", "expired"),
        ("entry_sha256", json!("0".repeat(64)), "POSSIBLE_MATCH", "changed"),
        ("uid", json!("no such entry"), "POSSIBLE_MATCH", "no_match"),
    ] {
        let answer = with(member, value);
        assert_eq!(text(&answer, "verdict"), verdict, "{member}: {answer}");
        assert_eq!(answer["dismissed"][0]["status"], status, "{member}: {answer}");
    }

    let question = json!({"agent": "a", "counterparty_name": "Viktor Bout", "dismissed": [dismissal]});
    let clearance = service.ask("/agent-clearance", &question).expect(200).json();
    assert_eq!(text(&clearance, "verdict"), "CLEAR", "{clearance}");
    let question = json!({"agent": "a", "entities": [{"entity": "Viktor Bout", "dismissed": [dismissal]}]});
    let paid = with_proof(Request::json("/screen-batch", &question), &pays(ENTITY));
    let batch = service.send(&paid).expect(200).json();
    assert_eq!(text(&batch, "verdict"), "NO_MATCH", "{batch}");
}

#[test]
fn a_caller_may_ask_for_another_least_score_and_the_receipt_names_it() {
    let service = Launch::dev().without_limits().start();
    let plain = ask(&service, json!({"entity": "Viktor Bouts"}));
    assert_eq!((text(&plain, "verdict"), &plain["min_score"]), ("POSSIBLE_MATCH", &json!(0.705)));
    let score = plain["score"].as_f64().unwrap();
    let strict = ask(&service, json!({"entity": "Viktor Bouts", "min_score": 0.92}));
    assert_eq!((text(&strict, "verdict"), &strict["min_score"]), ("NO_MATCH", &json!(0.92)));
    assert!((strict["score"].as_f64().unwrap() - score).abs() < f64::EPSILON);
    let listed = json!({"entity": "Viktor Anatolyevich Bout", "min_score": 0.92});
    assert_eq!(text(&ask(&service, listed), "verdict"), "MATCH");
    for (value, reason) in [
        (json!(0.59), "malformed"),
        (json!(0.93), "malformed"),
        (json!(-1), "malformed"),
        (json!("0.8"), "wrong_type"),
        (json!(null), "wrong_type"),
    ] {
        let question = json!({"agent": "a", "entity": "Viktor Bouts", "min_score": value});
        service.ask("/screen-entity", &question).names("min_score", reason);
    }
}

#[test]
fn the_answer_says_which_facts_would_help() {
    let service = Launch::dev().without_limits().start();
    let told = ask(&service, json!({"entity": "Viktor Bout"}));
    assert_eq!(told["would_help"], json!(["type", "birth_date", "country"]));
    let known = ask(&service, json!({"entity": "Viktor Bout", "type": "person", "birth_date": "1967-01-13"}));
    assert_eq!(known["would_help"], json!(["country"]));
    assert_eq!(known["matches"][0]["would_help"], json!(["country"]));
    let otherwise = ask(&service, json!({"entity": "Viktor Bout", "birth_date": "1990-02-03"}));
    assert_eq!(text(&otherwise, "verdict"), "NO_MATCH", "not the listed name letter for letter");
    assert_eq!(otherwise["would_help"], json!([]));
}

#[test]
fn what_would_count_for_nothing_is_refused() {
    let service = Launch::dev().without_limits().start();
    for (member, meant) in
        [("threshold", "min_score"), ("exclude", "dismissed"), ("alt_score", ""), ("minScore", "min_score")]
    {
        let mut question = json!({"agent": "a", "entity": "Viktor Bout"});
        question[member] = json!(1);
        let answer = service.ask("/screen-entity", &question);
        if meant.is_empty() {
            answer.expect(200);
        } else {
            answer.names(member, "misnamed");
            assert!(text(&answer.problem(400), "detail").contains(meant));
        }
    }
    for member in ["address", "gender", "email", "Address"] {
        for (path, name) in [("/screen-entity", "entity"), ("/agent-clearance", "counterparty_name")] {
            let mut question = json!({"agent": "a"});
            question[name] = json!("Viktor Bout");
            question[member] = json!("x");
            service.ask(path, &question).names(member, "misnamed");
        }
    }
    let question = |dismissed: Value| json!({"agent": "a", "entity": "Viktor Bout", "dismissed": dismissed});
    for (dismissed, field, reason) in [
        (json!([{"uid": "1"}]), "dismissed.0.reason", "missing"),
        (json!([{"uid": "1", "reason": "x"}, {"reason": "x"}]), "dismissed.1.uid", "missing"),
        (json!([{"uid": "1", "reason": "x", "until": "tomorrow"}]), "dismissed.0.until", "malformed"),
        (json!([{"uid": "1", "reason": "x", "entry_sha256": "f"}]), "dismissed.0.entry_sha256", "malformed"),
        (json!([{"uid": "1", "reasons": "x"}]), "dismissed.0.reasons", "misnamed"),
        (json!(["1"]), "dismissed.0", "wrong_type"),
        (json!("1"), "dismissed", "wrong_type"),
        (json!(vec![json!({"uid": "1", "reason": "x"}); 101]), "dismissed", "too_long"),
    ] {
        service.ask("/screen-entity", &question(dismissed)).names(field, reason);
    }
}

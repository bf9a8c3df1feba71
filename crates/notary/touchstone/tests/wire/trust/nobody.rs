//! No network at all: the answer is a receipt that says so.

use std::net::UdpSocket;

use peers::lab::{Liar, Lie};

use super::*;
use crate::support::chain::until;
use crate::support::http::Request;

/// That nothing could be looked at, and nothing is said for it or against it.
#[track_caller]
fn assert_blind(receipt: &Value) {
    assert_eq!((text(receipt, "verdict"), &receipt["hygiene"]["score"]), ("INCOMPLETE", &json!(0)));
    assert_eq!((&receipt["hygiene"]["grade"], &receipt["hygiene"]["coverage"]), (&Value::Null, &json!(0)));
    assert_eq!(
        (&receipt["hygiene"]["score_max_possible"], &receipt["hygiene"]["caps"]),
        (&json!(100), &json!([]))
    );
    for id in ["tls", "dmarc", "headers", "dnssec", "spf", "expiration", "caa"] {
        assert_eq!(text(check(receipt, id), "status"), "unknown", "{:#}", check(receipt, id));
    }
    assert_eq!(listed(&receipt["hygiene"]["unknown"]).len(), 15, "{receipt:#}");
}

#[test]
fn a_name_server_that_is_not_there_makes_the_receipt_incomplete() {
    assert_blind(&score(&blind(), "example.com"));
}

#[test]
fn a_name_server_that_takes_questions_and_never_answers_does_too() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    assert_blind(&score(&asking(silent.local_addr().unwrap()), "example.com"));
}

#[test]
fn production_answers_without_a_network_as_well() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let toml = format!("[trust]\nname_servers = \"{}\"\n", silent.local_addr().unwrap());
    let service = Launch::serve().without_limits().configured(&toml).start();
    let receipt = score(&service, "example.com");
    assert_blind(&receipt);
    assert!(!text(&receipt, "scope").contains("development"), "{receipt:#}");
}

#[test]
fn a_name_server_that_denies_the_root_is_a_503_and_never_a_score() {
    let liar = Liar::start(Lie::DeniesAll);
    let service = asking(liar.address());
    let asked = || service.ask("/trust-score", &json!({"agent": "a", "domain": "example.com"}));
    let refused = asked();
    let problem = refused.problem(503);
    assert_eq!(problem["module"], "trust");
    assert!(text(&problem, "detail").contains(&liar.address().to_string()), "{problem}");
    assert_eq!(refused.header("retry-after"), Some("60"));
    let about_domain =
        json!({"agent": "a", "counterparty_name": "Nobody Of That Kind", "domain": "example.com"});
    assert_eq!(service.ask("/agent-clearance", &about_domain).problem(503)["module"], "trust");
    until("it is told", || service.get("/health").json()["modules"]["trust"] == "name_server_denies");
    let page = service.send(&Request::get("/status").header("Accept", "text/html")).expect(200).text();
    assert!(page.contains("name_server_denies"), "{page}");
    assert!(service.stop().contains("cannot be believed"));
}

#[test]
fn name_servers_that_do_not_answer_are_told_by_health() {
    let service = asking("127.0.0.1:1");
    until("it is told", || service.get("/health").json()["modules"]["trust"] == "name_servers_silent");
}

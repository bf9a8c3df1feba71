//! No network at all: the answer is a receipt that says so.

use std::net::UdpSocket;

use super::*;

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

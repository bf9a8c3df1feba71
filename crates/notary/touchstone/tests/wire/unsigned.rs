//! The routes that sign nothing: health, stats, request-trial.

use serde_json::json;

use crate::support::KEY_RECORDS;
use crate::support::claims::{at, signed, with};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, dev, production};

#[test]
fn health_is_ok_and_names_the_profile() {
    for (service, profile) in [(dev(), "dev"), (production(), "serve")] {
        let health = service.get("/health").expect(200).json();
        assert_eq!((text(&health, "status"), text(&health, "profile")), ("ok", profile));
        assert_eq!(health.get("modules"), None, "what is not configured is not down");
        assert_eq!(
            health.get("notice").is_some(),
            profile == "dev",
            "the development profile says what it is"
        );
    }
}

#[test]
fn stats_count_what_was_issued_and_name_the_newest_head() {
    let service = Launch::dev().without_limits().start();
    let empty = service.get("/stats").expect(200).json();
    assert_eq!((&empty["receipts_issued"], &empty["log"]["size"]), (&json!(0), &json!(KEY_RECORDS)));
    for number in 0..5 {
        service.claim(&signed(&format!("agent-{number}")));
    }
    service.ask("/claim-verdict", &json!({})).expect(400);
    service.claim(&at("http://10.0.0.1/", "a", "b"));
    let stats = service.get("/stats").expect(200).json();
    assert_eq!(stats["receipts_issued"], 6);
    let claims = &stats["by_class"]["claim-verdict"];
    assert_eq!((&claims["count"], &claims["free"], &claims["paid"]), (&json!(6), &json!(6), &json!(0)));
    let (p50, p95) = (claims["p50_ms"].as_f64().unwrap(), claims["p95_ms"].as_f64().unwrap());
    assert!(0.0 < p50 && p50 <= p95, "{claims}");
    assert_eq!(stats["by_class"]["commit"]["count"], 0);
    assert_eq!(stats["revenue"]["USDC"]["total"], "0.00");
    assert_eq!(stats["log"]["size"], KEY_RECORDS + 6);
    let checkpoint = service.get("/log/checkpoint").text();
    let root = crate::support::log::hash_from(checkpoint.lines().nth(2).unwrap());
    assert_eq!(text(&stats["log"], "root"), hex::encode(root));
    assert!(stats["lists"].is_array());
    let days = stats["days"].as_array().unwrap();
    let total: u64 = days.iter().map(|day| day["free"].as_u64().unwrap()).sum();
    assert_eq!(total, 6);
    assert!((1..=2).contains(&days.len()), "{days:?}");
    let by_class: u64 = days.iter().filter_map(|day| day["by_class"]["claim-verdict"].as_u64()).sum();
    assert_eq!(by_class, 6);
}

#[test]
fn stats_are_since_the_log_began_and_latencies_since_the_process_did() {
    let launch = || Launch::dev().set("BASE_URL", "http://localhost:8402");
    let first = launch();
    let data = first.data().clone();
    let times = |service: &Service| {
        let stats = service.get("/stats").expect(200).json();
        (text(&stats, "since").to_owned(), text(&stats, "latencies_since").to_owned())
    };
    let service = first.start();
    let (founded, started) = times(&service);
    service.stop();
    let service = launch().on(&data).start();
    let (since, started_again) = times(&service);
    assert!(since == founded && founded < started_again && started < started_again, "{started_again}");
    service.claim(&signed("a"));
    service.stop();
    assert_eq!(times(&launch().on(&data).start()).0, founded);
}

#[test]
fn a_trial_request_is_received_under_an_id_of_its_own() {
    let service = dev();
    let full = json!({"agent": "a", "endpoint": "/claim-verdict", "contact": "a@example.org", "reason": "to try", "more": 1});
    let answers =
        [service.ask("/request-trial", &full), service.ask("/request-trial", &json!({"agent": "a"}))];
    let [first, second] = answers.map(|answer| answer.expect(200).json());
    assert_eq!((text(&first, "status"), text(&second, "status")), ("RECEIVED", "RECEIVED"));
    assert_ne!(text(&first, "request_id"), text(&second, "request_id"));
}

#[test]
fn a_trial_request_names_the_field_that_is_wrong() {
    let service = dev();
    let body = json!({"agent": "a"});
    service.ask("/request-trial", &json!({})).names("agent", "missing");
    service.post("/request-trial", "[]").names("body", "wrong_type");
    service.ask("/request-trial", &json!({"agent": " "})).names("agent", "empty");
    for field in ["endpoint", "contact", "reason"] {
        let with = |value| with(body.clone(), &format!("/{field}"), value);
        service.ask("/request-trial", &with(json!(7))).names(field, "wrong_type");
        service.ask("/request-trial", &with(json!("x".repeat(5000)))).names(field, "too_long");
    }
}

//! Domain trust: a small internet of our own, none at all, and disputes over what was seen.

use peers::lab::Lab;
use serde_json::{Value, json};

use crate::support::http::{Answer, Request};
use crate::support::money::{pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, text, verify};
use crate::support::service::{BASE_URL, Launch, Service, dev};

/// A bond.
const BOND: u64 = 1_000_000;

/// A service that looks at the lab's internet, through name servers of ours.
fn looking_at(lab: &Lab) -> Launch {
    let bootstrap = lab.authority_file().with_file_name("bootstrap.json");
    std::fs::write(&bootstrap, lab.bootstrap().to_string()).unwrap();
    let toml = format!(
        "[trust]\nname_servers = \"{}\"\nrdap_bootstrap = {bootstrap:?}\n\
         [trust.laboratory]\nsuffixes = [\"test\"]\nanchors = {:?}\nhttps_port = {}\nhttp_port = {}\n",
        lab.resolver,
        lab.anchor(),
        lab.https,
        lab.http,
    );
    let roots = lab.authority_file().to_string_lossy().into_owned();
    Launch::dev().without_limits().set("BASE_URL", BASE_URL).set("EXTRA_ROOTS", &roots).configured(&toml)
}

fn score(service: &Service, domain: &str) -> Value {
    service.ask("/trust-score", &json!({ "domain": domain })).expect(200).json()
}

/// The check of that id.
fn check<'a>(receipt: &'a Value, id: &str) -> &'a Value {
    let checks = receipt["checks"].as_array().unwrap();
    checks.iter().find(|check| check["id"] == id).unwrap_or_else(|| panic!("no {id} in {receipt}"))
}

/// Status and reason of a check.
fn outcome<'a>(receipt: &'a Value, id: &str) -> (&'a str, &'a str) {
    let check = check(receipt, id);
    (text(check, "status"), text(check, "reason"))
}

#[test]
fn a_domain_that_is_kept_well_is_trusted_and_every_check_is_shown() {
    let Some(lab) = Lab::shared("what /trust-score says of a real internet") else { return };
    let service = looking_at(lab).start();
    let receipt = score(&service, "perfect.test");
    assert_eq!(text(&receipt, "verdict"), "TRUSTED", "{receipt:#}");
    verify(&receipt, &Notary::of(&service));
    let checks = receipt["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 15);
    for check in checks {
        for member in ["id", "status", "points", "max", "reason", "evidence", "observed_at", "elapsed_ms"] {
            assert!(check.get(member).is_some(), "{member} of {check}");
        }
    }
    for id in ["tls", "dmarc", "dnssec", "spf", "caa", "expiration"] {
        assert_eq!(text(check(&receipt, id), "status"), "pass", "{:#}", check(&receipt, id));
    }
    assert!(receipt["coverage"].as_f64().unwrap() > 0.9, "{receipt:#}");
    let page = service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
    assert!(page.contains("<meter") && page.contains("perfect.test"), "{page}");
}

#[test]
fn what_is_wrong_for_sure_holds_the_score_down() {
    let Some(lab) = Lab::shared("the caps of /trust-score") else { return };
    let service = looking_at(lab).start();
    for (domain, reason) in [
        ("expired.test", "certificate_expired"),
        ("future.test", "certificate_not_yet_valid"),
        ("self.test", "certificate_self_signed"),
        ("wrong.test", "certificate_wrong_host"),
        ("unknown.test", "certificate_unknown_issuer"),
    ] {
        let receipt = score(&service, domain);
        assert_eq!(outcome(&receipt, "tls"), ("fail", reason), "{domain}");
        assert_eq!(receipt["caps"], json!(["invalid_certificate"]), "{domain}");
        assert!(receipt["score_max_possible"].as_u64().unwrap() <= 39, "{domain}");
    }
    let receipt = score(&service, "nohttps.test");
    assert_eq!(receipt["caps"], json!(["no_https"]), "{receipt:#}");
    let receipt = score(&service, "bogus.test");
    assert_eq!(
        receipt["caps"].as_array().map(|caps| caps.contains(&json!("bogus_dnssec"))),
        Some(true),
        "{receipt:#}"
    );
    assert_ne!(text(&receipt, "verdict"), "TRUSTED");
}

#[test]
fn the_signatures_of_a_zone_are_told_apart() {
    let Some(lab) = Lab::shared("DNSSEC of /trust-score") else { return };
    let service = looking_at(lab).start();
    assert_eq!(outcome(&score(&service, "signed.test"), "dnssec").0, "pass");
    assert_eq!(outcome(&score(&service, "plain.test"), "dnssec"), ("fail", "unsigned"));
}

#[test]
fn a_name_server_that_never_answers_makes_the_receipt_incomplete() {
    let toml = "[trust]\nname_servers = \"127.0.0.1:1\"\n";
    let service = Launch::dev().without_limits().configured(toml).start();
    let receipt = score(&service, "example.com");
    assert_eq!((text(&receipt, "verdict"), &receipt["score"]), ("INCOMPLETE", &json!(0)));
    assert_eq!(receipt["grade"], Value::Null);
    assert_eq!(receipt["score_max_possible"], 100);
    for id in ["tls", "dmarc", "headers", "dnssec", "spf", "expiration", "caa"] {
        assert_eq!(text(check(&receipt, id), "status"), "unknown", "{:#}", check(&receipt, id));
    }
    assert_eq!(receipt["unknown"].as_array().map(Vec::len), Some(15), "{receipt:#}");
    verify(&receipt, &Notary::of(&service));
}

#[test]
fn both_methods_answer_without_an_agent_and_a_bad_domain_is_named() {
    let toml = "[trust]\nname_servers = \"127.0.0.1:1\"\n";
    let service = Launch::dev().without_limits().configured(toml).start();
    let get = |domain: &str| -> Answer { service.get(&format!("/trust-score?domain={domain}")) };
    let receipt = get("B%C3%BCcher.example.com.").expect(200).json();
    assert_eq!(
        (text(&receipt, "domain"), text(&receipt, "agent")),
        ("xn--bcher-kva.example.com", "anonymous")
    );
    assert_eq!(text(&receipt, "registrable"), "example.com");
    service.get("/trust-score").names("domain", "missing");
    for (domain, reason) in [
        ("192.0.2.1", "not_applicable"),
        ("%5B::1%5D", "not_applicable"),
        ("localhost", "not_applicable"),
        ("signed.test", "not_applicable"),
        ("co.uk", "not_applicable"),
        ("com", "not_applicable"),
        ("*.example.com", "malformed"),
        ("a%20b.com", "malformed"),
        ("https://example.com/", "malformed"),
        ("xn--a.com", "malformed"),
        ("", "empty"),
    ] {
        get(domain).names("domain", reason);
        let decoded = domain.replace("%20", " ").replace("%5B", "[").replace("%5D", "]");
        service.ask("/trust-score", &json!({ "domain": decoded })).names("domain", reason);
    }
    get(&format!("{}com", "abcdefg.".repeat(32))).names("domain", "too_long");
}

/// Takes out when things were seen, and how long that took.
fn forget_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !matches!(name.as_str(), "observed_at" | "elapsed_ms" | "took"));
            members.values_mut().for_each(forget_times);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_times),
        _ => {}
    }
}

#[test]
fn two_services_say_the_same_of_an_unchanged_internet_and_a_dispute_finds_it_again() {
    let Some(lab) = Lab::shared("replays of /trust-score") else { return };
    let (one, other) = (looking_at(lab).start(), looking_at(lab).start());
    let without_times = |receipt: &Value| {
        ["verdict", "score", "score_max_possible", "coverage", "checks", "flags", "caps"].map(|member| {
            let mut kept = receipt[member].clone();
            forget_times(&mut kept);
            kept
        })
    };
    for domain in ["perfect.test", "expired.test", "plain.test", "nomail.test"] {
        assert_eq!(without_times(&score(&one, domain)), without_times(&score(&other, domain)), "{domain}");
    }
    let receipt = score(&one, "perfect.test");
    let dispute = json!({"agent": "b", "receipt_hash": hash(&receipt), "reason": "it is not so"});
    let settled = one.send(&with_proof(Request::json("/dispute", &dispute), &pays(BOND))).expect(200).json();
    assert_eq!(text(&settled, "verdict"), "UPHELD", "{settled:#}");
}

#[test]
fn the_model_is_published() {
    let model = dev().get("/trust-score/model").expect(200).json();
    let weights: f64 =
        model["checks"].as_array().unwrap().iter().map(|check| check["max"].as_f64().unwrap()).sum();
    assert!((weights - 100.0).abs() < 1e-9, "{model:#}");
    assert_eq!(text(&model, "method"), "trust-score/1");
}

#[test]
fn production_refuses_a_laboratory() {
    let said = Launch::serve().configured("[trust.laboratory]\nsuffixes = [\"test\"]\n").refused();
    assert!(said.contains("trust.laboratory"), "{said}");
}

//! Domains that are kept well or badly, and what holds the score down for sure.

use super::*;
use crate::support::receipt::hash;
use crate::support::service::dev;

#[test]
fn a_domain_that_is_kept_well_is_trusted_and_every_check_is_shown() {
    let Some(service) = looking() else { return };
    let receipt = score(&service, "perfect.test");
    assert_eq!(text(&receipt, "verdict"), "TRUSTED", "{receipt:#}");
    for id in ["tls", "dmarc", "dnssec", "spf", "caa", "expiration"] {
        assert_eq!(text(check(&receipt, id), "status"), "pass", "{:#}", check(&receipt, id));
    }
    assert!(receipt["coverage"].as_f64().unwrap() > 0.9, "{receipt:#}");
    let page = service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
    assert!(page.contains("<meter") && page.contains("perfect.test"), "{page}");
}

#[test]
fn what_is_wrong_for_sure_holds_the_score_down() {
    let Some(service) = looking() else { return };
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
    assert!(listed(&receipt["caps"]).contains(&"bogus_dnssec"), "{receipt:#}");
    assert_ne!(text(&receipt, "verdict"), "TRUSTED");
    let receipt = score(&service, "rdap-expired.test");
    assert_eq!(receipt["caps"], json!(["expired_domain"]), "{receipt:#}");
    assert!(receipt["score_max_possible"].as_u64().unwrap() <= 20, "{receipt:#}");
}

#[test]
fn the_signatures_of_a_zone_are_told_apart() {
    let Some(service) = looking() else { return };
    assert_eq!(outcome(&score(&service, "signed.test"), "dnssec").0, "pass");
    assert_eq!(outcome(&score(&service, "plain.test"), "dnssec"), ("fail", "unsigned"));
}

#[test]
fn the_model_is_published() {
    let model = dev().get("/trust-score/model").expect(200).json();
    let weights: f64 =
        model["checks"].as_array().unwrap().iter().map(|check| check["max"].as_f64().unwrap()).sum();
    assert!((weights - 100.0).abs() < 1e-9, "{model:#}");
    assert_eq!(text(&model, "method"), "trust-score/2");
}

#[test]
fn production_refuses_a_laboratory() {
    let said = Launch::serve().configured("[trust.laboratory]\nsuffixes = [\"test\"]\n").refused();
    assert!(said.contains("trust.laboratory"), "{said}");
}

//! Clearances of counterparties with a domain.

use super::evidence::{disputed, finding};
use super::*;
use crate::support::receipt::canonical;

const NOBODY: &str = "Nobody Of That Kind";

fn clear(service: &Service, domain: &str) -> Answer {
    service.ask("/agent-clearance", &json!({"agent": "a", "counterparty_name": NOBODY, "domain": domain}))
}

/// The verdict with its reasons.
fn outcome(receipt: &Value) -> (&str, Vec<&str>) {
    (text(receipt, "verdict"), listed(&receipt["reasons"]))
}

#[test]
fn a_domain_counts_by_the_verdict_of_trust_score() {
    let Some(service) = looking() else { return };
    for (domain, of_domain, expected) in [
        ("perfect.test", "TRUSTED", ("CLEAR", vec![])),
        ("alias.test", "CAUTION", ("REVIEW", vec!["domain_caution"])),
        ("expired.test", "RISKY", ("BLOCK", vec!["domain_risky"])),
    ] {
        let receipt = clear(&service, domain).expect(200).json();
        assert_eq!(outcome(&receipt), expected, "{receipt:#}");
        verify(&receipt, &Notary::of(&service));
        let (shown, scored) = (&receipt["domain"], score(&service, domain));
        assert_eq!((text(shown, "status"), text(shown, "verdict")), ("observed", of_domain));
        assert_eq!((text(shown, "domain"), text(shown, "registrable")), (domain, domain));
        let ids: Vec<&str> =
            shown["reasons"].as_array().unwrap().iter().map(|reason| text(reason, "id")).collect();
        assert_eq!(ids, reasons(&scored), "{domain}");
        assert_eq!(shown["hygiene_score"], scored["hygiene"]["score"]);
        // One look for both routes.
        assert_eq!(receipt["evidence"]["domain_observations"], scored["evidence"]["observations_sha256"]);
        for words in ["by the rules of /trust-score", "No wallet was given"] {
            assert!(text(&receipt, "scope").contains(words), "{receipt:#}");
        }
        let method = text(&receipt, "method");
        assert!(method.starts_with("agent-clearance/4, ") && method.ends_with(", trust-score/2"), "{method}");
    }
}

#[test]
fn a_dispute_of_a_clearance_replays_the_domain_to_the_byte() {
    let Some(lab) = Lab::shared("replays of clearances with a domain") else { return };
    let service = Sight::of(lab).start();
    for domain in ["perfect.test", "expired.test", "alias.test"] {
        let receipt = clear(&service, domain).expect(200).json();
        let dispute = disputed(&service, &receipt);
        assert_eq!(text(&dispute, "verdict"), "UPHELD", "{domain}: {dispute:#}");
        assert_eq!(canonical(&dispute["replay"]["finding"]), canonical(&finding(&receipt)), "{domain}");
    }
}

#[test]
fn a_domain_is_not_looked_at_where_the_lists_block() {
    let service = blind();
    let listed =
        json!({"agent": "a", "counterparty_name": "Viktor Anatolyevich Bout", "domain": "Example.com"});
    let receipt = service.ask("/agent-clearance", &listed).expect(200).json();
    assert_eq!(outcome(&receipt), ("BLOCK", vec!["name_match"]));
    assert_eq!(receipt["domain"], json!({"status": "not_needed", "domain": "example.com"}));
    assert_eq!(receipt["evidence"].get("domain_observations"), None);
}

#[test]
fn a_domain_that_could_not_be_observed_is_never_cleared() {
    let receipt = clear(&blind(), "example.com").expect(200).json();
    assert_eq!(outcome(&receipt), ("REVIEW", vec!["domain_incomplete"]), "{receipt:#}");
}

#[test]
fn what_is_no_public_name_is_a_400_that_names_the_domain() {
    let service = blind();
    for (domain, reason) in [
        ("localhost", "not_applicable"),
        ("192.0.2.1", "not_applicable"),
        ("co.uk", "not_applicable"),
        ("https://example.com/", "malformed"),
        ("*.example.com", "malformed"),
        ("", "empty"),
    ] {
        clear(&service, domain).names("domain", reason);
    }
    let listed =
        json!({"agent": "a", "counterparty_name": "Viktor Anatolyevich Bout", "domain": "localhost"});
    service.ask("/agent-clearance", &listed).names("domain", "not_applicable");
    let misnamed = json!({"agent": "a", "counterparty_name": NOBODY, "website": "example.com"});
    service.ask("/agent-clearance", &misnamed).names("website", "misnamed");
}

#[test]
fn the_page_of_a_clearance_says_what_is_wrong_with_the_domain() {
    let Some(service) = looking() else { return };
    let receipt = clear(&service, "expired.test").expect(200).json();
    let html = service.get(&format!("/r/{}", text(&receipt, "receipt_hash"))).expect(200).text();
    for words in [
        "There is a grave reason not to rely on its domain.",
        "<bdi>expired.test</bdi>: RISKY: ",
        "<li>RISKY: Its certificate is not valid.</li>",
    ] {
        assert!(html.contains(words), "{words} in {html}");
    }
}

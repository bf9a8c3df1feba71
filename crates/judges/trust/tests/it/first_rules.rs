//! Receipts of `trust-score/1` are judged again by their own rule.
//!
//! `tests/data/trust-score-1.json` has evidence in the form of that time, and the findings that the judge of that time made
//! of it.

use serde::Deserialize;
use serde_json::Value;
use trust::trust_score::{TrustJudge, TrustQuestion};
use verdict::{EvidenceBlob, Judge as _};

const FINDINGS: &str = include_str!("../data/trust-score-1.json");

#[derive(Deserialize)]
struct Case {
    name: String,
    domain: String,
    observations: String,
    finding: Value,
}

/// The canonical form (RFC 8785), in which `22.0` is `22`.
fn canonical(value: &Value) -> String {
    let json = receipt::json::parse(value.to_string().as_bytes()).unwrap();
    String::from_utf8(json.canonical()).unwrap()
}

#[test]
fn findings_of_the_first_rules_are_found_again_to_the_byte() {
    let cases: Vec<Case> = serde_json::from_str(FINDINGS).unwrap();
    assert!(cases.len() >= 8);
    for case in cases {
        let question = TrustQuestion::of(domain_name::DomainName::parse(&case.domain).unwrap());
        let evidence = EvidenceBlob::new("observations", case.observations.into_bytes());
        let at = "2026-11-26T00:00:00.000Z".parse().unwrap();
        let found = TrustJudge::without_probes().replay(&question, &[evidence], at).unwrap();
        let found = serde_json::to_value(&found).unwrap();
        assert_eq!(found["method"], "trust-score/1", "{}", case.name);
        for (member, value) in case.finding.as_object().unwrap() {
            assert_eq!(canonical(&found[member]), canonical(value), "{member} of {}", case.name);
        }
        assert_eq!(canonical(&found), canonical(&case.finding), "{}", case.name);
    }
}

//! Purposes and payees of a question, and what becomes of bad ones.

use super::*;

/// An address of EIP-55's own examples.
const PAYEE: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

#[test]
fn a_purpose_sets_the_weights_and_the_risks_that_count() {
    let service = blind();
    for (purpose, weight) in [("pay", 30.0), ("web", 30.0), ("mail", 0.0)] {
        let asked = json!({ "domain": "example.com", "purpose": purpose });
        let receipt = service.ask("/trust-score", &asked).expect(200).json();
        assert_sound(&service, &receipt);
        assert_eq!(text(&receipt, "purpose"), purpose);
        assert_eq!(check(&receipt, "tls")["max"].as_f64(), Some(weight), "{purpose}");
        let of_query =
            service.get(&format!("/trust-score?domain=example.com&purpose={purpose}")).expect(200).json();
        assert_eq!(of_query["purpose"], purpose);
    }
}

#[test]
fn a_purpose_that_is_none_and_a_payee_that_is_no_address_are_named() {
    let service = blind();
    for (field, value) in [
        ("purpose", json!("love")),
        ("purpose", json!("")),
        ("purpose", json!(null)),
        ("purpose", json!(["pay"])),
        ("pay_to", json!("alice.eth")),
        ("pay_to", json!("0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed")),
        ("pay_to", json!("")),
        ("pay_to", json!(7)),
        ("counterparty_name", json!("")),
        ("counterparty_name", json!("a\u{7}b")),
        ("counterparty_name", json!("x".repeat(257))),
    ] {
        let mut asked = json!({ "domain": "example.com" });
        asked[field] = value.clone();
        let refused = service.ask("/trust-score", &asked).expect(400).json();
        assert_eq!(refused["field"], field, "{value}: {refused:#}");
    }
}

#[test]
fn a_payee_that_the_domain_does_not_name_is_absent_and_never_bound() {
    let Some(service) = looking() else { return };
    // A Solana address is one of another chain than any that a page of the lab names.
    for payee in [PAYEE, "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv"] {
        let asked = json!({ "domain": "perfect.test", "pay_to": payee, "counterparty_name": "Perfect Ltd" });
        let receipt = service.ask("/trust-score", &asked).expect(200).json();
        assert_sound(&service, &receipt);
        let found = &receipt["payee"];
        assert_eq!(
            (&found["bound"], &found["pay_to"], &found["counterparty_name"]),
            (&json!("absent"), &json!("absent"), &json!("absent")),
            "{receipt:#}"
        );
        assert_eq!(text(&receipt, "verdict"), "TRUSTED", "{receipt:#}");
    }
    let without = score(&service, "perfect.test");
    assert!(without.get("payee").is_none(), "{without:#}");
}

#[test]
fn a_name_that_contradicts_the_domain_is_a_reason() {
    let Some(service) = looking() else { return };
    let asked = json!({ "domain": "perfect.test", "counterparty_name": "PayPal, Inc." });
    let receipt = service.ask("/trust-score", &asked).expect(200).json();
    assert_sound(&service, &receipt);
    assert_eq!(receipt["payee"]["counterparty_name"], "no", "{receipt:#}");
    assert_eq!(
        (reasons(&receipt), text(&receipt, "verdict")),
        (vec!["payee_not_named"], "CAUTION"),
        "{receipt:#}"
    );
}

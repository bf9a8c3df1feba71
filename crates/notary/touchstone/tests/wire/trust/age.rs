//! Nobody is trusted whose age could be known and is not.

use peers::lab::rdap;

use super::*;

/// Well kept, and kept from `TRUSTED` by nothing but its age.
#[track_caller]
fn assert_only_the_age_is_missing(receipt: &Value) {
    assert!(receipt["hygiene"]["score"].as_u64().unwrap() >= 80, "{receipt:#}");
    assert_eq!(reasons(receipt), ["age_unknown", "too_few_proofs"], "{receipt:#}");
    assert_eq!(text(receipt, "verdict"), "CAUTION", "{receipt:#}");
}

#[test]
fn below_a_private_suffix_the_registry_tells_the_age_of_the_platform_alone() {
    let Some(service) = looking() else { return };
    let receipt = score(&service, "tenant.github.io");
    assert_eq!(text(&receipt, "registrable"), "tenant.github.io");
    assert_eq!(outcome(&receipt, "expiration"), ("pass", "registered"), "{receipt:#}");
    assert_eq!(text(&check(&receipt, "expiration")["evidence"], "name"), "github.io");
    assert!(reasons(&receipt).contains(&"platform_tenant"), "{receipt:#}");
    assert!(!reasons(&receipt).contains(&"age_unknown"), "{receipt:#}");
    assert_ne!(text(&receipt, "verdict"), "TRUSTED");
    // The platform's own age is its own.
    let platform = score(&service, "github.io");
    assert_eq!(text(&platform, "registrable"), "github.io");
    assert!(!reasons(&platform).contains(&"platform_tenant"), "{platform:#}");
}

#[test]
fn a_registry_that_does_not_tell_when_it_began_leaves_the_age_unknown() {
    let Some(lab) = Lab::shared("domains of unknown age") else { return };
    let registry = rdap::bootstrap(&["test"], &format!("{}ageless/", lab.rdap()));
    let service = Sight::of(lab).by_registries(registry).start();
    let receipt = score(&service, "perfect.test");
    assert_eq!(outcome(&receipt, "expiration"), ("pass", "registered"), "{receipt:#}");
    assert_only_the_age_is_missing(&receipt);
}

#[test]
fn a_registry_that_is_not_known_or_does_not_answer_leaves_it_unknown_too() {
    let Some(lab) = Lab::shared("registries that do not answer") else { return };
    let silent = format!("https://{}/", lab.silent());
    // A busy machine may reach the bound of the whole query before that of the connection.
    for (registry, expected) in [
        (rdap::bootstrap(&["elsewhere"], &lab.rdap()), &["service_unknown"][..]),
        (rdap::bootstrap(&["test"], &silent), &["connect_timeout", "timeout"]),
    ] {
        let service = Sight::of(lab).by_registries(registry).start();
        let receipt = looked_at(&service, "perfect.test");
        let (status, reason) = outcome(&receipt, "expiration");
        assert_eq!(status, "unknown", "{receipt:#}");
        assert!(expected.contains(&reason), "{receipt:#}");
        assert_only_the_age_is_missing(&receipt);
    }
}

#[test]
fn where_no_registry_tells_the_age_nobody_is_trusted() {
    let Some(lab) = Lab::shared("top-level domains without RDAP") else { return };
    // As many names as make a list whole.
    let others: Vec<_> = (0..1_100).map(|number| format!("tld{number}")).collect();
    let others: Vec<_> = others.iter().map(String::as_str).collect();
    let service = Sight::of(lab).by_registries(rdap::bootstrap(&others, &lab.rdap())).start();
    let receipt = score(&service, "perfect.test");
    assert_eq!(outcome(&receipt, "expiration"), ("not_applicable", "no_rdap_service"), "{receipt:#}");
    assert_only_the_age_is_missing(&receipt);
}

#[test]
fn a_domain_of_a_few_days_is_young() {
    let Some(service) = looking() else { return };
    let receipt = score(&service, "rdap-young.test");
    let reasons = receipt["risk"]["reasons"].as_array().unwrap();
    let young = reasons.iter().find(|reason| reason["id"] == "young_domain").expect("a reason");
    assert_eq!(
        (&young["verdict"], &young["evidence"]["age_days"]),
        (&json!("CAUTION"), &json!(9)),
        "{receipt:#}"
    );
    assert_ne!(text(&receipt, "verdict"), "TRUSTED");
}

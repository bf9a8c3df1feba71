//! Servers of pages and registrations that do wrong.

use super::*;

#[test]
fn a_server_that_never_speaks_is_unknown() {
    let Some(service) = looking() else { return };
    let receipt = score(&service, "silent.test");
    assert_eq!(outcome(&receipt, "tls"), ("unknown", "never_spoke"), "{receipt:#}");
    assert_eq!(outcome(&receipt, "headers").0, "unknown", "{receipt:#}");
    // What could be seen is there.
    assert_eq!(outcome(&receipt, "expiration"), ("pass", "registered"), "{receipt:#}");
    assert_eq!(
        (text(&receipt, "verdict"), &receipt["hygiene"]["caps"]),
        ("INCOMPLETE", &json!([])),
        "{receipt:#}"
    );
}

#[test]
fn a_server_that_keeps_its_page_to_itself_is_not_trusted() {
    let Some(service) = looking() else { return };
    let receipt = score(&service, "slow.test");
    assert_eq!(outcome(&receipt, "tls"), ("pass", "valid"), "{receipt:#}");
    assert_eq!(outcome(&receipt, "headers").0, "unknown", "{receipt:#}");
    assert!(reasons(&receipt).contains(&"page_unseen"), "{receipt:#}");
    assert!(listed(&receipt["risk"]["unchecked"]).contains(&"ends_on_other_site"), "{receipt:#}");
    let mail =
        service.ask("/trust-score", &json!({"domain": "slow.test", "purpose": "mail"})).expect(200).json();
    assert!(!reasons(&mail).contains(&"page_unseen"), "{mail:#}");
}

#[test]
fn nobody_is_led_into_private_space() {
    let Some(service) = looking() else { return };
    for (domain, reason) in [
        ("redirect-inside.test", "redirect_to_private"),
        ("redirect-name.test", "redirect_to_private"),
        ("redirect-private.test", "redirect_to_http"),
        ("redirect-metadata.test", "redirect_to_http"),
        ("private.test", "address_denied"),
        ("metadata.test", "address_denied"),
    ] {
        let receipt = score(&service, domain);
        assert_eq!(outcome(&receipt, "headers"), ("unknown", reason), "{domain}: {receipt:#}");
        let tls = if reason == "address_denied" { ("unknown", "denied") } else { ("pass", "valid") };
        assert_eq!(outcome(&receipt, "tls"), tls, "{domain}: {receipt:#}");
        assert_ne!(text(&receipt, "verdict"), "TRUSTED");
    }
}

#[test]
fn a_registry_that_does_wrong_is_unknown() {
    let Some(service) = looking() else { return };
    for (domain, reason) in [
        ("rdap-huge.test", "too_large"),
        ("rdap-slow.test", "timeout"),
        ("rdap-broken.test", "not_json"),
        ("rdap-other.test", "another_domain"),
        ("rdap-moved.test", "another_domain"),
        ("rdap-missing.test", "not_registered"),
        ("rdap-endless.test", "no_expiration_date"),
        ("rdap-private.test", "redirect_to_http"),
        ("rdap-inside.test", "redirect_to_private"),
    ] {
        let receipt = score(&service, domain);
        let (status, found) = outcome(&receipt, "expiration");
        // A busy machine may reach the bound of the connection before that of the whole query.
        let is_late = (reason, found) == ("timeout", "connect_timeout");
        assert!(status == "unknown" && (found == reason || is_late), "{domain}: {receipt:#}");
        assert_eq!(outcome(&receipt, "tls"), ("pass", "valid"), "{domain}: {receipt:#}");
        assert!(!listed(&receipt["hygiene"]["caps"]).contains(&"expired_domain"), "{domain}");
    }
}

#[test]
fn a_registry_that_is_busy_is_left_alone() {
    // For all names: so this service is nobody else's.
    let Some(lab) = Lab::shared("a registry that is asked too much") else { return };
    let service = Sight::of(lab).start();
    let known = score(&service, "good.test");
    for (domain, reason) in [("rdap-busy.test", "rate_limited"), ("rdap-missing.test", "registry_busy")] {
        let receipt = score(&service, domain);
        assert_eq!(outcome(&receipt, "expiration"), ("unknown", reason), "{domain}: {receipt:#}");
        assert_eq!(outcome(&receipt, "tls"), ("pass", "valid"), "{domain}: {receipt:#}");
    }
    // What it said before is known still.
    let below = score(&service, "www.good.test");
    assert_eq!(check(&below, "expiration"), check(&known, "expiration"));
}

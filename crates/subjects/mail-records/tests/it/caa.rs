//! CAA, where the published cases say nothing or not enough.

use dns::{Caa, Failure, Name, Record, Zone};
use mail_records::caa::{Authority, CaaDecision, CaaRefusal, IssuanceRequest, Property, check, permits};
use proptest::prelude::*;

use crate::{at_once, name};

fn caa(flags: u8, tag: &str, value: &str) -> Caa {
    Caa { flags, tag: tag.as_bytes().to_vec(), value: value.as_bytes().to_vec() }
}

fn request(domain: &Name) -> IssuanceRequest<'_> {
    IssuanceRequest {
        domain,
        issuer: "ca.example",
        method: Some("dns-01"),
        account_uri: Some("https://ca.example/1"),
    }
}

fn decide(domain: &str, set: &[Caa]) -> CaaDecision {
    let properties: Vec<Property> = set.iter().map(Property::read).collect();
    permits(&properties, &request(&name(domain)))
}

const NOT_NAMED: CaaDecision = CaaDecision::Refused(CaaRefusal::NotNamed);

#[test]
fn the_nearest_set_upwards_counts_alone() {
    let zone = Zone::default()
        .with(&name("example.com"), Record::Caa(caa(0, "issue", "other.example")))
        .with(&name("a.example.com"), Record::Caa(caa(0, "issue", "ca.example")));
    for (domain, found_at, decision) in [
        ("x.y.a.example.com", Some("a.example.com"), CaaDecision::Permitted),
        ("*.a.example.com", Some("a.example.com"), CaaDecision::Permitted),
        ("b.example.com", Some("example.com"), NOT_NAMED),
        ("example.net", None, CaaDecision::Permitted),
    ] {
        let checked = at_once(check(&zone, &request(&name(domain))));
        assert_eq!(
            (checked.found_at.as_ref().map(Name::as_str), checked.decision),
            (found_at, decision),
            "{domain}"
        );
    }
}

#[test]
fn a_look_up_that_fails_hides_what_is_above_it_and_nothing_below() {
    let mut zone = Zone::default().with(&name("a.example.com"), Record::Caa(caa(0, "issue", "ca.example")));
    zone.fail(&name("example.com"), Failure::ServFail);
    let decision = |domain: &str| at_once(check(&zone, &request(&name(domain)))).decision;
    assert_eq!(decision("a.example.com"), CaaDecision::Permitted);
    assert_eq!(decision("b.example.com"), CaaDecision::Unknown(Failure::ServFail));
}

#[test]
fn a_long_name_is_climbed_to_the_top() {
    let zone = Zone::default().with(&name("example"), Record::Caa(caa(0, "issue", ";")));
    let long = name(&format!("{}example", "a.".repeat(120)));
    let checked = at_once(check(&zone, &request(&long)));
    assert_eq!((checked.found_at, checked.decision), (Some(name("example")), NOT_NAMED));
}

#[test]
fn issuewild_counts_for_wildcards_instead_of_issue_and_for_nothing_else() {
    let set = [caa(0, "issue", "ca.example"), caa(0, "issuewild", "other.example")];
    assert_eq!(decide("example.com", &set), CaaDecision::Permitted);
    assert_eq!(decide("*.example.com", &set), NOT_NAMED);
    let only_wild = [caa(0, "issuewild", ";")];
    assert_eq!(decide("example.com", &only_wild), CaaDecision::Permitted);
    assert_eq!(decide("*.example.com", &only_wild), NOT_NAMED);
    assert_eq!(decide("*.example.com", &[caa(0, "issue", ";")]), NOT_NAMED);
}

#[test]
fn only_critical_properties_that_issuers_do_not_know_refuse() {
    for (flags, refused) in [(0, false), (1, true), (128, true), (129, true), (2, false), (126, false)] {
        let set = [caa(flags, "new", ""), caa(0, "issue", "ca.example")];
        assert_eq!(
            decide("example.com", &set) == CaaDecision::Refused(CaaRefusal::UnknownCritical),
            refused,
            "{flags}"
        );
    }
    let known = [caa(128, "ISSUE", "ca.example"), caa(128, "IssueWild", ";"), caa(1, "iodef", "mailto:a@b")];
    assert_eq!(decide("example.com", &known), CaaDecision::Permitted);
}

#[test]
fn a_value_against_the_grammar_permits_nobody() {
    for (value, permitted) in [
        ("ca.example", true),
        (" \tCA.Example \t", true),
        ("ca.example;", true),
        ("ca.example ; a=b", true),
        ("ca.example;a=b;c-d = ", true),
        ("", false),
        (";", false),
        ("; a=b", false),
        ("ca.example a=b", false),
        ("ca.example; a", false),
        ("ca.example; a=b;", false),
        ("ca.example; a=b c", false),
        ("ca.example; =b", false),
        ("ca.example; a_b=c", false),
        ("ca.example.", false),
        ("-ca.example", false),
        ("ca..example", false),
        ("ca.ex\u{e4}mple", false),
        ("ca.example\n", false),
    ] {
        let expected = if permitted { CaaDecision::Permitted } else { NOT_NAMED };
        assert_eq!(decide("example.com", &[caa(0, "issue", value)]), expected, "{value:?}");
    }
}

#[test]
fn a_condition_is_met_by_what_it_names_and_by_nothing_unsaid() {
    let permits = |parameters: &str, method, account| {
        Authority::read(format!("ca.example; {parameters}").as_bytes()).permits("ca.example", method, account)
    };
    let (dns, http, account) = (Some("dns-01"), Some("http-01"), Some("https://ca.example/1"));
    assert!(permits("validationmethods=http-01,dns-01", dns, None));
    assert!(permits("ValidationMethods=dns-01; AccountURI=https://ca.example/1", dns, account));
    for (parameters, method, account) in [
        ("validationmethods=dns-01", http, account),
        ("validationmethods=dns-01", None, account),
        ("validationmethods=", dns, account),
        ("validationmethods=dns-01,", dns, account),
        ("validationmethods=dns-01,a_b", dns, account),
        ("validationmethods=dns-01; validationmethods=dns-01", dns, account),
        ("accounturi=https://ca.example/2", dns, account),
        ("accounturi=https://ca.example/1", dns, None),
        ("accounturi=https://ca.example/1; accounturi=https://ca.example/1", dns, account),
        ("accounturi=https://ca.example/1; validationmethods=http-01", dns, account),
    ] {
        assert!(!permits(parameters, method, account), "{parameters}");
    }
}

proptest! {
    #[test]
    fn a_set_that_names_others_only_never_permits(
        values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..5),
        wildcard in any::<bool>(),
    ) {
        let set: Vec<Caa> = values
            .into_iter()
            .map(|value| Caa { flags: 0, tag: b"issue".to_vec(), value })
            .filter(|caa| !caa.value.windows(10).any(|part| part.eq_ignore_ascii_case(b"ca.example")))
            .collect();
        prop_assume!(!set.is_empty());
        let domain = if wildcard { "*.example.com" } else { "example.com" };
        prop_assert_eq!(decide(domain, &set), NOT_NAMED);
    }
}

//! Rules of the crate, proved on secrets that are put together here from parts.

use proptest::prelude::*;
use secrets::{find, redact, rules};

const BODY: &str = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3";

fn first(text: &str) -> Option<&'static str> {
    find(text).findings.first().map(|s| s.rule.id)
}

fn planted() -> Vec<(&'static str, String)> {
    let hex = "9f3c07a1e5b8d2460f1c9ae37b5d8264";
    vec![
        ("github-token", format!("gh{}{}", "p_", &BODY[..36])),
        ("aws-access-key", format!("AK{}", "IAQ3EGRIVZL5TWM7XN")),
        ("databricks-token", format!("da{}{hex}", "pi")),
        ("stripe-key", format!("sk_{}{}", "live_", &BODY[..24])),
        (
            "private-key-block",
            format!("-----BEGIN {} KEY-----\\n{BODY}\\n-----END {} KEY-----", "RSA PRIVATE", "RSA PRIVATE"),
        ),
        ("assigned-secret", format!("foo_api_key := \"{hex}\"")),
        ("url-password", format!("postgres://app:{}@db.internal/x", "s3cr3tW0rd")),
        ("seed-phrase", format!("{}about", "abandon ".repeat(11))),
        ("payment-card", "4111 1111 1111 1111".to_owned()),
        ("iban", "DE89 3704 0044 0532 0130 00".to_owned()),
    ]
}

#[test]
fn each_planted_secret_is_found_and_gone_after_redaction() {
    for (rule, text) in planted() {
        assert_eq!(first(&text), Some(rule), "{rule}");
        let clean = redact(&text, &find(&text).findings);
        assert!(find(&clean).findings.is_empty(), "{rule}: {clean}");
    }
}

#[test]
fn placeholders_identifiers_and_templates_are_no_secrets() {
    for text in [
        "api_key = \"changeme\"",
        "token: <token>",
        "password=${PASSWORD}",
        "key = AKIAIOSFODNN7EXAMPLE",
        "credentialsId: 'ff083f76-7804-4ef1-80e4-fe975bb9141b'",
        "The air answer box believe able clock because ask",
    ] {
        assert_eq!(first(text), None, "{text}");
    }
}

#[test]
fn a_provider_is_named_by_a_whole_word() {
    let hex = "9f3c07a1e5b8d2460f1c9ae37b5d8264";
    assert_eq!(first(&format!("ReactNativeCameraKit: {hex}")), None);
    for name in ["MERAKI_ID", "ciscoMeraki", "cisco-meraki", "meraki"] {
        assert_eq!(first(&format!("{name} = \"{hex}\"")), Some("assigned-secret"), "{name}");
    }
    assert_eq!(first(&format!("myapikey = {hex}")), Some("assigned-secret"));
}

#[test]
fn a_wrong_checksum_of_a_seed_phrase_is_a_warning() {
    assert_eq!(first("abandon ".repeat(12).trim()), Some("seed-phrase-wrong-checksum"));
}

#[test]
fn a_secret_that_is_longer_than_its_shape_is_covered_to_the_end_of_its_token() {
    for tail in ["x".repeat(50), "y_-+/=~".repeat(2000), "a.b.c".to_owned()] {
        let token = format!("gh{}{}{tail}", "p_", &BODY[..36]);
        let text = format!("{token}. And so on");
        let found = find(&text).findings;
        assert_eq!(found[0].span, 0..token.len(), "{}", tail.len());
        assert_eq!(redact(&text, &found), format!("[secret github-token {} bytes]. And so on", token.len()));
    }
}

#[test]
fn the_text_to_hash_holds_shapes_thresholds_and_lists() {
    let text = secrets::canonical_rules();
    for part in ["github-token", "changeme", "fn entropy", "LONGEST_BLOCK", "softlayer"] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn rules_have_unique_names() {
    let mut ids: Vec<_> = rules().map(|r| r.id).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|p| p[0] != p[1]));
}

proptest! {
    #[test]
    fn spans_are_on_boundaries_and_redaction_leaves_no_finding_text(a in ".{0,60}", b in ".{0,60}", i in 0usize..10) {
        let secret = planted().remove(i).1;
        let text = format!("{a} {secret} {b}");
        let found = find(&text).findings;
        let clean = redact(&text, &found);
        for s in &found {
            prop_assert!(text.is_char_boundary(s.span.start) && text.is_char_boundary(s.span.end));
        }
        prop_assert!(found.is_empty() || !clean.contains(&secret));
    }
}

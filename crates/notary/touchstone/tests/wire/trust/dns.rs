//! Records and name servers that do wrong.

use super::*;

/// Of records that were not answered, because a server failed.
const FAILED: &[(&str, &str, &str)] = &[
    ("tls", "unknown", "dns_failed"),
    ("spf", "unknown", "dns_servfail"),
    ("dmarc", "unknown", "dns_servfail"),
    ("caa", "unknown", "dns_servfail"),
];

#[test]
fn texts_as_large_as_an_answer_are_read() {
    let Some(service) = looking() else { return };
    for domain in ["long-text.test", "many-texts.test"] {
        let receipt = score(&service, domain);
        assert_eq!(outcome(&receipt, "spf"), ("pass", "fail_all"), "{domain}: {receipt:#}");
    }
    let receipt = score(&service, "long-text.test");
    let record = text(&check(&receipt, "spf")["evidence"]["records"][0], "record");
    assert!(record.starts_with("v=spf1 ip4:192.0.2.1 ip4:") && record.len() < 1024, "{record}");
}

#[test]
fn a_record_that_includes_itself_is_an_error() {
    let Some(service) = looking() else { return };
    for (domain, reason) in [
        ("spf-loop.test", "too_many_look_ups"),
        ("spf-many.test", "too_many_look_ups"),
        ("spf-void.test", "too_many_void_look_ups"),
        ("spf-syntax.test", "syntax"),
        ("spf-two.test", "several_records"),
    ] {
        let receipt = score(&service, domain);
        assert_eq!(outcome(&receipt, "spf"), ("fail", reason), "{domain}: {receipt:#}");
    }
}

#[test]
fn a_name_that_macros_make_for_each_sender_opens_no_record_unseen() {
    let Some(service) = looking() else { return };
    for (domain, outcome_of_spf) in [
        ("spf-by-address.test", ("fail", "open_to_everybody")),
        ("spf-by-sender.test", ("warn", "softfail_all")),
        ("spf-by-list.test", ("pass", "fail_all")),
    ] {
        let receipt = score(&service, domain);
        assert_eq!(outcome(&receipt, "spf"), outcome_of_spf, "{domain}: {receipt:#}");
    }
}

#[test]
fn aliases_are_followed_as_far_as_they_lead() {
    let Some(service) = looking() else { return };
    let seen: &[_] =
        &[("tls", "pass", "valid"), ("headers", "pass", "well_protected"), ("spf", "pass", "fail_all")];
    // Its DMARC record would be beside the alias, not at its end.
    let led_on: &[_] = &[
        ("tls", "unknown", "dns_failed"),
        ("spf", "unknown", "dns_servfail"),
        ("caa", "unknown", "dns_servfail"),
        ("dmarc", "fail", "no_record"),
    ];
    let led_nowhere: &[_] = &[("tls", "not_applicable", "no_address"), ("spf", "fail", "no_record")];
    assert_cases(
        &service,
        &[
            ("alias.test", "CAUTION", seen),
            ("chain.test", "CAUTION", seen),
            ("nowhere.test", "CAUTION", led_nowhere),
            ("loop.test", "INCOMPLETE", led_on),
        ],
    );
    let dangling = score(&service, "nowhere.test");
    assert!(reasons(&dangling).contains(&"dangling_alias"), "{dangling:#}");
    // How far a resolver gets hangs on what it has kept. Nobody takes a record from so far away.
    let receipt = score(&service, "long-chain.test");
    assert_eq!(outcome(&receipt, "spf").0, "unknown", "{receipt:#}");
    assert_ne!(text(&receipt, "verdict"), "TRUSTED");
}

#[test]
fn servers_that_do_wrong_are_neither_good_nor_bad() {
    let Some(service) = looking() else { return };
    // All else of it can be seen: it has an address, where another's certificate is served.
    let known: &[_] = &[
        ("caa", "unknown", "dns_servfail"),
        ("spf", "fail", "no_record"),
        ("tls", "fail", "certificate_wrong_host"),
    ];
    // What the resolver is left with when nothing of the answer is about the name.
    let empty: &[_] = &[
        ("tls", "unknown", "dns_failed"),
        ("spf", "unknown", "dns_unusable"),
        ("dmarc", "unknown", "dns_unusable"),
        ("caa", "unknown", "dns_unusable"),
    ];
    assert_cases(
        &service,
        &[
            ("other-name.test", "INCOMPLETE", empty),
            ("truncated.test", "INCOMPLETE", FAILED),
            ("lame.test", "INCOMPLETE", FAILED),
            ("dead.test", "INCOMPLETE", &[("spf", "unknown", "dns_timed_out")]),
            ("caa-servfail.test", "RISKY", known),
        ],
    );
}

#[test]
fn the_same_servers_asked_directly() {
    let Some(lab) = Lab::shared("name servers that do wrong, asked by /trust-score itself") else { return };
    let liars = &lab.liars;
    for (server, reason) in [
        (liars.other_name.address(), "dns_unusable"),
        (liars.truncated.address(), "dns_unusable"),
        (liars.refused.address(), "dns_refused"),
        (liars.silent_address(), "dns_timed_out"),
    ] {
        let service = Sight::of(lab).by_name_servers(server).start();
        let receipt = looked_at(&service, "perfect.test");
        for id in ["spf", "dmarc", "caa"] {
            assert_eq!(outcome(&receipt, id), ("unknown", reason), "{id} by {server}: {receipt:#}");
        }
        for id in ["tls", "headers", "dnssec", "expiration"] {
            assert_eq!(outcome(&receipt, id).0, "unknown", "{id} by {server}: {receipt:#}");
        }
        assert_eq!(
            (text(&receipt, "verdict"), &receipt["hygiene"]["score"]),
            ("INCOMPLETE", &json!(0)),
            "{server}"
        );
    }
}

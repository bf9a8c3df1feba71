use probe::tls::{Acceptance::*, RootsUsed, Scts, TlsVersion, Versions};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use super::*;
use crate::score::Status;

const NAME: &str = "shop.example.com";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn now() -> Timestamp {
    at("2026-11-21T02:00:00.000Z")
}

/// A certificate, signed by itself, that ends with the last day of the year 2026.
fn certificate() -> Vec<u8> {
    let mut params = CertificateParams::new([NAME.to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(2026, 10, 1);
    params.not_after = rcgen::date_time_ymd(2026, 12, 31);
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
}

/// A server at its best.
fn good() -> TlsObservation {
    let mut seen = TlsObservation {
        observed_at: now(),
        outcome: HandshakeOutcome::Answered,
        alert: None,
        version: Some(TlsVersion::Tls13),
        cipher_suite: Some("TLS_AES_128_GCM_SHA256".to_owned()),
        key_exchange_group: Some("x25519".to_owned()),
        chain: Vec::new(),
        chain_omitted: 0,
        trust: Some(ChainTrust { verification: Verification::Valid, is_public: true, key_is_proven: true }),
        ocsp_stapled: false,
        ocsp_response: None,
        scts: Scts { embedded: 2, in_handshake: Some(0), logs: 2 },
        versions: Versions { tls10: Refused, tls11: Refused, tls12: Accepted, tls13: Accepted },
        roots: RootsUsed { is_mozilla: true, sha256: String::new() },
    };
    seen.keep(&[certificate()]);
    seen
}

/// A server that ended the handshake before it served anything.
fn ended(outcome: HandshakeOutcome, alert: Option<u8>, versions: Versions) -> TlsObservation {
    TlsObservation { outcome, alert, version: None, chain: Vec::new(), trust: None, versions, ..good() }
}

fn none() -> Versions {
    Versions { tls10: Refused, tls11: Refused, tls12: Refused, tls13: Refused }
}

fn unseen() -> Versions {
    Versions { tls10: Unknown, tls11: Unknown, tls12: Unknown, tls13: Unknown }
}

fn found(seen: &TlsObservation, now: Timestamp) -> (Status, String, u32, Option<Cap>) {
    let (check, cap) = tls(seen, &DomainName::parse(NAME).unwrap(), now, ModelVersion::V1);
    // Nothing is known to be wrong with what was not seen.
    let is_only_unseen = TlsFault::ALL.iter().any(|fault| fault.is_unseen() && fault.code() == check.reason);
    let needs_remedy = matches!(check.status, Status::Warn | Status::Fail) && !is_only_unseen;
    assert_eq!(check.remedy.is_some(), needs_remedy, "{check:?}");
    (check.status, check.reason.into_owned(), check.points.as_hundredths(), cap)
}

fn warned(seen: &TlsObservation) -> (String, u32) {
    let (status, reason, points, cap) = found(seen, now());
    assert_eq!((status, cap), (Status::Warn, None));
    (reason, points)
}

#[test]
fn a_good_server_earns_all_points() {
    assert_eq!(found(&good(), now()), (Status::Pass, "valid".into(), 2200, None));
}

#[test]
fn each_fault_takes_its_points_and_the_gravest_is_the_reason() {
    let old = Versions { tls10: Accepted, ..good().versions };
    assert_eq!(warned(&TlsObservation { versions: old, ..good() }), ("old_versions_accepted".into(), 1700));
    let unseen = Versions { tls11: Unknown, ..good().versions };
    assert_eq!(warned(&TlsObservation { versions: unseen, ..good() }), ("old_versions_unknown".into(), 1700));
    let both = Versions { tls10: Unknown, tls11: Accepted, ..good().versions };
    assert_eq!(warned(&TlsObservation { versions: both, ..good() }), ("old_versions_accepted".into(), 1700));
    let no_13 = Versions { tls13: Refused, ..good().versions };
    assert_eq!(warned(&TlsObservation { versions: no_13, ..good() }), ("no_tls13".into(), 2100));
    let one = Scts { embedded: 2, in_handshake: Some(0), logs: 1 };
    assert_eq!(warned(&TlsObservation { scts: one, ..good() }), ("few_scts".into(), 2000));
    let old_and_few = TlsObservation { scts: one, versions: Versions { tls13: Refused, ..old }, ..good() };
    assert_eq!(warned(&old_and_few), ("old_versions_accepted".into(), 1400));
    let (check, _) = tls(&old_and_few, &DomainName::parse(NAME).unwrap(), now(), ModelVersion::V1);
    assert_eq!(check.evidence["reasons"], json!(["old_versions_accepted", "few_scts", "no_tls13"]));
    let remedy = check.remedy.unwrap();
    assert_eq!(remedy.matches("ssl_protocols").count(), 1, "{remedy}");
}

#[test]
fn what_was_not_seen_earns_nothing_and_counts_as_unseen() {
    let unseen = |seen: &TlsObservation| {
        let (check, _) = tls(seen, &DomainName::parse(NAME).unwrap(), now(), ModelVersion::V1);
        (check.status, check.reason.into_owned(), check.points.as_hundredths(), check.unseen.as_hundredths())
    };
    let half = Versions { tls10: Unknown, ..good().versions };
    let expected = |reason: &str, points, unseen| (Status::Warn, reason.to_owned(), points, unseen);
    let versions = TlsObservation { versions: half, ..good() };
    assert_eq!(unseen(&versions), expected("old_versions_unknown", 1700, 500));
    // A server that takes nothing but TLS 1.3 showed no timestamps to who asked for 1.2.
    let only_13 = Scts { embedded: 1, in_handshake: None, logs: 1 };
    assert_eq!(unseen(&TlsObservation { scts: only_13, ..good() }), expected("scts_unknown", 2000, 200));
    let few = Scts { in_handshake: Some(0), ..only_13 };
    assert_eq!(unseen(&TlsObservation { scts: few, ..good() }), expected("few_scts", 2000, 0));
    assert_eq!(
        unseen(&TlsObservation { scts: few, ocsp_stapled: true, ..good() }),
        expected("scts_unknown", 2000, 200)
    );
    let enough = Scts { embedded: 2, in_handshake: None, logs: 2 };
    assert_eq!(unseen(&TlsObservation { scts: enough, ..good() }).3, 0);
    let cut_off = TlsObservation {
        outcome: HandshakeOutcome::Closed,
        versions: Versions { tls13: Unknown, ..good().versions },
        ..good()
    };
    assert_eq!(unseen(&cut_off), expected("tls13_unknown", 2100, 100));
    // What is lost is lost whatever was not seen beside it.
    let old = TlsObservation { versions: Versions { tls13: Refused, ..half }, scts: few, ..good() };
    assert_eq!(unseen(&old), expected("old_versions_unknown", 1400, 500));
    assert_eq!(left(&TlsFault::ALL), (Points::ZERO, Points::ZERO), "nothing is left to be seen");
}

#[test]
fn logs_are_asked_of_publicly_trusted_certificates_only() {
    let trust = good().trust.map(|trust| ChainTrust { is_public: false, ..trust });
    let own = TlsObservation { scts: Scts::default(), trust, ..good() };
    assert_eq!(found(&own, now()), (Status::Pass, "valid".into(), 2200, None));
}

#[test]
fn the_days_that_are_left_at_the_time_of_finding_decide() {
    let seen = good();
    let days = |text| {
        let (_, reason, points, cap) = found(&seen, at(text));
        (reason, points, cap)
    };
    assert_eq!(days("2026-12-17T00:00:00.000Z"), ("valid".into(), 2200, None));
    assert_eq!(days("2026-12-17T00:00:00.001Z"), ("expires_within_weeks".into(), 1800, None));
    assert_eq!(days("2026-12-28T00:00:00.000Z"), ("expires_within_weeks".into(), 1800, None));
    assert_eq!(days("2026-12-28T00:00:00.001Z"), ("expires_within_days".into(), 1400, None));
    assert_eq!(days("2026-12-31T00:00:00.000Z"), ("expires_within_days".into(), 1400, None));
    let expired = ("certificate_expired".into(), 0, Some(Cap::InvalidCertificate));
    assert_eq!(days("2026-12-31T00:00:00.001Z"), expired);
}

#[test]
fn a_certificate_that_does_not_hold_fails_and_caps() {
    for (verification, reason) in [
        (Verification::Expired, "certificate_expired"),
        (Verification::NotYetValid, "certificate_not_yet_valid"),
        (Verification::WrongHost, "certificate_wrong_host"),
        (Verification::UnknownIssuer, "certificate_self_signed"),
        (Verification::BadSignature, "certificate_bad_signature"),
        (Verification::Other, "certificate_invalid"),
    ] {
        let trust = ChainTrust { verification, is_public: false, key_is_proven: true };
        let seen = TlsObservation { trust: Some(trust), ..good() };
        let (check, cap) = tls(&seen, &DomainName::parse(NAME).unwrap(), now(), ModelVersion::V1);
        assert_eq!(
            (check.status, &*check.reason, cap),
            (Status::Fail, reason, Some(Cap::InvalidCertificate))
        );
    }
}

#[test]
fn an_unknown_issuer_is_told_by_the_certificates_that_came() {
    let key = || KeyPair::generate().unwrap();
    let authority = |name: &str| {
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
    };
    let root = CertifiedIssuer::self_signed(authority("Root"), key()).unwrap();
    let leaf_key = key();
    let leaf = CertificateParams::new([NAME.to_owned()]).unwrap().signed_by(&leaf_key, &root).unwrap();
    let own_authority = authority(NAME).self_signed(&key()).unwrap();
    for (chain, reason) in [
        (vec![leaf.der().to_vec()], "certificate_unknown_issuer"),
        (vec![leaf.der().to_vec(), root.der().to_vec()], "certificate_untrusted_root"),
        (vec![certificate()], "certificate_self_signed"),
        (vec![own_authority.der().to_vec()], "certificate_self_signed"),
    ] {
        let trust =
            ChainTrust { verification: Verification::UnknownIssuer, is_public: false, key_is_proven: true };
        let mut seen = TlsObservation { trust: Some(trust), chain: Vec::new(), ..good() };
        seen.keep(&chain);
        assert_eq!(found(&seen, now()), (Status::Fail, reason.to_owned(), 0, Some(Cap::InvalidCertificate)));
    }
}

#[test]
fn a_key_that_was_not_proven_is_never_good() {
    let trust = good().trust.map(|trust| ChainTrust { key_is_proven: false, ..trust });
    let impostor = TlsObservation { trust, ..good() };
    let fails = (Status::Fail, "key_not_proven".into(), 0, Some(Cap::InvalidCertificate));
    assert_eq!(found(&impostor, now()), fails);
    let cut_off = TlsObservation { outcome: HandshakeOutcome::Closed, ..impostor };
    assert_eq!(found(&cut_off, now()), (Status::Unknown, "closed".into(), 0, None));
    let mutual = TlsObservation { outcome: HandshakeOutcome::Alert, alert: Some(40), ..good() };
    assert_eq!(
        found(&mutual, now()).0,
        Status::Pass,
        "a server that goes on to ask for the client's certificate"
    );
}

#[test]
fn no_https_for_sure_fails_and_caps() {
    for (outcome, reason) in [
        (HandshakeOutcome::NoAddress, "no_address"),
        (HandshakeOutcome::ConnectionRefused, "connection_refused"),
        (HandshakeOutcome::NotTls, "not_tls"),
    ] {
        let fails = (Status::Fail, reason.to_owned(), 0, Some(Cap::NoHttps));
        assert_eq!(found(&ended(outcome, None, unseen()), now()), fails);
    }
    let refused = ended(HandshakeOutcome::Alert, Some(112), none());
    assert_eq!(found(&refused, now()), (Status::Fail, "tls_refused".into(), 0, Some(Cap::NoHttps)));
}

#[test]
fn what_could_not_be_seen_is_unknown() {
    use HandshakeOutcome::*;
    for outcome in
        [DnsFailed, Denied, Busy, Unreachable, TimedOut, NeverSpoke, Closed, Alert, Incompatible, Broken]
    {
        let unknown = (Status::Unknown, outcome.code().to_owned(), 0, None);
        assert_eq!(found(&ended(outcome, None, unseen()), now()), unknown);
        assert_eq!(json!(outcome), outcome.code());
    }
    let fault = ended(Alert, Some(80), none());
    assert_eq!(found(&fault, now()).1, "alert", "an internal error may pass");
    let half = Versions { tls10: Unknown, ..none() };
    assert_eq!(found(&ended(Alert, Some(112), half), now()).1, "alert", "TLS 1.0 might be taken");
    for chain in [vec![], vec!["no base64".to_owned()], vec!["AAAA".to_owned()]] {
        let unreadable = TlsObservation { chain, ..good() };
        assert_eq!(found(&unreadable, now()), (Status::Unknown, "certificate_unreadable".into(), 0, None));
    }
}

#[test]
fn a_look_is_whole_where_nothing_more_is_to_be_seen() {
    assert!(good().is_whole() && ended(HandshakeOutcome::NoAddress, None, unseen()).is_whole());
    assert!(ended(HandshakeOutcome::Alert, Some(112), none()).is_whole());
    let half = Versions { tls11: Unknown, ..good().versions };
    assert!(!TlsObservation { versions: half, ..good() }.is_whole());
    assert!(!ended(HandshakeOutcome::TimedOut, None, unseen()).is_whole());
}

#[test]
fn only_old_versions_or_ciphers_fail() {
    let old = Versions { tls10: Accepted, ..none() };
    for outcome in [HandshakeOutcome::Alert, HandshakeOutcome::Incompatible] {
        let only = found(&ended(outcome, Some(70), old), now());
        assert_eq!(only, (Status::Fail, "old_versions_only".into(), 0, None));
    }
    let ciphers = ended(HandshakeOutcome::Alert, Some(40), Versions { tls12: Accepted, ..none() });
    assert_eq!(found(&ciphers, now()), (Status::Fail, "old_ciphers_only".into(), 0, None));
}

#[test]
fn the_evidence_is_stored_and_found_from_again() {
    let seen = good();
    let text = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<TlsObservation>(&text).unwrap(), seen);
    let (check, _) = tls(&seen, &DomainName::parse(NAME).unwrap(), now(), ModelVersion::V1);
    let certificate = &check.evidence["certificate"];
    assert_eq!(certificate["names"], json!([NAME]));
    assert_eq!(certificate["key"], json!({"kind": "ec", "bits": 256}));
    assert_eq!(certificate["not_after"], "2026-12-31T00:00:00.000Z");
    assert_eq!(check.evidence["days_left"], 39);
}

#[test]
fn the_faults_leave_points_even_together() {
    let taken: Points = TlsFault::ALL.iter().map(|fault| fault.deduction()).sum();
    assert!(taken > CheckId::Tls.weight(), "or this would prove nothing");
    assert_eq!(left(&TlsFault::ALL).0, Points::ZERO);
}

/// A server whose certificate lives from one date to another.
fn valid(from: (i32, u8, u8), to: (i32, u8, u8)) -> TlsObservation {
    let mut params = CertificateParams::new([NAME.to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(from.0, from.1, from.2);
    params.not_after = rcgen::date_time_ymd(to.0, to.1, to.2);
    let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
    let mut seen = TlsObservation { scts: Scts { embedded: 3, in_handshake: Some(0), logs: 3 }, ..good() };
    seen.keep(&[certificate.der().to_vec()]);
    seen
}

fn reasons(seen: &TlsObservation, now: Timestamp, model: ModelVersion) -> String {
    let (check, _) = tls(seen, &DomainName::parse(NAME).unwrap(), now, model);
    let reasons = check.evidence["reasons"].as_array().unwrap().clone();
    reasons.iter().map(|reason| reason.as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_time_left_is_held_against_the_lifetime() {
    let short = valid((2026, 11, 18), (2026, 11, 24));
    let first = ModelVersion::V1;
    for (at_time, under_first, under_second) in [
        ("2026-11-21T00:00:00.000Z", "expires_within_weeks", "valid"),
        ("2026-11-22T00:00:00.000Z", "expires_within_days", "valid"),
        ("2026-11-23T00:00:00.001Z", "expires_within_days", "expires_within_weeks"),
        ("2026-11-23T12:00:00.001Z", "expires_within_days", "expires_within_days"),
    ] {
        assert_eq!(reasons(&short, at(at_time), first), under_first, "{at_time}");
        assert_eq!(reasons(&short, at(at_time), ModelVersion::V2), under_second, "{at_time}");
    }
    // 90 days: no later than the days of before.
    let usual = valid((2026, 10, 2), (2026, 12, 31));
    assert_eq!(reasons(&usual, at("2026-12-17T00:00:00.000Z"), ModelVersion::V2), "valid");
    assert_eq!(reasons(&usual, at("2026-12-17T00:00:00.001Z"), ModelVersion::V2), "expires_within_weeks");
    assert_eq!(reasons(&usual, at("2026-12-28T00:00:00.001Z"), ModelVersion::V2), "expires_within_days");
}

#[test]
fn a_lifetime_beyond_the_authorities_own_rule_is_a_fault_of_public_certificates() {
    let of = |from, to| reasons(&valid(from, to), now(), ModelVersion::V2);
    assert_eq!(of((2026, 3, 14), (2027, 4, 1)), "valid", "issued before the rule");
    assert_eq!(of((2026, 11, 14), (2027, 12, 17)), "too_long_lived");
    assert_eq!(of((2026, 11, 14), (2027, 6, 2)), "valid", "200 days");
    assert_eq!(of((2027, 3, 15), (2027, 6, 24)), "too_long_lived", "101 days");
    let private = valid((2026, 11, 14), (2027, 12, 17));
    let trust = private.trust.map(|trust| ChainTrust { is_public: false, ..trust });
    assert_eq!(reasons(&TlsObservation { trust, ..private.clone() }, now(), ModelVersion::V2), "valid");
    assert_eq!(reasons(&private, now(), ModelVersion::V1), "valid");
}

#[test]
fn a_long_lived_certificate_needs_the_timestamps_of_three_logs() {
    let two = Scts { embedded: 2, in_handshake: Some(0), logs: 2 };
    let long = TlsObservation { scts: two, ..valid((2026, 11, 14), (2027, 6, 1)) };
    let short = TlsObservation { scts: two, ..valid((2026, 11, 14), (2027, 5, 1)) };
    assert_eq!(reasons(&long, now(), ModelVersion::V2), "few_scts");
    assert_eq!(
        [reasons(&short, now(), ModelVersion::V2), reasons(&long, now(), ModelVersion::V1)],
        ["valid", "valid"]
    );
}

#[test]
fn a_name_without_an_address_needs_no_certificate() {
    let nowhere = ended(HandshakeOutcome::NoAddress, None, unseen());
    let (check, cap) = tls(&nowhere, &DomainName::parse(NAME).unwrap(), now(), ModelVersion::V2);
    assert_eq!((check.status, &*check.reason, cap), (Status::NotApplicable, "no_address", None));
}

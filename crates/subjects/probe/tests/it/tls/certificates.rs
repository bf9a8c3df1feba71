//! What is read from certificates, of whatever kind.

use probe::tls::{
    CertificateFacts, CertificateKey, KeyAlgorithm, SubjectValidation, Verification, sct_logs, verify,
};
use proptest::prelude::*;
use rcgen::{
    CertificateParams, CustomExtension, KeyPair, PKCS_ECDSA_P384_SHA384, PKCS_ED25519, SanType, date_time_ymd,
};

use super::support::{Authority, HOST, host, leaf, now};

/// The extension of embedded timestamps (RFC 6962 section 3.3).
const SCT_LIST: &[u64] = &[1, 3, 6, 1, 4, 1, 11129, 2, 4, 2];

/// A list of timestamps, one from each of these logs, as it stands in a TLS extension.
fn list(logs: &[u8]) -> Vec<u8> {
    let scts = logs.iter().flat_map(|log| {
        let sct = [&[0][..], &[*log; 32], &[0; 8], &[0, 0], &[4, 3, 0, 2, 5, 5]].concat();
        [&u16::try_from(sct.len()).unwrap().to_be_bytes()[..], &sct].concat()
    });
    let scts: Vec<u8> = scts.collect();
    [&u16::try_from(scts.len()).unwrap().to_be_bytes()[..], &scts].concat()
}

fn signed(params: CertificateParams, key: &KeyPair) -> Vec<u8> {
    params.self_signed(key).unwrap().der().to_vec()
}

/// The same as an extension of a certificate.
fn scts(logs: &[u8]) -> CustomExtension {
    let list = list(logs);
    let octets = [&[4, 0x81, u8::try_from(list.len()).unwrap()][..], &list].concat();
    CustomExtension::from_oid_content(SCT_LIST, octets)
}

#[test]
fn names_times_and_issuer_are_read() {
    let authority = Authority::root();
    let der = authority.issue(&KeyPair::generate().unwrap(), |params| {
        params.subject_alt_names.push(SanType::IpAddress("192.0.2.1".parse().unwrap()));
        params.subject_alt_names.push(SanType::IpAddress("2001:db8::1".parse().unwrap()));
        params.subject_alt_names.push(SanType::Rfc822Name("no-host@example.com".try_into().unwrap()));
    });
    let facts = CertificateFacts::read(&der).unwrap();
    assert_eq!(facts.names, [HOST, "192.0.2.1", "2001:db8::1"]);
    assert_eq!((&*facts.subject, &*facts.issuer), (&*format!("CN={HOST}"), "CN=Root"));
    assert_eq!(facts.not_after, "2027-11-21T00:00:00.000Z".parse().unwrap());
    assert_eq!((facts.signature_algorithm.as_str(), facts.has_broken_hash), ("ecdsa-with-SHA256", false));
    assert!(!facts.is_self_issued && CertificateFacts::read(authority.der()).unwrap().is_self_issued);
}

/// The extension of certificate policies (RFC 5280 section 4.2.1.4), with these of the CA/Browser Forum.
fn policies(policies: &[&[u8]]) -> CustomExtension {
    let tlv = |tag: u8, content: &[u8]| [&[tag, u8::try_from(content.len()).unwrap()][..], content].concat();
    let policies = policies.iter().map(|arcs| tlv(0x30, &tlv(6, &[&[0x67, 0x81, 0x0C][..], arcs].concat())));
    let policies: Vec<u8> = policies.flatten().collect();
    CustomExtension::from_oid_content(&[2, 5, 29, 32], tlv(0x30, &policies))
}

#[test]
fn an_organisation_is_validated_only_where_the_policy_says_so() {
    let read = |stated: &[&[u8]]| {
        let mut params = leaf();
        params.distinguished_name.push(rcgen::DnType::OrganizationName, "Shop Ltd");
        if !stated.is_empty() {
            params.custom_extensions.push(policies(stated));
        }
        let facts = CertificateFacts::read(&signed(params, &KeyPair::generate().unwrap())).unwrap();
        assert_eq!(facts.organization.as_deref(), Some("Shop Ltd"));
        facts.validation
    };
    let (domain, organization, person, extended) =
        (&[1, 2, 1][..], &[1, 2, 2][..], &[1, 2, 3][..], &[1, 1][..]);
    assert_eq!(read(&[]), None);
    assert_eq!(read(&[&[1, 9]]), None);
    assert_eq!(read(&[domain]), Some(SubjectValidation::Domain));
    assert_eq!(read(&[person]), Some(SubjectValidation::Individual));
    assert_eq!(read(&[&[1, 9], organization]), Some(SubjectValidation::Organization));
    assert_eq!(read(&[extended]), Some(SubjectValidation::Extended));
    assert_eq!(read(&[extended, domain]), Some(SubjectValidation::Domain), "the least of both");
    let bare = CertificateFacts::read(&signed(leaf(), &KeyPair::generate().unwrap())).unwrap();
    assert_eq!(bare.organization, None);
    assert!(
        SubjectValidation::Extended.is_of_organization() && !SubjectValidation::Domain.is_of_organization()
    );
}

#[test]
fn the_lifetime_counts_both_ends() {
    let days = |before, after| {
        let mut params = leaf();
        (params.not_before, params.not_after) = (before, after);
        CertificateFacts::read(&signed(params, &KeyPair::generate().unwrap())).unwrap().lifetime_days()
    };
    let start = date_time_ymd(2026, 1, 1);
    let second = std::time::Duration::from_secs(1);
    assert_eq!(days(start, date_time_ymd(2026, 4, 1) - second), 90);
    assert_eq!(days(start, date_time_ymd(2026, 4, 1)), 91, "a second more");
    assert_eq!(days(start, date_time_ymd(2026, 1, 7) + second * 3600), 7);
    assert!(days(start, date_time_ymd(2025, 1, 1)) <= 0);
}

#[test]
fn keys_are_told_apart_by_kind_and_size() {
    let key = |pair: &KeyPair| CertificateFacts::read(&signed(leaf(), pair)).unwrap().key;
    assert_eq!(key(&KeyPair::generate().unwrap()), CertificateKey { kind: KeyAlgorithm::Ec, bits: 256 });
    let p384 = KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384).unwrap();
    assert_eq!(key(&p384), CertificateKey { kind: KeyAlgorithm::Ec, bits: 384 });
    let ed25519 = KeyPair::generate_for(&PKCS_ED25519).unwrap();
    assert_eq!(key(&ed25519), CertificateKey { kind: KeyAlgorithm::Eddsa, bits: 256 });
}

#[test]
fn timestamps_are_counted_by_log() {
    let mut params = leaf();
    params.custom_extensions.push(scts(&[1, 2, 2]));
    let facts = CertificateFacts::read(&signed(params, &KeyPair::generate().unwrap())).unwrap();
    assert_eq!(facts.sct_logs, [[1; 32], [2; 32], [2; 32]]);
    assert_eq!(sct_logs(&list(&[3, 4])), [[3; 32], [4; 32]]);
    assert!(
        sct_logs(&list(&[3, 4])[1..]).is_empty() && sct_logs(&[]).is_empty() && sct_logs(&[0, 0]).is_empty()
    );
}

#[test]
fn control_characters_and_years_that_no_one_sees_are_held_within_bounds() {
    let mut params = leaf();
    params.distinguished_name.push(rcgen::DnType::OrganizationName, "a\u{7}b\u{202e}".repeat(200));
    params.not_before = date_time_ymd(1950, 1, 1);
    params.not_after = date_time_ymd(9999, 12, 31);
    let facts = CertificateFacts::read(&signed(params, &KeyPair::generate().unwrap())).unwrap();
    assert!(facts.subject.chars().count() <= 256 && !facts.subject.contains('\u{7}'));
    assert_eq!((facts.not_before, facts.not_after), (receipt::Timestamp::EPOCH, receipt::Timestamp::MAX));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(CertificateFacts::read(&bytes).is_none());
        let _logs = sct_logs(&bytes);
        let _verdict = verify(&[&bytes[..], &bytes], &host(), &Authority::root().roots(), now());
    }

    /// A certificate with some bytes changed, cut short, or with more behind it: it never holds, unless it is the same.
    #[test]
    fn no_damaged_certificate_holds_or_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        more in prop::collection::vec(any::<u8>(), 0..3),
    ) {
        let authority = Authority::root();
        let sound = authority.issue(&KeyPair::generate().unwrap(), |params| {
            params.custom_extensions.push(scts(&[1, 2]));
        });
        let mut der = sound.to_vec();
        for (at, byte) in changes {
            let at = at.index(der.len());
            der[at] = byte;
        }
        if let Some(cut) = cut {
            der.truncate(cut.index(der.len()));
        }
        der.extend(&more);
        if let Some(facts) = CertificateFacts::read(&der) {
            prop_assert!(facts.names.iter().all(|name| name.chars().count() <= 256));
        }
        let holds = verify(&[&der], &host(), &authority.roots(), now()) == Verification::Valid;
        prop_assert_eq!(holds, der == *sound);
    }
}

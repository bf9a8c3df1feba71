//! The answers of delv and unbound about the zones.

use peers::lab::proto::op::ResponseCode;
use peers::lab::proto::rr::{RData, RecordType};
use peers::lab::{Lab, Site, Zone, ask, ask_unchecked, extended_errors};

use crate::UNTESTED;

/// Of RFC 8914.
const BOGUS: u16 = 6;
const SIGNATURE_EXPIRED: u16 = 7;
const DNSKEY_MISSING: u16 = 9;

#[test]
fn delv_sees_what_is_signed_plain_bogus_and_broken() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    for (name, verdict) in [
        ("signed.test", "fully validated"),
        ("perfect.test", "fully validated"),
        ("good.test", "fully validated"),
        ("plain.test", "unsigned answer"),
        ("plain.signed.test", "unsigned answer"),
        ("algorithm.test", "unsigned answer"),
        ("bogus.test", "broken trust chain"),
        ("broken.test", "insecurity proof failed"),
        ("lapsed.test", "RRSIG has expired"),
    ] {
        let said = lab.delv(name, "A");
        assert!(said.contains(verdict), "{name}: {said}");
    }
}

#[test]
fn unbound_vouches_for_what_is_signed_alone_and_serves_nothing_bogus() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    for (name, code, is_authentic, errors) in [
        ("signed.test", ResponseCode::NoError, true, &[][..]),
        ("perfect.test", ResponseCode::NoError, true, &[]),
        ("plain.test", ResponseCode::NoError, false, &[]),
        ("plain.signed.test", ResponseCode::NoError, false, &[]),
        ("algorithm.test", ResponseCode::NoError, false, &[]),
        ("bogus.test", ResponseCode::ServFail, false, &[DNSKEY_MISSING, BOGUS]),
        ("broken.test", ResponseCode::ServFail, false, &[DNSKEY_MISSING, BOGUS]),
        ("lapsed.test", ResponseCode::ServFail, false, &[SIGNATURE_EXPIRED, BOGUS]),
        ("no-such.test", ResponseCode::NXDomain, true, &[]),
    ] {
        let answer = ask(lab.resolver, name, RecordType::A).unwrap();
        assert_eq!(answer.metadata.response_code, code, "{name}");
        assert_eq!(answer.metadata.authentic_data, is_authentic, "{name}");
        // Once it has noted a name as bogus, because another test asked first, it may leave out the reason.
        let told = extended_errors(&answer);
        assert_eq!(told.len(), usize::from(!errors.is_empty()), "{name}: {told:?}");
        assert!(told.iter().all(|error| errors.contains(error)), "{name}: {told:?}");
    }
}

#[test]
fn who_does_not_want_a_check_gets_the_bogus_answer() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    for name in ["bogus.test", "broken.test", "lapsed.test"] {
        let answer = ask_unchecked(lab.resolver, name, RecordType::A).unwrap();
        assert_eq!(answer.metadata.response_code, ResponseCode::NoError, "{name}");
        assert!(answer.answers.iter().any(|record| record.data.to_string() == "127.0.0.1"), "{name}");
    }
}

#[test]
fn a_failure_is_a_failure_and_no_verdict_on_signatures() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    for (name, kind) in [
        ("lame.test", RecordType::A),
        ("truncated.test", RecordType::A),
        ("caa-servfail.test", RecordType::CAA),
        ("loop.test", RecordType::A),
        ("long-chain.test", RecordType::A),
    ] {
        let answer = ask(lab.resolver, name, kind).unwrap();
        assert_eq!(answer.metadata.response_code, ResponseCode::ServFail, "{name}");
        let is_of_dnssec = |code: &u16| (5..=12).contains(code);
        assert!(!extended_errors(&answer).iter().any(is_of_dnssec), "{name}");
    }
    let answer = ask(lab.resolver, "caa-servfail.test", RecordType::A).unwrap();
    assert_eq!(answer.metadata.response_code, ResponseCode::NoError);
}

#[test]
fn the_liars_lie_to_who_asks_them() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    let answer = ask(lab.liars.refused.address(), "good.test", RecordType::A).unwrap();
    assert_eq!(answer.metadata.response_code, ResponseCode::Refused);
    let answer = ask(lab.liars.other_name.address(), "good.test", RecordType::A).unwrap();
    assert_eq!(answer.answers[0].name.to_string(), "elsewhere.test.");
    // It is truncated, and there is no TCP.
    let error = ask(lab.liars.truncated.address(), "good.test", RecordType::A).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[test]
fn the_records_are_there() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    for (name, kind, count) in [
        ("perfect.test", RecordType::NS, 2),
        ("perfect.test", RecordType::AAAA, 1),
        ("perfect.test", RecordType::CAA, 3),
        ("perfect.test", RecordType::MX, 1),
        ("_443._tcp.perfect.test", RecordType::TLSA, 1),
        ("_25._tcp.mail.perfect.test", RecordType::TLSA, 1),
        ("_mta-sts.perfect.test", RecordType::TXT, 1),
        ("mta-sts.perfect.test", RecordType::A, 1),
        ("_smtp._tls.perfect.test", RecordType::TXT, 1),
        ("_dmarc.perfect.test", RecordType::TXT, 1),
        ("nomail.test", RecordType::MX, 1),
        ("nomail.test", RecordType::TXT, 1),
        ("spf-two.test", RecordType::TXT, 2),
        ("i11.spf-many.test", RecordType::TXT, 1),
        ("_dmarc.dmarc-two.test", RecordType::TXT, 2),
        ("caa-critical.test", RecordType::CAA, 1),
        ("deep.below.caa-nobody.test", RecordType::CAA, 0),
        ("chain.test", RecordType::A, 1),
        ("any.wild.test", RecordType::A, 1),
        ("many-texts.test", RecordType::TXT, 401),
    ] {
        let answer = ask(lab.resolver, name, kind).unwrap();
        let found = answer.answers.iter().filter(|record| record.record_type() == kind).count();
        assert_eq!(found, count, "{name} {kind}");
    }
}

#[test]
fn a_text_fills_an_answer() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    let answer = ask(lab.resolver, "long-text.test", RecordType::TXT).unwrap();
    let lengths = answer.answers.iter().filter_map(|record| match &record.data {
        RData::TXT(text) => Some(text.txt_data.iter().map(|part| part.len()).sum::<usize>()),
        _ => None,
    });
    assert!(lengths.sum::<usize>() > 60_000);
}

#[test]
fn a_test_adds_zones_and_sites_of_its_own() {
    let zones = [
        Zone::signed("own.test").with(r#"@ TXT "v=spf1 -all""#),
        Zone::plain("below.own.test").with("@ A 127.0.0.1"),
        Zone::bogus("worse.own.test").with("@ A 127.0.0.1"),
    ];
    // Enough that no table of a server's is too small; and one that stands in for the lab's own.
    let many = (0..200).fold(Site::new("d.test"), |site, index| site.also(&format!("d{index}.test")));
    let sites = [Site::new("www.own.test"), many, Site::new("good.test").also("d.good.test")];
    let Some(lab) = Lab::start_with(UNTESTED, &zones, &sites) else { return };
    for (name, kind, verdict) in [
        ("own.test", "TXT", "fully validated"),
        ("www.own.test", "A", "fully validated"),
        ("below.own.test", "A", "unsigned answer"),
        ("worse.own.test", "A", "broken trust chain"),
        ("d199.test", "A", "fully validated"),
        ("d.good.test", "A", "fully validated"),
    ] {
        let said = lab.delv(name, kind);
        assert!(said.contains(verdict), "{name}: {said}");
    }
}

//! Whatever the bytes, the evaluators come to an end.

use std::net::IpAddr;

use dns::{Caa, Exchange, Failure, Mx, Name, Record, Zone};
use mail_records::caa::{IssuanceRequest, Property, check};
use mail_records::dmarc::discover;
use mail_records::spf::{MAX_LOOK_UPS, MAX_VOID_LOOK_UPS, Session, SpfResult, assess, check_host, select};
use proptest::prelude::*;
use receipt::Timestamp;

use crate::{at_once, name};

/// Few names, so that records refer to each other.
fn owner() -> impl Strategy<Value = Name> {
    prop_oneof![
        Just("example.com"),
        Just("a.example.com"),
        Just("b.example.com"),
        Just("_dmarc.example.com"),
        Just("_dmarc.com"),
        Just("1.2.0.192.in-addr.arpa"),
    ]
    .prop_map(name)
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let spf = r"v=spf1( ([-+?~]?(a|mx|ptr|include|exists|all|ip4|ip6|redirect=|exp=)([:/=][ab.%{}1-9a-z/-]{0,12})?|[!-~]{0,9})){0,9}";
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        spf.prop_map(String::into_bytes),
        r"v=DMARC1(;[ \t]?[a-z]{1,5}=[ -~]{0,20}){0,6}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "v=spf1 include:a.example.com include:b.example.com exp=%{p}.example.com -all",
            "v=spf1 a:%{p}.%{ir}.%{d1r} mx ptr redirect=b.example.com",
            "v=spf1 exists:%{l4r+-}._%{O2}.%{H}.example.com a//64 -all",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ]
}

fn exchange() -> impl Strategy<Value = Exchange> {
    prop_oneof![Just(Exchange::Root), Just(Exchange::Unusable), owner().prop_map(Exchange::Host)]
}

fn record() -> impl Strategy<Value = Record> {
    prop_oneof![
        6 => text().prop_map(Record::Txt),
        1 => any::<[u8; 4]>().prop_map(|octets| Record::A(octets.into())),
        1 => Just(Record::A([192, 0, 2, 1].into())),
        1 => any::<[u8; 16]>().prop_map(|octets| Record::Aaaa(octets.into())),
        1 => (any::<u16>(), exchange()).prop_map(|(preference, exchange)| Record::Mx(Mx { preference, exchange })),
        1 => owner().prop_map(Record::Ptr),
        2 => (any::<u8>(), prop::sample::select(vec!["issue", "issuewild", "iodef", "x"]), prop::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(flags, tag, value)| Record::Caa(Caa { flags, tag: tag.as_bytes().to_vec(), value })),
    ]
}

fn zone() -> impl Strategy<Value = Zone> {
    let records = prop::collection::vec((owner(), record()), 0..16);
    let failures = prop::collection::vec(owner(), 0..2);
    let aliases = prop::collection::vec((owner(), owner()), 0..2);
    (records, failures, aliases).prop_map(|(records, failures, aliases)| {
        let mut zone = Zone::default();
        for (owner, record) in records {
            zone.add(&owner, record);
        }
        for owner in failures {
            zone.fail(&owner, Failure::ServFail);
        }
        for (owner, target) in aliases {
            zone.alias(&owner, target);
        }
        zone
    })
}

proptest! {
    #[test]
    fn a_check_of_any_zone_ends_within_its_limits(
        zone in zone(),
        ip in prop_oneof![Just(IpAddr::from([192, 0, 2, 1])), any::<IpAddr>()],
        mail_from in r"[\PC@.]{0,20}(@example\.com)?",
        helo in r"\PC{0,20}",
    ) {
        let session = Session { ip, helo: &helo, mail_from: &mail_from, receiver: "", at: 0 };
        let checked = at_once(check_host(&zone, &session));
        prop_assert!(checked.look_ups <= MAX_LOOK_UPS + 1);
        prop_assert!(checked.void_look_ups <= MAX_VOID_LOOK_UPS + 1);
        let error = matches!(checked.result, SpfResult::TempError | SpfResult::PermError);
        prop_assert_eq!(error, checked.problem.is_some());
        prop_assert!(checked.explanation.is_none() || checked.result == SpfResult::Fail);
    }

    #[test]
    fn any_zone_is_assessed(zone in zone(), domain in owner()) {
        let _assessment = at_once(assess(&zone, &domain, Timestamp::EPOCH));
        let discovery = at_once(discover(&zone, &domain));
        prop_assert!(discovery.visits.len() <= mail_records::dmarc::MAX_QUERIES);
        let request = IssuanceRequest { domain: &domain, issuer: "ca.example", method: None, account_uri: None };
        let _checked = at_once(check(&zone, &request));
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), text in r"\PC{0,80}") {
        let spf = [b"v=spf1 ".to_vec(), bytes.clone()].concat();
        let _record = mail_records::spf::SpfRecord::parse(&spf);
        let _selected = select(std::slice::from_ref(&spf));
        let _record = mail_records::dmarc::DmarcRecord::read(&[b"v=DMARC1;".to_vec(), bytes.clone()].concat());
        let _property = Property::read(&Caa { flags: 0, tag: b"issue".to_vec(), value: bytes.clone() });
        let _property = Property::read(&Caa { flags: 255, tag: bytes.clone(), value: Vec::new() });
        let _uri = mail_records::dmarc::ReportUri::parse(&text);
        if let Ok(parsed) = Name::parse(&text) {
            prop_assert_eq!(Name::parse(parsed.as_str()), Ok(parsed));
        }
    }
}

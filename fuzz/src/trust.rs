//! Records of mail and of certificates: SPF, DMARC, CAA.

use std::net::IpAddr;

use dns::{Caa, Name, Record, Zone};
use futures_util::FutureExt as _;
use mail_records::caa::{CaaDecision, IssuanceRequest, Property, permits};
use mail_records::dmarc::{DmarcPolicy, DmarcRecord};
use mail_records::spf::{MAX_LOOK_UPS, MAX_WALKED, Session, assess, check_host};
use verdict::Timestamp;

use crate::split::{all, parts};

/// CAA: whatever a set says, it is decided, and no set without the issuer's name permits it. The parts are the method, the
/// account, and then a property each: its flags, a byte that is odd for wildcards, its value.
pub fn caa(data: &[u8]) -> bool {
    let [method, account, set] = parts(data);
    let text = |part| str::from_utf8(part).ok().filter(|text| !text.is_empty());
    let (method, account_uri) = (text(method), text(account));
    let set: Vec<(u8, bool, &[u8])> = all(set)
        .filter_map(|part| part.split_first_chunk())
        .map(|([flags, wild], value)| (*flags, wild % 2 == 1, value))
        .collect();
    let properties: Vec<Property> = set
        .iter()
        .map(|(flags, wild, value)| {
            let tag = if *wild { b"issuewild".as_slice() } else { b"issue" };
            Property::read(&Caa { flags: *flags, tag: tag.to_vec(), value: value.to_vec() })
        })
        .collect();
    let domain = Name::parse("*.example.com").expect("a name");
    let decision =
        permits(&properties, &IssuanceRequest { domain: &domain, issuer: "ca.example", method, account_uri });
    let named = |value: &[u8]| value.windows(10).any(|part| part.eq_ignore_ascii_case(b"ca.example"));
    if !set.is_empty() && !set.iter().any(|(_, _, value)| named(value)) {
        assert!(matches!(decision, CaaDecision::Refused(_)));
    }
    for (flags, _, tag) in &set {
        let _property = Property::read(&Caa { flags: *flags, tag: tag.to_vec(), value: Vec::new() });
    }
    !set.is_empty() && !matches!(decision, CaaDecision::Refused(_))
}

/// DMARC: any text is a record or none, and a record's policy is one that it says.
pub fn dmarc(data: &[u8]) -> bool {
    let mut accepted = false;
    for text in [data.to_vec(), [b"v=DMARC1;", data].concat()] {
        let Some(record) = DmarcRecord::read(&text) else { continue };
        let says = |word: &[u8]| text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
        for policy in [record.own_policy(), record.subdomain_policy(), record.nonexistent_policy()] {
            assert!(record.enforced(policy) <= policy);
            assert!(match policy {
                DmarcPolicy::None => true,
                DmarcPolicy::Quarantine => says(b"quarantine"),
                DmarcPolicy::Reject => says(b"reject"),
            });
        }
        accepted = true;
    }
    accepted
}

const OWNERS: [&str; 4] = ["example.com", "a.example.com", "b.example.com", "1.2.0.192.in-addr.arpa"];

/// SPF: whatever records say of each other, a check and an assessment end within their limits. The parts are the sender's
/// mailbox, its HELO and its address, and then a record each: a byte for the owner, and the text.
pub fn spf(data: &[u8]) -> bool {
    let [mail_from, helo, ip, records] = parts(data);
    let (Ok(mail_from), Ok(helo)) = (str::from_utf8(mail_from), str::from_utf8(helo)) else { return false };
    let mut zone = Zone::default();
    for (owner, text) in all(records).filter_map(<[u8]>::split_first) {
        let owner = OWNERS[usize::from(*owner) % OWNERS.len()];
        let text = [b"v=spf1 ", text].concat();
        zone.add(&Name::parse(owner).expect("a name"), Record::Txt(text));
    }
    let ip = str::from_utf8(ip).ok().and_then(|ip| ip.parse().ok());
    let ip = ip.unwrap_or(IpAddr::from([192, 0, 2, 1]));
    let mail_from = format!("{mail_from}@example.com");
    let session = Session { ip, helo, mail_from: &mail_from, receiver: "", at: 0 };
    let checked = check_host(&zone, &session).now_or_never().expect("zones in memory answer at once");
    assert!(checked.look_ups <= MAX_LOOK_UPS + 1);
    let domain = Name::parse("example.com").expect("a name");
    let assessed =
        assess(&zone, &domain, Timestamp::EPOCH).now_or_never().expect("zones in memory answer at once");
    assert!(assessed.visits.len() <= MAX_WALKED);
    true
}

//! The checks of the bonus group that the DNS alone answers.

use std::collections::BTreeSet;
use std::net::IpAddr;

use serde_json::json;

use super::{Check, CheckId, Partial, Points, Status};
use crate::dns::{Answer, Failure, Name, Tlsa};
use crate::records::{Addresses, Mail, Servers};

/// The usages that mail knows (RFC 7672, 3.1): a trust anchor, or the server's own certificate.
const DANE_USAGES: [u8; 2] = [2, 3];

const NOT_SIGNED: Partial = Partial { reason: "not_signed", points: Points::hundredths(50) };
const ONE_NETWORK: Partial = Partial { reason: "one_network", points: Points::hundredths(50) };

/// What earns some of the points of DANE.
pub(crate) const DANE_PARTIALS: &[Partial] = &[NOT_SIGNED];
/// What earns some of the points of the name servers.
pub(crate) const NAME_SERVERS_PARTIALS: &[Partial] = &[ONE_NETWORK];

/// TLS-RPT (RFC 8460): where failures are reported to.
#[must_use]
pub fn tls_rpt(texts: &Answer<Vec<u8>>, name: &Name, sends_mail: bool) -> Check {
    let remedy = format!("_smtp._tls.{name}. IN TXT \"v=TLSRPTv1; rua=mailto:tls-reports@{name}\"");
    let check = of_text(CheckId::TlsRpt, texts, "v=TLSRPTv1", sends_mail, remedy);
    // A record without an address asks for nothing (3).
    match check.evidence.as_str() {
        Some(record) if !record.contains("rua=") => {
            Check::fail(CheckId::TlsRpt, "no_address").with_evidence(check.evidence)
        }
        _ => check,
    }
}

/// BIMI, for information.
#[must_use]
pub fn bimi(texts: &Answer<Vec<u8>>, name: &Name, sends_mail: bool) -> Check {
    let remedy = format!("default._bimi.{name}. IN TXT \"v=BIMI1; l=https://{name}/logo.svg\"");
    of_text(CheckId::Bimi, texts, "v=BIMI1", sends_mail, remedy)
}

/// A record of which there must be one.
fn of_text(id: CheckId, texts: &Answer<Vec<u8>>, version: &str, sends_mail: bool, remedy: String) -> Check {
    if !sends_mail {
        return Check::not_applicable(id, "no_mail");
    }
    let records = match texts.clone().records() {
        Ok(records) => records,
        Err(failure) => return Check::unknown(id, failure.code()),
    };
    let own: Vec<String> = records
        .iter()
        .filter(|record| record.starts_with(version.as_bytes()))
        .map(|record| {
            String::from_utf8_lossy(record.get(..record.len().min(512)).unwrap_or_default()).into_owned()
        })
        .collect();
    match own.as_slice() {
        [] => Check::fail(id, "no_record").with_remedy(remedy),
        [one] => Check::pass(id, "published").with_evidence(json!(one)),
        _ => Check::fail(id, "several_records").with_evidence(json!(own)).with_remedy(remedy),
    }
}

/// DANE for mail (RFC 7672): a certificate in the DNS for every exchanger. Without DNSSEC it says nothing.
#[must_use]
pub fn dane(mail: &Mail, signed: Status, sends_mail: bool) -> Check {
    let id = CheckId::Dane;
    if !sends_mail {
        return Check::not_applicable(id, "no_mail");
    }
    if let Some(failure) = mail.exchangers.failure() {
        return Check::unknown(id, failure.code());
    }
    if mail.certificates.is_empty() {
        return Check::fail(id, "no_exchanger");
    }
    let is_usable = |tlsa: &Tlsa| DANE_USAGES.contains(&tlsa.usage);
    let mut has_all = true;
    let mut failed: Option<Failure> = None;
    let mut shown = Vec::new();
    for (host, answer) in &mail.certificates {
        let records = match answer {
            Answer::Found { records, .. } => records.iter().filter(|tlsa| is_usable(tlsa)).count(),
            Answer::NoData | Answer::NxDomain => 0,
            Answer::Failed(failure) => {
                failed = Some(*failure);
                continue;
            }
        };
        has_all &= records > 0;
        shown.push(json!({ "exchanger": host, "records": records }));
    }
    let check = match failed {
        _ if !has_all => Check::fail(id, "missing").with_remedy(
            "; for each mail exchanger, in a signed zone; the digest is that of its public key\n\
             _25._tcp.mail.example. IN TLSA 3 1 1 <SHA-256>",
        ),
        Some(failure) => Check::unknown(id, failure.code()),
        None => match signed {
            Status::Pass | Status::Warn => Check::pass(id, "published"),
            Status::Fail => Check::partly(id, NOT_SIGNED),
            Status::Unknown | Status::NotApplicable => Check::unknown(id, "signature_unknown"),
        },
    };
    check.with_evidence(json!(shown))
}

/// IPv6 at the name.
#[must_use]
pub fn ipv6(addresses: &Addresses, name: &Name) -> Check {
    let id = CheckId::Ipv6;
    match &addresses.v6 {
        Answer::Found { records, .. } => Check::pass(id, "reachable").with_evidence(json!(records)),
        Answer::NoData | Answer::NxDomain => {
            Check::fail(id, "no_address").with_remedy(format!("{name}. IN AAAA <the host's IPv6 address>"))
        }
        Answer::Failed(failure) => Check::unknown(id, failure.code()),
    }
}

/// Name servers: several, and not all in one network.
#[must_use]
pub fn name_servers(servers: &Servers) -> Check {
    let id = CheckId::NameServers;
    let names = match &servers.names {
        Answer::Found { records, .. } => records,
        // A registrable name without any of its own is answered for by a zone above it.
        Answer::NoData | Answer::NxDomain => return Check::fail(id, "none"),
        Answer::Failed(failure) => return Check::unknown(id, failure.code()),
    };
    let networks = |family: fn(&Addresses) -> &Answer<IpAddr>| -> BTreeSet<String> {
        let answers = servers.addresses.iter().map(|(_, addresses)| family(addresses));
        let found = answers.filter_map(|answer| match answer {
            Answer::Found { records, .. } => Some(records),
            Answer::NoData | Answer::NxDomain | Answer::Failed(_) => None,
        });
        found.flatten().map(|address| network(*address)).collect()
    };
    // One network often has both families: that is one, not two.
    let (v4, v6) = (networks(|addresses| &addresses.v4), networks(|addresses| &addresses.v6));
    let most = v4.len().max(v6.len());
    let failed = servers.addresses.iter().find_map(|(_, both)| both.v4.failure().or(both.v6.failure()));
    let remedy =
        "Have the zone served from a second network as well, and name its server in the parent zone.";
    let check = match (names.len(), most, failed) {
        (2.., 2.., _) => Check::pass(id, "diverse"),
        (2.., _, Some(failure)) => Check::unknown(id, failure.code()),
        (2.., ..) => Check::partly(id, ONE_NETWORK).with_remedy(remedy),
        _ => Check::fail(id, "one_server").with_remedy(remedy),
    };
    let networks: Vec<_> = v4.union(&v6).collect();
    check.with_evidence(json!({ "servers": names, "networks": networks }))
}

/// The network that an address is in: an IPv4 /24 or an IPv6 /48, the longest prefixes that one can have routed
/// (RFC 7454, 6.1.3).
fn network(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}::/48")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn found<T>(records: Vec<T>) -> Answer<T> {
        Answer::Found { records, ttl: 60 }
    }

    #[test]
    fn one_record_of_its_version_is_needed() {
        let own = name("example.com");
        let of = |texts: &[&str]| {
            let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
            let answer = if texts.is_empty() { Answer::NxDomain } else { found(texts) };
            let check = tls_rpt(&answer, &own, true);
            (check.status, check.reason.into_owned())
        };
        let expected = |status, reason: &str| (status, reason.to_owned());
        assert_eq!(of(&["v=TLSRPTv1; rua=mailto:a@b.example", "other"]), expected(Status::Pass, "published"));
        assert_eq!(of(&["v=TLSRPTv1;"]), expected(Status::Fail, "no_address"));
        assert_eq!(
            of(&["v=TLSRPTv1; rua=x", "v=TLSRPTv1; rua=y"]),
            expected(Status::Fail, "several_records")
        );
        assert_eq!(of(&[]), expected(Status::Fail, "no_record"));
        let failed = Answer::Failed(Failure::TimedOut);
        assert_eq!(tls_rpt(&failed, &own, true).status, Status::Unknown);
        assert_eq!(tls_rpt(&failed, &own, false).status, Status::NotApplicable);
    }

    #[test]
    fn dane_is_for_every_exchanger_and_counts_in_full_only_where_it_is_signed() {
        let tlsa = |usage| Tlsa { usage, selector: 1, matching: 1, data: vec![0; 32] };
        let of = |certificates: &[Answer<Tlsa>], is_signed: bool| {
            let certificates = certificates.iter().map(|answer| (name("mx.example.com"), answer.clone()));
            let mail = Mail { exchangers: Answer::NoData, certificates: certificates.collect() };
            dane(&mail, if is_signed { Status::Pass } else { Status::Fail }, true).status
        };
        assert_eq!(of(&[found(vec![tlsa(3)])], true), Status::Pass);
        assert_eq!(of(&[found(vec![tlsa(3)])], false), Status::Warn);
        assert_eq!(of(&[found(vec![tlsa(1)])], true), Status::Fail);
        assert_eq!(of(&[found(vec![tlsa(3)]), Answer::NoData], true), Status::Fail);
        assert_eq!(of(&[found(vec![tlsa(3)]), Answer::Failed(Failure::ServFail)], true), Status::Unknown);
        assert_eq!(of(&[], true), Status::Fail);
    }

    #[test]
    fn name_servers_are_in_two_networks() {
        let of = |addresses: &[&str], failed: bool| {
            let listed: Vec<Name> =
                (0..addresses.len()).map(|index| name(&format!("ns{index}.example.com"))).collect();
            let with = addresses.iter().map(|text| Addresses {
                v4: found(vec![text.parse().unwrap()]),
                v6: if failed { Answer::Failed(Failure::TimedOut) } else { Answer::NoData },
            });
            let servers =
                Servers { addresses: listed.iter().cloned().zip(with).collect(), names: found(listed) };
            name_servers(&servers).status
        };
        assert_eq!(of(&["192.0.2.1", "198.51.100.1"], true), Status::Pass);
        assert_eq!(of(&["192.0.2.1", "192.0.2.2"], false), Status::Warn);
        assert_eq!(of(&["192.0.2.1", "192.0.2.2"], true), Status::Unknown);
        assert_eq!(of(&["192.0.2.1"], false), Status::Fail);
    }
}

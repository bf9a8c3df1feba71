//! The checks of the bonus group that the DNS alone answers.

use std::collections::BTreeSet;
use std::net::IpAddr;

use dns::{Answer, Name};
use mail_records::dmarc::{ReportUri, UriError};
use serde_json::json;
use url::Url;

use super::zone_file::{RecordOwner, below, txt};
use super::{Check, CheckId, Partial, Points};
use crate::records::{Addresses, NameServerRecords};

const ONE_NETWORK: Partial = Partial { reason: "one_network", points: Points::hundredths(50) };

/// Reasons that earn some of the points of the name servers.
pub(crate) const NAME_SERVERS_PARTIALS: &[Partial] = &[ONE_NETWORK];

/// Checks TLS-RPT (RFC 8460): the record that names the receiver of reports on TLS failures.
#[must_use]
pub fn tls_rpt(texts: &Answer<Vec<u8>>, name: &Name, sends_mail: bool) -> Check {
    let id = CheckId::TlsRpt;
    let comment = "in place of all that is at this name; the mailbox has to be there";
    let data = txt(&format!("v=TLSRPTv1; rua=mailto:tls-reports@{name}"));
    let remedy = below("_smtp._tls", name, comment, &data);
    // A record without an address asks for nothing (section 3).
    let flaw = |record: &[u8]| (!names_address(record)).then_some("no_address");
    of_text(id, texts, "v=TLSRPTv1;", sends_mail, remedy.as_deref(), flaw)
}

/// True if `rua` has an address that reports can be sent to: a mailbox, or an HTTPS URL.
fn names_address(record: &[u8]) -> bool {
    let record = String::from_utf8_lossy(record);
    let mut fields = record.split(';').filter_map(|field| field.split_once('='));
    let addresses = fields.find(|(field, _)| field.trim() == "rua").map(|(_, value)| value);
    addresses.is_some_and(|addresses| {
        addresses.split(',').map(str::trim).any(|address| match ReportUri::parse(address) {
            Ok(_) => true,
            Err(UriError::NoMailbox) => Url::parse(address).is_ok_and(|url| url.scheme() == "https"),
            Err(_) => false,
        })
    })
}

/// Checks BIMI, for information: it earns no points.
#[must_use]
pub fn bimi(texts: &Answer<Vec<u8>>, name: &Name, sends_mail: bool) -> Check {
    let data = txt(&format!("v=BIMI1; l=https://{name}/logo.svg"));
    let remedy =
        below("default._bimi", name, "in place of all that is at this name; the logo has to be there", &data);
    of_text(CheckId::Bimi, texts, "v=BIMI1;", sends_mail, remedy.as_deref(), |_| None)
}

/// A record of which there must be one, without this flaw.
fn of_text(
    id: CheckId,
    texts: &Answer<Vec<u8>>,
    version: &str,
    sends_mail: bool,
    remedy: Option<&str>,
    flaw: impl Fn(&[u8]) -> Option<&'static str>,
) -> Check {
    if !sends_mail {
        return Check::not_applicable(id, "no_mail");
    }
    let records = match texts.clone().records() {
        Ok(records) => records,
        Err(failure) => return Check::unknown(id, failure.code()),
    };
    let own: Vec<&Vec<u8>> = records.iter().filter(|record| record.starts_with(version.as_bytes())).collect();
    let shown = |record: &Vec<u8>| String::from_utf8_lossy(record.get(..512).unwrap_or(record)).into_owned();
    let fail = |reason: &'static str| match remedy {
        Some(remedy) => Check::fail(id, reason).with_remedy(remedy),
        None => Check::fail(id, reason),
    };
    match own.as_slice() {
        [] => fail("no_record"),
        [one] => {
            let check = flaw(one).map_or_else(|| Check::pass(id, "published"), fail);
            check.with_evidence(json!(shown(one)))
        }
        _ => {
            let shown: Vec<String> = own.into_iter().map(shown).collect();
            fail("several_records").with_evidence(json!(shown))
        }
    }
}

/// Checks that the name has an IPv6 address.
#[must_use]
pub fn ipv6(addresses: &Addresses, place: &RecordOwner<'_>) -> Check {
    let id = CheckId::Ipv6;
    match &addresses.v6 {
        Answer::Found { records, .. } => Check::pass(id, "reachable").with_evidence(json!(records)),
        Answer::NoData | Answer::NxDomain => {
            let remedy = format!(
                "Have the server of {} listen on IPv6 as well, and publish its address in an AAAA record at {}.",
                place.name,
                place.of_address()
            );
            Check::fail(id, "no_address").with_remedy(remedy)
        }
        Answer::Failed(failure) => Check::unknown(id, failure.code()),
    }
}

/// Checks the name servers: at least two, in more than one network.
#[must_use]
pub fn name_servers(servers: &NameServerRecords) -> Check {
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
    let left_out = names.len().saturating_sub(servers.addresses.len());
    // IPv4 and IPv6 often share one network, which counts as one.
    let (v4, v6) = (networks(|addresses| &addresses.v4), networks(|addresses| &addresses.v6));
    let most = v4.len().max(v6.len());
    let failed = servers.addresses.iter().find_map(|(_, both)| both.v4.failure().or(both.v6.failure()));
    let remedy =
        "Have the zone served from a second network as well, and name its server in the parent zone.";
    let check = match (names.len(), most, failed) {
        (2.., 2.., _) => Check::pass(id, "diverse"),
        (2.., _, Some(failure)) => Check::unknown(id, failure.code()),
        (2.., ..) if left_out > 0 => Check::unknown(id, "servers_left_out"),
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
    use dns::Failure;

    use super::super::Status;
    use super::super::samples::{found, name};
    use super::*;
    use crate::records::Alias;

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
        assert_eq!(of(&["v=TLSRPTv1;rua=https://b.example/r"]), expected(Status::Pass, "published"));
        let second = "v=TLSRPTv1; x=rua; rua=ftp://b.example, mailto:a@b.example;";
        assert_eq!(of(&[second]), expected(Status::Pass, "published"));
        for nowhere in [
            "",
            " rua=",
            " rua=nothing",
            " rua=mailto:",
            " rua=mailto:b.example",
            " rua=https://",
            " rua=http://b.example/r",
            " x-rua=mailto:a@b.example",
        ] {
            let record = format!("v=TLSRPTv1;{nowhere}");
            assert_eq!(of(&[&record]), expected(Status::Fail, "no_address"), "{record}");
        }
        assert_eq!(of(&["v=TLSRPTv10; rua=mailto:a@b.example"]), expected(Status::Fail, "no_record"));
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
    fn an_address_belongs_where_the_alias_leads() {
        let (www, own) = (name("www.example.com"), name("example.com"));
        let none = Addresses { v4: Answer::NoData, v6: Answer::NoData };
        let remedy = |alias| {
            let place = RecordOwner { name: &www, registrable: &own, alias: &alias };
            ipv6(&none, &place).remedy.unwrap()
        };
        assert!(remedy(Alias::None).contains("record at www.example.com."));
        assert!(remedy(Alias::Of(name("cdn.example.net"))).contains("record at cdn.example.net."));
    }

    #[test]
    fn name_servers_are_in_two_networks() {
        let with_more = |addresses: &[&str], failed: bool, more: usize| {
            let listed: Vec<Name> =
                (0..addresses.len() + more).map(|index| name(&format!("ns{index}.example.com"))).collect();
            let with = addresses.iter().map(|text| Addresses {
                v4: found(vec![text.parse().unwrap()]),
                v6: if failed { Answer::Failed(Failure::TimedOut) } else { Answer::NoData },
            });
            let servers = NameServerRecords {
                addresses: listed.iter().cloned().zip(with).collect(),
                names: found(listed),
            };
            name_servers(&servers).status
        };
        let of = |addresses: &[&str], failed| with_more(addresses, failed, 0);
        assert_eq!(of(&["192.0.2.1", "198.51.100.1"], true), Status::Pass);
        assert_eq!(of(&["192.0.2.1", "192.0.2.2"], false), Status::Warn);
        assert_eq!(of(&["192.0.2.1", "192.0.2.2"], true), Status::Unknown);
        assert_eq!(of(&["192.0.2.1"], false), Status::Fail);
        // Another network may be among those that were not looked at.
        assert_eq!(with_more(&["192.0.2.1", "192.0.2.2"], false, 1), Status::Unknown);
        assert_eq!(with_more(&["192.0.2.1", "198.51.100.1"], false, 1), Status::Pass);
    }
}

//! The senders that terms other than `all` permit: the networks of a record taken together, terms that match everybody,
//! and the results of random senders.

use std::net::IpAddr;

use dns::{Answer, Name, Record};
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use serde::Serialize;

use super::allocated_ipv6;
use super::macros::{DomainSpec, is_suffix};
use super::random_senders::RandomSenderResults;
use super::record::{DualCidr, Mechanism, Qualifier};

/// Smallest share of an address family (IPv4 or IPv6), in percent, that counts as open to everybody.
///
/// No single sender owns a tenth of that share, so a record that reaches it covers addresses of others.
pub const EVERYBODY_PERCENT: u32 = 25;
/// The longest prefix that counts as everybody whatever address it is of.
const WIDE: DualCidr = DualCidr { v4: 2, v6: 5 };

/// A result that a record gives to so many senders that it counts as given to everybody.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct OpenTo {
    /// The result for these senders.
    pub says: Qualifier,
    /// The share of all IPv4 addresses with this result, in percent, 0 to 100.
    pub ipv4_percent: u32,
    /// The share of the allocated IPv6 addresses with this result, in percent, 0 to 100.
    pub ipv6_percent: u32,
}

/// Results by sender, as far as they do not depend on macros.
#[derive(Default)]
pub(super) struct Reach {
    /// The weakest that is said of everybody who has an IPv4 address, other than by networks.
    everybody_v4: Option<Qualifier>,
    /// The weakest result for everybody who has an IPv6 address, other than by networks.
    everybody_v6: Option<Qualifier>,
    v4: Vec<(Qualifier, Ipv4Net)>,
    v6: Vec<(Qualifier, Ipv6Net)>,
}

impl Reach {
    /// Notes whom a term matches without any look-up, with the name that it is about where that is no sender's. The `all` of the domain's `own` records is its last word anyway.
    pub(super) fn add_term(
        &mut self,
        says: Qualifier,
        mechanism: &Mechanism,
        own: bool,
        target: Option<&Name>,
    ) {
        if mechanism.target().is_some_and(DomainSpec::is_chosen_by_sender) {
            self.add_everybody(says);
        }
        match mechanism {
            Mechanism::All if !own => self.add_everybody(says),
            // Anybody can get a name below a public suffix, and so match.
            Mechanism::Ptr(_) if target.is_some_and(|target| is_suffix(target.as_str())) => {
                self.add_everybody(says)
            }
            Mechanism::Ip4(network, length) => self.add(says, (*network).into(), *length),
            Mechanism::Ip6(network, length) => self.add(says, (*network).into(), *length),
            Mechanism::A(_, cidr) | Mechanism::Mx(_, cidr) if cidr.v4 <= WIDE.v4 || cidr.v6 <= WIDE.v6 => {
                self.add_everybody(says);
            }
            _ => {}
        }
    }

    /// Notes whom a term matches by what it looked up for every sender: everybody, where a name exists; the networks around
    /// addresses.
    pub(super) fn add_found(&mut self, says: Qualifier, mechanism: &Mechanism, answer: &Answer<Record>) {
        let Answer::Found { records, .. } = answer else { return };
        match mechanism {
            Mechanism::Exists(_) => self.add_everybody(says),
            Mechanism::A(_, cidr) => self.add_around(says, records, *cidr),
            _ => {}
        }
    }

    /// Notes the networks around addresses.
    pub(super) fn add_around(&mut self, says: Qualifier, records: &[Record], cidr: DualCidr) {
        for record in records {
            match record {
                Record::A(address) => self.add(says, (*address).into(), cidr.v4),
                Record::Aaaa(address) => self.add(says, (*address).into(), cidr.v6),
                _ => {}
            }
        }
    }

    /// Notes the results of random senders.
    pub(super) fn add_random_senders(&mut self, results: RandomSenderResults) {
        self.everybody_v4 = weaker(self.everybody_v4, Some(results.v4));
        self.everybody_v6 = weaker(self.everybody_v6, Some(results.v6));
    }

    pub(super) fn add_everybody(&mut self, says: Qualifier) {
        self.add_random_senders(RandomSenderResults { v4: says, v6: says });
    }

    /// Notes a network; one of an impossible length is none.
    fn add(&mut self, says: Qualifier, address: IpAddr, length: u8) {
        match IpNet::new(address, length) {
            Ok(IpNet::V4(network)) => self.v4.push((says, network)),
            Ok(IpNet::V6(network)) => self.v6.push((says, network)),
            Err(_) => {}
        }
    }

    /// The weakest that is said of everybody.
    pub(super) fn open_to(&self) -> Option<OpenTo> {
        let by_term = weaker(self.everybody_v4, self.everybody_v6).map(|says| {
            let percent = |of: Option<Qualifier>| if of == Some(says) { 100 } else { 0 };
            OpenTo {
                says,
                ipv4_percent: percent(self.everybody_v4),
                ipv6_percent: percent(self.everybody_v6),
            }
        });
        let by_networks = [Qualifier::Pass, Qualifier::Neutral, Qualifier::SoftFail]
            .into_iter()
            .map(|says| self.by_networks(says))
            .find(|open| open.ipv4_percent.max(open.ipv6_percent) >= EVERYBODY_PERCENT);
        match (by_term, by_networks) {
            (Some(term), Some(networks)) if term.says.weaker(networks.says) != term.says => Some(networks),
            (Some(term), _) => Some(term),
            (None, networks) => networks,
        }
    }

    /// Share of the addresses that get this result, or a weaker one, by networks; no address counts twice.
    fn by_networks(&self, says: Qualifier) -> OpenTo {
        let is_as_weak = |own: Qualifier| own.weaker(says) == own;
        let v4 = self.v4.iter().filter(|(own, _)| is_as_weak(*own)).map(|(_, network)| *network);
        let v4: u64 = Ipv4Net::aggregate(&v4.collect()).iter().map(|net| 1 << (32 - net.prefix_len())).sum();
        let v6 = self.v6.iter().filter(|(own, _)| is_as_weak(*own)).map(|(_, network)| *network);
        OpenTo {
            says,
            ipv4_percent: u32::try_from((v4 * 100) >> 32).unwrap_or(100),
            ipv6_percent: allocated_ipv6::percent(&Ipv6Net::aggregate(&v6.collect())),
        }
    }
}

/// The weaker of what is said.
fn weaker(one: Option<Qualifier>, other: Option<Qualifier>) -> Option<Qualifier> {
    one.zip(other).map(|(one, other)| one.weaker(other)).or(one).or(other)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn open(networks: &[(Qualifier, &str)]) -> Option<(Qualifier, u32, u32)> {
        let mut reach = Reach::default();
        for (says, text) in networks {
            let network: IpNet = text.parse().unwrap();
            reach.add(*says, network.addr(), network.prefix_len());
        }
        reach.open_to().map(|open| (open.says, open.ipv4_percent, open.ipv6_percent))
    }

    #[test]
    fn networks_count_together_and_none_of_them_twice() {
        use Qualifier::{Neutral, Pass, SoftFail};
        let quarters = ["0.0.0.0/2", "64.0.0.0/2", "128.0.0.0/2", "192.0.0.0/2"].map(|text| (Pass, text));
        assert_eq!(open(&quarters), Some((Pass, 100, 0)));
        assert_eq!(open(&[(Pass, "0.0.0.0/0"), (Pass, "10.0.0.0/8")]), Some((Pass, 100, 0)));
        assert_eq!(open(&[(Pass, "0.0.0.0/3"), (Pass, "0.0.0.0/3"), (Pass, "10.0.0.0/8")]), None);
        assert_eq!(open(&[(Pass, "0.0.0.0/3"), (Pass, "32.0.0.0/3")]), Some((Pass, 25, 0)));
        // The weakest that enough is said of.
        assert_eq!(open(&[(Pass, "0.0.0.0/3"), (SoftFail, "32.0.0.0/3")]), Some((SoftFail, 25, 0)));
        assert_eq!(open(&[(Neutral, "0.0.0.0/1"), (SoftFail, "0.0.0.0/0")]), Some((Neutral, 50, 0)));
        assert_eq!(open(&[(Qualifier::Fail, "0.0.0.0/0")]), None);
        assert_eq!(open(&[]), None);
    }

    #[test]
    fn of_ipv6_only_what_is_given_out_counts() {
        let pass = |texts: &[&'static str]| -> Vec<(Qualifier, &'static str)> {
            texts.iter().map(|text| (Qualifier::Pass, *text)).collect()
        };
        assert_eq!(open(&pass(&["::/0"])), Some((Qualifier::Pass, 0, 100)));
        assert_eq!(open(&pass(&["2400::/10", "2c00::/12"])), Some((Qualifier::Pass, 0, 37)));
        assert_eq!(open(&pass(&["2600::/12"])), None);
        assert_eq!(open(&pass(&["8000::/1", "fc00::/7"])), None, "nobody has these");
    }

    proptest! {
        #[test]
        fn no_networks_panic_and_more_of_them_never_close_a_record(
            drawn in prop::collection::vec((any::<u128>(), any::<u8>(), any::<bool>()), 0..40), half in any::<prop::sample::Index>(),
        ) {
            let reach = |count: usize| {
                let mut reach = Reach::default();
                for (bits, length, is_v4) in drawn.iter().take(count) {
                    let v4 = u32::try_from(bits >> 96).unwrap();
                    let address = if *is_v4 { IpAddr::V4(v4.into()) } else { IpAddr::V6((*bits).into()) };
                    reach.add(Qualifier::Pass, address, *length % 40);
                }
                reach.open_to()
            };
            let all = reach(drawn.len());
            if let Some(some) = reach(half.index(drawn.len() + 1)) {
                let all = all.unwrap();
                prop_assert!(all.ipv4_percent >= some.ipv4_percent && all.ipv6_percent >= some.ipv6_percent);
                prop_assert!(all.ipv4_percent <= 100 && all.ipv6_percent <= 100);
            }
        }
    }
}

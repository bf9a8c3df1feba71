//! The policy of an installation: the hosts, ports and addresses that may be reached.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ipnet::IpNet;

use crate::address::{self, Denied};
use crate::nat64::{Embedded, Nat64Prefix};

/// The ports that a URL may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ports {
    /// Only these ports.
    Only(BTreeSet<u16>),
    /// All ports, for development.
    Any,
}

impl Ports {
    /// Returns true if a URL may name `port`.
    #[must_use]
    pub fn contains(&self, port: u16) -> bool {
        match self {
            Ports::Only(ports) => ports.contains(&port),
            Ports::Any => true,
        }
    }
}

/// The rules for the addresses and ports that may be reached. It is a value, so one process may use several policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The ports that a URL may name, also implicitly by its scheme.
    pub ports: Ports,
    /// True if `127.0.0.0/8`, `::1` and `localhost` names may be reached: for development. Addresses that embed a
    /// loopback address stay denied.
    pub allow_loopback: bool,
    /// The installation's own addresses, and any other network that must not be reached. They are denied in addition to
    /// [`address::DENIED`]. An example is the public address of a load balancer behind which inner routes differ.
    pub own_addresses: Vec<IpNet>,
    /// The networks that the operator named for a service ([`crate::Endpoint`]). They are permitted before all other
    /// rules, and any host name may resolve to them. Empty wherever a caller chooses the URL.
    pub named: Vec<IpNet>,
    /// The prefixes with which this network translates IPv6 to IPv4. An address within one is judged by its embedded
    /// IPv4 address.
    pub nat64: Vec<Nat64Prefix>,
}

impl Policy {
    /// The policy of production: ports 80 and 443, and public addresses only.
    #[must_use]
    pub fn production() -> Self {
        Self {
            ports: Ports::Only([80, 443].into()),
            allow_loopback: false,
            own_addresses: Vec::new(),
            named: Vec::new(),
            nat64: Vec::new(),
        }
    }

    /// The policy of development: any port, and loopback addresses in addition to public ones.
    #[must_use]
    pub fn dev() -> Self {
        Self { ports: Ports::Any, allow_loopback: true, ..Self::production() }
    }

    /// Adds the addresses of this host's network interfaces to [`Policy::own_addresses`], as they are at the time of
    /// the call.
    ///
    /// # Errors
    ///
    /// The operating system's error in listing the interfaces.
    pub fn with_interfaces(mut self) -> std::io::Result<Self> {
        self.own_addresses
            .extend(if_addrs::get_if_addrs()?.iter().map(|interface| IpNet::from(interface.ip())));
        Ok(self)
    }

    /// Judges one address.
    ///
    /// # Errors
    ///
    /// [`Denied`], with the reason, for an address that must not be reached.
    pub fn judge(&self, address: IpAddr) -> Result<(), Denied> {
        if self.allow_loopback && address.is_loopback() {
            return Ok(());
        }
        if self.named.iter().any(|named| named.contains(&address)) {
            return Ok(());
        }
        let delivered = self.delivered(address)?;
        address::judge(delivered).map_err(|denied| Denied { address, ..denied })?;
        if self.own_addresses.iter().any(|own| own.contains(&delivered) || own.contains(&address)) {
            return Err(Denied { address, why: "own address" });
        }
        Ok(())
    }

    /// The address that packets are delivered to: [`address::delivered`], and the IPv4 address that an address of
    /// [`Policy::nat64`] embeds.
    fn delivered(&self, address: IpAddr) -> Result<IpAddr, Denied> {
        let IpAddr::V6(own) = address else { return Ok(address) };
        match self.nat64.iter().find_map(|prefix| prefix.embedded(own)) {
            Some(Embedded::Ipv4(inner)) => Ok(inner.into()),
            Some(Embedded::Malformed) => Err(Denied { address, why: "no address of the NAT64 prefix" }),
            None => Ok(address::delivered(address)),
        }
    }

    /// Clears the addresses of a host: all of them, or none.
    pub(crate) fn clear(&self, addresses: Vec<IpAddr>) -> Result<Vec<Cleared>, Denied> {
        let clear = |address| {
            self.judge(address)?;
            // One that the operator named may be anything.
            Ok(Cleared { address, delivered: self.delivered(address).unwrap_or(address) })
        };
        addresses.into_iter().map(clear).collect()
    }
}

/// An address that a [`Policy`] has cleared. Connections are opened to nothing else, and nothing but
/// [`Policy::clear`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cleared {
    address: IpAddr,
    delivered: IpAddr,
}

impl Cleared {
    pub(crate) fn get(self) -> IpAddr {
        self.address
    }

    /// The address behind it, where it is one of NAT64: it tells whose network the connection leads to.
    pub(crate) fn delivered(self) -> IpAddr {
        self.delivered
    }
}

#[cfg(test)]
mod tests {
    use super::{Policy, Ports};

    fn judged(policy: &Policy, address: &str) -> bool {
        policy.judge(address.parse().unwrap()).is_ok()
    }

    #[test]
    fn production_has_ports_80_and_443_and_no_loopback() {
        let policy = Policy::production();
        assert!(policy.ports.contains(80) && policy.ports.contains(443));
        assert!(!policy.ports.contains(8080) && !policy.ports.contains(0));
        assert!(!judged(&policy, "127.0.0.1") && !judged(&policy, "::1"));
    }

    #[test]
    fn dev_permits_loopback_and_nothing_else_that_is_special() {
        let policy = Policy::dev();
        assert_eq!(policy.ports, Ports::Any);
        for allowed in ["127.0.0.1", "127.255.255.255", "::1", "8.8.8.8"] {
            assert!(judged(&policy, allowed), "{allowed}");
        }
        for denied in ["10.0.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "::", "fe80::1"] {
            assert!(!judged(&policy, denied), "{denied}");
        }
        for embedded in ["::ffff:127.0.0.1", "64:ff9b::7f00:1", "::127.0.0.1", "2002:7f00:1::"] {
            assert!(!judged(&policy, embedded), "{embedded}");
        }
    }

    #[test]
    fn own_addresses_are_denied_plain_and_embedded() {
        let own = vec!["8.8.4.0/24".parse().unwrap(), "2a00:1::/32".parse().unwrap()];
        let policy = Policy { own_addresses: own, ..Policy::production() };
        for denied in ["8.8.4.4", "::ffff:8.8.4.4", "64:ff9b::808:404", "2a00:1::5"] {
            assert!(!judged(&policy, denied), "{denied}");
        }
        assert!(judged(&policy, "8.8.8.8") && judged(&policy, "2a00:2::5"));
    }

    #[test]
    fn an_address_of_a_nat64_prefix_is_judged_by_the_address_that_it_embeds() {
        let nat64 = ["2a00:64::/32", "2a01:64:0:1::/64", "64:ff9b:1::/48", "2a02:64::/96"];
        let nat64 = nat64.map(|prefix| prefix.parse().unwrap()).to_vec();
        let own_addresses = vec!["8.8.4.0/24".parse().unwrap(), "2a02:64::/96".parse().unwrap()];
        let policy = Policy { nat64, own_addresses, ..Policy::production() };
        for denied in [
            "2a00:64:a00:1::",           // 10.0.0.1
            "2a00:64:7f00:1::",          // 127.0.0.1
            "2a00:64:a9fe:a9fe::",       // 169.254.169.254
            "2a01:64:0:1:c0:a800:100::", // 192.168.0.1
            "64:ff9b:1:a00:0:100::",     // 10.0.0.1
            "2a00:64:808:404::",         // an own address
            "2a02:64::808:808",          // an own prefix
            "2a00:64:808:808:100::",     // the reserved octet
            "64:ff9b::a00:1",            // the well-known prefix as ever
        ] {
            assert!(!judged(&policy, denied), "{denied}");
        }
        for allowed in
            ["2a00:64:808:808::", "2a01:64:0:1:8:808:800::", "64:ff9b:1:808:8:800::", "64:ff9b::808:808"]
        {
            assert!(judged(&policy, allowed), "{allowed}");
        }
        for prefix_of_others in ["2a00:64:a00:1::", "2a01:64:0:1:c0:a800:100::"] {
            assert!(judged(&Policy::production(), prefix_of_others), "{prefix_of_others}");
        }
        // Dev permits loopback, and what merely embeds it stays denied.
        assert!(!judged(&Policy { nat64: policy.nat64.clone(), ..Policy::dev() }, "2a00:64:7f00:1::"));
        let cleared = policy.clear(vec!["2a00:64:808:808::".parse().unwrap()]).unwrap();
        assert_eq!(cleared[0].delivered().to_string(), "8.8.8.8", "it counts to that network");
    }

    #[test]
    fn one_denied_address_denies_the_whole_answer() {
        let policy = Policy::production();
        let mixed = vec!["8.8.8.8".parse().unwrap(), "10.0.0.1".parse().unwrap()];
        assert!(policy.clear(mixed).is_err());
        assert_eq!(policy.clear(vec!["8.8.8.8".parse().unwrap()]).map(|cleared| cleared.len()), Ok(1));
    }

    #[test]
    fn the_interfaces_of_this_host_are_its_own_addresses() {
        let policy = Policy::production().with_interfaces().unwrap();
        for own in &policy.own_addresses {
            assert!(policy.judge(own.addr()).is_err(), "{own}");
        }
    }
}

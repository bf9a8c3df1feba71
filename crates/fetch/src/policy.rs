//! What an installation permits.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ipnet::IpNet;

use crate::address::{self, Denied};

/// The ports that a URL may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ports {
    /// These only.
    Only(BTreeSet<u16>),
    /// Any: for development.
    Any,
}

impl Ports {
    /// Whether `port` is among them.
    #[must_use]
    pub fn contains(&self, port: u16) -> bool {
        match self {
            Ports::Only(ports) => ports.contains(&port),
            Ports::Any => true,
        }
    }
}

/// What may be fetched. A value: a process may hold several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The ports that a URL may name, by default or by number.
    pub ports: Ports,
    /// Whether `127.0.0.0/8`, `::1` and `localhost` names may be reached: for development. Addresses that
    /// merely embed a loopback address stay denied.
    pub allow_loopback: bool,
    /// The installation's own addresses (and any other network that must not be reached), denied on top of
    /// [`address::DENIED`]: the public address of a load balancer, say, behind which inner routes differ.
    pub own_addresses: Vec<IpNet>,
    /// Networks that the operator named for a service of theirs ([`crate::Endpoint`]): cleared before all else, and any
    /// name may lead there. Empty wherever a caller chooses the URL.
    pub named: Vec<IpNet>,
}

impl Policy {
    /// Ports 80 and 443, public addresses only.
    #[must_use]
    pub fn production() -> Self {
        Self {
            ports: Ports::Only([80, 443].into()),
            allow_loopback: false,
            own_addresses: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Any port, and loopback addresses beside the public ones. For development only.
    #[must_use]
    pub fn dev() -> Self {
        Self { ports: Ports::Any, allow_loopback: true, ..Self::production() }
    }

    /// Adds the addresses of this host's network interfaces to [`Policy::own_addresses`], as they are now.
    ///
    /// # Errors
    ///
    /// Those of the operating system's listing.
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
        address::judge(address)?;
        let delivered = address::delivered(address);
        if self.own_addresses.iter().any(|own| own.contains(&delivered) || own.contains(&address)) {
            return Err(Denied { address, why: "own address" });
        }
        Ok(())
    }

    /// Clears the addresses of a host: all of them, or none.
    pub(crate) fn clear(&self, addresses: Vec<IpAddr>) -> Result<Vec<Cleared>, Denied> {
        for address in &addresses {
            self.judge(*address)?;
        }
        Ok(addresses.into_iter().map(Cleared).collect())
    }
}

/// An address that a [`Policy`] has cleared. Connections are opened to nothing else, and nothing but
/// [`Policy::clear`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cleared(IpAddr);

impl Cleared {
    pub(crate) fn get(self) -> IpAddr {
        self.0
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

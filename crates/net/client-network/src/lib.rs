//! The networks that a client is counted by, in two tiers.
//!
//! A client with one address of an IPv6 /64 has them all, and a client that rents a machine or a line is often given a /56 or a /48
//! (RFC 6177), or a few neighbouring IPv4 addresses. So every limit on addresses holds for the narrow network, and a wider
//! one for the wide network around it.

use std::net::IpAddr;

use ipnet::IpNet;

/// The limit of a wide network, as a multiple of that of its narrow networks.
pub const WIDE_FACTOR: u32 = 10;

/// A client's networks: an IPv4 address within its /24, or an IPv6 /64 within its /48.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClientNetwork {
    /// IPv4 /32, IPv6 /64.
    pub narrow: IpNet,
    /// IPv4 /24, IPv6 /48.
    pub wide: IpNet,
}

impl ClientNetwork {
    /// The networks of an address. An IPv4 address that is mapped into IPv6 is the IPv4 address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        let (narrow, wide) = if address.is_ipv4() { (32, 24) } else { (64, 48) };
        let network = |bits| IpNet::new(address, bits).expect("no length is past the address's").trunc();
        Self { narrow: network(narrow), wide: network(wide) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(text: &str) -> (String, String) {
        let network = ClientNetwork::of(text.parse().unwrap());
        (network.narrow.to_string(), network.wide.to_string())
    }

    #[test]
    fn an_ipv6_client_is_its_64_within_its_48_and_a_mapped_one_its_ipv4() {
        let of = |narrow: &str, wide: &str| (narrow.to_owned(), wide.to_owned());
        assert_eq!(networks("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::/64", "2001:db8:1::/48"));
        assert_eq!(networks("192.0.2.7"), of("192.0.2.7/32", "192.0.2.0/24"));
        assert_eq!(networks("::ffff:192.0.2.7"), networks("192.0.2.7"));
    }
}

//! The networks by which the limits on clients count: one narrow and one wide network for each address.
//!
//! A client with one address of an IPv6 /64 can use all of them, and a rented machine or line often comes with a /56 or
//! a /48 (RFC 6177), or with a few neighbouring IPv4 addresses. So every limit holds for the narrow network, and a
//! higher limit holds for the wide network around it.

use std::net::IpAddr;

use ipnet::IpNet;

/// The limit of a wide network, as a multiple of that of its narrow networks.
pub const WIDE_FACTOR: u32 = 10;

/// The networks of a client: its IPv4 address and the /24 around it, or its IPv6 /64 and the /48 around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClientNetwork {
    /// The narrow network: an IPv4 /32 or an IPv6 /64.
    pub narrow: IpNet,
    /// The wide network: an IPv4 /24 or an IPv6 /48.
    pub wide: IpNet,
}

impl ClientNetwork {
    /// The networks of an address. An IPv4-mapped IPv6 address counts as its IPv4 address.
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

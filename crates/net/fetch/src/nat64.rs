//! The prefixes with which a network translates IPv6 to IPv4 (NAT64, RFC 6052).
//!
//! The translator sends a packet for an address within such a prefix to the embedded IPv4 address, so the embedded
//! address is judged. Such a prefix looks like any other IPv6 network, so the operator must name it. The well-known
//! prefix, 64:ff9b::/96, is always known ([`crate::address::delivered`]).

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::Ipv6Net;

/// The lengths that a prefix may have (RFC 6052, section 2.2).
const LENGTHS: [u8; 6] = [32, 40, 48, 56, 64, 96];
/// The octet that is zero in every address, bits 64 to 71.
const RESERVED_OCTET: usize = 8;

/// A network-specific prefix for NAT64 (RFC 6052, section 2.2), of 32, 40, 48, 56, 64 or 96 bits.
///
/// ```
/// use fetch::Nat64Prefix;
///
/// assert!("2001:db8:122::/48".parse::<Nat64Prefix>().is_ok());
/// assert!("2001:db8:122::/50".parse::<Nat64Prefix>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nat64Prefix(Ipv6Net);

/// An error in the text of a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Nat64Error {
    /// The text is not an IPv6 network in CIDR notation.
    #[error("is no IPv6 network such as 2001:db8:64::/96")]
    Malformed,
    /// The prefix length is not one of those of RFC 6052, section 2.2.
    #[error("must have a length of 32, 40, 48, 56, 64 or 96")]
    Length,
    /// The bits 64 to 71 of the prefix are not zero, as RFC 6052, section 2.2, requires.
    #[error("must have zeros in bits 64 to 71")]
    Reserved,
}

impl Nat64Prefix {
    /// The IPv4 address that an address embeds; `None` outside of the prefix. An address within it whose reserved octet is
    /// not zero is not one that a translator makes: [`Embedded::Malformed`].
    pub(crate) fn embedded(self, address: Ipv6Addr) -> Option<Embedded> {
        if !self.0.contains(&address) {
            return None;
        }
        let octets = address.octets();
        if octets[RESERVED_OCTET] != 0 {
            return Some(Embedded::Malformed);
        }
        // From the end of the prefix, leaving out the reserved octet.
        let first = usize::from(self.0.prefix_len() / 8);
        let mut behind = (first..octets.len()).filter(|at| *at != RESERVED_OCTET).map(|at| octets[at]);
        let ipv4 = std::array::from_fn(|_| behind.next().expect("four octets are behind every length"));
        Some(Embedded::Ipv4(Ipv4Addr::from_octets(ipv4)))
    }
}

/// The result of reading an IPv4 address out of an IPv6 address within a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Embedded {
    Ipv4(Ipv4Addr),
    Malformed,
}

impl FromStr for Nat64Prefix {
    type Err = Nat64Error;

    fn from_str(text: &str) -> Result<Self, Nat64Error> {
        let net: Ipv6Net = text.parse().map_err(|_| Nat64Error::Malformed)?;
        if !LENGTHS.contains(&net.prefix_len()) {
            return Err(Nat64Error::Length);
        }
        if net.network().octets()[RESERVED_OCTET] != 0 {
            return Err(Nat64Error::Reserved);
        }
        Ok(Self(net.trunc()))
    }
}

impl fmt::Display for Nat64Prefix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded(prefix: &str, address: &str) -> Option<Embedded> {
        prefix.parse::<Nat64Prefix>().unwrap().embedded(address.parse().unwrap())
    }

    #[test]
    fn the_table_of_rfc_6052_section_2_4() {
        for (prefix, address) in [
            ("2001:db8::/32", "2001:db8:c000:221::"),
            ("2001:db8:100::/40", "2001:db8:1c0:2:21::"),
            ("2001:db8:122::/48", "2001:db8:122:c000:2:2100::"),
            ("2001:db8:122:300::/56", "2001:db8:122:3c0:0:221::"),
            ("2001:db8:122:344::/64", "2001:db8:122:344:c0:2:2100::"),
            ("2001:db8:122:344::/96", "2001:db8:122:344::192.0.2.33"),
        ] {
            let ipv4 = Embedded::Ipv4(Ipv4Addr::new(192, 0, 2, 33));
            assert_eq!(embedded(prefix, address), Some(ipv4), "{address} within {prefix}");
        }
    }

    #[test]
    fn the_suffix_says_nothing_and_the_reserved_octet_must_be_zero() {
        let ipv4 = Some(Embedded::Ipv4(Ipv4Addr::new(192, 0, 2, 33)));
        assert_eq!(embedded("2001:db8::/32", "2001:db8:c000:221:00ff:ffff:ffff:ffff"), ipv4);
        let malformed = Some(Embedded::Malformed);
        assert_eq!(embedded("2001:db8::/32", "2001:db8:c000:221:100::"), malformed);
        assert_eq!(embedded("2001:db8:122:344::/64", "2001:db8:122:344:ffc0:2:2100::"), malformed);
        assert_eq!(embedded("2001:db8::/32", "2001:db9:c000:221::"), None);
    }

    #[test]
    fn only_the_lengths_of_the_rfc_are_prefixes() {
        let error = |text: &str| text.parse::<Nat64Prefix>().unwrap_err();
        for text in ["", "2001:db8::", "10.0.0.0/8", "2001:db8::/129", "prefix"] {
            assert_eq!(error(text), Nat64Error::Malformed, "{text}");
        }
        for length in (0..=128).filter(|length| !LENGTHS.contains(length)) {
            assert_eq!(error(&format!("2001:db8::/{length}")), Nat64Error::Length);
        }
        assert_eq!(error("2001:db8:0:0:100::/96"), Nat64Error::Reserved);
        assert_eq!("2001:db8::1/32".parse::<Nat64Prefix>().unwrap().to_string(), "2001:db8::/32");
    }
}

//! The table of the address ranges that no fetch may reach.
//!
//! Sources: the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190), the IANA multicast
//! registries, and the providers' documentation for the metadata services. A registry's row that lies wholly inside
//! another one is left out, because the outer row denies it, unless its reason is more precise (metadata). Ranges that
//! the registries call globally reachable (AS112, AMT, 6to4 relays) are denied as well: they lead to anycast
//! infrastructure or into tunnels, never to a source of facts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// One denied range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The denied addresses.
    pub net: IpNet,
    /// The purpose of the range, as a short noun phrase.
    pub why: &'static str,
    /// The document that reserves the range, such as an RFC.
    pub source: &'static str,
}

const fn v4(address: [u8; 4], length: u8, why: &'static str, source: &'static str) -> Range {
    let [a, b, c, d] = address;
    Range { net: IpNet::new_assert(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), length), why, source }
}

const fn v6(address: [u16; 8], length: u8, why: &'static str, source: &'static str) -> Range {
    let [a, b, c, d, e, f, g, h] = address;
    Range { net: IpNet::new_assert(IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)), length), why, source }
}

/// The denied ranges. A narrower range comes before a wider one, so that the first match has the most precise reason.
pub const DENIED: &[Range] = &[
    // Metadata services of cloud providers.
    v4([169, 254, 169, 254], 32, "cloud metadata", "AWS, Azure, Google Cloud, OpenStack and others"),
    v4([169, 254, 170, 2], 32, "cloud metadata", "Amazon ECS task metadata"),
    v4([169, 254, 170, 23], 32, "cloud metadata", "Amazon EKS Pod Identity agent"),
    v4([168, 63, 129, 16], 32, "cloud metadata", "Azure virtual public address (WireServer)"),
    v4([100, 100, 100, 200], 32, "cloud metadata", "Alibaba Cloud ECS metadata"),
    v4([192, 0, 0, 192], 32, "cloud metadata", "Oracle Cloud (Classic) metadata"),
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, "cloud metadata", "AWS instance metadata over IPv6"),
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23], 128, "cloud metadata", "Amazon EKS Pod Identity agent"),
    v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, "cloud metadata", "Google Cloud metadata over IPv6"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe], 128, "cloud metadata", "OpenStack metadata over IPv6"),
    // IANA IPv4 Special-Purpose Address Registry.
    v4([0, 0, 0, 0], 8, "this network", "RFC 791 section 3.2"),
    v4([10, 0, 0, 0], 8, "private use", "RFC 1918"),
    v4([100, 64, 0, 0], 10, "shared address space", "RFC 6598"),
    v4([127, 0, 0, 0], 8, "loopback", "RFC 1122 section 3.2.1.3"),
    v4([169, 254, 0, 0], 16, "link local", "RFC 3927"),
    v4([172, 16, 0, 0], 12, "private use", "RFC 1918"),
    v4([192, 0, 0, 0], 24, "IETF protocol assignments", "RFC 6890 section 2.1"),
    v4([192, 0, 2, 0], 24, "documentation", "RFC 5737"),
    v4([192, 31, 196, 0], 24, "AS112", "RFC 7535"),
    v4([192, 52, 193, 0], 24, "AMT", "RFC 7450"),
    v4([192, 88, 99, 0], 24, "6to4 relay anycast", "RFC 7526"),
    v4([192, 168, 0, 0], 16, "private use", "RFC 1918"),
    v4([192, 175, 48, 0], 24, "AS112 direct delegation", "RFC 7534"),
    v4([198, 18, 0, 0], 15, "benchmarking", "RFC 2544"),
    v4([198, 51, 100, 0], 24, "documentation", "RFC 5737"),
    v4([203, 0, 113, 0], 24, "documentation", "RFC 5737"),
    v4([240, 0, 0, 0], 4, "reserved and limited broadcast", "RFC 1112 section 4, RFC 8190"),
    // IANA IPv4 Multicast Address Space Registry.
    v4([224, 0, 0, 0], 4, "multicast", "RFC 5771"),
    // IANA IPv6 Special-Purpose Address Registry. IPv4-mapped addresses and 64:ff9b::/96 are judged by the
    // IPv4 address inside and so have no row.
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified", "RFC 4291 section 2.5.2"),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback", "RFC 4291 section 2.5.3"),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 96, "IPv4-compatible", "RFC 4291 section 2.5.5.1"),
    v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, "IPv4-translated (SIIT)", "RFC 2765 section 2.1"),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "local-use NAT64", "RFC 8215"),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64, "discard only", "RFC 6666"),
    v6([0x100, 0, 0, 1, 0, 0, 0, 0], 64, "dummy prefix", "RFC 9780"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, "Teredo", "RFC 4380"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "IETF protocol assignments", "RFC 2928"),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation", "RFC 3849"),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "6to4", "RFC 3056"),
    v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48, "AS112 direct delegation", "RFC 7534"),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation", "RFC 9637"),
    v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16, "segment routing (SRv6) SIDs", "RFC 9602"),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "unique local", "RFC 4193"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link local", "RFC 4291 section 2.5.6"),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "site local", "RFC 3879"),
    // IANA IPv6 Multicast Address Space Registry.
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast", "RFC 4291 section 2.7"),
];

/// The only block from which IPv6 global unicast addresses are given out (IANA IPv6 Global Unicast Address Assignments,
/// RFC 3513). Every IPv6 address outside this block is denied.
pub const GLOBAL_UNICAST: IpNet =
    IpNet::new_assert(IpAddr::V6(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0)), 3);

//! The judgement of whether an address may be reached.
//!
//! [`judge`] decides on one address by the table alone; [`crate::Policy::judge`] also applies the rules of the
//! installation (its own addresses, and loopback in the dev profile).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub use table::{DENIED, GLOBAL_UNICAST, Range};

mod table;

/// The reason why an address is denied. Its `Display` text contains no address, because the caller must learn nothing
/// about the network that a resolver's answer describes. `Debug`, for logs, shows the address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the host has an address that may not be reached")]
pub struct Denied {
    /// The denied address, as it was resolved or given.
    pub address: IpAddr,
    /// The reason: the purpose of the range ([`Range::why`]), `outside 2000::/3` or `own address`.
    pub why: &'static str,
}

/// Judges one address by the table.
///
/// An address with an embedded IPv4 address, to which a router or the kernel would deliver, is judged by that IPv4
/// address: IPv4-mapped (RFC 4291 section 2.5.5.2), the well-known NAT64 prefix (RFC 6052) and ISATAP interface
/// identifiers (RFC 5214). Prefixes of tunnels whose end may be anywhere (6to4, Teredo) are denied entirely.
///
/// # Errors
///
/// [`Denied`] for an address in a range of [`DENIED`] or, for IPv6, outside [`GLOBAL_UNICAST`].
///
/// ```
/// assert!(fetch::address::judge("1.1.1.1".parse().unwrap()).is_ok());
/// assert!(fetch::address::judge("64:ff9b::7f00:1".parse().unwrap()).is_err());
/// ```
pub fn judge(address: IpAddr) -> Result<(), Denied> {
    let denied = |why| Denied { address, why };
    match delivered(address) {
        IpAddr::V4(inner) => listed(IpAddr::V4(inner)).map_or(Ok(()), |why| Err(denied(why))),
        IpAddr::V6(own) => {
            if let Some(why) = listed(IpAddr::V6(own)) {
                return Err(denied(why));
            }
            if !GLOBAL_UNICAST.contains(&IpAddr::V6(own)) {
                return Err(denied("outside 2000::/3"));
            }
            match isatap(own).and_then(|inner| listed(IpAddr::V4(inner))) {
                Some(why) => Err(denied(why)),
                None => Ok(()),
            }
        }
    }
}

/// The address that packets are delivered to: the IPv4 address inside an IPv4-mapped or a NAT64 address,
/// else the address itself.
#[must_use]
pub fn delivered(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    match v6.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            IpAddr::V4(join(high, low))
        }
        _ => address,
    }
}

/// The IPv4 address in an ISATAP interface identifier, `[02]00:5efe:a.b.c.d` (RFC 5214 section 6.1).
fn isatap(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some(join(high, low)),
        _ => None,
    }
}

fn join(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

fn listed(address: IpAddr) -> Option<&'static str> {
    DENIED.iter().find(|range| range.net.contains(&address)).map(|range| range.why)
}

#[cfg(test)]
mod tests;

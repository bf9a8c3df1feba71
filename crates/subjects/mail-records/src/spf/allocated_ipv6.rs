//! IPv6 address space that is allocated to the regional registries. Most of IPv6 belongs to nobody.

use std::net::Ipv6Addr;

use ipnet::Ipv6Net;

/// Blocks that the registries hold (IANA's "IPv6 Global Unicast Address Assignments" of 2026, with the many small blocks of
/// 2001::/16 taken as one): the first two groups of each, and its prefix length in bits.
const BLOCKS: [(u16, u16, u8); 12] = [
    (0x2001, 0, 16),
    (0x2003, 0, 18),
    (0x2400, 0, 12),
    (0x2410, 0, 12),
    (0x2600, 0, 12),
    (0x2610, 0, 23),
    (0x2620, 0, 23),
    (0x2630, 0, 12),
    (0x2800, 0, 12),
    (0x2a00, 0, 12),
    (0x2a10, 0, 12),
    (0x2c00, 0, 12),
];

fn blocks() -> impl Iterator<Item = Ipv6Net> {
    BLOCKS.iter().map(|(first, second, length)| {
        Ipv6Net::new_assert([*first, *second, 0, 0, 0, 0, 0, 0].into(), *length)
    })
}

/// Number of /64 networks in a network; zero for smaller ones. Counting these leaves room to multiply.
fn size(network: &Ipv6Net) -> u128 {
    (1_u128 << (128 - network.prefix_len())) >> 64
}

/// Share of the allocated space that lies in these networks, in percent, rounded down. No network may lie in another.
pub(super) fn percent(networks: &[Ipv6Net]) -> u32 {
    let within = |block: &Ipv6Net| -> u128 {
        let shared = |network: &Ipv6Net| {
            if network.contains(block) {
                size(block)
            } else if block.contains(network) {
                size(network)
            } else {
                0
            }
        };
        networks.iter().map(shared).sum()
    };
    let part: u128 = blocks().map(|block| within(&block)).sum();
    let all: u128 = blocks().map(|block| size(&block)).sum();
    u32::try_from(part * 100 / all).unwrap_or(100)
}

/// The allocated address that these bits draw: one of the largest blocks, all equally often, and any address within it.
pub(super) fn drawn(bits: u128) -> Ipv6Addr {
    let largest: Vec<Ipv6Net> = blocks().filter(|block| block.prefix_len() == 12).collect();
    let index = usize::try_from(bits & 0xffff).unwrap_or_default() % largest.len().max(1);
    let base = largest.get(index).map_or(0, |block| block.network().to_bits());
    Ipv6Addr::from_bits(base | (bits >> 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(texts: &[&str]) -> u32 {
        percent(&texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn what_nobody_has_does_not_count() {
        assert_eq!([share(&["::/0"]), share(&["2000::/3"])], [100, 100]);
        assert_eq!(share(&["3000::/4", "8000::/1"]), 0);
        assert_eq!(share(&["2600::/12", "2a00::/12"]), share(&["2400::/12", "2c00::/12"]));
        assert!((20..=25).contains(&share(&["2600::/12", "2a00::/12"])));
        assert!(share(&["2600::/12"]) < 13 && share(&["2600:1400::/24"]) == 0);
    }

    #[test]
    fn blocks_are_apart_and_a_drawn_address_is_in_one() {
        let all: Vec<Ipv6Net> = blocks().collect();
        for (at, block) in all.iter().enumerate() {
            assert_eq!(block.network(), block.addr());
            assert!(all.iter().skip(at + 1).all(|other| !block.contains(other) && !other.contains(block)));
        }
        for bits in [0, 1, u128::MAX, u128::MAX / 3, 1 << 127] {
            let address = drawn(bits);
            assert!(all.iter().any(|block| block.contains(&address)), "{address}");
        }
    }
}

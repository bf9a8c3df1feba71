use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;
use proptest::prelude::*;

use super::{DENIED, GLOBAL_UNICAST, delivered, judge};

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn before(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(a) => a.to_bits().checked_sub(1).map(|bits| Ipv4Addr::from_bits(bits).into()),
        IpAddr::V6(a) => a.to_bits().checked_sub(1).map(|bits| Ipv6Addr::from_bits(bits).into()),
    }
}

fn after(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(a) => a.to_bits().checked_add(1).map(|bits| Ipv4Addr::from_bits(bits).into()),
        IpAddr::V6(a) => a.to_bits().checked_add(1).map(|bits| Ipv6Addr::from_bits(bits).into()),
    }
}

/// Returns true if the table alone denies the address, without the code under test.
fn in_any_row(address: IpAddr) -> bool {
    let rows = DENIED.iter().any(|range| range.net.contains(&address));
    rows || (address.is_ipv6() && !GLOBAL_UNICAST.contains(&address))
}

/// Every IPv6 address that carries `v4` in a form that leads to it or to a tunnel.
fn embeddings(v4: Ipv4Addr) -> Vec<Ipv6Addr> {
    let [a, b, c, d] = v4.octets();
    let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
    vec![
        v4.to_ipv6_mapped(),
        Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
        Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
        Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
        Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
        Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
        Ipv6Addr::new(0x2001, 0, 1, 2, 3, 4, !high, !low),
        Ipv6Addr::new(0x2a00, 1, 2, 3, 0, 0x5efe, high, low),
        Ipv6Addr::new(0x2a00, 1, 2, 3, 0x200, 0x5efe, high, low),
        Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0x5efe, high, low),
    ]
}

#[test]
fn every_row_is_denied_at_both_ends_and_its_neighbours_only_by_other_rows() {
    for range in DENIED {
        let (first, last) = (range.net.network(), range.net.broadcast());
        assert_eq!(first, range.net.addr(), "{} has host bits", range.net);
        for inside in [first, last] {
            assert!(judge(inside).is_err(), "{inside} of {}", range.net);
        }
        for outside in [before(first), after(last)].into_iter().flatten() {
            if delivered(outside) == outside {
                assert_eq!(judge(outside).is_err(), in_any_row(outside), "{outside} beside {}", range.net);
            }
        }
    }
}

#[test]
fn every_denied_ipv4_row_is_denied_in_every_embedding() {
    for range in DENIED {
        let IpNet::V4(net) = range.net else { continue };
        for inside in [net.network(), net.broadcast()] {
            for embedded in embeddings(inside) {
                assert!(judge(embedded.into()).is_err(), "{embedded} embeds {inside}");
            }
        }
    }
}

#[test]
fn public_addresses_are_allowed_also_mapped_and_through_nat64() {
    for public in ["1.1.1.1", "8.8.8.8", "93.184.216.34", "::ffff:8.8.8.8", "64:ff9b::808:808"] {
        assert_eq!(judge(ip(public)), Ok(()), "{public}");
    }
    for public in ["2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001:81b::200e", "2003::1"] {
        assert_eq!(judge(ip(public)), Ok(()), "{public}");
    }
}

#[test]
fn ipv6_outside_global_unicast_is_denied_whatever_it_is() {
    for other in ["1fff:ffff::1", "4000::1", "8000::1", "e000::1", "64:ff9b:0:0:0:1::1", "64:ff9a::1"] {
        assert!(judge(ip(other)).is_err(), "{other}");
    }
}

#[test]
fn isatap_is_judged_by_the_address_it_tunnels_to() {
    assert!(judge(ip("2a00:1:2:3:0:5efe:10.0.0.1")).is_err());
    assert!(judge(ip("2a00:1:2:3:200:5efe:169.254.169.254")).is_err());
    assert!(judge(ip("2a00:1:2:3:0:5efe:8.8.8.8")).is_ok());
    assert!(judge(ip("2a00:1:2:3:1:5efe:10.0.0.1")).is_ok(), "not an ISATAP identifier");
}

#[test]
fn the_reason_is_the_narrowest_row() {
    assert_eq!(judge(ip("169.254.169.254")).unwrap_err().why, "cloud metadata");
    assert_eq!(judge(ip("169.254.1.1")).unwrap_err().why, "link local");
    assert_eq!(judge(ip("::ffff:127.0.0.1")).unwrap_err().why, "loopback");
    assert_eq!(judge(ip("2001:0:1::1")).unwrap_err().why, "Teredo");
}

#[test]
fn the_text_of_a_denial_names_no_address() {
    let denied = judge(ip("10.1.2.3")).unwrap_err();
    assert!(!denied.to_string().contains("10."), "{denied}");
    assert!(format!("{denied:?}").contains("10.1.2.3"));
}

proptest! {
    #[test]
    fn any_ipv4_address_is_judged_as_the_rows_say(bits: u32) {
        let address = IpAddr::V4(Ipv4Addr::from_bits(bits));
        prop_assert_eq!(judge(address).is_err(), in_any_row(address));
    }

    #[test]
    fn a_denied_ipv4_address_is_denied_however_embedded(row in 0..DENIED.len(), offset: u32) {
        if let IpNet::V4(net) = DENIED[row].net {
            let address = Ipv4Addr::from_bits(net.network().to_bits() | (offset & net.hostmask().to_bits()));
            prop_assert!(judge(address.into()).is_err());
            for embedded in embeddings(address) {
                prop_assert!(judge(embedded.into()).is_err(), "{} embeds {}", embedded, address);
            }
        }
    }

    #[test]
    fn no_ipv6_address_outside_global_unicast_is_allowed_but_those_that_carry_public_ipv4(bits: u128) {
        let address = IpAddr::V6(Ipv6Addr::from_bits(bits));
        if judge(address).is_ok() {
            prop_assert!(GLOBAL_UNICAST.contains(&address) || delivered(address).is_ipv4());
        }
    }
}

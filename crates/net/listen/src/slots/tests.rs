use std::net::IpAddr;

use super::*;
use crate::bounds::FEW;

fn places(all: usize) -> Arc<ConnectionSlots> {
    Arc::new(ConnectionSlots::new(Bounds::of(all)))
}

fn network(address: impl Into<IpAddr>) -> Option<ClientNetwork> {
    Some(ClientNetwork::of(address.into()))
}

/// The address of this number in a wide network of this number.
fn v4(wide: usize, narrow: usize) -> Option<ClientNetwork> {
    network([203, u8::try_from(wide / 256).unwrap(), (wide % 256) as u8, u8::try_from(narrow).unwrap()])
}

fn v6(wide: u16, narrow: u16) -> Option<ClientNetwork> {
    network([0x2001, 0xdb8, wide, narrow, 0, 0, 0, 1])
}

impl ConnectionSlots {
    /// As many idle connections of a network as it gets, up to this many.
    fn fill(self: &Arc<Self>, network: Option<ClientNetwork>, most: usize) -> Vec<ConnectionSlot> {
        (0..most).map_while(|_| self.enter(network)).collect()
    }

    /// The same, each with a request as soon as it is open.
    fn fill_busy(self: &Arc<Self>, network: Option<ClientNetwork>, most: usize) -> Vec<ConnectionSlot> {
        (0..most).map_while(|_| self.enter(network).filter(|place| place.activity.begin())).collect()
    }

    fn open(&self) -> usize {
        self.table().connections.len()
    }
}

impl ConnectionSlot {
    fn is_open(&self) -> bool {
        self.activity.idle_since().is_some() || self.is_busy()
    }

    fn is_busy(&self) -> bool {
        let table = self.places.table();
        table.connections.contains_key(&self.id) && self.activity.idle_since().is_none()
    }
}

fn open(places: &[ConnectionSlot]) -> usize {
    places.iter().filter(|place| place.is_open()).count()
}

#[test]
fn the_bounds_follow_from_how_many_connections_there_may_be() {
    let of = |all| {
        let Bounds { all, narrow, wide, kept, .. } = Bounds::of(all);
        [all, narrow, wide, kept]
    };
    assert_eq!(of(usize::MAX), [16_384, 256, 2560, 2048]);
    assert_eq!(of(4096), [4096, 256, 1024, 512]);
    assert_eq!(of(512), [512, 64, 128, 64]);
    assert_eq!(of(0), [16, 2, 4, 2]);
}

#[test]
fn a_network_over_its_bound_gives_up_its_own_connection_that_was_idle_longest() {
    let places = places(4096);
    let stranger = places.enter(v6(9, 9)).unwrap();
    for (own, same, bound) in [(v6(1, 1), v6(1, 1), 256), (v4(1, 1), v4(1, 1), 256)] {
        let held = places.fill(own, bound + 10);
        assert_eq!((held.len(), open(&held)), (bound + 10, bound), "none is refused");
        assert!(held[..10].iter().all(|place| !place.is_open()), "the oldest were closed");
        // A connection that was used since is not the one that was idle longest.
        assert!(held[10].activity.begin());
        held[10].activity.answered();
        held[10].activity.flushed();
        let more = places.enter(same).unwrap();
        assert!(held[10].is_open() && !held[11].is_open() && more.is_open());
    }
    assert!(stranger.is_open());
}

#[test]
fn a_network_whose_connections_are_all_busy_is_refused_over_its_bound() {
    let places = places(4096);
    let held = places.fill_busy(v6(1, 1), 256);
    assert!(places.enter(v6(1, 1)).is_none());
    assert!(places.enter(v6(1, 2)).is_some(), "the next /64 of the same /48");
    drop(held);
    assert!(places.enter(v6(1, 1)).is_some());
}

#[test]
fn a_wide_network_is_bounded_whatever_narrow_networks_it_comes_from() {
    let places = places(4096);
    let held: Vec<_> = (0..1100).map(|narrow| places.enter(v6(7, narrow)).unwrap()).collect();
    assert_eq!(open(&held), 1024);
    let of_ipv4: Vec<_> = (0..1100).filter_map(|narrow| places.enter(v4(7, narrow % 256))).collect();
    assert_eq!(open(&of_ipv4), 1024);
    assert_eq!(places.open(), 2048);
}

#[test]
fn places_are_given_back_and_no_count_is_left_behind() {
    let places = places(64);
    for round in 0..50 {
        let held: Vec<_> = (0..40).filter_map(|wide| places.enter(v6(wide, round))).collect();
        drop(held);
    }
    let proxy = places.enter(None).unwrap();
    assert_eq!(places.open(), 1);
    drop(proxy);
    let table = places.table();
    assert!(table.connections.is_empty() && table.narrow.0.is_empty() && table.wide.0.is_empty());
}

#[test]
fn idle_connections_of_many_networks_keep_nobody_out() {
    let places = places(4096);
    let attackers: Vec<_> = (0..16).flat_map(|wide| places.fill(v4(wide, 1), 256)).collect();
    let before = open(&attackers);
    assert!(before <= 4096 - 512 + 2 * FEW, "the last places are kept");
    let honest: Vec<_> = (0..2000).map(|wide| places.enter(v6(wide, 0)).unwrap()).collect();
    assert_eq!(open(&honest), 2000, "and none of them was closed again");
    assert_eq!(places.open(), 4096);
    assert_eq!(open(&attackers), 4096 - 2000);
    // The attackers' connections are spread evenly, since the network that has most gives up first.
    let each: Vec<_> = (0..16).map(|wide| places.table().wide.of(v4(wide, 1).unwrap().wide)).collect();
    assert!(each.iter().max().unwrap() - each.iter().min().unwrap() <= 1, "{each:?}");
}

#[test]
fn the_connection_that_is_closed_was_idle_longest_in_the_network_that_has_most() {
    let places = places(64);
    let old = places.enter(v4(1, 1)).unwrap();
    // Of the /24 that has most, the address that has most.
    let mixed: Vec<_> =
        [(1, 3), (2, 8)].into_iter().flat_map(|(narrow, most)| places.fill(v4(2, narrow), most)).collect();
    let others: Vec<_> = (10..).map_while(|wide| fills(&places, wide)).flatten().collect();
    assert_eq!(places.open(), 64);
    let new = places.enter(v4(3, 1)).unwrap();
    assert!(!mixed[3].is_open(), "the first of the eight");
    assert_eq!(open(&mixed), 10);
    assert!(old.is_open() && new.is_open() && open(&others) == others.len());
}

/// One connection of a network, as long as there is a free place.
fn fills(places: &Arc<ConnectionSlots>, wide: usize) -> Option<Vec<ConnectionSlot>> {
    (places.open() < places.bounds.all).then(|| places.fill(v4(wide, 1), 1))
}

#[test]
fn busy_connections_are_never_closed_and_the_last_places_are_left_to_new_networks() {
    let places = places(4096);
    let attackers: Vec<_> = (0..16).flat_map(|wide| places.fill_busy(v4(wide, 1), 256)).collect();
    assert_eq!(places.open(), 4096 - 512 + 2 * FEW);
    for wide in 0..16 {
        assert!(places.enter(v4(wide, 2)).is_none(), "they have their share");
    }
    // A network that had none gets a few; half of the kept places are then for those that have none at all.
    let few = places.fill_busy(v6(1, 1), 100);
    assert_eq!(few.len(), FEW);
    let new: Vec<_> = (2..=10_000).flat_map(|wide| places.fill_busy(v6(wide, 1), 1)).collect();
    assert_eq!(places.open(), 4096);
    assert_eq!(open(&attackers), attackers.len());
    assert!(places.enter(v6(20_000, 1)).is_none(), "all are busy");
    drop(new);
    assert!(places.enter(v6(20_000, 1)).is_some());
}

#[test]
fn a_network_that_has_its_share_takes_nothing_from_smaller_ones() {
    let places = places(64);
    let honest: Vec<_> = (100..130).map(|wide| places.enter(v4(wide, 1)).unwrap()).collect();
    let large = places.fill_busy(v4(1, 1), 8);
    let larger: Vec<_> = (1..=3).flat_map(|narrow| places.fill_busy(v4(2, narrow), 6)).collect();
    assert_eq!(places.open(), 30 + 8 + 16);
    let rest = places.fill(v4(3, 1), 2);
    assert_eq!(places.open(), 56, "but for the kept places it is full");
    assert!(places.enter(v4(1, 2)).is_none(), "its own are busy, and all idle ones are of smaller networks");
    assert!(places.enter(v4(2, 9)).is_none());
    assert_eq!(open(&honest) + open(&large) + open(&larger) + open(&rest), 56);
    // It gives up its own, however few others have.
    large[5].activity.answered();
    large[5].activity.flushed();
    let another = places.enter(v4(1, 2)).unwrap();
    assert!(another.is_open() && !large[5].is_open());
    assert_eq!(open(&honest), 30);
}

#[test]
fn proxies_have_no_share_and_give_up_nothing_for_clients() {
    let places = places(64);
    let proxy = places.fill(None, 64);
    assert_eq!(proxy.len(), 64, "one proxy may have all");
    assert!(places.enter(v4(1, 1)).is_none());
    let more = places.enter(None).unwrap();
    assert!(more.is_open() && !proxy[0].is_open() && open(&proxy) == 63);
    drop(proxy);
    let clients: Vec<_> = (0..56).flat_map(|wide| places.fill(v4(wide, 1), 1)).collect();
    let more = places.fill(None, 20);
    assert_eq!(open(&more), 20, "it takes from clients");
    assert_eq!(open(&clients) + open(&more) + 1, 64);
}

#[test]
fn a_connection_that_became_busy_is_passed_over() {
    let places = places(16);
    let held = places.fill_busy(v4(1, 1), 2);
    held[1].activity.answered();
    assert!(places.enter(v4(1, 1)).is_none(), "its answer is not written yet");
    held[1].activity.flushed();
    assert!(places.enter(v4(1, 1)).is_some());
    assert!(held[0].is_open() && !held[1].is_open());
}

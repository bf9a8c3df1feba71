use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::poll;

use super::{ConnectionPlace, HostPlace, Priority, Slots, network_of};
use crate::error::FetchError;
use crate::limits::Limits;

/// Few places, and next to no waiting for them.
fn limits() -> Limits {
    Limits {
        per_host: 2,
        waiting_per_host: 1,
        per_network: 2,
        waiting_per_network: 1,
        in_all: 100,
        reserved: 0,
        hosts: 3,
        wait: Duration::from_millis(20),
        ..Limits::default()
    }
}

/// The same places, with those who wait for one waiting as long as it takes.
fn patient() -> Limits {
    Limits { wait: Duration::from_secs(30), ..limits() }
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

async fn host(slots: &Arc<Slots>, name: &str) -> Result<HostPlace, FetchError> {
    slots.host(name.to_owned(), Priority::Ordinary).await
}

/// A connection of a host to an address, as one hop makes it.
async fn connection(
    slots: &Arc<Slots>,
    priority: Priority,
    name: &str,
    address: &str,
) -> Result<(HostPlace, ConnectionPlace), FetchError> {
    let mut host = slots.host(name.to_owned(), priority).await?;
    let connection = host.connection(ip(address)).await?;
    Ok((host, connection))
}

async fn ordinary(
    slots: &Arc<Slots>,
    name: &str,
    address: &str,
) -> Result<(HostPlace, ConnectionPlace), FetchError> {
    connection(slots, Priority::Ordinary, name, address).await
}

#[tokio::test]
async fn a_full_host_turns_away_and_blocks_no_other_host() {
    let slots = Slots::new(&limits());
    let held = (host(&slots, "a").await.unwrap(), host(&slots, "a").await.unwrap());
    assert!(matches!(host(&slots, "a").await, Err(FetchError::Busy)));
    let other = host(&slots, "b").await.unwrap();
    drop((held, other));
    assert!(slots.hosts.entries().is_empty(), "the table is empty when nothing is under way");
    assert!(host(&slots, "a").await.is_ok());
}

#[tokio::test]
async fn a_place_given_back_in_time_is_taken_by_the_one_who_waits() {
    let slots = Slots::new(&patient());
    let first = host(&slots, "a").await.unwrap();
    let _second = host(&slots, "a").await.unwrap();
    let mut waiting = Box::pin(host(&slots, "a"));
    assert!(poll!(waiting.as_mut()).is_pending());
    drop(first);
    assert!(waiting.await.is_ok());
}

#[tokio::test]
async fn no_more_than_the_bound_wait_for_one_host() {
    let slots = Slots::new(&patient());
    let _held = (host(&slots, "a").await.unwrap(), host(&slots, "a").await.unwrap());
    let mut waiting = Box::pin(host(&slots, "a"));
    assert!(poll!(waiting.as_mut()).is_pending());
    assert!(matches!(host(&slots, "a").await, Err(FetchError::Busy)), "at once");
    drop(waiting);
    assert_eq!(
        slots.hosts.entries().get("a").map(|host| host.users),
        Some(2),
        "a wait given up leaves no trace"
    );
}

#[tokio::test]
async fn the_table_of_hosts_is_bounded() {
    let slots = Slots::new(&limits());
    let _held = (host(&slots, "a").await.unwrap(), host(&slots, "b").await.unwrap(), host(&slots, "c").await);
    assert!(matches!(host(&slots, "d").await, Err(FetchError::Busy)));
    assert!(host(&slots, "a").await.is_ok());
}

#[tokio::test]
async fn many_names_of_one_network_share_its_places_and_leave_the_others_theirs() {
    let slots = Slots::new(&limits());
    let _one = ordinary(&slots, "1.wild.example", "192.0.2.1").await.unwrap();
    let _two = ordinary(&slots, "2.wild.example", "192.0.2.2").await.unwrap();
    let third = ordinary(&slots, "3.wild.example", "192.0.2.3").await;
    assert!(matches!(third, Err(FetchError::Busy)));
    assert!(ordinary(&slots, "else.example", "192.0.3.1").await.is_ok());
}

#[tokio::test]
async fn whoever_waits_for_a_network_holds_none_of_all_places() {
    let slots = Slots::new(&Limits { in_all: 3, ..patient() });
    let _one = ordinary(&slots, "1.wild.example", "192.0.2.1").await.unwrap();
    let _two = ordinary(&slots, "2.wild.example", "192.0.2.1").await.unwrap();
    let mut third = host(&slots, "3.wild.example").await.unwrap();
    let mut waiting = Box::pin(third.connection(ip("192.0.2.1")));
    assert!(poll!(waiting.as_mut()).is_pending());
    assert!(matches!(poll!(Box::pin(slots.place(Priority::Ordinary))), std::task::Poll::Ready(_)));
}

#[tokio::test]
async fn lookups_and_connections_are_counted_together() {
    let slots = Slots::new(&Limits { in_all: 2, ..limits() });
    let (mut one, mut two) = (host(&slots, "a").await.unwrap(), host(&slots, "b").await.unwrap());
    let _connection = one.connection(ip("192.0.2.1")).await.unwrap();
    let lookup = two.lookup().await.unwrap();
    let mut three = host(&slots, "c").await.unwrap();
    assert!(matches!(three.lookup().await, Err(FetchError::Busy)));
    drop(lookup);
    assert!(three.lookup().await.is_ok());
}

#[tokio::test]
async fn ordinary_callers_leave_the_reserved_places_to_those_with_priority() {
    let slots = Slots::new(&Limits { in_all: 3, reserved: 1, per_network: 9, ..limits() });
    let _first = ordinary(&slots, "a", "192.0.2.1").await.unwrap();
    let second = ordinary(&slots, "b", "192.0.2.1").await.unwrap();
    assert!(matches!(ordinary(&slots, "c", "192.0.2.1").await, Err(FetchError::Busy)));
    let high = connection(&slots, Priority::High, "c", "192.0.2.1").await.unwrap();
    drop(second);
    let _high = (high, connection(&slots, Priority::High, "b", "192.0.2.1").await.unwrap());
    let fourth = connection(&slots, Priority::High, "c", "192.0.2.1").await;
    assert!(matches!(fourth, Err(FetchError::Busy)), "three in all, whoever asks");
}

#[tokio::test]
async fn one_hop_waits_no_longer_for_many_places_than_for_one() {
    let slots = Slots::new(&Limits { in_all: 1, ..patient() });
    let mut holder = host(&slots, "a").await.unwrap();
    let mut waiter = host(&slots, "b").await.unwrap();
    let before = waiter.patience.0;
    let held = holder.lookup().await.unwrap();
    let mut waiting = Box::pin(waiter.lookup());
    assert!(poll!(waiting.as_mut()).is_pending());
    tokio::time::sleep(Duration::from_millis(5)).await;
    drop(held);
    drop(waiting.await.unwrap());
    assert!(waiter.patience.0 <= before - Duration::from_millis(5));
}

#[test]
fn a_network_is_a_24_or_a_48_however_its_addresses_are_written() {
    let same = |one: &str, other: &str| network_of(ip(one)) == network_of(ip(other));
    assert!(same("192.0.2.0", "192.0.2.255") && !same("192.0.2.255", "192.0.3.0"));
    assert!(same("2a00:1:2::", "2a00:1:2:ffff::1") && !same("2a00:1:2::", "2a00:1:3::"));
    assert!(same("64:ff9b::8.8.8.8", "8.8.8.1") && !same("64:ff9b::8.8.8.8", "64:ff9b::8.8.4.4"));
    assert!(same("::ffff:8.8.8.8", "8.8.8.1"));
}

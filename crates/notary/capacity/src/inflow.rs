//! Bounds the bytes of request bodies that are in memory at once, in all and for each network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use client_network::ClientNetwork;
use ipnet::IpNet;

/// The most bytes of bodies in memory at once, in all.
pub const MAX_BYTES: usize = 256 << 20;
/// The most bytes of one narrow network: four track records of the greatest size.
pub const MAX_BYTES_PER_NETWORK: usize = 16 << 20;
/// The most bytes of one wide network.
pub const MAX_BYTES_PER_WIDE_NETWORK: usize = 64 << 20;
/// The bytes of [`MAX_BYTES`] that are kept for networks which hold no more than [`SMALL_HOLDING`].
pub const RESERVED_BYTES: usize = MAX_BYTES / 4;
/// The most bytes that a network holds to use the [`RESERVED_BYTES`].
pub const SMALL_HOLDING: usize = 512 << 10;

/// Counts the bytes that all bodies hold.
#[derive(Clone, Debug, Default)]
pub struct Inflow(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    all: usize,
    by_network: HashMap<IpNet, usize>,
}

/// The bytes that one body holds, given back when it is dropped.
#[derive(Debug)]
pub struct Hold {
    inflow: Inflow,
    network: ClientNetwork,
    bytes: usize,
}

impl Inflow {
    /// Makes a hold of no bytes for a body.
    #[must_use]
    pub fn hold(&self, network: ClientNetwork) -> Hold {
        Hold { inflow: self.clone(), network, bytes: 0 }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes that all bodies hold.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lock().all
    }
}

impl Hold {
    /// Adds bytes to the hold; false where they would exceed the network's share or the total.
    #[must_use]
    pub fn grow(&mut self, bytes: usize) -> bool {
        let ClientNetwork { narrow, wide } = self.network;
        let mut held = self.inflow.lock();
        let of = |net: &IpNet| held.by_network.get(net).copied().unwrap_or(0).saturating_add(bytes);
        let (of_narrow, of_wide, all) = (of(&narrow), of(&wide), held.all.saturating_add(bytes));
        let in_all = if of_narrow <= SMALL_HOLDING { MAX_BYTES } else { MAX_BYTES - RESERVED_BYTES };
        if of_narrow > MAX_BYTES_PER_NETWORK || of_wide > MAX_BYTES_PER_WIDE_NETWORK || all > in_all {
            return false;
        }
        held.all = all;
        held.by_network.insert(narrow, of_narrow);
        held.by_network.insert(wide, of_wide);
        self.bytes += bytes;
        true
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut held = self.inflow.lock();
        held.all = held.all.saturating_sub(self.bytes);
        let ClientNetwork { narrow, wide } = self.network;
        for net in [narrow, wide] {
            if let Some(bytes) = held.by_network.get_mut(&net) {
                *bytes = bytes.saturating_sub(self.bytes);
                if *bytes == 0 {
                    held.by_network.remove(&net);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(inflow: &Inflow, address: &str) -> Hold {
        inflow.hold(ClientNetwork::of(address.parse().unwrap()))
    }

    #[test]
    fn a_network_holds_its_share_and_leaves_the_rest_to_others() {
        let inflow = Inflow::default();
        let mut first = hold(&inflow, "192.0.2.1");
        assert!(first.grow(MAX_BYTES_PER_NETWORK) && !first.grow(1));
        assert!(!hold(&inflow, "192.0.2.1").grow(1), "another body of the same network");
        let neighbours: Vec<Hold> = (2..5)
            .map(|last| {
                let mut hold = hold(&inflow, &format!("192.0.2.{last}"));
                assert!(hold.grow(MAX_BYTES_PER_NETWORK));
                hold
            })
            .collect();
        assert!(!hold(&inflow, "192.0.2.9").grow(1), "the /24 has its share");
        assert!(hold(&inflow, "198.51.100.1").grow(MAX_BYTES_PER_NETWORK));
        drop((first, neighbours));
        assert_eq!((inflow.bytes(), inflow.lock().by_network.len()), (0, 0));
    }

    #[test]
    fn where_many_networks_hold_all_that_they_may_a_small_body_of_another_still_fits() {
        let inflow = Inflow::default();
        let mut holds = Vec::new();
        for network in 0..200 {
            let mut hold = hold(&inflow, &format!("10.{network}.0.1"));
            if hold.grow(MAX_BYTES_PER_NETWORK) {
                holds.push(hold);
            }
        }
        assert_eq!(inflow.bytes(), MAX_BYTES - RESERVED_BYTES);
        assert!(!hold(&inflow, "192.0.2.1").grow(SMALL_HOLDING + 1));
        assert!(hold(&inflow, "192.0.2.1").grow(SMALL_HOLDING));
    }
}

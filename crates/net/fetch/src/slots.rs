//! Concurrency slots: the limits on simultaneous fetches, so that a slow source does not delay fetches from others.
//!
//! For each hop a fetch holds a slot of its host, and a slot of the total for the lookup and then for the connection. A
//! connection also holds a slot of the network that it leads to. Anybody can invent any number of names for a single
//! server in a wildcard zone, but not any number of networks.
//!
//! A fetch takes the slots in the order host, network, total. So a fetch that waits for a slow host or network holds no
//! slot that others need, and there is no deadlock.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use crate::address;
use crate::error::FetchError;
use crate::limits::Limits;

/// The part of the concurrency slots that a caller may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Priority {
    /// All slots but the reserved ones ([`Limits::reserved`]).
    #[default]
    Ordinary,
    /// All slots. The limits on one host and on one network hold nevertheless, because they protect others.
    High,
}

/// The places of one fetcher.
pub(crate) struct Slots {
    wait: Duration,
    hosts: Arc<KeyTable>,
    networks: Arc<KeyTable>,
    all: Arc<Semaphore>,
    /// Those of `all` that are not reserved.
    unreserved: Arc<Semaphore>,
}

impl Slots {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            wait: limits.wait,
            hosts: KeyTable::new(limits.per_host, limits.waiting_per_host, limits.hosts),
            networks: KeyTable::new(limits.per_network, limits.waiting_per_network, limits.hosts),
            all: Arc::new(Semaphore::new(limits.in_all)),
            unreserved: Arc::new(Semaphore::new(limits.in_all.saturating_sub(limits.reserved))),
        })
    }

    /// Takes a place of `host` for one hop.
    pub(crate) async fn host(
        self: &Arc<Self>,
        host: String,
        priority: Priority,
    ) -> Result<HostPlace, FetchError> {
        let mut patience = Patience(self.wait);
        let place = patience.wait(self.hosts.take(host)).await?;
        Ok(HostPlace { slots: Arc::clone(self), priority, patience, _place: place })
    }

    async fn place(&self, priority: Priority) -> Place {
        let unreserved = match priority {
            Priority::Ordinary => Some(permit(&self.unreserved).await),
            Priority::High => None,
        };
        Place { _all: permit(&self.all).await, _unreserved: unreserved }
    }
}

async fn permit(places: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    Arc::clone(places).acquire_owned().await.expect("no semaphore of places is ever closed")
}

/// A place of a host. The hop that holds it takes its other places through it.
pub(crate) struct HostPlace {
    slots: Arc<Slots>,
    priority: Priority,
    patience: Patience,
    _place: KeyedPlace,
}

impl HostPlace {
    /// Takes one of all places, for the lookup of the host's name.
    pub(crate) async fn lookup(&mut self) -> Result<Place, FetchError> {
        let place = self.slots.place(self.priority);
        self.patience.wait(async { Ok(place.await) }).await
    }

    /// Takes a place of the network of `address` and one of all, for a connection to it.
    pub(crate) async fn connection(&mut self, address: IpAddr) -> Result<ConnectionPlace, FetchError> {
        let places = async {
            let network = self.slots.networks.take(network_of(address)).await?;
            Ok(ConnectionPlace { _place: self.slots.place(self.priority).await, _network: network })
        };
        self.patience.wait(places).await
    }
}

/// One of all places; given back when dropped, as every place is.
pub(crate) struct Place {
    _all: OwnedSemaphorePermit,
    _unreserved: Option<OwnedSemaphorePermit>,
}

/// The places that a connection holds from before it is opened until its answer is read.
pub(crate) struct ConnectionPlace {
    _place: Place,
    _network: KeyedPlace,
}

/// The network that counts for `address`: the longest prefix that one can have routed (RFC 7454 section 6.1.3),
/// so that each network more takes an address space more.
fn network_of(address: IpAddr) -> String {
    let address = address::delivered(address);
    let prefix = if address.is_ipv4() { 24 } else { 48 };
    IpNet::new(address, prefix).expect("no longer than an address").trunc().to_string()
}

/// The remaining time that a hop may wait for places.
struct Patience(Duration);

impl Patience {
    async fn wait<T>(&mut self, place: impl Future<Output = Result<T, FetchError>>) -> Result<T, FetchError> {
        let started = Instant::now();
        let taken = timeout(self.0, place).await.unwrap_or(Err(FetchError::Busy));
        self.0 = self.0.saturating_sub(started.elapsed());
        taken
    }
}

/// Equally many places for each of many keys, of which only those in use are known.
struct KeyTable {
    per_key: usize,
    waiting_per_key: usize,
    keys: usize,
    entries: Mutex<HashMap<String, KeyEntry>>,
}

/// A key with a fetch under way or waiting.
struct KeyEntry {
    places: Arc<Semaphore>,
    users: usize,
}

/// A place of one key.
struct KeyedPlace {
    _permit: OwnedSemaphorePermit,
    _lease: KeyLease,
}

impl KeyTable {
    fn new(per_key: usize, waiting_per_key: usize, keys: usize) -> Arc<Self> {
        Arc::new(Self { per_key, waiting_per_key, keys, entries: Mutex::default() })
    }

    async fn take(self: &Arc<Self>, key: String) -> Result<KeyedPlace, FetchError> {
        let (lease, places) = self.lease(key)?;
        Ok(KeyedPlace { _permit: permit(&places).await, _lease: lease })
    }

    fn lease(self: &Arc<Self>, key: String) -> Result<(KeyLease, Arc<Semaphore>), FetchError> {
        let mut entries = self.entries();
        if !entries.contains_key(&key) && entries.len() >= self.keys {
            return Err(FetchError::Busy);
        }
        let entry = entries
            .entry(key.clone())
            .or_insert_with(|| KeyEntry { places: Arc::new(Semaphore::new(self.per_key)), users: 0 });
        if entry.users >= self.per_key.saturating_add(self.waiting_per_key) {
            return Err(FetchError::Busy);
        }
        entry.users += 1;
        Ok((KeyLease { table: Arc::clone(self), key }, Arc::clone(&entry.places)))
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, KeyEntry>> {
        // Nothing in the guarded sections can leave the map half changed.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a user of a key; the last one takes the key off the table.
struct KeyLease {
    table: Arc<KeyTable>,
    key: String,
}

impl Drop for KeyLease {
    fn drop(&mut self) {
        let mut entries = self.table.entries();
        if let Some(entry) = entries.get_mut(&self.key) {
            entry.users -= 1;
            if entry.users == 0 {
                entries.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests;

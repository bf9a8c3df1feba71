//! Keeps the table of open connections, and chooses the one to close when room is needed.
//!
//! A new connection is refused, or another one closed for it, by these rules, in this order:
//!
//! 1. A narrow or a wide network that has all its connections gives up its own idle one.
//! 2. The last places are kept for networks that have few connections or none ([`Bounds::kept`]).
//! 3. Where there is no free place, the wide network that has most gives up one: of its narrow network that has most, the
//!    connection that has been idle longest. Networks without an idle connection are passed over. A network gives up nothing
//!    for one that has as many connections or more.
//! 4. A proxy forwards for many clients: its connections are never closed for a client, and a new one closes a
//!    connection of the network that has most.
//!
//! The table is locked when a connection begins or ends, never for a request. All connections are looked through only where
//! there is no free place.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use client_network::ClientNetwork;
use ipnet::IpNet;
use tokio::task::AbortHandle;

use super::activity::Activity;
use super::bounds::Bounds;

/// The number of attempts to find a connection that does not become busy before it can be closed.
const TRIES: usize = 3;

/// All connections of one listener.
pub(super) struct ConnectionSlots {
    bounds: Bounds,
    epoch: Instant,
    table: Mutex<ConnectionTable>,
}

/// A place among the connections, given back when it is dropped.
pub(super) struct ConnectionSlot {
    places: Arc<ConnectionSlots>,
    id: u64,
    activity: Arc<Activity>,
}

impl ConnectionSlots {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, epoch: Instant::now(), table: Mutex::default() }
    }

    /// Takes a slot for a connection of a client in this network, or of a proxy. An idle connection may be closed for
    /// it. `None` where there is no room.
    pub(super) fn enter(self: &Arc<Self>, network: Option<ClientNetwork>) -> Option<ConnectionSlot> {
        let activity = Arc::new(Activity::new(self.epoch));
        let mut table = self.table();
        if let Some(candidates) = table.crowded(&self.bounds, network.as_ref()) {
            table.close_one(&candidates)?;
        }
        let id = table.open(network, Arc::clone(&activity));
        Some(ConnectionSlot { places: Arc::clone(self), id, activity })
    }

    /// Sets the task of a connection, so that it can be ended. It may have ended already.
    pub(super) fn attach(&self, id: u64, task: AbortHandle) {
        if let Some(connection) = self.table().connections.get_mut(&id) {
            connection.task = Some(task);
        }
    }

    fn table(&self) -> MutexGuard<'_, ConnectionTable> {
        // Nothing in the guarded sections can leave the table half changed.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn bounds(&self) -> &Bounds {
        &self.places.bounds
    }

    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.places.table().remove(self.id);
    }
}

#[derive(Default)]
struct ConnectionTable {
    /// The id of the next connection. No id is used twice, so a connection that was closed to make room frees nothing again.
    next: u64,
    connections: HashMap<u64, ConnectionEntry>,
    narrow: NetworkCounts,
    wide: NetworkCounts,
}

struct ConnectionEntry {
    activity: Arc<Activity>,
    /// The client's networks; `None` for a proxy.
    client: Option<ClientCounters>,
    task: Option<AbortHandle>,
}

/// A client's networks, and how many connections each has.
struct ClientCounters {
    network: ClientNetwork,
    narrow: Arc<AtomicUsize>,
    wide: Arc<AtomicUsize>,
}

/// The connections of which an idle one may be closed for a new one.
enum Candidates {
    /// Connections of the same narrow network.
    Narrow(IpNet),
    /// Connections of the same wide network.
    Wide(IpNet),
    /// Connections of the same wide network, and of each network that has more connections than this number.
    Larger(IpNet, usize),
    /// All connections, also of proxies.
    Anybody,
}

impl Candidates {
    fn has(&self, connection: &ConnectionEntry) -> bool {
        let Some(client) = &connection.client else { return matches!(self, Self::Anybody) };
        let ClientNetwork { narrow, wide } = client.network;
        match self {
            Self::Narrow(own) => narrow == *own,
            Self::Wide(own) => wide == *own,
            Self::Larger(own, held) => client.wide.load(Ordering::Relaxed) > *held || wide == *own,
            Self::Anybody => true,
        }
    }
}

impl ConnectionTable {
    /// Whose idle connection must be closed before a new one of this network; `None` where there is room.
    fn crowded(&self, bounds: &Bounds, network: Option<&ClientNetwork>) -> Option<Candidates> {
        let free = bounds.all.saturating_sub(self.connections.len());
        let Some(network) = network else { return (free == 0).then_some(Candidates::Anybody) };
        let held = self.wide.of(network.wide);
        if self.narrow.of(network.narrow) >= bounds.narrow {
            Some(Candidates::Narrow(network.narrow))
        } else if held >= bounds.wide {
            Some(Candidates::Wide(network.wide))
        } else if free <= bounds.left_free(held) {
            Some(Candidates::Larger(network.wide, held))
        } else {
            None
        }
    }

    fn open(&mut self, network: Option<ClientNetwork>, activity: Arc<Activity>) -> u64 {
        let id = self.next;
        self.next += 1;
        let client = network.map(|network| ClientCounters {
            narrow: self.narrow.add(network.narrow),
            wide: self.wide.add(network.wide),
            network,
        });
        self.connections.insert(id, ConnectionEntry { activity, client, task: None });
        id
    }

    fn remove(&mut self, id: u64) -> Option<ConnectionEntry> {
        let connection = self.connections.remove(&id)?;
        if let Some(ClientCounters { network, .. }) = &connection.client {
            self.narrow.take(network.narrow);
            self.wide.take(network.wide);
        }
        Some(connection)
    }

    /// Closes an idle connection of those. `None` where there is none.
    fn close_one(&mut self, candidates: &Candidates) -> Option<()> {
        for _ in 0..TRIES {
            let (id, idle_since) = self.longest_idle(candidates)?;
            if !self.connections.get(&id)?.activity.close(idle_since) {
                continue; // A request came meanwhile.
            }
            metrics::counter!("touchstone_connections_made_room_total").increment(1);
            // It waits for a request, so that nothing is lost with its task.
            if let Some(task) = self.remove(id)?.task {
                task.abort();
            }
            return Some(());
        }
        None
    }

    /// Of those connections, of the network that has most, the one that has been idle longest, and since when.
    fn longest_idle(&self, candidates: &Candidates) -> Option<(u64, u64)> {
        /// The rank of an idle connection: the connections of its wide and narrow network, and the time since when it
        /// is idle.
        type Rank = ((usize, usize), Reverse<(u64, u64)>);
        let mut found: Option<Rank> = None;
        for (id, connection) in self.connections.iter().filter(|(_, connection)| candidates.has(connection)) {
            let held = connection.client.as_ref().map_or((0, 0), ClientCounters::held);
            if found.is_some_and(|(most, _)| held < most) {
                continue;
            }
            let Some(since) = connection.activity.idle_since() else { continue };
            found = found.max(Some((held, Reverse((since, *id)))));
        }
        found.map(|(_, Reverse((since, id)))| (id, since))
    }
}

impl ClientCounters {
    /// The connections of the wide network, and of the narrow one.
    fn held(&self) -> (usize, usize) {
        (self.wide.load(Ordering::Relaxed), self.narrow.load(Ordering::Relaxed))
    }
}

/// The number of connections of each network. The counts change only under the table's lock; they are shared so that a
/// search through all connections need not look each network up.
#[derive(Default)]
struct NetworkCounts(HashMap<IpNet, Arc<AtomicUsize>>);

impl NetworkCounts {
    fn of(&self, network: IpNet) -> usize {
        self.0.get(&network).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    fn add(&mut self, network: IpNet) -> Arc<AtomicUsize> {
        let count = self.0.entry(network).or_default();
        count.fetch_add(1, Ordering::Relaxed);
        Arc::clone(count)
    }

    fn take(&mut self, network: IpNet) {
        let Some(count) = self.0.get(&network) else { return };
        if count.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.remove(&network);
        }
    }
}

#[cfg(test)]
mod tests;

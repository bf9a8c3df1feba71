//! Places: how many fetches run at once, in all and to one host, so that one slow source blocks nobody.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::error::FetchError;
use crate::limits::Limits;

/// The places of one fetcher.
pub(crate) struct Slots {
    limits: Limits,
    all: Arc<Semaphore>,
    hosts: Mutex<HashMap<String, Host>>,
}

/// A host with a fetch under way or waiting.
struct Host {
    places: Arc<Semaphore>,
    users: usize,
}

/// A place taken; given back when dropped.
pub(crate) struct Place {
    _all: OwnedSemaphorePermit,
    _host: OwnedSemaphorePermit,
    _lease: Lease,
}

impl Slots {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        let all = Arc::new(Semaphore::new(limits.in_all));
        Arc::new(Self { limits: limits.clone(), all, hosts: Mutex::default() })
    }

    /// Takes a place, waiting up to [`Limits::wait`]. The host's place comes first, so that those who wait for
    /// a slow host hold nothing that others need; the order is the same for all and no holder waits for more.
    pub(crate) async fn take(self: &Arc<Self>, host: &str) -> Result<Place, FetchError> {
        let (lease, places) = self.lease(host)?;
        let permits = timeout(self.limits.wait, async {
            let host = places.acquire_owned().await.ok()?;
            let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some((host, all))
        });
        let (host, all) = permits.await.ok().flatten().ok_or(FetchError::Busy)?;
        Ok(Place { _all: all, _host: host, _lease: lease })
    }

    fn lease(self: &Arc<Self>, name: &str) -> Result<(Lease, Arc<Semaphore>), FetchError> {
        let mut hosts = self.hosts();
        if !hosts.contains_key(name) && hosts.len() >= self.limits.hosts {
            return Err(FetchError::Busy);
        }
        let host = hosts
            .entry(name.to_owned())
            .or_insert_with(|| Host { places: Arc::new(Semaphore::new(self.limits.per_host)), users: 0 });
        if host.users >= self.limits.per_host.saturating_add(self.limits.waiting_per_host) {
            return Err(FetchError::Busy);
        }
        host.users += 1;
        let lease = Lease { slots: Arc::clone(self), host: name.to_owned() };
        Ok((lease, Arc::clone(&host.places)))
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<String, Host>> {
        // Nothing in the guarded sections can leave the map half changed.
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a user of a host; the last one takes the host off the table.
struct Lease {
    slots: Arc<Slots>,
    host: String,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut hosts = self.slots.hosts();
        if let Some(host) = hosts.get_mut(&self.host) {
            host.users -= 1;
            if host.users == 0 {
                hosts.remove(&self.host);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Slots;
    use crate::error::FetchError;
    use crate::limits::Limits;

    fn limits() -> Limits {
        let wait = Duration::from_millis(20);
        Limits { per_host: 2, waiting_per_host: 1, in_all: 3, hosts: 3, wait, ..Limits::default() }
    }

    #[tokio::test]
    async fn a_full_host_turns_away_and_blocks_no_other_host() {
        let slots = Slots::new(&limits());
        let held = (slots.take("a").await.unwrap(), slots.take("a").await.unwrap());
        assert!(matches!(slots.take("a").await, Err(FetchError::Busy)));
        let other = slots.take("b").await.unwrap();
        assert!(matches!(slots.take("c").await, Err(FetchError::Busy)), "three in all");
        drop((held, other));
        assert!(slots.hosts().is_empty(), "the table is empty when nothing is under way");
        assert!(slots.take("a").await.is_ok());
    }

    #[tokio::test]
    async fn a_place_given_back_in_time_is_taken_by_the_one_who_waits() {
        let slots = Slots::new(&Limits { wait: Duration::from_secs(30), ..limits() });
        let first = slots.take("a").await.unwrap();
        let _second = slots.take("a").await.unwrap();
        let waiting = tokio::spawn({
            let slots = slots.clone();
            async move { slots.take("a").await.is_ok() }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(waiting.await.unwrap());
    }

    #[tokio::test]
    async fn no_more_than_the_bound_wait_for_one_host() {
        let slots = Slots::new(&Limits { wait: Duration::from_secs(30), ..limits() });
        let _held = (slots.take("a").await.unwrap(), slots.take("a").await.unwrap());
        let mut waiting = Box::pin(slots.take("a"));
        assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        assert!(matches!(slots.take("a").await, Err(FetchError::Busy)), "at once");
        drop(waiting);
        assert_eq!(slots.hosts().get("a").map(|host| host.users), Some(2), "a wait given up leaves no trace");
    }

    #[tokio::test]
    async fn the_table_of_hosts_is_bounded() {
        let slots = Slots::new(&Limits { in_all: 100, ..limits() });
        let _held =
            (slots.take("a").await.unwrap(), slots.take("b").await.unwrap(), slots.take("c").await.unwrap());
        assert!(matches!(slots.take("d").await, Err(FetchError::Busy)));
        assert!(slots.take("a").await.is_ok());
    }
}

//! The lease of the process that downloads from publishers.

use std::sync::Arc;

use ledger::{Ledger, LedgerError, Owner};
use tokio::sync::Mutex;
use verdict::{Clock, Timestamp};

/// The time of the lease in milliseconds.
const LEASE_MS: i64 = 60_000;
/// The time before the end of the lease at which it is extended, in milliseconds; and the interval at which the other
/// processes try to take it.
const RENEW_MS: i64 = 40_000;
const TRY_MS: i64 = 10_000;
/// The name of the lease.
const DOWNLOADS: &str = "downloads";

/// The lease, as one process takes it, extends it, and gives it up when it stops.
pub struct DownloadLease {
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    owner: Owner,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The end of the lease, where this process has it.
    until: Option<Timestamp>,
    /// The time from which on the lease is taken or extended again.
    next_at: Option<Timestamp>,
    /// True if this process takes it no more.
    is_released: bool,
}

impl DownloadLease {
    pub(super) fn new(ledger: Arc<dyn Ledger>, clock: Arc<dyn Clock>, owner: Owner) -> Self {
        Self { ledger, clock, owner, state: Mutex::default() }
    }

    /// Takes the lease, or extends it, where it is time to.
    pub(super) async fn keep(&self) -> Result<(), LedgerError> {
        let mut state = self.state.lock().await;
        let now = self.clock.now();
        if state.is_released || state.next_at.is_some_and(|at| now < at) {
            return Ok(());
        }
        state.next_at = Some(now.saturating_add_millis(TRY_MS));
        let until = now.saturating_add_millis(LEASE_MS);
        let is_mine = self.ledger.lease(DOWNLOADS, self.owner, now, until).await?;
        if is_mine != state.until.is_some() {
            tracing::info!(here = is_mine, "the replica that downloads lists and feeds has changed");
        }
        state.until = is_mine.then_some(until);
        if is_mine {
            state.next_at = Some(now.saturating_add_millis(LEASE_MS - RENEW_MS));
        }
        Ok(())
    }

    /// Returns true if this process has the lease now.
    pub(super) async fn is_held(&self) -> bool {
        let state = self.state.lock().await;
        !state.is_released && state.until.is_some_and(|until| self.clock.now() < until)
    }

    /// Gives the lease up for good, so that another process need not wait for its end.
    pub async fn release(&self) {
        let mut state = self.state.lock().await;
        state.is_released = true;
        if state.until.take().is_none() {
            return;
        }
        let now = self.clock.now();
        if let Err(error) = self.ledger.lease(DOWNLOADS, self.owner, now, now).await {
            tracing::warn!(%error, "the lease to download lists and feeds was not given up");
        }
    }
}

#[cfg(test)]
mod tests {
    use ledger::Identity;
    use ledger_sqlite::SqliteLedger;
    use tlog::SigningKey;
    use verdict::SystemClock;

    use super::*;

    #[tokio::test]
    async fn who_stops_gives_the_lease_up_at_once_and_takes_it_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let log_key = SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap();
        let identity = Identity {
            receipt_kid: "notary-1".to_owned(),
            log_vkey: log_key.verifier().to_string(),
            ..Identity::default()
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        let path = folder.path().join("store.sqlite");
        let ledger = SqliteLedger::open(&path, log_key, &identity, Arc::clone(&clock)).unwrap();
        let ledger: Arc<dyn Ledger> = Arc::new(ledger);
        let lease = |owner| DownloadLease::new(Arc::clone(&ledger), Arc::clone(&clock), Owner([owner; 16]));
        let holds = async |lease: &DownloadLease| {
            lease.keep().await.unwrap();
            lease.is_held().await
        };
        let one = lease(1);
        assert!(holds(&one).await);
        let other = lease(2);
        assert!(!holds(&other).await, "one has it");
        other.release().await;
        assert!(holds(&one).await, "who does not have it gives nothing up");
        one.release().await;
        assert!(!holds(&one).await);
        assert!(holds(&lease(3)).await);
    }
}

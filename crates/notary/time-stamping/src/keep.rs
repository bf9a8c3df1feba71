//! The loop that has a token asked for once an hour.

use std::sync::Arc;
use std::time::Duration;

use ledger::{Owner, StampedCheckpoint};
use tokio::time::sleep;

use crate::stamping::Stamping;

/// The interval between two tokens, by the time of the newest one.
pub const EVERY: Duration = Duration::from_secs(3600);
/// The shortest pause after a request that has brought no token; it doubles with each further one.
pub const RETRY_FROM: Duration = Duration::from_secs(30);
/// The longest pause after a request that has brought no token.
pub const RETRY_TO: Duration = Duration::from_secs(1800);
/// The time after which the service is degraded if no token is over what is in the log: two were missed.
pub const LATE_AFTER: Duration = Duration::from_secs(3 * 3600);
/// The interval at which it is looked if a token is due, or another process has stored one.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The pause after a token could not be logged.
const LOG_AGAIN: Duration = Duration::from_secs(60);
/// The name of the lease under which one process asks.
const LEASE: &str = "timestamps";
/// Duration of the lease in milliseconds: longer than a request takes.
const LEASE_MS: i64 = 30_000;

impl Stamping {
    /// Reads the newest token from the store, before the service answers. A failure is left to the loop.
    pub async fn prepare(&self) {
        if let Err(error) = self.refresh().await {
            tracing::warn!(%error, "the newest time-stamp token cannot be read");
        }
    }

    /// Has a token asked for whenever one is due, for as long as it is polled, while this process has the lease; else follows
    /// the process that has it.
    pub async fn keep(self: Arc<Self>, owner: Owner) {
        let mut pause = RETRY_FROM;
        loop {
            match self.round(owner).await {
                Some(false) => {
                    self.wait(pause, owner).await;
                    pause = (pause * 2).min(RETRY_TO);
                }
                Some(true) => pause = RETRY_FROM,
                None => {}
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// Waits after a failed request. Another process may have more luck meanwhile.
    async fn wait(&self, pause: Duration, owner: Owner) {
        let until = self.notary.clock.monotonic() + pause;
        while self.notary.clock.monotonic() < until {
            sleep(LOOK_EVERY.min(pause)).await;
            drop(self.refresh().await.inspect_err(|error| tracing::debug!(%error, "no newer token")));
            self.keep_logged(owner).await;
            self.look_behind();
        }
    }

    /// Asks for a token where one is due. Says if one came; `None` where none was asked for.
    ///
    /// One is due if the log has leaves that no token is over, and the newest token is an hour old. A token that another
    /// process has stored counts.
    pub async fn round(&self, owner: Owner) -> Option<bool> {
        if let Err(error) = self.refresh().await {
            tracing::debug!(%error, "the newest time-stamp token cannot be read");
            return None;
        }
        if !self.keep_logged(owner).await {
            return None;
        }
        self.look_behind();
        let head = self.notary.ledger.head();
        let now = self.notary.clock.now();
        let newest = self.newest();
        let every = i64::try_from(EVERY.as_millis()).unwrap_or(i64::MAX);
        // A token whose time is ahead of a clock that went back is not waited for.
        let is_hour = |newest: Arc<StampedCheckpoint>| {
            now.millis_since(newest.at).unsigned_abs() >= every.unsigned_abs()
        };
        let asked = self.progress().stamped_at;
        // A token may come and not be stored, where one of other roots is over this tree: it is not asked for anew.
        let is_asked = asked.is_some_and(|at| self.notary.clock.monotonic().saturating_sub(at) < EVERY);
        let is_old = newest.is_none_or(is_hour) && !is_asked;
        if !self.has_grown() || !is_old || self.notary.ledger.is_away() {
            return None;
        }
        let has_lease = self.has_lease(owner).await;
        self.progress().asks = has_lease;
        if !has_lease {
            return None;
        }
        let result = self.stamp(&head).await;
        self.keep_logged(owner).await;
        let outcome = if result.is_ok() { "stamped" } else { "failed" };
        metrics::counter!("touchstone_timestamp_requests_total", "outcome" => outcome).increment(1);
        self.look_behind();
        let error = result.as_ref().err().map(ToString::to_string);
        let mut progress = self.progress();
        if let Some(error) = error.as_ref().filter(|error| progress.error.as_ref() != Some(error)) {
            tracing::warn!(%error, "the time-stamping authority has given no token");
        }
        if error.is_none() {
            progress.stamped_at = Some(self.notary.clock.monotonic());
        }
        progress.error = error;
        Some(result.is_ok())
    }

    pub(crate) async fn has_lease(&self, owner: Owner) -> bool {
        let now = self.notary.clock.now();
        let until = now.saturating_add_millis(LEASE_MS);
        self.notary.ledger.lease(LEASE, owner, now, until).await.unwrap_or(false)
    }

    /// Has the newest token logged, and notes once it is. False after a failure: then it is not known if the leaf of the token is
    /// all that the log has grown by. It is tried again after a pause, since the log may have the leaf all the same.
    async fn keep_logged(&self, owner: Owner) -> bool {
        let Some(newest) = self.newest() else { return true };
        if self.progress().logged == Some(newest.size) {
            return true;
        }
        let now = self.notary.clock.monotonic();
        if self.progress().log_again_at.is_some_and(|at| now < at) {
            return false;
        }
        let error = self.log_stamp(&newest, owner).await.err().map(|error| error.to_string());
        let mut progress = self.progress();
        if let Some(error) = error.as_ref().filter(|error| progress.log_error.as_ref() != Some(error)) {
            tracing::warn!(%error, "a time-stamp token cannot be logged yet");
        }
        progress.log_again_at = error.is_some().then_some(now + LOG_AGAIN);
        progress.log_error = error;
        progress.log_error.is_none()
    }

    /// Returns true if the log has more leaves than the newest stamped tree and the leaf of its token.
    fn has_grown(&self) -> bool {
        let newest = self.newest().map(|newest| newest.size);
        let own = u64::from(newest.is_some() && self.progress().logged == newest);
        newest.unwrap_or(0) + own < self.notary.ledger.head().size
    }

    /// Notes since when the log has been larger than the newest stamped tree.
    fn look_behind(&self) {
        let is_behind = self.has_grown();
        let mut progress = self.progress();
        if !is_behind {
            progress.behind_since = None;
        } else if progress.behind_since.is_none() {
            progress.behind_since = Some(self.notary.clock.monotonic());
        }
    }
}

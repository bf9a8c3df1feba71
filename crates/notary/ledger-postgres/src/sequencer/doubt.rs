//! What a sequencer does about a commit of unknown outcome, and while the store is away.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::sequence::{Outcome, Sequence};
use super::task::{After, TRANSACTION_BOUND, Task};
use crate::connection::{Result, within};

/// The time after which callers are told that the outcome of their jobs is unknown.
const DOUBT_BOUND: Duration = Duration::from_secs(15);
/// The pause between two attempts to reach a store that is away.
const RECOVERY_PAUSE: Duration = Duration::from_millis(300);

const READ_TOKEN: &str = "SELECT token FROM writers WHERE writer = $1";
const RESOLVE: &str = "INSERT INTO writers (writer, token, resolved, at)
    VALUES ($1, -1, 1, (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT)
    ON CONFLICT (writer) DO UPDATE SET resolved = writers.resolved + 1, at = excluded.at";

impl<S: Sequence> Task<S> {
    /// Finds out whether a transaction in doubt has landed, and answers its batch. Callers wait for a bounded time; the
    /// sequencer waits for as long as it takes, and writes nothing else before.
    pub(super) async fn end_doubt(&mut self, batch: Vec<S::Job>) -> After {
        metrics::counter!("touchstone_store_unknown_commits_total").increment(1);
        let landed = tokio::time::timeout(DOUBT_BOUND, self.resolve()).await;
        match landed {
            Ok(has_landed) => {
                let outcome = if has_landed { Outcome::Durable } else { Outcome::RolledBack };
                self.sequence.answer(batch, outcome);
                if self.sequence.is_sound() { After::Ready } else { After::Unsound }
            }
            Err(_) => {
                tracing::error!(
                    sequencer = self.sequence.name(),
                    "a commit stays in doubt: callers are told so"
                );
                self.jobs.shared.is_writable.store(false, Ordering::Release);
                self.sequence.answer(batch, Outcome::Unknown);
                After::Away
            }
        }
    }

    /// Waits until the store acknowledges a transaction, or nobody wants one any more. Jobs that wait are refused, and no
    /// further ones are taken. Returns false where nothing more may be written.
    pub(super) async fn recover(&mut self) -> bool {
        loop {
            loop {
                match self.jobs.waiting_now() {
                    None => return true,
                    Some(batch) if batch.is_empty() => break,
                    Some(batch) => self.sequence.answer(batch, Outcome::RolledBack),
                }
            }
            if self.try_to_resolve().await.is_some() {
                break;
            }
        }
        // An isolated old primary may show an earlier state too, but it acknowledges nothing.
        if !self.sequence.is_sound() {
            return false;
        }
        self.jobs.shared.is_writable.store(true, Ordering::Release);
        tracing::info!(sequencer = self.sequence.name(), "the store takes transactions again");
        true
    }

    /// Returns true if the transaction of the last token has landed. It does not return before the store has
    /// acknowledged a transaction that says so.
    async fn resolve(&mut self) -> bool {
        loop {
            if let Some(has_landed) = self.try_to_resolve().await {
                return has_landed;
            }
        }
    }

    /// Asks once whether the transaction of the last token has landed; `None`, after a pause, where the store is away.
    async fn try_to_resolve(&mut self) -> Option<bool> {
        match within(TRANSACTION_BOUND, self.read_token()).await {
            Ok(token) => Some(token == Some(self.token)),
            Err(error) => {
                if let Some(repeats) = self.repeats.due("resolve", self.clock.monotonic()) {
                    tracing::warn!(%error, repeats, sequencer = self.sequence.name(), "the store is away");
                }
                tokio::time::sleep(RECOVERY_PAUSE).await;
                None
            }
        }
    }

    /// The token of the last transaction that has landed, read by a transaction that writes and commits as well.
    async fn read_token(&mut self) -> Result<Option<i64>> {
        let session = self.session().await?;
        let connection = session.connection(0);
        connection.batch("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
        self.sequence.lock(connection).await?;
        self.sequence.compare(connection).await?;
        let row = connection.maybe(READ_TOKEN, &[&self.writer.as_slice()]).await?;
        let token = row.map(|row| row.try_get(0)).transpose()?;
        connection.run(RESOLVE, &[&self.writer.as_slice()]).await?;
        session.commit().await?;
        self.session = Some(session);
        Ok(token)
    }
}

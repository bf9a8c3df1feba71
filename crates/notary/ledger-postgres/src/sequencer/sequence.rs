//! The work of a sequencer, as its task sees it.

use std::time::Duration;

use futures_util::future::BoxFuture;

use super::queue::Weight;
use crate::connection::{Connection, Result};

/// The result of a batch, for its callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The batch is durable, or there was nothing to be written.
    Durable,
    /// Nothing was changed.
    RolledBack,
    /// Nobody knows whether the batch is durable.
    Unknown,
}

/// The state of a transaction whose statements have succeeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Written {
    /// There is something to be committed.
    Something,
    /// Nothing was changed that must be committed.
    Nothing,
}

/// The work of one sequencer.
pub(crate) trait Sequence: Send + Sync + 'static {
    type Job: Weight + Send + 'static;

    /// Returns the name of the sequencer, for logs and metrics.
    fn name(&self) -> &'static str;

    /// The statements that begin a transaction.
    fn begin(&self) -> &'static str {
        "BEGIN ISOLATION LEVEL READ COMMITTED"
    }

    /// The time after which a transaction without jobs is made; `None` where there is none.
    fn idle(&self) -> Option<Duration> {
        None
    }

    /// Prepares the statements that are sent at the same time as others, on a new connection.
    fn prepare<'a>(&'a self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>>;

    /// Locks the row of this sequencer. Its statement is [prepared](Self::prepare), since it is sent at once after BEGIN.
    fn lock<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>>;

    /// Compares the store with what is known to be durable, within a transaction that holds the lock and ends a doubt or a
    /// time in which the store was away.
    fn compare<'a>(&'a mut self, _: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Returns false if the store, as it was [compared](Self::compare) last, contradicts what is known to be durable. It is
    /// asked once that transaction was acknowledged.
    fn is_sound(&self) -> bool {
        true
    }

    /// Does the jobs, within a transaction that holds the lock. They are done again where it was rolled back. `now` is
    /// the store's time in milliseconds since 1970.
    fn write<'a>(
        &'a mut self,
        connection: Connection<'a>,
        now: i64,
        jobs: &'a mut Vec<Self::Job>,
    ) -> BoxFuture<'a, Result<Written>>;

    /// Answers the callers. The lock is no longer held.
    fn answer(&mut self, jobs: Vec<Self::Job>, outcome: Outcome);

    /// Ends the work, on a connection without a transaction: the queue is closed and empty.
    fn close<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>>;
}

//! The work sequencer: steps of claims, refunds, watches and webhooks, and other small changes, several in a transaction.

use futures_util::future::BoxFuture;
use ledger::LedgerError;

use crate::connection::{Connection, Result};
use crate::log::head::{self, StoredHead};
use crate::sequencer::{Outcome, Sequence, Weight, Written};
use crate::step::AnyChange;

/// Locks the row of all decisions about claims, refunds, watches and webhooks.
const LOCK: &str = "SELECT name FROM locks WHERE name = 'work' FOR UPDATE";

/// Locks the row of the work sequencer within a transaction that also logs receipts, and so has locked the head.
pub(crate) async fn lock(connection: Connection<'_>) -> Result<()> {
    connection.one(LOCK, &[]).await.map(drop)
}

impl Weight for Box<dyn AnyChange> {
    fn bytes(&self) -> usize {
        (**self).bytes()
    }
}

/// The work sequencer, or one that holds the lock of the log as well: see [`retention`](crate::retention).
pub(crate) struct Work {
    pub(crate) with_log: bool,
}

impl Sequence for Work {
    type Job = Box<dyn AnyChange>;

    fn name(&self) -> &'static str {
        if self.with_log { "retention" } else { "work" }
    }

    fn prepare<'a>(&'a self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            if self.with_log {
                connection.prepare(head::LOCK).await?;
            }
            connection.prepare(LOCK).await.map(drop)
        })
    }

    fn lock<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            // In the order in which the log's own sequencer takes them.
            if self.with_log {
                StoredHead::lock(connection).await?;
            }
            lock(connection).await
        })
    }

    fn write<'a>(
        &'a mut self,
        connection: Connection<'a>,
        _: i64,
        jobs: &'a mut Vec<Self::Job>,
    ) -> BoxFuture<'a, Result<Written>> {
        Box::pin(async move {
            for change in jobs {
                change.take(connection).await?;
            }
            Ok(Written::Something)
        })
    }

    fn answer(&mut self, jobs: Vec<Self::Job>, outcome: Outcome) {
        for change in jobs {
            change.answer(match &outcome {
                Outcome::Durable => None,
                Outcome::RolledBack => Some(LedgerError::Busy),
                Outcome::Unknown => Some(LedgerError::OutcomeUnknown),
            });
        }
    }

    fn close<'a>(&'a mut self, _: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

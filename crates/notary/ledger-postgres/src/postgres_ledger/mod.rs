//! The [`Ledger`](ledger::Ledger) of several replicas, on PostgreSQL, and its parts: payments, refunds, grants, watches.

mod payments;
mod reader;
mod refunds;

use std::sync::Arc;

use deadpool_postgres::Pool;
use ledger::{LedgerError, MAX_RECORD_BYTES};
use tokio::sync::oneshot;
use verdict::Clock;

use crate::config::Server;
use crate::sequencer::Sequencer;
use crate::step::{AnyChange, Change, StepFn};

/// The ledger of several replicas over one PostgreSQL store.
pub struct PostgresLedger {
    pool: Pool,
    server: Server,
    clock: Arc<dyn Clock>,
    work: Sequencer<Box<dyn AnyChange>>,
}

impl PostgresLedger {
    /// Makes a change in a transaction of the work sequencer. `bytes` is what it adds to the queue. The work is done
    /// again with the same arguments where its transaction was rolled back for the sake of another one; it refuses
    /// before it has changed anything.
    pub(crate) async fn change<A: Send + Sync + 'static, T: Send + 'static>(
        &self,
        bytes: usize,
        args: A,
        work: StepFn<A, T>,
    ) -> Result<T, LedgerError> {
        if bytes > MAX_RECORD_BYTES {
            return Err(LedgerError::Unfit(format!("{bytes} bytes, more than {MAX_RECORD_BYTES}")));
        }
        let (reply, answer) = oneshot::channel();
        self.work.queue.submit(Box::new(Change::new(bytes, args, work, reply)))?;
        answer.await.map_err(|_| LedgerError::OutcomeUnknown)?
    }

    /// The size of the newest tree that this process knows.
    pub(crate) fn published_size(&self) -> u64 {
        0
    }
}

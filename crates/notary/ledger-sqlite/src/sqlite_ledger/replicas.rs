//! The trait's part about the processes that share a store: this one alone has it open.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use ledger::{Ledger as _, LedgerError, Replica, ReplicaReport, Replicas};
use receipt::time::Timestamp;

use super::SqliteLedger;

/// This process, as it describes itself.
pub(super) struct OnlyReplica {
    started_at: Timestamp,
    report: Mutex<ReplicaReport>,
}

impl OnlyReplica {
    pub(super) fn new(started_at: Timestamp) -> Self {
        Self { started_at, report: Mutex::default() }
    }
}

#[async_trait]
impl Replicas for SqliteLedger {
    fn report(&self, report: ReplicaReport) {
        *self.replica.report.lock().unwrap_or_else(PoisonError::into_inner) = report.bounded();
    }

    async fn replicas(&self) -> Result<Vec<Replica>, LedgerError> {
        let report = self.replica.report.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(vec![Replica {
            id: [0; 16],
            report,
            started_at: self.replica.started_at,
            seen_at: self.clock.now(),
            head: self.head().size,
            clock_offset_ms: 0,
        }])
    }

    async fn ping(&self) -> Result<(), LedgerError> {
        self.read(|connection| connection.query_row("SELECT 1", [], |_| Ok(()))).await
    }

    fn clock_offset_ms(&self) -> Option<i64> {
        None
    }

    /// A disk that has failed is found to work again by the next change. An archive takes none.
    fn is_away(&self) -> bool {
        self.is_archive
    }

    fn observe(&self) {}
}

//! The trait's part about the processes that share a store, on PostgreSQL.

use async_trait::async_trait;
use ledger::{LedgerError, Replica, ReplicaReport, Replicas};

use super::PostgresLedger;
use crate::replica_rows;

#[async_trait]
impl Replicas for PostgresLedger {
    fn report(&self, report: ReplicaReport) {
        self.report.set(report);
    }

    async fn replicas(&self) -> Result<Vec<Replica>, LedgerError> {
        Ok(replica_rows::all(self.reader().await?.connection()).await?)
    }

    async fn ping(&self) -> Result<(), LedgerError> {
        self.snapshot().await?.abandon().await
    }

    fn clock_offset_ms(&self) -> Option<i64> {
        Some(self.server.offset())
    }

    fn is_away(&self) -> bool {
        !self.takes_changes() && !self.log.queue.is_stopped()
    }

    fn observe(&self) {
        self.pools.observe();
    }
}

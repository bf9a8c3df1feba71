//! The trait's part about retention and erasure, on PostgreSQL.

use async_trait::async_trait;
use ledger::{AskedErasure, ErasedReceipt, Expired, Inclusion, LedgerError, Retention, RetentionTerms};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tokio::sync::oneshot;

use super::PostgresLedger;
use crate::retention::{asked_rows, erase_steps, expire_steps};
use crate::step::{Change, StepFn};

impl PostgresLedger {
    /// Makes a change under the locks of the log and of all work.
    async fn change_all<A: Send + Sync + 'static, T: Send + 'static>(
        &self,
        args: A,
        work: StepFn<A, T>,
    ) -> Result<T, LedgerError> {
        self.check_takes_changes()?;
        let (reply, answer) = oneshot::channel();
        self.retention.queue.submit(Box::new(Change::new(0, args, work, reply)))?;
        self.noted(answer.await.map_err(|_| LedgerError::OutcomeUnknown)?)
    }
}

#[async_trait]
impl Retention for PostgresLedger {
    async fn expire_requests(&self, terms: RetentionTerms, now: Timestamp) -> Result<Expired, LedgerError> {
        self.change_all((terms, now), |connection, (terms, now)| {
            Box::pin(expire_steps::expire(connection, terms, *now))
        })
        .await
    }

    async fn forget_trials(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError> {
        self.change(0, (before, most), |connection, (before, most)| {
            Box::pin(expire_steps::forget_trials(connection, *before, *most))
        })
        .await
    }

    async fn forget_deliveries(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError> {
        self.change(0, (before, most), |connection, (before, most)| {
            Box::pin(expire_steps::forget_deliveries(connection, *before, *most))
        })
        .await
    }

    // Under the lock of the log too: a receipt that is being logged may store the memory anew.
    async fn forget_memories(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError> {
        self.change_all((before, most), |connection, (before, most)| {
            Box::pin(expire_steps::forget_memories(connection, *before, *most))
        })
        .await
    }

    async fn erased(&self, hash: &ReceiptHash) -> Result<Option<(ErasedReceipt, Inclusion)>, LedgerError> {
        let snapshot = self.snapshot().await?;
        let found = match erase_steps::erased(snapshot.connection(), hash).await? {
            Some(erased) => {
                let inclusion = snapshot.tree().inclusion(erased.leaf).await?;
                inclusion.map(|inclusion| (erased, inclusion))
            }
            None => None,
        };
        snapshot.end().await?;
        Ok(found)
    }

    async fn asked_erasures(&self, most: u32) -> Result<Vec<AskedErasure>, LedgerError> {
        Ok(asked_rows::waiting(self.reader().await?.connection(), most).await?)
    }

    async fn refuse_erasure(
        &self,
        hash: &ReceiptHash,
        why: String,
        at: Timestamp,
    ) -> Result<(), LedgerError> {
        self.change(why.len(), (*hash, why, at), |connection, (hash, why, at)| {
            Box::pin(asked_rows::refuse(connection, hash, why, *at))
        })
        .await
    }
}

//! The trait's part about retention and erasure, on SQLite.

use async_trait::async_trait;
use ledger::{AskedErasure, ErasedReceipt, Expired, Inclusion, LedgerError, Retention, RetentionTerms};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::SqliteLedger;
use crate::log::tree::TreeView;
use crate::log::writer::Job;
use crate::retention::{asked_rows, erase_steps, expire_steps};

#[async_trait]
impl Retention for SqliteLedger {
    async fn expire_requests(&self, terms: RetentionTerms, now: Timestamp) -> Result<Expired, LedgerError> {
        self.change(0, move |transaction| expire_steps::expire(transaction, &terms, now)).await
    }

    async fn overwrite_deleted(&self) -> Result<bool, LedgerError> {
        let (reply, emptied) = oneshot::channel();
        self.writer.submit(Job::EmptyWal(reply))?;
        emptied.await.map_err(|_| LedgerError::OutcomeUnknown)
    }

    async fn forget_trials(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError> {
        self.change(0, move |transaction| Ok(expire_steps::forget_trials(transaction, before, most)?)).await
    }

    async fn forget_deliveries(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError> {
        self.change(0, move |transaction| Ok(expire_steps::forget_deliveries(transaction, before, most)?))
            .await
    }

    async fn forget_memories(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError> {
        self.change(0, move |transaction| Ok(expire_steps::forget_memories(transaction, before, most)?)).await
    }

    async fn erased(&self, hash: &ReceiptHash) -> Result<Option<(ErasedReceipt, Inclusion)>, LedgerError> {
        let work = |connection: &Connection| {
            let Some(erased) = erase_steps::erased(connection, &self.recent, hash)? else { return Ok(None) };
            let published = self.board.newest();
            let tree = TreeView::new(connection, &self.caches, &published);
            Ok(tree.inclusion(erased.leaf)?.map(|inclusion| (erased, inclusion)))
        };
        self.readers.run_here(work).await
    }

    async fn asked_erasures(&self, most: u32) -> Result<Vec<AskedErasure>, LedgerError> {
        self.read(move |connection| asked_rows::waiting(connection, most)).await
    }

    async fn refuse_erasure(
        &self,
        hash: &ReceiptHash,
        why: String,
        at: Timestamp,
    ) -> Result<(), LedgerError> {
        let hash = *hash;
        self.change(why.len(), move |transaction| Ok(asked_rows::refuse(transaction, &hash, &why, at)?)).await
    }
}

//! The trait's part about stamped checkpoints, on PostgreSQL.

use async_trait::async_trait;
use ledger::rules::stamped::check;
use ledger::{LedgerError, LoggedStamp, Stamped, StampedCheckpoint};
use receipt::hash::ReceiptHash;

use super::PostgresLedger;
use crate::stamped_rows;

#[async_trait]
impl Stamped for PostgresLedger {
    /// Within a transaction that writes, as what is shared: a token that was served is served from then on.
    async fn newest_stamped(&self) -> Result<Option<StampedCheckpoint>, LedgerError> {
        self.change(0, (), |connection, ()| Box::pin(stamped_rows::newest(connection.confirm()))).await
    }

    async fn first_stamped_with(&self, leaf: u64) -> Result<Option<StampedCheckpoint>, LedgerError> {
        Ok(stamped_rows::first_with(self.reader().await?.connection(), leaf).await?)
    }

    async fn record_stamped(&self, checkpoint: StampedCheckpoint) -> Result<bool, LedgerError> {
        check(&checkpoint)?;
        let bytes = checkpoint.note.len() + checkpoint.answer.len();
        self.change(bytes, checkpoint, |connection, checkpoint| {
            Box::pin(stamped_rows::record(connection, checkpoint))
        })
        .await
    }

    async fn last_logged_stamp(&self, before: u64) -> Result<Option<LoggedStamp>, LedgerError> {
        Ok(stamped_rows::last_logged(self.reader().await?.connection(), before).await?)
    }

    async fn note_logged_stamp(&self, size: u64, leaf: u64, receipt: ReceiptHash) -> Result<(), LedgerError> {
        self.change(0, (size, leaf, receipt), |connection, (size, leaf, receipt)| {
            Box::pin(stamped_rows::note_logged(connection, *size, *leaf, receipt))
        })
        .await
    }
}

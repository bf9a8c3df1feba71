//! The trait's part about stamped checkpoints, on SQLite.

use async_trait::async_trait;
use ledger::rules::stamped::check;
use ledger::{LedgerError, LoggedStamp, Stamped, StampedCheckpoint};
use receipt::hash::ReceiptHash;

use super::SqliteLedger;
use crate::stamped_rows;

#[async_trait]
impl Stamped for SqliteLedger {
    async fn newest_stamped(&self) -> Result<Option<StampedCheckpoint>, LedgerError> {
        self.read(stamped_rows::newest).await
    }

    async fn first_stamped_with(&self, leaf: u64) -> Result<Option<StampedCheckpoint>, LedgerError> {
        self.read(|connection| stamped_rows::first_with(connection, leaf)).await
    }

    async fn record_stamped(&self, checkpoint: StampedCheckpoint) -> Result<bool, LedgerError> {
        check(&checkpoint)?;
        let bytes = checkpoint.note.len() + checkpoint.answer.len();
        self.change(bytes, move |transaction| stamped_rows::record(transaction, &checkpoint)).await
    }

    async fn last_logged_stamp(&self, before: u64) -> Result<Option<LoggedStamp>, LedgerError> {
        self.read(|connection| stamped_rows::last_logged(connection, before)).await
    }

    async fn note_logged_stamp(&self, size: u64, leaf: u64, receipt: ReceiptHash) -> Result<(), LedgerError> {
        self.change(0, move |transaction| Ok(stamped_rows::note_logged(transaction, size, leaf, &receipt)?))
            .await
    }
}

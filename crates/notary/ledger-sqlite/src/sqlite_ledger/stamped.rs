//! The trait's part about stamped checkpoints, on SQLite.

use async_trait::async_trait;
use ledger::rules::stamped::check;
use ledger::{LedgerError, Stamped, StampedCheckpoint};

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
}

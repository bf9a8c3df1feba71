//! The trait's part about cosigned checkpoints, on SQLite.

use async_trait::async_trait;
use ledger::rules::cosigned::{check_leaf, check_note, check_sizes};
use ledger::{Cosigned, CosignedCheckpoint, Ledger as _, LedgerError};
use tlog::Hash;

use super::SqliteLedger;
use crate::cosigned_rows;

#[async_trait]
impl Cosigned for SqliteLedger {
    async fn consistency(&self, old: u64, new: u64) -> Result<Vec<Hash>, LedgerError> {
        check_sizes(old, new, self.head().size)?;
        self.over_tiles(|stored| stored.consistency(old, new)).await
    }

    async fn inclusion_at(&self, leaf: u64, size: u64) -> Result<Vec<Hash>, LedgerError> {
        check_leaf(leaf, size, self.head().size)?;
        self.over_tiles(|stored| stored.inclusion_at(leaf, size)).await
    }

    async fn newest_cosigned(&self) -> Result<Option<CosignedCheckpoint>, LedgerError> {
        self.read(cosigned_rows::newest).await
    }

    async fn first_cosigned_with(&self, leaf: u64) -> Result<Option<CosignedCheckpoint>, LedgerError> {
        self.read(|connection| cosigned_rows::first_with(connection, leaf)).await
    }

    async fn record_cosigned(&self, checkpoint: CosignedCheckpoint) -> Result<bool, LedgerError> {
        check_note(&checkpoint.note)?;
        let bytes = checkpoint.note.len();
        self.change(bytes, move |transaction| cosigned_rows::record(transaction, &checkpoint)).await
    }
}

//! The trait's part about cosigned checkpoints, on PostgreSQL.

use async_trait::async_trait;
use ledger::rules::cosigned::{check_leaf, check_note, check_sizes};
use ledger::{Cosigned, CosignedCheckpoint, LedgerError};
use tlog::Hash;

use super::PostgresLedger;
use crate::cosigned_rows;

#[async_trait]
impl Cosigned for PostgresLedger {
    async fn consistency(&self, old: u64, new: u64) -> Result<Vec<Hash>, LedgerError> {
        let snapshot = self.snapshot().await?;
        check_sizes(old, new, snapshot.published().head.size)?;
        let proof = snapshot.tree().consistency(old, new).await?;
        snapshot.end().await?;
        Ok(proof)
    }

    async fn inclusion_at(&self, leaf: u64, size: u64) -> Result<Vec<Hash>, LedgerError> {
        let snapshot = self.snapshot().await?;
        check_leaf(leaf, size, snapshot.published().head.size)?;
        let path = snapshot.tree().inclusion_at(leaf, size).await?;
        snapshot.end().await?;
        Ok(path)
    }

    /// Within a transaction that writes, as what is shared: a checkpoint that was served is served from then on.
    async fn newest_cosigned(&self) -> Result<Option<CosignedCheckpoint>, LedgerError> {
        self.change(0, (), |connection, ()| Box::pin(cosigned_rows::newest(connection.confirm()))).await
    }

    async fn first_cosigned_with(&self, leaf: u64) -> Result<Option<CosignedCheckpoint>, LedgerError> {
        Ok(cosigned_rows::first_with(self.reader().await?.connection(), leaf).await?)
    }

    async fn record_cosigned(&self, checkpoint: CosignedCheckpoint) -> Result<bool, LedgerError> {
        check_note(&checkpoint.note)?;
        self.change(checkpoint.note.len(), checkpoint, |connection, checkpoint| {
            Box::pin(cosigned_rows::record(connection, checkpoint))
        })
        .await
    }
}

//! The trait's part about grants, on SQLite.

use async_trait::async_trait;
use ledger::{Grant, Grants, LedgerError, QuotaReservation};
use receipt::time::Timestamp;

use super::SqliteLedger;
use crate::grants::grant_rows;

#[async_trait]
impl Grants for SqliteLedger {
    async fn grants_of(&self, agent: &str, at: Timestamp) -> Result<Vec<Grant>, LedgerError> {
        self.read(|connection| grant_rows::in_force(connection, agent, at)).await
    }

    async fn reserve_granted(
        &self,
        grant: &Grant,
        units: u32,
        at: Timestamp,
    ) -> Result<Option<QuotaReservation>, LedgerError> {
        Ok(self.quotas.reserve(vec![grant.quota(units, at)]).ok())
    }
}

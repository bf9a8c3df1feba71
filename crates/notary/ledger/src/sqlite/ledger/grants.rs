//! The trait's part about grants, on SQLite.

use async_trait::async_trait;
use receipt::time::Timestamp;

use super::SqliteLedger;
use crate::sqlite::grants::grant_rows;
use crate::{Grant, Grants, LedgerError, QuotaReservation};

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

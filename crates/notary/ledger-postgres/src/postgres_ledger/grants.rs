//! The trait's part about grants, on PostgreSQL.

use async_trait::async_trait;
use ledger::{Grant, Grants, LedgerError, QuotaReservation};
use receipt::time::Timestamp;

use super::PostgresLedger;

#[async_trait]
impl Grants for PostgresLedger {
    async fn grants_of(&self, agent: &str, at: Timestamp) -> Result<Vec<Grant>, LedgerError> {
        self.grants.read((agent.to_owned(), at)).await
    }

    async fn reserve_granted(
        &self,
        grant: &Grant,
        units: u32,
        at: Timestamp,
    ) -> Result<Option<QuotaReservation>, LedgerError> {
        Ok(self.reserve_quotas(vec![grant.quota(units, at)]).await?.ok())
    }
}

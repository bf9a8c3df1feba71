//! The trait's part about grants, on SQLite.

use async_trait::async_trait;
use receipt::time::Timestamp;

use super::SqliteLedger;
use crate::sqlite::grants::grant_rows;
use crate::{Grant, Grants, LedgerError, NewGrant, QuotaKey, QuotaRequest, QuotaReservation};

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
        let NewGrant { calls, period, .. } = grant.terms;
        let of = QuotaKey::Granted { grant: grant.id, period, start: period.start(at) };
        let wanted = QuotaRequest { of, units: u64::from(units), allowance: u64::from(calls) };
        Ok(self.places.reserve(vec![wanted]).ok())
    }
}

//! The amounts of quotas that are used up or reserved, as the store has them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ledger::back_end::QuotaId;
use ledger::{QuotaKey, QuotaRequest};
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::connection::{Connection, Result};
use crate::log::head::number;
use crate::log::quota_rows::Epoch;

/// Used and reserved amounts, in one statement and so of one moment: an amount moves from one to the other. Subqueries, so
/// that each key is looked up in the indexes, whatever the planner knows of the tables.
pub(super) const TAKEN: &str = "SELECT asked.start, asked.id,
        coalesce((SELECT sum(amount) FROM reserved
            WHERE start = asked.start AND id = asked.id AND amount > 0), 0)::BIGINT
        + coalesce((SELECT amount FROM uses WHERE day = asked.start AND id = asked.id), 0)
    FROM unnest($1::BIGINT[], $2::BYTEA[]) AS asked (start, id)";
const TAKEN_OF_GRANTS: &str = "SELECT asked.start, asked.id,
        coalesce((SELECT sum(amount) FROM reserved
            WHERE start = asked.start AND id = asked.id AND amount > 0), 0)::BIGINT
        + coalesce((SELECT calls FROM grant_uses WHERE start = asked.start AND grant_id = asked.grant_id), 0)
    FROM unnest($1::BIGINT[], $2::BYTEA[], $3::BIGINT[]) AS asked (start, id, grant_id)";
const RESERVE: &str = "INSERT INTO reserved (start, id, epoch, amount)
    SELECT start, id, $3, amount FROM unnest($1::BIGINT[], $2::BYTEA[], $4::BIGINT[]) AS new (start, id, amount)
    ON CONFLICT (start, id, epoch) DO UPDATE SET amount = reserved.amount + excluded.amount";

/// The amounts of quotas that are used up or reserved.
#[derive(Default)]
pub(crate) struct Taken(HashMap<(u32, QuotaId), u64>);

impl Taken {
    /// Reads the amounts of these quotas, in one statement for each kind.
    pub(crate) async fn read(connection: Connection<'_>, keys: &[&QuotaKey]) -> Result<Self> {
        let (mut days, mut granted) = (BTreeSet::new(), BTreeSet::new());
        for key in keys {
            let start = i64::from(key.period().1);
            match key {
                QuotaKey::Granted { grant, .. } => granted.insert((start, key.id(), number(grant.0)?)),
                _ => days.insert((start, key.id(), 0)),
            };
        }
        let mut taken = Self::default();
        if !days.is_empty() {
            let starts: Vec<i64> = days.iter().map(|key| key.0).collect();
            let ids: Vec<&[u8]> = days.iter().map(|key| key.1.as_slice()).collect();
            taken.add(&connection.rows(TAKEN, &[&starts, &ids]).await?)?;
        }
        if !granted.is_empty() {
            let starts: Vec<i64> = granted.iter().map(|key| key.0).collect();
            let ids: Vec<&[u8]> = granted.iter().map(|key| key.1.as_slice()).collect();
            let grants: Vec<i64> = granted.iter().map(|key| key.2).collect();
            taken.add(&connection.rows(TAKEN_OF_GRANTS, &[&starts, &ids, &grants]).await?)?;
        }
        Ok(taken)
    }

    fn add(&mut self, rows: &[Row]) -> Result<()> {
        for row in rows {
            let amount: i64 = row.try_get(2)?;
            self.0.insert((row.small(0)?, row.bytes(1)?), u64::try_from(amount).unwrap_or(0));
        }
        Ok(())
    }

    /// The amount of a quota.
    pub(crate) fn of(&self, key: &QuotaKey) -> u64 {
        self.0.get(&(key.period().1, key.id())).copied().unwrap_or(0)
    }

    /// Reserves all requested parts, or none if one would exceed its allowance: then the index of the first such.
    pub(super) fn reserve(&mut self, requests: &[QuotaRequest]) -> std::result::Result<(), usize> {
        for (at, QuotaRequest { of, units, allowance }) in requests.iter().enumerate() {
            if self.of(of).checked_add(*units).is_none_or(|sum| sum > *allowance) {
                return Err(at);
            }
        }
        for QuotaRequest { of, units, .. } in requests {
            *self.0.entry((of.period().1, of.id())).or_default() += units;
        }
        Ok(())
    }
}

/// Writes what was reserved, under an epoch.
pub(super) async fn reserve(
    connection: Connection<'_>,
    epoch: &Epoch,
    reserved: &BTreeMap<(i64, QuotaId), u64>,
) -> Result<()> {
    if reserved.is_empty() {
        return Ok(());
    }
    let starts: Vec<i64> = reserved.keys().map(|key| key.0).collect();
    let ids: Vec<&[u8]> = reserved.keys().map(|key| key.1.as_slice()).collect();
    let amounts = reserved.values().map(|amount| number(*amount)).collect::<Result<Vec<_>>>()?;
    connection.run(RESERVE, &[&starts, &ids, &epoch.as_slice(), &amounts]).await?;
    Ok(())
}

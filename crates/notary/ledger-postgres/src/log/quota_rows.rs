//! Reserved and used amounts of quotas as rows, written with the receipts that use them up.
//!
//! What a process reserves is held under its epoch, a row that it renews. The transaction of a receipt locks that row, so
//! that nobody takes the epoch for ended meanwhile, and refuses the receipt where it is gone: a process that stood still
//! uses up no place that was given to another.

use std::collections::{BTreeMap, BTreeSet};

use ledger::back_end::{KeptSince, QuotaId};
use ledger::{LedgerError, QuotaKey, QuotaPart, QuotaReservation};

use crate::columns::Columns;
use crate::connection::{Connection, Result};
use crate::log::head::number;

/// The epoch of a process.
pub(crate) type Epoch = [u8; 16];

/// The key of a reserved amount: the first day of the period, the quota, and the epoch.
pub(crate) type PartKey = (u32, QuotaId, Epoch);

/// The reserved amounts of the parts of a reservation, by key.
pub(crate) fn parts_of(parts: &[QuotaPart], epoch: Epoch) -> BTreeMap<PartKey, u64> {
    let mut amounts = BTreeMap::new();
    for QuotaPart { of, reserved, .. } in parts {
        *amounts.entry((of.period().1, of.id(), epoch)).or_insert(0) += reserved;
    }
    amounts
}

/// Reserved amounts that are held in the store.
#[derive(Default)]
pub(crate) struct Held(BTreeMap<PartKey, u64>);

const LOCK_EPOCHS: &str = "SELECT epoch FROM epochs WHERE epoch = ANY($1::BYTEA[]) FOR KEY SHARE";
const SELECT: &str = "SELECT asked.start, asked.id, asked.epoch, coalesce((SELECT amount FROM reserved
        WHERE start = asked.start AND id = asked.id AND epoch = asked.epoch), 0)
    FROM unnest($1::BIGINT[], $2::BYTEA[], $3::BYTEA[]) AS asked (start, id, epoch)";

impl Held {
    /// Locks the epochs of these reservations, and reads what they hold.
    pub(crate) async fn lock(
        connection: Connection<'_>,
        reservations: impl Iterator<Item = &QuotaReservation>,
    ) -> Result<Self> {
        let mut keys: BTreeSet<PartKey> = BTreeSet::new();
        for reservation in reservations {
            let key = |part: &QuotaPart| (part.of.period().1, part.of.id(), reservation.lease());
            keys.extend(reservation.parts().iter().map(key));
        }
        if keys.is_empty() {
            return Ok(Self::default());
        }
        let distinct: BTreeSet<Epoch> = keys.iter().map(|key| key.2).collect();
        let distinct: Vec<&[u8]> = distinct.iter().map(Epoch::as_slice).collect();
        let locked = connection.rows(LOCK_EPOCHS, &[&distinct]).await?;
        let alive: BTreeSet<Epoch> =
            locked.iter().map(|row| row.bytes(0)).collect::<std::result::Result<_, _>>()?;
        let starts: Vec<i64> = keys.iter().map(|key| i64::from(key.0)).collect();
        let ids: Vec<&[u8]> = keys.iter().map(|key| key.1.as_slice()).collect();
        let epochs: Vec<&[u8]> = keys.iter().map(|key| key.2.as_slice()).collect();
        let mut held = BTreeMap::new();
        for row in connection.rows(SELECT, &[&starts, &ids, &epochs]).await? {
            let key: PartKey = (row.small(0)?, row.bytes(1)?, row.bytes(2)?);
            if alive.contains(&key.2) {
                held.insert(key, u64::try_from(row.try_get::<_, i64>(3)?).unwrap_or(0));
            }
        }
        Ok(Self(held))
    }

    /// Takes the amounts of a reservation, all or none. Returns false where they are not held.
    pub(crate) fn take(&mut self, parts: &BTreeMap<PartKey, u64>) -> bool {
        let is_held = |(key, amount): (&PartKey, &u64)| self.0.get(key).is_some_and(|held| held >= amount);
        if !parts.iter().all(is_held) {
            return false;
        }
        for (key, amount) in parts {
            self.0.entry(*key).and_modify(|held| *held -= amount);
        }
        true
    }
}

/// An insertion that always finds its row, so that it is looked up in the index; none where the row is gone. A failover may
/// have lost a part of what is given back, and nobody else's part is taken for it.
const GIVE_BACK: &str = "INSERT INTO reserved (start, id, epoch, amount)
    SELECT start, id, epoch, -amount
    FROM unnest($1::BIGINT[], $2::BYTEA[], $3::BYTEA[], $4::BIGINT[]) AS given (start, id, epoch, amount)
    WHERE EXISTS (SELECT 1 FROM reserved AS held
        WHERE held.start = given.start AND held.id = given.id AND held.epoch = given.epoch)
    ON CONFLICT (start, id, epoch) DO UPDATE SET amount = greatest(reserved.amount + excluded.amount, 0)";

/// Ends reservations: their amounts are no longer reserved, as far as they are in the store.
pub(crate) async fn give_back(connection: Connection<'_>, parts: &BTreeMap<PartKey, u64>) -> Result<()> {
    if parts.is_empty() {
        return Ok(());
    }
    let starts: Vec<i64> = parts.keys().map(|key| i64::from(key.0)).collect();
    let ids: Vec<&[u8]> = parts.keys().map(|key| key.1.as_slice()).collect();
    let epochs: Vec<&[u8]> = parts.keys().map(|key| key.2.as_slice()).collect();
    let amounts = parts.values().map(|amount| number(*amount)).collect::<Result<Vec<_>>>()?;
    connection.run(GIVE_BACK, &[&starts, &ids, &epochs, &amounts]).await?;
    Ok(())
}

const USE: &str = "INSERT INTO uses (day, id, amount)
    SELECT * FROM unnest($1::BIGINT[], $2::BYTEA[], $3::BIGINT[])
    ON CONFLICT (day, id) DO UPDATE SET amount = uses.amount + excluded.amount";
const USE_GRANTS: &str = "INSERT INTO grant_uses (start, grant_id, calls)
    SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BIGINT[])
    ON CONFLICT (start, grant_id) DO UPDATE SET calls = grant_uses.calls + excluded.calls";

/// Uses up reservations that [`Held::take`] has found to be held.
pub(crate) async fn use_up(connection: Connection<'_>, reservations: &[&QuotaReservation]) -> Result<()> {
    let mut given = BTreeMap::new();
    let mut used: BTreeMap<(i64, QuotaId), u64> = BTreeMap::new();
    let mut granted: BTreeMap<(i64, u64), u64> = BTreeMap::new();
    for reservation in reservations {
        for (key, amount) in parts_of(reservation.parts(), reservation.lease()) {
            *given.entry(key).or_insert(0) += amount;
        }
        for QuotaPart { of, units, .. } in reservation.parts() {
            match of {
                QuotaKey::Granted { grant, start, .. } => {
                    *granted.entry((i64::from(*start), grant.0)).or_insert(0) += units;
                }
                other => *used.entry((i64::from(other.period().1), other.id())).or_insert(0) += units,
            }
        }
    }
    give_back(connection, &given).await?;
    if !used.is_empty() {
        let days: Vec<i64> = used.keys().map(|key| key.0).collect();
        let ids: Vec<&[u8]> = used.keys().map(|key| key.1.as_slice()).collect();
        let amounts = used.values().map(|amount| number(*amount)).collect::<Result<Vec<_>>>()?;
        connection.run(USE, &[&days, &ids, &amounts]).await?;
    }
    if !granted.is_empty() {
        let starts: Vec<i64> = granted.keys().map(|key| key.0).collect();
        let grants = granted.keys().map(|key| number(key.1)).collect::<Result<Vec<_>>>()?;
        let calls = granted.values().map(|calls| number(*calls)).collect::<Result<Vec<_>>>()?;
        connection.run(USE_GRANTS, &[&starts, &grants, &calls]).await?;
    }
    Ok(())
}

/// Uses up the one reservation of a change that logs no receipt.
///
/// # Errors
/// [`LedgerError::Busy`]: it is not held any more. Nothing was changed.
pub(crate) async fn use_up_one(connection: Connection<'_>, reservation: &QuotaReservation) -> Result<()> {
    let mut held = Held::lock(connection, std::iter::once(reservation)).await?;
    if !held.take(&parts_of(reservation.parts(), reservation.lease())) {
        return Err(LedgerError::Busy.into());
    }
    use_up(connection, &[reservation]).await
}

const FORGET: &str =
    "DELETE FROM uses WHERE (day, id) IN (SELECT day, id FROM uses WHERE day < $1 ORDER BY day, id LIMIT $2)";
const FORGET_GRANTS: &str = "DELETE FROM grant_uses WHERE (start, grant_id) IN
    (SELECT start, grant_id FROM grant_uses WHERE start < $1 ORDER BY start, grant_id LIMIT $2)";

/// Forgets used quotas that need not be [kept](KeptSince), where `today` is the day that the log has reached. Returns true if there may
/// be more of them.
pub(crate) async fn forget_uses(connection: Connection<'_>, today: u32) -> Result<bool> {
    let since = KeptSince::of(today);
    let most = KeptSince::MAX_FORGOTTEN;
    let uses = connection.run(FORGET, &[&i64::from(since.day), &i64::from(most)]).await?;
    let grants = connection.run(FORGET_GRANTS, &[&i64::from(since.grants), &i64::from(most)]).await?;
    Ok(uses.max(grants) >= u64::from(most))
}

//! Erasures that an operator has asked for, as rows.

use ledger::{AskedErasure, ErasureState, LedgerError, LedgerRecord, MAX_ASKED_ERASURES, MAX_ERASURE_REASON};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tokio_postgres::Row;

use crate::columns::{Columns as _, storable};
use crate::connection::{Connection, Result};

/// Asks for an erasure.
pub(crate) async fn ask(
    connection: Connection<'_>,
    hash: &ReceiptHash,
    reason: Option<&str>,
    at: Timestamp,
) -> Result<()> {
    if reason.is_some_and(|reason| reason.chars().count() > MAX_ERASURE_REASON) {
        let why = format!("a reason of more than {MAX_ERASURE_REASON} characters");
        return Err(LedgerError::Unfit(why).into());
    }
    let waiting = connection.one("SELECT count(*) FROM asked_erasures WHERE state = 0", &[]).await?;
    let waiting = waiting.small(0)?;
    if waiting >= MAX_ASKED_ERASURES {
        return Err(LedgerError::Unfit(format!("{waiting} erasures wait already")).into());
    }
    let insert = "INSERT INTO asked_erasures (hash, reason, asked_at, state) VALUES ($1, $2, $3, 0)
        ON CONFLICT (hash) DO UPDATE SET reason = excluded.reason, asked_at = excluded.asked_at, state = 0,
            ended_at = NULL, why = NULL WHERE asked_erasures.state = 2";
    let reason = reason.map(storable);
    connection.run(insert, &[&hash.as_bytes().as_slice(), &reason, &at.as_millis()]).await?;
    Ok(())
}

/// The erasure of a receipt that was asked for.
pub(crate) async fn of_hash(connection: Connection<'_>, hash: &ReceiptHash) -> Result<Option<AskedErasure>> {
    let select =
        "SELECT hash, reason, asked_at, state, logged_by, shared, why FROM asked_erasures WHERE hash = $1";
    let row = connection.maybe(select, &[&hash.as_bytes().as_slice()]).await?;
    row.as_ref().map(asked).transpose()
}

/// The erasures that wait, the oldest first.
pub(crate) async fn waiting(connection: Connection<'_>, most: u32) -> Result<Vec<AskedErasure>> {
    let select = "SELECT hash, reason, asked_at, state, logged_by, shared, why FROM asked_erasures
        WHERE state = 0 ORDER BY asked_at, hash LIMIT $1";
    let rows = connection.rows(select, &[&i64::from(most)]).await?;
    rows.iter().map(asked).collect()
}

fn asked(row: &Row) -> Result<AskedErasure> {
    let state = match (row.try_get::<_, i64>(3)?, row.maybe_bytes(4)?) {
        (1, Some(logged_by)) => {
            let shared = row.maybe_unsigned(5)?.unwrap_or_default();
            let shared = u32::try_from(shared).unwrap_or(u32::MAX);
            ErasureState::Done { logged_by: ReceiptHash(logged_by), shared, is_in_wal: false }
        }
        (2, _) => ErasureState::Refused(row.try_get::<_, Option<String>>(6)?.unwrap_or_default()),
        _ => ErasureState::Asked,
    };
    Ok(AskedErasure {
        hash: ReceiptHash(row.bytes(0)?),
        reason: row.try_get(1)?,
        asked_at: row.millis(2)?,
        state,
    })
}

/// Ends the wait for an erasure that is not carried out.
pub(crate) async fn refuse(
    connection: Connection<'_>,
    hash: &ReceiptHash,
    why: &str,
    at: Timestamp,
) -> Result<()> {
    let update = "UPDATE asked_erasures SET state = 2, reason = NULL, why = $2, ended_at = $3
        WHERE hash = $1 AND state = 0";
    connection.run(update, &[&hash.as_bytes().as_slice(), &storable(why), &at.as_millis()]).await?;
    Ok(())
}

/// Notes that an erasure was carried out with a record.
pub(crate) async fn done(
    connection: Connection<'_>,
    hash: &ReceiptHash,
    record: &LedgerRecord,
    shared: u32,
) -> Result<()> {
    let update =
        "UPDATE asked_erasures SET state = 1, reason = NULL, why = NULL, ended_at = $2, logged_by = $3,
            shared = $4
        WHERE hash = $1";
    let (hash, logged_by) = (hash.as_bytes().as_slice(), record.hash.as_bytes().as_slice());
    let at = record.signed_at.as_millis();
    connection.run(update, &[&hash, &at, &logged_by, &i64::from(shared)]).await?;
    Ok(())
}

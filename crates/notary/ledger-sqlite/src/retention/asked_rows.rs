//! Erasures that an operator has asked for, as rows.

use ledger::{AskedErasure, ErasureState, LedgerError, MAX_ASKED_ERASURES, MAX_ERASURE_REASON};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use crate::columns::Millis;
use crate::failure::ConnectionError;

/// Asks for an erasure.
pub(crate) fn ask(
    connection: &Connection,
    hash: &ReceiptHash,
    reason: Option<&str>,
    at: Timestamp,
) -> Result<(), ConnectionError> {
    if reason.is_some_and(|reason| reason.chars().count() > MAX_ERASURE_REASON) {
        let why = format!("a reason of more than {MAX_ERASURE_REASON} characters");
        return Err(LedgerError::Unfit(why).into());
    }
    let waiting = "SELECT count(*) FROM asked_erasures INDEXED BY erasures_waiting WHERE state = 0";
    let waiting: u32 = connection.prepare_cached(waiting)?.query_row([], |row| row.get(0))?;
    if waiting >= MAX_ASKED_ERASURES {
        return Err(LedgerError::Unfit(format!("{waiting} erasures wait already")).into());
    }
    connection
        .prepare_cached(
            "INSERT INTO asked_erasures (hash, reason, asked_at, state) VALUES (?, ?, ?, 0)
             ON CONFLICT (hash) DO UPDATE SET reason = excluded.reason, asked_at = excluded.asked_at, state = 0,
                ended_at = NULL, why = NULL WHERE state = 2",
        )?
        .execute(params![hash.as_bytes(), reason, at.as_millis()])?;
    Ok(())
}

/// The erasure of a receipt that was asked for.
pub(crate) fn of_hash(connection: &Connection, hash: &ReceiptHash) -> Result<Option<AskedErasure>> {
    let select = "SELECT hash, reason, asked_at, state, logged_by, shared, why, ended_at IS NULL
        FROM asked_erasures WHERE hash = ?";
    connection.prepare_cached(select)?.query_row([hash.as_bytes()], asked).optional()
}

/// The erasures that wait, the oldest first.
pub(crate) fn waiting(connection: &Connection, most: u32) -> Result<Vec<AskedErasure>> {
    let mut statement = connection.prepare_cached(
        "SELECT hash, reason, asked_at, state, logged_by, shared, why, ended_at IS NULL
         FROM asked_erasures INDEXED BY erasures_waiting WHERE state = 0 ORDER BY asked_at, hash LIMIT ?",
    )?;
    statement.query_map([most], asked)?.collect()
}

fn asked(row: &Row<'_>) -> Result<AskedErasure> {
    let logged_by: Option<[u8; 32]> = row.get(4)?;
    let state = match (row.get::<_, i64>(3)?, logged_by) {
        (1, Some(logged_by)) => ErasureState::Done {
            logged_by: ReceiptHash(logged_by),
            shared: row.get::<_, Option<u32>>(5)?.unwrap_or_default(),
            is_in_wal: row.get(7)?,
        },
        (2, _) => ErasureState::Refused(row.get::<_, Option<String>>(6)?.unwrap_or_default()),
        _ => ErasureState::Asked,
    };
    Ok(AskedErasure {
        hash: ReceiptHash(row.get(0)?),
        reason: row.get(1)?,
        asked_at: row.get::<_, Millis>(2)?.0,
        state,
    })
}

/// Ends the wait for an erasure that is not carried out.
pub(crate) fn refuse(connection: &Connection, hash: &ReceiptHash, why: &str, at: Timestamp) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE asked_erasures SET state = 2, reason = NULL, why = ?, ended_at = ? WHERE hash = ? AND state = 0",
        )?
        .execute(params![why, at.as_millis(), hash.as_bytes()])?;
    Ok(())
}

/// Notes that an erasure was carried out. It ends once its bytes are [out of the WAL](overwritten).
pub(crate) fn done(
    connection: &Connection,
    hash: &ReceiptHash,
    logged_by: &ReceiptHash,
    shared: u32,
) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE asked_erasures SET state = 1, reason = NULL, why = NULL, ended_at = NULL, logged_by = ?, shared = ?
             WHERE hash = ?",
        )?
        .execute(params![logged_by.as_bytes(), shared, hash.as_bytes()])?;
    Ok(())
}

/// Notes that the WAL was emptied after all erasures that were carried out.
pub(crate) fn overwritten(connection: &Connection, at: Timestamp) -> Result<()> {
    connection
        .prepare_cached("UPDATE asked_erasures SET ended_at = ? WHERE state = 1 AND ended_at IS NULL")?
        .execute([at.as_millis()])?;
    Ok(())
}

//! Stamped checkpoints as rows.

use ledger::rules::stamped;
use ledger::{LoggedStamp, StampedCheckpoint};
use receipt::hash::ReceiptHash;
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params};
use tlog::Hash;

use crate::columns::Millis;
use crate::failure::ConnectionError;

pub(crate) fn newest(connection: &Connection) -> Result<Option<StampedCheckpoint>> {
    let select = "SELECT size, root, note, answer, at FROM stamped ORDER BY size DESC LIMIT 1";
    connection.prepare_cached(select)?.query_row([], read).optional()
}

/// The smallest whose tree contains a leaf.
pub(crate) fn first_with(connection: &Connection, leaf: u64) -> Result<Option<StampedCheckpoint>> {
    let select = "SELECT size, root, note, answer, at FROM stamped WHERE size > ? ORDER BY size LIMIT 1";
    connection.prepare_cached(select)?.query_row([i64::try_from(leaf).unwrap_or(i64::MAX)], read).optional()
}

fn read(row: &Row<'_>) -> Result<StampedCheckpoint> {
    let note: String = row.get(2)?;
    Ok(StampedCheckpoint {
        size: row.get(0)?,
        root: Hash(row.get(1)?),
        note: note.into(),
        answer: row.get(3)?,
        at: row.get::<_, Millis>(4)?.0,
    })
}

/// Stores one, and deletes old ones. False where one that is as large is stored.
pub(crate) fn record(
    connection: &Connection,
    new: &StampedCheckpoint,
) -> std::result::Result<bool, ConnectionError> {
    let newest = newest(connection)?.map(|newest| (newest.size, newest.root));
    if !stamped::is_stored(newest, new)? {
        return Ok(false);
    }
    connection
        .prepare_cached("INSERT INTO stamped (size, root, note, answer, at) VALUES (?, ?, ?, ?, ?)")?
        .execute(params![new.size, new.root.as_bytes(), &*new.note, new.answer, new.at.as_millis()])?;
    let mut select = connection.prepare_cached("SELECT size, at FROM stamped WHERE at < ? ORDER BY size")?;
    let before = stamped::all_kept_from(new.at).as_millis();
    let old = select.query_map([before], |row| Ok((row.get(0)?, row.get::<_, Millis>(1)?.0)))?;
    for size in stamped::forgotten(&old.collect::<Result<Vec<_>>>()?) {
        connection.prepare_cached("DELETE FROM stamped WHERE size = ?")?.execute([size])?;
        connection.prepare_cached("DELETE FROM logged_stamps WHERE size = ?")?.execute([size])?;
    }
    Ok(true)
}

/// The last that is logged below a leaf.
pub(crate) fn last_logged(connection: &Connection, before: u64) -> Result<Option<LoggedStamp>> {
    let select = "SELECT s.size, s.root, s.note, s.answer, s.at, l.leaf, l.hash FROM logged_stamps l
        JOIN stamped s ON s.size = l.size WHERE l.leaf < ? ORDER BY l.leaf DESC LIMIT 1";
    let logged = |row: &Row<'_>| {
        Ok(LoggedStamp { leaf: row.get(5)?, receipt: ReceiptHash(row.get(6)?), checkpoint: read(row)? })
    };
    connection
        .prepare_cached(select)?
        .query_row([i64::try_from(before).unwrap_or(i64::MAX)], logged)
        .optional()
}

/// Notes the leaf of one that is stored and was not noted.
pub(crate) fn note_logged(
    connection: &Connection,
    size: u64,
    leaf: u64,
    receipt: &ReceiptHash,
) -> Result<()> {
    let insert = "INSERT OR IGNORE INTO logged_stamps (leaf, size, hash)
        SELECT ?, size, ? FROM stamped WHERE size = ?";
    connection.prepare_cached(insert)?.execute(params![leaf, receipt.0, size])?;
    Ok(())
}

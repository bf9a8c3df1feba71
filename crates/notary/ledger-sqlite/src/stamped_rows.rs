//! Stamped checkpoints as rows.

use ledger::StampedCheckpoint;
use ledger::rules::stamped;
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
    }
    Ok(true)
}

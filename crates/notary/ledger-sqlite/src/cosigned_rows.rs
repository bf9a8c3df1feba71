//! Cosigned checkpoints as rows.

use ledger::CosignedCheckpoint;
use ledger::rules::cosigned::{self, CosignedStep, StoredCosigned};
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params};
use tlog::Hash;

use crate::columns::Millis;
use crate::failure::ConnectionError;

pub(crate) fn newest(connection: &Connection) -> Result<Option<CosignedCheckpoint>> {
    let select = "SELECT size, root, note, at FROM cosigned ORDER BY size DESC LIMIT 1";
    connection.prepare_cached(select)?.query_row([], read).optional()
}

/// The smallest whose tree contains a leaf.
pub(crate) fn first_with(connection: &Connection, leaf: u64) -> Result<Option<CosignedCheckpoint>> {
    let select = "SELECT size, root, note, at FROM cosigned WHERE size > ? ORDER BY size LIMIT 1";
    connection.prepare_cached(select)?.query_row([i64::try_from(leaf).unwrap_or(i64::MAX)], read).optional()
}

fn read(row: &Row<'_>) -> Result<CosignedCheckpoint> {
    let note: String = row.get(2)?;
    Ok(CosignedCheckpoint {
        size: row.get(0)?,
        root: Hash(row.get(1)?),
        note: note.into(),
        at: row.get::<_, Millis>(3)?.0,
    })
}

/// Stores one. False where a larger one is stored.
pub(crate) fn record(
    connection: &Connection,
    new: &CosignedCheckpoint,
) -> std::result::Result<bool, ConnectionError> {
    let mut select =
        connection.prepare_cached("SELECT size, root, at FROM cosigned ORDER BY size DESC LIMIT 2")?;
    let rows = select.query_map([], |row| {
        Ok(StoredCosigned { size: row.get(0)?, root: Hash(row.get(1)?), at: row.get::<_, Millis>(2)?.0 })
    })?;
    match cosigned::step(&rows.collect::<Result<Vec<_>>>()?, new)? {
        CosignedStep::Keep => return Ok(false),
        CosignedStep::Replace => {
            connection
                .prepare_cached("UPDATE cosigned SET note = ? WHERE size = ?")?
                .execute(params![&*new.note, new.size])?;
            return Ok(true);
        }
        CosignedStep::InsertAndForget(size) => {
            connection.prepare_cached("DELETE FROM cosigned WHERE size = ?")?.execute([size])?;
        }
        CosignedStep::Insert => {}
    }
    connection
        .prepare_cached("INSERT INTO cosigned (size, root, note, at) VALUES (?, ?, ?, ?)")?
        .execute(params![new.size, new.root.as_bytes(), &*new.note, new.at.as_millis()])?;
    Ok(true)
}

//! Cosigned checkpoints as rows.

use ledger::CosignedCheckpoint;
use ledger::rules::cosigned::{self, CosignedStep, StoredCosigned};
use tlog::Hash;
use tokio_postgres::Row;

use crate::columns::{Columns as _, row_id};
use crate::connection::{Connection, Result};

pub(crate) async fn newest(connection: Connection<'_>) -> Result<Option<CosignedCheckpoint>> {
    let select = "SELECT size, root, note, at FROM cosigned ORDER BY size DESC LIMIT 1";
    connection.maybe(select, &[]).await?.as_ref().map(read).transpose()
}

/// The smallest whose tree contains a leaf.
pub(crate) async fn first_with(connection: Connection<'_>, leaf: u64) -> Result<Option<CosignedCheckpoint>> {
    let select = "SELECT size, root, note, at FROM cosigned WHERE size > $1 ORDER BY size LIMIT 1";
    let leaf = row_id(leaf).unwrap_or(i64::MAX);
    connection.maybe(select, &[&leaf]).await?.as_ref().map(read).transpose()
}

fn read(row: &Row) -> Result<CosignedCheckpoint> {
    let note: String = row.try_get(2)?;
    Ok(CosignedCheckpoint {
        size: row.unsigned(0)?,
        root: Hash(row.bytes(1)?),
        note: note.into(),
        at: row.millis(3)?,
    })
}

/// Stores one. False where a larger one is stored. Of two replicas that store at once, one is rolled back and done again.
pub(crate) async fn record(connection: Connection<'_>, new: &CosignedCheckpoint) -> Result<bool> {
    let select = "SELECT size, root, at FROM cosigned ORDER BY size DESC LIMIT 2";
    let mut newest = Vec::with_capacity(2);
    for row in connection.rows(select, &[]).await? {
        newest.push(StoredCosigned { size: row.unsigned(0)?, root: Hash(row.bytes(1)?), at: row.millis(2)? });
    }
    let size = row_id(new.size);
    match cosigned::step(&newest, new)? {
        CosignedStep::Keep => return Ok(false),
        CosignedStep::Replace => {
            let update = "UPDATE cosigned SET note = $1 WHERE size = $2";
            connection.run(update, &[&&*new.note, &size]).await?;
            return Ok(true);
        }
        CosignedStep::InsertAndForget(forgotten) => {
            connection.run("DELETE FROM cosigned WHERE size = $1", &[&row_id(forgotten)]).await?;
        }
        CosignedStep::Insert => {}
    }
    let insert = "INSERT INTO cosigned (size, root, note, at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (size) DO NOTHING";
    let root = new.root.as_bytes().as_slice();
    connection.run(insert, &[&size, &root, &&*new.note, &new.at.as_millis()]).await?;
    Ok(true)
}

//! Stamped checkpoints as rows.

use ledger::rules::stamped;
use ledger::{LoggedStamp, StampedCheckpoint};
use receipt::hash::ReceiptHash;
use tlog::Hash;
use tokio_postgres::Row;

use crate::columns::{Columns as _, row_id};
use crate::connection::{Connection, Result};

pub(crate) async fn newest(connection: Connection<'_>) -> Result<Option<StampedCheckpoint>> {
    let select = "SELECT size, root, note, answer, at FROM stamped ORDER BY size DESC LIMIT 1";
    connection.maybe(select, &[]).await?.as_ref().map(read).transpose()
}

/// The smallest whose tree contains a leaf.
pub(crate) async fn first_with(connection: Connection<'_>, leaf: u64) -> Result<Option<StampedCheckpoint>> {
    let select = "SELECT size, root, note, answer, at FROM stamped WHERE size > $1 ORDER BY size LIMIT 1";
    let leaf = row_id(leaf).unwrap_or(i64::MAX);
    connection.maybe(select, &[&leaf]).await?.as_ref().map(read).transpose()
}

fn read(row: &Row) -> Result<StampedCheckpoint> {
    let note: String = row.try_get(2)?;
    Ok(StampedCheckpoint {
        size: row.unsigned(0)?,
        root: Hash(row.bytes(1)?),
        note: note.into(),
        answer: row.try_get(3)?,
        at: row.millis(4)?,
    })
}

/// Stores one, and deletes old ones. False where one that is as large is stored, or where another replica stores one of this
/// size at the same time.
pub(crate) async fn record(connection: Connection<'_>, new: &StampedCheckpoint) -> Result<bool> {
    let newest = newest(connection).await?.map(|newest| (newest.size, newest.root));
    if !stamped::is_stored(newest, new)? {
        return Ok(false);
    }
    let insert = "INSERT INTO stamped (size, root, note, answer, at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (size) DO NOTHING";
    let root = new.root.as_bytes().as_slice();
    let inserted = connection
        .run(insert, &[&row_id(new.size), &root, &&*new.note, &new.answer, &new.at.as_millis()])
        .await?;
    let before = stamped::all_kept_from(new.at).as_millis();
    let mut old = Vec::new();
    for row in connection.rows("SELECT size, at FROM stamped WHERE at < $1 ORDER BY size", &[&before]).await?
    {
        old.push((row.unsigned(0)?, row.millis(1)?));
    }
    for size in stamped::forgotten(&old) {
        connection.run("DELETE FROM stamped WHERE size = $1", &[&row_id(size)]).await?;
        connection.run("DELETE FROM logged_stamps WHERE size = $1", &[&row_id(size)]).await?;
    }
    Ok(inserted > 0)
}

/// The last that is logged below a leaf.
pub(crate) async fn last_logged(connection: Connection<'_>, before: u64) -> Result<Option<LoggedStamp>> {
    let select = "SELECT s.size, s.root, s.note, s.answer, s.at, l.leaf, l.hash FROM logged_stamps l
        JOIN stamped s ON s.size = l.size WHERE l.leaf < $1 ORDER BY l.leaf DESC LIMIT 1";
    let before = row_id(before).unwrap_or(i64::MAX);
    let Some(row) = connection.maybe(select, &[&before]).await? else { return Ok(None) };
    Ok(Some(LoggedStamp {
        leaf: row.unsigned(5)?,
        receipt: ReceiptHash(row.bytes(6)?),
        checkpoint: read(&row)?,
    }))
}

/// Notes the leaf of one that is stored and was not noted.
pub(crate) async fn note_logged(
    connection: Connection<'_>,
    size: u64,
    leaf: u64,
    receipt: &ReceiptHash,
) -> Result<()> {
    let insert = "INSERT INTO logged_stamps (leaf, size, hash)
        SELECT $1, size, $3 FROM stamped WHERE size = $2 ON CONFLICT DO NOTHING";
    connection.run(insert, &[&row_id(leaf), &row_id(size), &receipt.0.as_slice()]).await?;
    Ok(())
}

//! The stored head of the log, with the right edge of its tree.

use std::sync::Arc;

use ledger::{Head, LedgerError, rules};
use tlog::tile::{decode_hashes, encode_hashes, partial_width};
use tlog::{Hash, RightEdge, Stage, VerifierKey};
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::connection::{Connection, Result};
use crate::failure::ConnectionError;

const SELECT: &str = "SELECT size, root, latest, checkpoint FROM head";
/// Locks the head, under which the log grows.
pub(crate) const LOCK: &str = "SELECT size, root, latest, checkpoint FROM head FOR UPDATE";
pub(crate) const EDGE: &str = "SELECT level, hashes FROM edge ORDER BY level";

/// A head as it is stored, not checked yet.
pub(crate) struct StoredHead(Row);

impl StoredHead {
    pub(crate) async fn read(connection: Connection<'_>) -> Result<Self> {
        Ok(Self(connection.one(SELECT, &[]).await?))
    }

    /// Locks the head within a transaction.
    pub(crate) async fn lock(connection: Connection<'_>) -> Result<Self> {
        Ok(Self(connection.one(LOCK, &[]).await?))
    }

    /// The number of leaves and the root.
    pub(crate) fn mark(&self) -> Result<(u64, Hash)> {
        Ok((self.0.unsigned(0)?, Hash(self.0.bytes(1)?)))
    }

    /// The head, with the signature of its checkpoint by one of the keys verified.
    pub(crate) fn checked(&self, log_keys: &[VerifierKey]) -> Result<Head> {
        let (latest, checkpoint) = (self.0.try_get(2)?, self.0.try_get(3)?);
        Ok(rules::log::checked_head(log_keys, self.mark()?, latest, checkpoint)?)
    }
}

/// Checks the number of leaves and the root that a server shows against a head that was known to be durable before.
///
/// # Errors
/// [`ConnectionError::Behind`]: it has fewer leaves, or as many and others. Either it is an old primary that was cut off, or
/// the store was put back to an earlier state.
pub(crate) fn check_not_behind((size, root): (u64, Hash), durable: &Head) -> Result<()> {
    if size > durable.size || (size, root) == (durable.size, durable.root) {
        return Ok(());
    }
    Err(ConnectionError::Behind(format!(
        "its log has {size} leaves and the root {root}, and had {} and {}",
        durable.size, durable.root
    )))
}

/// The stored right edge of the tree of a head.
pub(crate) async fn edge(connection: Connection<'_>, head: &Head) -> Result<RightEdge> {
    edge_of(&connection.rows(EDGE, &[]).await?, head)
}

/// The right edge in the rows of [`EDGE`], which must give the head's root.
pub(crate) fn edge_of(rows: &[Row], head: &Head) -> Result<RightEdge> {
    let unsound = |why: String| LedgerError::Corrupt(format!("the log's right edge: {why}"));
    let mut tiles: Vec<Vec<Hash>> = Vec::new();
    for (level, row) in (0..).zip(rows) {
        if row.unsigned(0)? != level {
            return Err(unsound(format!("level {level} is not there")).into());
        }
        let hashes: &[u8] = row.try_get(1)?;
        let hashes = if hashes.is_empty() { Ok(Vec::new()) } else { decode_hashes(hashes) };
        tiles.push(hashes.map_err(|error| unsound(error.to_string()))?);
    }
    let edge = RightEdge::from_tiles(head.size, &tiles).map_err(|error| unsound(error.to_string()))?;
    if edge.root() != head.root {
        let roots = format!("it gives the root {}, the last checkpoint says {}", edge.root(), head.root);
        return Err(unsound(roots).into());
    }
    Ok(edge)
}

/// Stores a head, the first of a store or the next one.
pub(crate) async fn write(connection: Connection<'_>, head: &Head) -> Result<()> {
    let write = "INSERT INTO head (only_one, size, root, latest, checkpoint) VALUES (1, $1, $2, $3, $4)
        ON CONFLICT (only_one) DO UPDATE SET size = excluded.size, root = excluded.root, latest = excluded.latest,
            checkpoint = excluded.checkpoint";
    let size = number(head.size)?;
    let (root, latest) = (head.root.0.as_slice(), head.latest.as_millis());
    connection.run(write, &[&size, &root, &latest, &&*head.checkpoint]).await?;
    Ok(())
}

/// Stores the partial tiles that a batch has changed.
pub(crate) async fn write_edge(connection: Connection<'_>, stage: &Stage) -> Result<()> {
    let tiles = stage.partial_tiles();
    let (mut levels, mut hashes) = (Vec::new(), Vec::new());
    let has_changed = |level: u8| hashes_on(stage.size(), level) != hashes_on(stage.base_size(), level);
    for level in (0..8_u8).take_while(|level| hashes_on(stage.size(), *level) > 0) {
        if !has_changed(level) {
            break;
        }
        let tile = tiles.iter().find(|tile| tile.level == level);
        debug_assert_eq!(tile.is_none(), partial_width(stage.size(), level) == 0);
        levels.push(i64::from(level));
        hashes.push(tile.map_or_else(Vec::new, |tile| encode_hashes(&tile.hashes)));
    }
    let write = "INSERT INTO edge (level, hashes) SELECT * FROM unnest($1::BIGINT[], $2::BYTEA[])
        ON CONFLICT (level) DO UPDATE SET hashes = excluded.hashes";
    connection.run(write, &[&levels, &hashes]).await?;
    Ok(())
}

/// The hashes on a tile level of a tree.
fn hashes_on(size: u64, level: u8) -> u64 {
    size.checked_shr(8 * u32::from(level)).unwrap_or(0)
}

/// A number as its column.
pub(crate) fn number(number: u64) -> Result<i64> {
    let column = i64::try_from(number);
    Ok(column.map_err(|_| LedgerError::Unfit(format!("{number} is too large for a column")))?)
}

/// The known tree that the writer extends.
#[derive(Clone)]
pub(crate) struct KnownTree {
    pub(crate) head: Arc<Head>,
    pub(crate) edge: RightEdge,
}

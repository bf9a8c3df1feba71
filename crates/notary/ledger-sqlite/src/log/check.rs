//! The check of a store before it is served: its right edge must meet its last signed checkpoint.

use std::sync::Arc;

use ledger::back_end::{GROUP, grouped};
use ledger::{Head, LedgerError, rules};
use rusqlite::Connection;
use tlog::tile::{FULL_WIDTH, decode_bundle};
use tlog::{Hash, RightEdge, TileReader, VerifierKey};

use super::reads;
use crate::failure::ConnectionError;

/// The stored head, its checkpoint's signature by one of the keys verified and its numbers the same as the checkpoint's.
pub(crate) fn stored_head(
    connection: &Connection,
    log_keys: &[VerifierKey],
) -> Result<Head, ConnectionError> {
    let (size, root, latest, checkpoint) =
        connection.query_row("SELECT size, root, latest, checkpoint FROM head", [], |row| {
            Ok((row.get(0)?, Hash(row.get(1)?), row.get(2)?, row.get(3)?))
        })?;
    Ok(rules::log::checked_head(log_keys, (size, root), latest, checkpoint)?)
}

/// Recomputes the right edge from entries and full tiles; it must meet the head, with nothing past it.
pub(crate) fn right_edge(connection: &Connection, head: &Head) -> Result<RightEdge, ConnectionError> {
    let last = "SELECT coalesce((SELECT leaf + width FROM leaves ORDER BY leaf DESC LIMIT 1), 0)";
    let leaves: u64 = connection.query_row(last, [], |row| row.get(0))?;
    if leaves != head.size {
        return Err(LedgerError::Corrupt(format!(
            "the checkpoint is over {} leaves, the store has {leaves}",
            head.size
        ))
        .into());
    }
    no_stray_tiles(connection, head.size)?;
    let edge = RightEdge::read(head.size, &StoredLeaves { connection })
        .map_err(|error| LedgerError::Corrupt(format!("the log's right edge: {error}")))?;
    if edge.root() != head.root {
        return Err(LedgerError::Corrupt(format!(
            "the log's right edge gives the root {}, the last checkpoint says {}",
            edge.root(),
            head.root
        ))
        .into());
    }
    Ok(edge)
}

/// A full tile past the head would stand in the way of the true one once the log gets there.
fn no_stray_tiles(connection: &Connection, size: u64) -> Result<(), ConnectionError> {
    let mut statement =
        connection.prepare("SELECT coalesce(max(number) + 1, 0) FROM tiles WHERE level = ?")?;
    for level in 0..8_u8 {
        let expected = rules::log::full_tiles(size, level);
        let tiles: u64 = statement.query_row([level], |row| row.get(0))?;
        if tiles != expected {
            return Err(LedgerError::Corrupt(format!(
                "level {level} of a log of {size} leaves has {expected} full tiles, the store has {tiles}"
            ))
            .into());
        }
    }
    let expected = rules::log::full_tiles(size, 0) * GROUP as u64;
    let groups: u64 =
        connection.query_row("SELECT coalesce(max(number) + 1, 0) FROM groups", [], |row| row.get(0))?;
    if groups != expected {
        return Err(LedgerError::Corrupt(format!(
            "a log of {size} leaves has {expected} groups, the store has {groups}"
        ))
        .into());
    }
    Ok(())
}

/// Partial tiles computed from what lies under them: entries on level 0, full tiles above.
struct StoredLeaves<'c> {
    connection: &'c Connection,
}

impl TileReader for StoredLeaves<'_> {
    type Error = ConnectionError;

    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, ConnectionError> {
        let first = index * u64::from(FULL_WIDTH);
        let range = first..first + u64::from(width);
        match level.checked_sub(1) {
            None => {
                let bundle = reads::bundle(self.connection, range)?;
                let entries =
                    decode_bundle(&bundle).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
                Ok(entries.into_iter().map(tlog::leaf_hash).collect())
            }
            Some(below) => range.map(|number| self.refolded(below, number)).collect(),
        }
    }
}

impl StoredLeaves<'_> {
    /// The hash over a full tile, computed anew; the nodes stored with the tile must be the same.
    fn refolded(&self, level: u8, number: u64) -> Result<Hash, ConnectionError> {
        let changed = || LedgerError::Corrupt(format!("full tile {number} of level {level} was changed"));
        let hashes = reads::full_tile(self.connection, level, number)?;
        let (groups, upper) = grouped(&hashes);
        if reads::upper(self.connection, level, number)? != upper {
            return Err(changed().into());
        }
        if level == 0 {
            for (number, group) in (number * GROUP as u64..).zip(groups) {
                if reads::group(self.connection, number)? != group {
                    return Err(changed().into());
                }
            }
        }
        Ok(upper.top().ok_or_else(changed)?)
    }
}

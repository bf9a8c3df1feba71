//! The check of a store before it is served: its right edge must meet its last signed checkpoint.

use std::collections::HashMap;
use std::sync::Arc;

use ledger::back_end::{GROUP, grouped};
use ledger::{Head, LedgerError, rules};
use tlog::tile::{FULL_WIDTH, decode_bundle, encode_hashes, partial_width};
use tlog::{Hash, RightEdge, TileReader};

use super::head::{self, number};
use super::reads::{self, hashes_in, misshapen};
use crate::columns::Columns;
use crate::connection::{Connection, Result};

/// Recomputes the right edge from entries and full tiles, within one snapshot; it must meet the head, with nothing past it,
/// and the stored edge must be the same.
pub(crate) async fn right_edge(connection: Connection<'_>, head: &Head) -> Result<RightEdge> {
    let last = "SELECT coalesce((SELECT leaf + width FROM leaves ORDER BY leaf DESC LIMIT 1), 0)";
    let leaves = connection.one(last, &[]).await?.unsigned(0)?;
    if leaves != head.size {
        let why = format!("the checkpoint is over {} leaves, the store has {leaves}", head.size);
        return Err(LedgerError::Corrupt(why).into());
    }
    no_stray_tiles(connection, head.size).await?;
    let mut tiles = HashMap::new();
    for level in (0..8_u8).take_while(|level| hashes_on(head.size, *level) > 0) {
        let width = partial_width(head.size, level);
        if width > 0 {
            let index = hashes_on(head.size, level) / u64::from(FULL_WIDTH);
            tiles.insert((level, index), partial_tile(connection, level, index, width).await?);
        }
    }
    let edge = RightEdge::read(head.size, &Computed(tiles))
        .map_err(|error| LedgerError::Corrupt(format!("the log's right edge: {error}")))?;
    if edge.root() != head.root {
        let (root, expected) = (edge.root(), head.root);
        let why = format!("the log's right edge gives the root {root}, the last checkpoint says {expected}");
        return Err(LedgerError::Corrupt(why).into());
    }
    if head::edge(connection, head).await?.partial_tiles() != edge.partial_tiles() {
        let why = "the stored right edge is not that of the stored leaves".to_owned();
        return Err(LedgerError::Corrupt(why).into());
    }
    Ok(edge)
}

fn hashes_on(size: u64, level: u8) -> u64 {
    size.checked_shr(8 * u32::from(level)).unwrap_or(0)
}

/// Partial tiles computed from what lies under them.
struct Computed(HashMap<(u8, u64), Arc<[Hash]>>);

impl TileReader for Computed {
    type Error = LedgerError;

    fn tile(&self, level: u8, index: u64, _: u16) -> std::result::Result<Arc<[Hash]>, LedgerError> {
        let tile = self.0.get(&(level, index)).cloned();
        tile.ok_or_else(|| LedgerError::Corrupt(format!("tile {index} of level {level} is not partial")))
    }
}

/// A partial tile computed from what lies under it: entries on level 0, full tiles above.
async fn partial_tile(connection: Connection<'_>, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>> {
    let first = index * u64::from(FULL_WIDTH);
    let range = first..first + u64::from(width);
    match level.checked_sub(1) {
        None => {
            let bundle = reads::bundle(connection, range).await?;
            let entries = decode_bundle(&bundle).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
            Ok(entries.into_iter().map(tlog::leaf_hash).collect())
        }
        Some(below) => {
            let mut tops = Vec::new();
            for index in range {
                tops.push(refolded(connection, below, index).await?);
            }
            Ok(tops.into())
        }
    }
}

/// The hash over a full tile, computed again; the nodes stored with the tile must be the same.
async fn refolded(connection: Connection<'_>, level: u8, index: u64) -> Result<Hash> {
    let changed = || LedgerError::Corrupt(format!("full tile {index} of level {level} was changed"));
    let hashes = reads::full_tile(connection, level, index).await?;
    let (groups, upper) = grouped(&hashes);
    if reads::upper(connection, level, index).await? != upper {
        return Err(changed().into());
    }
    if level == 0 {
        let first = index * GROUP as u64;
        let select = "SELECT nodes FROM groups WHERE number >= $1 AND number < $2 ORDER BY number";
        let rows = connection.rows(select, &[&number(first)?, &number(first + GROUP as u64)?]).await?;
        if rows.len() != groups.len() {
            return Err(changed().into());
        }
        for (row, group) in rows.iter().zip(groups) {
            let stored: &[u8] = row.try_get(0)?;
            hashes_in(stored).ok_or_else(|| misshapen(format!("a group of tile {index}")))?;
            if stored != encode_hashes(group.nodes()) {
                return Err(changed().into());
            }
        }
    }
    Ok(upper.top().ok_or_else(changed)?)
}

/// A full tile past the head would stand in the way of the true one once the log gets there.
async fn no_stray_tiles(connection: Connection<'_>, size: u64) -> Result<()> {
    for level in 0..8_u8 {
        let expected = rules::log::full_tiles(size, level);
        let select = "SELECT coalesce(max(number) + 1, 0) FROM tiles WHERE level = $1";
        let tiles = connection.one(select, &[&i64::from(level)]).await?.unsigned(0)?;
        if tiles != expected {
            let why = format!(
                "level {level} of a log of {size} leaves has {expected} full tiles, the store has {tiles}"
            );
            return Err(LedgerError::Corrupt(why).into());
        }
    }
    let expected = rules::log::full_tiles(size, 0) * GROUP as u64;
    let select = "SELECT coalesce(max(number) + 1, 0) FROM groups";
    let groups = connection.one(select, &[]).await?.unsigned(0)?;
    if groups != expected {
        let why = format!("a log of {size} leaves has {expected} groups, the store has {groups}");
        return Err(LedgerError::Corrupt(why).into());
    }
    Ok(())
}

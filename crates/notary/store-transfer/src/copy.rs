//! Copies rows from a source into a store, and compares the two.

use std::cmp::Ordering;

use ledger::back_end::{GROUP, grouped};
use tlog::FullTile;
use tlog::tile::encode_hashes;

use crate::Progress;
use crate::check::{Check, Checked};
use crate::error::{Result, TransferError};
use crate::store::{Source, Store};
use crate::tables::{GROUPS, RECEIPTS, TABLES, TILES, Table};
use crate::value::{Row, Value};

/// The most rows that are written at once.
const MOST_ROWS: usize = 1000;
/// The number of bytes from which on rows are written.
const MOST_BYTES: usize = 4 << 20;

/// Rows that are to be written to a table.
struct Batch {
    rows: Vec<Row>,
    bytes: usize,
}

impl Batch {
    const fn new() -> Self {
        Self { rows: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, row: Row) {
        self.bytes += row.iter().map(Value::length).sum::<usize>();
        self.rows.push(row);
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= MOST_ROWS || self.bytes >= MOST_BYTES
    }

    fn write(&mut self, store: &mut dyn Store, table: &Table) -> Result<()> {
        if !self.rows.is_empty() {
            store.insert(table, &self.rows)?;
        }
        *self = Self::new();
        Ok(())
    }
}

/// Reads all rows of a source, and checks them.
pub(crate) fn check(
    source: &mut dyn Source,
    mut check: Check<'_>,
    progress: &mut dyn Progress,
) -> Result<Checked> {
    for table in TABLES {
        source.rows(table, &mut |row| {
            check.row(table, &row)?;
            if table.name == RECEIPTS {
                progress.receipt();
            }
            Ok(())
        })?;
    }
    source.end()?;
    check.end()
}

/// Copies all rows of a source, and checks them on the way. Rows that the store has already are not written again.
pub(crate) fn copy(
    source: &mut dyn Source,
    store: &mut dyn Store,
    mut check: Check<'_>,
    progress: &mut dyn Progress,
) -> Result<Checked> {
    for table in TABLES {
        let last = store.last_key(table)?;
        let (mut batch, mut tiles) = (Batch::new(), TileBatch { tiles: Batch::new(), groups: Batch::new() });
        source.rows(table, &mut |row| {
            let full = check.row(table, &row)?;
            if table.name == RECEIPTS {
                progress.receipt();
            }
            full.iter().try_for_each(|tile| tiles.add(tile))?;
            if !last.as_ref().is_some_and(|last| is_copied(&row, last)) {
                batch.add(row);
            }
            // The tiles first: leaves that are there have theirs, where a copy goes on.
            if batch.is_full() || tiles.groups.is_full() {
                tiles.write(store)?;
                batch.write(store, table)?;
            }
            Ok(())
        })?;
        tiles.write(store)?;
        batch.write(store, table)?;
    }
    source.end()?;
    check.end()
}

/// Returns true if a row is at or before the last key.
fn is_copied(row: &[Value], last: &[Value]) -> bool {
    row[..last.len()].cmp(last) != Ordering::Greater
}

/// Full tiles with their inner nodes, as a store has them.
struct TileBatch {
    tiles: Batch,
    groups: Batch,
}

impl TileBatch {
    fn add(&mut self, tile: &FullTile) -> Result<()> {
        let number = |number: u64| {
            i64::try_from(number).map(Value::Int).map_err(|_| TransferError::unsound("the log is too large"))
        };
        let (groups, upper) = grouped(&tile.hashes);
        self.tiles.add(vec![
            Value::Int(i64::from(tile.level)),
            number(tile.index)?,
            Value::Bytes(encode_hashes(upper.nodes())),
            Value::Bytes(encode_hashes(&tile.hashes)),
        ]);
        if tile.level == 0 {
            for (index, group) in (tile.index * GROUP as u64..).zip(groups) {
                self.groups.add(vec![number(index)?, Value::Bytes(encode_hashes(group.nodes()))]);
            }
        }
        Ok(())
    }

    fn write(&mut self, store: &mut dyn Store) -> Result<()> {
        self.tiles.write(store, &TILES)?;
        self.groups.write(store, &GROUPS)
    }
}

//! The statements that read, and the tiles and proofs made of what they give.

use std::ops::Range;
use std::sync::Arc;

use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::{Connection, Error, OptionalExtension};
use tlog::reader::FoldedTile;
use tlog::tile::{TileKind, encode_bundle, encode_hashes, tile_width};
use tlog::{Hash, ReadError, TilePath, TileReader};

use super::rows::receipt_key;
use crate::published::{Published, TileCache};
use crate::{ClassCount, Inclusion, LedgerError, StoredBlob, StoredReceipt, TrialRequest};

/// The receipt of that hash. It may be of a transaction that was committed, but not yet published.
pub(super) fn receipt(
    connection: &Connection,
    hash: &ReceiptHash,
) -> Result<Option<StoredReceipt>, LedgerError> {
    let mut statement = connection
        .prepare_cached("SELECT leaf, signature, payload FROM receipts WHERE key = ? AND hash = ?")?;
    let row = statement.query_row((receipt_key(hash), hash.as_bytes()), |row| {
        Ok(StoredReceipt { leaf: row.get(0)?, signature: row.get(1)?, payload: row.get(2)? })
    });
    Ok(row.optional()?)
}

pub(super) fn request(connection: &Connection, leaf: u64) -> Result<Option<Vec<u8>>, LedgerError> {
    let mut statement = connection.prepare_cached("SELECT body FROM requests WHERE leaf = ?")?;
    Ok(statement.query_row([leaf], |row| row.get(0)).optional()?)
}

pub(super) fn evidence(connection: &Connection, leaf: u64) -> Result<Vec<StoredBlob>, LedgerError> {
    let mut statement = connection.prepare_cached(
        "SELECT role, evidence.sha256, bytes FROM evidence LEFT JOIN blobs USING (sha256)
         WHERE leaf = ? ORDER BY position",
    )?;
    let rows = statement.query_map([leaf], |row| {
        Ok(StoredBlob { role: row.get(0)?, sha256: row.get(1)?, bytes: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn counts(connection: &Connection) -> Result<Vec<ClassCount>, LedgerError> {
    let mut statement = connection.prepare_cached("SELECT class, free, paid FROM counts")?;
    let rows = statement
        .query_map([], |row| Ok(ClassCount { class: row.get(0)?, free: row.get(1)?, paid: row.get(2)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn trials(connection: &Connection, most: u32) -> Result<Vec<TrialRequest>, LedgerError> {
    let mut statement = connection.prepare_cached(
        "SELECT request_id, agent, endpoint, contact, reason, at FROM trials ORDER BY id DESC LIMIT ?",
    )?;
    let rows = statement.query_map([most], |row| {
        let at = row.get(5)?;
        Ok(TrialRequest {
            request_id: row.get(0)?,
            agent: row.get(1)?,
            endpoint: row.get(2)?,
            contact: row.get(3)?,
            reason: row.get(4)?,
            at: Timestamp::from_millis(at).map_err(|_| Error::IntegralValueOutOfRange(5, at))?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The log entries of a range of leaves, all of them.
pub(super) fn entries(connection: &Connection, range: Range<u64>) -> Result<Vec<Vec<u8>>, LedgerError> {
    let mut statement =
        connection.prepare_cached("SELECT entry FROM leaves WHERE leaf >= ? AND leaf < ? ORDER BY leaf")?;
    let rows = statement.query_map([range.start, range.end], |row| row.get(0))?;
    let entries: Vec<Vec<u8>> = rows.collect::<Result<_, _>>()?;
    if entries.len() as u64 != range.end - range.start {
        return Err(LedgerError::Corrupt(format!("leaves {range:?} are not all there")));
    }
    Ok(entries)
}

/// A stored full tile.
pub(super) fn full_tile(
    connection: &Connection,
    level: u8,
    number: u64,
) -> Result<Arc<FoldedTile>, LedgerError> {
    let mut statement =
        connection.prepare_cached("SELECT nodes FROM tiles WHERE level = ? AND number = ?")?;
    let tile = statement
        .query_row((level, number), |row| {
            let (nodes, rest) = row.get_ref(0)?.as_blob()?.as_chunks::<32>();
            Ok(if rest.is_empty() { Some(nodes.iter().copied().map(Hash).collect()) } else { None })
        })
        .optional()?;
    let missing = || LedgerError::Corrupt(format!("full tile {number} of level {level} is not there"));
    let misshapen = || LedgerError::Corrupt(format!("full tile {number} of level {level} is not 511 hashes"));
    let nodes = tile.ok_or_else(missing)?;
    nodes.and_then(FoldedTile::from_full_nodes).map(Arc::new).ok_or_else(misshapen)
}

/// The tiles of a published tree: full ones from the cache or the store, partial ones from the right edge.
pub(super) struct Stored<'a> {
    pub(super) connection: &'a Connection,
    pub(super) cache: &'a TileCache,
    pub(super) published: &'a Published,
}

impl Stored<'_> {
    /// The proof of a leaf under the published checkpoint; `None` where the published tree does not have it.
    pub(super) fn inclusion(&self, leaf: u64) -> Result<Option<Inclusion>, LedgerError> {
        let head = &self.published.head;
        if leaf >= head.size {
            return Ok(None);
        }
        let path = tlog::inclusion_path(head.size, leaf, self).map_err(unsound)?;
        Ok(Some(Inclusion { leaf, path, checkpoint: Arc::clone(&head.checkpoint) }))
    }

    /// The root of the tree as it was at an earlier size.
    pub(super) fn root_at(&self, size: u64) -> Result<Hash, LedgerError> {
        tlog::root_at(size, self).map_err(unsound)
    }

    /// The bytes of a tile as served, or `None` where the published tree does not have it at that width.
    pub(super) fn bytes(&self, path: &TilePath) -> Result<Option<Vec<u8>>, LedgerError> {
        let width = path.width();
        let level = if let TileKind::Hashes(level) = path.kind() { level } else { 0 };
        if width > tile_width(self.published.head.size, level, path.index()) {
            return Ok(None);
        }
        match path.kind() {
            TileKind::Hashes(level) => {
                let tile = self.folded(level, path.index(), width)?;
                Ok(Some(encode_hashes(&tile.hashes()[..usize::from(width)])))
            }
            TileKind::Entries => {
                let first = path.index() * 256;
                let entries = entries(self.connection, first..first + u64::from(width))?;
                let bundle = encode_bundle(&entries);
                Ok(Some(bundle.map_err(|error| LedgerError::Corrupt(error.to_string()))?))
            }
        }
    }
}

impl TileReader for Stored<'_> {
    type Error = LedgerError;

    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, LedgerError> {
        Ok(self.folded(level, index, width)?.hashes().into())
    }

    fn folded(&self, level: u8, index: u64, _width: u16) -> Result<Arc<FoldedTile>, LedgerError> {
        match self.published.partial_tile(level, index) {
            Some(tile) => Ok(tile),
            None => self.cache.get(level, index, || full_tile(self.connection, level, index)),
        }
    }
}

/// What the store itself says goes through; a tile that does not fit its tree is the store's fault too.
fn unsound(error: ReadError<LedgerError>) -> LedgerError {
    match error {
        ReadError::Reader(error) => error,
        other => LedgerError::Corrupt(other.to_string()),
    }
}

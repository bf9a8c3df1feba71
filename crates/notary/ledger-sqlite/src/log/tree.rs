//! The published tree: nodes, tiles and proofs, from memory where they are, else from the store.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::sync::Arc;

use ledger::back_end::{GROUP, TileNodes};
use ledger::back_end::{PartCache, PublishedTree};
use ledger::{Inclusion, LedgerError};
use rusqlite::Connection;
use tlog::tile::{FULL_WIDTH, TileKind, encode_hashes, tile_width};
use tlog::{Hash, ReadError, TilePath, TileReader};

use super::reads::{bundle, full_tile, group, upper};
use crate::failure::ConnectionError;

/// Caches of the nodes and roots that proofs were built from lately.
pub(crate) struct Caches {
    /// The nodes over the groups of full tiles of level 0: 8,192 of 1 KiB each, so all of two million leaves.
    upper: PartCache<u64, Arc<TileNodes>>,
    /// Full tiles of the higher levels, folded: 256 of 16 KiB each, so all of sixteen million leaves.
    high: PartCache<(u8, u64), Arc<TileNodes>>,
    /// Roots at earlier sizes: receipts that were signed over the same head ask for the same one.
    roots: PartCache<u64, Hash>,
}

impl Caches {
    pub(crate) fn new() -> Self {
        const UPPER: NonZeroUsize = NonZeroUsize::new(8192).expect("8192 is not zero");
        const HIGH: NonZeroUsize = NonZeroUsize::new(256).expect("256 is not zero");
        const ROOTS: NonZeroUsize = NonZeroUsize::new(16_384).expect("16384 is not zero");
        Self { upper: PartCache::new(UPPER), high: PartCache::new(HIGH), roots: PartCache::new(ROOTS) }
    }
}

/// A published tree: its right edge from memory, the rest from the caches or the store.
pub(crate) struct TreeView<'a> {
    connection: &'a Connection,
    caches: &'a Caches,
    published: &'a PublishedTree,
    /// The group that was read last: the first four hashes of a path are all of one.
    group: RefCell<Option<(u64, TileNodes)>>,
}

impl<'a> TreeView<'a> {
    pub(crate) fn new(connection: &'a Connection, caches: &'a Caches, published: &'a PublishedTree) -> Self {
        Self { connection, caches, published, group: RefCell::default() }
    }

    /// The proof of a leaf under the published checkpoint; `None` where the published tree does not have it.
    pub(crate) fn inclusion(&self, leaf: u64) -> Result<Option<Inclusion>, ConnectionError> {
        let head = &self.published.head;
        if leaf >= head.size {
            return Ok(None);
        }
        let path = tlog::inclusion_path(head.size, leaf, self).map_err(unsound)?;
        Ok(Some(Inclusion { leaf, path, checkpoint: Arc::clone(&head.checkpoint) }))
    }

    /// The path of a leaf in the tree as it was at an earlier size.
    pub(crate) fn inclusion_at(&self, leaf: u64, size: u64) -> Result<Vec<Hash>, ConnectionError> {
        tlog::inclusion_path(size, leaf, self).map_err(unsound)
    }

    /// The proof that the tree at one size is a prefix of the tree at another one.
    pub(crate) fn consistency(&self, old: u64, new: u64) -> Result<Vec<Hash>, ConnectionError> {
        tlog::consistency_proof(old, new, self).map_err(unsound)
    }

    /// The root of the tree as it was at an earlier size.
    pub(crate) fn root_at(&self, size: u64) -> Result<Hash, ConnectionError> {
        self.caches.roots.get(size, || tlog::root_at(size, self).map_err(unsound))
    }

    /// The bytes of a tile as served, or `None` where the published tree does not have it at that width.
    pub(crate) fn bytes(&self, path: &TilePath) -> Result<Option<Vec<u8>>, ConnectionError> {
        let width = path.width();
        let level = if let TileKind::Hashes(level) = path.kind() { level } else { 0 };
        if width > tile_width(self.published.head.size, level, path.index()) {
            return Ok(None);
        }
        match path.kind() {
            TileKind::Hashes(level) => {
                let hashes = self.tile(level, path.index(), width)?;
                Ok(Some(encode_hashes(&hashes[..usize::from(width)])))
            }
            TileKind::Entries => {
                let first = path.index() * u64::from(FULL_WIDTH);
                bundle(self.connection, first..first + u64::from(width)).map(Some)
            }
        }
    }

    /// A node of tile level 0 below the tops of the groups.
    fn in_group(&self, height: u32, index: u64) -> Result<Option<Hash>, ConnectionError> {
        let (number, within) = split(index, GROUP_HEIGHT - height);
        let mut last = self.group.borrow_mut();
        if last.as_ref().is_none_or(|(known, _)| *known != number) {
            *last = Some((number, group(self.connection, number)?));
        }
        Ok(last.as_ref().and_then(|(_, group)| group.node(height, within)))
    }
}

/// The height of a group's top above its hashes, and of a tile's top above its own.
const GROUP_HEIGHT: u32 = GROUP.ilog2();
const TILE_HEIGHT: u32 = 2 * GROUP_HEIGHT;

/// The number of the part that is `2^across` wide, and the position within it.
fn split(index: u64, across: u32) -> (u64, usize) {
    let within = index & ((1 << across) - 1);
    (index >> across, usize::try_from(within).expect("a tile is 256 wide"))
}

impl TileReader for TreeView<'_> {
    type Error = ConnectionError;

    fn tile(&self, level: u8, index: u64, _width: u16) -> Result<Arc<[Hash]>, ConnectionError> {
        match self.published.partial_tile(level, index) {
            Some(tile) => Ok(tile.hashes().into()),
            None => full_tile(self.connection, level, index),
        }
    }

    fn node(&self, level: u32, index: u64) -> Result<Option<Hash>, ConnectionError> {
        let height = level % TILE_HEIGHT;
        let tile_level = u8::try_from(level / TILE_HEIGHT).expect("a tree has at most 64 levels");
        let (tile, within) = split(index, TILE_HEIGHT - height);
        if let Some(partial) = self.published.partial_tile(tile_level, tile) {
            return Ok(partial.node(height, within));
        }
        if tile_level > 0 {
            let load =
                || full_tile(self.connection, tile_level, tile).map(|hashes| TileNodes::fold(&hashes).into());
            return Ok(self.caches.high.get((tile_level, tile), load)?.node(height, within));
        }
        match height.checked_sub(GROUP_HEIGHT) {
            None => self.in_group(height, index),
            Some(height) => {
                let load = || upper(self.connection, tile_level, tile).map(Arc::new);
                Ok(self.caches.upper.get(tile, load)?.node(height, within))
            }
        }
    }
}

/// The store's own error, or for a tile that does not fit its tree the error that the store is corrupt.
fn unsound(error: ReadError<ConnectionError>) -> ConnectionError {
    match error {
        ReadError::Reader(error) => error,
        other => LedgerError::Corrupt(other.to_string()).into(),
    }
}

//! The proofs of receipts, made from the log's tiles.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use store_transfer::StoreReader;
use tlog::tile::FULL_WIDTH;
use tlog::{Hash, ReadError, TileReader, TlogProof, inclusion_path, leaf_hash, node_hash};

use crate::error::{ExportError, Result};
use crate::export::entries;

const WIDTH: u64 = FULL_WIDTH as u64;
/// The number of levels of a path that lie within a full tile.
const WITHIN: usize = 8;

/// The hash tiles of a log: those above the leaves, and those of the leaves that proofs are made of at the moment.
#[derive(Default)]
pub(crate) struct LogTiles {
    /// The tiles above the leaves, and the partial ones: 32 bytes for 256 leaves.
    upper: HashMap<(u8, u64), Arc<[Hash]>>,
    of_leaves: HashMap<u64, Arc<[Hash]>>,
}

impl LogTiles {
    /// Adds a full tile. One of leaves is read again when it is needed.
    pub(crate) fn add_full(&mut self, level: u8, index: u64, hashes: &[Hash]) {
        if level > 0 {
            self.upper.insert((level, index), hashes.into());
        }
    }

    /// Adds a partial tile of the log's right edge.
    pub(crate) fn add_partial(&mut self, level: u8, index: u64, hashes: &[Hash]) {
        self.upper.insert((level, index), hashes.into());
    }
}

impl TileReader for LogTiles {
    type Error = String;

    fn tile(&self, level: u8, index: u64, _: u16) -> std::result::Result<Arc<[Hash]>, String> {
        let of_leaves = (level == 0).then(|| self.of_leaves.get(&index)).flatten();
        let tile = of_leaves.or_else(|| self.upper.get(&(level, index)));
        tile.cloned().ok_or_else(|| format!("tile {index} of level {level} is missing"))
    }
}

/// Makes the proofs of leaves in their order.
pub(crate) struct Proofs {
    tiles: LogTiles,
    size: u64,
    note: String,
    tile: Option<TilePaths>,
}

/// The paths of the leaves of one full tile: their part within the tile, and the part above, which all have in common.
struct TilePaths {
    index: u64,
    /// The tile's hashes, and the nodes above them.
    levels: Vec<Vec<Hash>>,
    above: Vec<Hash>,
}

impl Proofs {
    pub(crate) fn new(tiles: LogTiles, size: u64, note: String) -> Self {
        Self { tiles, size, note, tile: None }
    }

    /// Reads the tiles of these leaves, in place of those of before.
    pub(crate) fn load(&mut self, store: &mut StoreReader, leaves: Range<u64>) -> Result<()> {
        let tiles = leaves.start / WIDTH..leaves.end.div_ceil(WIDTH);
        let of_leaves = &mut self.tiles.of_leaves;
        of_leaves.retain(|index, _| tiles.contains(index));
        for index in tiles {
            if let Entry::Vacant(place) = of_leaves.entry(index) {
                let entries = entries(store, index * WIDTH..((index + 1) * WIDTH).min(self.size))?;
                place.insert(entries.iter().map(|entry| leaf_hash(entry)).collect());
            }
        }
        Ok(())
    }

    /// The text of the proof of a leaf, whose tile is loaded.
    pub(crate) fn proof(&mut self, leaf: u64) -> Result<String> {
        let path = self.path(leaf)?;
        Ok(TlogProof { extra: None, index: leaf, path, checkpoint: self.note.clone() }.to_string())
    }

    fn path(&mut self, leaf: u64) -> Result<Vec<Hash>> {
        let index = leaf / WIDTH;
        if (index + 1) * WIDTH > self.size {
            return inclusion_path(self.size, leaf, &self.tiles).map_err(unread);
        }
        let tile = match self.tile.take().filter(|tile| tile.index == index) {
            Some(tile) => tile,
            None => self.read(index)?,
        };
        let within = usize::try_from(leaf % WIDTH).unwrap_or_default();
        let own = tile.levels.iter().enumerate().map(|(level, nodes)| nodes[(within >> level) ^ 1]);
        let path = own.chain(tile.above.iter().copied()).collect();
        self.tile = Some(tile);
        Ok(path)
    }

    fn read(&self, index: u64) -> Result<TilePaths> {
        let hashes = self.tiles.tile(0, index, FULL_WIDTH).map_err(ExportError::unsound)?;
        let mut levels = vec![hashes.to_vec()];
        for level in 1..WITHIN {
            let nodes = levels[level - 1].chunks_exact(2).map(|pair| node_hash(&pair[0], &pair[1])).collect();
            levels.push(nodes);
        }
        let path = inclusion_path(self.size, index * WIDTH, &self.tiles).map_err(unread)?;
        let above = path.get(WITHIN..).unwrap_or_default().to_vec();
        Ok(TilePaths { index, levels, above })
    }
}

fn unread(error: ReadError<String>) -> ExportError {
    ExportError::unsound(error)
}

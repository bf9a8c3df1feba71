//! The proofs of receipts, made from the hash tiles that are in the archive already.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use tlog::tile::{FULL_WIDTH, decode_hashes};
use tlog::{Hash, ReadError, TileReader, TlogProof, inclusion_path, node_hash};

use crate::error::{ExportError, Result};

const WIDTH: u64 = FULL_WIDTH as u64;
/// The number of levels of a path that lie within a full tile.
const WITHIN: usize = 8;

/// The hash tiles of an archive that is being written.
pub(crate) struct TilesOfArchive {
    file: Mutex<File>,
    /// Where the content of each tile is, and the number of its hashes.
    places: HashMap<(u8, u64), (u64, u16)>,
}

impl TilesOfArchive {
    pub(crate) fn new(file: File, places: HashMap<(u8, u64), (u64, u16)>) -> Self {
        Self { file: Mutex::new(file), places }
    }
}

impl TileReader for TilesOfArchive {
    type Error = String;

    fn tile(&self, level: u8, index: u64, _: u16) -> std::result::Result<Arc<[Hash]>, String> {
        let (at, width) = self
            .places
            .get(&(level, index))
            .ok_or_else(|| format!("tile {index} of level {level} is missing"))?;
        let mut bytes = vec![0; usize::from(*width) * 32];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(*at))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|error| error.to_string())?;
        Ok(decode_hashes(&bytes).map_err(|error| error.to_string())?.into())
    }
}

/// Makes the proofs of leaves in their order.
pub(crate) struct Proofs {
    tiles: TilesOfArchive,
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
    pub(crate) fn new(tiles: TilesOfArchive, size: u64, note: String) -> Self {
        Self { tiles, size, note, tile: None }
    }

    /// The text of the proof of a leaf.
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

//! Building proofs and roots from stored tiles (C2SP tlog-tiles; RFC 6962, sections 2.1, 2.1.1 and 2.1.2).
//!
//! Any size that the log has ever had will do: a tile of a larger tree begins with the tile of the smaller one.
//! Each call reads only the tiles that hold a hash it needs, each of them once.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::hash::{EMPTY_ROOT, Hash, node_hash};
use crate::merkle::ProofError;
use crate::nodes::{self, Node};
use crate::tile::tile_width;
use crate::tree_error::TreeError;

/// A store of hash tiles.
pub trait TileReader {
    /// The error of the store in reading a tile.
    type Error;

    /// Reads the first `width` hashes (1 to 256) of tile `index` of tile level `level`.
    ///
    /// More hashes than asked for may be returned: a store that has the tile at a greater width need not cut it.
    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, Self::Error>;

    /// The hash of a complete subtree of `2^level` leaves, the one that begins at leaf `index * 2^level`, if the store
    /// keeps it; otherwise `None`.
    ///
    /// The default is `None`: each node is then computed from its tile. A store that keeps inner nodes saves that work
    /// for every proof.
    fn node(&self, level: u32, index: u64) -> Result<Option<Hash>, Self::Error> {
        let _never_at_hand = (level, index);
        Ok(None)
    }
}

impl<R: TileReader + ?Sized> TileReader for &R {
    type Error = R::Error;

    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, Self::Error> {
        (**self).tile(level, index, width)
    }

    fn node(&self, level: u32, index: u64) -> Result<Option<Hash>, Self::Error> {
        (**self).node(level, index)
    }
}

/// An error in building a root or a proof from stored tiles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError<E> {
    /// The store failed.
    #[error("failed to read a tile: {0}")]
    Reader(E),
    /// The stored tile is shorter than the tree's size requires.
    #[error("tile {index} of level {level} must have {expected} hashes, not {got}")]
    Short {
        /// The tile level, counted from 0.
        level: u8,
        /// The index of the tile within its level, counted from 0.
        index: u64,
        /// The requested width, in hashes.
        expected: u16,
        /// The number of hashes that the store returned.
        got: usize,
    },
    /// There is no proof for these indices and sizes.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// There is no right edge for this size.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// The root of the tree at this size, in leaves (RFC 6962, section 2.1).
pub fn root_at<R: TileReader>(size: u64, reader: &R) -> Result<Hash, ReadError<R::Error>> {
    Tiles::new(size, reader).tail(0)
}

/// The inclusion path of leaf `index` in the tree as it was at `size` (RFC 6962, section 2.1.1).
pub fn inclusion_path<R: TileReader>(
    size: u64,
    index: u64,
    reader: &R,
) -> Result<Vec<Hash>, ReadError<R::Error>> {
    if index >= size {
        return Err(ProofError::IndexOutOfRange { index, size }.into());
    }
    Tiles::new(size, reader).path(Node { level: 0, index })
}

/// The proof that the tree at `old` is a prefix of the tree at `new` (RFC 6962, section 2.1.2).
///
/// Empty where the sizes are equal or the old tree is empty, as [`crate::verify_consistency`] expects it.
pub fn consistency_proof<R: TileReader>(
    old: u64,
    new: u64,
    reader: &R,
) -> Result<Vec<Hash>, ReadError<R::Error>> {
    if old > new {
        return Err(ProofError::SizesReversed { old, new }.into());
    }
    if old == 0 || old == new {
        return Ok(Vec::new());
    }
    let mut tiles = Tiles::new(new, reader);
    let start = last_complete_subtree(old);
    let mut proof = Vec::new();
    if start.index > 0 {
        proof.push(tiles.node(start)?);
    }
    proof.append(&mut tiles.path(start)?);
    Ok(proof)
}

/// The last complete subtree of a tree of `size` leaves, at least 1.
fn last_complete_subtree(size: u64) -> Node {
    let level = size.trailing_zeros();
    Node { level, index: (size >> level) - 1 }
}

/// The hashes of a consistency proof with the one that a proof from an old tree of 2^n leaves leaves out: the last complete
/// subtree of the old tree, and the path after it, as [`crate::roots_from_consistency`] takes them.
pub fn consistency_nodes<R: TileReader>(
    old: u64,
    new: u64,
    reader: &R,
) -> Result<(Hash, Vec<Hash>), ReadError<R::Error>> {
    if old == 0 || old >= new {
        return Err(ProofError::SizesReversed { old, new }.into());
    }
    let mut tiles = Tiles::new(new, reader);
    let start = last_complete_subtree(old);
    Ok((tiles.node(start)?, tiles.path(start)?))
}

/// Reads one tile and checks its width.
pub(crate) fn read_tile<R: TileReader>(
    reader: &R,
    level: u8,
    index: u64,
    expected: u16,
) -> Result<Arc<[Hash]>, ReadError<R::Error>> {
    let hashes = reader.tile(level, index, expected).map_err(ReadError::Reader)?;
    if hashes.len() < usize::from(expected) {
        return Err(ReadError::Short { level, index, expected, got: hashes.len() });
    }
    Ok(hashes)
}

/// The tiles of a tree of one size, those read so far kept.
struct Tiles<'r, R: TileReader> {
    size: u64,
    reader: &'r R,
    read: BTreeMap<(u8, u64), Arc<[Hash]>>,
}

impl<'r, R: TileReader> Tiles<'r, R> {
    fn new(size: u64, reader: &'r R) -> Self {
        Self { size, reader, read: BTreeMap::new() }
    }

    /// A complete node: as the store has it, else the hash of the tile's hashes below it.
    fn node(&mut self, node: Node) -> Result<Hash, ReadError<R::Error>> {
        if let Some(hash) = self.reader.node(node.level, node.index).map_err(ReadError::Reader)? {
            return Ok(hash);
        }
        let (level, index, height, within) = node.place();
        if !self.read.contains_key(&(level, index)) {
            let width = tile_width(self.size, level, index);
            let hashes = read_tile(self.reader, level, index, width)?;
            self.read.insert((level, index), hashes);
        }
        let hashes = &self.read[&(level, index)];
        Ok(fold(&hashes[within << height..(within + 1) << height]))
    }

    /// The hash of the leaves from `start` to the end of the tree.
    fn tail(&mut self, start: u64) -> Result<Hash, ReadError<R::Error>> {
        let mut tail = None;
        for peak in nodes::peaks(start, self.size) {
            let hash = self.node(peak)?;
            tail = Some(tail.map_or(hash, |right| node_hash(&hash, &right)));
        }
        Ok(tail.unwrap_or(EMPTY_ROOT))
    }

    /// The siblings on the way from a node to the root.
    fn path(&mut self, node: Node) -> Result<Vec<Hash>, ReadError<R::Error>> {
        let size = self.size;
        nodes::siblings(node, size)
            .map(
                |node| {
                    if node.is_complete(size) { self.node(node) } else { self.tail(node.index << node.level) }
                },
            )
            .collect()
    }
}

/// The root over a power of two of hashes.
fn fold(hashes: &[Hash]) -> Hash {
    match hashes {
        [hash] => *hash,
        _ => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            node_hash(&fold(left), &fold(right))
        }
    }
}

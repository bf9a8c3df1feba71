//! Building proofs and roots from stored tiles (C2SP tlog-tiles; RFC 6962, sections 2.1, 2.1.1 and 2.1.2).
//!
//! Any size that the log has ever had will do: a tile of a larger tree begins with the tile of the smaller one.
//! Each call reads only the tiles that hold a hash it needs, each of them once.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::hash::{EMPTY_ROOT, Hash, node_hash};
use crate::merkle::ProofError;
use crate::nodes::{self, Node, TILE_WIDTH};
use crate::tile::tile_width;
use crate::tree::TreeError;

/// A store of hash tiles.
pub trait TileReader {
    /// Why a tile cannot be read.
    type Error;

    /// The first `width` hashes (1 to 256) of tile `index` of tile level `level`.
    ///
    /// More hashes than asked for may be returned: a store that has the tile at a greater width need not cut it.
    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, Self::Error>;

    /// The same tile with its inner nodes, which is what roots and proofs are built from.
    ///
    /// By default the tile is folded anew each time. A store that keeps tiles at hand gives them as folded once.
    fn folded(&self, level: u8, index: u64, width: u16) -> Result<Arc<FoldedTile>, Self::Error> {
        self.tile(level, index, width).map(|hashes| Arc::new(FoldedTile::fold(&hashes)))
    }
}

impl<R: TileReader + ?Sized> TileReader for &R {
    type Error = R::Error;

    fn tile(&self, level: u8, index: u64, width: u16) -> Result<Arc<[Hash]>, Self::Error> {
        (**self).tile(level, index, width)
    }

    fn folded(&self, level: u8, index: u64, width: u16) -> Result<Arc<FoldedTile>, Self::Error> {
        (**self).folded(level, index, width)
    }
}

/// A hash tile with the nodes above its hashes, all that are complete: no proof from it hashes anything.
///
/// The nodes are ordered by height, each height from the left, so that they begin with the tile as it is served.
///
/// ```
/// use tlog::{leaf_hash, node_hash, reader::FoldedTile};
///
/// let (a, b, c) = (leaf_hash(b"a"), leaf_hash(b"b"), leaf_hash(b"c"));
/// let tile = FoldedTile::fold(&[a, b, c]);
/// assert_eq!(tile.nodes(), [a, b, c, node_hash(&a, &b)]);
/// assert_eq!(tile.hashes(), [a, b, c]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldedTile {
    width: usize,
    nodes: Box<[Hash]>,
}

impl FoldedTile {
    /// The number of nodes of a full tile: its 256 hashes and the 255 nodes above them.
    pub const FULL_NODES: usize = 2 * TILE_WIDTH - 1;

    /// Folds a tile. Of more than 256 hashes, the first 256 are the tile's.
    pub fn fold(hashes: &[Hash]) -> Self {
        let width = hashes.len().min(TILE_WIDTH);
        let mut nodes = Vec::with_capacity(node_count(width));
        nodes.extend_from_slice(&hashes[..width]);
        let mut start = 0;
        let mut across = width;
        while across > 1 {
            for pair in (start..start + across - across % 2).step_by(2) {
                nodes.push(node_hash(&nodes[pair], &nodes[pair + 1]));
            }
            start += across;
            across /= 2;
        }
        Self { width, nodes: nodes.into() }
    }

    /// A full tile from its nodes, as [`nodes`](Self::nodes) gave them; none where their number is another.
    ///
    /// That they are each other's hashes is not checked: a store trusts here what it folded itself.
    pub fn from_full_nodes(nodes: Vec<Hash>) -> Option<Self> {
        (nodes.len() == Self::FULL_NODES).then(|| Self { width: TILE_WIDTH, nodes: nodes.into() })
    }

    /// The tile as it is served: up to 256 hashes.
    pub fn hashes(&self) -> &[Hash] {
        &self.nodes[..self.width]
    }

    /// All nodes: the tile's hashes, then the nodes one higher, and so on to the top.
    pub fn nodes(&self) -> &[Hash] {
        &self.nodes
    }

    /// The node at this height above the tile's hashes; it must be complete.
    fn node(&self, height: u32, within: usize) -> Hash {
        let below: usize = (0..height).map(|height| self.width >> height).sum();
        self.nodes[below + within]
    }
}

/// The number of complete nodes over `width` hashes, those included.
fn node_count(width: usize) -> usize {
    2 * width - width.count_ones() as usize
}

/// A proof that cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError<E> {
    /// The store failed.
    #[error("failed to read a tile: {0}")]
    Reader(E),
    /// The store's tile is shorter than the tree's size says.
    #[error("tile {index} of level {level} must have {expected} hashes, not {got}")]
    Short {
        /// The tile level.
        level: u8,
        /// The tile's index within its level.
        index: u64,
        /// The width asked for.
        expected: u16,
        /// The number of hashes that came.
        got: usize,
    },
    /// There is no such proof.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// There is no such edge.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// The root of the tree as it was at `size` (RFC 6962, section 2.1).
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
    let level = old.trailing_zeros();
    let start = Node { level, index: (old >> level) - 1 };
    let mut proof = Vec::new();
    if start.index > 0 {
        proof.push(tiles.node(start)?);
    }
    proof.append(&mut tiles.path(start)?);
    Ok(proof)
}

/// Reads one tile and checks its width.
pub(crate) fn read_tile<R: TileReader>(
    reader: &R,
    level: u8,
    index: u64,
    expected: u16,
) -> Result<Arc<[Hash]>, ReadError<R::Error>> {
    let hashes = reader.tile(level, index, expected).map_err(ReadError::Reader)?;
    check_width(level, index, expected, hashes.len())?;
    Ok(hashes)
}

fn check_width<E>(level: u8, index: u64, expected: u16, got: usize) -> Result<(), ReadError<E>> {
    if got < usize::from(expected) { Err(ReadError::Short { level, index, expected, got }) } else { Ok(()) }
}

/// The tiles of a tree of one size, those read so far kept.
struct Tiles<'r, R: TileReader> {
    size: u64,
    reader: &'r R,
    read: BTreeMap<(u8, u64), Arc<FoldedTile>>,
}

impl<'r, R: TileReader> Tiles<'r, R> {
    fn new(size: u64, reader: &'r R) -> Self {
        Self { size, reader, read: BTreeMap::new() }
    }

    /// A complete node.
    fn node(&mut self, node: Node) -> Result<Hash, ReadError<R::Error>> {
        let (level, index, height, within) = node.place();
        if !self.read.contains_key(&(level, index)) {
            let width = tile_width(self.size, level, index);
            let tile = self.reader.folded(level, index, width).map_err(ReadError::Reader)?;
            check_width(level, index, width, tile.width)?;
            self.read.insert((level, index), tile);
        }
        Ok(self.read[&(level, index)].node(height, within))
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

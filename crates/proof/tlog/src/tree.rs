//! The right edge of a growing tree: all that a log must hold in memory to append (RFC 6962, section 2.1).
//!
//! The edge is kept as C2SP tlog-tiles stores it, as the partial tile of each tile level, together with those tiles'
//! inner nodes. A batch of leaves is appended to a [`Stage`], which shares the edge's tiles until it writes to them
//! and retains the tiles that the batch completes. So the inclusion path of every leaf of the batch can be read off
//! without hashing anything and without reading the store, and a batch that fails to commit is simply dropped.

use std::sync::{Arc, OnceLock};

use crate::hash::{EMPTY_ROOT, Hash, node_hash};
use crate::nodes::{self, Node, TILE_WIDTH, TileNodes, hashes_on_level};
use crate::reader::{ReadError, TileReader, read_tile};
use crate::tile::{TilePath, partial_width};
use crate::tree_error::TreeError;

/// The largest tree that an edge is restored to. Nobody gets there by appending.
const MAX_SIZE: u64 = 1 << 62;

/// A hash tile as the store keeps and the log serves it (C2SP tlog-tiles): 1 to 256 hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// The tile level: level 0 holds leaf hashes, each higher level the hashes of the full tiles below.
    pub level: u8,
    /// The index of the tile within its level, counted from 0.
    pub index: u64,
    /// The hashes of the tile, from the left; 256 if the tile is full.
    pub hashes: Vec<Hash>,
}

/// A [`Tile`] of 256 hashes, which never changes again.
pub type FullTile = Tile;

impl Tile {
    /// Returns the path at which the log serves the tile.
    pub fn path(&self) -> TilePath {
        let width = u16::try_from(self.hashes.len()).expect("a tile has at most 256 hashes");
        TilePath::hashes(self.level, self.index, width)
            .expect("a tile of a tree lies within the format's bounds")
    }
}

/// The right edge of the tree: its partial tiles, one for each tile level.
///
/// A clone shares its tiles with the original; a tile is copied when one of the two appends to it.
#[derive(Debug, Clone, Default)]
pub struct RightEdge {
    size: u64,
    /// The partial tile of each level that has any hash; empty where the level's last tile is full.
    levels: Vec<Arc<TileNodes>>,
}

impl RightEdge {
    /// The edge of the empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Restores the edge of a tree of `size` from the hashes of the rightmost partial tile of each tile level,
    /// from level 0 up. A level whose last tile is full has no partial tile: its place holds no hashes.
    ///
    /// This function cannot check the hashes. Compare [`root`](Self::root) with the signed checkpoint.
    pub fn from_tiles<T: AsRef<[Hash]>>(size: u64, level_tiles: &[T]) -> Result<Self, TreeError> {
        let expected = level_count(size)?;
        if level_tiles.len() != expected {
            return Err(TreeError::Levels { size, expected, got: level_tiles.len() });
        }
        let mut levels = Vec::with_capacity(expected);
        for (level, tile) in (0..).zip(level_tiles) {
            let hashes = tile.as_ref();
            let expected = usize::from(partial_width(size, level));
            if hashes.len() != expected {
                return Err(TreeError::Width { level, expected, got: hashes.len() });
            }
            let mut nodes = TileNodes::default();
            for hash in hashes {
                nodes.push(*hash);
            }
            levels.push(Arc::new(nodes));
        }
        Ok(Self { size, levels })
    }

    /// Restores the edge of a tree of `size` from stored tiles: one partial tile a level is read.
    ///
    /// As with [`from_tiles`](Self::from_tiles), compare the root with the signed checkpoint.
    pub fn read<R: TileReader>(size: u64, reader: &R) -> Result<Self, ReadError<R::Error>> {
        let mut tiles = Vec::new();
        for level in (0..).take(level_count(size)?) {
            let index = hashes_on_level(size, level) / TILE_WIDTH as u64;
            tiles.push(match partial_width(size, level) {
                0 => Vec::new(),
                width => read_tile(reader, level, index, width)?[..usize::from(width)].to_vec(),
            });
        }
        Ok(Self::from_tiles(size, &tiles)?)
    }

    /// The number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root of the tree (RFC 6962, section 2.1); [`EMPTY_ROOT`] where it has no leaves.
    pub fn root(&self) -> Hash {
        Tails::of(self).root
    }

    /// Appends a leaf. Returns the tiles that it completes, from level 0 up, for the caller to store.
    pub fn append(&mut self, leaf: Hash) -> Vec<FullTile> {
        let mut completed = Vec::new();
        self.push(leaf, |level, index, nodes| {
            completed.push(Tile { level, index, hashes: nodes.hashes() });
        });
        completed
    }

    /// Begins a batch. This edge stays unchanged.
    pub fn stage(&self) -> Stage {
        Stage { base: self.size, edge: self.clone(), completed: Vec::new(), tails: OnceLock::new() }
    }

    /// The partial tiles, from level 0 up, in the form in which they are stored and served.
    pub fn partial_tiles(&self) -> Vec<Tile> {
        let tiles = (0..).zip(&self.levels).filter(|(_, nodes)| nodes.width() > 0);
        tiles
            .map(|(level, nodes)| Tile {
                level,
                index: hashes_on_level(self.size, level) / TILE_WIDTH as u64,
                hashes: nodes.hashes(),
            })
            .collect()
    }

    fn push(&mut self, leaf: Hash, mut completed: impl FnMut(u8, u64, Arc<TileNodes>)) {
        let mut carry = Some(leaf);
        let mut level = 0;
        while let Some(hash) = carry {
            if self.levels.len() == level {
                self.levels.push(Arc::default());
            }
            let nodes = &mut self.levels[level];
            carry = Arc::make_mut(nodes).push(hash);
            if carry.is_some() {
                let tile_level = u8::try_from(level).expect("a tree has at most 8 tile levels");
                let index = hashes_on_level(self.size, tile_level) / TILE_WIDTH as u64;
                completed(tile_level, index, std::mem::take(nodes));
            }
            level += 1;
        }
        self.size += 1;
    }

    /// The node, where its tile is the partial tile of its level. All peaks of the tree are.
    fn node(&self, node: Node) -> Hash {
        let (level, _, height, within) = node.place();
        self.levels[usize::from(level)].node(height, within)
    }
}

/// The number of tile levels of a tree of `size`.
fn level_count(size: u64) -> Result<usize, TreeError> {
    if size > MAX_SIZE {
        return Err(TreeError::TooLarge(size));
    }
    Ok((0..).take_while(|level| hashes_on_level(size, *level) > 0).count())
}

/// The hashes of the incomplete nodes on the right edge, and the root.
#[derive(Debug)]
struct Tails {
    /// For each tree level, the hash of the leaves from the last multiple of its width to the end;
    /// none where there are no such leaves.
    levels: Vec<Option<Hash>>,
    root: Hash,
}

impl Tails {
    fn of(edge: &RightEdge) -> Self {
        let mut levels = Vec::new();
        let mut tail = None;
        for peak in nodes::peaks(0, edge.size) {
            levels.resize(peak.level as usize + 1, tail);
            let hash = edge.node(peak);
            tail = Some(tail.map_or(hash, |right| node_hash(&hash, &right)));
        }
        levels.push(tail);
        Self { levels, root: tail.unwrap_or(EMPTY_ROOT) }
    }

    fn at(&self, level: u32) -> Option<Hash> {
        *self.levels.get(level as usize).or(self.levels.last())?
    }
}

/// A batch of leaves on top of a [`RightEdge`], not yet committed.
#[derive(Debug, Clone)]
pub struct Stage {
    base: u64,
    edge: RightEdge,
    /// The tiles completed since the stage began, for each level from the leftmost on.
    completed: Vec<Vec<Arc<TileNodes>>>,
    /// Computed when first asked for, forgotten at the next append.
    tails: OnceLock<Arc<Tails>>,
}

impl Stage {
    /// Appends a leaf and returns its index.
    pub fn append(&mut self, leaf: Hash) -> u64 {
        let index = self.edge.size;
        self.tails.take();
        let completed = &mut self.completed;
        self.edge.push(leaf, |level, _, nodes| {
            let level = usize::from(level);
            if completed.len() == level {
                completed.push(Vec::new());
            }
            completed[level].push(nodes);
        });
        index
    }

    /// The size of the tree when the stage began.
    pub fn base_size(&self) -> u64 {
        self.base
    }

    /// The size of the tree with the staged leaves.
    pub fn size(&self) -> u64 {
        self.edge.size
    }

    /// The root of the tree with the staged leaves.
    pub fn root(&self) -> Hash {
        self.tails().root
    }

    /// The inclusion path of a leaf in the tree with all the leaves staged so far (RFC 6962, section 2.1.1).
    ///
    /// It exists for every leaf that the stage appended. The call reads nothing from the store, and hashes only on the
    /// first call after an append.
    pub fn inclusion_path(&self, index: u64) -> Result<Vec<Hash>, TreeError> {
        let size = self.size();
        if index >= size {
            return Err(TreeError::IndexOutOfRange { index, size });
        }
        let tails = self.tails();
        let mut path = Vec::with_capacity(u64::BITS as usize - size.leading_zeros() as usize);
        for sibling in nodes::siblings(Node { level: 0, index }, size) {
            let hash = if sibling.is_complete(size) { self.node(sibling) } else { tails.at(sibling.level) };
            path.push(hash.ok_or(TreeError::NotStaged { index })?);
        }
        Ok(path)
    }

    /// The tiles that the stage completed, level by level, each from the left; for the caller to store.
    pub fn full_tiles(&self) -> Vec<FullTile> {
        let mut tiles = Vec::new();
        for (level, completed) in (0..).zip(&self.completed) {
            let indices = self.first_completed(level)..;
            let completed = indices.zip(completed);
            tiles.extend(completed.map(|(index, nodes)| Tile { level, index, hashes: nodes.hashes() }));
        }
        tiles
    }

    /// The partial tiles of the tree with the staged leaves, from level 0 up; for the caller to store.
    pub fn partial_tiles(&self) -> Vec<Tile> {
        self.edge.partial_tiles()
    }

    /// Ends the batch and returns the edge of the tree with the staged leaves.
    pub fn commit(self) -> RightEdge {
        self.edge
    }

    fn tails(&self) -> &Tails {
        self.tails.get_or_init(|| Arc::new(Tails::of(&self.edge)))
    }

    /// The index of the first tile that the stage completed, or will complete, on this level.
    fn first_completed(&self, level: u8) -> u64 {
        hashes_on_level(self.base, level) / TILE_WIDTH as u64
    }

    /// A complete node; none where only the store has its tile.
    fn node(&self, node: Node) -> Option<Hash> {
        let (level, tile, height, within) = node.place();
        let since = usize::try_from(tile.checked_sub(self.first_completed(level))?).ok()?;
        let completed = self.completed.get(usize::from(level)).map_or(&[][..], Vec::as_slice);
        let nodes = match completed.get(since) {
            Some(nodes) => nodes,
            None => self.edge.levels.get(usize::from(level))?,
        };
        Some(nodes.node(height, within))
    }
}

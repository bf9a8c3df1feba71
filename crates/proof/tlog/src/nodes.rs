//! Functions that the right edge and the tile reader share: the positions of nodes, and the inner nodes of one tile.

use crate::hash::{Hash, node_hash};

/// The height of a tile in tree levels (C2SP tlog-tiles).
pub(crate) const TILE_HEIGHT: u32 = 8;

/// The number of hashes in a full tile.
pub(crate) const TILE_WIDTH: usize = 1 << TILE_HEIGHT;

/// The number of nodes that a full tile stands for: its hashes and all that lies above them up to its own hash.
const TILE_NODES: usize = 2 * TILE_WIDTH - 1;

/// The number of hashes of a tree of `size` leaves on tile level `level`: `floor(size / 256^level)`.
pub(crate) fn hashes_on_level(size: u64, level: u8) -> u64 {
    size.checked_shr(TILE_HEIGHT * u32::from(level)).unwrap_or(0)
}

/// A node of the tree: its level (0 is the leaves') and its index on that level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) level: u32,
    pub(crate) index: u64,
}

impl Node {
    /// Returns true if a tree of `size` has all the leaves below this node, so that its hash never changes again.
    pub(crate) fn is_complete(self, size: u64) -> bool {
        self.index < size.checked_shr(self.level).unwrap_or(0)
    }

    /// The node's tile, as level and index, and the node's height and index within it.
    pub(crate) fn place(self) -> (u8, u64, u32, usize) {
        let level = u8::try_from(self.level / TILE_HEIGHT).expect("a tree has at most 64 levels");
        let height = self.level % TILE_HEIGHT;
        let across = TILE_HEIGHT - height;
        let within = self.index & ((1 << across) - 1);
        (level, self.index >> across, height, usize::try_from(within).expect("a tile is 256 wide"))
    }
}

/// The siblings on the way from `node` to the root of a tree of `size`, from the bottom up, in the order of RFC 6962,
/// section 2.1.1. At most one of them, where the node's subtree meets the right edge, may be incomplete.
pub(crate) fn siblings(node: Node, size: u64) -> impl Iterator<Item = Node> {
    let Node { mut level, mut index } = node;
    let mut last = (size - 1) >> level;
    std::iter::from_fn(move || {
        while last > 0 {
            let sibling = Node { level, index: index ^ 1 };
            let exists = sibling.index <= last;
            (level, index, last) = (level + 1, index >> 1, last >> 1);
            if exists {
                return Some(sibling);
            }
        }
        None
    })
}

/// The largest complete subtrees that make up the leaves from `start` to `size`, from the right.
/// `start` is a multiple of the smallest power of two that is not less than `size - start`.
pub(crate) fn peaks(start: u64, size: u64) -> impl Iterator<Item = Node> {
    let mut rest = size - start;
    std::iter::from_fn(move || {
        (rest > 0).then(|| {
            let level = rest.trailing_zeros();
            rest &= rest - 1;
            Node { level, index: (size >> level) - 1 }
        })
    })
}

/// A tile with its inner nodes: all the complete subtrees over the hashes it has so far.
///
/// Nodes are kept in the order in which appending completes them, so that an append only ever pushes: before hash
/// `n` come `n` hashes and `n - popcount(n)` inner nodes.
#[derive(Debug, Default)]
pub(crate) struct TileNodes {
    nodes: Vec<Hash>,
    width: usize,
}

impl Clone for TileNodes {
    /// A copy is made in order to append to it, so it has room for the whole tile.
    fn clone(&self) -> Self {
        let mut nodes = Vec::with_capacity(TILE_NODES);
        nodes.extend_from_slice(&self.nodes);
        Self { nodes, width: self.width }
    }
}

impl TileNodes {
    /// The number of hashes in the tile, 0 to 256.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Appends a hash; for the 256th, returns the hash of the whole tile.
    pub(crate) fn push(&mut self, hash: Hash) -> Option<Hash> {
        assert!(self.width < TILE_WIDTH, "a full tile takes no more hashes");
        if self.nodes.capacity() == 0 {
            self.nodes.reserve_exact(TILE_NODES);
        }
        let mut node = hash;
        self.nodes.push(node);
        for height in 0..self.width.trailing_ones() {
            let left = self.node(height, (self.width >> height) - 1);
            node = node_hash(&left, &node);
            self.nodes.push(node);
        }
        self.width += 1;
        (self.width == TILE_WIDTH).then_some(node)
    }

    /// The node at this height above the tile's hashes.
    pub(crate) fn node(&self, height: u32, index: usize) -> Hash {
        let last_leaf = ((index + 1) << height) - 1;
        self.nodes[2 * last_leaf - last_leaf.count_ones() as usize + height as usize]
    }

    /// The tile's own hashes.
    pub(crate) fn hashes(&self) -> Vec<Hash> {
        (0..self.width).map(|index| self.node(0, index)).collect()
    }
}

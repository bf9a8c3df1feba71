//! The published tree: nodes, tiles and proofs, from memory where they are, else from the store.
//!
//! Proofs are computed by functions that do not wait. So a proof is tried over the parts of the tree that are in memory; a
//! part that is missing is read, and the proof tried again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use ledger::back_end::{GROUP, PartCache, PublishedTree, TileNodes};
use ledger::{Head, Inclusion, LedgerError};
use tlog::tile::{FULL_WIDTH, TileKind, encode_hashes, tile_width};
use tlog::{Hash, ReadError, TilePath, TileReader};

use super::reads;
use crate::connection::{Connection, Result};

/// A stored part of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    /// A full tile, by level and index.
    Tile(u8, u64),
    /// The nodes over the groups of a full tile of level 0.
    Upper(u64),
    /// A group of level 0.
    Group(u64),
}

/// A part that was needed, and is not in memory.
struct Missing(Part);

/// Caches of the nodes and roots that proofs were built from lately.
pub(crate) struct Caches {
    /// The nodes over the groups of full tiles of level 0: 8,192 of 1 KiB each, so all of two million leaves.
    upper: PartCache<u64, Arc<TileNodes>>,
    /// Full tiles of the higher levels, folded: 256 of 16 KiB each, so all of sixteen million leaves.
    high: PartCache<(u8, u64), Arc<TileNodes>>,
    /// Roots at earlier sizes: receipts that were signed over the same head ask for the same one.
    roots: PartCache<u64, Hash>,
}

/// Parts that were read under a head which is not known to be durable. They are cached once it is: a part of a log that is
/// lost again must not be taken for one of the log that goes on.
#[derive(Default)]
pub(crate) struct NewParts(Mutex<Vec<(Part, Arc<TileNodes>)>>);

impl Caches {
    /// Caches parts of a durable log.
    pub(crate) fn keep(&self, parts: NewParts) {
        let parts = parts.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.into_iter().for_each(|(part, nodes)| self.keep_part(part, nodes));
    }

    /// Caches a part where it is of use to others.
    fn keep_part(&self, part: Part, nodes: Arc<TileNodes>) {
        match part {
            Part::Tile(level, index) if level > 0 => self.high.keep((level, index), nodes),
            Part::Upper(index) => self.upper.keep(index, nodes),
            Part::Tile(..) | Part::Group(_) => {}
        }
    }

    pub(crate) fn new() -> Self {
        const UPPER: NonZeroUsize = NonZeroUsize::new(8192).expect("8192 is not zero");
        const HIGH: NonZeroUsize = NonZeroUsize::new(256).expect("256 is not zero");
        const ROOTS: NonZeroUsize = NonZeroUsize::new(16_384).expect("16384 is not zero");
        Self { upper: PartCache::new(UPPER), high: PartCache::new(HIGH), roots: PartCache::new(ROOTS) }
    }
}

/// The parts of a tree that are in memory while one proof is built.
struct InMemory<'a> {
    published: &'a PublishedTree,
    caches: &'a Caches,
    read: RefCell<HashMap<Part, Arc<TileNodes>>>,
}

/// The most parts that one proof needs: a group, and a tile of each level.
const MOST_PARTS: usize = 32;

/// A published tree over a connection.
#[derive(Clone, Copy)]
pub(crate) struct TreeView<'a> {
    pub(crate) connection: Connection<'a>,
    pub(crate) caches: &'a Caches,
    pub(crate) published: &'a PublishedTree,
    /// The place of parts that may not be cached yet; `None` where the tree is durable.
    pub(crate) new_parts: Option<&'a NewParts>,
}

impl TreeView<'_> {
    /// The proof of a leaf under the published checkpoint; `None` where the published tree does not have it.
    pub(crate) async fn inclusion(self, leaf: u64) -> Result<Option<Inclusion>> {
        let head = &self.published.head;
        if leaf >= head.size {
            return Ok(None);
        }
        let path = self.over_parts(|parts| tlog::inclusion_path(head.size, leaf, parts)).await?;
        Ok(Some(Inclusion { leaf, path, checkpoint: Arc::clone(&head.checkpoint) }))
    }

    /// The path of a leaf in the tree as it was at an earlier size.
    pub(crate) async fn inclusion_at(self, leaf: u64, size: u64) -> Result<Vec<Hash>> {
        self.over_parts(|parts| tlog::inclusion_path(size, leaf, parts)).await
    }

    /// The proof that the tree at one size is a prefix of the tree at another one.
    pub(crate) async fn consistency(self, old: u64, new: u64) -> Result<Vec<Hash>> {
        self.over_parts(|parts| tlog::consistency_proof(old, new, parts)).await
    }

    /// The root of the tree as it was at an earlier size.
    pub(crate) async fn root_at(self, size: u64) -> Result<Hash> {
        if let Some(root) = self.caches.roots.cached(&size) {
            return Ok(root);
        }
        let root = self.root_of(size).await?;
        if self.new_parts.is_none() {
            self.caches.roots.keep(size, root);
        }
        Ok(root)
    }

    /// The root at an earlier size, computed from the tree's parts.
    pub(crate) async fn root_of(self, size: u64) -> Result<Hash> {
        self.over_parts(|parts| tlog::root_at(size, parts)).await
    }

    /// Checks that this tree begins with a known one.
    ///
    /// # Errors
    /// [`LedgerError::Corrupt`]: it does not.
    pub(crate) async fn check_extends(self, known: &Head) -> Result<()> {
        let root = self.root_of(known.size).await?;
        if root == known.root {
            return Ok(());
        }
        let Head { size, root: expected, .. } = known;
        let why =
            format!("a server's log has the root {root} at {size} leaves, and the known one {expected}");
        Err(LedgerError::Corrupt(why).into())
    }

    /// The bytes of a tile as served, or `None` where the published tree does not have it at that width.
    pub(crate) async fn bytes(self, path: &TilePath) -> Result<Option<Vec<u8>>> {
        let width = path.width();
        let level = if let TileKind::Hashes(level) = path.kind() { level } else { 0 };
        if width > tile_width(self.published.head.size, level, path.index()) {
            return Ok(None);
        }
        match path.kind() {
            TileKind::Hashes(level) => {
                let hashes = match self.published.partial_tile(level, path.index()) {
                    Some(tile) => tile.hashes().to_vec(),
                    None => reads::full_tile(self.connection, level, path.index()).await?,
                };
                Ok(Some(encode_hashes(&hashes[..usize::from(width)])))
            }
            TileKind::Entries => {
                let first = path.index() * u64::from(FULL_WIDTH);
                reads::bundle(self.connection, first..first + u64::from(width)).await.map(Some)
            }
        }
    }

    async fn over_parts<T>(
        self,
        work: impl Fn(&InMemory<'_>) -> std::result::Result<T, ReadError<Missing>>,
    ) -> Result<T> {
        let Self { connection, caches, published, new_parts } = self;
        let mut read = HashMap::new();
        loop {
            let parts = InMemory { published, caches, read: RefCell::new(read) };
            let part = match work(&parts) {
                Ok(value) => return Ok(value),
                Err(ReadError::Reader(Missing(part))) => part,
                Err(ReadError::Short { level, index, .. }) => {
                    return Err(unsound(format!("tile {index} of level {level} is too short")));
                }
                Err(ReadError::Proof(error)) => return Err(unsound(error.to_string())),
                Err(ReadError::Tree(error)) => return Err(unsound(error.to_string())),
            };
            read = parts.read.into_inner();
            if read.len() >= MOST_PARTS {
                return Err(unsound(format!("no proof needs {part:?} as well")));
            }
            let nodes = Arc::new(load(connection, part).await?);
            match new_parts {
                None => caches.keep_part(part, Arc::clone(&nodes)),
                Some(NewParts(parts)) => {
                    parts.lock().unwrap_or_else(PoisonError::into_inner).push((part, Arc::clone(&nodes)));
                }
            }
            read.insert(part, nodes);
        }
    }
}

fn unsound(why: String) -> crate::failure::ConnectionError {
    LedgerError::Corrupt(why).into()
}

/// Reads a part.
async fn load(connection: Connection<'_>, part: Part) -> Result<TileNodes> {
    match part {
        Part::Tile(level, index) => Ok(TileNodes::fold(&reads::full_tile(connection, level, index).await?)),
        Part::Upper(index) => reads::upper(connection, 0, index).await,
        Part::Group(number) => reads::group(connection, number).await,
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

impl InMemory<'_> {
    fn part(&self, part: Part) -> std::result::Result<Arc<TileNodes>, Missing> {
        let cached = match part {
            Part::Tile(0, _) | Part::Group(_) => None,
            Part::Tile(level, index) => self.caches.high.cached(&(level, index)),
            Part::Upper(index) => self.caches.upper.cached(&index),
        };
        cached.or_else(|| self.read.borrow().get(&part).cloned()).ok_or(Missing(part))
    }
}

impl TileReader for InMemory<'_> {
    type Error = Missing;

    fn tile(&self, level: u8, index: u64, _width: u16) -> std::result::Result<Arc<[Hash]>, Missing> {
        let nodes = match self.published.partial_tile(level, index) {
            Some(tile) => tile,
            None => self.part(Part::Tile(level, index))?,
        };
        Ok(nodes.hashes().into())
    }

    fn node(&self, level: u32, index: u64) -> std::result::Result<Option<Hash>, Missing> {
        let height = level % TILE_HEIGHT;
        let tile_level = u8::try_from(level / TILE_HEIGHT).expect("a tree has at most 64 levels");
        let (tile, within) = split(index, TILE_HEIGHT - height);
        if let Some(partial) = self.published.partial_tile(tile_level, tile) {
            return Ok(partial.node(height, within));
        }
        if tile_level > 0 {
            return Ok(self.part(Part::Tile(tile_level, tile))?.node(height, within));
        }
        match height.checked_sub(GROUP_HEIGHT) {
            None => {
                let (number, within) = split(index, GROUP_HEIGHT - height);
                Ok(self.part(Part::Group(number))?.node(height, within))
            }
            Some(height) => Ok(self.part(Part::Upper(tile))?.node(height, within)),
        }
    }
}

//! The newest durable head of the log, and the tiles for building proofs.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use lru::LruCache;
use receipt::time::Timestamp;
use tlog::{Hash, RightEdge};

use crate::tile_nodes::TileNodes;

/// A durable head of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The number of leaves of the tree.
    pub size: u64,
    /// The root hash of the tree.
    pub root: Hash,
    /// The greatest `signed_at` of the receipts in the tree.
    pub latest: Timestamp,
    /// The text of the signed checkpoint.
    pub checkpoint: Arc<str>,
}

/// A head together with the right edge of its tree.
#[derive(Debug)]
pub struct PublishedTree {
    /// The head.
    pub head: Arc<Head>,
    edge: RightEdge,
    /// TileNodes when a proof first asks: under load most heads are superseded before anybody does.
    partial: OnceLock<Vec<PartialTile>>,
}

#[derive(Debug)]
struct PartialTile {
    level: u8,
    index: u64,
    tile: Arc<TileNodes>,
}

impl PublishedTree {
    /// Makes the tree of `head`, whose right edge is `edge`.
    #[must_use]
    pub fn new(head: Arc<Head>, edge: RightEdge) -> Self {
        Self { head, edge, partial: OnceLock::new() }
    }

    /// The partial tile at this level and index; `None` where the tree has no partial tile there.
    #[must_use]
    pub fn partial_tile(&self, level: u8, index: u64) -> Option<Arc<TileNodes>> {
        let partial = self.partial.get_or_init(|| {
            let tiles = self.edge.partial_tiles().into_iter();
            tiles
                .map(|tile| PartialTile {
                    level: tile.level,
                    index: tile.index,
                    tile: Arc::new(TileNodes::fold(&tile.hashes)),
                })
                .collect()
        });
        let found = partial.iter().find(|partial| (partial.level, partial.index) == (level, index))?;
        Some(Arc::clone(&found.tile))
    }
}

/// The newest published tree. The writer replaces it after each commit.
pub struct PublishedHead(RwLock<Arc<PublishedTree>>);

impl PublishedHead {
    /// Makes the holder from the tree that the process read from the store.
    #[must_use]
    pub fn new(published: PublishedTree) -> Self {
        Self(RwLock::new(Arc::new(published)))
    }

    /// The newest published tree.
    #[must_use]
    pub fn newest(&self) -> Arc<PublishedTree> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Publishes a larger tree, which must be durable.
    ///
    /// # Panics
    /// The tree is not larger than the newest one.
    pub fn publish(&self, published: PublishedTree) {
        let mut newest = self.0.write().unwrap_or_else(PoisonError::into_inner);
        assert!(published.head.size > newest.head.size, "the log only grows");
        *newest = Arc::new(published);
    }
}

impl PublishedHead {
    /// Publishes a tree, which must be durable, if it is larger than the newest one. Several processes extend one log, so
    /// a tree that was read may be older than one that was published meanwhile.
    pub fn advance(&self, published: &Arc<PublishedTree>) {
        let mut newest = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if published.head.size > newest.head.size {
            *newest = Arc::clone(published);
        }
    }
}

/// A cache of immutable parts of the tree.
pub struct PartCache<K, P>(Mutex<LruCache<K, P>>);

impl<K: std::hash::Hash + Eq, P: Clone> PartCache<K, P> {
    /// Makes a cache of at most `parts` parts.
    #[must_use]
    pub fn new(parts: NonZeroUsize) -> Self {
        Self(Mutex::new(LruCache::new(parts)))
    }

    /// The part, where it is in the cache.
    #[must_use]
    pub fn cached(&self, key: &K) -> Option<P> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Caches a part.
    pub fn keep(&self, key: K, part: P) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(key, part);
    }

    /// Returns the part from the cache, or otherwise from `load`, and caches it.
    ///
    /// # Errors
    /// The errors of `load`.
    pub fn get<E>(&self, key: K, load: impl FnOnce() -> Result<P, E>) -> Result<P, E> {
        if let Some(part) = self.cached(&key) {
            return Ok(part);
        }
        let part = load()?;
        self.keep(key, part.clone());
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use tlog::EMPTY_ROOT;

    use super::*;

    fn published(size: u64) -> PublishedTree {
        let mut edge = RightEdge::new();
        (0..size).for_each(|leaf| drop(edge.append(tlog::leaf_hash(&leaf.to_be_bytes()))));
        let head =
            Head { size, root: edge.root(), latest: Timestamp::EPOCH, checkpoint: "a checkpoint".into() };
        PublishedTree::new(Arc::new(head), edge)
    }

    #[test]
    fn a_published_tree_has_its_own_partial_tiles_and_no_others() {
        let published = published(600);
        assert_eq!(published.partial_tile(0, 2).unwrap().hashes().len(), 88);
        assert_eq!(published.partial_tile(1, 0).unwrap().hashes().len(), 2);
        assert!(published.partial_tile(0, 1).is_none() && published.partial_tile(2, 0).is_none());
    }

    #[test]
    #[should_panic(expected = "the log only grows")]
    fn a_head_that_is_no_larger_is_never_published() {
        PublishedHead::new(published(3)).publish(published(3));
    }

    #[test]
    fn a_part_is_loaded_again_only_after_others_have_displaced_it() {
        let cache = PartCache::new(NonZeroUsize::new(10).unwrap());
        let load = |loads: &mut u32, key: u64| {
            let part = cache.get(key, || {
                *loads += 1;
                Ok::<_, ()>(EMPTY_ROOT)
            });
            part.unwrap();
        };
        let mut loads = 0;
        (0..2).for_each(|_| load(&mut loads, 0));
        assert_eq!(loads, 1);
        (1..=10).for_each(|key| load(&mut loads, key));
        load(&mut loads, 0);
        assert_eq!(loads, 12);
        cache.get(99, || Err(())).unwrap_err();
    }
}

//! The newest durable state of the log, and the tiles that proofs are built from.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use lru::LruCache;
use receipt::time::Timestamp;
use tlog::reader::FoldedTile;
use tlog::{Hash, RightEdge};

/// The newest durable head of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// Leaves in the tree.
    pub size: u64,
    /// The tree's root.
    pub root: Hash,
    /// The greatest `signed_at` in the tree.
    pub latest: Timestamp,
    /// The signed checkpoint.
    pub checkpoint: Arc<str>,
}

/// A head with the right edge of its tree.
#[derive(Debug)]
pub(crate) struct Published {
    pub(crate) head: Arc<Head>,
    edge: RightEdge,
    /// Folded when a proof first asks: under load most heads are superseded before anybody does.
    partial: OnceLock<Vec<Partial>>,
}

#[derive(Debug)]
struct Partial {
    level: u8,
    index: u64,
    tile: Arc<FoldedTile>,
}

impl Published {
    pub(crate) fn new(head: Arc<Head>, edge: RightEdge) -> Self {
        Self { head, edge, partial: OnceLock::new() }
    }

    /// The tile, where it is a partial tile of this tree.
    pub(crate) fn partial_tile(&self, level: u8, index: u64) -> Option<Arc<FoldedTile>> {
        let partial = self.partial.get_or_init(|| {
            let tiles = self.edge.partial_tiles().into_iter();
            tiles
                .map(|tile| Partial {
                    level: tile.level,
                    index: tile.index,
                    tile: Arc::new(FoldedTile::fold(&tile.hashes)),
                })
                .collect()
        });
        let found = partial.iter().find(|partial| (partial.level, partial.index) == (level, index))?;
        Some(Arc::clone(&found.tile))
    }
}

/// The place where the writer publishes, after its commit and never before.
pub(crate) struct Board(RwLock<Arc<Published>>);

impl Board {
    pub(crate) fn new(published: Published) -> Self {
        Self(RwLock::new(Arc::new(published)))
    }

    pub(crate) fn newest(&self) -> Arc<Published> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn publish(&self, published: Published) {
        let mut newest = self.0.write().unwrap_or_else(PoisonError::into_inner);
        assert!(published.head.size > newest.head.size, "the log only grows");
        *newest = Arc::new(published);
    }
}

/// Full tiles that were read lately, folded: 1,280 of 16 KiB each, 20 MiB at most.
///
/// What is not in it comes from the store folded all the same, so it need not hold all.
pub(crate) struct TileCache(Mutex<LruCache<(u8, u64), Arc<FoldedTile>>>);

impl TileCache {
    const TILES: NonZeroUsize = NonZeroUsize::new(1280).expect("1280 is not zero");

    pub(crate) fn new() -> Self {
        Self(Mutex::new(LruCache::new(Self::TILES)))
    }

    /// The tile from the cache, else from `load`.
    pub(crate) fn get<E>(
        &self,
        level: u8,
        number: u64,
        load: impl FnOnce() -> Result<Arc<FoldedTile>, E>,
    ) -> Result<Arc<FoldedTile>, E> {
        if let Some(tile) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&(level, number)) {
            return Ok(Arc::clone(tile));
        }
        let tile = load()?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put((level, number), Arc::clone(&tile));
        Ok(tile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(size: u64) -> Published {
        let mut edge = RightEdge::new();
        (0..size).for_each(|leaf| drop(edge.append(tlog::leaf_hash(&leaf.to_be_bytes()))));
        let head =
            Head { size, root: edge.root(), latest: Timestamp::EPOCH, checkpoint: "a checkpoint".into() };
        Published::new(Arc::new(head), edge)
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
        Board::new(published(3)).publish(published(3));
    }

    #[test]
    fn a_tile_is_loaded_again_only_after_others_have_displaced_it() {
        let cache = TileCache::new();
        let load = |loads: &mut u32, number| {
            let tile = cache.get(0, number, || {
                *loads += 1;
                Ok::<_, ()>(Arc::new(FoldedTile::fold(&[])))
            });
            tile.unwrap();
        };
        let mut loads = 0;
        (0..2).for_each(|_| load(&mut loads, 0));
        assert_eq!(loads, 1);
        (1..=1280).for_each(|number| load(&mut loads, number));
        load(&mut loads, 0);
        assert_eq!(loads, 1282);
        cache.get(0, 9999, || Err(())).unwrap_err();
    }
}

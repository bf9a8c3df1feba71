//! The newest durable state of the log, and proofs from it.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use lru::LruCache;
use receipt::time::Timestamp;
use tlog::{Hash, RightEdge};

use crate::LedgerError;

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
    pub(crate) edge: RightEdge,
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

/// Full tiles that were read lately: 2,048 of 8 KiB each, 16 MiB at most.
pub(crate) struct TileCache(Mutex<LruCache<(u8, u64), Arc<[Hash]>>>);

impl TileCache {
    const TILES: NonZeroUsize = NonZeroUsize::new(2048).expect("2048 is not zero");

    pub(crate) fn new() -> Self {
        Self(Mutex::new(LruCache::new(Self::TILES)))
    }

    /// The tile from the cache, else from `load`.
    pub(crate) fn get(
        &self,
        level: u8,
        number: u64,
        load: impl FnOnce() -> Result<Arc<[Hash]>, LedgerError>,
    ) -> Result<Arc<[Hash]>, LedgerError> {
        if let Some(tile) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&(level, number)) {
            return Ok(Arc::clone(tile));
        }
        let tile = load()?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put((level, number), Arc::clone(&tile));
        Ok(tile)
    }
}

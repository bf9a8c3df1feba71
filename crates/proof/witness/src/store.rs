//! The record of a witness: the last checkpoint that it has cosigned for each log.

use std::collections::HashMap;
use std::sync::Mutex;

use futures_util::future::BoxFuture;
use tlog::Hash;

/// The size and the root of a log's tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeHead {
    /// The number of leaves.
    pub size: u64,
    /// The root hash (RFC 6962, section 2.1).
    pub root: Hash,
}

/// The last checkpoint of a log that the witness has cosigned, or is about to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latest {
    /// The head of the tree.
    pub head: TreeHead,
    /// The checkpoint note, with the log's signatures alone: evidence, if the log ever signs another root of this size.
    pub note: String,
}

/// An error of a store. The outcome of the call is unknown.
#[derive(Debug, thiserror::Error)]
#[error("the witness's store failed: {0}")]
pub struct StoreError(pub Box<dyn std::error::Error + Send + Sync>);

/// The durable record of a witness.
pub trait WitnessStore: Send + Sync {
    /// The last checkpoint of the log with this origin. `None` before the first.
    ///
    /// An answer that is out of date costs a retry, and nothing else.
    fn latest<'s>(&'s self, origin: &'s str) -> BoxFuture<'s, Result<Option<Latest>, StoreError>>;

    /// Replaces the last checkpoint of a log, if its head is still the expected one, and returns true. Otherwise
    /// changes nothing and returns false. `expected` is `None` for a log without a record.
    ///
    /// Comparing and replacing must be one atomic step. After `true` the new record must survive a crash of the
    /// process, of the machine, and a failover. Also where `new` has the expected head, the comparison must be made
    /// against the durable record. After an error the record may be either one.
    fn compare_and_swap<'s>(
        &'s self,
        origin: &'s str,
        expected: Option<TreeHead>,
        new: Latest,
    ) -> BoxFuture<'s, Result<bool, StoreError>>;
}

/// A store in memory, for tests. A witness that forgets its record when it stops is none.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<HashMap<String, Latest>>);

impl MemoryStore {
    fn map(&self) -> std::sync::MutexGuard<'_, HashMap<String, Latest>> {
        // No holder of the lock can panic between two changes, so the map of a poisoned lock is whole.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl WitnessStore for MemoryStore {
    fn latest<'s>(&'s self, origin: &'s str) -> BoxFuture<'s, Result<Option<Latest>, StoreError>> {
        Box::pin(async { Ok(self.map().get(origin).cloned()) })
    }

    fn compare_and_swap<'s>(
        &'s self,
        origin: &'s str,
        expected: Option<TreeHead>,
        new: Latest,
    ) -> BoxFuture<'s, Result<bool, StoreError>> {
        Box::pin(async move {
            let mut map = self.map();
            let is_expected = map.get(origin).map(|latest| latest.head) == expected;
            if is_expected {
                map.insert(origin.to_owned(), new);
            }
            Ok(is_expected)
        })
    }
}

//! Who sees a log go by: a monitor, a mirror.

use receipt::key::LogKey;
use serde_json::Value;
use tlog::{FullTile, RightEdge};

/// An error of an observer, such as a full disk.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Sees the log go by.
pub trait Observer {
    /// Sees the entries of bundle `index` up to the tree's end, in the order of the bundles. `bytes` is the bundle, `entries` what
    /// is in it; those from `new` on were not seen before. Nothing is verified yet: see [`verified`](Self::verified).
    ///
    /// # Errors
    /// The follower stops, and begins this step again later.
    fn bundle(
        &mut self,
        index: u64,
        bytes: &[u8],
        entries: &[&[u8]],
        new: usize,
    ) -> Result<(), ObserverError>;

    /// Sees a hash tile that the entries have filled.
    ///
    /// # Errors
    /// As [`bundle`](Self::bundle).
    fn full_tile(&mut self, tile: &FullTile) -> Result<(), ObserverError> {
        let _not_kept = tile;
        Ok(())
    }

    /// Makes durable what was seen so far.
    ///
    /// # Errors
    /// As [`bundle`](Self::bundle).
    fn sync(&mut self) -> Result<(), ObserverError> {
        Ok(())
    }

    /// Hears that all that was seen is a part of a tree that the log's key signed, on the way to that tree. It stays so.
    fn in_signed_tree(&mut self) {}

    /// Hears that the log's key signed all that was seen: the checkpoint's note, and the right edge of its tree.
    ///
    /// # Errors
    /// As [`bundle`](Self::bundle).
    fn verified(&mut self, note: &str, edge: &RightEdge) -> Result<(), ObserverError>;

    /// The keys of the log that its records name in the tree of `size` leaves, which was seen, in their order; none where the
    /// observer knows no records, or other ones than the log has.
    fn log_keys(&self, size: u64) -> Vec<LogKey> {
        let _of_no_records = size;
        Vec::new()
    }

    /// Checkpoints that a key of the log and its successor have both signed, in their order, if there are any.
    fn handovers(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns true if the tree of `size` leaves, which was seen, has a record of a key that was not given.
    fn lacks_records(&self, size: u64) -> bool {
        let _of_no_records = size;
        false
    }

    /// Returns what the observer has found in signed trees and its caller has not taken yet, and up to which leaf it has looked for
    /// that; null for nothing. It stays when [`restore`](Self::restore) goes back.
    fn findings(&self) -> Value {
        Value::Null
    }

    /// Takes back what [`findings`](Self::findings) gave in an earlier process, as far as nobody was told.
    ///
    /// # Errors
    /// They are not ones that it gave.
    fn restore_findings(&mut self, findings: &Value) -> Result<(), ObserverError> {
        let _none = findings;
        Ok(())
    }

    /// What the observer knows, to be kept beside the tree.
    fn state(&self) -> Value;

    /// Goes back to what it knew; null stands for nothing.
    ///
    /// # Errors
    /// The state is not one that it gave.
    fn restore(&mut self, state: &Value) -> Result<(), ObserverError>;
}

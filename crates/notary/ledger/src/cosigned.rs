//! Checkpoints that a quorum of witnesses has cosigned, and the proofs that witnesses and their readers need.

use std::sync::Arc;

use async_trait::async_trait;
use receipt::time::Timestamp;
use tlog::Hash;

use crate::LedgerError;

/// The most bytes of a cosigned checkpoint's note.
pub const MAX_COSIGNED_NOTE: usize = tlog::note::MAX_NOTE_BYTES;
/// The interval of which the first cosigned checkpoint is kept, in milliseconds. Of the others only the newest is.
pub const COSIGNED_KEPT_EVERY_MS: i64 = 600_000;

/// A checkpoint that a quorum of witnesses has cosigned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CosignedCheckpoint {
    /// The number of leaves of the tree.
    pub size: u64,
    /// The root hash of the tree.
    pub root: Hash,
    /// The note: the checkpoint's text, the log's signature and the cosignatures.
    pub note: Arc<str>,
    /// The time at which the quorum was complete, by the clock of the process that collected it.
    pub at: Timestamp,
}

/// The part of the ledger about cosigned checkpoints.
#[async_trait]
pub trait Cosigned: Send + Sync + 'static {
    /// The proof that the log at one size is a prefix of the log at another one (RFC 6962, section 2.1.2).
    ///
    /// # Errors
    /// [`LedgerError::NoSuchLeaf`] where the newest known head is smaller than `new`, [`LedgerError::Unfit`] where `old` is
    /// larger than `new`.
    async fn consistency(&self, old: u64, new: u64) -> Result<Vec<Hash>, LedgerError>;

    /// The inclusion path of a leaf in the log as it was at an earlier size (RFC 6962, section 2.1.1).
    ///
    /// # Errors
    /// [`LedgerError::NoSuchLeaf`] where the newest known head is smaller than `size`, or `size` does not contain the leaf.
    async fn inclusion_at(&self, leaf: u64, size: u64) -> Result<Vec<Hash>, LedgerError>;

    /// The largest cosigned checkpoint; `None` before the first.
    async fn newest_cosigned(&self) -> Result<Option<CosignedCheckpoint>, LedgerError>;

    /// The smallest stored cosigned checkpoint whose tree contains a leaf; `None` where no cosigned tree contains it.
    async fn first_cosigned_with(&self, leaf: u64) -> Result<Option<CosignedCheckpoint>, LedgerError>;

    /// Stores a checkpoint that a quorum has cosigned. One of the size of the newest takes its place, with more
    /// cosignatures. Returns false, and changes nothing, where a larger one is stored.
    ///
    /// Of the stored ones the newest is kept, and the first of each [`COSIGNED_KEPT_EVERY_MS`].
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: the note has more than [`MAX_COSIGNED_NOTE`] bytes, or another root is stored for this size.
    async fn record_cosigned(&self, checkpoint: CosignedCheckpoint) -> Result<bool, LedgerError>;
}

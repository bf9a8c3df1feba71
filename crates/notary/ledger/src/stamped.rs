//! Checkpoints over which a time-stamping authority has given a token (RFC 3161).

use std::sync::Arc;

use async_trait::async_trait;
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tlog::Hash;

use crate::{LedgerError, MAX_COSIGNED_NOTE};

/// The most bytes of a stamped checkpoint's note.
pub const MAX_STAMPED_NOTE: usize = MAX_COSIGNED_NOTE;
/// The most bytes of an answer of an authority.
pub const MAX_STAMP_ANSWER: usize = 16 << 10;
/// The age in milliseconds up to which all stamped checkpoints are kept. Of older ones the first of each UTC day is.
pub const STAMPED_ALL_KEPT_MS: i64 = 90 * 86_400_000;

/// A checkpoint with a token over its note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StampedCheckpoint {
    /// The number of leaves of the tree.
    pub size: u64,
    /// The root hash of the tree.
    pub root: Hash,
    /// The note: the bytes that are stamped.
    pub note: Arc<str>,
    /// The authority's answer, a `TimeStampResp` in DER.
    pub answer: Vec<u8>,
    /// The time of the token.
    pub at: Timestamp,
}

/// A stamped checkpoint whose token is logged: the hash of its answer is in the receipt at a leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedStamp {
    /// The leaf index of that receipt, counted from 0.
    pub leaf: u64,
    /// The hash of that receipt.
    pub receipt: ReceiptHash,
    /// The checkpoint and the token.
    pub checkpoint: StampedCheckpoint,
}

/// The part of the ledger about stamped checkpoints.
#[async_trait]
pub trait Stamped: Send + Sync + 'static {
    /// The largest stamped checkpoint; `None` before the first.
    async fn newest_stamped(&self) -> Result<Option<StampedCheckpoint>, LedgerError>;

    /// The smallest stored stamped checkpoint whose tree contains a leaf; `None` where no stamped tree contains it.
    async fn first_stamped_with(&self, leaf: u64) -> Result<Option<StampedCheckpoint>, LedgerError>;

    /// Stores a stamped checkpoint. Returns false, and changes nothing, where one that is as large or larger is stored: its
    /// token is the earlier one.
    ///
    /// Those that are older than [`STAMPED_ALL_KEPT_MS`] at the time of the new one are deleted, but for the first of each UTC
    /// day.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: the note or the answer is too long, or another root is stored for this size.
    async fn record_stamped(&self, checkpoint: StampedCheckpoint) -> Result<bool, LedgerError>;

    /// The last logged token below a leaf that is still stored; `None` where there is none.
    async fn last_logged_stamp(&self, before: u64) -> Result<Option<LoggedStamp>, LedgerError>;

    /// Notes that the token over the checkpoint of a size is logged by the receipt of this hash, at a leaf. Changes nothing where
    /// one is noted, or the token was deleted since.
    async fn note_logged_stamp(&self, size: u64, leaf: u64, receipt: ReceiptHash) -> Result<(), LedgerError>;
}

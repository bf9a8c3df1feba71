//! Retention and erasure: how long the store keeps what stands behind a receipt, and the removal of a receipt itself.
//!
//! A receipt and its log entry stay for ever. Its request and its evidence stay for a time that depends on its class
//! ([`RetentionTerms`]), and longer while a dispute or a watch needs them. They are deleted in short transactions, in the
//! order of the log: a mark says how far the log has been looked at, and the receipts below it whose request is still
//! kept are rows of a table by the time at which they are looked at again. So nothing is scanned, and nothing is written
//! with a new receipt.
//!
//! An operator may have a receipt erased before: payload, signature, request and evidence are deleted in the transaction
//! that logs a receipt about it. The log entry stays, so the log is whole, and whoever has the receipt can verify it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;

use crate::{Inclusion, LedgerError, MemoryKey};

/// The class of the receipt that logs an erasure.
pub const ERASURE_CLASS: &str = "erasure";
/// The most receipts of one [`expire_requests`](Retention::expire_requests).
pub const MAX_EXPIRED: usize = 256;
/// The number of deleted bytes after which one [`expire_requests`](Retention::expire_requests) ends, so that its transaction stays
/// short.
pub const MAX_EXPIRED_BYTES: u64 = 4 << 20;
/// The pause before a receipt that is needed longer is looked at again, in milliseconds.
pub const HELD_AGAIN_MS: i64 = 3_600_000;
/// The longest pause before a receipt whose time is not over is looked at again, in milliseconds: a shorter time in the
/// configuration takes effect within it.
pub const LOOK_AGAIN_MS: i64 = 86_400_000;
/// The most erasures that wait to be carried out. Beyond it a new one is refused.
pub const MAX_ASKED_ERASURES: u32 = 1000;
/// The most characters of the reason of an erasure.
pub const MAX_ERASURE_REASON: usize = 500;

/// Retention and erasure, as every back end of the [`Ledger`](crate::Ledger) keeps them.
///
/// Each change is one durable transaction, as in [`Payments`](crate::Payments). An erasure is carried out by
/// [`append`](crate::Ledger::append), with the receipt that [logs](crate::LedgerRecord::erases) it.
#[async_trait]
pub trait Retention: Send + Sync + 'static {
    /// Deletes the requests and the evidence of receipts whose time is over at `now`, of at most [`MAX_EXPIRED`] receipts.
    /// A blob that another receipt needs stays. A receipt is passed over, and looked at again later, while a claim to
    /// dispute it is not finished, while a refund that follows from it is not paid, and while the watch that it has opened is
    /// live.
    async fn expire_requests(&self, terms: RetentionTerms, now: Timestamp) -> Result<Expired, LedgerError>;

    /// Overwrites what was deleted or erased, where the store's own files still have it: the WAL of an embedded store has pages as they
    /// were before. Returns false where a long read, such as a backup, is in the way. A server overwrites in its own time.
    async fn overwrite_deleted(&self) -> Result<bool, LedgerError> {
        Ok(true)
    }

    /// Deletes at most `most` requests for a trial of before a time, and returns the number deleted.
    async fn forget_trials(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError>;

    /// Deletes what is stored about at most `most` deliveries of webhooks that ended before a time, and returns the number.
    /// The alerts stay, as those of a watch without a webhook.
    async fn forget_deliveries(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError>;

    /// Deletes at most `most` memories that a receipt of before a time has stored, and returns the number deleted. The next
    /// question about such a subject is judged as the first one.
    async fn forget_memories(&self, before: Timestamp, most: u32) -> Result<u32, LedgerError>;

    /// The erased receipt with this hash, and the proof of its leaf under the newest known checkpoint; `None` where no
    /// receipt of this hash was erased.
    async fn erased(&self, hash: &ReceiptHash) -> Result<Option<(ErasedReceipt, Inclusion)>, LedgerError>;

    /// The erasures that wait to be carried out, the oldest first, at most `most`.
    async fn asked_erasures(&self, most: u32) -> Result<Vec<AskedErasure>, LedgerError>;

    /// Ends the wait for an erasure that is not carried out, for this reason. One that has ended does not change.
    async fn refuse_erasure(&self, hash: &ReceiptHash, why: String, at: Timestamp)
    -> Result<(), LedgerError>;
}

/// The time for which the request and the evidence of a receipt are kept, in milliseconds since its signature, by class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RetentionTerms {
    /// The time for the classes that are not named.
    pub default_ms: i64,
    /// The times for the other classes.
    pub classes: BTreeMap<String, i64>,
}

impl RetentionTerms {
    /// The end of the time of a receipt.
    #[must_use]
    pub fn end(&self, class: &str, signed_at: Timestamp) -> Timestamp {
        let span = self.classes.get(class).copied().unwrap_or(self.default_ms);
        signed_at.saturating_add_millis(span)
    }

    /// The shortest time of any class.
    #[must_use]
    pub fn shortest_ms(&self) -> i64 {
        self.classes.values().copied().fold(self.default_ms, i64::min)
    }
}

/// The numbers of what one [`expire_requests`](Retention::expire_requests) has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expired {
    /// The requests that were deleted.
    pub requests: u64,
    /// The blobs of evidence that were deleted.
    pub blobs: u64,
    /// The bytes of the deleted requests and blobs.
    pub bytes: u64,
    /// The receipts that are kept longer, because a dispute or a watch needs them.
    pub held: u64,
    /// The receipts whose log entry cannot be read, and which are kept.
    pub unreadable: u64,
    /// True if there may be more to be deleted at once.
    pub more: bool,
}

impl Expired {
    /// Adds the numbers of a later transaction, which also says whether there is more.
    pub fn add(&mut self, later: Self) {
        self.requests += later.requests;
        self.blobs += later.blobs;
        self.bytes += later.bytes;
        self.held += later.held;
        self.unreadable += later.unreadable;
        self.more = later.more;
    }
}

/// The erasure that a receipt logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Erases {
    /// The hash of the receipt that is erased.
    pub hash: ReceiptHash,
    /// The leaf of that receipt.
    pub leaf: u64,
    /// The memory that that receipt has stored, which is deleted unless a later receipt has replaced it; `None` where its
    /// class has none.
    pub memory: Option<MemoryKey>,
}

/// A receipt that was erased. The log has its entry for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErasedReceipt {
    /// The leaf index of the receipt, counted from 0.
    pub leaf: u64,
    /// The log entry of the receipt.
    pub entry: Vec<u8>,
    /// The hash of the receipt that logs the erasure.
    pub logged_by: ReceiptHash,
    /// The time of the erasure.
    pub at: Timestamp,
}

/// An erasure that an operator asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedErasure {
    /// The hash of the receipt.
    pub hash: ReceiptHash,
    /// The operator's reason; `None` where none was given, and once the erasure has ended.
    pub reason: Option<String>,
    /// The time at which it was asked for.
    pub asked_at: Timestamp,
    /// The state of the erasure.
    pub state: ErasureState,
}

/// The state of an erasure that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErasureState {
    /// It waits to be carried out.
    Asked,
    /// It was carried out.
    Done {
        /// The hash of the receipt that logs it.
        logged_by: ReceiptHash,
        /// The number of pieces of evidence that stay, because another receipt needs them.
        shared: u32,
        /// True while the erased bytes are still in the WAL of an embedded store, since a long read, such as a backup, is in the way.
        is_in_wal: bool,
    },
    /// It was refused, for the reason in the text.
    Refused(String),
}

/// The reasons for which a receipt is not erased.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotErasable {
    /// The log has no receipt of this hash at this leaf.
    #[error("the log has no receipt of this hash")]
    Unknown,
    /// The receipt was erased before.
    #[error("the receipt was erased before")]
    Erased,
    /// A dispute of the receipt is open, or a refund that follows from one is not paid.
    #[error("a dispute of the receipt is open, or not paid out yet")]
    Disputed,
    /// The watch that the receipt has opened is live.
    #[error("the watch that the receipt has opened is running; end it first")]
    Watched,
}

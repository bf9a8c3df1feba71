//! The main trait of every back end, and the bounds that each keeps.

use std::sync::Arc;

use async_trait::async_trait;
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tlog::{Hash, TilePath};
use verdict::Memory;

use crate::{
    Admission, AppendedRecord, Backlog, ClassCount, Cosigned, CounterKey, DayCount, Grants, Head, Inclusion,
    LedgerError, LedgerRecord, MemoryKey, Payments, QuotaKey, QuotaRequest, QuotaReservation, RateLimitHit,
    Refunds, Replicas, Retention, Shared, Stamped, StoredBlob, StoredReceipt, StoredRequest, TrialRequest,
    Watches,
};

/// The most records and steps in one transaction.
pub const MAX_BATCH: usize = 1024;
/// The most bytes of records and steps in one transaction, so that one commit stays short.
pub const MAX_BATCH_BYTES: usize = 16 << 20;
/// The most records and steps that wait for their transaction. Beyond it the ledger is [busy](LedgerError::Busy).
pub const MAX_QUEUE: usize = 4096;
/// The most bytes that wait for their transaction. Beyond it the ledger is [busy](LedgerError::Busy).
pub const MAX_QUEUE_BYTES: usize = 64 << 20;

/// The most receipts of one [`short_receipts`](Ledger::short_receipts).
pub const MAX_SHORT_RECEIPTS: usize = verdict::MAX_WANTED_RECEIPTS;
/// The most bytes of a payload that [`short_receipts`](Ledger::short_receipts) returns, so that the receipts of one read
/// take 8 MiB at most. The longest receipt of `/commit` has half of it.
pub const MAX_SHORT_PAYLOAD: usize = 4 << 10;

/// The ledger of receipts and their log, with all decisions that belong to the transactions that log receipts.
///
/// The crate's documentation says what every back end promises. Several processes may write to one store, so a method
/// answers from one of three sources:
///
/// | answers from | methods | with respect to other processes |
/// |---|---|---|
/// | this process's memory | [`head`](Self::head), [`admit`](Self::admit), [`note`](Self::note), [`reserve`](Self::reserve), [`taken`](Self::taken), [`reserve_granted`](Grants::reserve_granted), [`is_writable`](Self::is_writable) | the state that this process knows, which may be older than the store |
/// | the store, up to the known head | [`receipt`](Self::receipt), [`short_receipts`](Self::short_receipts), [`receipt_with_inclusion`](Self::receipt_with_inclusion), [`inclusion`](Self::inclusion), [`root_at`](Self::root_at), [`tile`](Self::tile), [`consistency`](Cosigned::consistency), [`inclusion_at`](Cosigned::inclusion_at), [`watch`](Watches::watch), [`watch_opened_by`](Watches::watch_opened_by), [`disputes`](Refunds::disputes), [`superseded_by`](Refunds::superseded_by), and the deliveries of [claims](Payments) | never past [`head`](Self::head), so that an answer can be proven under it |
/// | the store as it is | all other reads | every transaction that was durable when the read began |
///
/// So a head is a lower bound: the log has at least its leaves, and may have more. `None` from a method of the second
/// row means that the known head does not contain it; the store may have it. A change is decided on the current store
/// within its own transaction, and not on the known head.
#[async_trait]
pub trait Ledger:
    Payments
    + Refunds
    + Grants
    + Watches
    + Replicas
    + Shared
    + Cosigned
    + Stamped
    + Retention
    + Send
    + Sync
    + 'static
{
    /// The newest durable head of the log that this process knows. It comes from memory, without waiting or failing.
    fn head(&self) -> Arc<Head>;

    /// The newest durable head of the log, also where another process has just made it: the head of a read that begins after the
    /// call. Those who call at once share one read. While the server that takes writes is away, it is the newest that this process
    /// knows.
    async fn newest_head(&self) -> Result<Arc<Head>, LedgerError> {
        Ok(self.head())
    }

    /// Counts hits against their limits: all of them, or none if one would exceed its limit.
    async fn admit(&self, hits: &[RateLimitHit]) -> Result<Admission, LedgerError>;

    /// Counts a hit that was refused before its limit was checked. It never refuses.
    async fn note(&self, hit: RateLimitHit) -> Result<(), LedgerError>;

    /// Reserves a part of each quota, or none; in that case it returns the index, counted from 0, of the first quota
    /// that has not enough left.
    async fn reserve(
        &self,
        requests: Vec<QuotaRequest>,
    ) -> Result<Result<QuotaReservation, usize>, LedgerError>;

    /// The amount of each quota that is used up or reserved, in the order of the keys.
    async fn taken(&self, keys: &[QuotaKey]) -> Result<Vec<u64>, LedgerError>;

    /// Appends a record durably to the log, and returns its proof. The claim that paid for it becomes delivered.
    ///
    /// # Errors
    /// [`LedgerError`]. Nothing was changed and the record's reservation is given back, except for
    /// [`LedgerError::OutcomeUnknown`]. A claim that is not settled, or that another task owns, is refused as
    /// [`Payments`] says; a bond without the [end](crate::DisputeEnd) of its dispute, or with that of another, is
    /// [`LedgerError::Unfit`]. A change of a watch is refused as [`WatchStep`](crate::WatchStep) says, and an
    /// erasure with [`LedgerError::NotErasable`].
    /// [`LedgerError::FormerKey`]: the record is signed by another receipt key than the one in use, and comes back.
    async fn append(&self, record: LedgerRecord) -> Result<AppendedRecord, LedgerError>;

    /// The receipt with this hash; `None` where the known head does not contain it, or it was
    /// [erased](Retention::erased).
    async fn receipt(&self, hash: &ReceiptHash) -> Result<Option<StoredReceipt>, LedgerError>;

    /// The receipts with these hashes, in their order and in one read: at most [`MAX_SHORT_RECEIPTS`], later hashes are left
    /// out. `None` where the known head does not contain one, or its payload has more than [`MAX_SHORT_PAYLOAD`] bytes.
    async fn short_receipts(&self, hashes: &[ReceiptHash])
    -> Result<Vec<Option<StoredReceipt>>, LedgerError>;

    /// The receipt with this hash and its proof under the newest known checkpoint, in one read; `None` where the known
    /// head does not contain it.
    async fn receipt_with_inclusion(
        &self,
        hash: &ReceiptHash,
    ) -> Result<Option<(StoredReceipt, Inclusion)>, LedgerError>;

    /// The receipts that record changes of keys, in the order of their leaves: at most
    /// [`MAX_KEY_RECORDS`](receipt::history::MAX_KEY_RECORDS), since no store takes more.
    async fn key_records(&self) -> Result<Vec<StoredReceipt>, LedgerError>;

    /// The request of the receipt at this leaf; `None` where it is not stored any more.
    async fn request(&self, leaf: u64) -> Result<Option<StoredRequest>, LedgerError>;

    /// The evidence of the receipt at this leaf, in the order of the judge; none where its request is not stored any more.
    async fn evidence(&self, leaf: u64) -> Result<Vec<StoredBlob>, LedgerError>;

    /// The SHA-256 hashes of a receipt's evidence whose bytes are not in the store, without reading the bytes of the
    /// rest; `None` where its request is not stored any more.
    async fn evidence_elsewhere(&self, leaf: u64) -> Result<Option<Vec<[u8; 32]>>, LedgerError>;

    /// The proof of a leaf under the newest known checkpoint.
    ///
    /// # Errors
    /// [`LedgerError::NoSuchLeaf`] where the newest known head does not contain the leaf.
    async fn inclusion(&self, leaf: u64) -> Result<Inclusion, LedgerError>;

    /// The root of the log at an earlier size; `None` for a size beyond the newest known head.
    async fn root_at(&self, size: u64) -> Result<Option<Hash>, LedgerError>;

    /// The bytes of a tile or an entry bundle (C2SP tlog-tiles); `None` where the tree does not have it.
    async fn tile(&self, path: TilePath) -> Result<Option<Vec<u8>>, LedgerError>;

    /// Counts the receipts of each class.
    async fn counts(&self) -> Result<Vec<ClassCount>, LedgerError>;

    /// The receipts and the income of each UTC day from `since` on (in days since 1970-01-01), by class, the earliest day
    /// first. Days of before a back end counted them are missing.
    async fn days(&self, since: u32) -> Result<Vec<DayCount>, LedgerError>;

    /// The number of receipts that each counter has counted, in the order of the keys; 0 for one that has counted none.
    /// At most [`MAX_COUNTERS`](crate::MAX_COUNTERS) keys are read; later ones are left out.
    async fn counted(&self, keys: &[CounterKey]) -> Result<Vec<u64>, LedgerError>;

    /// The memory that was stored last under a key; `None` where there is none, or none any more.
    async fn memory(&self, key: MemoryKey) -> Result<Option<Memory>, LedgerError>;

    /// Stores a request for a trial, and uses its reservation up.
    ///
    /// # Errors
    /// [`LedgerError::TrialLimit`]: [`MAX_TRIALS`](crate::MAX_TRIALS) requests are stored.
    async fn request_trial(
        &self,
        request: TrialRequest,
        reservation: Option<QuotaReservation>,
    ) -> Result<(), LedgerError>;

    /// The newest requests for a trial, the newest first, at most `most`.
    async fn trials(&self, most: u32) -> Result<Vec<TrialRequest>, LedgerError>;

    /// Counts the unfinished work at `now`. Each count goes over an index of unfinished rows alone.
    async fn backlog(&self, now: Timestamp) -> Result<Backlog, LedgerError>;

    /// Returns true if receipts can be issued: the writer runs, and has not failed within the last seconds.
    fn is_writable(&self) -> bool;
}

//! The business-level trait that every back end implements.

use std::sync::Arc;

use async_trait::async_trait;
use receipt::hash::ReceiptHash;
use tlog::{Hash, TilePath};

use crate::{
    Admission, Appended, ClassCount, Grants, Head, Inclusion, LedgerError, Payments, QuotaRequest,
    QuotaReservation, RateLimitHit, Record, Refunds, StoredBlob, StoredReceipt, StoredRequest, TrialRequest,
    Watches,
};

/// See the crate's documentation for what every back end promises.
#[async_trait]
pub trait Ledger: Payments + Refunds + Grants + Watches + Send + Sync + 'static {
    /// The newest durable head of the log.
    fn head(&self) -> Arc<Head>;

    /// Counts hits against their limits: all are counted, or none where one is over its limit.
    async fn admit(&self, hits: &[RateLimitHit]) -> Result<Admission, LedgerError>;

    /// Counts a hit that was refused before its limit was asked; never refuses.
    async fn note(&self, hit: RateLimitHit) -> Result<(), LedgerError>;

    /// Takes a place with a part of each budget, or none of them: then it is the position of the first that has not so much
    /// left.
    async fn reserve(
        &self,
        requests: Vec<QuotaRequest>,
    ) -> Result<Result<QuotaReservation, usize>, LedgerError>;

    /// Makes a record durable and logged, and proves it. The claim that it is paid by becomes delivered.
    ///
    /// # Errors
    /// Nothing was changed and the record's place is given back, except for
    /// [`LedgerError::OutcomeUnknown`], which says so. A claim that is not settled, or in other hands, is refused as
    /// [`Payments`] says; a bond's without the [end](crate::DisputeEnd) of its dispute, or with that of another, is
    /// [`LedgerError::Unfit`]. What a record does to a watch is refused as [`WatchStep`](crate::WatchStep) says.
    async fn append(&self, record: Record) -> Result<Appended, LedgerError>;

    /// The receipt of that hash, once the published log has it.
    async fn receipt(&self, hash: &ReceiptHash) -> Result<Option<StoredReceipt>, LedgerError>;

    /// The receipt of that hash with its proof under the newest checkpoint, in one read.
    async fn receipt_with_inclusion(
        &self,
        hash: &ReceiptHash,
    ) -> Result<Option<(StoredReceipt, Inclusion)>, LedgerError>;

    /// The request behind a receipt, where it is still kept.
    async fn request(&self, leaf: u64) -> Result<Option<StoredRequest>, LedgerError>;

    /// The evidence behind a receipt, in the judge's order.
    async fn evidence(&self, leaf: u64) -> Result<Vec<StoredBlob>, LedgerError>;

    /// The addresses of the evidence behind a receipt whose bytes are not in the store, without reading those that are;
    /// `None` where its request is not kept.
    async fn evidence_elsewhere(&self, leaf: u64) -> Result<Option<Vec<[u8; 32]>>, LedgerError>;

    /// The proof of a leaf under the newest checkpoint.
    ///
    /// # Errors
    /// [`LedgerError::NoSuchLeaf`] past the newest head.
    async fn inclusion(&self, leaf: u64) -> Result<Inclusion, LedgerError>;

    /// The root that the log had at an earlier size; `None` past the newest head.
    async fn root_at(&self, size: u64) -> Result<Option<Hash>, LedgerError>;

    /// The bytes of a tile or an entry bundle; `None` where the tree does not have it.
    async fn tile(&self, path: TilePath) -> Result<Option<Vec<u8>>, LedgerError>;

    /// How many receipts of each class there are.
    async fn counts(&self) -> Result<Vec<ClassCount>, LedgerError>;

    /// Keeps a wish for a trial, and uses its place up.
    ///
    /// # Errors
    /// [`LedgerError::TrialLimit`]: [`MAX_TRIALS`](crate::MAX_TRIALS) are kept.
    async fn request_trial(
        &self,
        request: TrialRequest,
        place: Option<QuotaReservation>,
    ) -> Result<(), LedgerError>;

    /// The newest wishes for a trial, the newest first.
    async fn trials(&self, most: u32) -> Result<Vec<TrialRequest>, LedgerError>;

    /// Whether receipts can be issued: the writer lives, and did not fail within the last seconds.
    fn is_writable(&self) -> bool;
}

//! The operator's access to a store, whether or not the service runs.

use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use tlog::VerifierKey;

use crate::{
    AskedErasure, Grant, GrantId, Identity, LedgerError, NewGrant, Refund, RefundId, RefundState,
    StoreStatus, StoredReceipt, TrialRequest,
};

/// The operator's view of a store: grants, refunds and requests for trials, and the changes that only an operator makes.
///
/// It writes only tables that a running service does not hold in memory, and never the log: an erasure is asked for here, and
/// carried out by the service. So it may be open at the
/// same time as the service, and the service sees each change with its next read. Each change is one durable
/// transaction.
///
/// # Errors
/// Each method fails with [`LedgerError::Store`] or [`LedgerError::Corrupt`] where the store fails.
pub trait OperatorStore: Send {
    /// The newest requests for a trial, at most `most`, the newest first.
    fn trials(&self, most: u32) -> Result<Vec<TrialRequest>, LedgerError>;

    /// The request for a trial with this id; `None` where there is none.
    fn trial(&self, request_id: &str) -> Result<Option<TrialRequest>, LedgerError>;

    /// Makes grants, all or none, and returns their numbers in the order of `new`.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: a grant has no bound or no use, or its agent has [`MAX_GRANTS`](crate::MAX_GRANTS) in force.
    fn grant(&mut self, new: &[NewGrant]) -> Result<Vec<GrantId>, LedgerError>;

    /// Ends a grant. A grant that was ended before keeps its first time.
    ///
    /// # Errors
    /// [`LedgerError::NoSuchGrant`] where there is no such grant.
    fn revoke(&mut self, id: GrantId, at: Timestamp) -> Result<(), LedgerError>;

    /// All grants, the newest first, each with the number of calls used in the period of `at`.
    fn grants(&self, at: Timestamp) -> Result<Vec<(Grant, u32)>, LedgerError>;

    /// The refunds in these states, the oldest first.
    fn refunds(&self, states: &[RefundState]) -> Result<Vec<Refund>, LedgerError>;

    /// Changes the state of a refund from owed to paid, because the operator has paid it by another transaction. It
    /// also changes sending to paid, if `is_over` says that the [proof](Refund::proof) that was sent can no longer be
    /// used.
    ///
    /// # Errors
    /// [`LedgerError::NoSuchRefund`]; [`LedgerError::RefundState`] where a transfer may still be under way, or where it
    /// is paid.
    fn paid_by_hand(
        &mut self,
        id: RefundId,
        transaction: [u8; 32],
        at: Timestamp,
        is_over: &dyn Fn(&[u8]) -> bool,
    ) -> Result<(), LedgerError>;

    /// The amounts of the bounty reserve in atomic units, each with the symbol of its token.
    fn reserve(&self) -> Result<Vec<(String, u64)>, LedgerError>;

    /// Asks the service to erase a receipt, for a reason of at most
    /// [`MAX_ERASURE_REASON`](crate::MAX_ERASURE_REASON) characters. One that was refused before is asked for again; one that
    /// waits, or was carried out, does not change.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: the reason is too long, or [`MAX_ASKED_ERASURES`](crate::MAX_ASKED_ERASURES) wait already.
    fn ask_erasure(
        &mut self,
        hash: &ReceiptHash,
        reason: Option<&str>,
        at: Timestamp,
    ) -> Result<(), LedgerError>;

    /// The erasure of a receipt that was asked for; `None` where none was.
    fn asked_erasure(&self, hash: &ReceiptHash) -> Result<Option<AskedErasure>, LedgerError>;

    /// Returns true if the store is an archive. Grants, refunds and erasures of one are refused with [`LedgerError::Archive`];
    /// [`adopt`](Self::adopt) is not, since it binds the store to the settings of whoever serves it.
    fn is_archive(&self) -> bool;

    /// The state of the store and of the processes that have it open.
    fn status(&self) -> Result<StoreStatus, LedgerError>;

    /// Checks the log as opening the store does, and returns its number of leaves: the right edge, computed again, must meet the
    /// last checkpoint, which this key must have signed.
    ///
    /// # Errors
    /// [`LedgerError::Corrupt`] where it does not.
    fn check_log(&self, log_keys: &[VerifierKey]) -> Result<u64, LedgerError>;

    /// The receipts that record changes of keys, in the order of their leaves.
    fn key_records(&self) -> Result<Vec<StoredReceipt>, LedgerError>;

    /// Binds the store to this identity, and returns what was changed, a sentence for each change.
    ///
    /// # Errors
    /// [`LedgerError::OtherKeys`]: the log key differs, or the receipt key does and the store's is not among the retired ones;
    /// see [`Identity::changes`].
    fn adopt(&mut self, identity: &Identity) -> Result<Vec<String>, LedgerError>;
}

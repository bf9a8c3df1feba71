//! The operator's way into a store, whether or not the service runs.

use receipt::time::Timestamp;

use crate::{Grant, GrantId, LedgerError, NewGrant, Refund, RefundId, RefundState, TrialRequest};

/// The operator's view of a store: grants, refunds and requests for trials, and the changes that only an operator makes.
///
/// It writes only what a running service holds nothing of in memory, and never to the log. So it may be open beside the
/// service, and the service sees each change with its next read. Each change is one durable transaction.
///
/// # Errors
/// Each method fails with [`LedgerError::Store`] or [`LedgerError::Corrupt`] where the store does.
pub trait OperatorStore: Send {
    /// The newest requests for a trial, at most `most`, the newest first.
    fn trials(&self, most: u32) -> Result<Vec<TrialRequest>, LedgerError>;

    /// The request for a trial that was answered with this id.
    fn trial(&self, request_id: &str) -> Result<Option<TrialRequest>, LedgerError>;

    /// Makes grants, all or none; their ids are in the order of `new`.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: a grant has no bound or no use, or its agent has [`MAX_GRANTS`](crate::MAX_GRANTS) in force.
    fn grant(&mut self, new: &[NewGrant]) -> Result<Vec<GrantId>, LedgerError>;

    /// Ends a grant. One that was ended before keeps its time.
    ///
    /// # Errors
    /// [`LedgerError::NoSuchGrant`].
    fn revoke(&mut self, id: GrantId, at: Timestamp) -> Result<(), LedgerError>;

    /// All grants with the calls that each has used in the period of `at`, the newest first.
    fn grants(&self, at: Timestamp) -> Result<Vec<(Grant, u32)>, LedgerError>;

    /// Refunds in these states, the oldest first.
    fn refunds(&self, states: &[RefundState]) -> Result<Vec<Refund>, LedgerError>;

    /// Owed to paid: the operator has paid it by a transaction of their own. Sending to paid as well, where by `is_over` the
    /// [proof](Refund::proof) that was sent for it can be used no more.
    ///
    /// # Errors
    /// [`LedgerError::NoSuchRefund`]; [`LedgerError::RefundState`] where it is still on its way, or paid.
    fn paid_by_hand(
        &mut self,
        id: RefundId,
        transaction: [u8; 32],
        at: Timestamp,
        is_over: &dyn Fn(&[u8]) -> bool,
    ) -> Result<(), LedgerError>;

    /// The bounty reserve's amounts, by the token's symbol, in atomic units.
    fn reserve(&self) -> Result<Vec<(String, u64)>, LedgerError>;
}

//! Disputes and their debts: refunds, the bounty reserve, and the payouts.
//!
//! A dispute is a payment claim whose amount is a bond and which is [about](crate::NewClaim::about) another receipt.
//! The [end](DisputeEnd) of a dispute decides what is owed, in the transaction that logs its receipt:
//!
//! | outcome | bond | the original's fee | bounty |
//! |---|---|---|---|
//! | overturned | owed to the disputer | owed to who paid it, where anybody did | the lesser of the bond and the reserve, owed to the disputer |
//! | inconclusive | owed to the disputer | - | - |
//! | upheld | forfeited to the reserve | - | - |
//!
//! ```text
//! owed -> sending -> paid
//!    ^       |
//!    +-------+ where what was sent can never happen any more
//! ```
//!
//! The money of a claim is refunded once, even after several disputes: a refund is unique by claim and kind.

use async_trait::async_trait;
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;

use crate::{ClaimTransfer, LeaseRequest, LedgerError, Owner, PreparedTransaction, RefundId, RefundState};

/// The most disputes of one receipt, including an open one. Only settled bonds count.
pub const MAX_DISPUTES: u32 = 2;

/// Disputes, the reserve and refunds, as every back end of the [`Ledger`](crate::Ledger) keeps them.
///
/// Each change is one durable transaction, as in [`Payments`](crate::Payments). A step is allowed only in certain
/// states of the refund and only for its owner; otherwise it is refused with [`LedgerError::NoSuchRefund`],
/// [`LedgerError::NotOwner`] or [`LedgerError::RefundState`], and nothing is changed.
#[async_trait]
pub trait Refunds: Send + Sync + 'static {
    /// Returns true if a paid call is about this receipt: a dispute, or a call whose receipt supersedes it.
    async fn is_spoken_of(&self, hash: &ReceiptHash) -> Result<bool, LedgerError>;

    /// The disputes of a receipt, including an open one, the oldest first. They are its settled bonds without the
    /// [late](crate::Claim::is_late) ones.
    async fn disputes(&self, hash: &ReceiptHash) -> Result<Vec<Dispute>, LedgerError>;

    /// The newest receipt of this agent, paid by this payer, that supersedes a receipt; `None` where there is none.
    async fn superseded_by(
        &self,
        hash: &ReceiptHash,
        agent: &str,
        payer: &[u8; 20],
    ) -> Result<Option<ReceiptHash>, LedgerError>;

    /// Leases refunds that are owed or sending, and without an owner, to a new owner. Those whose last lease ended
    /// first come first, so that a refund that always fails does not delay others; then the oldest first.
    async fn take_refunds(&self, wish: LeaseRequest) -> Result<Vec<Refund>, LedgerError>;

    /// The sum of the refunds that are sending and of those that were paid at `since` or later, also by hand, in atomic
    /// units.
    async fn paid_out_since(&self, since: Timestamp) -> Result<u64, LedgerError>;

    /// Extends the lease of a refund that is not paid.
    async fn renew_refund(
        &self,
        id: RefundId,
        owner: Owner,
        lease_until: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Changes a refund from owed to sending, and stores the prepared transfer. A transfer that
    /// [replaces](PreparedTransaction::replaces) an earlier one is also allowed in the state sending, whatever the cap.
    ///
    /// # Errors
    /// [`LedgerError::PayoutCap`] where the refund would take what is [paid out](Self::paid_out_since) over the cap.
    async fn refund_sending(
        &self,
        id: RefundId,
        owner: Owner,
        proof: Vec<u8>,
        prepared: PreparedTransaction,
        cap: Option<PayoutCap>,
    ) -> Result<(), LedgerError>;

    /// Changes a refund from sending to paid.
    async fn refund_paid(
        &self,
        id: RefundId,
        owner: Owner,
        transaction: [u8; 32],
        at: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Changes a refund from sending to owed, because the transfer that was sent can never happen.
    async fn refund_failed(&self, id: RefundId, owner: Owner) -> Result<(), LedgerError>;

    /// Changes a refund from owed to paid by the ledger's own money, which moves in the same transaction.
    ///
    /// # Errors
    /// [`LedgerError::InsufficientFunds`]; [`LedgerError::AlreadyCredited`]: another transfer has this hash;
    /// [`LedgerError::PayoutCap`] as for [`refund_sending`](Self::refund_sending).
    async fn pay_refund_locally(
        &self,
        id: RefundId,
        owner: Owner,
        payer: [u8; 20],
        transaction: [u8; 32],
        at: Timestamp,
        cap: Option<PayoutCap>,
    ) -> Result<(), LedgerError>;
}

/// A cap on payouts, checked in the transaction that decides on one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PayoutCap {
    /// The time from which on payouts count.
    pub since: Timestamp,
    /// The most that may be paid out since then or be on its way, in atomic units.
    pub most: u64,
}

/// The end of a dispute. It and the disputed receipt decide the debts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DisputeEnd {
    /// The result of judging the disputed receipt again.
    pub outcome: DisputeOutcome,
    /// The leaf index of the disputed receipt, counted from 0.
    pub disputed: u64,
    /// The address for payments to the disputer.
    pub refund_to: [u8; 20],
}

pub use verdict::DisputeOutcome;

/// A dispute of a receipt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dispute {
    /// The receipt of the dispute; `None` until it is in the log.
    pub receipt: Option<ReceiptHash>,
}

/// The reason why a refund is owed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RefundKind {
    /// The bond of the dispute.
    Bond,
    /// The fee of the call whose receipt was overturned.
    Fee,
    /// The reward of the disputer for an overturned receipt.
    Bounty,
}

impl RefundKind {
    /// All kinds, in the order in which they are stored.
    pub const ALL: [Self; 3] = [Self::Bond, Self::Fee, Self::Bounty];

    /// The name of the kind for operators.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bond => "bond",
            Self::Fee => "fee",
            Self::Bounty => "bounty",
        }
    }
}

/// An amount that is owed to an account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refund {
    /// The number of the refund.
    pub id: RefundId,
    /// The receipt of the dispute that caused the refund.
    pub dispute: ReceiptHash,
    /// The disputed receipt.
    pub disputed: ReceiptHash,
    /// The kind of the refund.
    pub kind: RefundKind,
    /// The EIP-155 chain id of the refunded payment.
    pub chain_id: u64,
    /// The symbol of the token.
    pub symbol: String,
    /// The address that is owed the money.
    pub payee: [u8; 20],
    /// The amount in atomic units, never 0.
    pub amount: u64,
    /// The state of the refund.
    pub state: RefundState,
    /// The transfer that is refunded or that the refund follows from. Together with the kind it identifies the refund
    /// in every copy of the store. Where the log index is unknown, the authorization identifies the transfer.
    pub origin: ClaimTransfer,
    /// The signed authorization of the transfer, in the format of the settlement back end; `None` before
    /// [`RefundState::Sending`].
    pub proof: Option<Vec<u8>>,
    /// The data of the last prepared transfer; see [`PreparedTransaction::raw`].
    pub raw: Option<Vec<u8>>,
    /// The hash of the last prepared transaction, or of the one that paid it; `None` where it is unknown.
    pub transaction: Option<[u8; 32]>,
    /// The time since which the amount is owed.
    pub owed_at: Timestamp,
    /// The time of the payment; `None` before it.
    pub paid_at: Option<Timestamp>,
    /// The task that owns the refund, or owned it last; all zeros before the first.
    pub owner: Owner,
}

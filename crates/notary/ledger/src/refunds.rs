//! Disputes and what they leave owed: refunds, the bounty reserve, and the payouts.
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
//! A claim's money is owed back once, whatever is disputed how often: a refund is unique by claim and kind.

use async_trait::async_trait;
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;

use crate::{ClaimTransfer, LeaseRequest, LedgerError, Owner, PreparedTransaction, RefundId, RefundState};

/// The most disputes that one receipt may have, the open one included. Only bonds that have settled count.
pub const MAX_DISPUTES: u32 = 2;

/// Disputes, the reserve and refunds, as every back end of the [`Ledger`](crate::Ledger) keeps them.
///
/// Each change is one durable transaction, as in [`Payments`](crate::Payments). A step is taken only in the state
/// that it leads on from and only by the refund's owner; else it is refused with [`LedgerError::NoSuchRefund`],
/// [`LedgerError::NotOwner`] or [`LedgerError::RefundState`], and nothing is changed.
#[async_trait]
pub trait Refunds: Send + Sync + 'static {
    /// Returns true if any paid call is about this receipt: a dispute, or a receipt that supersedes it.
    async fn is_spoken_of(&self, hash: &ReceiptHash) -> Result<bool, LedgerError>;

    /// The disputes of a receipt, the open one too, the oldest first: bonds that have settled, but for
    /// [late](crate::Claim::is_late) ones.
    async fn disputes(&self, hash: &ReceiptHash) -> Result<Vec<Dispute>, LedgerError>;

    /// The newest receipt of this agent, paid by this payer, that says that it supersedes a receipt.
    async fn superseded_by(
        &self,
        hash: &ReceiptHash,
        agent: &str,
        payer: &[u8; 20],
    ) -> Result<Option<ReceiptHash>, LedgerError>;

    /// Leases refunds that are owed or on their way, and that nobody works on, to a new owner: by the end of their last
    /// leases, so that those that always fail keep no other waiting, then the oldest first.
    async fn take_refunds(&self, wish: LeaseRequest) -> Result<Vec<Refund>, LedgerError>;

    /// Sums the refunds that are on their way and those that were paid at this time or later, by whomever, in atomic units.
    async fn paid_out_since(&self, since: Timestamp) -> Result<u64, LedgerError>;

    /// Prolongs the lease of a refund that is not paid yet.
    async fn renew_refund(
        &self,
        id: RefundId,
        owner: Owner,
        lease_until: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Owed to sending: keeps what is about to be broadcast. Or, where it [replaces](PreparedTransaction::replaces) what was
    /// broadcast before, sending to sending.
    async fn refund_sending(
        &self,
        id: RefundId,
        owner: Owner,
        proof: Vec<u8>,
        prepared: PreparedTransaction,
    ) -> Result<(), LedgerError>;

    /// Sending to paid.
    async fn refund_paid(
        &self,
        id: RefundId,
        owner: Owner,
        transaction: [u8; 32],
        at: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Sending to owed: what was sent can never happen any more.
    async fn refund_failed(&self, id: RefundId, owner: Owner) -> Result<(), LedgerError>;

    /// Owed to paid by money of the ledger's own, which moves in the same transaction.
    ///
    /// # Errors
    /// [`LedgerError::InsufficientFunds`]; [`LedgerError::AlreadyCredited`]: another transfer has this hash.
    async fn pay_refund_locally(
        &self,
        id: RefundId,
        owner: Owner,
        payer: [u8; 20],
        transaction: [u8; 32],
        at: Timestamp,
    ) -> Result<(), LedgerError>;
}

/// The end of a dispute. With the disputed receipt it decides all that is owed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DisputeEnd {
    /// The re-run's decision.
    pub outcome: DisputeOutcome,
    /// The disputed receipt's leaf.
    pub disputed: u64,
    /// The address that the disputer is paid at.
    pub refund_to: [u8; 20],
}

pub use verdict::DisputeOutcome;

/// A dispute of a receipt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dispute {
    /// The dispute's own receipt, once it has ended and its receipt is in the log.
    pub receipt: Option<ReceiptHash>,
}

/// The reason why a refund is owed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RefundKind {
    /// The dispute's bond.
    Bond,
    /// The fee of the call whose receipt was overturned.
    Fee,
    /// The reward of the disputer who had it overturned.
    Bounty,
}

impl RefundKind {
    /// All kinds, in the order in which they are stored.
    pub const ALL: [Self; 3] = [Self::Bond, Self::Fee, Self::Bounty];

    /// The name that operators read.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bond => "bond",
            Self::Fee => "fee",
            Self::Bounty => "bounty",
        }
    }
}

/// A sum that is owed to somebody.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refund {
    /// The refund's number.
    pub id: RefundId,
    /// The receipt of the dispute that it follows from.
    pub dispute: ReceiptHash,
    /// The receipt that was disputed.
    pub disputed: ReceiptHash,
    /// The reason why a refund is owed.
    pub kind: RefundKind,
    /// The EIP-155 chain id of the payment that it gives back.
    pub chain_id: u64,
    /// The token's symbol.
    pub symbol: String,
    /// The address that is owed.
    pub payee: [u8; 20],
    /// Atomic units, never 0.
    pub amount: u64,
    /// The state.
    pub state: RefundState,
    /// The transfer that it gives back, or follows from. With the kind it names the refund, whichever copy of the store
    /// it is read from; where nobody looked at the chain, its authorization stands for the log index.
    pub origin: ClaimTransfer,
    /// The signed authorization to be broadcast, in the settlement back end's own form; from [`RefundState::Sending`] on.
    pub proof: Option<Vec<u8>>,
    /// [`PreparedTransaction::raw`] of what was prepared last.
    pub raw: Option<Vec<u8>>,
    /// The transaction that was prepared last, or that has paid it.
    pub transaction: Option<[u8; 32]>,
    /// The time since which it is owed.
    pub owed_at: Timestamp,
    /// The time at which it was paid.
    pub paid_at: Option<Timestamp>,
    /// The task that works on it, or did last; zeros where none has yet.
    pub owner: Owner,
}

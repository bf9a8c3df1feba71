//! The errors of every back end: refusals, which change nothing, and failures of the store.

use std::error::Error;
use std::fmt;

use crate::{ClaimId, ClaimState, GrantId, RefundId, RefundState};

/// A failed ledger operation: a refusal of what was asked, which changes nothing, or a failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The queue to the writer is full, the writer has stopped, or the transaction was rolled back. In any case
    /// nothing was changed.
    #[error("the ledger takes no more work at the moment")]
    Busy,
    /// The store failed while it committed. Only the next start shows if the record is durable, so the ledger takes no
    /// more records until then.
    #[error("the store failed in a commit; whether the record is durable is not known")]
    OutcomeUnknown,
    /// The argument cannot be stored; nothing was changed.
    #[error("it cannot be stored: {0}")]
    Unfit(String),
    /// A receipt of this hash is in the log already; nothing was changed.
    #[error("a receipt of this hash is in the log already")]
    Duplicate,
    /// The log has no such leaf.
    #[error("the log has no leaf {0}")]
    NoSuchLeaf(u64),
    /// There is no such claim: it was never made, or has been freed; nothing was changed.
    #[error("there is no claim {}", .0.0)]
    NoSuchClaim(ClaimId),
    /// The claim, the refund, the watch or the webhook has another owner by now; nothing was changed.
    #[error("another owner works on it")]
    NotOwner,
    /// The claim's state is not one from which this step leads on; nothing was changed.
    #[error("the claim is {} and does not take this step", .0.as_str())]
    WrongState(ClaimState),
    /// There is no such refund; nothing was changed.
    #[error("there is no refund {}", .0.0)]
    NoSuchRefund(RefundId),
    /// The refund's state is not one from which this step leads on; nothing was changed.
    #[error("the refund is {} and does not take this step", .0.as_str())]
    RefundState(RefundState),
    /// There is no such grant; nothing was changed.
    #[error("there is no grant {}", .0.0)]
    NoSuchGrant(GrantId),
    /// The agent has [`MAX_WATCHES`](crate::MAX_WATCHES) live watches; nothing was changed.
    #[error("the agent has as many watches as it may")]
    WatchLimit,
    /// [`MAX_WATCHES_FOR_FREE`](crate::MAX_WATCHES_FOR_FREE) watches are live, so only paid and granted ones are opened;
    /// nothing was changed.
    #[error("no more watches are opened for free at the moment")]
    FreeWatchLimit,
    /// The network has as many live watches as are opened for free
    /// ([`MAX_FREE_WATCHES_PER_NETWORK`](crate::MAX_FREE_WATCHES_PER_NETWORK)); nothing was changed.
    #[error("the network has as many free watches as it may")]
    NetworkWatchLimit,
    /// [`MAX_TRIALS`](crate::MAX_TRIALS) requests for trials are kept; nothing was changed.
    #[error("no more wishes for trials are kept")]
    TrialLimit,
    /// The transfer has paid for another claim; nothing was changed.
    #[error("the transfer is another claim's")]
    AlreadyCredited,
    /// The payer's local account has less than the amount; nothing was changed.
    #[error("the payer has less than the amount")]
    InsufficientFunds,
    /// Another dispute of the receipt is open; nothing was changed.
    #[error("another dispute of the receipt is open")]
    DisputeOpen,
    /// The receipt has had all its disputes; nothing was changed.
    #[error("the receipt has had all its disputes")]
    DisputeLimit,
    /// The store failed; nothing was changed.
    #[error("the store failed: {0}")]
    Store(#[source] StoreFailure),
    /// The store's own bytes contradict each other, the log's keys or an earlier promise.
    #[error("the store is not sound: {0}")]
    Corrupt(String),
    /// The store was made with other keys.
    #[error("{0}")]
    OtherKeys(String),
    /// The store cannot be opened.
    #[error("cannot open the store {path}: {why}")]
    Open {
        /// The store's path.
        path: String,
        /// The reason, for the operator.
        why: String,
    },
}

impl LedgerError {
    /// Returns true if this is a refusal, which changes nothing and says nothing about the store's health.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Unfit(_)
            | Self::Duplicate
            | Self::NoSuchLeaf(_)
            | Self::NoSuchClaim(_)
            | Self::NotOwner
            | Self::WrongState(_)
            | Self::NoSuchRefund(_)
            | Self::RefundState(_)
            | Self::NoSuchGrant(_)
            | Self::WatchLimit
            | Self::FreeWatchLimit
            | Self::NetworkWatchLimit
            | Self::TrialLimit
            | Self::AlreadyCredited
            | Self::InsufficientFunds
            | Self::DisputeOpen
            | Self::DisputeLimit => true,
            Self::Busy
            | Self::OutcomeUnknown
            | Self::Store(_)
            | Self::Corrupt(_)
            | Self::OtherKeys(_)
            | Self::Open { .. } => false,
        }
    }
}

/// A failure of the store, with the back end's own error for the operator's log.
#[derive(Debug)]
pub struct StoreFailure {
    kind: StoreFailureKind,
    cause: Box<dyn Error + Send + Sync>,
}

/// The causes that callers and operators can tell apart, whatever the back end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StoreFailureKind {
    /// The disk, or the store's quota, is full.
    Full,
    /// Another process or connection held a lock for longer than is waited.
    Busy,
    /// The operation was cut short before it ended.
    Interrupted,
    /// Anything else.
    Other,
}

impl StoreFailure {
    /// A failure of this kind, with the back end's error.
    #[must_use]
    pub fn new(kind: StoreFailureKind, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { kind, cause: cause.into() }
    }

    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> StoreFailureKind {
        self.kind
    }
}

/// The text of the back end's error.
impl fmt::Display for StoreFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

/// Stands for the back end's error in a chain of sources, which names each text once.
impl Error for StoreFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}

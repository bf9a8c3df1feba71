//! The errors of every back end: refusals, which change nothing, and failures of the store.

use std::error::Error;
use std::fmt;

use crate::{ClaimId, ClaimState, GrantId, LedgerRecord, NotErasable, RefundId, RefundState};

/// A failed ledger operation: a refusal of the request, which changes nothing, or a failure of the store.
///
/// # Examples
/// A refusal says nothing about the store. After any other error the caller gets a 503, and the log has the cause.
///
/// ```
/// use ledger::{ClaimId, LedgerError, StoreFailure, StoreFailureKind};
///
/// let refusal = LedgerError::NoSuchClaim(ClaimId(7));
/// assert!(refusal.is_refusal());
/// assert_eq!(refusal.to_string(), "there is no claim 7");
///
/// let failure = LedgerError::Store(StoreFailure::new(StoreFailureKind::Full, "the disk is full"));
/// assert!(!failure.is_refusal());
/// assert_eq!(failure.to_string(), "the store failed: the disk is full");
/// assert_eq!(failure.store_failed().to_string(), "store: the store does not answer at the moment");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The queue to the writer is full, the writer has stopped, or the transaction was rolled back. Nothing was
    /// changed.
    #[error("the ledger takes no more work at the moment")]
    Busy,
    /// The store failed during a commit. Only the next start shows whether the record is durable, so the ledger accepts
    /// no more records until then.
    #[error("the store failed in a commit; whether the record is durable is not known")]
    OutcomeUnknown,
    /// The argument cannot be stored, for the reason in the text. Nothing was changed.
    #[error("it cannot be stored: {0}")]
    Unfit(String),
    /// The log already has a receipt with this hash. Nothing was changed.
    #[error("a receipt of this hash is in the log already")]
    Duplicate,
    /// The record is signed by another receipt key than the one in use. Nothing was changed, and the record comes back with
    /// its reservation, so that it can be signed again.
    #[error("the receipt key in use is {current}")]
    FormerKey {
        /// The `kid` of the receipt key in use.
        current: String,
        /// The record, where [`append`](crate::Ledger::append) returns the error.
        record: Option<Box<LedgerRecord>>,
    },
    /// A log key that is in use is not one of this process, so it cannot sign the checkpoint over the record. Nothing was
    /// changed.
    #[error("the log key in use is {0}, which this process does not have")]
    LogKeyNotHere(String),
    /// The log has no leaf with this index.
    #[error("the log has no leaf {0}")]
    NoSuchLeaf(u64),
    /// There is no claim with this number: it never existed or was freed. Nothing was changed.
    #[error("there is no claim {}", .0.0)]
    NoSuchClaim(ClaimId),
    /// The claim, the refund, the watch or the webhook has another owner. Nothing was changed.
    #[error("another owner works on it")]
    NotOwner,
    /// The step is not allowed in this state of the claim. Nothing was changed.
    #[error("the claim is {} and does not take this step", .0.as_str())]
    WrongState(ClaimState),
    /// There is no refund with this number. Nothing was changed.
    #[error("there is no refund {}", .0.0)]
    NoSuchRefund(RefundId),
    /// The step is not allowed in this state of the refund. Nothing was changed.
    #[error("the refund is {} and does not take this step", .0.as_str())]
    RefundState(RefundState),
    /// The payout would take the day over its cap. Nothing was changed.
    #[error("{paid} atomic units are paid out or on their way, and the cap is {most}")]
    PayoutCap {
        /// The sum that is paid out or on its way, in atomic units.
        paid: u64,
        /// The cap.
        most: u64,
    },
    /// There is no grant with this number. Nothing was changed.
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
    /// Another dispute of the receipt is open. Nothing was changed.
    #[error("another dispute of the receipt is open")]
    DisputeOpen,
    /// The receipt has had [`MAX_DISPUTES`](crate::MAX_DISPUTES) disputes. Nothing was changed.
    #[error("the receipt has had all its disputes")]
    DisputeLimit,
    /// The receipt is not erased, for the reason in the text. Nothing was changed.
    #[error("{0}")]
    NotErasable(NotErasable),
    /// The store failed; nothing was changed.
    #[error("the store failed: {0}")]
    Store(#[source] StoreFailure),
    /// The checkpoint over the new tree could not be signed: the log's signer was late or failed. Nothing was changed, and the
    /// next tree is signed anew.
    #[error("the checkpoint was not signed: {0}")]
    NotSigned(#[source] tlog::SignError),
    /// The stored data contradicts itself, the log's keys or an earlier promise, as the text says.
    #[error("the store is not sound: {0}")]
    Corrupt(String),
    /// The store is an archive, which is only read. Nothing was changed.
    #[error(
        "the store is an archive, which is read and takes no changes: make them where the log goes on (docs/operations.md, \
         \"Backup, restore, upgrade\")"
    )]
    Archive,
    /// The store was created with other keys, which the text names.
    #[error("{0}")]
    OtherKeys(String),
    /// The store has other prices, which the text names. Nothing was changed.
    #[error(
        "the store has other prices than these settings ({0}); `touchstone config adopt` makes them the store's"
    )]
    OtherPrices(String),
    /// The store cannot be opened.
    #[error("cannot open the store {path}: {why}")]
    Open {
        /// The path of the store.
        path: String,
        /// The reason, for the operator.
        why: String,
    },
}

impl LedgerError {
    /// Returns true if the error is a refusal, which changes nothing and says nothing about the state of the store.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Unfit(_)
            | Self::Duplicate
            | Self::FormerKey { .. }
            | Self::LogKeyNotHere(_)
            | Self::NoSuchLeaf(_)
            | Self::NoSuchClaim(_)
            | Self::NotOwner
            | Self::WrongState(_)
            | Self::NoSuchRefund(_)
            | Self::RefundState(_)
            | Self::PayoutCap { .. }
            | Self::NoSuchGrant(_)
            | Self::WatchLimit
            | Self::FreeWatchLimit
            | Self::NetworkWatchLimit
            | Self::TrialLimit
            | Self::AlreadyCredited
            | Self::InsufficientFunds
            | Self::DisputeOpen
            | Self::DisputeLimit
            | Self::NotErasable(_)
            | Self::Archive
            | Self::OtherPrices(_) => true,
            Self::Busy
            | Self::OutcomeUnknown
            | Self::Store(_)
            | Self::NotSigned(_)
            | Self::Corrupt(_)
            | Self::OtherKeys(_)
            | Self::Open { .. } => false,
        }
    }
}

/// A failure of the store, with the error of the back end for the operator's log.
#[derive(Debug)]
pub struct StoreFailure {
    kind: StoreFailureKind,
    cause: Box<dyn Error + Send + Sync>,
}

/// The causes of a store's failure that callers and operators can distinguish with every back end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StoreFailureKind {
    /// The disk, or the quota of the store, is full.
    Full,
    /// Another process or connection held a lock for too long.
    Busy,
    /// The operation was interrupted before its end.
    Interrupted,
    /// Any other cause.
    Other,
}

impl StoreFailure {
    /// Makes a failure of this kind from the error of the back end.
    #[must_use]
    pub fn new(kind: StoreFailureKind, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { kind, cause: cause.into() }
    }

    /// The kind of the failure.
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

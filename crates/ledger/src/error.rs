//! What can go wrong in the store. None of it is the caller's fault.

/// A failed ledger operation.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The queue to the writer is full, or the writer has stopped; nothing was changed.
    #[error("the ledger takes no more work at the moment")]
    Busy,
    /// The store failed; the operation's transaction was rolled back.
    #[error("the store failed: {0}")]
    Store(#[from] rusqlite::Error),
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

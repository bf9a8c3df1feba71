//! What can go wrong in the store.

use rusqlite::ErrorCode;

/// A failed ledger operation. [`Unfit`](Self::Unfit), [`Duplicate`](Self::Duplicate) and
/// [`NoSuchLeaf`](Self::NoSuchLeaf) are about what was asked, all the others about the store.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The queue to the writer is full, the writer has stopped, or the transaction was rolled back. In any case
    /// nothing was changed.
    #[error("the ledger takes no more work at the moment")]
    Busy,
    /// The store failed while it committed. Whether the record is durable is known after the next start only, so
    /// the ledger takes no more records until then.
    #[error("the store failed in a commit; whether the record is durable is not known")]
    OutcomeUnknown,
    /// The record itself cannot be logged; nothing was changed.
    #[error("the record cannot be logged: {0}")]
    Unfit(String),
    /// A receipt of this hash is in the log already; nothing was changed.
    #[error("a receipt of this hash is in the log already")]
    Duplicate,
    /// The log has no such leaf.
    #[error("the log has no leaf {0}")]
    NoSuchLeaf(u64),
    /// The store failed; nothing was changed.
    #[error("the store failed: {0}")]
    Store(#[source] rusqlite::Error),
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

impl From<rusqlite::Error> for LedgerError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(error.to_string()),
            _ => Self::Store(error),
        }
    }
}

//! Why a receipt is not issued.

use ledger::LedgerError;
use thiserror::Error;
use verdict::Unavailable;

/// Why a receipt is not issued.
#[derive(Debug, Error)]
pub enum NotaryError {
    /// A part is down: the clock, the source of randomness, or the finding cannot be signed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The ledger did not take it, or could not be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<NotaryError> for Unavailable {
    /// For who has no answer but 503: what the ledger refuses is one too.
    fn from(error: NotaryError) -> Self {
        match error {
            NotaryError::Unavailable(unavailable) => unavailable,
            NotaryError::Ledger(error) => error.unread(),
        }
    }
}

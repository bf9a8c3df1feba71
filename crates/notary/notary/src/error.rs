//! The error of a receipt that is not issued.

use ledger::LedgerError;
use thiserror::Error;
use verdict::Unavailable;

/// An error of issuing a receipt. Nothing was signed into the log.
#[derive(Debug, Error)]
pub enum NotaryError {
    /// A part of the service is unavailable: the clock, the source of randomness, or the signing of the finding.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The ledger refused the receipt, or could not be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<NotaryError> for Unavailable {
    /// Makes every failure a 503, including refusals of the ledger.
    fn from(error: NotaryError) -> Self {
        match error {
            NotaryError::Unavailable(unavailable) => unavailable,
            NotaryError::Ledger(error) => error.unread(),
        }
    }
}

//! The 503 of a call that the ledger leaves without an answer. The caller sees that; the log sees the cause.

use verdict::Unavailable;

use crate::LedgerError;

impl LedgerError {
    /// The 503 of a call whose store has failed. Logs the error, unless it is that of a full queue.
    #[must_use]
    pub fn store_failed(&self) -> Unavailable {
        let (retry_after_s, detail) = match self {
            Self::OutcomeUnknown => {
                (60, "the ledger has stopped over this call; whether it was logged shows after a restart")
            }
            _ => (1, "the ledger takes no more work at the moment"),
        };
        if !matches!(self, Self::Busy) {
            tracing::error!(error = %self, "the ledger failed");
        }
        Unavailable { module: "ledger", retry_after_s, detail: detail.to_owned() }
    }

    /// The 503 of a question that needs a ledger which cannot be read. What the ledger refuses instead is nothing that a judge
    /// may ask it for.
    #[must_use]
    pub fn unread(&self) -> Unavailable {
        if !self.is_refusal() {
            return self.store_failed();
        }
        tracing::warn!(error = %self, "the ledger refused to be read");
        Unavailable { module: "ledger", retry_after_s: 60, detail: "the ledger cannot be read".to_owned() }
    }
}

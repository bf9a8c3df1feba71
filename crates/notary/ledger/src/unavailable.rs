//! The 503 for a call that the ledger could not answer. The caller sees the 503, and the log has the cause.

use verdict::Unavailable;

use crate::LedgerError;

impl LedgerError {
    /// The 503 for a call whose store has failed. It logs the error, unless the queue was full.
    #[must_use]
    pub fn store_failed(&self) -> Unavailable {
        let (module, retry_after_s, detail) = match self {
            Self::OutcomeUnknown => {
                let detail =
                    "the ledger has stopped over this call; whether it was logged shows after a restart";
                ("ledger", 60, detail)
            }
            // Its server or its disk: no connection was free, or the answer did not come.
            Self::Store(_) => ("store", 1, "the store does not answer at the moment"),
            _ => ("ledger", 1, "the ledger takes no more work at the moment"),
        };
        if !matches!(self, Self::Busy) {
            tracing::error!(error = %self, "the ledger failed");
        }
        Unavailable { module, retry_after_s, detail: detail.to_owned() }
    }

    /// The 503 for a question that needs the ledger while it cannot be read. A refusal of the ledger cannot occur for a
    /// judge's reads.
    #[must_use]
    pub fn unread(&self) -> Unavailable {
        if !self.is_refusal() {
            return self.store_failed();
        }
        tracing::warn!(error = %self, "the ledger refused to be read");
        Unavailable { module: "ledger", retry_after_s: 60, detail: "the ledger cannot be read".to_owned() }
    }
}

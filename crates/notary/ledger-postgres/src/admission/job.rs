//! The jobs of the admission sequencer.

use ledger::{Admission, QuotaRequest, QuotaReservation, RateLimitHit};

use crate::sequencer::Weight;
use crate::step::Reply;

/// A job of the admission sequencer.
pub(crate) enum AdmissionJob {
    /// Counts hits against their limits.
    Admit { hits: Vec<RateLimitHit>, reply: Option<Reply<Admission>> },
    /// Reserves a part of each quota. A caller that goes away at any moment, even after the answer was sent, gives all
    /// parts back, since the answer is the reservation itself.
    Reserve { requests: Vec<QuotaRequest>, reply: Reply<Result<QuotaReservation, usize>> },
    /// Waits until all that was released before is given back in the store, which each transaction does.
    GiveBack { reply: Reply<()> },
}

impl Weight for AdmissionJob {
    fn bytes(&self) -> usize {
        match self {
            Self::Admit { hits, .. } => hits.len() * 64,
            Self::Reserve { requests, .. } => requests.len() * 256,
            Self::GiveBack { .. } => 64,
        }
    }
}

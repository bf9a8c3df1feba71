//! The reasons why a proof bought nothing.

use ledger::LedgerError;
use payment::{Code, Refused, SettleError};
use verdict::Unavailable;

use super::back_end_failed;
use crate::refusal::Refusal;

/// The reason why a proof bought nothing.
#[derive(Debug)]
pub(crate) enum PaymentFailure {
    /// The proof does not pay for the call: 402, with the terms.
    Unpaid(Refused),
    /// The call is refused, independently of the proof.
    Refused(Refusal),
}

impl PaymentFailure {
    pub(super) fn unpaid(code: Code, detail: &str) -> Self {
        Self::Unpaid(Refused::new(code, detail))
    }
}

impl From<Refused> for PaymentFailure {
    fn from(refused: Refused) -> Self {
        Self::Unpaid(refused)
    }
}

impl From<Refusal> for PaymentFailure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Unavailable> for PaymentFailure {
    fn from(unavailable: Unavailable) -> Self {
        Self::Refused(unavailable.into())
    }
}

impl From<LedgerError> for PaymentFailure {
    fn from(error: LedgerError) -> Self {
        Self::Refused(error.into())
    }
}

impl From<SettleError> for PaymentFailure {
    fn from(error: SettleError) -> Self {
        match error {
            SettleError::Refused(refused) => Self::Unpaid(refused),
            SettleError::Unavailable(why) => Self::Refused(back_end_failed(&why)),
            SettleError::GasUsedUp { retry_after_s } => {
                let detail =
                    "the gas of this UTC day is used up; payments are taken again when the next one begins";
                Self::Refused(Refusal::unavailable("payment", retry_after_s, detail))
            }
        }
    }
}

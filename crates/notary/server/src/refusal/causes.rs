//! What becomes a refusal: the errors of fields, judges, the ledger, the notary and of texts.

use ledger::LedgerError;
use notary::NotaryError;
use receipt::json::JsonError;
use receipt::verify::VerifyError;
use verdict::{FieldError, Objection, Unavailable};

use super::Refusal;

impl From<FieldError> for Refusal {
    fn from(error: FieldError) -> Self {
        let FieldError { path, reason, detail } = error;
        Self::Field { field: path.dotted(), pointer: path.pointer(), reason: reason.code(), detail }
    }
}

impl From<Unavailable> for Refusal {
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable)
    }
}

impl From<Objection> for Refusal {
    fn from(objection: Objection) -> Self {
        match objection {
            Objection::Unknown(detail) => Self::not_found(detail),
            Objection::Impossible { code, detail } => Self::Conflict { code, detail: detail.to_owned() },
            Objection::Field(error) => error.into(),
            Objection::NotOffered { module, detail } => Self::NotOffered { module, detail },
            Objection::Unavailable(unavailable) => unavailable.into(),
        }
    }
}

impl From<LedgerError> for Refusal {
    /// Turns a failure of the store into a 503, and a refusal of the ledger into the refusal that fits it.
    fn from(error: LedgerError) -> Self {
        let conflict = |code, detail: &str| Self::Conflict { code, detail: detail.to_owned() };
        match error {
            LedgerError::Busy
            | LedgerError::OutcomeUnknown
            | LedgerError::Store(_)
            | LedgerError::NotSigned(_)
            | LedgerError::Archive
            | LedgerError::Corrupt(_)
            | LedgerError::OtherKeys(_)
            | LedgerError::Open { .. } => error.store_failed().into(),
            LedgerError::Unfit(_) => {
                tracing::warn!(%error, "what was to be stored is not fit for it");
                Self::unavailable("ledger", 3600, "what was found cannot be stored")
            }
            // Whoever has the claim by now brings it to its end, and the identical request gets what that is.
            LedgerError::NotOwner | LedgerError::WrongState(_) => Self::Settling { transaction: None },
            LedgerError::NoSuchClaim(_) => call_has_failed(),
            LedgerError::AlreadyCredited => PAYMENT_USED.into(),
            LedgerError::InsufficientFunds => {
                conflict("insufficient_funds", "the payer has less than the amount")
            }
            LedgerError::Duplicate => conflict("duplicate", "this is in the log already"),
            LedgerError::RefundState(_) => conflict("refund_state", "the refund has got further meanwhile"),
            LedgerError::PayoutCap { .. } => conflict("payout_cap", "the day's cap on payouts is reached"),
            LedgerError::NotErasable(_) => conflict("not_erasable", "the receipt cannot be erased now"),
            LedgerError::NoSuchLeaf(_) => Self::not_found("the log has no such leaf yet"),
            LedgerError::NoSuchRefund(_) => Self::not_found("there is no such refund"),
            LedgerError::NoSuchGrant(_) => Self::not_found("there is no such grant"),
            LedgerError::DisputeOpen => dispute::OPEN.into(),
            LedgerError::DisputeLimit => dispute::LIMIT.into(),
            LedgerError::WatchLimit => watch::LIMIT.into(),
            LedgerError::FreeWatchLimit | LedgerError::NetworkWatchLimit => {
                Self::unavailable("ledger", 3600, "no more watches are taken for free at the moment")
            }
            LedgerError::OtherPrices(_) => {
                tracing::error!(%error, "the prices of this process are not those of the store");
                Self::unavailable("ledger", 60, "the prices are being changed")
            }
            LedgerError::LogKeyNotHere(_) => {
                tracing::error!(%error, "this process does not have the log key in use");
                Self::unavailable("ledger", 5, "the log key is being changed")
            }
            LedgerError::FormerKey { .. } => {
                tracing::error!(%error, "the receipt key of this process is not the one in use");
                Self::unavailable("notary", 5, "the receipt key is being changed")
            }
            LedgerError::TrialLimit => {
                Self::unavailable("trials", 86_400, "no more wishes for trials are taken at the moment")
            }
        }
    }
}

/// The payment has already bought the answer to another request.
pub(crate) const PAYMENT_USED: Objection =
    Objection::Impossible { code: "payment_used", detail: "this payment was used for a different request" };

/// The claim of a call is gone, so its payment is free again.
pub(crate) fn call_has_failed() -> Refusal {
    Refusal::unavailable("payment", 1, "the call that this payment was for has failed; send it again")
}

impl From<NotaryError> for Refusal {
    fn from(error: NotaryError) -> Self {
        match error {
            NotaryError::Unavailable(unavailable) => unavailable.into(),
            NotaryError::Ledger(error) => error.into(),
        }
    }
}

impl From<VerifyError> for Refusal {
    fn from(error: VerifyError) -> Self {
        let reason = error.code();
        Self::Field { field: error.field, pointer: error.pointer, reason, detail: error.detail }
    }
}

impl From<JsonError> for Refusal {
    /// A wrong member is named; a text that is no JSON at all is the `body`'s fault.
    fn from(error: JsonError) -> Self {
        let field = error.field();
        Self::Field { field, pointer: error.path.pointer(), reason: error.code(), detail: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use ledger::{ClaimId, ClaimState, GrantId, RefundId, RefundState, StoreFailure, StoreFailureKind};

    use super::*;

    #[test]
    fn what_the_ledger_refuses_is_no_failure_of_the_ledger() {
        let status = |error: LedgerError| Refusal::from(error).status().as_u16();
        assert_eq!(status(LedgerError::NotOwner), 503);
        for error in [LedgerError::NotOwner, LedgerError::WrongState(ClaimState::Settled)] {
            assert!(matches!(Refusal::from(error), Refusal::Settling { .. }), "somebody goes on with it");
        }
        let Refusal::Unavailable(gone) = Refusal::from(LedgerError::NoSuchClaim(ClaimId(7))) else {
            panic!()
        };
        assert_eq!(gone.module, "payment");
        for error in [
            LedgerError::Duplicate,
            LedgerError::AlreadyCredited,
            LedgerError::InsufficientFunds,
            LedgerError::WatchLimit,
            LedgerError::RefundState(RefundState::Paid),
        ] {
            assert_eq!(status(error), 409);
        }
        for error in [
            LedgerError::NoSuchLeaf(7),
            LedgerError::NoSuchRefund(RefundId(7)),
            LedgerError::NoSuchGrant(GrantId(7)),
        ] {
            assert_eq!(status(error), 404);
        }
    }

    #[test]
    fn a_store_that_fails_is_503_of_the_ledger() {
        for error in [
            LedgerError::Busy,
            LedgerError::OutcomeUnknown,
            LedgerError::Corrupt("its inside".to_owned()),
            LedgerError::Unfit("its inside".to_owned()),
        ] {
            let said = error.to_string();
            let Refusal::Unavailable(unavailable) = Refusal::from(error) else { panic!("{said}") };
            assert_eq!(unavailable.module, "ledger", "{said}");
            assert!(!unavailable.detail.contains("inside"), "{}", unavailable.detail);
        }
        let exhausted = StoreFailure::new(StoreFailureKind::Busy, "its inside");
        let refusal = Refusal::from(LedgerError::Store(exhausted));
        let Refusal::Unavailable(unavailable) = refusal else { panic!("{refusal:?}") };
        assert_eq!((unavailable.module, unavailable.retry_after_s), ("store", 1));
        assert!(!unavailable.detail.contains("inside"), "{}", unavailable.detail);
    }
}

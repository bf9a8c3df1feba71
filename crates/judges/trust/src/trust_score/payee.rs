//! The payee of a question, compared with the domain's own statements.

use schemars::JsonSchema;
use serde::Serialize;

use super::observations::DomainObservations;
use super::question::TrustQuestion;
use crate::records::Records;
use crate::score::PayeeBinding;

/// The result of comparing the payee of a question with the domain's own statements.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct PayeeFinding {
    /// `yes` if the domain names the payee, `no` if it names others only, `absent` if it names none.
    pub bound: PayeeBinding,
}

/// Compares the payee of the question; `None` where it has none.
pub(super) fn payee(_: &DomainObservations, _: &Records, question: &TrustQuestion) -> Option<PayeeFinding> {
    question.has_payee().then_some(PayeeFinding { bound: PayeeBinding::Absent })
}

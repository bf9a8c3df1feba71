//! Risk: reasons not to rely on a domain, each with a verdict of its own. The worst counts, and nothing makes up for it.
//!
//! [`RiskFacts`] are plain facts; [`risks`] finds the reasons among them and [`proofs`] the signs of continuity, which cannot
//! be had in an afternoon. [`rule`](RiskId::rule) publishes each.

mod facts;
mod proof;
mod reason;

pub use facts::{
    Age, AgeSource, CertificateState, DanglingTarget, Destination, PayeeBinding, RegistrationState, RiskFacts,
};
pub use proof::{MIN_PROOFS, Proof, ProofId, UNCHANGED_DAYS, proofs};
pub use reason::{OLD_DAYS, RiskId, RiskReason, TRANSFER_DAYS, YOUNG_DAYS, risks};

use schemars::JsonSchema;
use serde::Serialize;

use super::Hygiene;

/// The verdict on a domain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum TrustVerdict {
    /// No reason against it, and proofs of continuity.
    Trusted,
    /// A reason to check further.
    Caution,
    /// Too little could be observed of what the purpose needs.
    Incomplete,
    /// A grave reason not to rely on it.
    Risky,
}

/// The reasons against a domain, and the signs of its continuity.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustRisk")]
pub struct Risk {
    /// The reasons, the gravest first; empty where there is none.
    pub reasons: Vec<RiskReason>,
    /// The signs of continuity that were looked for, each with whether it holds.
    pub continuity: Vec<Proof>,
    /// Risks that could not be looked for.
    pub unchecked: Vec<RiskId>,
}

/// Finds the risk and the verdict. Hygiene counts by its coverage, and by its score where that is poor.
#[must_use]
pub fn weigh(facts: &RiskFacts, hygiene: &Hygiene) -> (TrustVerdict, Risk) {
    let continuity = proofs(facts);
    let (mut reasons, unchecked) = risks(facts, hygiene, &continuity);
    // Stable: the order of the ids within one verdict.
    reasons.sort_by_key(|reason| reason.verdict != TrustVerdict::Risky);
    let has = |verdict| reasons.iter().any(|reason: &RiskReason| reason.verdict == verdict);
    let verdict = if has(TrustVerdict::Risky) {
        TrustVerdict::Risky
    } else if !hygiene.is_covered {
        TrustVerdict::Incomplete
    } else if has(TrustVerdict::Caution) {
        TrustVerdict::Caution
    } else {
        TrustVerdict::Trusted
    };
    (verdict, Risk { reasons, continuity, unchecked })
}

#[cfg(test)]
mod tests;

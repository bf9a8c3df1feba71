//! The domain of a counterparty: the question to the judge of `/trust-score`, and the part of its finding that a clearance has.

use schemars::JsonSchema;
use serde::Serialize;
use trust::score::{PayeeBinding, RiskId, TrustVerdict};
use trust::trust_score::{TrustFinding, TrustFindingV2, TrustQuestion};
use verdict::Timestamp;

use super::question::ClearanceQuestion;

/// The domain of a counterparty, as a clearance shows it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum DomainScreen {
    /// The lists alone give `BLOCK`, so the domain was not looked at.
    NotNeeded {
        /// The name as it was asked, in A-labels.
        domain: String,
    },
    /// The finding of `/trust-score`, without its checks and its evidence.
    Observed(DomainSummary),
}

/// The finding on a domain by the rules of `/trust-score`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DomainSummary {
    /// The name that was looked at, in A-labels.
    pub domain: String,
    /// The name that is its owner's own: below a public suffix.
    pub registrable: String,
    /// The verdict for payments.
    pub verdict: TrustVerdict,
    /// The reasons against the domain, the gravest first.
    pub reasons: Vec<DomainReason>,
    /// How well the domain is maintained. It never outweighs a reason.
    #[schemars(range(max = 100))]
    pub hygiene_score: u32,
    /// The result of comparing the domain's own statements with the wallet and the names of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payee: Option<PayeeSummary>,
    /// Time of the observations: a few minutes before the receipt where somebody else had just asked.
    #[schemars(with = "String")]
    pub observed_at: Timestamp,
}

/// The result of comparing the domain's own statements with the payee.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct PayeeSummary {
    /// `no` if the wallet or a name contradicts a statement; else `yes` if one is confirmed; else `absent`.
    pub bound: PayeeBinding,
    /// The wallet; absent where none was given, or its form is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wallet: Option<PayeeBinding>,
    /// The names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterparty_name: Option<PayeeBinding>,
}

/// A reason against a domain, with the verdict that it gives by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DomainReason {
    /// Name of the reason.
    pub id: RiskId,
    /// `RISKY` or `CAUTION`.
    pub verdict: TrustVerdict,
}

/// The state of the domain in a clearance.
pub(super) enum DomainState {
    NotRequested,
    NotNeeded(String),
    Observed(Box<TrustFindingV2>),
}

impl DomainState {
    /// The verdict on the domain; `None` if it was not looked at.
    pub(super) fn verdict(&self) -> Option<TrustVerdict> {
        match self {
            Self::NotRequested | Self::NotNeeded(_) => None,
            Self::Observed(found) => Some(found.verdict),
        }
    }

    /// The member `domain` of the finding; `None` if no domain was given.
    pub(super) fn shown(&self) -> Option<DomainScreen> {
        match self {
            Self::NotRequested => None,
            Self::NotNeeded(domain) => Some(DomainScreen::NotNeeded { domain: domain.clone() }),
            Self::Observed(found) => Some(DomainScreen::Observed(DomainSummary::of(found))),
        }
    }

    /// The finding; `None` if the domain was not looked at.
    pub(super) fn found(&self) -> Option<&TrustFindingV2> {
        match self {
            Self::NotRequested | Self::NotNeeded(_) => None,
            Self::Observed(found) => Some(found),
        }
    }

    /// The state by a finding of the judge; `None` by one of the rules of before, which no clearance has used.
    pub(super) fn observed(finding: TrustFinding) -> Option<Self> {
        match finding {
            TrustFinding::V1(_) => None,
            TrustFinding::V2(found) => Some(Self::Observed(found)),
        }
    }
}

impl DomainSummary {
    fn of(found: &TrustFindingV2) -> Self {
        let reasons =
            found.risk.reasons.iter().map(|reason| DomainReason { id: reason.id, verdict: reason.verdict });
        Self {
            domain: found.domain.clone(),
            registrable: found.registrable.clone(),
            verdict: found.verdict,
            reasons: reasons.collect(),
            hygiene_score: found.hygiene.score,
            payee: found.payee.as_ref().map(|payee| PayeeSummary {
                bound: payee.bound,
                wallet: payee.pay_to,
                counterparty_name: payee.counterparty_name,
            }),
            observed_at: found.evidence.observed_at,
        }
    }
}

/// The question to the judge of `/trust-score`; `None` if no domain was given.
pub(super) fn domain_question(question: &ClearanceQuestion) -> Option<TrustQuestion> {
    let wallet = question.wallet.as_ref().map(|wallet| wallet.wallet.as_str());
    let domain = question.domain.clone()?;
    let names = std::iter::once(&question.subject.name).chain(&question.subject.names).map(String::as_str);
    Some(TrustQuestion::to_pay(domain, wallet, names))
}

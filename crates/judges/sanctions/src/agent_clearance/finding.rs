//! The finding, member by member as it stands in the receipt.

use std::borrow::Cow;

use name_match::method;
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use threat_feeds::FeedLookUp;
use trust::score::TrustVerdict;
use verdict::quoted;

use super::domain::{DomainScreen, DomainState};
use super::list_screen::{ListScreen, NameScreen, WalletScreen};
use super::question::ClearanceQuestion;
use super::signals::{AccountState, ContractStatus, WalletSignals};
use crate::live::LiveLists;
use crate::screen::{ListEvidence, NameVerdict, ScreenEvidence, ScreenedList, named_lists};

/// Name and version of the rules in this module. The finding names the rules of the name comparison separately.
pub const METHOD: &str = "agent-clearance/4";

const SCOPE: &str = "An OFAC SDN name screen, on the snapshots named here, fused with on-chain wallet signals (contract \
    status, balance, transaction count). No mixer or fund-flow forensics is done; it does not say that the counterparty \
    is the listed one, or who owns it or controls the wallet.";
const DOMAIN: &str = " The domain was judged by the rules of /trust-score for payments: by its own records, certificate, pages \
    and registration, and by feeds and lists. Nothing there says who is behind it.";
const NO_DOMAIN: &str = " No domain was given, and none was looked at.";
const DOMAIN_NOT_LOOKED_AT: &str = " The domain was not looked at either.";
const NO_WALLET: &str = " No wallet was given, and none was looked at.";
const NO_SIGNALS: &str =
    " The wallet is of a chain without signals: it was looked for on the lists, and not at.";
const NOT_LOOKED_AT: &str = " The lists decide here: the wallet's signals were not looked at.";

/// The verdict on a counterparty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClearanceVerdict {
    /// Everything that was asked for was checked, and nothing was found.
    Clear,
    /// A person should review the counterparty.
    Review,
    /// A listed name or wallet, or a domain that is `RISKY`.
    Block,
}

/// Reason for a verdict that is not `CLEAR`. The [module](super) says when each holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClearanceReason {
    /// `BLOCK`: a list of sanctions has the address.
    WalletListed,
    /// `BLOCK`: it is a listed name.
    NameMatch,
    /// `REVIEW`: a listed name may be it, or it is a name on a list of another topic than sanctions.
    NamePossibleMatch,
    /// `REVIEW`: a list of another topic than sanctions has the address.
    WalletOnOtherList,
    /// `REVIEW`: a list was not confirmed to be current for more than 24 hours.
    ListStale,
    /// `REVIEW`: the wallet's chain has no signals.
    ChainSignalsUnsupported,
    /// `REVIEW`: the wallet is a contract.
    WalletContract,
    /// `REVIEW`: the wallet has sent no transaction.
    WalletFresh,
    /// `REVIEW`: the wallet has none of the chain's own coin.
    WalletEmpty,
    /// `REVIEW`: the wallet delegates to a listed address.
    DelegateListed,
    /// `BLOCK`: there is a grave reason not to rely on the domain.
    DomainRisky,
    /// `REVIEW`: there is a reason to check the domain further.
    DomainCaution,
    /// `REVIEW`: too little of the domain could be observed.
    DomainIncomplete,
}

impl ClearanceReason {
    /// Returns the reason in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::WalletListed => "a list has the wallet",
            Self::WalletOnOtherList => "a list of another topic than sanctions has the wallet",
            Self::NameMatch => "the name is a listed one",
            Self::NamePossibleMatch => "the name may be a listed one",
            Self::ListStale => "a list was not confirmed to be current for more than 24 hours",
            Self::ChainSignalsUnsupported => "of this wallet's chain nothing is looked at but the lists",
            Self::WalletContract => "the wallet is a contract",
            Self::WalletFresh => "the wallet has sent no transaction",
            Self::WalletEmpty => "the wallet has none of the chain's own coin",
            Self::DelegateListed => "the wallet delegates to a listed address",
            Self::DomainRisky => "there is a grave reason not to rely on the domain",
            Self::DomainCaution => "there is a reason to check the domain further",
            Self::DomainIncomplete => "too little of the domain could be seen",
        }
    }

    /// The verdict that it gives.
    fn verdict(self) -> ClearanceVerdict {
        match self {
            Self::WalletListed | Self::NameMatch | Self::DomainRisky => ClearanceVerdict::Block,
            Self::NamePossibleMatch
            | Self::WalletOnOtherList
            | Self::ListStale
            | Self::ChainSignalsUnsupported
            | Self::WalletContract
            | Self::WalletFresh
            | Self::WalletEmpty
            | Self::DelegateListed
            | Self::DomainCaution
            | Self::DomainIncomplete => ClearanceVerdict::Review,
        }
    }

    /// The reason that a verdict on the domain is; `None` for `TRUSTED`.
    fn of_domain(verdict: TrustVerdict) -> Option<Self> {
        match verdict {
            TrustVerdict::Trusted => None,
            TrustVerdict::Caution => Some(Self::DomainCaution),
            TrustVerdict::Incomplete => Some(Self::DomainIncomplete),
            TrustVerdict::Risky => Some(Self::DomainRisky),
        }
    }
}

/// The finding of `POST /agent-clearance`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ClearanceFinding {
    /// The worst of the reasons' verdicts.
    pub verdict: ClearanceVerdict,
    /// Reasons for the verdict; empty where it is `CLEAR`.
    pub reasons: Vec<ClearanceReason>,
    /// Name as it was asked.
    pub counterparty_name: String,
    /// Further names as they were asked; absent where none was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub names: Vec<String>,
    /// The name on the lists.
    pub name_screen: NameScreen,
    /// The address as it was asked, without the space around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wallet: Option<String>,
    /// The chain as it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
    /// The address on the lists; absent where no wallet was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wallet_screen: Option<WalletScreen>,
    /// The wallet on its chain.
    pub wallet_signals: WalletSignals,
    /// The domain by the rules of `/trust-score`; absent where none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<DomainScreen>,
    /// All lists that were screened.
    pub lists: Vec<ScreenedList>,
    /// Evidence: the lists, the nodes' answers, and the observations of the domain.
    pub evidence: ClearanceEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// Scope of the verdict, and its limits.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// Evidence of a clearance.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ClearanceEvidence {
    /// The lists.
    #[serde(flatten)]
    pub lists: ScreenEvidence,
    /// The SHA-256 of what the nodes answered, as it is kept; absent where none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub signals: Option<String>,
    /// The SHA-256 of the observations of the domain, as they are kept; absent where it was not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub domain_observations: Option<String>,
    /// The SHA-256 of the domain's statements about its payees, as they are kept; absent where it was not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub payee_statements: Option<String>,
    /// The feeds of bad domains that the domain was looked for on; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub domain_feeds: Vec<FeedLookUp>,
}

/// Input of a finding besides the question.
pub(super) struct FindingInput<'a> {
    pub(super) live: &'a LiveLists,
    pub(super) screened: ListScreen,
    pub(super) signals: WalletSignals,
    /// The SHA-256 of the record of the signals.
    pub(super) record: Option<[u8; 32]>,
    pub(super) domain: DomainState,
    /// Set where a stale list is a reason.
    pub(super) heeds_age: bool,
}

/// Makes the finding.
pub(super) fn find(question: &ClearanceQuestion, seen: FindingInput<'_>, at: Timestamp) -> ClearanceFinding {
    let reasons = grounds(&seen, at);
    let verdicts = reasons.iter().map(|ground| ground.verdict());
    let FindingInput { screened, signals, record, domain, .. } = seen;
    let ListScreen { lists, name, wallet: wallet_screen } = screened;
    let looked = ListEvidence::of(&lists, at).expect("names are screened on one list at least");
    let more = match signals {
        WalletSignals::NotRequested => NO_WALLET,
        WalletSignals::NotNeeded => NOT_LOOKED_AT,
        WalletSignals::Unsupported => NO_SIGNALS,
        WalletSignals::Observed(_) => "",
    };
    let (of_domain, trust_method) = match domain {
        DomainState::NotRequested => (NO_DOMAIN, String::new()),
        DomainState::NotNeeded(_) => (DOMAIN_NOT_LOOKED_AT, String::new()),
        DomainState::Observed(_) => (DOMAIN, format!(", {}", trust::model::METHOD)),
    };
    let wallet = question.wallet.as_ref();
    let domain_found = domain.found();
    let asked = [
        Some(format!("The name {}", quoted(&question.subject.name))),
        wallet.map(|wallet| format!("the wallet {}", quoted(&wallet.wallet))),
        domain.found().map(|found| format!("the domain {}", found.domain)),
    ];
    let asked: Vec<String> = asked.into_iter().flatten().collect();
    let words: Vec<&str> = reasons.iter().map(|reason| reason.words()).collect();
    let (were, found) = (if asked.len() > 1 { "were" } else { "was" }, words.join("; "));
    let found = if found.is_empty() { "nothing that speaks against it" } else { &found };
    let explanation = format!(
        "{} {were} looked at, with the lists {}. Found: {found}.",
        asked.join(", "),
        named_lists(&looked.lists)
    );
    ClearanceFinding {
        explanation,
        verdict: verdicts.max().unwrap_or(ClearanceVerdict::Clear),
        reasons,
        counterparty_name: question.subject.name.clone(),
        names: question.subject.names.clone(),
        name_screen: name,
        wallet: wallet.map(|wallet| wallet.wallet.clone()),
        chain: wallet.and_then(|wallet| wallet.chain.clone()),
        wallet_screen,
        wallet_signals: signals,
        domain: domain.shown(),
        scope: looked.scope(format!("{SCOPE}{more}{of_domain}")),
        lists: looked.lists,
        evidence: ClearanceEvidence {
            lists: looked.evidence,
            signals: record.map(hex::encode),
            domain_observations: domain_found.map(|found| found.evidence.observations_sha256.clone()),
            payee_statements: domain_found
                .and_then(|found| Some(found.payee.as_ref()?.statements_sha256.clone())),
            domain_feeds: domain_found.map(|found| found.evidence.feeds.clone()).unwrap_or_default(),
        },
        method: format!("{METHOD}, {}{trust_method}", method::METHOD).into(),
    }
}

/// Returns all reasons that hold, in the order of [`ClearanceReason`].
fn grounds(seen: &FindingInput<'_>, at: Timestamp) -> Vec<ClearanceReason> {
    let FindingInput { live, screened, signals, heeds_age, domain, .. } = seen;
    let observed = if let WalletSignals::Observed(observed) = signals { Some(observed) } else { None };
    let is = |holds: fn(&AccountState) -> bool| observed.is_some_and(holds);
    let delegate = observed.and_then(|observed| observed.delegate.as_deref());
    let is_listed = |address| live.wallet_index().find(address).is_ok_and(|found| !found.is_empty());
    let held = [
        (screened.has_sanctioned_wallet(), ClearanceReason::WalletListed),
        (screened.name.verdict == NameVerdict::Match, ClearanceReason::NameMatch),
        (screened.name.verdict == NameVerdict::PossibleMatch, ClearanceReason::NamePossibleMatch),
        (screened.has_wallet_of_other_topic(), ClearanceReason::WalletOnOtherList),
        (*heeds_age && screened.is_stale(at), ClearanceReason::ListStale),
        (*signals == WalletSignals::Unsupported, ClearanceReason::ChainSignalsUnsupported),
        (is(|account| account.contract_status == ContractStatus::Contract), ClearanceReason::WalletContract),
        (is(|account| account.transaction_count == 0), ClearanceReason::WalletFresh),
        (is(|account| account.balance == "0"), ClearanceReason::WalletEmpty),
        (delegate.is_some_and(is_listed), ClearanceReason::DelegateListed),
    ];
    let of_domain = domain.verdict().and_then(ClearanceReason::of_domain);
    held.into_iter().filter_map(|(holds, ground)| holds.then_some(ground)).chain(of_domain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_never_improves_a_verdict_and_only_a_trusted_one_leaves_it_as_it_is() {
        let of = |verdict| ClearanceReason::of_domain(verdict).map(ClearanceReason::verdict);
        assert_eq!(of(TrustVerdict::Trusted), None);
        assert_eq!(of(TrustVerdict::Caution), Some(ClearanceVerdict::Review));
        assert_eq!(of(TrustVerdict::Incomplete), Some(ClearanceVerdict::Review));
        assert_eq!(of(TrustVerdict::Risky), Some(ClearanceVerdict::Block));
    }
}

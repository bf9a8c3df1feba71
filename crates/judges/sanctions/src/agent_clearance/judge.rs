//! The judge: the lists first, which may decide alone, then the nodes of the wallet's chain and the domain, at the same time.

use std::sync::Arc;

use futures_util::future::try_join;
use receipt::json::{Json, Path};
use trust::trust_score::{TrustJudge, TrustQuestion};
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, FieldError, Judge, JudgeContext, Objection, Reason,
    Timestamp, Unavailable,
};
use watchlist::snapshot::SnapshotId;

use super::ask::ask;
use super::chains::{Chain, Chains, ETHEREUM};
use super::domain::{DomainState, domain_question};
use super::finding::{ClearanceFinding, FindingInput, find};
use super::list_screen::ListScreen;
use super::question::ClearanceQuestion;
use super::record::{NoQuorum, NodeAnswers, SignalsRecord};
use super::signals::WalletSignals;
use crate::live::Lists;
use crate::page;
use crate::screen::{NameVerdict, evidence_of, lists_of, refuse_without_sdn, refuse_without_sdn_wallets};
use crate::screen_wallet::{AddressForm, WalletQuestion, address_form};

/// The role of what the nodes answered.
const SIGNALS: &str = "signals";
/// Seconds after which another try makes sense where nodes disagree or do not answer: a few blocks.
const RETRY_AFTER_S: u32 = 15;
/// Seconds until another try, where no node is configured.
const NOT_CONFIGURED_S: u32 = 3600;

/// The judge of `POST /agent-clearance`.
///
/// ```
/// use sanctions::agent_clearance::{AgentClearanceJudge, Chains, ClearanceQuestion};
/// use sanctions::live::Lists;
/// use verdict::{Judge, Timestamp};
///
/// # async fn example(question: ClearanceQuestion, at: Timestamp) -> Result<(), Box<dyn std::error::Error>> {
/// let judge = AgentClearanceJudge::new(Lists::demo(), Chains::none());
/// let judged = judge.judge(&question, at.into()).await?;
/// // A dispute finds the same on what the nodes answered then.
/// assert_eq!(judge.replay(&question, &judged.evidence, at)?, judged.finding);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct AgentClearanceJudge {
    lists: Lists,
    chains: Chains,
    domains: Option<Arc<TrustJudge>>,
}

/// Source of a wallet's signals.
enum SignalSource<'a> {
    NotRequested,
    NotNeeded,
    Unsupported,
    Nodes(&'a Chain, String),
}

impl AgentClearanceJudge {
    /// Builds a judge over these lists and the nodes of these chains. It does not answer a question that names a domain.
    #[must_use]
    pub fn new(lists: Lists, chains: Chains) -> Self {
        Self { lists, chains, domains: None }
    }

    /// Has domains judged by `domains`.
    #[must_use]
    pub fn with_domains(self, domains: Option<Arc<TrustJudge>>) -> Self {
        Self { domains, ..self }
    }

    /// Returns the judge and the question about the domain; `None` if no domain was given, or the lists block.
    fn domain_source(
        &self,
        question: &ClearanceQuestion,
        screened: &ListScreen,
    ) -> Result<Option<(&TrustJudge, TrustQuestion)>, Objection> {
        let asked = domain_question(question).filter(|_| !screened.blocks());
        let Some(asked) = asked else { return Ok(None) };
        let domains = self.domains.as_deref().ok_or_else(|| {
            not_offered("no_domains: nothing is configured to look at the domain".to_owned())
        })?;
        Ok(Some((domains, asked)))
    }

    /// Chooses the source of the signals. It refuses where the name or the wallet would be said to be on no list
    /// without the SDN list. A replay does not call this: it reads the stored answers.
    fn source(
        &self,
        question: &ClearanceQuestion,
        screened: &ListScreen,
    ) -> Result<SignalSource<'_>, Objection> {
        if screened.name.verdict == NameVerdict::NoMatch && !screened.blocks() {
            refuse_without_sdn(&screened.lists)?;
        }
        let (Some(wallet), Some(found)) = (&question.wallet, &screened.wallet) else {
            return Ok(SignalSource::NotRequested);
        };
        if !screened.has_sanctioned_wallet() {
            refuse_without_sdn_wallets(&screened.lists)?;
        }
        if screened.blocks() {
            return Ok(SignalSource::NotNeeded);
        }
        let Some(id) = self.chain_id(wallet)? else { return Ok(SignalSource::Unsupported) };
        match self.chains.chain(id) {
            Some(chain) => Ok(SignalSource::Nodes(chain, found.normalised.clone())),
            None => {
                let detail =
                    format!("no_endpoints: no node of eip155:{id} is configured to look at the wallet");
                Err(not_offered(detail))
            }
        }
    }

    /// The chain of Ethereum's kind that the wallet is of; none where it is of another kind.
    fn chain_id(&self, wallet: &WalletQuestion) -> Result<Option<u64>, FieldError> {
        let is_evm = address_form(&wallet.wallet) == AddressForm::Evm;
        let Some(word) = &wallet.chain else { return Ok(is_evm.then_some(ETHEREUM)) };
        let id = self.chains.id(word);
        if id.is_some() && !is_evm {
            let mut path = Path::root();
            path.push_name("chain");
            let detail =
                "must be one that the wallet can be of: its addresses are 0x and 40 hex digits".to_owned();
            return Err(FieldError { path, reason: Reason::NotApplicable, detail });
        }
        Ok(id)
    }

    /// The domain of a replay, by its stored observations alone.
    fn replayed_domain(
        &self,
        question: &ClearanceQuestion,
        screened: &ListScreen,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<DomainState, EvidenceMissing> {
        let Some(asked) = domain_question(question) else { return Ok(DomainState::NotRequested) };
        if screened.blocks() {
            return Ok(DomainState::NotNeeded(asked.domain.to_string()));
        }
        let finding = match &self.domains {
            Some(domains) => domains.replay(&asked, evidence, at),
            None => TrustJudge::without_probes().replay(&asked, evidence, at),
        };
        DomainState::observed(finding?)
            .ok_or_else(|| EvidenceMissing("observations of the domain by the present rules".to_owned()))
    }

    async fn look(
        &self,
        question: &ClearanceQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<ClearanceFinding>, Objection> {
        let at = context.at;
        let live = self.lists.now();
        let screened = ListScreen::new(question, &live, at)?;
        let mut evidence = evidence_of(&screened.lists);
        let of_nodes = look_at_wallet(self.source(question, &screened)?);
        let of_domain = look_at_domain(self.domain_source(question, &screened)?, context);
        let ((signals, record), looked) = try_join(of_nodes, of_domain).await?;
        let record = record.map(|record| {
            let record = serde_json::to_vec(&record).expect("texts and numbers have a JSON form");
            let blob = EvidenceBlob::new(SIGNALS, record);
            let sha256 = blob.sha256();
            evidence.push(blob);
            sha256
        });
        let domain = match (looked, &question.domain) {
            (Some(DomainLook { state, evidence: observations }), _) => {
                evidence.extend(observations);
                state
            }
            (None, Some(domain)) => DomainState::NotNeeded(domain.to_string()),
            (None, None) => DomainState::NotRequested,
        };
        let heeds_age = self.lists.heeds_age();
        let seen = FindingInput { live: &live, screened, signals, record, domain, heeds_age };
        Ok(EvidencedFinding { finding: find(question, seen, at), evidence })
    }
}

/// The result of looking at a domain.
struct DomainLook {
    state: DomainState,
    evidence: Vec<EvidenceBlob>,
}

async fn look_at_wallet(
    source: SignalSource<'_>,
) -> Result<(WalletSignals, Option<SignalsRecord>), Unavailable> {
    Ok(match source {
        SignalSource::NotRequested => (WalletSignals::NotRequested, None),
        SignalSource::NotNeeded => (WalletSignals::NotNeeded, None),
        SignalSource::Unsupported => (WalletSignals::Unsupported, Some(SignalsRecord::Unsupported)),
        SignalSource::Nodes(chain, wallet) => {
            let asked = ask(chain, &wallet)
                .await
                .ok_or_else(|| unavailable(RETRY_AFTER_S, "no_quorum: the nodes took too long".to_owned()))?;
            let observed = asked.observed().map_err(|no_quorum| disagreed(&asked, no_quorum))?;
            (WalletSignals::Observed(observed), Some(SignalsRecord::Asked(asked)))
        }
    })
}

/// Has the domain judged without a memory of earlier looks: that belongs to receipts of `/trust-score`.
async fn look_at_domain(
    source: Option<(&TrustJudge, TrustQuestion)>,
    context: JudgeContext,
) -> Result<Option<DomainLook>, Unavailable> {
    let Some((domains, asked)) = source else { return Ok(None) };
    let context = JudgeContext { judged_before: None, memory: None, ..context };
    let EvidencedFinding { finding, evidence } = domains.judge(&asked, context).await?;
    let state = DomainState::observed(finding).ok_or_else(|| {
        unavailable(NOT_CONFIGURED_S, "no_domains: domains are judged by rules of before".to_owned())
    })?;
    Ok(Some(DomainLook { state, evidence }))
}

/// The signals of a replay, and the address of their record.
fn replayed(
    question: &ClearanceQuestion,
    screened: &ListScreen,
    evidence: &[EvidenceBlob],
) -> Result<(WalletSignals, Option<[u8; 32]>), EvidenceMissing> {
    if question.wallet.is_none() {
        return Ok((WalletSignals::NotRequested, None));
    }
    if screened.blocks() {
        return Ok((WalletSignals::NotNeeded, None));
    }
    let missing = || EvidenceMissing("what the nodes answered".to_owned());
    let blob = evidence.iter().find(|blob| blob.role() == SIGNALS).ok_or_else(missing)?;
    let record = serde_json::from_slice(blob.bytes().ok_or_else(missing)?);
    let signals = match record.map_err(|_| missing())? {
        SignalsRecord::Unsupported => WalletSignals::Unsupported,
        SignalsRecord::Asked(asked) => WalletSignals::Observed(asked.observed().map_err(|_| missing())?),
    };
    Ok((signals, Some(blob.sha256())))
}

fn not_offered(detail: String) -> Objection {
    Objection::NotOffered { module: "sanctions", detail }
}

fn unavailable(retry_after_s: u32, detail: String) -> Unavailable {
    Unavailable { module: "sanctions", retry_after_s, detail }
}

fn disagreed(asked: &NodeAnswers, NoQuorum { agreed }: NoQuorum) -> Unavailable {
    let NodeAnswers { chain_id, quorum, nodes } = asked;
    tracing::warn!("no quorum of the nodes of eip155:{chain_id}: {:?}", asked.told());
    let count = nodes.len();
    let detail = format!(
        "no_quorum: {agreed} of {count} nodes of eip155:{chain_id} agree on the wallet, of {quorum} needed"
    );
    unavailable(RETRY_AFTER_S, detail)
}

impl Judge for AgentClearanceJudge {
    type Question = ClearanceQuestion;
    type Finding = ClearanceFinding;

    /// Refuses what no node is needed for: no list, no node, a mistyped wallet, a chain that the wallet cannot be of, a
    /// domain that is not public.
    async fn admit(&self, question: &ClearanceQuestion, at: Timestamp) -> Result<(), Objection> {
        question.subject.refuse_other_calendar(None, at)?;
        let screened = ListScreen::new(question, &self.lists.now(), at)?;
        if let (Some(domains), Some(asked)) = (&self.domains, domain_question(question)) {
            domains.admit(&asked, at).await?;
        }
        self.source(question, &screened)?;
        self.domain_source(question, &screened)?;
        Ok(())
    }

    async fn judge(
        &self,
        question: &ClearanceQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<ClearanceFinding>, Unavailable> {
        self.look(question, context).await.map_err(|objection| match objection {
            Objection::Unavailable(unavailable) => unavailable,
            // It was admitted, so it was listed a moment ago and is not any more.
            other => unavailable(1, other.to_string()),
        })
    }

    /// Finds again by the stored lists and their ages at that time.
    fn replay(
        &self,
        question: &ClearanceQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<ClearanceFinding, EvidenceMissing> {
        let live = lists_of(&self.lists, evidence)?;
        let screened = ListScreen::new(question, &live, at)
            .map_err(|objection| EvidenceMissing(objection.to_string()))?;
        let (signals, record) = replayed(question, &screened, evidence)?;
        let domain = self.replayed_domain(question, &screened, evidence, at)?;
        let heeds_age = self.lists.heeds_age();
        Ok(find(question, FindingInput { live: &live, screened, signals, record, domain, heeds_age }, at))
    }

    fn kept(&self, sha256: &[u8; 32]) -> Option<Vec<u8>> {
        self.lists.content(&SnapshotId::new(*sha256))
    }

    fn keeps(&self, sha256: &[u8; 32]) -> bool {
        self.lists.has_content(&SnapshotId::new(*sha256))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::clearance_section(receipt)
    }
}

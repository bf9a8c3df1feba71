//! The judge: it runs the probes and finds on their observations alone.

use std::fmt;
use std::sync::Arc;

use domain_name::{DomainError, PublicSuffixes, Rules, Subject};
use futures_util::future::try_join;
use receipt::json::Json;
use verdict::{
    Effect, EffectKind, EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection,
    Question as _, Remember, Timestamp, Unavailable,
};

use super::finding::{OtherEvidence, TrustFinding, find};
use super::look::{Looks, NotLooked, Probes};
use super::memory::DomainMemory;
use super::observations::DomainObservations;
use super::pace::{NAMES, WINDOW_S};
use super::page;
use super::question::{TrustQuestion, refusal};

/// The part that is down, as `/health` names it.
const MODULE: &str = "trust";

/// Seconds after which another try makes sense where a name server cannot be believed.
const RETRY_DENIED_S: u32 = 60;

/// The judge of `/trust-score`.
pub struct TrustJudge {
    suffixes: Arc<PublicSuffixes>,
    rules: Rules,
    /// `None` for replays, which look nowhere.
    looks: Option<Looks>,
}

impl fmt::Debug for TrustJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrustJudge").field("looks", &self.looks.is_some()).finish_non_exhaustive()
    }
}

impl TrustJudge {
    /// Builds a judge that looks with these probes.
    #[must_use]
    pub fn new(probes: Probes, rules: Rules) -> Self {
        Self { suffixes: Arc::clone(&probes.suffixes), rules, looks: Some(Looks::new(probes)) }
    }

    /// Builds a judge that only replays from evidence and opens no connection.
    #[must_use]
    pub fn without_probes() -> Self {
        Self { suffixes: Arc::new(PublicSuffixes::bundled()), rules: Rules::default(), looks: None }
    }

    fn subject(&self, question: &TrustQuestion) -> Result<Subject, DomainError> {
        Subject::of(question.domain.clone(), &self.suffixes, &self.rules)
    }
}

impl Judge for TrustJudge {
    type Question = TrustQuestion;
    type Finding = TrustFinding;

    const EFFECT: EffectKind = EffectKind::Remember;

    fn effect(&self, question: &TrustQuestion, finding: &TrustFinding) -> Option<Effect> {
        let TrustFinding::V2(finding) = finding else { return None };
        let subject = hex::encode(question.subject_sha256()?);
        finding.memory.as_ref().map(|memory| Effect::Remember(Remember { subject, memory: memory.text() }))
    }

    async fn admit(&self, question: &TrustQuestion, _: Timestamp) -> Result<(), Objection> {
        self.subject(question).map(drop).map_err(|error| Objection::Field(refusal(error)))
    }

    async fn judge(
        &self,
        question: &TrustQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<TrustFinding>, Unavailable> {
        let unavailable_for = |retry_after_s, detail: &str| Unavailable {
            module: MODULE,
            retry_after_s,
            detail: detail.to_owned(),
        };
        let unavailable = |detail: &str| unavailable_for(1, detail);
        let looks = self.looks.as_ref().ok_or_else(|| unavailable("nothing to look with"))?;
        let subject = self.subject(question).map_err(|error| unavailable(&error.to_string()))?;
        let statements = async {
            match question.has_payee() {
                true => looks.statements(&subject, question).await.map(Some),
                false => Ok(None),
            }
        };
        let looked = try_join(looks.at(&subject, context.at), statements).await;
        let (looked, statements) = looked.map_err(|why| match why {
            NotLooked::Denied(fault) => unavailable_for(RETRY_DENIED_S, &fault.to_string()),
            NotLooked::Places => unavailable("too many domains are looked at just now"),
            NotLooked::Names => unavailable_for(
                WINDOW_S,
                &format!("more than {NAMES} names below {} within a minute", subject.registrable),
            ),
        })?;
        let others = OtherEvidence { memory: remembered(&context), statements };
        let finding = find(&looked.seen, looked.blob.sha256(), question, &others, context.at);
        let evidence = [looked.blob.clone()].into_iter().chain(others.blobs());
        Ok(EvidencedFinding { finding, evidence: evidence.collect() })
    }

    fn replay(
        &self,
        question: &TrustQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<TrustFinding, EvidenceMissing> {
        let (seen, observations) = DomainObservations::of(evidence)?;
        let others = OtherEvidence::read(evidence)?;
        Ok(find(&seen, observations, question, &others, at))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

/// The memory that the ledger has of earlier looks at the domain; empty if there is none.
fn remembered(context: &JudgeContext) -> DomainMemory {
    let text = context.memory.as_ref().map(|memory| memory.text.as_str());
    text.and_then(DomainMemory::parse).unwrap_or_default()
}

//! The judge of disputes: checks if a receipt can be disputed, and hears the dispute.

use std::sync::Arc;
use std::time::Duration;

use ledger::{Ledger, MAX_DISPUTES, StoredReceipt, StoredRequest};
use module::RouteTable;
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{Json, Object, from_serialize, parse};
use receipt::time::Timestamp;
use verdict::{
    Effect, EffectKind, EndDispute, EvidenceBlob, EvidenceMissing, EvidencedFinding, Fields, Judge,
    JudgeContext, Objection, Question as _, Reason, Ruling, Unavailable,
};

use super::finding::{
    ComparedReceipt, DisputeFinding, DisputeReason, Hearing, Rerunning, SourceVerdict, evidence_sha256, find,
};
use super::page;
use super::question::{DisputeQuestion, without_request};
use super::{A_WATCH, CLASS, LIMIT, NOT_KEPT, OPEN, REQUEST_REDACTED, WINDOW_CLOSED, disputable_until};
use crate::rerun::{RerunCase, RerunError, RerunPermit, Reruns};

/// Timeout of a request to a source. Its answer does not affect the verdict.
pub const SOURCE_TIMEOUT: Duration = Duration::from_secs(4);

/// The disputed receipts, and the parts that replay them.
pub struct Archive {
    /// The ledger.
    pub ledger: Arc<dyn Ledger>,
    /// The judges of disputed receipts, whose sources are asked again.
    pub route_table: RouteTable,
    /// The processes that replay cases.
    pub reruns: Reruns,
}

/// The judge of `POST /dispute`.
#[derive(Clone)]
pub struct DisputeJudge {
    archive: Option<Arc<Archive>>,
}

impl DisputeJudge {
    /// Makes a judge over this archive.
    #[must_use]
    pub fn new(archive: Archive) -> Self {
        Self { archive: Some(Arc::new(archive)) }
    }

    /// Builds a judge without an archive, which accepts no question. It serves documents, and services without a
    /// ledger.
    #[must_use]
    pub fn without_archive() -> Self {
        Self { archive: None }
    }

    fn archive(&self) -> Result<&Archive, Unavailable> {
        self.archive.as_deref().ok_or_else(|| unavailable(3600, "disputes are heard by a running service"))
    }
}

impl Judge for DisputeJudge {
    type Question = DisputeQuestion;
    type Finding = DisputeFinding;

    const EFFECT: EffectKind = EffectKind::EndDispute;

    fn effect(&self, question: &DisputeQuestion, finding: &DisputeFinding) -> Option<Effect> {
        Some(effect(question, finding))
    }

    const REDACTS: bool = true;

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }

    fn kept_request(&self, _: &DisputeQuestion, request: &Object) -> Object {
        without_request(request)
    }

    async fn admit(&self, question: &DisputeQuestion, at: Timestamp) -> Result<(), Objection> {
        let archive = self.archive()?;
        let disputed = disputed(&*archive.ledger, &question.receipt_hash).await?;
        let effect = archive.effect_of(&disputed);
        if effect == EffectKind::EndDispute {
            let detail = "must not name a dispute's receipt: a dispute cannot be disputed";
            let object = Object::new();
            let error = Fields::root(&object).error("receipt_hash", Reason::NotApplicable, detail);
            return Err(error.into());
        }
        if effect == EffectKind::OpenWatch {
            return Err(A_WATCH);
        }
        // A record of the log itself, such as that of an erasure, has no question.
        if archive.route_table.route(&disputed.facts.class).is_none() {
            return Err(NOT_KEPT);
        }
        if disputable_until(effect, disputed.signed_at).is_none_or(|until| until < at) {
            return Err(WINDOW_CLOSED);
        }
        let disputes =
            archive.ledger.disputes(&question.receipt_hash).await.map_err(|error| error.unread())?;
        // One that is open may yet come to nothing, so it is told before the limit, as the ledger does.
        if disputes.iter().any(|dispute| dispute.receipt.is_none()) {
            return Err(OPEN);
        }
        if disputes.len() >= MAX_DISPUTES as usize {
            return Err(LIMIT);
        }
        if !archive.can_be_heard(&disputed).await? {
            return Err(NOT_KEPT);
        }
        disputed.check_request(question.request.as_ref().map(|request| &*request.0))?;
        // A dispute that cannot be heard soon is refused before the bond is taken.
        if archive.reruns.is_busy() {
            return Err(busy().into());
        }
        Ok(())
    }

    async fn judge(
        &self,
        question: &DisputeQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<DisputeFinding>, Unavailable> {
        let archive = self.archive()?;
        let hash = &question.receipt_hash;
        let disputed = disputed(&*archive.ledger, hash).await.map_err(unread)?;
        let permit = archive.reruns.permit().map_err(|_| busy())?;
        let hearing = archive
            .hear(disputed, question.request.as_ref().map(|request| &*request.0), permit, context.at)
            .await?;
        let evidence = vec![hearing.to_blob()];
        Ok(EvidencedFinding { finding: find(question, hearing, context.at), evidence })
    }

    fn replay(
        &self,
        question: &DisputeQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<DisputeFinding, EvidenceMissing> {
        Ok(find(question, Hearing::read(evidence)?, at))
    }
}

/// A receipt that is disputed.
struct DisputedReceipt {
    stored: StoredReceipt,
    facts: ComparedReceipt,
    signed_at: Timestamp,
    request_hash: String,
    /// Its request is stored without its secrets.
    is_redacted: bool,
}

impl DisputedReceipt {
    /// Checks the request that the disputer has brought: it must be there if the stored one lacks its secrets, and it must be
    /// the one that the receipt was signed for.
    fn check_request(&self, brought: Option<&[u8]>) -> Result<(), Objection> {
        match brought {
            None if self.is_redacted => Err(REQUEST_REDACTED),
            Some(brought) if !self.is_signed_for(brought) => {
                let detail = "is not the request that the disputed receipt was signed for: its canonical form has another \
                    SHA-256 than `request_hash`";
                let object = Object::new();
                Err(Fields::root(&object).error("request", Reason::NotApplicable, detail).into())
            }
            _ => Ok(()),
        }
    }

    fn is_signed_for(&self, request: &[u8]) -> bool {
        hex::encode(sha256(request)) == self.request_hash
    }
}

async fn disputed(ledger: &dyn Ledger, hash: &ReceiptHash) -> Result<DisputedReceipt, Objection> {
    let stored = ledger.receipt(hash).await.map_err(|error| error.unread())?;
    let Some(stored) = stored else {
        let erased = ledger.erased(hash).await.map_err(|error| error.unread())?;
        let unknown = Objection::Unknown("this notary has no receipt of this hash");
        return Err(if erased.is_some() { NOT_KEPT } else { unknown });
    };
    let unsound = || unavailable(60, "the disputed receipt cannot be read");
    let payload = parse(&stored.payload).map_err(|_| unsound())?;
    let text = |name| payload.get(name).and_then(Json::as_str).map(str::to_owned).ok_or_else(unsound);
    let facts = ComparedReceipt {
        receipt_hash: hash.to_string(),
        class: text("class")?,
        verdict: text("verdict")?,
        signed_at: text("signed_at")?,
        evidence_sha256: payload.get("evidence").map_or_else(String::new, evidence_sha256),
        method: text("method").ok(),
    };
    let signed_at = facts.signed_at.parse().map_err(|_| unsound())?;
    let is_redacted = payload.get("request_kept").is_some();
    let request_hash = text("request_hash")?;
    Ok(DisputedReceipt { stored, facts, signed_at, request_hash, is_redacted })
}

/// Makes the ruling for a settled bond whose dispute was not heard: the bond is given back, for this reason.
///
/// # Errors
/// The question or the disputed receipt cannot be read.
pub async fn unheard(
    ledger: &dyn Ledger,
    request: &Object,
    reason: DisputeReason,
    at: Timestamp,
) -> Result<Ruling, Unavailable> {
    let question = DisputeQuestion::read(&Fields::root(request))
        .map_err(|_| unavailable(60, "the dispute's request cannot be read"))?;
    let disputed = disputed(ledger, &question.receipt_hash).await.map_err(unread)?;
    let hearing = Hearing { disputed: disputed.facts, rerun: Rerunning::Failed(reason), source: None };
    let evidence = vec![hearing.to_blob()];
    let found = find(&question, hearing, at);
    let effect = Some(effect(&question, &found));
    match from_serialize(&found) {
        Ok(Json::Object(finding)) => Ok(Ruling { finding, evidence, effect }),
        _ => Err(unavailable(60, "the dispute's finding cannot be written")),
    }
}

/// The end of the dispute that a finding decides.
fn effect(question: &DisputeQuestion, finding: &DisputeFinding) -> Effect {
    let refund_to = question.refund_to.map(|address| address.into_array());
    Effect::EndDispute(EndDispute { outcome: finding.verdict.into(), refund_to })
}

/// A disputed receipt was there when its bond was claimed.
fn unread(objection: Objection) -> Unavailable {
    match objection {
        Objection::Unavailable(unavailable) => unavailable,
        _ => unavailable(60, "the disputed receipt cannot be read"),
    }
}

impl Archive {
    /// The kind of effect that the disputed receipt had.
    fn effect_of(&self, disputed: &DisputedReceipt) -> EffectKind {
        self.route_table.route(&disputed.facts.class).map_or(EffectKind::None, |route| route.effect_kind())
    }

    /// Checks if all evidence that a rerun needs is kept, as far as that can be seen without reading it. A dispute that
    /// could only end inconclusive is refused before any money moves: it would cost its disputer nothing, and us a
    /// payment each way.
    async fn can_be_heard(&self, disputed: &DisputedReceipt) -> Result<bool, Unavailable> {
        let DisputedReceipt { stored, facts, .. } = disputed;
        let judge = self.route_table.route(&facts.class).and_then(|route| route.judge.as_ref());
        // A judge who is not seated here may be where the rerun is.
        if let (Some(judge), Ok(receipt)) = (judge, parse(&stored.payload))
            && !judge.is_replayable(&receipt)
        {
            return Ok(false);
        }
        let elsewhere = self.ledger.evidence_elsewhere(stored.leaf).await.map_err(|error| error.unread())?;
        let Some(elsewhere) = elsewhere else { return Ok(false) };
        Ok(elsewhere.iter().all(|sha256| judge.is_some_and(|judge| judge.keeps(sha256))))
    }

    /// Has the receipt's question judged again by a separate process, and asks its source at the same time. `brought` is the
    /// question as it was sent, where the stored one lacks its secrets.
    async fn hear(
        &self,
        disputed: DisputedReceipt,
        brought: Option<&[u8]>,
        permit: RerunPermit<'_>,
        now: Timestamp,
    ) -> Result<Hearing, Unavailable> {
        let brought = brought.filter(|brought| disputed.is_signed_for(brought));
        let DisputedReceipt {
            stored: StoredReceipt { leaf, payload, .. },
            facts,
            signed_at,
            is_redacted,
            ..
        } = disputed;
        let mut request = self.ledger.request(leaf).await.map_err(|error| error.unread())?;
        if is_redacted {
            let Some(brought) = brought else {
                let rerun = Rerunning::Failed(DisputeReason::RequestRedacted);
                return Ok(Hearing { disputed: facts, rerun, source: None });
            };
            request = request.map(|stored| StoredRequest { body: brought.to_vec(), ..stored });
        }
        let evidence = self.ledger.evidence(leaf).await.map_err(|error| error.unread())?;
        let has_source = !evidence.is_empty();
        let case = RerunCase {
            payload,
            judged_at: request.as_ref().map_or(signed_at, |request| request.judged_at),
            request: request.as_ref().map(|request| request.body.clone()),
            evidence,
        };
        let source = async {
            Ok(match request.filter(|_| has_source) {
                Some(request) => self.ask_source(&facts.class, &request, now).await,
                None => None,
            })
        };
        // Evidence that the class's judge keeps itself, because many receipts share it.
        let judge = self.route_table.route(&facts.class).and_then(|route| route.judge.clone());
        let kept = move |sha256: &[u8; 32]| judge.as_ref()?.kept(sha256);
        let rerun = async {
            match permit.run(case, kept).await {
                Ok(rerun) => Ok(Rerunning::Answered { replay: rerun.replay, rerun: rerun.rerun }),
                Err(error) => failure(error).map(Rerunning::Failed),
            }
        };
        let (rerun, source) = tokio::try_join!(rerun, source)?;
        Ok(Hearing { disputed: facts, rerun, source })
    }

    /// The verdict that the same question gets from its source now; `None` where there is none in time.
    async fn ask_source(
        &self,
        class: &str,
        request: &StoredRequest,
        now: Timestamp,
    ) -> Option<SourceVerdict> {
        let judge = self.route_table.route(class)?.judge.clone()?;
        let Ok(Json::Object(request)) = parse(&request.body) else { return None };
        let case = judge.open(&request).ok()?;
        let ruling = tokio::time::timeout(SOURCE_TIMEOUT, case.judge(now.into())).await.ok()?.ok()?;
        let verdict = ruling.finding.get("verdict")?.as_str()?.to_owned();
        Some(SourceVerdict { verdict, judged_at: now.to_string() })
    }
}

/// Classifies a rerun without an answer: a reason that lies in the case, or an error of this machine.
fn failure(error: RerunError) -> Result<DisputeReason, Unavailable> {
    match error {
        RerunError::Busy => Err(busy()),
        RerunError::TooLong => Ok(DisputeReason::RerunExhausted),
        // A signal is how processor time and memory past their bounds end.
        RerunError::Failed(status) if status.code().is_none() => Ok(DisputeReason::RerunExhausted),
        RerunError::Case(_) => Ok(DisputeReason::TooLarge),
        // What a case takes is bounded by processor time; how long that lasts is a matter of this machine's load.
        RerunError::TimedOut | RerunError::Process(_) | RerunError::Failed(_) | RerunError::Signed(_) => {
            tracing::error!(%error, "a rerun failed");
            Err(unavailable(60, "the preserved evidence cannot be replayed at the moment"))
        }
    }
}

fn busy() -> Unavailable {
    unavailable(5, "too many disputes are being heard at the moment")
}

fn unavailable(retry_after_s: u32, detail: &str) -> Unavailable {
    Unavailable { module: CLASS, retry_after_s, detail: detail.to_owned() }
}

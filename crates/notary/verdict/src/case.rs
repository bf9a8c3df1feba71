//! Judges of any type behind one object, for the pipeline and the command line.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{Json, Object, from_serialize, parse};
use receipt::time::Timestamp;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use crate::{
    AnyField, Cost, Effect, EffectKind, EvidenceBlob, EvidenceMissing, EvidencedFinding, FieldError, Fields,
    Judge, JudgeContext, KeptRequest, Objection, Question, Unavailable, WantedReceipts, refuse_misnamed,
};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A finding as a flat object, with its evidence and its effect.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// The members of the finding, including `verdict`.
    pub finding: Object,
    /// The evidence that is not part of the request.
    pub evidence: Vec<EvidenceBlob>,
    /// The effect beyond the receipt; `None` where the ruling has none.
    pub effect: Option<Effect>,
}

/// A [`Judge`] with its types erased, so that judges of any field can be stored together.
pub trait AnyJudge: Send + Sync {
    /// Reads a request into a case that is ready to be judged.
    ///
    /// # Errors
    /// The first field that is wrong.
    fn open(&self, request: &Object) -> Result<Box<dyn Case>, FieldError>;

    /// The fields that the question takes; see [`Question::TABLE`].
    fn guarded_fields(&self) -> Vec<&'static dyn AnyField>;

    /// The kind of effect of each ruling; see [`Judge::EFFECT`].
    fn effect_kind(&self) -> EffectKind;

    /// Reads a request that a caller has just sent, as [`open`](Self::open) does, and also refuses misnamed members. A
    /// stored request is read by `open` alone: a later change of the rule for misnamed members must not refuse a
    /// request that was answered before.
    ///
    /// # Errors
    /// A member that was most likely meant for another, or else the first field that is wrong.
    fn receive(&self, request: &Object) -> Result<Box<dyn Case>, FieldError> {
        refuse_misnamed(request, &self.guarded_fields())?;
        self.open(request)
    }

    /// The schema of the question (without `agent`).
    fn question_schema(&self) -> Value;

    /// The schema of the finding.
    fn finding_schema(&self, generator: &mut SchemaGenerator) -> Schema;

    /// The bytes of evidence that the judge keeps; see [`Judge::kept`].
    fn kept(&self, sha256: &[u8; 32]) -> Option<Vec<u8>>;

    /// The description of a receipt for its page; see [`Judge::section`].
    fn section(&self, receipt: &Json) -> Option<String>;

    /// The picture of a receipt; see [`Judge::drawing`].
    fn drawing(&self, receipt: &Json) -> Option<String>;

    /// Returns true if the judge still has this evidence; see [`Judge::keeps`].
    fn keeps(&self, sha256: &[u8; 32]) -> bool {
        self.kept(sha256).is_some()
    }

    /// Returns true if the receipt can be judged again; see [`Judge::is_replayable`].
    fn is_replayable(&self, receipt: &Json) -> bool {
        let _ = receipt;
        true
    }
}

/// A question together with the judge who will answer it.
pub trait Case: Send + Sync {
    /// The receipt that the question is about; see [`Question::about`].
    fn about(&self) -> Option<ReceiptHash>;

    /// The subject of the question, by which it is counted or remembered; see [`Question::subject_sha256`].
    fn subject_sha256(&self) -> Option<[u8; 32]> {
        None
    }

    /// The receipts that the question names; see [`Question::wanted_receipts`].
    fn wanted_receipts(&self) -> Option<WantedReceipts<'_>> {
        None
    }

    /// The number of units of the price; see [`Question::units`].
    fn units(&self) -> u32;

    /// The estimated cost of judging; see [`Question::cost`].
    fn cost(&self) -> Cost;

    /// Reports an obstacle before anything is paid; see [`Judge::admit`].
    fn admit(&self, at: Timestamp) -> BoxFuture<'_, Result<(), Objection>>;

    /// True if the request may hold secrets; see [`Judge::REDACTS`].
    fn redacts(&self) -> bool {
        false
    }

    /// The form in which a request in canonical form (RFC 8785) is stored; see [`Judge::kept_request`]. `request` is the
    /// one that the question was read from.
    fn kept_request(&self, request: Vec<u8>) -> KeptRequest {
        KeptRequest::as_sent(request)
    }

    /// Judges the question; see [`Judge::judge`].
    fn judge(&self, context: JudgeContext) -> BoxFuture<'_, Result<Ruling, Unavailable>>;

    /// Judges the question again from preserved evidence; see [`Judge::replay`].
    ///
    /// # Errors
    ///
    /// A piece of the evidence is missing.
    fn replay(&self, evidence: &[EvidenceBlob], at: Timestamp) -> Result<Object, EvidenceMissing>;
}

struct JudgeCase<J: Judge> {
    judge: Arc<J>,
    question: J::Question,
}

impl<J: Judge> AnyJudge for Arc<J> {
    fn open(&self, request: &Object) -> Result<Box<dyn Case>, FieldError> {
        let question = J::Question::read(&Fields::root(request))?;
        Ok(Box::new(JudgeCase { judge: Arc::clone(self), question }))
    }

    fn guarded_fields(&self) -> Vec<&'static dyn AnyField> {
        J::Question::TABLE.guarded_fields()
    }

    fn effect_kind(&self) -> EffectKind {
        J::EFFECT
    }

    fn question_schema(&self) -> Value {
        J::Question::TABLE.schema()
    }

    fn finding_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<J::Finding>()
    }

    fn kept(&self, sha256: &[u8; 32]) -> Option<Vec<u8>> {
        J::kept(self, sha256)
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        J::section(self, receipt)
    }

    fn drawing(&self, receipt: &Json) -> Option<String> {
        J::drawing(self, receipt)
    }

    fn keeps(&self, sha256: &[u8; 32]) -> bool {
        J::keeps(self, sha256)
    }

    fn is_replayable(&self, receipt: &Json) -> bool {
        J::is_replayable(self, receipt)
    }
}

impl<J: Judge> Case for JudgeCase<J> {
    fn about(&self) -> Option<ReceiptHash> {
        self.question.about()
    }

    fn subject_sha256(&self) -> Option<[u8; 32]> {
        self.question.subject_sha256()
    }

    fn wanted_receipts(&self) -> Option<WantedReceipts<'_>> {
        self.question.wanted_receipts()
    }

    fn units(&self) -> u32 {
        self.question.units()
    }

    fn cost(&self) -> Cost {
        self.question.cost()
    }

    fn admit(&self, at: Timestamp) -> BoxFuture<'_, Result<(), Objection>> {
        Box::pin(self.judge.admit(&self.question, at))
    }

    fn redacts(&self) -> bool {
        J::REDACTS
    }

    fn kept_request(&self, request: Vec<u8>) -> KeptRequest {
        if !J::REDACTS {
            return KeptRequest::as_sent(request);
        }
        // What is not an object was not read as a question, and is not stored.
        let sent = parse(&request).ok().and_then(|sent| sent.as_object().cloned()).unwrap_or_default();
        let kept = Json::Object(self.judge.kept_request(&self.question, &sent)).canonical();
        if kept == request {
            KeptRequest::as_sent(kept)
        } else {
            KeptRequest::redacted(kept, sha256(&request))
        }
    }

    fn judge(&self, context: JudgeContext) -> BoxFuture<'_, Result<Ruling, Unavailable>> {
        Box::pin(async move {
            let EvidencedFinding { finding, evidence } = self.judge.judge(&self.question, context).await?;
            let effect = self.judge.effect(&self.question, &finding);
            Ok(Ruling { finding: flat(&finding).ok_or_else(shapeless)?, evidence, effect })
        })
    }

    fn replay(&self, evidence: &[EvidenceBlob], at: Timestamp) -> Result<Object, EvidenceMissing> {
        let finding = self.judge.replay(&self.question, evidence, at)?;
        flat(&finding).ok_or_else(|| EvidenceMissing("the finding is not an object".to_owned()))
    }
}

/// The finding as an object; `None` where it breaks the contract of [`Judge`]: it is no object, or has a number that JSON
/// cannot hold exactly. That is a mistake in the judge, which must not stop the service.
fn flat<F: serde::Serialize>(finding: &F) -> Option<Object> {
    match from_serialize(finding) {
        Ok(Json::Object(members)) => Some(members),
        _ => None,
    }
}

fn shapeless() -> Unavailable {
    Unavailable { module: "notary", retry_after_s: 60, detail: "the finding cannot be signed".to_owned() }
}

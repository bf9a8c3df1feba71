//! What a judge is.

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use receipt::hash::ReceiptHash;
use receipt::json::Json;
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Effect, EffectKind, EvidenceMissing, FieldError, Fields, Member, Objection, Unavailable};

/// A question, parsed and bounded at the edge; a judge never checks it again.
///
/// The schema describes the same fields to callers; `agent` belongs to the pipeline and is in neither.
pub trait Question: JsonSchema + Sized + Send + Sync + 'static {
    /// The members that it takes, where one that was most likely meant for them is to be refused. A judge whose good
    /// verdict says that nothing was found needs that: what was not read was not looked for.
    const MEMBERS: &'static [Member] = &[];

    /// Reads the question from the request.
    ///
    /// # Errors
    /// The first field that is wrong.
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError>;

    /// The receipt that the question is about: the one that it disputes, or says that it takes the place of.
    fn about(&self) -> Option<ReceiptHash> {
        None
    }

    /// How many times its route's price it costs: the entities of a batch.
    fn units(&self) -> u32 {
        1
    }

    /// What judging it takes, by estimate. The service gives turns by it.
    fn cost(&self) -> Cost {
        Cost::None
    }
}

/// What judging a question takes, so that the service can give turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// Under a millisecond of processor time, whatever is waited for: it is judged where the request is served.
    None,
    /// Processor time of one core: it is judged on a thread that may be held up for so long.
    Processor(Duration),
    /// Many questions to servers of others' at once, which take of what all looks share.
    Look,
}

impl Cost {
    /// Processor time in microseconds; none where it is under a millisecond.
    #[must_use]
    pub fn micros(micros: u64) -> Self {
        if micros < 1000 { Self::None } else { Self::Processor(Duration::from_micros(micros)) }
    }
}

/// When, and how urgently, a question is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JudgeContext {
    /// The time of day.
    pub at: Timestamp,
    /// Whether the caller was granted the places that are reserved where things are looked up.
    pub has_priority: bool,
}

impl From<Timestamp> for JudgeContext {
    fn from(at: Timestamp) -> Self {
        Self { at, has_priority: false }
    }
}

/// A piece of what a judge looked at, kept for replays under the SHA-256 of its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvidenceBlob {
    role: Cow<'static, str>,
    content: Content,
}

/// Where the bytes are.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Content {
    /// With the receipt.
    Bytes(Vec<u8>),
    /// With the [judge](Judge::kept), under their SHA-256.
    Kept([u8; 32]),
}

impl EvidenceBlob {
    /// The bytes as they were looked at.
    #[must_use]
    pub fn new(role: impl Into<Cow<'static, str>>, bytes: Vec<u8>) -> Self {
        Self { role: role.into(), content: Content::Bytes(bytes) }
    }

    /// What many receipts share, and the [judge keeps](Judge::kept) itself: a published list.
    #[must_use]
    pub fn kept(role: impl Into<Cow<'static, str>>, sha256: [u8; 32]) -> Self {
        Self { role: role.into(), content: Content::Kept(sha256) }
    }

    /// What it is to the judge: `body`, `list`, ...
    #[must_use]
    pub fn role(&self) -> &str {
        &self.role
    }

    /// The bytes, unless the judge keeps them.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes),
            Content::Kept(_) => None,
        }
    }

    /// The address of the blob: lowercase hex in findings, raw bytes in the store.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        match &self.content {
            Content::Bytes(bytes) => receipt::hash::sha256(bytes),
            Content::Kept(sha256) => *sha256,
        }
    }
}

/// A finding with the evidence that it was found on.
#[derive(Clone, Debug)]
pub struct Judged<F> {
    /// What was found.
    pub finding: F,
    /// What was looked at and is not part of the request.
    pub evidence: Vec<EvidenceBlob>,
}

/// One field's judge.
///
/// A finding serializes to an object with `verdict`, `evidence`, `scope` and `method` among its members;
/// they stand at the top level of the receipt.
pub trait Judge: Send + Sync + 'static {
    /// What it is asked.
    type Question: Question;
    /// What it finds.
    type Finding: Serialize + JsonSchema + Send + 'static;

    /// Says what is in the way of a question that is well formed, before anything is paid or counted for it.
    fn admit(
        &self,
        question: &Self::Question,
        at: Timestamp,
    ) -> impl Future<Output = Result<(), Objection>> + Send {
        let _ = (question, at);
        std::future::ready(Ok(()))
    }

    /// The kind of effect that each ruling of this judge has.
    const EFFECT: EffectKind = EffectKind::None;

    /// The effect of a finding, of the kind that [`EFFECT`](Self::EFFECT) names.
    fn effect(&self, question: &Self::Question, finding: &Self::Finding) -> Option<Effect> {
        let _ = (question, finding);
        None
    }

    /// Looks and finds. The same question over the same evidence at the same time gives the same finding.
    fn judge(
        &self,
        question: &Self::Question,
        context: JudgeContext,
    ) -> impl Future<Output = Result<Judged<Self::Finding>, Unavailable>> + Send;

    /// Finds again from preserved evidence, without looking anywhere.
    ///
    /// # Errors
    /// A piece of the evidence is not there.
    fn replay(
        &self,
        question: &Self::Question,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<Self::Finding, EvidenceMissing>;

    /// The bytes of [evidence that the judge keeps](EvidenceBlob::kept), where it still has them.
    fn kept(&self, sha256: &[u8; 32]) -> Option<Vec<u8>> {
        let _ = sha256;
        None
    }

    /// Whether the judge still has [evidence that it keeps](EvidenceBlob::kept). It is asked for nothing, so it must cost
    /// next to nothing; a judge that keeps much says so without reading it.
    fn keeps(&self, sha256: &[u8; 32]) -> bool {
        self.kept(sha256).is_some()
    }

    /// Whether [`replay`](Self::replay) can come to a finding where all evidence behind one of this judge's receipts is
    /// kept: whether all that decided was kept in the first place, as the receipt itself says.
    fn is_replayable(&self, receipt: &Json) -> bool {
        let _ = receipt;
        true
    }

    /// What the receipt's page says of this judge's receipts in words: an HTML fragment, escaped, without
    /// script. `None` where the page's own words will do.
    fn section(&self, receipt: &Json) -> Option<String> {
        let _ = receipt;
        None
    }

    /// A picture of one of this judge's receipts: an SVG document of bounded size, drawn from the receipt alone,
    /// escaped, without script, links, or anything that is loaded. Its style names nothing but itself, since the
    /// receipt's page has it as it is. `None` where there is nothing to draw.
    fn drawing(&self, receipt: &Json) -> Option<String> {
        let _ = receipt;
        None
    }
}

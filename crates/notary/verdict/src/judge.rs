//! The traits and types that a judge is made of.

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use receipt::hash::ReceiptHash;
use receipt::json::Json;
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Effect, EffectKind, EvidenceMissing, FieldError, Fields, Objection, Table, Unavailable};

/// A question, parsed and bounded at the edge; a judge never checks it again.
///
/// `agent` belongs to the pipeline, so neither the table nor the reader has it.
pub trait Question: Sized + Send + Sync + 'static {
    /// The fields that the question takes, as they are published. The table of a judge whose good verdict says that
    /// nothing was found must [refuse misnamed members](Table::refusing_misnamed): a member that was not read was not
    /// searched for.
    const TABLE: Table;

    /// Reads the question from the request.
    ///
    /// # Errors
    /// The first field that is wrong.
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError>;

    /// The receipt that the question is about: the receipt that it disputes or replaces.
    fn about(&self) -> Option<ReceiptHash> {
        None
    }

    /// The number of units of the route's price that the question costs, such as the entities of a batch.
    fn units(&self) -> u32 {
        1
    }

    /// The estimated cost of judging the question. The service schedules its work by this estimate.
    fn cost(&self) -> Cost {
        Cost::None
    }
}

/// The estimated cost of judging a question, by which the service schedules its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// Under a millisecond of processor time, not counting waits: it is judged on the thread that serves the request.
    None,
    /// Processor time of one core: it is judged on a separate thread, which may be busy for that long.
    Processor(Duration),
    /// Many simultaneous queries to other parties' servers, from a capacity that all such look-ups share.
    Look,
}

impl Cost {
    /// A processor time in microseconds; [`None`](Self::None) where it is under a millisecond.
    #[must_use]
    pub fn micros(micros: u64) -> Self {
        if micros < 1000 { Self::None } else { Self::Processor(Duration::from_micros(micros)) }
    }
}

/// The time and the priority with which a question is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JudgeContext {
    /// The time of day.
    pub at: Timestamp,
    /// True where the caller was granted the reserved places for look-ups.
    pub has_priority: bool,
}

impl From<Timestamp> for JudgeContext {
    fn from(at: Timestamp) -> Self {
        Self { at, has_priority: false }
    }
}

/// A piece of evidence that a judge looked at, kept for replays under the SHA-256 of its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvidenceBlob {
    role: Cow<'static, str>,
    content: BlobContent,
}

/// The storage of a blob's bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
enum BlobContent {
    /// The bytes are stored with the receipt.
    Bytes(Vec<u8>),
    /// The [judge](Judge::kept) keeps the bytes, under their SHA-256.
    Kept([u8; 32]),
}

impl EvidenceBlob {
    /// Makes a blob from the bytes that the judge looked at.
    #[must_use]
    pub fn new(role: impl Into<Cow<'static, str>>, bytes: Vec<u8>) -> Self {
        Self { role: role.into(), content: BlobContent::Bytes(bytes) }
    }

    /// Makes a blob that many receipts share and the [judge keeps](Judge::kept) itself, such as a published list.
    #[must_use]
    pub fn kept(role: impl Into<Cow<'static, str>>, sha256: [u8; 32]) -> Self {
        Self { role: role.into(), content: BlobContent::Kept(sha256) }
    }

    /// The role of the evidence for the judge: `body`, `list`, ...
    #[must_use]
    pub fn role(&self) -> &str {
        &self.role
    }

    /// The bytes, unless the judge keeps them.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            BlobContent::Bytes(bytes) => Some(bytes),
            BlobContent::Kept(_) => None,
        }
    }

    /// The SHA-256 of the bytes, which addresses the blob: lowercase hex in findings, raw bytes in the store.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        match &self.content {
            BlobContent::Bytes(bytes) => receipt::hash::sha256(bytes),
            BlobContent::Kept(sha256) => *sha256,
        }
    }
}

/// A finding with the evidence that it was found on.
#[derive(Clone, Debug)]
pub struct EvidencedFinding<F> {
    /// The finding.
    pub finding: F,
    /// The evidence that is not part of the request.
    pub evidence: Vec<EvidenceBlob>,
}

/// A judge of one field: it answers one type of question with one type of finding.
///
/// A finding serializes to an object with `verdict`, `evidence`, `scope` and `method` among its members;
/// they stand at the top level of the receipt.
pub trait Judge: Send + Sync + 'static {
    /// The type of the judge's questions.
    type Question: Question;
    /// The type of the judge's findings.
    type Finding: Serialize + JsonSchema + Send + 'static;

    /// Reports an obstacle to a well-formed question, before anything is paid or counted for it.
    fn admit(
        &self,
        question: &Self::Question,
        at: Timestamp,
    ) -> impl Future<Output = Result<(), Objection>> + Send {
        let _ = (question, at);
        std::future::ready(Ok(()))
    }

    /// The kind of effect that all rulings of this judge have.
    const EFFECT: EffectKind = EffectKind::None;

    /// The effect of a finding, of the kind that [`EFFECT`](Self::EFFECT) names.
    fn effect(&self, question: &Self::Question, finding: &Self::Finding) -> Option<Effect> {
        let _ = (question, finding);
        None
    }

    /// Judges a question. The same question, evidence and time always give the same finding.
    fn judge(
        &self,
        question: &Self::Question,
        context: JudgeContext,
    ) -> impl Future<Output = Result<EvidencedFinding<Self::Finding>, Unavailable>> + Send;

    /// Repeats the judgement from preserved evidence, without reading any other source.
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

    /// Returns true if the judge still has [evidence that it keeps](EvidenceBlob::kept). Callers pay nothing for this
    /// check, so it must be cheap: a judge that keeps large evidence answers without reading it.
    fn keeps(&self, sha256: &[u8; 32]) -> bool {
        self.kept(sha256).is_some()
    }

    /// Returns true if [`replay`](Self::replay) can reach a finding from the stored evidence of this receipt: all
    /// evidence that decided the verdict was stored in the first place, as the receipt itself says.
    fn is_replayable(&self, receipt: &Json) -> bool {
        let _ = receipt;
        true
    }

    /// The description of this judge's receipts for the receipt's page: an HTML fragment, escaped, without script.
    /// `None` where the page's own words will do.
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

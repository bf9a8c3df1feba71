//! The traits and types that a judge is made of.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use receipt::hash::ReceiptHash;
use receipt::json::{Json, Object};
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    AgentName, Effect, EffectKind, EvidenceMissing, FieldError, Fields, JudgedBefore, Memory, Objection,
    Table, Unavailable,
};

/// A question, parsed and bounded at the edge; a judge never checks it again.
///
/// The schema describes the same fields to callers; `agent` belongs to the pipeline and is in neither.
pub trait Question: Sized + Send + Sync + 'static {
    /// The members that the question takes; a request with a misnamed one is refused. A judge whose good verdict says
    /// that nothing was found must list them: it would not cover a member that the question did not read.
    const TABLE: Table;

    /// Reads the question from the request.
    ///
    /// # Errors
    /// The first field that is wrong.
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError>;

    /// The receipt that the question disputes or replaces; `None` where it is about no receipt.
    fn about(&self) -> Option<ReceiptHash> {
        None
    }

    /// SHA-256 that identifies the subject of the question, where the ledger [counts](EffectKind::Count) how often a subject
    /// was judged, or keeps a [memory](EffectKind::Remember) of it; `None` where it has none.
    fn subject_sha256(&self) -> Option<[u8; 32]> {
        None
    }

    /// The receipts that the question names, which the service reads for the judge; `None` where it names none.
    fn wanted_receipts(&self) -> Option<WantedReceipts<'_>> {
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

/// The most receipts that a question may [name](Question::wanted_receipts).
pub const MAX_WANTED_RECEIPTS: usize = 2_000;

/// Receipts of one class that a question names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WantedReceipts<'a> {
    /// The class of the receipts.
    pub class: &'static str,
    /// The hashes of the receipts, at most [`MAX_WANTED_RECEIPTS`].
    pub hashes: &'a [ReceiptHash],
}

/// The receipts that a question names, as the ledger has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedReceipts {
    /// The agent that asks.
    pub agent: AgentName,
    /// The canonical payloads (RFC 8785) in the order of the hashes; `None` for a receipt that the log does not have, or
    /// that is too long to be one of the class. A payload may be of another class or agent: the judge checks that.
    pub payloads: Vec<Option<Vec<u8>>>,
    /// The receipts of the class that were counted for the agent; see [`EffectKind::Count`].
    pub of_agent: u64,
}

/// The estimated cost of judging a question, which the service uses to schedule its work.
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

/// The time and the priority with which a question is judged, and what the ledger knows of earlier receipts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgeContext {
    /// The time of the judgement.
    pub at: Timestamp,
    /// True if the caller may use the reserved slots for look-ups.
    pub has_priority: bool,
    /// The earlier receipts of the class; `None` where nobody [counts](EffectKind::Count) them, as in a command without a
    /// ledger. A judge that uses the numbers must keep them as evidence.
    pub judged_before: Option<JudgedBefore>,
    /// The memory that an earlier ruling of the class has stored of the question's subject; `None` where there is none, as
    /// in a command without a ledger. A judge that uses it must keep it as evidence.
    pub memory: Option<Memory>,
    /// The receipts that the question [names](Question::wanted_receipts); `None` where it names none, or where there is no
    /// ledger. A judge that uses them must keep what it used as evidence.
    pub named_receipts: Option<Arc<NamedReceipts>>,
}

impl From<Timestamp> for JudgeContext {
    fn from(at: Timestamp) -> Self {
        Self { at, has_priority: false, judged_before: None, memory: None, named_receipts: None }
    }
}

/// A piece of evidence that a judge looked at, kept for replays under the SHA-256 of its bytes.
///
/// # Examples
/// A document is stored with the receipt. A list that many receipts share is kept by the judge, and named by its hash.
///
/// ```
/// use receipt::hash::sha256;
/// use verdict::EvidenceBlob;
///
/// let list = b"a published list";
/// let evidence = [
///     EvidenceBlob::new("body", br#"{"price": 1.10}"#.to_vec()),
///     EvidenceBlob::kept("list", sha256(list)),
/// ];
/// let body = evidence.iter().find(|blob| blob.role() == "body").and_then(EvidenceBlob::bytes);
/// assert_eq!(body, Some(&br#"{"price": 1.10}"#[..]));
/// assert_eq!(evidence[1].bytes(), None, "the judge has the bytes");
/// assert_eq!(evidence[1].sha256(), sha256(list));
/// ```
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
    /// Makes a blob from the bytes of the evidence. `role` is its role for the judge, such as `body` or `list`.
    #[must_use]
    pub fn new(role: impl Into<Cow<'static, str>>, bytes: Vec<u8>) -> Self {
        Self { role: role.into(), content: BlobContent::Bytes(bytes) }
    }

    /// Makes a blob whose bytes the [judge keeps](Judge::kept) itself, such as a published list that many receipts
    /// share.
    #[must_use]
    pub fn kept(role: impl Into<Cow<'static, str>>, sha256: [u8; 32]) -> Self {
        Self { role: role.into(), content: BlobContent::Kept(sha256) }
    }

    /// The role of the evidence for the judge: `body`, `list`, ...
    #[must_use]
    pub fn role(&self) -> &str {
        &self.role
    }

    /// The bytes; `None` where the judge keeps them.
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
/// A finding serializes to an object with `verdict`, `evidence`, `scope` and `method` among its members; these members
/// are at the top level of the receipt.
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

    /// The effect of a finding, of the kind of [`EFFECT`](Self::EFFECT); `None` for a finding without one.
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
    /// A piece of the evidence is missing.
    fn replay(
        &self,
        question: &Self::Question,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<Self::Finding, EvidenceMissing>;

    /// True if requests may hold secrets: each is then stored in the form of [`kept_request`](Self::kept_request).
    const REDACTS: bool = false;

    /// The form in which a request is stored, in which every secret is replaced; asked for only where
    /// [`REDACTS`](Self::REDACTS) is set. Where it differs from `request`, the receipt says so, and a dispute of it must
    /// bring the request as it was sent. Members of `request` that the question does not read must be left out: nobody
    /// has looked for secrets in them.
    fn kept_request(&self, question: &Self::Question, request: &Object) -> Object {
        let _ = question;
        request.clone()
    }

    /// The bytes of [evidence that the judge keeps](EvidenceBlob::kept) with this SHA-256; `None` where it does not
    /// have them any more.
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
    /// `None` where the general description of the page suffices.
    fn section(&self, receipt: &Json) -> Option<String> {
        let _ = receipt;
        None
    }

    /// A picture of one of this judge's receipts: an SVG document of bounded size, drawn from the receipt alone,
    /// escaped, without script, links, or anything that is loaded. Its style rules must apply only to the picture,
    /// because the receipt's page contains it unchanged. `None` where there is no picture.
    fn drawing(&self, receipt: &Json) -> Option<String> {
        let _ = receipt;
        None
    }
}

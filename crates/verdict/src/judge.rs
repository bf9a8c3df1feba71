//! What a judge is.

use std::borrow::Cow;
use std::future::Future;

use receipt::hash::ReceiptHash;
use receipt::json::Json;
use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{EvidenceMissing, FieldError, Fields, Objection, Unavailable};

/// A question, parsed and bounded at the edge; a judge never checks it again.
///
/// The schema describes the same fields to callers; `agent` belongs to the desk and is in neither.
pub trait Question: JsonSchema + Sized + Send + Sync + 'static {
    /// Reads the question from the request.
    ///
    /// # Errors
    /// The first field that is wrong.
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError>;

    /// The receipt that the question is about: the one that it disputes, or says that it takes the place of.
    fn about(&self) -> Option<ReceiptHash> {
        None
    }
}

/// When, and how urgently, a question is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sitting {
    /// The time of day.
    pub at: Timestamp,
    /// Whether the caller was granted the places that are reserved where things are looked up.
    pub has_priority: bool,
}

impl From<Timestamp> for Sitting {
    fn from(at: Timestamp) -> Self {
        Self { at, has_priority: false }
    }
}

/// A piece of what a judge looked at, kept for replays under the SHA-256 of its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvidenceBlob {
    /// What it is to the judge: `body`, `list`, ...
    pub role: Cow<'static, str>,
    /// The bytes as they were looked at.
    pub bytes: Vec<u8>,
}

impl EvidenceBlob {
    /// The address of the blob: lowercase hex in findings, raw bytes in the store.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        receipt::hash::sha256(&self.bytes)
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

    /// Looks and finds. The same question over the same evidence at the same time gives the same finding.
    fn judge(
        &self,
        question: &Self::Question,
        sitting: Sitting,
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

    /// What the receipt's page says of this judge's receipts in words: an HTML fragment, escaped, without
    /// script. `None` where the page's own words will do.
    fn section(&self, receipt: &Json) -> Option<String> {
        let _ = receipt;
        None
    }
}

//! Effects of a ruling beyond its receipt.
//!
//! A judge decides and the notary acts: an effect is a value that the judge hands over with its finding, and the ledger
//! carries it out in the transaction that logs the receipt. A paid ruling is stored with its effect before any money moves,
//! so the code that delivers it later need not derive the effect from the finding.

use receipt::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The effect of a ruling beyond its receipt. A ruling has at most one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Effect {
    /// The ledger opens a watch.
    OpenWatch(OpenWatch),
    /// The ledger ends the dispute that the receipt decides.
    EndDispute(EndDispute),
    /// The ledger counts the receipt for its agent, and for the subject of its question.
    Count(CountJudged),
    /// The ledger stores a memory of the subject of the question.
    Remember(Remember),
}

/// The kind of [`Effect`] that all rulings of a judge have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EffectKind {
    /// A ruling has no effect beyond its receipt.
    #[default]
    None,
    /// Each ruling opens a watch. Its answer contains a secret, which only the payer receives.
    OpenWatch,
    /// Each ruling ends a dispute, whose price is held as a bond.
    EndDispute,
    /// Each ruling is counted for its agent and its subject. The judge is told the [counts so far](JudgedBefore).
    Count,
    /// A ruling may store a memory of its subject. The judge is told the [memory so far](Memory).
    Remember,
}

/// A ruling that is counted, so that later receipts of its class can say how often the agent and the subject were judged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountJudged {
    /// SHA-256 of the [subject](crate::Question::subject_sha256) in lowercase hexadecimal; `None` where the question has
    /// none.
    pub subject: Option<String>,
}

/// The number of receipts of one class that the ledger has counted before a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JudgedBefore {
    /// The receipts of the caller's agent.
    pub agent: u64,
    /// The receipts of any agent about the same subject; `None` where the question has no subject.
    pub subject: Option<u64>,
}

/// The most bytes of a memory.
pub const MAX_MEMORY_BYTES: usize = 2048;

/// A memory that a ruling stores for later rulings of its class on the same subject. It replaces the memory before it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// SHA-256 of the [subject](crate::Question::subject_sha256) in lowercase hexadecimal.
    pub subject: String,
    /// A text that only judges of the class read, of at most [`MAX_MEMORY_BYTES`] bytes. A longer one is an error of the
    /// judge: it is not stored, and the receipt is issued without it.
    pub memory: String,
}

/// The memory of a subject that the newest receipt of a class with one has stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    /// The text, as the judge made it.
    pub text: String,
    /// The time of the receipt's signature.
    pub at: Timestamp,
}

/// A watch that begins: the question is screened again at each new edition of its lists.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenWatch {
    /// SHA-256 of the watch's id, in lowercase hexadecimal; the ledger looks the watch up with it.
    pub sha256: String,
    /// The end of the watch.
    pub until: Timestamp,
    /// The https address that changes are sent to; `None` where there is none.
    pub webhook: Option<String>,
    /// The class of the judge that screens the question again.
    pub class: String,
    /// The first screening.
    pub screening: ScreeningResult,
}

/// One screening of a watched question: its verdict, and the edition of the lists that it was screened against.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScreeningResult {
    /// The verdict of the judge that screened the question.
    pub verdict: String,
    /// The ids of the lists' snapshots.
    pub snapshots: Vec<String>,
    /// The time of the screening.
    pub at: Timestamp,
}

/// The end of a dispute. The ledger derives from it who is paid what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndDispute {
    /// The result of judging the disputed receipt again.
    pub outcome: DisputeOutcome,
    /// The account for the refund, as a 20-byte address. With `None` the refund goes to the payer of the bond.
    pub refund_to: Option<[u8; 20]>,
}

/// The result of judging a disputed receipt again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeOutcome {
    /// The judge reached the same verdict on the same evidence.
    Upheld,
    /// The judge reached another verdict on the same evidence.
    Overturned,
    /// There is no verdict: the evidence is missing, or the judging did not end.
    Inconclusive,
}

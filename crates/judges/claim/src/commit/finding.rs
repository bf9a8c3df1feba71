//! The finding of the judge, member by member as it stands in the receipt.

use std::borrow::Cow;

use receipt::hash::ReceiptHash;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::Timestamp;

use super::question::{CommitQuestion, Content, ContentHash};

/// Name and version of the rules in this module, as findings state them.
pub const METHOD: &str = "commit/1";

const CONTENT_SCOPE: &str = "This receipt says that a caller under this agent name handed in the content of this \
    hash by the time signed; it does not say who wrote the content, whether it is true, or who stands behind the \
    name.";

const HASH_SCOPE: &str = "This receipt says that a caller under this agent name handed in this hash by the time \
    signed; the notary has not seen the content, and the receipt does not say that there is any, who wrote it, \
    whether it is true, or who stands behind the name.";

/// The verdict on what was handed in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum CommitVerdict {
    /// It was handed in.
    Committed,
}

/// The finding of `POST /commit`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct CommitFinding {
    /// The verdict.
    pub verdict: CommitVerdict,
    /// The hash committed to: `sha256:` and lowercase hex, of the content's canonical form (RFC 8785) where the
    /// content was handed in.
    #[schemars(with = "String", regex(pattern = "^sha256:[0-9a-f]{64}$"))]
    pub content_hash: ContentHash,
    /// True if the content was handed in, and is kept.
    pub content_kept: bool,
    /// The caller's name for the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The hash of the receipt that this one replaces, as the caller says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", regex(pattern = "^[0-9a-f]{64}$"))]
    pub supersedes: Option<ReceiptHash>,
    /// The evidence that the finding rests on.
    pub evidence: CommitEvidence,
    /// A sentence that says what was handed in.
    pub explanation: String,
    /// The claims that this receipt makes, and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// The evidence that the finding rests on; `kind` tells the two apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CommitEvidence {
    /// The content.
    Content {
        /// When it was handed in.
        #[schemars(with = "String")]
        received_at: Timestamp,
        /// The SHA-256 of its canonical form (RFC 8785), in lowercase hex.
        sha256: String,
        /// The length of that form in bytes.
        bytes: u64,
    },
    /// The hash, and nothing that it could be compared with.
    ContentHash {
        /// When it was handed in.
        #[schemars(with = "String")]
        received_at: Timestamp,
    },
}

/// Finds on what was handed in.
pub(super) fn find(question: &CommitQuestion, at: Timestamp) -> CommitFinding {
    let (evidence, scope) = match question.content {
        Content::Given { hash, bytes } => {
            let sha256 = hex::encode(hash.0);
            (CommitEvidence::Content { received_at: at, sha256, bytes }, CONTENT_SCOPE)
        }
        Content::HashOnly(_) => (CommitEvidence::ContentHash { received_at: at }, HASH_SCOPE),
    };
    let content_hash = question.content.hash();
    let what = match question.content {
        Content::Given { bytes, .. } => format!("A content of {bytes} bytes with the hash {content_hash}"),
        Content::HashOnly(_) => format!("The hash {content_hash}, without its content,"),
    };
    CommitFinding {
        verdict: CommitVerdict::Committed,
        explanation: format!("{what} was handed in by then. Nobody looked at what it says."),
        content_hash,
        content_kept: matches!(question.content, Content::Given { .. }),
        label: question.label.clone(),
        supersedes: question.supersedes,
        evidence,
        scope: scope.into(),
        method: METHOD.into(),
    }
}

//! What was asked of a source and what came back, as a receipt states it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use verdict::Timestamp;

/// What was asked of a source, and what came back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SourceRecord {
    /// The name of the source, such as `edgar`.
    pub source: String,
    /// The kind of document, such as `company_facts`.
    pub document: String,
    /// The request as it was sent: the method and the address, without the operator's own part of it.
    pub request: String,
    /// The body of the request, as it was sent; absent where it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// Time of the answer.
    #[schemars(with = "String")]
    pub retrieved_at: Timestamp,
    /// The HTTP status: 200, or 404 where the source has no such document.
    pub status: u16,
    /// The SHA-256 of the answer's body.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// Length of the answer's body in bytes.
    pub bytes: u64,
    /// The value of the answer's `ETag`; absent where it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The value of the answer's `Last-Modified`; absent where it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// The SHA-256 of what is kept of the answer as evidence: the body, or the extract in canonical form; absent after 404.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_sha256: Option<String>,
    /// Age of the answer in whole seconds at the time of the judgement.
    pub age_s: u64,
    /// True if the source has more than it gave, or than is listed.
    pub truncated: bool,
    /// True if the source could not be asked again and an older answer serves.
    pub stale: bool,
}

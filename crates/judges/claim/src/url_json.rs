//! The `url_json` resolver: a record of the fetch, and what is found on it.
//!
//! [`find`] is pure and serves the judge and the replay alike, so that both say the same to the byte: what
//! the network did is in the [`FetchRecord`] and the body, and nowhere else.

use fetch::Fetched;
use receipt::hash::sha256;
use receipt::json::{Json, JsonErrorKind, parse_lenient};
use serde::{Deserialize, Serialize};
use verdict::{EvidenceBlob, EvidenceMissing, EvidencedFinding, Timestamp};

use crate::compare::{FoundValue, matches};
use crate::finding::{ClaimFinding, Decision, Evidence, Hop, HttpEvidence, ResolverType};
use crate::path::PathMiss;
use crate::question::UrlJson;

/// Maximum size of a body that is kept for disputes, in bytes. A larger body decides nothing; else a source could
/// prevent a second judgement by padding its document.
pub const KEPT_BODY_BYTES: usize = 1 << 20;

/// The role of the blob that holds the [`FetchRecord`].
const RECORD: &str = "fetch";
/// The reasons for which nothing is decided, although an answer came.
const HTTP_STATUS: &str = "http_status";
const TOO_LARGE_TO_KEEP: &str = "too_large_to_keep";

/// The role of the blob that holds the body.
const BODY: &str = "body";

const SCOPE: &str = "This verdict says whether the value at the path in the JSON document that the address \
    gave at the time stated equalled the expected text; it does not say that the document is true, who \
    stands behind it, or that the address gives the same at another time or to another caller.";

/// The result of fetching the address: the `fetch` blob, as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
enum FetchRecord {
    /// There was no answer: the policy refused the address, or the source could not be read.
    NoAnswer {
        /// The stable code of the refusal or the failure.
        reason: String,
    },
    /// The source answered, and the body is kept as evidence.
    Answer(UrlResponse),
    /// The source answered with a body too large to be kept. Evidence from before this variant existed has such a body
    /// as an [`Answer`](Self::Answer) without a kept body.
    TooLargeToKeep(UrlResponse),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct UrlResponse {
    final_url: String,
    hops: Vec<Hop>,
    peer_address: String,
    tls_version: Option<String>,
    status: u16,
    content_type: Option<String>,
    body_sha256: String,
    body_bytes: u64,
    wire_bytes: u64,
    /// The time of the fetch in milliseconds: of interest to an operator, and no part of any finding.
    elapsed_ms: u64,
}

impl FetchRecord {
    fn answered(fetched: &Fetched) -> Self {
        let hop = |hop: &fetch::Hop| Hop {
            url: hop.url.clone(),
            status: hop.status,
            peer_address: hop.peer.to_string(),
        };
        let is_kept = fetched.body.len() <= KEPT_BODY_BYTES;
        let answer = UrlResponse {
            final_url: fetched.final_url.clone(),
            hops: fetched.hops.iter().map(hop).collect(),
            peer_address: fetched.peer.to_string(),
            tls_version: fetched.tls.map(|tls| tls.version.to_owned()),
            status: fetched.status,
            content_type: fetched.content_type.clone(),
            body_sha256: hex::encode(sha256(&fetched.body)),
            body_bytes: fetched.body.len() as u64,
            wire_bytes: fetched.wire_bytes,
            elapsed_ms: u64::try_from(fetched.elapsed.as_millis()).unwrap_or(u64::MAX),
        };
        if is_kept { Self::Answer(answer) } else { Self::TooLargeToKeep(answer) }
    }

    /// The blob that a replay reads this from.
    fn to_blob(&self) -> EvidenceBlob {
        let bytes = serde_json::to_vec(self).expect("a record is strings and numbers under string keys");
        EvidenceBlob::new(RECORD, bytes)
    }
}

/// Finds on what was fetched, or on the reason why nothing was, and keeps both for a replay.
pub(crate) fn judge(
    claim: &str,
    question: &UrlJson,
    looked: Result<Fetched, &'static str>,
    at: Timestamp,
) -> EvidencedFinding<ClaimFinding> {
    let (record, body) = match looked {
        Ok(fetched) => (FetchRecord::answered(&fetched), Some(fetched.body)),
        Err(reason) => (FetchRecord::NoAnswer { reason: reason.to_owned() }, None),
    };
    let blob = record.to_blob();
    let finding = find(claim, question, record, blob.sha256(), body.as_deref(), at)
        .expect("an answer's body is at hand here");
    let mut evidence = vec![blob];
    if let Some(body) = body.filter(|body| body.len() <= KEPT_BODY_BYTES) {
        evidence.push(EvidenceBlob::new(BODY, body.into()));
    }
    EvidencedFinding { finding, evidence }
}

/// Finds again on kept evidence. The body is known by its hash, so that no other can take its place.
///
/// # Errors
/// The record is not there or cannot be read, or the finding depends on a body that is not there.
pub(crate) fn replay(
    claim: &str,
    question: &UrlJson,
    evidence: &[EvidenceBlob],
    at: Timestamp,
) -> Result<ClaimFinding, EvidenceMissing> {
    let kept =
        evidence.iter().find(|blob| blob.role() == RECORD).and_then(|blob| Some((blob, blob.bytes()?)));
    let (blob, bytes) = kept.ok_or_else(|| EvidenceMissing("the record of the fetch".to_owned()))?;
    let record: FetchRecord = serde_json::from_slice(bytes)
        .map_err(|_| EvidenceMissing("a record of the fetch that can be read".to_owned()))?;
    let body = match &record {
        FetchRecord::NoAnswer { .. } | FetchRecord::TooLargeToKeep(_) => None,
        FetchRecord::Answer(answer) => evidence
            .iter()
            .find(|blob| blob.role() == BODY && hex::encode(blob.sha256()) == answer.body_sha256),
    };
    find(claim, question, record, blob.sha256(), body.and_then(EvidenceBlob::bytes), at)
}

/// Finds on a record and on the body where there is one at hand.
///
/// # Errors
/// The finding depends on a body that is not at hand.
fn find(
    claim: &str,
    question: &UrlJson,
    record: FetchRecord,
    record_sha256: [u8; 32],
    body: Option<&[u8]>,
    at: Timestamp,
) -> Result<ClaimFinding, EvidenceMissing> {
    let mut evidence = HttpEvidence {
        url: question.url.clone(),
        path: question.path.to_string(),
        expect: question.expect.clone(),
        fetched_at: at,
        record_sha256: hex::encode(record_sha256),
        final_url: None,
        hops: None,
        peer_address: None,
        tls: None,
        tls_version: None,
        status: None,
        content_type: None,
        body_sha256: None,
        body_bytes: None,
        body_kept: None,
        found: None,
    };
    let decision = match record {
        FetchRecord::NoAnswer { reason } => Decision::unresolved(reason),
        FetchRecord::Answer(answer) => {
            let (decision, found) = decide(question, &answer, body)?;
            evidence.body_kept = Some(answer.body_bytes <= KEPT_BODY_BYTES as u64);
            evidence.tell(answer, found);
            decision
        }
        FetchRecord::TooLargeToKeep(answer) => {
            let reason = if is_whole(answer.status) { TOO_LARGE_TO_KEEP } else { HTTP_STATUS };
            evidence.tell(answer, None);
            Decision::unresolved(reason)
        }
    };
    Ok(ClaimFinding::new(claim, ResolverType::UrlJson, decision, Evidence::HttpFetch(evidence), SCOPE))
}

impl HttpEvidence {
    fn tell(&mut self, answer: UrlResponse, found: Option<FoundValue>) {
        self.final_url = Some(answer.final_url);
        self.hops = Some(answer.hops);
        self.peer_address = Some(answer.peer_address);
        self.tls = Some(answer.tls_version.is_some());
        self.tls_version = answer.tls_version;
        self.status = Some(answer.status);
        self.content_type = answer.content_type;
        self.body_sha256 = Some(answer.body_sha256);
        self.body_bytes = Some(answer.body_bytes);
        self.found = found;
    }
}

/// Returns true if a status is that of a whole document: 206 is of a part, and nobody asked for one.
fn is_whole(status: u16) -> bool {
    (200..300).contains(&status) && status != 206
}

/// Returns true if all evidence of a receipt was kept. Of the body that an older receipt was found on it may not have
/// been: its status alone decides where it is not that of a whole document.
pub(crate) fn is_replayable(receipt: &Json) -> bool {
    let evidence = receipt.get("evidence");
    let is_lost =
        evidence.and_then(|evidence| evidence.get("body_kept")).and_then(Json::as_bool) == Some(false);
    !is_lost || receipt.get("reason").and_then(Json::as_str) == Some(HTTP_STATUS)
}

/// The document's tree can be many times its size. It lives and dies within this call, and
/// [`MAX_LARGE_DOCUMENTS`](crate::MAX_LARGE_DOCUMENTS) bounds how many of these there are.
fn decide(
    question: &UrlJson,
    answer: &UrlResponse,
    body: Option<&[u8]>,
) -> Result<(Decision, Option<FoundValue>), EvidenceMissing> {
    let unresolved = |reason| Ok((Decision::unresolved(reason), None));
    if !is_whole(answer.status) {
        return unresolved(HTTP_STATUS);
    }
    let body = body.ok_or_else(|| EvidenceMissing(format!("the body {}", answer.body_sha256)))?;
    let document = match parse_lenient(body) {
        Ok(document) => document,
        Err(error) if error.kind == JsonErrorKind::TooDeep => return unresolved("too_deep"),
        Err(_) => return unresolved("not_json"),
    };
    let value = match question.path.follow(&document) {
        Ok(value) => value,
        Err(PathMiss::Missing) => return unresolved("path_missing"),
        Err(PathMiss::DuplicateKey) => return unresolved("duplicate_key"),
    };
    let decision = match matches(value, &question.expect) {
        Some(true) => Decision::CONFIRMED,
        Some(false) => Decision::REFUTED,
        None => Decision::unresolved("not_scalar"),
    };
    Ok((decision, Some(FoundValue::of(value))))
}

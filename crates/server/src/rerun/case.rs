//! What is replayed: a receipt, and what was preserved behind it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledger::StoredBlob;
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{Json, Object, parse};
use receipt::time::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use verdict::EvidenceBlob;

/// The most bytes of a case as it goes over the pipe: the largest record in base64, and 2 MiB for the names around it.
pub const MAX_CASE_BYTES: usize = ledger::MAX_RECORD_BYTES.div_ceil(3) * 4 + (2 << 20);

/// What is replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// P: the receipt's canonical payload.
    pub payload: Vec<u8>,
    /// The time that the judge was given: a replay at another finds other times.
    pub judged_at: Timestamp,
    /// The request in canonical form, where it is still kept.
    pub request: Option<Vec<u8>>,
    /// The evidence in the judge's order. A blob without bytes is one that is not kept any more.
    pub evidence: Vec<StoredBlob>,
}

/// Why there is nothing to replay.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CaseError {
    /// It is longer than [`MAX_CASE_BYTES`].
    #[error("the case has more than {MAX_CASE_BYTES} bytes")]
    TooLarge,
    /// The text is not a case.
    #[error("not a case: {0}")]
    Malformed(String),
    /// The payload is not one of a receipt.
    #[error("the case's payload is not one of a receipt: {0}")]
    NotAReceipt(&'static str),
}

/// A case on the wire: JSON, bytes in base64.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCase {
    payload: String,
    judged_at: Timestamp,
    request: Option<String>,
    evidence: Vec<WireBlob>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireBlob {
    role: String,
    /// In hexadecimal.
    sha256: String,
    bytes: Option<String>,
}

impl Case {
    /// The JSON that `touchstone rerun` reads.
    ///
    /// # Errors
    /// [`CaseError::TooLarge`].
    pub fn to_json(&self) -> Result<Vec<u8>, CaseError> {
        let base64 = |bytes: &Vec<u8>| STANDARD.encode(bytes);
        let blob = |blob: &StoredBlob| WireBlob {
            role: blob.role.clone(),
            sha256: hex::encode(blob.sha256),
            bytes: blob.bytes.as_ref().map(base64),
        };
        let wire = WireCase {
            payload: base64(&self.payload),
            judged_at: self.judged_at,
            request: self.request.as_ref().map(base64),
            evidence: self.evidence.iter().map(blob).collect(),
        };
        let json = serde_json::to_vec(&wire).expect("texts under names have a JSON form");
        if json.len() > MAX_CASE_BYTES { Err(CaseError::TooLarge) } else { Ok(json) }
    }

    /// Reads what [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// [`CaseError::TooLarge`] and [`CaseError::Malformed`].
    pub fn read(json: &[u8]) -> Result<Self, CaseError> {
        if json.len() > MAX_CASE_BYTES {
            return Err(CaseError::TooLarge);
        }
        let wire: WireCase =
            serde_json::from_slice(json).map_err(|error| CaseError::Malformed(error.to_string()))?;
        let base64 = |name: &str, text: &str| {
            STANDARD.decode(text).map_err(|_| CaseError::Malformed(format!("{name} is not base64")))
        };
        let blob = |blob: WireBlob| {
            let mut sha256 = [0; 32];
            hex::decode_to_slice(blob.sha256, &mut sha256)
                .map_err(|_| CaseError::Malformed("sha256 is not 64 hexadecimal digits".to_owned()))?;
            let bytes = blob.bytes.map(|text| base64("bytes", &text)).transpose()?;
            Ok(StoredBlob { role: blob.role, sha256, bytes })
        };
        Ok(Self {
            payload: base64("payload", &wire.payload)?,
            judged_at: wire.judged_at,
            request: wire.request.map(|text| base64("request", &text)).transpose()?,
            evidence: wire.evidence.into_iter().map(blob).collect::<Result<_, _>>()?,
        })
    }

    /// The hash of the receipt.
    #[must_use]
    pub fn receipt_hash(&self) -> ReceiptHash {
        ReceiptHash::of_payload(&self.payload)
    }

    /// What a signed answer must say that it is about: the receipt, the time, and every piece of evidence that was at
    /// hand, by its address.
    #[must_use]
    pub(super) fn subject(&self) -> Object {
        let piece = |blob: &StoredBlob| {
            let mut piece = Object::new();
            piece.insert("role", blob.role.as_str());
            piece.insert("sha256", hex::encode(blob.sha256));
            Json::Object(piece)
        };
        let mut subject = Object::new();
        subject.insert("receipt_hash", self.receipt_hash().to_string());
        subject.insert("judged_at", self.judged_at.to_string());
        subject.insert(
            "evidence",
            self.evidence.iter().filter(|blob| is_whole(blob)).map(piece).collect::<Vec<_>>(),
        );
        subject
    }

    /// The receipt's class, and its request where that is the one that was signed for.
    pub(super) fn question(&self) -> Result<(String, Option<&[u8]>), CaseError> {
        let payload = parse(&self.payload).map_err(|_| CaseError::NotAReceipt("it is not JSON"))?;
        let text = |name| payload.get(name).and_then(Json::as_str);
        let class = text("class").ok_or(CaseError::NotAReceipt("it has no class"))?;
        let signed = text("request_hash").ok_or(CaseError::NotAReceipt("it has no request_hash"))?;
        let request = self.request.as_deref().filter(|request| hex::encode(sha256(request)) == signed);
        Ok((class.to_owned(), request))
    }

    /// The evidence that is at hand. Bytes that are not what their address says are no evidence.
    pub(super) fn blobs(self) -> Vec<EvidenceBlob> {
        let blob = |StoredBlob { role, bytes, .. }| Some(EvidenceBlob::new(role, bytes?));
        self.evidence.into_iter().filter(is_whole).filter_map(blob).collect()
    }
}

fn is_whole(blob: &StoredBlob) -> bool {
    blob.bytes.as_ref().is_some_and(|bytes| sha256(bytes) == blob.sha256)
}

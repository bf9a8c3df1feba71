//! Cases for a rerun: a receipt, and the evidence that was preserved for it.
//!
//! On the pipe it is a JSON object and, after a line feed, the bytes of its evidence one after the other, as they are:
//! a list has tens of megabytes, which base64 would make a third longer and JSON would have to be searched for. A case
//! that is written by hand may have its evidence in the object, in base64.

use std::io::{BufRead, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledger::StoredBlob;
use receipt::hash::{ReceiptHash, sha256};
use receipt::json::{Json, Object, parse};
use receipt::time::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use verdict::EvidenceBlob;

/// Maximum size of a case's JSON object, in bytes: the largest record in base64, and 2 MiB for its member names.
pub const MAX_CASE_BYTES: usize = ledger::MAX_RECORD_BYTES.div_ceil(3) * 4 + (2 << 20);
/// Maximum size of the evidence after the case's JSON object, in bytes: the largest record, and 128 MiB of evidence that
/// judges keep. OFAC's two lists and OpenSanctions' sanctioned parties together have about a third of that. The notary
/// holds the evidence in memory for [each running process](super::MAX_AT_ONCE), beside live lists of several times the
/// size. The process has 1 GiB for the parsed and indexed evidence, and ends if that is not enough.
pub const MAX_FOLLOWING_BYTES: usize = ledger::MAX_RECORD_BYTES + (128 << 20);

/// A case for a rerun: a receipt, its request and its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RerunCase {
    /// P: the receipt's canonical payload.
    pub payload: Vec<u8>,
    /// The time that the judge was given. A replay at another time would give another finding.
    pub judged_at: Timestamp,
    /// The request in canonical form; `None` if it is no longer kept.
    pub request: Option<Vec<u8>>,
    /// The evidence in the judge's order. A blob without bytes is no longer kept.
    pub evidence: Vec<StoredBlob>,
}

/// The reason why a case cannot be replayed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CaseError {
    /// The case is longer than [`MAX_CASE_BYTES`], or its evidence than [`MAX_FOLLOWING_BYTES`].
    #[error("the case has more than {MAX_CASE_BYTES} bytes, or its evidence more than {MAX_FOLLOWING_BYTES}")]
    TooLarge,
    /// The text is no case.
    #[error("not a case: {0}")]
    Malformed(String),
    /// The payload is not that of a receipt.
    #[error("the case's payload is not one of a receipt: {0}")]
    NotAReceipt(&'static str),
}

/// A case's object: bytes in base64.
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
    /// The SHA-256, in hexadecimal.
    sha256: String,
    bytes: Option<String>,
    /// The number of its bytes that follow the object, in the order of the evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    follow: Option<usize>,
}

impl RerunCase {
    /// Adds the bytes of evidence that judges keep themselves, as far as they still have them.
    ///
    /// # Errors
    /// [`CaseError::TooLarge`] as soon as it is.
    pub(super) fn with_kept(
        mut self,
        kept: impl Fn(&[u8; 32]) -> Option<Vec<u8>>,
    ) -> Result<Self, CaseError> {
        let mut bytes = 0;
        for blob in &mut self.evidence {
            if blob.bytes.is_none() {
                blob.bytes = kept(&blob.sha256);
            }
            bytes += blob.bytes.as_ref().map_or(0, Vec::len);
            if bytes > MAX_FOLLOWING_BYTES {
                return Err(CaseError::TooLarge);
            }
        }
        Ok(self)
    }

    /// The JSON object that goes over the pipe before the [bytes that follow](Self::following).
    ///
    /// # Errors
    /// [`CaseError::TooLarge`].
    pub(super) fn head(&self) -> Result<Vec<u8>, CaseError> {
        if self.following().map(<[u8]>::len).sum::<usize>() > MAX_FOLLOWING_BYTES {
            return Err(CaseError::TooLarge);
        }
        let mut head = self.object(|blob| WireBlob {
            role: blob.role.clone(),
            sha256: hex::encode(blob.sha256),
            bytes: None,
            follow: blob.bytes.as_ref().map(Vec::len),
        })?;
        head.push(b'\n');
        Ok(head)
    }

    /// The bytes of the evidence, one slice for each piece.
    pub(super) fn following(&self) -> impl Iterator<Item = &[u8]> {
        self.evidence.iter().filter_map(|blob| blob.bytes.as_deref())
    }

    /// Serializes the case as one JSON object, the form for cases that are written by hand.
    ///
    /// # Errors
    /// [`CaseError::TooLarge`] if the case exceeds its bound.
    pub fn to_json(&self) -> Result<Vec<u8>, CaseError> {
        self.object(|blob| WireBlob {
            role: blob.role.clone(),
            sha256: hex::encode(blob.sha256),
            bytes: blob.bytes.as_ref().map(|bytes| STANDARD.encode(bytes)),
            follow: None,
        })
    }

    fn object(&self, blob: impl Fn(&StoredBlob) -> WireBlob) -> Result<Vec<u8>, CaseError> {
        let wire = WireCase {
            payload: STANDARD.encode(&self.payload),
            judged_at: self.judged_at,
            request: self.request.as_ref().map(|request| STANDARD.encode(request)),
            evidence: self.evidence.iter().map(blob).collect(),
        };
        let json = serde_json::to_vec(&wire).expect("texts under names have a JSON form");
        if json.len() > MAX_CASE_BYTES { Err(CaseError::TooLarge) } else { Ok(json) }
    }

    /// Reads a case in either form, to the end of the input.
    ///
    /// # Errors
    /// [`CaseError::TooLarge`] and [`CaseError::Malformed`].
    pub fn read(from: impl BufRead) -> Result<Self, CaseError> {
        let mut head = from.take(MAX_CASE_BYTES as u64 + 1);
        let wire = WireCase::deserialize(&mut serde_json::Deserializer::from_reader(&mut head));
        if head.limit() == 0 {
            return Err(CaseError::TooLarge);
        }
        let wire = wire.map_err(|error| CaseError::Malformed(error.to_string()))?;
        let mut from = head.into_inner();
        let evidence = read_evidence(wire.evidence, &mut from)?;
        read_end(from)?;
        Ok(Self {
            payload: base64("payload", &wire.payload)?,
            judged_at: wire.judged_at,
            request: wire.request.map(|text| base64("request", &text)).transpose()?,
            evidence,
        })
    }

    /// Returns the hash of the receipt.
    #[must_use]
    pub fn receipt_hash(&self) -> ReceiptHash {
        ReceiptHash::of_payload(&self.payload)
    }

    /// The subject that a signed answer must state: the receipt, the time, and the address of every piece of evidence
    /// that was present.
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

    /// The evidence that is present. Bytes that do not match their address are dropped.
    pub(super) fn blobs(self) -> Vec<EvidenceBlob> {
        let blob = |StoredBlob { role, bytes, .. }| Some(EvidenceBlob::new(role, bytes?));
        self.evidence.into_iter().filter(is_whole).filter_map(blob).collect()
    }
}

fn malformed(why: impl Into<String>) -> CaseError {
    CaseError::Malformed(why.into())
}

fn base64(name: &str, text: &str) -> Result<Vec<u8>, CaseError> {
    STANDARD.decode(text).map_err(|_| malformed(format!("{name} is not base64")))
}

/// The evidence, with the bytes that follow the object.
fn read_evidence(evidence: Vec<WireBlob>, from: &mut impl BufRead) -> Result<Vec<StoredBlob>, CaseError> {
    let mut left = MAX_FOLLOWING_BYTES;
    let mut begun = false;
    let mut read = Vec::with_capacity(evidence.len());
    for WireBlob { role, sha256: address, bytes, follow } in evidence {
        let mut sha256 = [0; 32];
        hex::decode_to_slice(address, &mut sha256)
            .map_err(|_| malformed("sha256 is not 64 hexadecimal digits"))?;
        let bytes = match (bytes, follow) {
            (Some(_), Some(_)) => return Err(malformed("bytes are in the object and follow it")),
            (Some(text), None) => Some(base64("bytes", &text)?),
            (None, None) => None,
            (None, Some(length)) => {
                left = left.checked_sub(length).ok_or(CaseError::TooLarge)?;
                if !std::mem::replace(&mut begun, true) {
                    line_feed(from)?;
                }
                Some(read_piece(length, from)?)
            }
        };
        read.push(StoredBlob { role, sha256, bytes });
    }
    Ok(read)
}

/// Reads the line feed between the object and the bytes that follow it.
fn line_feed(from: &mut impl Read) -> Result<(), CaseError> {
    match read_piece(1, from)?[..] {
        [b'\n'] => Ok(()),
        _ => Err(malformed("bytes follow the object after a line feed")),
    }
}

fn read_piece(length: usize, from: &mut impl Read) -> Result<Vec<u8>, CaseError> {
    let mut piece = Vec::with_capacity(length);
    from.take(length as u64).read_to_end(&mut piece).map_err(|error| malformed(error.to_string()))?;
    if piece.len() < length { Err(malformed("it is cut off")) } else { Ok(piece) }
}

/// The most bytes of white space after a case.
const MAX_WHITE_SPACE: u64 = 4096;

fn read_end(from: impl Read) -> Result<(), CaseError> {
    let mut rest = Vec::new();
    let read = from.take(MAX_WHITE_SPACE + 1).read_to_end(&mut rest);
    read.map_err(|error| malformed(error.to_string()))?;
    let is_end = rest.len() as u64 <= MAX_WHITE_SPACE && rest.iter().all(u8::is_ascii_whitespace);
    if is_end { Ok(()) } else { Err(malformed("something stands after it")) }
}

fn is_whole(blob: &StoredBlob) -> bool {
    blob.bytes.as_ref().is_some_and(|bytes| sha256(bytes) == blob.sha256)
}

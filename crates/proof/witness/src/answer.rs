//! The answers of a witness to `add-checkpoint`, with their status codes: C2SP tlog-witness, "add-checkpoint".

use tlog::{NoteError, NoteSignature, ProofError};

use crate::request::RequestError;
use crate::store::StoreError;

/// The content type of an answer that tells the size of the latest cosigned checkpoint.
pub const SIZE_CONTENT_TYPE: &str = "text/x.tlog.size";

/// The content type of every other answer.
pub const TEXT_CONTENT_TYPE: &str = "text/plain; charset=utf-8";

/// The answer to one request.
#[derive(Debug)]
pub enum Answer {
    /// 200: the checkpoint is recorded and cosigned, once by each key of the witness.
    Cosigned(Vec<NoteSignature>),
    /// 400: the body is malformed.
    Malformed(RequestError),
    /// 400: the old size is greater than the checkpoint's size.
    OldSizeTooLarge {
        /// The old size in the request.
        old: u64,
        /// The size of the checkpoint.
        size: u64,
    },
    /// 403: no signature is by a trusted key of the log, or one that names such a key is not valid.
    NotSigned(NoteError),
    /// 404: the origin is of no log that the witness knows.
    UnknownLog,
    /// 409 with a size: the old size is not that of the latest cosigned checkpoint, which is this one.
    OldSizeMismatch {
        /// The size of the latest cosigned checkpoint, or 0 without one.
        latest: u64,
    },
    /// 409 without a size: the log has signed another root for the size of the latest cosigned checkpoint.
    OtherRoot,
    /// 422: the consistency proof does not verify.
    Inconsistent(ProofError),
    /// 503: the clock tells no time that a cosignature may have.
    NoTime(u64),
    /// 503: the outcome in the store is unknown, so nothing is cosigned. Sending the request again resolves it.
    Unavailable(StoreError),
    /// 503: other requests for this log have changed the record on each of the attempts.
    Busy,
    /// 500: the cryptographic library failed.
    NotCosigned(tlog::CosignError),
}

impl Answer {
    /// The HTTP status code.
    pub fn status(&self) -> u16 {
        match self {
            Self::Cosigned(_) => 200,
            Self::Malformed(_) | Self::OldSizeTooLarge { .. } => 400,
            Self::NotSigned(_) => 403,
            Self::UnknownLog => 404,
            Self::OldSizeMismatch { .. } | Self::OtherRoot => 409,
            Self::Inconsistent(_) => 422,
            Self::NotCosigned(_) => 500,
            Self::NoTime(_) | Self::Unavailable(_) | Self::Busy => 503,
        }
    }

    /// The content type of the body.
    pub fn content_type(&self) -> &'static str {
        match self {
            Self::OldSizeMismatch { .. } => SIZE_CONTENT_TYPE,
            _ => TEXT_CONTENT_TYPE,
        }
    }

    /// The body: signature lines, a size, or a message that names no internal detail.
    pub fn body(&self) -> String {
        match self {
            Self::Cosigned(signatures) => {
                signatures.iter().map(|signature| format!("{signature}\n")).collect()
            }
            Self::OldSizeMismatch { latest } => format!("{latest}\n"),
            Self::Malformed(error) => format!("{error}\n"),
            Self::OldSizeTooLarge { old, size } => {
                format!("the old size {old} is greater than the checkpoint's size {size}\n")
            }
            Self::NotSigned(error) => format!("the checkpoint is not signed by its log: {error}\n"),
            Self::UnknownLog => "the origin is of no log that this witness knows\n".to_owned(),
            Self::OtherRoot => "this size was cosigned with another root\n".to_owned(),
            Self::Inconsistent(error) => format!("the consistency proof does not verify: {error}\n"),
            Self::NotCosigned(_) | Self::NoTime(_) | Self::Unavailable(_) => {
                "the witness cannot cosign at the moment\n".to_owned()
            }
            Self::Busy => "other requests for this log came first: send the request again\n".to_owned(),
        }
    }
}

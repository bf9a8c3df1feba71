//! The errors of making a form.

use thiserror::Error;

/// An error in making a form of a stored receipt. Its text names no part of a key.
#[derive(Debug, Error)]
pub enum FormError {
    /// The stored payload is no receipt's: a member is absent or of another type.
    #[error("the payload has no usable member `{0}`")]
    Payload(&'static str),
    /// The proof does not lead from the receipt's entry to a checkpoint that the log has signed.
    #[error("the receipt is not proven to be in the log: {0}")]
    Proof(#[from] tlog::TlogProofError),
    /// The message cannot be written as CBOR.
    #[error("the message cannot be encoded: {0}")]
    Encoding(String),
}

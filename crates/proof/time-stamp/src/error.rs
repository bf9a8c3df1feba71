//! The reasons why an authority is not taken from the configuration, or an answer not believed.

use thiserror::Error;

/// The reason why the configuration of an authority is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AuthorityError {
    /// The file is no list of certificates in PEM.
    #[error("no certificate in PEM can be read: {0}")]
    Pem(String),
    /// A certificate cannot be a root.
    #[error("certificate {number} cannot be a root: {why}")]
    Root {
        /// The number of the certificate in the file, from 1.
        number: usize,
        /// The reason.
        why: String,
    },
    /// The policy is no object identifier.
    #[error("the policy is no object identifier, such as 1.3.6.1.4.1.4146.2.3")]
    Policy,
}

/// The reason why a tree is not shown to have been made after a token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotEarlier {
    /// The token is not believed.
    #[error(transparent)]
    Token(#[from] StampError),
    /// What is to log the token is no payload of a receipt.
    #[error("what is to log the token is no payload of a receipt")]
    Payload,
    /// The receipt has not the hash of this token.
    #[error("the receipt at the leaf is not about this token")]
    OtherToken,
    /// The tree does not hold the receipt at the leaf.
    #[error("the tree of log_head does not hold the token's receipt: {0}")]
    NotInTree(#[from] tlog::ProofError),
}

/// The reason why an answer is not believed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StampError {
    /// The answer is longer than [`MAX_REPLY_BYTES`](crate::MAX_REPLY_BYTES).
    #[error("the answer has more than {} bytes", crate::MAX_REPLY_BYTES)]
    TooLong,
    /// The answer, or a part of it, is not of the form of RFC 3161.
    #[error("the answer is no time-stamp response: {0}")]
    Malformed(String),
    /// The authority has refused.
    #[error("the authority has refused, with status {status}{}", words(.text))]
    Refused {
        /// The status of RFC 3161, section 2.4.2.
        status: u8,
        /// The authority's words.
        text: String,
    },
    /// The token is about other bytes.
    #[error("the token is of another message")]
    OtherMessage,
    /// The token is not the answer to this request.
    #[error("the token has not the nonce of the request")]
    OtherNonce,
    /// The token was made under another policy.
    #[error("the token was made under the policy {0}, which is not the wanted one")]
    OtherPolicy(String),
    /// The token has an extension that must be known, and is not.
    #[error("the token has the critical extension {0}, which is not known")]
    UnknownExtension(String),
    /// The token has none or several signers.
    #[error("the token has {0} signers; it must have one")]
    Signers(usize),
    /// A signed attribute is missing, twice there, or not right.
    #[error("the signed attribute {0} is missing or does not fit")]
    Attribute(&'static str),
    /// The token does not hold the certificate that its signature names.
    #[error("the token does not hold the certificate of its signer")]
    NoCertificate,
    /// The signer's certificate is not for time-stamping alone.
    #[error("the certificate of the signer is not for time-stamping alone")]
    NotForStamping,
    /// The signer's certificate leads to no configured root, or was not valid at the time of the token.
    #[error("the certificate of the signer is not trusted: {0}")]
    Untrusted(String),
    /// The algorithm of the signature or of a hash is not supported.
    #[error("the algorithm {0} is not supported")]
    Algorithm(String),
    /// The signature does not verify.
    #[error("the signature of the token does not hold")]
    Signature,
}

impl From<der::Error> for StampError {
    fn from(error: der::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

fn words(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

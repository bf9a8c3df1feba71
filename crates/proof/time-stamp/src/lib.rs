//! Time-stamp tokens of RFC 3161 (with the certificate identifiers of RFC 5816): a request, and the check of an answer. No
//! network, no clock, no files.
//!
//! A time-stamping authority signs the hash of some bytes together with a time, so the bytes were there by then, whoever
//! keeps them. The notary has the checkpoints of its log stamped.
//!
//! | module | content |
//! |---|---|
//! | [`request`] | the request to an authority |
//! | [`authority`] | the authority that is believed, and the check of its answers |
//! | [`logged`] | tokens whose hash is in a log, which bound later receipts from below |
//! | [`asn1`] | the structures of RFC 3161 and of the parts of CMS (RFC 5652) that a token has |
//!
//! # What is checked
//!
//! The answer is granted; it is about the bytes that were asked about, by their SHA-256; it has the nonce of the request, where
//! the request is at hand; its policy is the wanted one; it has one signer, whose certificate the signature itself names by its
//! hash, has the one critical extended key usage `timeStamping` (RFC 3161, section 2.3), was valid at the time of the token, and
//! leads to a configured root; and the signature verifies over the token.
//!
//! # What is not checked
//!
//! Revocation: a certificate that was revoked for its key is found by nobody here. A token that must be DER and is
//! BER of another form is refused, which no known authority sends.
#![forbid(unsafe_code)]

pub mod asn1;
pub mod authority;
mod error;
mod gen_time;
pub mod logged;
mod oid;
pub mod request;
mod signer;

pub use authority::{Authority, Stamp};
pub use error::{AuthorityError, NotEarlier, StampError};
pub use gen_time::GenTime;
pub use logged::{LoggedToken, StampRecord, TIME_STAMP_CLASS, TIME_STAMP_METHOD};
pub use request::{Nonce, StampRequest};

/// The media type of a request (RFC 3161, section 3.4).
pub const QUERY_TYPE: &str = "application/timestamp-query";
/// The media type of an answer.
pub const REPLY_TYPE: &str = "application/timestamp-reply";
/// The most bytes of an answer. Those of public authorities have 3 to 7 thousand, with the chain of certificates.
pub const MAX_REPLY_BYTES: usize = 16 << 10;

//! Verdict receipts: I-JSON in, canonical bytes, a hash, a signature, and offline verification.
//!
//! Pure: no network and no clock; only a [key's file](SigningKey::load) touches the disk. So anybody can verify a
//! receipt against the notary's published keys with this crate alone, on a machine without a network.
//!
//! | module | content | standard |
//! |---|---|---|
//! | [`json`] | the tree, strict and lenient parsing, exact numbers, paths | RFC 8259, RFC 7493, RFC 6901 |
//! | [`canonical`] | the one canonical form | RFC 8785 |
//! | [`hash`] | SHA-256, the receipt's hash, the request's hash | FIPS 180-4 |
//! | [`time`] | times as receipts write them | RFC 3339 |
//! | [`key`] | Ed25519 keys, their files, names and published documents | RFC 8032, 8037, 7517, 7638, DID Core |
//! | [`envelope`] | the payload: the notary's members and the judge's finding | |
//! | [`sign`] | the signature, the receipt, the log entry | RFC 7515 |
//! | [`entry`] | the log entry, read again | RFC 8785 |
//! | [`jws`] | compact JWS with EdDSA and nothing else | RFC 7515, RFC 8037 |
//! | [`history`] | at which leaves of the log each key may sign | |
//! | [`verify`] | the checks of a receipt | |
//!
//! # Invariants
//!
//! - Two texts with one canonical form have one hash, and one text has one reading: a text that another reader could
//!   read otherwise (duplicate names, numbers past a double) is refused.
//! - Every parser returns an error or a value for every text, with bounded recursion and at most linear space.
//! - A private key is readable by its owner alone: it is not printed, and a file that others can read is refused.
//! - A check that cannot be made fails.

pub mod canonical;
pub mod entry;
pub mod envelope;
pub mod hash;
pub mod history;
pub mod json;
pub mod jws;
pub mod key;
pub mod sign;
pub mod time;
pub mod verify;

pub use entry::{EntryError, LogEntry};
pub use envelope::{Envelope, EnvelopeError, LogHead};
pub use hash::{ReceiptHash, request_hash, sha256};
pub use history::{KeyHistory, KeyHistoryError};
pub use json::{Json, JsonError, JsonErrorKind, Number, Object, Path, parse, parse_lenient};
pub use key::{KeyId, LeafRange, PublicKey, PublishedKey, SigningKey, VerifyingKey};
pub use sign::{SignedPayload, Signer, log_entry};
pub use time::Timestamp;
pub use verify::{CheckResult, Keys, Report, Verifier, VerifyError};

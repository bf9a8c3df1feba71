//! SHA-256 (FIPS 180-4), the hash of a receipt and the hash of a request.

use crate::json::Json;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::fmt;
use thiserror::Error;

/// The SHA-256 hash of the bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The hash of a request: SHA-256 of its canonical form (RFC 8785), so that white space, the order of
/// members and the spelling of numbers do not matter.
///
/// ```
/// use receipt::{hash::request_hash, json::parse};
///
/// let one = parse(br#"{"agent":"a","claim":"c"}"#).unwrap();
/// let other = parse(br#"{ "claim": "c", "agent": "a" }"#).unwrap();
/// assert_eq!(request_hash(&one), request_hash(&other));
/// ```
pub fn request_hash(request: &Json) -> [u8; 32] {
    sha256(&request.canonical())
}

/// The hash of a receipt: SHA-256 of the canonical form of its payload. Anybody who holds the hash may read the
/// receipt.
///
/// Written as 64 lowercase hexadecimal digits, and read from nothing else.
///
/// ```
/// use receipt::hash::{ReceiptHash, sha256};
///
/// let hash = ReceiptHash(sha256(b"{}"));
/// assert_eq!(hash.to_string().parse::<ReceiptHash>()?, hash);
/// assert!(hash.to_string().to_uppercase().parse::<ReceiptHash>().is_err());
/// # Ok::<(), receipt::hash::ReceiptHashError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReceiptHash(pub [u8; 32]);

/// The text is not a receipt's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a receipt hash is 64 lowercase hexadecimal digits")]
pub struct ReceiptHashError;

impl ReceiptHash {
    /// The hash of a payload's canonical bytes.
    pub fn of_payload(payload: &[u8]) -> Self {
        Self(sha256(payload))
    }

    /// The hash that the public log has in place of the receipt hash: SHA-256 of its 32 bytes. Nobody can compute the
    /// receipt hash from it.
    pub fn log_id(&self) -> [u8; 32] {
        sha256(&self.0)
    }

    /// The 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// N bytes from 2 N lowercase hexadecimal digits.
pub(crate) fn parse_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let lowercase = text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    (lowercase && hex::decode_to_slice(text, &mut bytes).is_ok()).then_some(bytes)
}

impl std::str::FromStr for ReceiptHash {
    type Err = ReceiptHashError;

    fn from_str(text: &str) -> Result<Self, ReceiptHashError> {
        parse_hex(text).map(Self).ok_or(ReceiptHashError)
    }
}

impl fmt::Display for ReceiptHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 64];
        hex::encode_to_slice(self.0, &mut digits).expect("64 digits hold 32 bytes");
        f.write_str(std::str::from_utf8(&digits).expect("hexadecimal digits are ASCII"))
    }
}

impl fmt::Debug for ReceiptHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReceiptHash({self})")
    }
}

impl Serialize for ReceiptHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ReceiptHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

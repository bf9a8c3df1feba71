//! Leaf and node hashes: RFC 6962, section 2.1.
//!
//! Leaves and nodes are hashed under different prefixes (0x00 and 0x01), so that no node can be passed off as a leaf.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// The length of the standard base64 text of 32 bytes, with its padding.
const BASE64_LENGTH: usize = 44;

/// A SHA-256 hash of a leaf, a node or a whole tree.
///
/// `Display` and `FromStr` use standard base64 with padding, as checkpoints and proofs do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 32]);

/// An error in reading a hash from a text or a byte string.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// The text is not standard base64 with padding in its canonical form.
    #[error("a hash must be canonical standard base64")]
    Base64,
    /// The input has this many bytes; a hash has 32.
    #[error("a hash must be 32 bytes long, not {0}")]
    Length(usize),
}

/// The root of the tree without leaves: the SHA-256 of the empty string (RFC 6962, section 2.1).
pub const EMPTY_ROOT: Hash = Hash([
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27,
    0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
]);

impl Hash {
    /// Reads a hash from standard base64 with padding. Other alphabets, missing padding and nonzero trailing bits are
    /// errors.
    pub fn from_base64(text: &str) -> Result<Self, HashError> {
        let bytes = STANDARD.decode(text).map_err(|_| HashError::Base64)?;
        Self::try_from(bytes.as_slice())
    }

    /// The hash as 64 lowercase hexadecimal digits.
    pub fn to_hex(&self) -> String {
        use fmt::Write as _;
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            let _infallible = write!(text, "{byte:02x}");
            text
        })
    }

    /// The 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl TryFrom<&[u8]> for Hash {
    type Error = HashError;

    fn try_from(bytes: &[u8]) -> Result<Self, HashError> {
        bytes.try_into().map(Self).map_err(|_| HashError::Length(bytes.len()))
    }
}

impl AsRef<[u8]> for Hash {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl std::str::FromStr for Hash {
    type Err = HashError;

    fn from_str(text: &str) -> Result<Self, HashError> {
        Self::from_base64(text)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; BASE64_LENGTH];
        let length = STANDARD.encode_slice(self.0, &mut text).expect("32 bytes are 44 characters of base64");
        f.pad(std::str::from_utf8(&text[..length]).expect("base64 is ASCII"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The hash of a leaf: SHA-256 of 0x00 and the entry (RFC 6962, section 2.1).
///
/// ```
/// assert_eq!(tlog::leaf_hash(b"").to_string(), "bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=");
/// ```
pub fn leaf_hash(entry: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([0x00]);
    hasher.update(entry);
    Hash(hasher.finalize().into())
}

/// The hash of a node: SHA-256 of 0x01 and its two children (RFC 6962, section 2.1).
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update([0x01]);
    hasher.update(left.0);
    hasher.update(right.0);
    Hash(hasher.finalize().into())
}

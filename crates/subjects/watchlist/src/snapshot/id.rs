//! A snapshot's id: the SHA-256 of its content.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// The SHA-256 of a snapshot's content, written as 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId([u8; 32]);

/// The text is not a snapshot id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a snapshot id is 64 lower-case hex digits")]
pub struct SnapshotIdError;

impl SnapshotId {
    /// Builds the id from the SHA-256 of the content.
    pub fn new(sha256: [u8; 32]) -> Self {
        Self(sha256)
    }

    /// Returns the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for SnapshotId {
    type Err = SnapshotIdError;

    fn from_str(text: &str) -> Result<Self, SnapshotIdError> {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(SnapshotIdError);
        }
        let mut sha256 = [0; 32];
        hex::decode_to_slice(text, &mut sha256).map_err(|_| SnapshotIdError)?;
        Ok(Self(sha256))
    }
}

impl Serialize for SnapshotId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SnapshotId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

//! The keys of the log, as they are published: JWKs with the role `log`, with the trees that each may sign.

use super::published::{read_range, write_range};
use super::{JwksError, LeafRange, OutOfRange, PublicKey, PublishedKey};
use crate::json::{self, Json};
use serde_json::{Value, json};
use thiserror::Error;
use tlog::{KeyKind, VerifierKey};

/// The `role` of the JWK of a log's key.
const LOG: &str = "log";

/// A key of the log, and the leaves that its range has.
///
/// A checkpoint's signature by the key counts if the tree's last leaf lies in the range. So a key that was replaced signs
/// no tree that is larger than the log was at its end, whoever has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogKey {
    /// The key. Its name is the log's origin.
    pub key: VerifierKey,
    /// The leaves; `None` where they are not known, and then they are not checked.
    pub range: Option<LeafRange>,
}

/// A tree whose last leaf does not lie in the range of the key that signed it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the tree of {size} leaves is not one that the log key {key} may sign: {error}")]
pub struct TreeOutOfRange {
    /// The key.
    pub key: String,
    /// The number of leaves of the tree.
    pub size: u64,
    /// The error about its last leaf.
    pub error: OutOfRange,
}

impl From<VerifierKey> for LogKey {
    fn from(key: VerifierKey) -> Self {
        Self { key, range: None }
    }
}

impl LogKey {
    /// Checks that the key may sign a tree of this many leaves. The empty tree counts as that of the first leaf.
    ///
    /// # Errors
    /// [`TreeOutOfRange`].
    pub fn check_tree(&self, size: u64) -> Result<(), TreeOutOfRange> {
        let Some(range) = &self.range else { return Ok(()) };
        range.check(size.saturating_sub(1)).map_err(|error| TreeOutOfRange {
            key: self.key.to_string(),
            size,
            error,
        })
    }

    /// The public key; `None` for a key that is not of Ed25519.
    pub fn public(&self) -> Option<PublicKey> {
        let is_ed25519 = self.key.kind() == KeyKind::Ed25519;
        is_ed25519.then(|| self.key.public_key().try_into().ok().map(PublicKey)).flatten()
    }

    /// The JWK: that of an Ed25519 key (RFC 8037) with the `role` `log`, the `vkey`, and the range where it is known. Its
    /// `kid` is in the identity of `issuer`. `None` for a key that is not of Ed25519.
    pub(super) fn jwk(&self, issuer: Option<&PublishedKey>) -> Option<Value> {
        let public = self.public()?;
        let mut jwk = json!({
            "kty": "OKP",
            "crv": "Ed25519",
            "x": public.to_base64url(),
            "alg": "EdDSA",
            "use": "sig",
            "role": LOG,
            "vkey": self.key.to_string(),
        });
        if let Some(issuer) = issuer {
            jwk["kid"] = json!(format!("{}#{}", issuer.kid.did(), public.thumbprint()));
        }
        if let Some(range) = &self.range {
            write_range(&mut jwk, range);
        }
        Some(jwk)
    }
}

/// Reads the keys of the log in a JWK set; none in the set of a notary that does not publish them there.
///
/// # Errors
/// [`JwksError`]: one of them cannot be read, or its `vkey` is of another key than its `x`.
pub fn parse_log_keys(bytes: &[u8]) -> Result<Vec<LogKey>, JwksError> {
    let document = json::parse(bytes)?;
    let keys = document.get("keys").and_then(Json::as_array).ok_or(JwksError::NoKeys)?;
    let is_log = |jwk: &Json| jwk.get("role").and_then(Json::as_str) == Some(LOG);
    let read = |(index, jwk): (usize, &Json)| {
        let text = |name| jwk.get(name).and_then(Json::as_str);
        let key = text("vkey").and_then(|vkey| vkey.parse().ok()).ok_or(JwksError::BadLogKey(index))?;
        let range = read_range(jwk).ok_or(JwksError::BadRange(index))?;
        let key = LogKey { key, range };
        let is_same = key.public().is_some_and(|public| text("x") == Some(&*public.to_base64url()));
        if is_same { Ok(key) } else { Err(JwksError::BadLogKey(index)) }
    };
    keys.iter().enumerate().filter(|(_, jwk)| is_log(jwk)).map(read).collect()
}

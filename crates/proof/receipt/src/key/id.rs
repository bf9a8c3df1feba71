//! The name of a key: the notary's identity and the key's thumbprint.

use super::{BaseUrlError, PublicKey, did_from_base_url};
use serde::{Serialize, Serializer};
use std::fmt;
use thiserror::Error;

/// The `kid` of a receipt: `did:web:HOST#<RFC 7638 thumbprint>`, a DID URL.
///
/// ```
/// use receipt::key::{KeyId, SigningKey};
///
/// let key = SigningKey::from_seed(&[7; 32]).public_key();
/// let kid = KeyId::new("http://localhost:8402", &key)?;
/// assert_eq!(kid.did(), "did:web:localhost%3A8402");
/// assert_eq!(kid.thumbprint(), key.thumbprint());
/// assert_eq!(kid.as_str().parse::<KeyId>()?, kid);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId {
    text: String,
    /// The byte offset of the `#`.
    hash_at: usize,
}

/// The text is not of the form `did:web:HOST#<thumbprint>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a kid is did:web:HOST#THUMBPRINT, the thumbprint 43 characters of base64url")]
pub struct KeyIdError;

impl KeyId {
    /// The name of a key of the notary at this base address.
    ///
    /// # Errors
    /// [`BaseUrlError`] where the address has no `did:web` form.
    pub fn new(base_url: &str, key: &PublicKey) -> Result<Self, BaseUrlError> {
        let did = did_from_base_url(base_url)?;
        let hash_at = did.len();
        Ok(Self { text: format!("{did}#{}", key.thumbprint()), hash_at })
    }

    /// The name of the key's `Multikey` verification method: `did:web:HOST#<publicKeyMultibase>`. `key` is the key of this
    /// name.
    pub fn multikey(&self, key: &PublicKey) -> String {
        format!("{}#{}", self.did(), key.to_multibase())
    }

    /// The whole text of the name.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The identity of the notary, `did:web:HOST`.
    pub fn did(&self) -> &str {
        &self.text[..self.hash_at]
    }

    /// The RFC 7638 thumbprint of the key, in base64url without padding.
    pub fn thumbprint(&self) -> &str {
        &self.text[self.hash_at + 1..]
    }
}

impl std::str::FromStr for KeyId {
    type Err = KeyIdError;

    fn from_str(text: &str) -> Result<Self, KeyIdError> {
        let (did, thumbprint) = text.split_once('#').ok_or(KeyIdError)?;
        let host = did.strip_prefix("did:web:").ok_or(KeyIdError)?;
        let in_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'%');
        // 32 bytes are 43 characters of base64url.
        if host.is_empty() || !host.bytes().all(in_host) || PublicKey::from_base64url(thumbprint).is_none() {
            return Err(KeyIdError);
        }
        Ok(Self { text: text.to_owned(), hash_at: did.len() })
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for KeyId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

//! Ed25519 keys (RFC 8032): their files, their names, and how they are published.
//!
//! - [`SigningKey`]: signs, and lives in a file that only its owner can read.
//! - [`PublicKey`]: 32 bytes, and its RFC 7638 thumbprint.
//! - [`KeyId`]: `did:web:HOST#<thumbprint>`, the `kid` of receipts.
//! - [`LeafRange`]: the leaves of the log at which a key may sign.
//! - [`jwks`], [`did_document`], [`parse_jwks`]: the documents under `/.well-known/`.

mod base_url;
pub mod file;
mod id;
mod log_key;
mod published;
mod range;
mod signing;
mod verifying;

pub use base_url::{
    BaseUrlError, did_from_base_url, host_from_base_url, log_origin_from_base_url, normalize_base_url,
};
pub use file::KeyFileError;
pub use id::{KeyId, KeyIdError};
pub use log_key::{LogKey, TreeOutOfRange, parse_log_keys};
pub use published::{JwksError, KeyState, PublishedKey, did_document, jwk, jwks, parse_jwks};
pub use range::{LeafRange, OutOfRange};
pub use signing::SigningKey;
pub use verifying::{BadSignature, VerifyingKey, WeakKey};

use crate::hash::sha256;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::fmt;

/// An Ed25519 public key in its 32-byte encoding (RFC 8032, section 5.1.5). The bytes need not be a point of the curve;
/// [`VerifyingKey::new`] checks that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey(pub [u8; 32]);

/// The multicodec of an Ed25519 public key, as an unsigned varint.
const ED25519_MULTICODEC: [u8; 2] = [0xed, 0x01];

impl PublicKey {
    /// The JWK thumbprint (RFC 7638, RFC 8037 section 2) in base64url without padding.
    ///
    /// ```
    /// use receipt::key::PublicKey;
    ///
    /// // RFC 8037, appendix A.3.
    /// let key = PublicKey::from_base64url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
    /// assert_eq!(key.thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    /// ```
    pub fn thumbprint(&self) -> String {
        // The required members of an OKP key in the order of their names, without white space.
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.to_base64url());
        URL_SAFE_NO_PAD.encode(sha256(members.as_bytes()))
    }

    /// The 32 bytes in base64url without padding: the `x` of a JWK.
    pub fn to_base64url(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// The key of a JWK's `x`; `None` where that is not the base64url of 32 bytes.
    pub fn from_base64url(text: &str) -> Option<Self> {
        URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok().map(Self)
    }

    /// The `publicKeyMultibase` of the key's `Multikey` (W3C Controlled Identifiers 1.0): `z` and the
    /// base58 of 0xed 0x01 and the 32 bytes.
    ///
    /// ```
    /// use receipt::key::PublicKey;
    ///
    /// // W3C Controlled Identifiers 1.0, the example of `Multikey`.
    /// let key = PublicKey::from_multibase("z6MkmM42vxfqZQsv4ehtTjFFxQ4sQKS2w6WR7emozFAn5cxu").unwrap();
    /// assert_eq!(key.to_multibase(), "z6MkmM42vxfqZQsv4ehtTjFFxQ4sQKS2w6WR7emozFAn5cxu");
    /// ```
    pub fn to_multibase(&self) -> String {
        let mut multikey = [0; 34];
        multikey[..2].copy_from_slice(&ED25519_MULTICODEC);
        multikey[2..].copy_from_slice(&self.0);
        format!("z{}", bs58::encode(multikey).into_string())
    }

    /// The key of a `publicKeyMultibase`; `None` where that is not the `Multikey` of an Ed25519 key.
    pub fn from_multibase(text: &str) -> Option<Self> {
        // 34 bytes are at most 47 characters of base58, and the decoder's time grows with their square.
        let base58 = text.strip_prefix('z').filter(|base58| base58.len() <= 47)?;
        let multikey = bs58::decode(base58).into_vec().ok()?;
        multikey.strip_prefix(&ED25519_MULTICODEC)?.try_into().ok().map(Self)
    }

    /// The 32 bytes of the encoding.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.to_base64url())
    }
}

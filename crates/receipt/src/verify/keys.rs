//! Whom a verifier believes.

use crate::key::{KeyId, KeyState, PublishedKey, VerifyingKey};
use crate::sign::jws_header;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::collections::HashMap;
use thiserror::Error;
use tlog::VerifierKey;

/// The notary's receipt keys, active and retired, and the keys of its log.
#[derive(Debug, Default)]
pub struct Keys {
    receipt: HashMap<String, ReceiptKey>,
    log: Vec<VerifierKey>,
}

/// A receipt key made ready for many verifications.
#[derive(Debug)]
pub(super) struct ReceiptKey {
    pub(super) kid: KeyId,
    pub(super) verifying: VerifyingKey,
    pub(super) retired: bool,
    /// The JWS header that this key's signatures are over, in base64url.
    pub(super) encoded_header: String,
}

/// Keys that nothing can be verified with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeysError {
    /// The 32 bytes are not a point of the curve, or one of small order.
    #[error("{0} is not an Ed25519 public key")]
    NotAKey(KeyId),
    /// The name has another key's thumbprint.
    #[error("{0} does not name its key: the thumbprint is another's")]
    WrongThumbprint(KeyId),
}

impl Keys {
    /// Keys for verification. Keys of reruns are passed over, since they sign no receipts. Keys of witnesses among the
    /// log keys have their cosignatures verified too.
    ///
    /// # Errors
    /// [`KeysError`] naming the receipt key that is not one.
    pub fn new(receipt: Vec<PublishedKey>, log: Vec<VerifierKey>) -> Result<Self, KeysError> {
        let signs_receipts = |key: &PublishedKey| key.state != KeyState::Rerun;
        let receipt = receipt.into_iter().filter(signs_receipts).map(ReceiptKey::new);
        let receipt = receipt.map(|key| key.map(|key| (key.kid.as_str().to_owned(), key)));
        Ok(Self { receipt: receipt.collect::<Result<_, _>>()?, log })
    }

    pub(super) fn receipt_key(&self, kid: &str) -> Option<&ReceiptKey> {
        self.receipt.get(kid)
    }

    /// The keys of the log, and of witnesses where there are any.
    pub fn log_keys(&self) -> &[VerifierKey] {
        &self.log
    }

    /// Whether `kid` is one of the receipt keys.
    pub fn knows(&self, kid: &str) -> bool {
        self.receipt.contains_key(kid)
    }
}

impl ReceiptKey {
    fn new(published: PublishedKey) -> Result<Self, KeysError> {
        let PublishedKey { kid, key, state } = published;
        if kid.thumbprint() != key.thumbprint() {
            return Err(KeysError::WrongThumbprint(kid));
        }
        let Ok(verifying) = VerifyingKey::new(key) else {
            return Err(KeysError::NotAKey(kid));
        };
        let encoded_header = URL_SAFE_NO_PAD.encode(jws_header(kid.as_str()));
        Ok(Self { kid, verifying, retired: state == KeyState::Retired, encoded_header })
    }
}

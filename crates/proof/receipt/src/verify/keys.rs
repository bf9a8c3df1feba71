//! The keys that a verifier accepts.

use super::RERUN_JWS_TYPE;
use crate::key::{KeyId, KeyState, LeafRange, LogKey, PublishedKey, TreeOutOfRange, VerifyingKey};
use crate::sign::{JWS_TYPE, jws_header_of_type, signing_input};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::collections::HashMap;
use thiserror::Error;
use tlog::{Checkpoint, CheckpointError, KeyKind, VerifierKey};

/// Keys for verification: the notary's receipt keys, active and retired, its keys of reruns, and the keys of its log
/// and of witnesses.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    receipt: HashMap<String, KnownKey>,
    rerun: HashMap<String, KnownKey>,
    log: Vec<VerifierKey>,
    /// The trees that the keys of the log may sign, of those of which it is known.
    log_ranges: Vec<LogKey>,
}

/// A checkpoint that no key of the log may have signed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnsignedCheckpoint {
    /// The note is malformed, or no key of the log has signed it.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The keys that have signed it may not sign a tree of this size.
    #[error(transparent)]
    OutOfRange(#[from] TreeOutOfRange),
}

/// A key made ready for many verifications.
#[derive(Clone, Debug)]
pub(super) struct KnownKey {
    pub(super) kid: KeyId,
    verifying: VerifyingKey,
    pub(super) retired: bool,
    /// The leaves at which the key may sign, where they are known.
    pub(super) range: Option<LeafRange>,
    /// The JWS header that this key's signatures are over, in base64url.
    encoded_header: String,
}

/// An error in a set of keys for verification.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeysError {
    /// The 32 bytes of the key with this name are not a point of the curve, or are a point of small order.
    #[error("{0} is not an Ed25519 public key")]
    NotAKey(KeyId),
    /// The thumbprint in this name is that of another key.
    #[error("{0} does not name its key: the thumbprint is another's")]
    WrongThumbprint(KeyId),
}

impl Keys {
    /// Makes the set from the published keys and the keys of the log. A document signed by a key of reruns is no
    /// receipt, and one signed by a receipt key is no rerun. Keys of witnesses among the log keys have their
    /// cosignatures verified too.
    ///
    /// # Errors
    /// [`KeysError`] with the name of the first invalid key.
    pub fn new(published: Vec<PublishedKey>, log: Vec<VerifierKey>) -> Result<Self, KeysError> {
        let mut keys = Self { log, ..Self::default() };
        for key in published {
            let (known, typ) = match key.state {
                KeyState::Active | KeyState::Retired => (&mut keys.receipt, JWS_TYPE),
                KeyState::Rerun => (&mut keys.rerun, RERUN_JWS_TYPE),
            };
            let key = KnownKey::new(key, typ)?;
            known.insert(key.kid.as_str().to_owned(), key);
        }
        Ok(keys)
    }

    pub(super) fn receipt_key(&self, kid: &str) -> Option<&KnownKey> {
        self.receipt.get(kid)
    }

    pub(super) fn rerun_key(&self, kid: &str) -> Option<&KnownKey> {
        self.rerun.get(kid)
    }

    /// These keys, with the given ones of the log in place of those that it has.
    #[must_use]
    pub fn with_log_keys(self, log: Vec<LogKey>) -> Self {
        Self { log: log.iter().map(|key| key.key.clone()).collect(), log_ranges: log, ..self }
    }

    /// Opens a checkpoint's note: all signatures by known keys are valid, and one is by a key of the log that may sign a tree
    /// of this size.
    ///
    /// # Errors
    /// [`UnsignedCheckpoint`].
    pub fn open_checkpoint(&self, note: &str) -> Result<Checkpoint, UnsignedCheckpoint> {
        let (checkpoint, verified) = Checkpoint::open_cosigned(note, &self.log)?;
        let mut refusal = None;
        for signature in verified {
            let key = signature.key;
            if key.kind() != KeyKind::Ed25519 || key.name() != checkpoint.origin() {
                continue;
            }
            let known = self.log_ranges.iter().find(|known| known.key == *key);
            match known.map_or(Ok(()), |known| known.check_tree(checkpoint.size())) {
                Ok(()) => return Ok(checkpoint),
                Err(error) => refusal = Some(error),
            }
        }
        let not_by_log = || CheckpointError::NotByOrigin(checkpoint.origin().to_owned()).into();
        Err(refusal.map_or_else(not_by_log, Into::into))
    }

    /// The keys of the log, followed by those of witnesses if there are any.
    pub fn log_keys(&self) -> &[VerifierKey] {
        &self.log
    }

    /// Returns true if receipt keys of this issuer (`did:web:...`) are known.
    pub(super) fn are_of(&self, issuer: &str) -> bool {
        self.receipt.values().any(|key| key.kid.did() == issuer)
    }

    /// Returns true if `kid` is one of the receipt keys.
    pub fn knows(&self, kid: &str) -> bool {
        self.receipt.contains_key(kid)
    }
}

impl KnownKey {
    fn new(published: PublishedKey, typ: &str) -> Result<Self, KeysError> {
        let PublishedKey { kid, key, state, range } = published;
        if kid.thumbprint() != key.thumbprint() {
            return Err(KeysError::WrongThumbprint(kid));
        }
        let Ok(verifying) = VerifyingKey::new(key) else {
            return Err(KeysError::NotAKey(kid));
        };
        let encoded_header = URL_SAFE_NO_PAD.encode(jws_header_of_type(typ, kid.as_str()));
        Ok(Self { kid, verifying, retired: state == KeyState::Retired, range, encoded_header })
    }

    /// Verifies a signature, in base64url, over a payload; else why it is none.
    pub(super) fn verify(&self, payload: &[u8], signature: &str) -> Result<(), &'static str> {
        let signature = URL_SAFE_NO_PAD.decode(signature).ok();
        let signature = signature.and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
        let signature = signature.ok_or("is not the base64url, without padding, of 64 bytes")?;
        let signed = signing_input(&self.encoded_header, payload);
        self.verifying.verify(&signed, &signature).map_err(|_| "does not verify")
    }
}

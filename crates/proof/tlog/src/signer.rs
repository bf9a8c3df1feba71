//! Signers of notes, whose private key may be elsewhere: in hardware, or with a key service.

use std::fmt;
use std::sync::Arc;

use crate::key::{KeyKind, SIGNATURE_BYTES, SigningKey, VerifierKey};

/// A key that signs notes with Ed25519. It may be late, or fail.
///
/// It signs the message itself (RFC 8032, Ed25519 without a prehash), never a hash over it. Whoever uses a signature has it
/// verified first: see [`LogSigners::sign`].
pub trait NoteSigner: Send + Sync + 'static {
    /// The public key that verifies the signatures.
    fn verifier(&self) -> &VerifierKey;

    /// Signs a message. It may block for as long as the signer's own limit allows, and no longer.
    ///
    /// # Errors
    /// The signer gave no signature in time.
    fn sign(&self, message: &[u8]) -> Result<[u8; SIGNATURE_BYTES], SignError>;
}

/// A signature that a signer did not give. Nothing was signed, as far as this process knows: a signature that comes later
/// is thrown away.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The signer has not answered within its limit, in milliseconds, or is still busy with an earlier message that it did not
    /// sign in time.
    #[error("the signer of {key:?} has not answered within {limit_ms} ms")]
    Late {
        /// The name of the key.
        key: String,
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// The signer failed, for the reason in the text, which has no secret.
    #[error("the signer of {key:?} failed: {why}")]
    Failed {
        /// The name of the key.
        key: String,
        /// The reason, for the operator.
        why: String,
    },
    /// The answer is not a signature of the key over the message.
    #[error("the signer of {0:?} has answered with a signature that does not verify")]
    Invalid(String),
}

/// The signers of a log: the one in use, and during an overlap of two keys a second one. Both sign each checkpoint, and both
/// have the log's origin as their name.
///
/// A clone shares the signers.
#[derive(Clone)]
pub struct LogSigners {
    current: Arc<dyn NoteSigner>,
    second: Option<Arc<dyn NoteSigner>>,
}

impl LogSigners {
    /// Makes the signers of a log that has one key.
    pub fn new(current: Arc<dyn NoteSigner>) -> Self {
        Self { current, second: None }
    }

    /// Adds the second signer of an overlap. `None` where it has another origin or the same key.
    pub fn with_second(self, second: Arc<dyn NoteSigner>) -> Option<Self> {
        let (first, other) = (self.current.verifier(), second.verifier());
        let fits = first.name() == other.name() && first != other;
        fits.then(|| Self { second: Some(second), ..self })
    }

    /// The log's origin, which is the name of its keys.
    pub fn name(&self) -> &str {
        self.current.verifier().name()
    }

    /// The public key of the signer in use.
    pub fn verifier(&self) -> VerifierKey {
        self.current.verifier().clone()
    }

    /// The public keys of all signers: the one in use first.
    pub fn verifiers(&self) -> Vec<VerifierKey> {
        self.each().map(|signer| signer.verifier().clone()).collect()
    }

    /// The signers by themselves, the one in use first.
    pub fn into_signers(self) -> Vec<Arc<dyn NoteSigner>> {
        [Some(self.current), self.second].into_iter().flatten().collect()
    }

    /// The signers, the one in use first.
    pub(crate) fn each(&self) -> impl Iterator<Item = &dyn NoteSigner> {
        [Some(&self.current), self.second.as_ref()].into_iter().flatten().map(|signer| &**signer)
    }

    /// Signs a message with the signer in use: a statement with the log's key that is not a checkpoint.
    ///
    /// # Errors
    /// See [`SignError`].
    pub fn sign(&self, message: &[u8]) -> Result<[u8; SIGNATURE_BYTES], SignError> {
        signed_by(&*self.current, message)
    }
}

/// The signature of a signer over a message, which verifies. A signer elsewhere may answer with anything, for example with the
/// signature over the message before this one.
pub(crate) fn signed_by(signer: &dyn NoteSigner, message: &[u8]) -> Result<[u8; SIGNATURE_BYTES], SignError> {
    let signature = signer.sign(message)?;
    let key = signer.verifier();
    if key.kind() == KeyKind::Ed25519 && key.has_signed(message, &signature) {
        Ok(signature)
    } else {
        Err(SignError::Invalid(key.name().to_owned()))
    }
}

impl From<SigningKey> for LogSigners {
    fn from(key: SigningKey) -> Self {
        Self::new(Arc::new(key))
    }
}

impl fmt::Debug for LogSigners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.each().map(NoteSigner::verifier)).finish()
    }
}

/// A key of this process, which never fails.
impl NoteSigner for SigningKey {
    fn verifier(&self) -> &VerifierKey {
        self.verifier_ref()
    }

    fn sign(&self, message: &[u8]) -> Result<[u8; SIGNATURE_BYTES], SignError> {
        Ok(self.sign_bytes(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Checkpoint, CheckpointError, EMPTY_ROOT, Note};

    const ORIGIN: &str = "notary.example/log";

    fn key(seed: u8) -> SigningKey {
        SigningKey::from_seed(ORIGIN, &[seed; 32]).unwrap()
    }

    /// Has the public key of one key and signs with another, or not at all.
    struct Liar(SigningKey, Option<SigningKey>);

    impl NoteSigner for Liar {
        fn verifier(&self) -> &VerifierKey {
            NoteSigner::verifier(&self.0)
        }

        fn sign(&self, message: &[u8]) -> Result<[u8; 64], SignError> {
            let failed = SignError::Late { key: ORIGIN.to_owned(), limit_ms: 1 };
            self.1.as_ref().map(|key| key.sign_bytes(message)).ok_or(failed)
        }
    }

    #[test]
    fn both_keys_of_an_overlap_sign_a_checkpoint() {
        let head = Checkpoint::new(ORIGIN, 0, EMPTY_ROOT).unwrap();
        let one = LogSigners::from(key(1));
        assert_eq!(head.sign_with(&one).unwrap(), head.sign(&key(1)).unwrap());
        let both = one.clone().with_second(Arc::new(key(2))).unwrap();
        let note: Note = head.sign_with(&both).unwrap().parse().unwrap();
        assert_eq!(note.verify(&both.verifiers()).unwrap().len(), 2);
        assert!(note.signatures()[0].names(&both.verifier()), "the one in use is first");
        assert!(one.clone().with_second(Arc::new(key(1))).is_none(), "the same key");
        let foreign = SigningKey::from_seed("other.example/log", &[2; 32]).unwrap();
        assert!(one.with_second(Arc::new(foreign)).is_none(), "another origin");
    }

    #[test]
    fn nothing_is_signed_where_a_signer_fails_or_signs_with_another_key() {
        let head = Checkpoint::new(ORIGIN, 0, EMPTY_ROOT).unwrap();
        for liar in [Liar(key(1), Some(key(2))), Liar(key(1), None)] {
            let expected = match liar.1 {
                Some(_) => SignError::Invalid(ORIGIN.to_owned()),
                None => SignError::Late { key: ORIGIN.to_owned(), limit_ms: 1 },
            };
            let liar = Arc::new(liar);
            let signers = LogSigners::new(Arc::clone(&liar) as _);
            assert_eq!(signers.sign(b"message"), Err(expected.clone()));
            assert_eq!(head.sign_with(&signers), Err(CheckpointError::NotSigned(expected.clone())));
            let second = LogSigners::from(key(3)).with_second(liar).unwrap();
            assert_eq!(head.sign_with(&second), Err(CheckpointError::NotSigned(expected)));
        }
    }
}

//! Strict verification of Ed25519 signatures.

use super::PublicKey;
use curve25519_dalek::constants::EIGHT_TORSION;
use ed25519_dalek::{Signature, Verifier as _};
use std::sync::LazyLock;
use thiserror::Error;

/// A public key with its decoded point, for many verifications.
///
/// Verification is strict: the scalar must be reduced (RFC 8032 section 5.1.7), the point `R` must be in its
/// canonical encoding, and neither `R` nor the key may be of small order. A signature that other verifiers may or may
/// not accept is refused here.
///
/// ```
/// use receipt::key::{SigningKey, VerifyingKey};
///
/// let key = SigningKey::from_seed(&[7; 32]);
/// let verifying = VerifyingKey::new(key.public_key())?;
/// let signature = key.sign(b"message");
/// assert!(verifying.verify(b"message", &signature).is_ok());
/// assert!(verifying.verify(b"massage", &signature).is_err());
/// # Ok::<(), receipt::key::WeakKey>(())
/// ```
#[derive(Clone, Debug)]
pub struct VerifyingKey {
    public: PublicKey,
    point: ed25519_dalek::VerifyingKey,
}

/// The 32 bytes are not a point of the curve, or are a point of small order, for which anybody can make signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not an Ed25519 public key, or one of small order")]
pub struct WeakKey;

/// The signature is not a valid signature by this key over this message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the signature does not verify")]
pub struct BadSignature;

impl VerifyingKey {
    /// Decodes the key's point.
    ///
    /// # Errors
    /// [`WeakKey`] where the bytes are not a point, or are one of small order.
    pub fn new(public: PublicKey) -> Result<Self, WeakKey> {
        let point = ed25519_dalek::VerifyingKey::from_bytes(&public.0).map_err(|_| WeakKey)?;
        if point.is_weak() { Err(WeakKey) } else { Ok(Self { public, point }) }
    }

    /// The key in its 32-byte encoding.
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    /// Verifies strictly: what `ed25519_dalek`'s `verify_strict` refuses is refused, some microseconds sooner, since
    /// `R` need not be decoded. It is compared with the recomputed point's one canonical encoding, so it is of small order
    /// only where it is one of eight texts.
    ///
    /// # Errors
    /// [`BadSignature`] where it does not hold.
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> Result<(), BadSignature> {
        static SMALL_ORDER: LazyLock<[[u8; 32]; 8]> =
            LazyLock::new(|| EIGHT_TORSION.map(|point| point.compress().to_bytes()));
        let signature = Signature::from_bytes(signature);
        self.point.verify(message, &signature).map_err(|_| BadSignature)?;
        if SMALL_ORDER.contains(signature.r_bytes()) { Err(BadSignature) } else { Ok(()) }
    }
}

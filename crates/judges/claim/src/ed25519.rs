//! Strict Ed25519: one key, one message and one signature have one answer, whoever asks.
//!
//! RFC 8032 leaves room in which verifiers disagree (Chalkias, Garillot and Nikolaenko, "Taming the many
//! EdDSAs", 2020). A notary's answer must be one that no other careful verifier contradicts, so everything in
//! that room is refused: a scalar S that is not below the group's order, a key A or commitment R that is not
//! the canonical encoding of its point or is of small order, and a signature that holds only after
//! multiplying by the cofactor. What remains is what ed25519-dalek calls `verify_strict`, and a canonical A.

use receipt::key::{PublicKey, VerifyingKey};

/// The reason why a signature is not valid under a key, in the order in which the reasons are checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum SignatureFlaw {
    /// The 32 bytes of the key decode to no point of the curve.
    #[error("the key is not a point of the curve")]
    KeyOffCurve,
    /// The key is not the canonical encoding of its point.
    #[error("the key is not the canonical encoding of its point")]
    KeyNotCanonical,
    /// The key is one of the eight points of small order, under which nearly every signature verifies.
    #[error("the key is a point of small order")]
    KeySmallOrder,
    /// S is not below the group order, or R is not the canonical encoding of a point.
    #[error("the signature is not canonically encoded")]
    SignatureNotCanonical,
    /// R is one of the eight points of small order.
    #[error("the signature's commitment is a point of small order")]
    SignatureSmallOrder,
    /// The equation of the signature does not hold: it was made for another message or with another key.
    #[error("the signature is not one of this key over this message")]
    SignatureMismatch,
}

impl SignatureFlaw {
    /// Returns the stable reason code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::KeyOffCurve => "key_off_curve",
            Self::KeyNotCanonical => "key_not_canonical",
            Self::KeySmallOrder => "key_small_order",
            Self::SignatureNotCanonical => "signature_not_canonical",
            Self::SignatureSmallOrder => "signature_small_order",
            Self::SignatureMismatch => "signature_mismatch",
        }
    }
}

/// Verifies a signature strictly (RFC 8032 section 5.1.7), with every check that the RFC leaves optional.
///
/// ```
/// use claim::ed25519::{SignatureFlaw, verify};
///
/// let key = receipt::key::SigningKey::from_seed(&[7; 32]);
/// let (public, signature) = (key.public_key(), key.sign(b"it is so"));
/// assert_eq!(verify(&public.0, b"it is so", &signature), Ok(()));
/// assert_eq!(verify(&public.0, b"it is not", &signature), Err(SignatureFlaw::SignatureMismatch));
/// assert_eq!(verify(&[0; 32], b"it is so", &signature), Err(SignatureFlaw::KeySmallOrder));
/// ```
///
/// # Errors
/// The first flaw, in the order of [`SignatureFlaw`].
pub fn verify(public_key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> Result<(), SignatureFlaw> {
    if holds(public_key, message, signature) { Ok(()) } else { Err(flaw(public_key, signature)) }
}

/// The strict rules at their least cost. A key with its y below the field's prime is canonical: the one other
/// spelling, a sign for x = 0, is of a point of small order, and [`receipt::key::VerifyingKey`] refuses those, in
/// the key and in R, which it compares with the one canonical encoding of what it computes.
fn holds(public_key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    let mut y = *public_key;
    y[31] &= 0x7f;
    let key = y.iter().rev().lt(PRIME.iter().rev()).then(|| VerifyingKey::new(PublicKey(*public_key)).ok());
    key.flatten().is_some_and(|key| key.verify(message, signature).is_ok())
}

/// Returns the flaw of a signature that is not valid.
fn flaw(public_key: &[u8; 32], signature: &[u8; 64]) -> SignatureFlaw {
    let (commitment, scalar) = signature.split_first_chunk::<32>().expect("64 bytes begin with 32");
    match (point(public_key), point(commitment)) {
        (Some(PointFlaw::OffCurve), _) => SignatureFlaw::KeyOffCurve,
        (Some(PointFlaw::NotCanonical), _) => SignatureFlaw::KeyNotCanonical,
        (Some(PointFlaw::SmallOrder), _) => SignatureFlaw::KeySmallOrder,
        (None, Some(PointFlaw::OffCurve | PointFlaw::NotCanonical)) => SignatureFlaw::SignatureNotCanonical,
        (None, Some(PointFlaw::SmallOrder)) => SignatureFlaw::SignatureSmallOrder,
        (None, None) if !scalar.iter().rev().lt(ORDER.iter().rev()) => SignatureFlaw::SignatureNotCanonical,
        (None, None) => SignatureFlaw::SignatureMismatch,
    }
}

/// 2^255 - 19, least byte first (RFC 8032 section 5.1).
const PRIME: [u8; 32] = {
    let mut prime = [0xff; 32];
    prime[0] = 0xed;
    prime[31] = 0x7f;
    prime
};

/// The order of the group, 2^252 + 27742317777372353535851937790883648493, least byte first (RFC 8032 section
/// 5.1).
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

enum PointFlaw {
    OffCurve,
    NotCanonical,
    SmallOrder,
}

/// Returns the reason why 32 bytes are not the canonical encoding of a point that is not of small order.
fn point(bytes: &[u8; 32]) -> Option<PointFlaw> {
    let Ok(key) = ed25519_dalek::VerifyingKey::from_bytes(bytes) else { return Some(PointFlaw::OffCurve) };
    if key.to_edwards().compress().to_bytes() != *bytes {
        return Some(PointFlaw::NotCanonical);
    }
    key.is_weak().then_some(PointFlaw::SmallOrder)
}

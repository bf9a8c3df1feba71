//! Keys of signed notes: C2SP signed-note, "Signatures" and "Verifier keys"; C2SP tlog-cosignature, "Format".

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use aws_lc_rs::encoding::AsBigEndian as _;
use aws_lc_rs::signature::{
    ED25519, Ed25519KeyPair, KeyPair as _, ML_DSA_44, ParsedPublicKey, VerificationAlgorithm,
};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::text::{from_base64, has_control, to_base64};

/// The bytes of a private key's seed: of Ed25519 (RFC 8032) and of ML-DSA-44 (FIPS 204).
pub(crate) const SEED_BYTES: usize = 32;

/// The bytes of an Ed25519 signature (RFC 8032).
pub const SIGNATURE_BYTES: usize = 64;

/// The bytes of an ML-DSA-44 signature (FIPS 204, table 2).
pub(crate) const ML_DSA_44_SIGNATURE_BYTES: usize = 2420;

/// The prefix of a signing key's text, so that nobody takes it for a verifying key.
const PRIVATE_PREFIX: &str = "PRIVATE+KEY+";

/// The longest key name that is accepted, in bytes. The standard sets no bound.
pub const MAX_NAME_BYTES: usize = 1024;

/// An error in a key of signed notes. No message contains the key's material.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The name is empty, is longer than [`MAX_NAME_BYTES`], or has a space, a plus sign or a control character.
    #[error("key name {0:?} is not allowed")]
    Name(String),
    /// The text is not of the form `<name>+<key ID>+<base64>`, with a key ID of eight lowercase hexadecimal digits.
    #[error("not a key of a signed note")]
    Malformed,
    /// The signature type is one that this crate cannot verify or sign with.
    #[error("signature type {kind:#04x} of key {name:?} is not supported")]
    UnknownType {
        /// The name of the key.
        name: String,
        /// The signature type identifier byte.
        kind: u8,
    },
    /// The public key of the key with this name is not a valid one of its signature type.
    #[error("the public key of {0:?} is not valid for its signature type")]
    PublicKey(String),
    /// The key ID of the key with this name does not follow from its name and its public key.
    #[error("the key id of {0:?} does not fit the key")]
    IdMismatch(String),
}

/// The use of a key, which its signature type identifier byte says (C2SP signed-note).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// 0x01: Ed25519 over the note's text (C2SP signed-note).
    Ed25519,
    /// 0x04: Ed25519 over a time and the note's text, by a witness (C2SP tlog-cosignature).
    CosignatureV1,
    /// 0x06: ML-DSA-44 over a time and the head of a tree, by a witness or a log (C2SP tlog-cosignature).
    MlDsa44,
}

impl KeyKind {
    /// The signature type identifier byte.
    pub fn byte(self) -> u8 {
        match self {
            Self::Ed25519 => 0x01,
            Self::CosignatureV1 => 0x04,
            Self::MlDsa44 => 0x06,
        }
    }

    /// Returns true if a signature of this type is a cosignature, which has a time.
    pub fn is_cosignature(self) -> bool {
        match self {
            Self::Ed25519 => false,
            Self::CosignatureV1 | Self::MlDsa44 => true,
        }
    }

    /// The bytes of a public key: 32 (RFC 8032) or 1312 (FIPS 204, table 2).
    pub fn public_key_bytes(self) -> usize {
        match self {
            Self::Ed25519 | Self::CosignatureV1 => 32,
            Self::MlDsa44 => 1312,
        }
    }

    fn signature_bytes(self) -> usize {
        match self {
            Self::Ed25519 | Self::CosignatureV1 => SIGNATURE_BYTES,
            Self::MlDsa44 => ML_DSA_44_SIGNATURE_BYTES,
        }
    }

    fn algorithm(self) -> &'static dyn VerificationAlgorithm {
        match self {
            Self::Ed25519 | Self::CosignatureV1 => &ED25519,
            Self::MlDsa44 => &ML_DSA_44,
        }
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Ed25519, Self::CosignatureV1, Self::MlDsa44].into_iter().find(|kind| kind.byte() == byte)
    }
}

/// Checks that a key name is allowed: not empty, and without Unicode spaces, plus signs and control characters.
pub(crate) fn check_name(name: &str) -> Result<(), KeyError> {
    let spaced = name.contains(|c: char| c.is_whitespace() || c == '+');
    if name.is_empty() || name.len() > MAX_NAME_BYTES || spaced || has_control(name) {
        return Err(KeyError::Name(name.chars().take(64).collect()));
    }
    Ok(())
}

/// The key ID: the first four bytes of SHA-256 over name, newline, signature type and public key.
fn key_id(name: &str, kind: KeyKind, public: &[u8]) -> [u8; 4] {
    let mut hasher = Sha256::new();
    hasher.update(name);
    hasher.update([b'\n', kind.byte()]);
    hasher.update(public);
    let hash = hasher.finalize();
    [hash[0], hash[1], hash[2], hash[3]]
}

pub(crate) fn id_text(id: [u8; 4]) -> String {
    format!("{:08x}", u32::from_be_bytes(id))
}

/// Splits `<name>+<id>+<base64>` into the name, the ID and the key's bytes, signature type first.
fn split_key(text: &str) -> Result<(&str, &str, Zeroizing<Vec<u8>>), KeyError> {
    let mut parts = text.splitn(3, '+');
    let (Some(name), Some(id), Some(data)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(KeyError::Malformed);
    };
    check_name(name)?;
    let data = from_base64(data).map(Zeroizing::new).filter(|data| !data.is_empty());
    Ok((name, id, data.ok_or(KeyError::Malformed)?))
}

/// The name, the key ID, the signature type and the seed of a private text.
type PrivateParts<'t> = (&'t str, &'t str, KeyKind, Zeroizing<[u8; SEED_BYTES]>);

/// Reads `PRIVATE+KEY+<name>+<id>+<base64 of signature type and seed>`.
pub(crate) fn split_private(text: &str) -> Result<PrivateParts<'_>, KeyError> {
    let (name, id, data) = split_key(text.strip_prefix(PRIVATE_PREFIX).ok_or(KeyError::Malformed)?)?;
    let kind = KeyKind::from_byte(data[0])
        .ok_or_else(|| KeyError::UnknownType { name: name.to_owned(), kind: data[0] })?;
    let seed = data[1..].try_into().map_err(|_| KeyError::Malformed)?;
    Ok((name, id, kind, Zeroizing::new(seed)))
}

/// Writes the private text that [`split_private`] reads.
pub(crate) fn join_private(key: &VerifierKey, seed: &[u8]) -> Zeroizing<String> {
    let mut data = Zeroizing::new(Vec::with_capacity(1 + SEED_BYTES));
    data.push(key.kind().byte());
    data.extend_from_slice(seed);
    let encoded = Zeroizing::new(to_base64(&data));
    let parts = [PRIVATE_PREFIX, key.name(), "+", &id_text(key.id()), "+", &encoded];
    Zeroizing::new(parts.concat())
}

/// A key that verifies note signatures: a name, a signature type and a public key.
///
/// The text form is the vkey `<name>+<key ID>+<base64 of signature type and public key>`. A clone shares the public
/// key, which takes some 4 kB of memory for ML-DSA-44.
#[derive(Clone)]
pub struct VerifierKey {
    name: String,
    kind: KeyKind,
    id: [u8; 4],
    public: Arc<ParsedPublicKey>,
}

impl VerifierKey {
    /// Makes a key from its name, its signature type and its public key: 32 bytes of Ed25519, 1312 of ML-DSA-44.
    pub fn new(name: &str, kind: KeyKind, public: &[u8]) -> Result<Self, KeyError> {
        check_name(name)?;
        let invalid = || KeyError::PublicKey(name.to_owned());
        // The parser would read other encodings of a public key as well, which have other lengths.
        if public.len() != kind.public_key_bytes() {
            return Err(invalid());
        }
        let parsed = ParsedPublicKey::new(kind.algorithm(), public).map_err(|_| invalid())?;
        Ok(Self { name: name.to_owned(), kind, id: key_id(name, kind, public), public: Arc::new(parsed) })
    }

    /// The name of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key ID, which every signature by the key begins with: the first 4 bytes of a hash over the name, the
    /// signature type and the public key (C2SP signed-note).
    pub fn id(&self) -> [u8; 4] {
        self.id
    }

    /// The signature type of the key.
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The public key: 32 bytes of Ed25519 (RFC 8032), or 1312 of ML-DSA-44 (FIPS 204).
    pub fn public_key(&self) -> &[u8] {
        (*self.public).as_ref()
    }

    /// Returns true if the bytes are a signature of this key over the message. A witness signs another message than a note's text:
    /// see [`cosignature`](crate::cosignature).
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        signature.len() == self.kind.signature_bytes() && self.public.verify_sig(message, signature).is_ok()
    }
}

impl FromStr for VerifierKey {
    type Err = KeyError;

    fn from_str(vkey: &str) -> Result<Self, KeyError> {
        let (name, id, data) = split_key(vkey)?;
        let kind = KeyKind::from_byte(data[0])
            .ok_or_else(|| KeyError::UnknownType { name: name.to_owned(), kind: data[0] })?;
        let key = Self::new(name, kind, &data[1..])?;
        if id_text(key.id) == id { Ok(key) } else { Err(KeyError::IdMismatch(name.to_owned())) }
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut data = vec![self.kind.byte()];
        data.extend_from_slice(self.public_key());
        write!(f, "{}+{}+{}", self.name, id_text(self.id), to_base64(&data))
    }
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifierKey({self})")
    }
}

impl PartialEq for VerifierKey {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.kind, self.public_key()) == (&other.name, other.kind, other.public_key())
    }
}

impl Eq for VerifierKey {}

/// A key that signs notes with Ed25519 (signature type 0x01).
///
/// `Debug` does not show the secret; only [`to_private_text`](Self::to_private_text) returns it.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    verifier: VerifierKey,
}

impl SigningKey {
    /// Makes a key from its name and its 32-byte seed (RFC 8032, section 5.1.5).
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| KeyError::Malformed)?;
        Ok(Self { verifier: VerifierKey::new(name, KeyKind::Ed25519, pair.public_key().as_ref())?, pair })
    }

    /// Reads `PRIVATE+KEY+<name>+<key ID>+<base64 of 0x01 and seed>`, the form of the Go note package.
    pub fn from_private_text(text: &str) -> Result<Self, KeyError> {
        let (name, id, kind, seed) = split_private(text)?;
        if kind != KeyKind::Ed25519 {
            return Err(KeyError::UnknownType { name: name.to_owned(), kind: kind.byte() });
        }
        let key = Self::from_seed(name, &seed)?;
        if id_text(key.id()) == id { Ok(key) } else { Err(KeyError::IdMismatch(name.to_owned())) }
    }

    /// The private text of the key, as [`from_private_text`](Self::from_private_text) reads it. It is secret: its
    /// holder can sign with the key.
    pub fn to_private_text(&self) -> Zeroizing<String> {
        let seed = self.pair.seed().and_then(|seed| seed.as_be_bytes());
        join_private(&self.verifier, seed.expect("the pair was made from a seed").as_ref())
    }

    /// The name of the key.
    pub fn name(&self) -> &str {
        self.verifier.name()
    }

    /// The key ID, which every signature by the key begins with (C2SP signed-note).
    pub fn id(&self) -> [u8; 4] {
        self.verifier.id()
    }

    /// The public key that verifies the signatures of this key.
    pub fn verifier(&self) -> VerifierKey {
        self.verifier.clone()
    }

    /// The public key, borrowed.
    pub(crate) fn verifier_ref(&self) -> &VerifierKey {
        &self.verifier
    }

    /// The Ed25519 signature over the message.
    pub(crate) fn sign_bytes(&self, message: &[u8]) -> [u8; SIGNATURE_BYTES] {
        let mut bytes = [0; SIGNATURE_BYTES];
        bytes.copy_from_slice(self.pair.sign(message).as_ref());
        bytes
    }

    /// The key ID and the Ed25519 signature over the message, as a signature line carries them.
    pub(crate) fn sign_with_id(&self, message: &[u8]) -> [u8; 4 + SIGNATURE_BYTES] {
        let mut bytes = [0; 4 + SIGNATURE_BYTES];
        bytes[..4].copy_from_slice(&self.id());
        bytes[4..].copy_from_slice(&self.sign_bytes(message));
        bytes
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({}+{})", self.name(), id_text(self.id()))
    }
}

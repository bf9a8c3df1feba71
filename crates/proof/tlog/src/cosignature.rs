//! Cosignatures, which witnesses make over checkpoints: C2SP tlog-cosignature.
//!
//! Both types carry a time, in seconds since 1970-01-01T00:00:00Z, before the signature. Type 0x04 signs the time and
//! the whole text of the checkpoint with Ed25519. Type 0x06 signs the time, the names of cosigner and log, and the
//! tree's size and root with ML-DSA-44; the extension lines are not signed. A log may sign its own checkpoints with
//! type 0x06, and then with the time 0.

use std::fmt;

use aws_lc_rs::encoding::AsBigEndian as _;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _, ML_DSA_44_SIGNING, PqdsaKeyPair};
use zeroize::Zeroizing;

use crate::checkpoint::Checkpoint;
use crate::key::{
    KeyError, KeyKind, ML_DSA_44_SIGNATURE_BYTES, SEED_BYTES, VerifierKey, id_text, join_private,
    split_private,
};
use crate::note::NoteSignature;

/// The latest time that a cosignature may have (C2SP tlog-cosignature, "Format").
pub const MAX_TIME: u64 = i64::MAX as u64;

/// The longest name of a cosigner or a log that an ML-DSA-44 cosignature can carry, in bytes.
pub const MAX_ML_DSA_NAME_BYTES: usize = u8::MAX as usize;

/// The first bytes of a message that ML-DSA-44 signs.
const ML_DSA_LABEL: &[u8; 12] = b"subtree/v1\n\0";

/// An error in making a cosignature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CosignError {
    /// The time is 0, which would make no statement on the age of the tree, or is above [`MAX_TIME`].
    #[error("{0} is no time of a cosignature")]
    Time(u64),
    /// The origin is longer than [`MAX_ML_DSA_NAME_BYTES`].
    #[error("an origin of {0} bytes is too long for an ML-DSA-44 cosignature")]
    OriginTooLong(usize),
    /// The cryptographic library failed to sign.
    #[error("the signing failed")]
    Signing,
}

/// Verifies the bytes of a cosignature, time first, over a note's text with a key of either cosigning type. Gives the
/// time.
pub(crate) fn verify(key: &VerifierKey, text: &str, bytes: &[u8]) -> Option<u64> {
    let (time, signature) = bytes.split_first_chunk()?;
    let time = u64::from_be_bytes(*time);
    if time > MAX_TIME {
        return None;
    }
    let message = match key.kind() {
        KeyKind::Ed25519 => return None,
        KeyKind::CosignatureV1 => ed25519_message(text, time),
        KeyKind::MlDsa44 => ml_dsa_message(key.name(), &text.parse().ok()?, time)?,
    };
    key.has_signed(&message, signature).then_some(time)
}

fn ed25519_message(text: &str, time: u64) -> Vec<u8> {
    format!("cosignature/v1\ntime {time}\n{text}").into_bytes()
}

/// The structure `cosigned_message` for a whole tree. `None` if a name is too long.
fn ml_dsa_message(cosigner: &str, checkpoint: &Checkpoint, time: u64) -> Option<Vec<u8>> {
    let origin = checkpoint.origin();
    let (cosigner_length, origin_length) =
        (u8::try_from(cosigner.len()).ok()?, u8::try_from(origin.len()).ok()?);
    let root = checkpoint.root();
    let message = [
        &ML_DSA_LABEL[..],
        &[cosigner_length],
        cosigner.as_bytes(),
        &time.to_be_bytes(),
        &[origin_length],
        origin.as_bytes(),
        &0_u64.to_be_bytes(),
        &checkpoint.size().to_be_bytes(),
        root.as_bytes(),
    ];
    Some(message.concat())
}

/// A witness's key, which makes cosignatures of type 0x04 (Ed25519) or 0x06 (ML-DSA-44).
///
/// Its operator must use a public key of type 0x04 under one name only: that type does not sign the name (C2SP
/// tlog-cosignature). `Debug` does not show the secret; only [`to_private_text`](Self::to_private_text) returns it.
///
/// ```
/// use tlog::{Checkpoint, CosignerKey, EMPTY_ROOT, KeyKind, Note};
///
/// let key = CosignerKey::from_seed("witness.example/w1", KeyKind::MlDsa44, &[7; 32])?;
/// let head = Checkpoint::new("example.com/log", 0, EMPTY_ROOT)?;
/// let note = Note::new(&head.to_string(), vec![key.cosign(&head, 1_679_315_147)?])?;
/// assert_eq!(note.verify(&[key.verifier()])?[0].timestamp, Some(1_679_315_147));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CosignerKey {
    pair: Pair,
    verifier: VerifierKey,
}

/// The secret half of a key, with the seed that ML-DSA-44's pair does not give back.
enum Pair {
    Ed25519(Ed25519KeyPair),
    MlDsa44(PqdsaKeyPair, Zeroizing<[u8; SEED_BYTES]>),
}

impl CosignerKey {
    /// Makes a key from its name, its cosigning type and its 32-byte seed (RFC 8032, section 5.1.5; FIPS 204,
    /// algorithm 6). The name of an ML-DSA-44 key may have [`MAX_ML_DSA_NAME_BYTES`].
    pub fn from_seed(name: &str, kind: KeyKind, seed: &[u8; 32]) -> Result<Self, KeyError> {
        let rejected = |_| KeyError::Malformed;
        let (pair, verifier) = match kind {
            KeyKind::Ed25519 => {
                return Err(KeyError::UnknownType { name: name.to_owned(), kind: kind.byte() });
            }
            KeyKind::CosignatureV1 => {
                let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(rejected)?;
                let verifier = VerifierKey::new(name, kind, pair.public_key().as_ref())?;
                (Pair::Ed25519(pair), verifier)
            }
            KeyKind::MlDsa44 => {
                if name.len() > MAX_ML_DSA_NAME_BYTES {
                    return Err(KeyError::Name(name.chars().take(64).collect()));
                }
                let pair = PqdsaKeyPair::from_seed(&ML_DSA_44_SIGNING, seed).map_err(rejected)?;
                let verifier = VerifierKey::new(name, kind, pair.public_key().as_ref())?;
                (Pair::MlDsa44(pair, Zeroizing::new(*seed)), verifier)
            }
        };
        Ok(Self { pair, verifier })
    }

    /// Reads `PRIVATE+KEY+<name>+<key ID>+<base64 of signature type and seed>`.
    pub fn from_private_text(text: &str) -> Result<Self, KeyError> {
        let (name, id, kind, seed) = split_private(text)?;
        let key = Self::from_seed(name, kind, &seed)?;
        if id_text(key.verifier.id()) == id { Ok(key) } else { Err(KeyError::IdMismatch(name.to_owned())) }
    }

    /// The private text of the key, as [`from_private_text`](Self::from_private_text) reads it. It is secret: its
    /// holder can sign with the key.
    pub fn to_private_text(&self) -> Zeroizing<String> {
        match &self.pair {
            Pair::Ed25519(pair) => {
                let seed = pair.seed().and_then(|seed| seed.as_be_bytes());
                join_private(&self.verifier, seed.expect("the pair was made from a seed").as_ref())
            }
            Pair::MlDsa44(_, seed) => join_private(&self.verifier, &seed[..]),
        }
    }

    /// The name of the key.
    pub fn name(&self) -> &str {
        self.verifier.name()
    }

    /// The cosigning type of the key.
    pub fn kind(&self) -> KeyKind {
        self.verifier.kind()
    }

    /// The public key that verifies the cosignatures of this key.
    pub fn verifier(&self) -> VerifierKey {
        self.verifier.clone()
    }

    /// Cosigns a checkpoint at a time, in seconds since 1970-01-01T00:00:00Z.
    ///
    /// This is the statement that the cosigner has seen no larger tree of the log, and none that is inconsistent with
    /// this one. The caller must have checked it.
    pub fn cosign(&self, checkpoint: &Checkpoint, time: u64) -> Result<NoteSignature, CosignError> {
        if !(1..=MAX_TIME).contains(&time) {
            return Err(CosignError::Time(time));
        }
        let mut bytes = time.to_be_bytes().to_vec();
        match &self.pair {
            Pair::Ed25519(pair) => {
                let message = ed25519_message(&checkpoint.to_string(), time);
                bytes.extend_from_slice(pair.sign(&message).as_ref());
            }
            Pair::MlDsa44(pair, _) => {
                let message = ml_dsa_message(self.name(), checkpoint, time)
                    .ok_or_else(|| CosignError::OriginTooLong(checkpoint.origin().len()))?;
                let mut signature = [0; ML_DSA_44_SIGNATURE_BYTES];
                pair.sign(&message, &mut signature).map_err(|_| CosignError::Signing)?;
                bytes.extend_from_slice(&signature);
            }
        }
        Ok(NoteSignature::of_key(&self.verifier, bytes))
    }
}

impl fmt::Debug for CosignerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CosignerKey({}+{})", self.name(), id_text(self.verifier.id()))
    }
}

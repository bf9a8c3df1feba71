//! Signed notes: C2SP signed-note, "Format" and "Signatures"; cosignatures: C2SP tlog-cosignature.

use std::fmt;
use std::str::FromStr;

use crate::cosignature;
use crate::key::{KeyKind, SIGNATURE_BYTES, SigningKey, VerifierKey, check_name};
use crate::text::{from_base64, has_control, to_base64};

/// The longest note that is read, in bytes.
pub const MAX_NOTE_BYTES: usize = 1 << 20;

/// The most signatures that a note may have. C2SP signed-note asks that at least 16 be accepted.
pub const MAX_SIGNATURES: usize = 100;

/// The prefix of a signature line: an em dash (U+2014) and a space.
const SIGNATURE_PREFIX: &str = "\u{2014} ";

/// An error in a signed note or in its signatures.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// The note has this many bytes, more than [`MAX_NOTE_BYTES`].
    #[error("a note of {0} bytes is too long")]
    TooLong(usize),
    /// The note is not UTF-8.
    #[error("the note is not utf-8")]
    NotUtf8,
    /// The note has an ASCII control character other than newline.
    #[error("the note has a control character")]
    ControlCharacter,
    /// The text to be signed does not end in a newline.
    #[error("the note's text does not end in a newline")]
    NoFinalNewline,
    /// The note has no empty line with a signature line after it.
    #[error("the note has no signatures after an empty line")]
    NoSignatures,
    /// The note has more than [`MAX_SIGNATURES`] signatures.
    #[error("the note has more than 100 signatures")]
    TooManySignatures,
    /// The line of this number, counted from 1 after the last empty line, is not a signature line.
    #[error("signature line {0} is malformed")]
    SignatureLine(usize),
    /// A signature that names the known key of this name is not valid.
    #[error("the signature of {0} does not verify")]
    BadSignature(String),
    /// No signature is by a known key.
    #[error("no signature is of a known key")]
    NoKnownKey,
}

/// A text and the signatures over it (C2SP signed-note). Nothing is verified before [`verify`](Note::verify).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

/// One signature line of a note: a key's name and ID, and the signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSignature {
    name: String,
    id: [u8; 4],
    bytes: Vec<u8>,
}

/// A verified signature by a known key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedSignature<'k> {
    /// The key that made the signature.
    pub key: &'k VerifierKey,
    /// The time at which a witness signed, in seconds since 1970-01-01T00:00:00Z. `None` for a signature that is not a
    /// cosignature.
    pub timestamp: Option<u64>,
}

impl NoteSignature {
    /// The name of the key in the signature line, which is not verified.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key ID in the signature line.
    pub fn id(&self) -> [u8; 4] {
        self.id
    }

    /// The bytes after the key ID: the signature, in the form of its signature type.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Makes the signature of a key, which is not verified: its ID is put before the bytes in the signature line.
    pub fn of_key(key: &VerifierKey, bytes: Vec<u8>) -> Self {
        Self { name: key.name().to_owned(), id: key.id(), bytes }
    }

    /// Returns true if the name and the key ID are those of the key. Only [`Note::verify`] tells who signed.
    pub fn names(&self, key: &VerifierKey) -> bool {
        self.id == key.id() && self.name == key.name()
    }

    fn from_line(line: &str) -> Option<Self> {
        let (name, encoded) = line.strip_prefix(SIGNATURE_PREFIX)?.split_once(' ')?;
        check_name(name).ok()?;
        let decoded = from_base64(encoded)?;
        let (id, bytes) = decoded.split_first_chunk()?;
        (!bytes.is_empty()).then(|| Self { name: name.to_owned(), id: *id, bytes: bytes.to_vec() })
    }

    /// Verifies the signature with a key of its name and ID. Gives a cosignature's time.
    fn verify(&self, key: &VerifierKey, text: &str) -> Option<Option<u64>> {
        match key.kind() {
            KeyKind::Ed25519 => key.has_signed(text.as_bytes(), &self.bytes).then_some(None),
            KeyKind::CosignatureV1 | KeyKind::MlDsa44 => {
                cosignature::verify(key, text, &self.bytes).map(Some)
            }
        }
    }
}

impl FromStr for NoteSignature {
    type Err = NoteError;

    /// Reads a signature line without its newline.
    fn from_str(line: &str) -> Result<Self, NoteError> {
        if line.len() > MAX_NOTE_BYTES {
            return Err(NoteError::TooLong(line.len()));
        }
        Self::from_line(line).ok_or(NoteError::SignatureLine(1))
    }
}

impl fmt::Display for NoteSignature {
    /// The signature line without its newline.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&self.id[..], &self.bytes].concat();
        write!(f, "{SIGNATURE_PREFIX}{} {}", self.name, to_base64(&bytes))
    }
}

impl Note {
    /// Signs a text with one or more keys. The text must end in a newline and be a valid note text.
    pub fn sign(text: &str, keys: &[&SigningKey]) -> Result<Self, NoteError> {
        let signatures = keys.iter().take(MAX_SIGNATURES + 1).map(|key| {
            let signed = key.sign_with_id(text.as_bytes());
            NoteSignature { name: key.name().to_owned(), id: key.id(), bytes: signed[4..].to_vec() }
        });
        Self::new(text, signatures.collect())
    }

    /// Joins a text and signatures over it, which are not verified: a checkpoint and its cosignatures, for example.
    pub fn new(text: &str, signatures: Vec<NoteSignature>) -> Result<Self, NoteError> {
        check_text(text)?;
        match signatures.len() {
            0 => Err(NoteError::NoSignatures),
            1..=MAX_SIGNATURES => Ok(Self { text: text.to_owned(), signatures }),
            _ => Err(NoteError::TooManySignatures),
        }
    }

    /// Reads a note from bytes. Bytes that are not UTF-8 are the error [`NoteError::NotUtf8`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NoteError> {
        if bytes.len() > MAX_NOTE_BYTES {
            return Err(NoteError::TooLong(bytes.len()));
        }
        std::str::from_utf8(bytes).map_err(|_| NoteError::NotUtf8)?.parse()
    }

    /// The signed text, with its final newline.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signature lines, in their order.
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.signatures
    }

    /// Verifies every signature that claims to be of a known key (by name and key ID) and ignores the others.
    ///
    /// It is an error if one of them is not valid, or if there is none (C2SP signed-note, "Signatures").
    pub fn verify<'k>(&self, keys: &'k [VerifierKey]) -> Result<Vec<VerifiedSignature<'k>>, NoteError> {
        let mut verified = Vec::new();
        for signature in &self.signatures {
            let mut known = keys.iter().filter(|key| signature.names(key)).peekable();
            if known.peek().is_none() {
                continue;
            }
            let found = known.find_map(|key| {
                let timestamp = signature.verify(key, &self.text)?;
                Some(VerifiedSignature { key, timestamp })
            });
            verified.push(found.ok_or_else(|| NoteError::BadSignature(signature.name.clone()))?);
        }
        if verified.is_empty() { Err(NoteError::NoKnownKey) } else { Ok(verified) }
    }
}

impl FromStr for Note {
    type Err = NoteError;

    fn from_str(note: &str) -> Result<Self, NoteError> {
        if note.len() > MAX_NOTE_BYTES {
            return Err(NoteError::TooLong(note.len()));
        }
        if has_control(note) {
            return Err(NoteError::ControlCharacter);
        }
        let separator = note.rfind("\n\n").ok_or(NoteError::NoSignatures)?;
        let (text, lines) = (&note[..=separator], &note[separator + 2..]);
        let lines = lines.strip_suffix('\n').ok_or(NoteError::NoSignatures)?;
        let mut signatures = Vec::new();
        for (number, line) in (1..).zip(lines.split('\n')) {
            if number > MAX_SIGNATURES {
                return Err(NoteError::TooManySignatures);
            }
            signatures.push(NoteSignature::from_line(line).ok_or(NoteError::SignatureLine(number))?);
        }
        Ok(Self { text: text.to_owned(), signatures })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|signature| writeln!(f, "{signature}"))
    }
}

/// Signs a text that is known to be well formed with one key: the note's text, without the detour over [`Note`].
pub(crate) fn sign_text(text: &str, key: &SigningKey) -> Result<String, NoteError> {
    check_text(text)?;
    let signature = to_base64(&key.sign_with_id(text.as_bytes()));
    debug_assert_eq!(signature.len(), (4 + SIGNATURE_BYTES).div_ceil(3) * 4);
    Ok([text, "\n", SIGNATURE_PREFIX, key.name(), " ", &signature, "\n"].concat())
}

fn check_text(text: &str) -> Result<(), NoteError> {
    if text.len() > MAX_NOTE_BYTES / 2 {
        return Err(NoteError::TooLong(text.len()));
    }
    if has_control(text) {
        return Err(NoteError::ControlCharacter);
    }
    if text.ends_with('\n') { Ok(()) } else { Err(NoteError::NoFinalNewline) }
}

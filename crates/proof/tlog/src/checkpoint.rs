//! Checkpoints, the signed heads of the tree: C2SP tlog-checkpoint.

use std::fmt;
use std::str::FromStr;

use crate::hash::Hash;
use crate::key::{KeyKind, SigningKey, VerifierKey};
use crate::note::{self, MAX_NOTE_BYTES, Note, NoteError, NoteSignature, VerifiedSignature};
use crate::signer::{LogSigners, SignError, signed_by};
use crate::text::{decimal, has_control};

/// An error in a checkpoint, or a checkpoint that the log did not sign.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The signed note is malformed, or one of its signatures is not valid.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// A signer of the log gave no signature that verifies.
    #[error(transparent)]
    NotSigned(#[from] SignError),
    /// The text has this many bytes, more than a note may have.
    #[error("a checkpoint of {0} bytes is too long")]
    TooLong(usize),
    /// The text has fewer than three lines, or no newline at its end.
    #[error("a checkpoint has at least three lines, each with its newline")]
    TooFewLines,
    /// Line 1 is empty or has a control character.
    #[error("line 1 of the checkpoint is not an origin")]
    Origin,
    /// Line 2 is not a decimal number without leading zeros that fits 64 bits.
    #[error("line 2 of the checkpoint is not a tree size")]
    Size,
    /// Line 3 is not a hash in base64.
    #[error("line 3 of the checkpoint is not a root hash")]
    Root,
    /// The extension line of this number, counted from 1 over the whole text, is empty or has a control character.
    #[error("line {0} of the checkpoint is not an extension line")]
    Extension(usize),
    /// No verified signature is by the log, that is, by an Ed25519 key whose name is this origin.
    #[error("no signature is by a key of the checkpoint's origin {0:?}")]
    NotByOrigin(String),
    /// The name of the signing key is not the checkpoint's origin.
    #[error("key {key:?} must not sign a checkpoint of origin {origin:?}")]
    WrongKey {
        /// The key's name.
        key: String,
        /// The checkpoint's origin.
        origin: String,
    },
}

/// The head of a log's tree: its origin, its size and its root (C2SP tlog-checkpoint).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    origin: String,
    size: u64,
    root: Hash,
    extensions: Vec<String>,
}

impl Checkpoint {
    /// Makes the checkpoint of a log at a size. `origin` must not be empty or contain a control character.
    pub fn new(origin: impl Into<String>, size: u64, root: Hash) -> Result<Self, CheckpointError> {
        let origin = origin.into();
        if is_line(&origin) {
            Ok(Self { origin, size, root, extensions: Vec::new() })
        } else {
            Err(CheckpointError::Origin)
        }
    }

    /// Adds an extension line to the checkpoint. C2SP tlog-checkpoint recommends against extension lines.
    pub fn with_extension(mut self, line: impl Into<String>) -> Result<Self, CheckpointError> {
        let line = line.into();
        if !is_line(&line) {
            return Err(CheckpointError::Extension(4 + self.extensions.len()));
        }
        self.extensions.push(line);
        Ok(self)
    }

    /// The origin, which is the name of the log.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The number of leaves of the tree.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root hash of the tree (RFC 6962, section 2.1).
    pub fn root(&self) -> Hash {
        self.root
    }

    /// The extension lines: those after the third. Their content has no meaning to this crate.
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// Signs the checkpoint with the log's key and returns the text of the note. The key's name must be the origin.
    pub fn sign(&self, key: &SigningKey) -> Result<String, CheckpointError> {
        self.check_key(key.name())?;
        Ok(note::sign_text(&self.to_string(), key)?)
    }

    /// Signs the checkpoint with each signer of the log and returns the text of the note. Their name must be the origin, and
    /// each signature is verified. It blocks for as long as the signers do.
    ///
    /// # Errors
    /// One of the signers gave no signature that verifies: then there is no note.
    pub fn sign_with(&self, signers: &LogSigners) -> Result<String, CheckpointError> {
        self.check_key(signers.name())?;
        let text = self.to_string();
        let signed = signers.each().map(|signer| {
            let signature = signed_by(signer, text.as_bytes())?;
            Ok(NoteSignature::of_key(signer.verifier(), signature.to_vec()))
        });
        let signatures = signed.collect::<Result<_, SignError>>()?;
        Ok(Note::new(&text, signatures)?.to_string())
    }

    fn check_key(&self, name: &str) -> Result<(), CheckpointError> {
        if name == self.origin {
            return Ok(());
        }
        Err(CheckpointError::WrongKey { key: name.to_owned(), origin: self.origin.clone() })
    }

    /// Opens a checkpoint note. All signatures by known keys must be valid, and one must be the log's: by an Ed25519
    /// key (signature type 0x01) whose name is the origin.
    pub fn open(note: &str, keys: &[VerifierKey]) -> Result<Self, CheckpointError> {
        Self::open_cosigned(note, keys).map(|(checkpoint, _)| checkpoint)
    }

    /// Opens a checkpoint note as [`open`](Self::open) does, and returns the verified signatures as well; those of
    /// witnesses have their times.
    pub fn open_cosigned<'k>(
        note: &str,
        keys: &'k [VerifierKey],
    ) -> Result<(Self, Vec<VerifiedSignature<'k>>), CheckpointError> {
        let note: Note = note.parse()?;
        let verified = note.verify(keys)?;
        let checkpoint: Self = note.text().parse()?;
        let by_log = |signature: &VerifiedSignature<'_>| {
            signature.key.kind() == KeyKind::Ed25519 && signature.key.name() == checkpoint.origin
        };
        if !verified.iter().any(by_log) {
            return Err(CheckpointError::NotByOrigin(checkpoint.origin));
        }
        Ok((checkpoint, verified))
    }
}

impl FromStr for Checkpoint {
    type Err = CheckpointError;

    /// Reads a checkpoint's text, as it stands in its note, without the signatures.
    fn from_str(text: &str) -> Result<Self, CheckpointError> {
        if text.len() > MAX_NOTE_BYTES {
            return Err(CheckpointError::TooLong(text.len()));
        }
        let mut lines = text.strip_suffix('\n').ok_or(CheckpointError::TooFewLines)?.split('\n');
        let (Some(origin), Some(size), Some(root)) = (lines.next(), lines.next(), lines.next()) else {
            return Err(CheckpointError::TooFewLines);
        };
        let mut checkpoint = Self::new(
            origin,
            decimal(size).ok_or(CheckpointError::Size)?,
            Hash::from_base64(root).map_err(|_| CheckpointError::Root)?,
        )?;
        for line in lines {
            checkpoint = checkpoint.with_extension(line)?;
        }
        Ok(checkpoint)
    }
}

impl fmt::Display for Checkpoint {
    /// The checkpoint's text, as it is signed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}\n", self.origin, self.size, self.root)?;
        self.extensions.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

fn is_line(text: &str) -> bool {
    !text.is_empty() && !text.contains('\n') && !has_control(text)
}

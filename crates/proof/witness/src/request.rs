//! The body of a request to `add-checkpoint`: C2SP tlog-witness, "add-checkpoint".

use std::fmt;
use std::str::FromStr;

use tlog::{Checkpoint, CheckpointError, Hash, Note, NoteError};

/// The longest body that is read, in bytes. It has room for 16 signatures of 5 kB each, which C2SP signed-note asks
/// for, in base64.
pub const MAX_REQUEST_BYTES: usize = 1 << 18;

/// The most lines of a consistency proof (C2SP tlog-witness).
pub const MAX_PROOF_LINES: usize = 63;

/// An error in the body of a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The body has this many bytes, more than [`MAX_REQUEST_BYTES`].
    #[error("a body of {0} bytes is too long")]
    TooLong(usize),
    /// The body is not UTF-8.
    #[error("the body is not utf-8")]
    NotUtf8,
    /// Line 1 is not `old`, a space and a decimal number without leading zeros.
    #[error("line 1 must be \"old\", a space and the size of the old tree, as in \"old 20852014\"")]
    OldSize,
    /// The line of this number in the proof, counted from 1, is not a hash in base64.
    #[error("line {0} of the proof is not a hash in base64")]
    Hash(usize),
    /// The proof has more than [`MAX_PROOF_LINES`] lines.
    #[error("the proof has more than 63 lines")]
    ProofTooLong,
    /// No empty line is after the proof.
    #[error("the body has no checkpoint after an empty line")]
    NoCheckpoint,
    /// The note is malformed.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The note is not one of a checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// The body of a request: an old size, a consistency proof from it and a signed checkpoint. Nothing is verified.
///
/// ```
/// let body = "old 0\n\nexample.com/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n\u{2014} example.com/log AAAAAAA=\n";
/// let request: witness::AddCheckpoint = body.parse()?;
/// assert_eq!((request.old_size(), request.checkpoint().origin()), (0, "example.com/log"));
/// assert_eq!(request.to_string(), body);
/// # Ok::<(), witness::RequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddCheckpoint {
    old_size: u64,
    proof: Vec<Hash>,
    note: Note,
    checkpoint: Checkpoint,
}

impl AddCheckpoint {
    /// Makes a request. It is an error if the note is not one of a checkpoint, or if the proof or the body is too long.
    pub fn new(old_size: u64, proof: Vec<Hash>, note: Note) -> Result<Self, RequestError> {
        if proof.len() > MAX_PROOF_LINES {
            return Err(RequestError::ProofTooLong);
        }
        let checkpoint = note.text().parse()?;
        let request = Self { old_size, proof, note, checkpoint };
        let bytes = request.to_string().len();
        if bytes > MAX_REQUEST_BYTES { Err(RequestError::TooLong(bytes)) } else { Ok(request) }
    }

    /// Reads a body.
    pub fn from_bytes(body: &[u8]) -> Result<Self, RequestError> {
        std::str::from_utf8(body).map_err(|_| RequestError::NotUtf8)?.parse()
    }

    /// The number of leaves of the tree that the proof starts from.
    pub fn old_size(&self) -> u64 {
        self.old_size
    }

    /// The consistency proof (RFC 6962, section 2.1.2).
    pub fn proof(&self) -> &[Hash] {
        &self.proof
    }

    /// The note of the checkpoint, with its signatures.
    pub fn note(&self) -> &Note {
        &self.note
    }

    /// The checkpoint that the note's text says.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }
}

impl FromStr for AddCheckpoint {
    type Err = RequestError;

    fn from_str(body: &str) -> Result<Self, RequestError> {
        if body.len() > MAX_REQUEST_BYTES {
            return Err(RequestError::TooLong(body.len()));
        }
        let (first, mut rest) = body.split_once('\n').ok_or(RequestError::OldSize)?;
        let old_size = first.strip_prefix("old ").and_then(size).ok_or(RequestError::OldSize)?;
        let mut proof = Vec::new();
        loop {
            let (line, after) = rest.split_once('\n').ok_or(RequestError::NoCheckpoint)?;
            rest = after;
            if line.is_empty() {
                break;
            }
            proof.push(Hash::from_base64(line).map_err(|_| RequestError::Hash(proof.len() + 1))?);
        }
        Self::new(old_size, proof, rest.parse()?)
    }
}

impl fmt::Display for AddCheckpoint {
    /// The body of the request.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old_size)?;
        self.proof.iter().try_for_each(|hash| writeln!(f, "{hash}"))?;
        write!(f, "\n{}", self.note)
    }
}

/// Reads a tree size: an ASCII decimal without sign and without leading zeros.
pub(crate) fn size(text: &str) -> Option<u64> {
    let canonical = text == "0" || !text.starts_with('0');
    (canonical && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

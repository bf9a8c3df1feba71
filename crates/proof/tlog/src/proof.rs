//! Proofs of inclusion with their checkpoint, as one text: C2SP tlog-proof.

use std::fmt;
use std::str::FromStr;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::hash::{Hash, leaf_hash};
use crate::key::VerifierKey;
use crate::merkle::{ProofError, verify_inclusion};
use crate::note::{MAX_NOTE_BYTES, Note};
use crate::text::{decimal, from_base64, to_base64};

/// The first line of every proof.
const HEADER: &str = "c2sp.org/tlog-proof@v1";

/// The most hashes of an inclusion path: a tree of fewer than 2^64 leaves has at most 64 levels above the leaves.
pub const MAX_PATH: usize = 64;

/// The most extra data that is read, in bytes after base64 decoding.
pub const MAX_EXTRA_BYTES: usize = 1 << 16;

/// The longest text of a proof that is read, in bytes.
pub const MAX_PROOF_BYTES: usize = MAX_NOTE_BYTES + 2 * MAX_EXTRA_BYTES + 4096;

/// An error in the text of a proof, or in its verification.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlogProofError {
    /// The text has this many bytes, more than [`MAX_PROOF_BYTES`].
    #[error("a proof of {0} bytes is too long")]
    TooLong(usize),
    /// The first line is not the header line of C2SP tlog-proof.
    #[error("line 1 of the proof is not {HEADER:?}")]
    Header,
    /// The extra data is empty, too long or not base64.
    #[error("line 2 of the proof is not extra data in base64")]
    Extra,
    /// The index is absent, or is not a decimal number without leading zeros.
    #[error("the proof has no index after its header")]
    Index,
    /// The line of this number in the path, counted from 1, is not a hash in base64.
    #[error("hash {0} of the proof's path is malformed")]
    Hash(usize),
    /// The path has more than [`MAX_PATH`] hashes.
    #[error("the proof's path has more than 64 hashes")]
    PathTooLong,
    /// The proof ends before an empty line and a checkpoint.
    #[error("the proof has no checkpoint after an empty line")]
    NoCheckpoint,
    /// The checkpoint is malformed, or is not signed by the log.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The given checkpoint differs from that of the proof.
    #[error("the proof's checkpoint is another than the one given")]
    OtherCheckpoint,
    /// The path does not lead from the entry to the checkpoint's root.
    #[error(transparent)]
    Inclusion(#[from] ProofError),
}

/// A proof that an entry is in a log: its index, its inclusion path and the checkpoint that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlogProof {
    /// Extra data, which no signature covers. `None` where there is none; an empty vector cannot be written.
    pub extra: Option<Vec<u8>>,
    /// The index of the entry, counted from 0.
    pub index: u64,
    /// The inclusion path, from the leaf's sibling up (RFC 6962, section 2.1.1).
    pub path: Vec<Hash>,
    /// The signed checkpoint note, verbatim.
    pub checkpoint: String,
}

impl TlogProof {
    /// Verifies that the entry is in the log of this key. Returns the checkpoint of the proof.
    pub fn verify(&self, entry: &[u8], log_key: &VerifierKey) -> Result<Checkpoint, TlogProofError> {
        let checkpoint = Checkpoint::open(&self.checkpoint, std::slice::from_ref(log_key))?;
        self.verify_path(entry, &checkpoint)?;
        Ok(checkpoint)
    }

    /// Verifies that the entry is in the tree of a checkpoint that the caller has opened before. For many proofs over
    /// one checkpoint, its signature is verified once.
    ///
    /// The proof must contain the same checkpoint; its signature lines are not verified again.
    pub fn verify_against(&self, entry: &[u8], checkpoint: &Checkpoint) -> Result<(), TlogProofError> {
        let text = checkpoint.to_string();
        let signatures = self.checkpoint.strip_prefix(text.as_str());
        if !signatures.is_some_and(|rest| rest.starts_with('\n')) {
            return Err(TlogProofError::OtherCheckpoint);
        }
        self.verify_path(entry, checkpoint)
    }

    fn verify_path(&self, entry: &[u8], checkpoint: &Checkpoint) -> Result<(), TlogProofError> {
        let (size, root) = (checkpoint.size(), checkpoint.root());
        Ok(verify_inclusion(self.index, size, &leaf_hash(entry), &self.path, &root)?)
    }
}

impl FromStr for TlogProof {
    type Err = TlogProofError;

    /// Reads a proof. The proof's checkpoint must be well formed; nothing is verified.
    fn from_str(proof: &str) -> Result<Self, TlogProofError> {
        if proof.len() > MAX_PROOF_BYTES {
            return Err(TlogProofError::TooLong(proof.len()));
        }
        let (head, checkpoint) = proof.split_once("\n\n").ok_or(TlogProofError::NoCheckpoint)?;
        let mut lines = head.split('\n').peekable();
        if lines.next() != Some(HEADER) {
            return Err(TlogProofError::Header);
        }
        let extra = match lines.next_if(|line| line.starts_with("extra ")) {
            Some(line) => Some(read_extra(&line["extra ".len()..]).ok_or(TlogProofError::Extra)?),
            None => None,
        };
        let index = lines.next().and_then(|line| line.strip_prefix("index ")).and_then(decimal);
        let index = index.ok_or(TlogProofError::Index)?;
        let mut path = Vec::new();
        for (number, line) in (1..).zip(lines) {
            if number > MAX_PATH {
                return Err(TlogProofError::PathTooLong);
            }
            path.push(Hash::from_base64(line).map_err(|_| TlogProofError::Hash(number))?);
        }
        let note: Note = checkpoint.parse().map_err(CheckpointError::from)?;
        let _well_formed: Checkpoint = note.text().parse()?;
        Ok(Self { extra, index, path, checkpoint: checkpoint.to_owned() })
    }
}

fn read_extra(encoded: &str) -> Option<Vec<u8>> {
    from_base64(encoded).filter(|extra| (1..=MAX_EXTRA_BYTES).contains(&extra.len()))
}

impl fmt::Display for TlogProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        if let Some(extra) = self.extra.as_deref().filter(|extra| !extra.is_empty()) {
            writeln!(f, "extra {}", to_base64(extra))?;
        }
        writeln!(f, "index {}", self.index)?;
        self.path.iter().try_for_each(|hash| writeln!(f, "{hash}"))?;
        write!(f, "\n{}", self.checkpoint)
    }
}

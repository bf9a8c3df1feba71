//! The portable proof that a log's key has signed two trees of which one is not a part of the other.
//!
//! It is one JSON document with both signed checkpoints. Two of one size contradict each other by their roots. For two of
//! different sizes it has the path from the smaller tree to the larger (RFC 6962, section 2.1.2): it leads to the root of the
//! larger checkpoint, so that the root which it gives for the smaller size is the only one that the larger tree has there, and
//! the smaller checkpoint names another. Anybody can check that offline with the key of the log alone.

use serde::{Deserialize, Serialize};
use tlog::{Checkpoint, CheckpointError, EMPTY_ROOT, Hash, ProofError, VerifierKey, roots_from_consistency};

/// The format of the document, its member `format`.
const FORMAT: &str = "touchstone-log-contradiction/1";

/// The most bytes of a document: two notes of 1 MiB, each byte of which may be escaped, and the path.
pub const MAX_BYTES: u64 = 5 << 20;

/// The most hashes of a path.
const MAX_PATH: usize = 64;

/// Two signed checkpoints of one log, and what shows that they contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The key of the log that signed both, or the smaller one.
    pub log_key: VerifierKey,
    /// The key of the log that signed the larger one, where that is another: the log's key was replaced between the two.
    pub larger_log_key: Option<VerifierKey>,
    /// The signed note over the smaller tree.
    pub smaller: String,
    /// The signed note over the larger tree, or over one of the same size.
    pub larger: String,
    /// The path between the two trees; `None` for two trees of one size, and where the smaller one has no leaves.
    pub path: Option<ConsistencyPath>,
}

/// The hashes of a consistency proof, as [`roots_from_consistency`] takes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsistencyPath {
    /// The last complete subtree of the smaller tree.
    pub start: Hash,
    /// The hashes after it.
    pub hashes: Vec<Hash>,
}

/// The reason why a document does not show a contradiction.
#[derive(Debug, thiserror::Error)]
pub enum ContradictionError {
    /// The text is not such a document.
    #[error("this is no proof of a contradiction: {0}")]
    Malformed(String),
    /// The document is about the log of another key than the given one.
    #[error("the proof is about the log key {0}, which is not the one given")]
    OtherKey(VerifierKey),
    /// The key of the log did not sign one of the checkpoints.
    #[error("the {which} checkpoint is not one that the log signed: {error}")]
    Checkpoint {
        /// `smaller` or `larger`.
        which: &'static str,
        /// The error.
        error: CheckpointError,
    },
    /// The path cannot be one between trees of these sizes.
    #[error("the path between the two trees is malformed: {0}")]
    Path(#[from] ProofError),
    /// The path does not lead to the larger checkpoint's root.
    #[error("the path does not lead to the root of the larger checkpoint, so it shows nothing")]
    OtherTree,
    /// Both checkpoints may be true.
    #[error("the two checkpoints do not contradict each other")]
    Consistent,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    log_key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    larger_log_key: Option<String>,
    smaller: String,
    larger: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(default)]
    path: Vec<String>,
}

impl Contradiction {
    /// The keys that must all be the log's for the document to show anything.
    pub fn log_keys(&self) -> impl Iterator<Item = &VerifierKey> {
        std::iter::once(&self.log_key).chain(&self.larger_log_key)
    }

    /// Checks that the log's key signed both checkpoints, and that they contradict each other. Returns the sentence that says so.
    ///
    /// # Errors
    /// [`ContradictionError`]: the document does not show it.
    pub fn verify(&self) -> Result<String, ContradictionError> {
        let open = |which, note: &str, key: &VerifierKey| {
            Checkpoint::open(note, std::slice::from_ref(key))
                .map_err(|error| ContradictionError::Checkpoint { which, error })
        };
        let of_larger = self.larger_log_key.as_ref().unwrap_or(&self.log_key);
        let smaller = open("smaller", &self.smaller, &self.log_key)?;
        let larger = open("larger", &self.larger, of_larger)?;
        if smaller.origin() != larger.origin() {
            return Err(ContradictionError::Consistent);
        }
        let (from, to) = (smaller.size(), larger.size());
        let said = format!("the key of {} signed the tree of {from} leaves", smaller.origin());
        if from == 0 && smaller.root() != EMPTY_ROOT {
            return Ok(format!("{said} with the root {}, and the empty tree has another", smaller.root()));
        }
        if from == to {
            return if smaller.root() == larger.root() {
                Err(ContradictionError::Consistent)
            } else {
                Ok(format!("{said} with the root {} and with the root {}", smaller.root(), larger.root()))
            };
        }
        let Some(path) = &self.path else { return Err(ContradictionError::Consistent) };
        let (old, new) = roots_from_consistency(from, to, &path.start, &path.hashes)?;
        if new != larger.root() {
            return Err(ContradictionError::OtherTree);
        }
        if old == smaller.root() {
            return Err(ContradictionError::Consistent);
        }
        Ok(format!(
            "{said} with the root {}, and a tree of {to} leaves that has the root {old} at {from}",
            smaller.root()
        ))
    }

    /// Reads a document. Nothing is verified.
    ///
    /// # Errors
    /// [`ContradictionError::Malformed`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, ContradictionError> {
        let malformed = |why: &dyn std::fmt::Display| ContradictionError::Malformed(why.to_string());
        if bytes.len() as u64 > MAX_BYTES {
            return Err(malformed(&"it is too long"));
        }
        let document: Document = serde_json::from_slice(bytes).map_err(|error| malformed(&error))?;
        if document.format != FORMAT {
            return Err(malformed(&format!("its format is not {FORMAT}")));
        }
        if document.path.len() > MAX_PATH {
            return Err(malformed(&"its path has more than 64 hashes"));
        }
        let hash = |text: &String| Hash::from_base64(text).map_err(|error| malformed(&error));
        let hashes = document.path.iter().map(hash).collect::<Result<Vec<_>, _>>()?;
        let larger_log_key = document.larger_log_key.as_deref().map(str::parse);
        let start = document.start.as_ref().map(hash).transpose()?;
        Ok(Self {
            log_key: document.log_key.parse().map_err(|error| malformed(&error))?,
            larger_log_key: larger_log_key.transpose().map_err(|error| malformed(&error))?,
            smaller: document.smaller,
            larger: document.larger,
            path: start.map(|start| ConsistencyPath { start, hashes }),
        })
    }

    /// The document, with a newline at its end.
    pub fn to_json(&self) -> String {
        let path = self.path.as_ref();
        let document = Document {
            format: FORMAT.to_owned(),
            log_key: self.log_key.to_string(),
            larger_log_key: self.larger_log_key.as_ref().map(VerifierKey::to_string),
            smaller: self.smaller.clone(),
            larger: self.larger.clone(),
            start: path.map(|path| path.start.to_string()),
            path: path.map_or_else(Vec::new, |path| path.hashes.iter().map(Hash::to_string).collect()),
        };
        let mut text = serde_json::to_string_pretty(&document).expect("texts have a JSON form");
        text.push('\n');
        text
    }
}

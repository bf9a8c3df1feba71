//! The keys by which a log is known: those that were given, and their successors as the log's own records name them.
//!
//! A log replaces its key by an overlap in which each checkpoint has the signatures of both. A successor is taken only if its
//! record is in a tree that a key known before has signed. From then on each key may sign the trees of its range alone: an ended
//! key, whoever has it, signs no larger tree.

use receipt::key::{LeafRange, LogKey};
use serde::{Deserialize, Serialize};
use tlog::{Checkpoint, CheckpointError, NoteError, VerifierKey};

use crate::follow_error::FollowError;
use crate::state::Signed;

/// The most keys that may be given.
const MAX_GIVEN: usize = 16;

/// An error in the keys that were given for a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogKeysError {
    /// None was given.
    #[error("no key of the log was given")]
    None,
    /// More were given than a log can have in use for years.
    #[error("more than {MAX_GIVEN} keys of the log were given")]
    TooMany,
    /// Two of them are of different logs.
    #[error("the keys {0} and {1} are of two logs: the name before the + is the log's")]
    OtherLog(VerifierKey, VerifierKey),
}

/// The keys by which one log is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogKeys {
    /// Those that were given: at least one, all of one name.
    given: Vec<VerifierKey>,
    /// The log's keys as its records name them, in the order in which they came; empty where they are not known. After a key that
    /// is known come its successors.
    recorded: Vec<LogKey>,
}

/// A log key with its range, as the state has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredKey {
    vkey: String,
    from: u64,
    until: Option<u64>,
}

impl From<VerifierKey> for LogKeys {
    fn from(key: VerifierKey) -> Self {
        Self { given: vec![key], recorded: Vec::new() }
    }
}

impl LogKeys {
    /// The keys that were given for one log; each is trusted.
    ///
    /// # Errors
    /// [`LogKeysError`].
    pub fn new(given: Vec<VerifierKey>) -> Result<Self, LogKeysError> {
        let first = given.first().ok_or(LogKeysError::None)?;
        if given.len() > MAX_GIVEN {
            return Err(LogKeysError::TooMany);
        }
        match given.iter().find(|key| key.name() != first.name()) {
            Some(other) => Err(LogKeysError::OtherLog(first.clone(), other.clone())),
            None => Ok(Self { given, recorded: Vec::new() }),
        }
    }

    /// The keys that were given.
    #[must_use]
    pub fn given(&self) -> &[VerifierKey] {
        &self.given
    }

    /// The same keys, with those that the log's records name: all of them up to a verified tree, in their order. None stands for
    /// records that are not known, and changes nothing.
    pub(crate) fn with_recorded(&self, recorded: Vec<LogKey>) -> Self {
        let recorded = if recorded.is_empty() { self.recorded.clone() } else { recorded };
        Self { given: self.given.clone(), recorded }
    }

    /// The keys that are trusted: those given, and the recorded ones that came after one of them.
    fn trusted(&self) -> Vec<VerifierKey> {
        let first = self.recorded.iter().position(|recorded| self.given.contains(&recorded.key));
        let later = self.recorded.iter().skip(first.map_or(usize::MAX, |first| first + 1));
        let later = later.map(|recorded| recorded.key.clone()).filter(|key| !self.given.contains(key));
        self.given.iter().cloned().chain(later).collect()
    }

    /// Opens a checkpoint that a trusted key has signed.
    ///
    /// # Errors
    /// None of them has, or one whose range does not have the tree.
    pub(crate) fn open(&self, note: String) -> Result<Signed, FollowError> {
        let signed = self.open_at_any_size(note)?;
        self.check_ranges(&signed)?;
        Ok(signed)
    }

    /// Opens a checkpoint that a trusted key has signed, which need not be one of its range.
    ///
    /// # Errors
    /// None of them has.
    pub(crate) fn open_at_any_size(&self, note: String) -> Result<Signed, FollowError> {
        let trusted = self.trusted();
        let (checkpoint, verified) = Checkpoint::open_cosigned(&note, &trusted)?;
        let keys = verified.into_iter().map(|signature| signature.key.clone()).collect();
        Ok(Signed { note, checkpoint, keys })
    }

    /// Checks that each key that has signed a checkpoint may sign a tree of its size.
    ///
    /// # Errors
    /// [`FollowError::LogKeyRefused`].
    pub(crate) fn check_ranges(&self, signed: &Signed) -> Result<(), FollowError> {
        let mut of_signers = self.recorded.iter().filter(|recorded| signed.keys.contains(&recorded.key));
        of_signers.try_for_each(|recorded| recorded.check_tree(signed.size()))?;
        Ok(())
    }

    /// Returns true if a state that was written under this key, with those recorded keys, is that of this log.
    pub(crate) fn is_of_log(&self, log_key: &str) -> bool {
        self.trusted().iter().any(|key| key.to_string() == log_key)
            || self.recorded.iter().any(|recorded| self.given.contains(&recorded.key))
    }

    /// The recorded keys in the form of the state.
    pub(crate) fn stored(&self) -> Vec<StoredKey> {
        let stored = |LogKey { key, range }: &LogKey| {
            let LeafRange { from, until, .. } = range.clone().unwrap_or_default();
            StoredKey { vkey: key.to_string(), from, until }
        };
        self.recorded.iter().map(stored).collect()
    }
}

impl StoredKey {
    /// The key with its range; `None` where it is not one.
    pub(crate) fn read(self) -> Option<LogKey> {
        let range = LeafRange { from: self.from, until: self.until, revoked: None };
        Some(LogKey { key: self.vkey.parse().ok()?, range: Some(range) })
    }
}

/// The keys of these that the records up to a tree of `size` leaves name, and their ends as far as these records say them.
pub(crate) fn recorded_at(keys: &[LogKey], size: u64) -> Vec<LogKey> {
    let begun = keys.iter().filter(|key| key.range.as_ref().is_none_or(|range| range.from < size));
    let up_to_here = |mut key: LogKey| {
        if let Some(range) = &mut key.range {
            range.until = range.until.filter(|until| *until < size);
        }
        key
    };
    begun.cloned().map(up_to_here).collect()
}

/// Returns true if a checkpoint could not be opened since no key that is known has signed it.
pub(crate) fn is_by_unknown_key(error: &FollowError) -> bool {
    matches!(error, FollowError::Checkpoint(CheckpointError::Note(NoteError::NoKnownKey)))
}

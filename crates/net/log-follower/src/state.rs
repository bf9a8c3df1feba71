//! The folder of what a follower knows: the last verified checkpoint, the right edge of its tree, and how far the way to the next
//! one has come.
//!
//! It is one file, which is replaced as a whole, so that a process that is killed goes on from the last step. Nothing in it is
//! trusted more than it must be: the checkpoint's signature is checked again, and the edge must have its root.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tlog::tile::{decode_hashes, encode_hashes};
use tlog::{Checkpoint, EMPTY_ROOT, Hash, RightEdge, VerifierKey};

use crate::contradiction::Contradiction;
use crate::files;
use crate::log_keys::{LogKeys, StoredKey};

const FORMAT: &str = "touchstone-log-state/1";
const NAME: &str = "state.json";
const LOCK: &str = "state.lock";
/// The most bytes of the file. The greatest parts are the observer's, as a monitor knows some thousands of names, and the
/// checkpoints that were seen.
const MAX_BYTES: u64 = 64 << 20;
/// The most checkpoints that were seen and not compared yet, and the most bytes of their notes.
const MAX_SEEN: usize = 1024;
const MAX_SEEN_BYTES: usize = 16 << 20;

/// The reason why a state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The folder cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The path of the file or folder.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// Another process follows with this folder.
    #[error("another process uses the folder {}", .0.display())]
    InUse(PathBuf),
    /// The folder has the state of another log.
    #[error("{} has the state of another log, whose key is {theirs}: name another folder", path.display())]
    OtherLog {
        /// The path of the file.
        path: PathBuf,
        /// The key of that log.
        theirs: String,
    },
    /// The state is not one that was written here.
    #[error("{}: the state is damaged: {why}", path.display())]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
}

/// A folder that one process uses.
#[derive(Debug)]
pub struct StateFolder {
    folder: PathBuf,
    _lock: File,
}

/// A place on the way along the log: a tree, and what the observer knew there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Position {
    pub(crate) edge: RightEdge,
    pub(crate) observer: Value,
}

/// A checkpoint with its note, and the keys of the log that have signed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    pub(crate) note: String,
    pub(crate) checkpoint: Checkpoint,
    pub(crate) keys: Vec<VerifierKey>,
}

/// What is known of a log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The last verified checkpoint; `None` before the first.
    pub(crate) checkpoint: Option<Signed>,
    /// Its tree.
    pub(crate) verified: Position,
    /// The signed checkpoints that were seen and are not compared with the tree yet, from the smallest on: larger ones that
    /// were not reached, and smaller ones that the log gave late.
    pub(crate) seen: Vec<Signed>,
    /// How far the way has come: to the verified tree, or to a part of the tree of one of `seen`.
    pub(crate) ahead: Position,
    /// What the observer has found in signed trees and nobody was told yet.
    pub(crate) findings: Value,
    /// A contradiction that nobody was told yet.
    pub(crate) untold: Option<Contradiction>,
}

impl Known {
    /// The size of the verified tree.
    pub(crate) fn size(&self) -> u64 {
        self.verified.edge.size()
    }

    /// Remembers a checkpoint until it is compared. Returns false if there is no room for it.
    pub(crate) fn see(&mut self, signed: &Signed) -> bool {
        if self.seen.iter().any(|seen| seen.is_of_tree(signed)) {
            return true;
        }
        let bytes: usize = self.seen.iter().map(|seen| seen.note.len()).sum();
        if self.seen.len() >= MAX_SEEN || bytes + signed.note.len() > MAX_SEEN_BYTES {
            return false;
        }
        let place = self.seen.partition_point(|seen| seen.size() <= signed.size());
        self.seen.insert(place, signed.clone());
        true
    }

    /// Forgets a checkpoint that was compared.
    pub(crate) fn forget(&mut self, signed: &Signed) {
        self.seen.retain(|seen| !seen.is_of_tree(signed));
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    format: String,
    log_key: String,
    /// The log's keys as its records name them; empty where they are not known.
    #[serde(default)]
    log_keys: Vec<StoredKey>,
    checkpoint: Option<String>,
    verified: StoredPosition,
    /// The greatest checkpoint that was seen and is not compared yet.
    goal: Option<String>,
    /// The others.
    #[serde(default)]
    seen: Vec<String>,
    ahead: Option<StoredPosition>,
    #[serde(default)]
    findings: Value,
    /// The document of the contradiction that nobody was told yet.
    #[serde(default)]
    untold: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredPosition {
    size: u64,
    /// The hashes of each level's partial tile, in hexadecimal digits.
    tiles: Vec<String>,
    observer: Value,
}

impl StateFolder {
    /// Opens the folder, or makes it, for this process alone.
    ///
    /// # Errors
    /// [`StateError::File`] and [`StateError::InUse`].
    pub fn open(folder: &Path) -> Result<Self, StateError> {
        let failed = |path: &Path, error| StateError::File { path: path.to_owned(), error };
        fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let path = folder.join(LOCK);
        let lock = File::create(&path).map_err(|error| failed(&path, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder: folder.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(StateError::InUse(folder.to_owned())),
            Err(TryLockError::Error(error)) => Err(failed(&path, error)),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    /// The error of a state that was not written here.
    pub(crate) fn damaged(&self, why: String) -> StateError {
        StateError::Damaged { path: self.path(), why }
    }

    /// Reads the state of the log with these keys, and gives them as the log's records have gone on with them; that of nothing
    /// known where there is none. A state under another key of the log is taken if one of the given keys is among those that the
    /// records name, or has signed the state's checkpoints too, as while the one takes the place of the other.
    pub(crate) fn load(&self, keys: &LogKeys) -> Result<(LogKeys, Known), StateError> {
        let path = self.path();
        let read = files::read_bounded(&path, MAX_BYTES);
        let Some(bytes) = read.map_err(|error| StateError::File { path: path.clone(), error })? else {
            return Ok((keys.clone(), Known::default()));
        };
        known_in(&bytes, keys, &path)
    }

    /// Writes the state. It lasts when this returns.
    pub(crate) fn save(&self, keys: &LogKeys, known: &Known) -> Result<(), StateError> {
        let note = |signed: &Signed| signed.note.clone();
        let (goal, seen) = known.seen.split_last().unzip();
        let stored = Stored {
            format: FORMAT.to_owned(),
            log_key: keys.given().first().map_or_else(String::new, VerifierKey::to_string),
            log_keys: keys.stored(),
            checkpoint: known.checkpoint.as_ref().map(note),
            verified: StoredPosition::of(&known.verified),
            goal: goal.map(note),
            seen: seen.unwrap_or_default().iter().map(note).collect(),
            ahead: goal.map(|_| StoredPosition::of(&known.ahead)),
            findings: known.findings.clone(),
            untold: known.untold.as_ref().map(Contradiction::to_json),
        };
        let path = self.path();
        let bytes = serde_json::to_vec(&stored).expect("a state has a JSON form");
        let written = files::write_whole(&path, &bytes, true);
        written
            .and_then(|()| files::sync_folder(&self.folder))
            .map_err(|error| StateError::File { path, error })
    }
}

/// The size of the verified tree in the bytes of a state file of the log with this key: that from which a follower goes on.
///
/// # Errors
/// [`StateError::Damaged`] and [`StateError::OtherLog`].
pub fn verified_size(bytes: &[u8], key: &VerifierKey) -> Result<u64, StateError> {
    known_in(bytes, &key.clone().into(), Path::new(NAME)).map(|(_, known)| known.size())
}

/// Returns what the bytes of the state file at `path` say of the log with these keys.
fn known_in(bytes: &[u8], keys: &LogKeys, path: &Path) -> Result<(LogKeys, Known), StateError> {
    let damaged = |why: String| StateError::Damaged { path: path.to_owned(), why };
    let mut stored: Stored = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
    if stored.format != FORMAT {
        return Err(damaged(format!("its format is not {FORMAT}")));
    }
    let recorded = std::mem::take(&mut stored.log_keys).into_iter().map(StoredKey::read);
    let recorded = recorded.collect::<Option<Vec<_>>>();
    let all = keys.with_recorded(recorded.ok_or_else(|| damaged("a key of the log is none".to_owned()))?);
    let mut signed = [&stored.checkpoint, &stored.goal].into_iter().flatten().chain(&stored.seen);
    let has_signed = |note: &String| keys.open(note.clone()).is_ok();
    let is_of_both = stored.checkpoint.is_some() && signed.all(has_signed);
    drop(signed);
    if !all.is_of_log(&stored.log_key) && !is_of_both {
        return Err(StateError::OtherLog { path: path.to_owned(), theirs: stored.log_key });
    }
    let known = known_of(stored, &all).map_err(damaged)?;
    Ok((all, known))
}

/// Returns what a stored state says, once it is checked, or why it cannot be.
fn known_of(stored: Stored, keys: &LogKeys) -> Result<Known, String> {
    let checkpoint = stored.checkpoint.map(|note| keys.open(note)).transpose();
    let checkpoint = checkpoint.map_err(|error| error.to_string())?;
    // The range of a key may have become known after one was seen: that is an alarm, and the state is right.
    let seen = stored.seen.into_iter().chain(stored.goal).map(|note| keys.open_at_any_size(note));
    let mut seen = seen.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    seen.sort_by_key(Signed::size);
    let untold = stored.untold.map(|document| {
        let shown = Contradiction::from_json(document.as_bytes())?;
        shown.verify().map(|_| shown)
    });
    let untold = untold.transpose().map_err(|error| error.to_string())?;
    let verified = stored.verified.position()?;
    let (size, root) = checkpoint
        .as_ref()
        .map_or((0, EMPTY_ROOT), |signed| (signed.checkpoint.size(), signed.checkpoint.root()));
    if (verified.edge.size(), verified.edge.root()) != (size, root) {
        return Err("its tree is not that of its checkpoint".to_owned());
    }
    let ahead = stored.ahead.map(StoredPosition::position).transpose()?;
    let last = seen.last().map_or(0, Signed::size);
    // A way that is not one begins again at the verified tree.
    let ahead = ahead.filter(|ahead| (size..=last).contains(&ahead.edge.size()));
    let ahead = ahead.unwrap_or_else(|| verified.clone());
    Ok(Known { checkpoint, verified, seen, ahead, findings: stored.findings, untold })
}

impl Signed {
    pub(crate) fn size(&self) -> u64 {
        self.checkpoint.size()
    }

    pub(crate) fn root(&self) -> Hash {
        self.checkpoint.root()
    }

    /// Returns true if the other checkpoint is of the same tree.
    fn is_of_tree(&self, other: &Self) -> bool {
        (self.size(), self.root()) == (other.size(), other.root())
    }
}

impl StoredPosition {
    fn of(position: &Position) -> Self {
        let edge = &position.edge;
        let partial = edge.partial_tiles();
        let hashes = |level: u8| {
            let tile = partial.iter().find(|tile| tile.level == level);
            tile.map_or_else(String::new, |tile| hex::encode(encode_hashes(&tile.hashes)))
        };
        let tiles = levels(edge.size()).map(hashes).collect();
        Self { size: edge.size(), tiles, observer: position.observer.clone() }
    }

    fn position(self) -> Result<Position, String> {
        let tiles = self.tiles.iter().map(|text| {
            if text.is_empty() {
                return Ok(Vec::new());
            }
            let bytes = hex::decode(text).map_err(|error| error.to_string())?;
            decode_hashes(&bytes).map_err(|error| error.to_string())
        });
        let tiles = tiles.collect::<Result<Vec<_>, String>>()?;
        let edge = RightEdge::from_tiles(self.size, &tiles).map_err(|error| error.to_string())?;
        Ok(Position { edge, observer: self.observer })
    }
}

/// The tile levels that a tree of this size has.
fn levels(size: u64) -> impl Iterator<Item = u8> {
    (0..8_u8).take_while(move |level| size >> (8 * u32::from(*level)) > 0)
}

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

use crate::files;
use crate::follow_error::FollowError;
use crate::log_keys::{LogKeys, StoredKey};

const FORMAT: &str = "touchstone-log-state/1";
const NAME: &str = "state.json";
const LOCK: &str = "state.lock";
/// The most bytes of the file. The observer's part is the greatest: a monitor knows some thousands of names.
const MAX_BYTES: u64 = 64 << 20;

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
    /// The greatest signed checkpoint that was seen and is not verified yet; `None` where there is none.
    pub(crate) goal: Option<Signed>,
    /// How far the way has come. Nothing of it is verified.
    pub(crate) ahead: Position,
}

impl Known {
    /// The size of the verified tree.
    pub(crate) fn size(&self) -> u64 {
        self.verified.edge.size()
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
    goal: Option<String>,
    ahead: Option<StoredPosition>,
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
        let note = |signed: &Option<Signed>| signed.as_ref().map(|signed| signed.note.clone());
        let stored = Stored {
            format: FORMAT.to_owned(),
            log_key: keys.given().first().map_or_else(String::new, VerifierKey::to_string),
            log_keys: keys.stored(),
            checkpoint: note(&known.checkpoint),
            verified: StoredPosition::of(&known.verified),
            goal: note(&known.goal),
            ahead: known.goal.is_some().then(|| StoredPosition::of(&known.ahead)),
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
    let signed = [&stored.checkpoint, &stored.goal];
    let has_signed = |note: &String| keys.open(note.clone()).is_ok();
    let is_of_both = stored.checkpoint.is_some() && signed.into_iter().flatten().all(has_signed);
    if !all.is_of_log(&stored.log_key) && !is_of_both {
        return Err(StateError::OtherLog { path: path.to_owned(), theirs: stored.log_key });
    }
    let known = known_of(stored, &all).map_err(damaged)?;
    Ok((all, known))
}

/// Returns what a stored state says, once it is checked, or why it cannot be.
fn known_of(stored: Stored, keys: &LogKeys) -> Result<Known, String> {
    let open = |note: Option<String>| {
        note.map(|note| keys.open(note)).transpose().map_err(|error: FollowError| error.to_string())
    };
    let (checkpoint, goal) = (open(stored.checkpoint)?, open(stored.goal)?);
    let verified = stored.verified.position()?;
    let (size, root) = checkpoint
        .as_ref()
        .map_or((0, EMPTY_ROOT), |signed| (signed.checkpoint.size(), signed.checkpoint.root()));
    if (verified.edge.size(), verified.edge.root()) != (size, root) {
        return Err("its tree is not that of its checkpoint".to_owned());
    }
    let ahead = stored.ahead.map(StoredPosition::position).transpose()?;
    let is_on_the_way =
        |ahead: &Position, goal: &Signed| (size..=goal.checkpoint.size()).contains(&ahead.edge.size());
    // A way that is not one begins again at the verified tree.
    let (goal, ahead) = match (goal, ahead) {
        (Some(goal), Some(ahead)) if is_on_the_way(&ahead, &goal) => (Some(goal), ahead),
        (goal, _) => (goal, verified.clone()),
    };
    Ok(Known { checkpoint, verified, goal, ahead })
}

impl Signed {
    pub(crate) fn size(&self) -> u64 {
        self.checkpoint.size()
    }

    pub(crate) fn root(&self) -> Hash {
        self.checkpoint.root()
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

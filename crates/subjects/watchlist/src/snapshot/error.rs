//! Errors of the snapshot store.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::id::SnapshotId;
use crate::model::ListName;

/// Errors of the snapshot store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file system failed.
    #[error("failed to use {path}: {source}", path = path.display())]
    Io {
        /// Path of the file or folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The store has no snapshot with this id.
    #[error("there is no snapshot {0}")]
    Unknown(SnapshotId),
    /// This list has no live snapshot, or another one than given.
    #[error("that snapshot of {0} is not live")]
    NotLive(ListName),
    /// No list of that name is live.
    #[error("no list is live that is called {0}")]
    NoList(ListName),
    /// A file of the store does not match its hash or its format.
    #[error("{path} is damaged: {why}", path = path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Kind of damage.
        why: String,
    },
}

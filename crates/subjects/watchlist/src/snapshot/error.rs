//! Errors of the snapshot store.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::id::SnapshotId;
use crate::model::ListName;

/// Errors of the snapshot store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The disk.
    #[error("failed to use {path}: {source}", path = path.display())]
    Io {
        /// Path of the file or folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// There is no such snapshot.
    #[error("there is no snapshot {0}")]
    Unknown(SnapshotId),
    /// No snapshot of that list is live, or another.
    #[error("that snapshot of {0} is not live")]
    NotLive(ListName),
    /// No list of that name is live.
    #[error("no list is live that is called {0}")]
    NoList(ListName),
    /// A file of the store is not what it was.
    #[error("{path} is damaged: {why}", path = path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Kind of damage.
        why: String,
    },
}

//! Errors of a round.

use std::io;

use fetch::FetchError;
use thiserror::Error;

use crate::lists::ListError;
use crate::snapshot::StoreError;

/// The reason why a round failed. A failed round changes and confirms nothing.
#[derive(Debug, Error)]
pub enum RefreshError {
    /// A file could not be fetched.
    #[error("{file} could not be fetched: {source}")]
    Fetch {
        /// Name of the file.
        file: &'static str,
        /// Cause.
        source: FetchError,
    },
    /// The publisher answered with an unexpected HTTP status.
    #[error("{file} was answered with status {status}")]
    Status {
        /// Name of the file.
        file: &'static str,
        /// The answer's status.
        status: u16,
    },
    /// The downloaded files cannot be read.
    #[error(transparent)]
    List(#[from] ListError),
    /// The downloaded files are of another list than requested, or of the same format twice.
    #[error("what was fetched is not {0} in its forms")]
    AnotherList(&'static str),
    /// The store of snapshots failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file system failed.
    #[error("failed to use the lists' folder: {0}")]
    Io(#[from] io::Error),
    /// Another process is fetching the list.
    #[error("another process is fetching the list")]
    UnderWay,
    /// The thread that reads lists ended without a result.
    #[error("reading the list was broken off")]
    BrokenOff,
}

impl RefreshError {
    /// Returns a stable code for logs and metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Fetch { source, .. } => source.code(),
            Self::Status { .. } => "status",
            Self::List(_) => "unreadable",
            Self::AnotherList(_) => "another_list",
            Self::Store(_) | Self::Io(_) => "store",
            Self::UnderWay => "under_way",
            Self::BrokenOff => "broken_off",
        }
    }
}

//! Errors of a round.

use std::io;

use fetch::FetchError;
use thiserror::Error;

use crate::lists::ListError;
use crate::snapshot::StoreError;

/// A round that has changed and confirmed nothing.
#[derive(Debug, Error)]
pub enum RefreshError {
    /// A file did not come.
    #[error("{file} could not be fetched: {source}")]
    Fetch {
        /// Name of the file.
        file: &'static str,
        /// Cause.
        source: FetchError,
    },
    /// The publisher answered with something else than the file.
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
    /// The downloaded files are another list than requested, or the same format twice.
    #[error("what was fetched is not {0} in its two forms")]
    AnotherList(&'static str),
    /// The store of snapshots.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The disk.
    #[error("failed to use the lists' folder: {0}")]
    Io(#[from] io::Error),
    /// Another process is fetching the list.
    #[error("another process is fetching the list")]
    UnderWay,
    /// The thread that reads lists ended.
    #[error("reading the list was broken off")]
    BrokenOff,
}

impl RefreshError {
    /// A stable word for logs and metrics.
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

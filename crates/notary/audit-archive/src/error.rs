//! The errors of an export.

use std::io;
use std::path::{Path, PathBuf};

use store_transfer::TransferError;

use crate::tar::TarError;

pub(crate) type Result<T> = std::result::Result<T, ExportError>;

/// An archive that was not made.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store cannot be read, or is not sound.
    #[error(transparent)]
    Store(#[from] TransferError),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// There is a file of this name already.
    #[error("{} is there already: name another file", .0.display())]
    Exists(PathBuf),
    /// There is a half-made archive, and it was not said that it be continued.
    #[error("{} is a half-made archive: continue it with --resume, or remove it", .0.display())]
    HalfMade(PathBuf),
    /// The half-made archive is damaged.
    #[error("{}: {error}: remove it and begin again", path.display())]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The error.
        error: TarError,
    },
    /// The half-made archive is of another log, filter or program.
    #[error("{} was begun with other arguments: {why}", path.display())]
    OtherArchive {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// Who reads a streamed archive takes no more.
    #[error("the reader of the archive has gone: {0}")]
    Reader(io::Error),
    /// A streamed archive would have more requests and pieces of evidence than are remembered.
    #[error("it would have more than {0} requests and pieces of evidence: ask for less time")]
    TooMany(usize),
    /// The store's log is not the one of its checkpoint.
    #[error("the store is not sound: {0}")]
    Unsound(String),
}

impl ExportError {
    pub(crate) fn file(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::File { path: path.to_owned(), error }
    }

    pub(crate) fn unsound(why: impl std::fmt::Display) -> Self {
        Self::Unsound(why.to_string())
    }
}

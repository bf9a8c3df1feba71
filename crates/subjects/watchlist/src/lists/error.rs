//! Errors of reading a publication.

use std::io;

use jiff::civil::Date;
use thiserror::Error;

use crate::model::ListName;

/// Error of a file, or a set of files, that is no publication. No part of it is used.
#[derive(Debug, Error)]
pub enum ListError {
    /// The file cannot be read.
    #[error("failed to read {file}: {source}")]
    Io {
        /// Name of the file.
        file: String,
        /// Cause.
        source: io::Error,
    },
    /// More than [`PublicationBounds`](crate::PublicationBounds) allow.
    #[error("{file} has more than {limit} {what}")]
    TooLarge {
        /// The file's name.
        file: String,
        /// Unit of the bound.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// Truncated, or not what its form asks for.
    #[error("{file} is malformed: {why}")]
    Malformed {
        /// The file's name.
        file: String,
        /// Position and cause.
        why: String,
    },
    /// File in none of the formats that are read here.
    #[error("{file} is of no known list format")]
    UnknownForm {
        /// The file's name.
        file: String,
    },
    /// A well-formed list without entries.
    #[error("{file} has no entries")]
    Empty {
        /// The file's name.
        file: String,
    },
    /// Same entry twice in one file, for example a file that was concatenated with itself.
    #[error("{file} has entry {uid} twice")]
    Doubled {
        /// The file's name.
        file: String,
        /// The entry's key.
        uid: String,
    },
    /// The file changed, or another took its place, while it was read.
    #[error("{file} was replaced while it was read")]
    Replaced {
        /// The file's name.
        file: String,
    },
    /// Two files of one form for one list: which of them is the publication?
    #[error("{first} and {second} are both {form} of {list}")]
    Twice {
        /// The list.
        list: ListName,
        /// Format of both files.
        form: &'static str,
        /// One file.
        first: String,
        /// The other.
        second: String,
    },
    /// Files of different publications.
    #[error("the files of {list} are of different days, {first} and {second}")]
    DatesDiffer {
        /// The list.
        list: ListName,
        /// One day.
        first: Date,
        /// The other.
        second: Date,
    },
    /// Aliases, addresses or remarks without the list that they belong to.
    #[error("{file} belongs to a main file (sdn.csv or cons_prim.csv), which is not there")]
    MainFileMissing {
        /// The file's name.
        file: String,
    },
    /// No file at all.
    #[error("no list file was given")]
    Nothing,
}

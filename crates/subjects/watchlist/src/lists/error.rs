//! Why a publication is not read.

use std::io;

use jiff::civil::Date;
use thiserror::Error;

use crate::model::ListName;

/// A file, or a set of files, that is no publication. Nothing of it is used.
#[derive(Debug, Error)]
pub enum ListError {
    /// The file cannot be read.
    #[error("failed to read {file}: {source}")]
    Io {
        /// Its name.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// More than [`Bounds`](crate::Bounds) allow.
    #[error("{file} has more than {limit} {what}")]
    TooLarge {
        /// The file's name.
        file: String,
        /// Of what.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// Truncated, or not what its form asks for.
    #[error("{file} is malformed: {why}")]
    Malformed {
        /// The file's name.
        file: String,
        /// Where and why.
        why: String,
    },
    /// None of the forms that are read here.
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
    /// The same entry twice in one file: a doubled file, for one.
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
        /// What both are.
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

//! Errors of reading a publication.

use std::io;

use jiff::civil::Date;
use thiserror::Error;

use crate::model::ListName;

/// The reason why files are not a valid publication. No part of them is used.
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
    /// A size exceeds the [`PublicationBounds`](crate::PublicationBounds).
    #[error("{file} has more than {limit} {what}")]
    TooLarge {
        /// The file's name.
        file: String,
        /// Unit of the bound.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// The file is truncated, or does not follow its format.
    #[error("{file} is malformed: {why}")]
    Malformed {
        /// The file's name.
        file: String,
        /// Position and cause.
        why: String,
    },
    /// The file has none of the supported formats.
    #[error(
        "{file} is of no known list format; known are OFAC's (SDN.XML, SDN_ADVANCED.XML, sdn.csv and its parts), the UN's \
         XML, the EU's FSF (XML, CSV), the UK Sanctions List and OFSI's (XML, CSV), Swiss SECO's XML, the US Consolidated \
         Screening List's CSV, OpenSanctions' targets.simple.csv, and any CSV or JSON Lines with a map of its columns"
    )]
    UnknownForm {
        /// The file's name.
        file: String,
    },
    /// The file is a well-formed list without entries.
    #[error("{file} has no entries")]
    Empty {
        /// The file's name.
        file: String,
    },
    /// An entry occurs twice in one file, for example in a file that was concatenated with itself.
    #[error("{file} has entry {uid} twice")]
    Doubled {
        /// The file's name.
        file: String,
        /// The entry's key.
        uid: String,
    },
    /// The file changed or was replaced while it was read.
    #[error("{file} was replaced while it was read")]
    Replaced {
        /// The file's name.
        file: String,
    },
    /// Two files have the same format and list, so the publication is ambiguous.
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
    /// The files have different publication dates.
    #[error("the files of {list} are of different days, {first} and {second}")]
    DatesDiffer {
        /// The list.
        list: ListName,
        /// One day.
        first: Date,
        /// The other.
        second: Date,
    },
    /// There are aliases, addresses or remarks without the main file of their list.
    #[error("{file} belongs to a main file (sdn.csv or cons_prim.csv), which is not there")]
    MainFileMissing {
        /// The file's name.
        file: String,
    },
    /// There are no files.
    #[error("no list file was given")]
    Nothing,
}

//! Reasons to ask an operator before a list goes live.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::file_format::FileFormat;
use crate::model::{ListName, Topic};

/// A reason why a completely read list may differ from the publication. An operator decides on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "doubt", rename_all = "snake_case")]
pub enum Doubt {
    /// The publication states a number of entries (`Record_Count`), and another number was read.
    RecordCount {
        /// Number of entries that the publication states.
        declared: u64,
        /// Number of entries that were read.
        parsed: u64,
    },
    /// Two formats of one publication have different entries.
    FormsDisagree {
        /// One form.
        first: String,
        /// The other.
        second: String,
        /// Number of entries that only one of the two has.
        differing: u64,
    },
    /// Rows refer to entries that the list does not have.
    Orphans {
        /// The file of the rows.
        file: String,
        /// Number of such rows.
        rows: u64,
    },
    /// The file lacks the byte 0x1A, with which OFAC ends a legacy file, so it may be truncated.
    NoEndMark {
        /// The file.
        file: String,
    },
    /// A main file came without the file that has the rest of its list, and no other format has it.
    PartMissing {
        /// The main file.
        file: String,
        /// Format of the missing file.
        missing: FileFormat,
    },
    /// Remarks of a main file end where OFAC truncates them, and the comments file does not continue them.
    RemarksCut {
        /// The main file.
        file: String,
        /// Number of entries with cut remarks.
        entries: u64,
    },
    /// A file of one list has the name of another list's file.
    AnotherList {
        /// The file.
        file: String,
        /// The list by its name.
        named: ListName,
        /// The list by its entries.
        held: ListName,
    },
    /// A file that joins several lists has one that is not known to be among them.
    UnknownSource {
        /// The file.
        file: String,
        /// The list, as the file names it.
        source: String,
    },
    /// The list is about something else than the live snapshot: hits on it count otherwise.
    TopicChanged {
        /// The topic of the live snapshot.
        before: Topic,
        /// The topic of the new one.
        after: Topic,
    },
    /// More than one in twenty entries of the live snapshot are missing.
    EntriesLost {
        /// Number of lost entries.
        lost: u64,
        /// Number of entries in the live snapshot.
        of: u64,
    },
    /// More than one in twenty names of one kind are missing, of entries that the live snapshot also has. A part of the
    /// publication is missing, or its format lacks such names.
    NamesLost {
        /// Kind of name.
        names: NameKind,
        /// Number of lost names.
        lost: u64,
        /// Number of such names in the live snapshot.
        of: u64,
    },
    /// More than one in twenty addresses of the live snapshot are missing. A file is truncated, or its format lacks
    /// addresses.
    WalletsLost {
        /// Number of lost wallets.
        lost: u64,
        /// Number of wallets in the live snapshot.
        of: u64,
    },
}

/// A kind of names that a format may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameKind {
    /// Aliases other than weak ones.
    StrongAliases,
    /// Aliases that the list marks as weak.
    WeakAliases,
    /// Names in their original script, other than Latin.
    OriginalScripts,
}

impl fmt::Display for NameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StrongAliases => "strong aliases",
            Self::WeakAliases => "weak aliases",
            Self::OriginalScripts => "names in their original script",
        })
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RecordCount { declared, parsed } => {
                write!(f, "the publication says {declared} entries, {parsed} were read")
            }
            Self::FormsDisagree { first, second, differing } => {
                write!(f, "{first} and {second} differ by {differing} entries")
            }
            Self::Orphans { file, rows } => {
                write!(f, "{rows} rows of {file} name an entry that is not there")
            }
            Self::NoEndMark { file } => write!(f, "{file} does not end with OFAC's end mark"),
            Self::PartMissing { file, missing } => {
                write!(f, "{file} came without its {}", missing.as_str())
            }
            Self::RemarksCut { file, entries } => {
                write!(f, "the remarks of {entries} entries of {file} do not go on in its comments")
            }
            Self::AnotherList { file, named, held } => {
                write!(f, "{file} has the name of {named} and holds {held}")
            }
            Self::UnknownSource { file, source } => {
                write!(f, "{file} has a list {source:?}, which is not known to be among its lists")
            }
            Self::TopicChanged { before, after } => {
                write!(
                    f,
                    "its topic is {}, and that of the live snapshot {}",
                    after.as_str(),
                    before.as_str()
                )
            }
            Self::EntriesLost { lost, of } => {
                write!(f, "{lost} of the live snapshot's {of} entries are missing")
            }
            Self::NamesLost { names, lost, of } => {
                write!(f, "{lost} of the live snapshot's {of} {names} are missing")
            }
            Self::WalletsLost { lost, of } => {
                write!(f, "{lost} of the live snapshot's {of} wallets are missing")
            }
        }
    }
}

//! Reasons to ask an operator before a list goes live.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A list that was read whole, and may still not be what was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "doubt", rename_all = "snake_case")]
pub enum Doubt {
    /// The publication says how many entries it has (`Record_Count`), and another number was read.
    RecordCount {
        /// What it says.
        declared: u64,
        /// What was read.
        parsed: u64,
    },
    /// Two forms of one publication do not have the same entries.
    FormsDisagree {
        /// One form.
        first: String,
        /// The other.
        second: String,
        /// How many entries only one of them has.
        differing: u64,
    },
    /// Rows that name an entry which the list does not have.
    Orphans {
        /// The file of the rows.
        file: String,
        /// How many.
        rows: u64,
    },
    /// OFAC ends a legacy file with the byte 0x1A; this one ends without it.
    NoEndMark {
        /// The file.
        file: String,
    },
    /// Entries of the live snapshot that are no longer there, more than one in twenty.
    EntriesLost {
        /// How many.
        lost: u64,
        /// Of how many.
        of: u64,
    },
    /// The live snapshot has wallets, this list has none: it is of a form without them.
    WalletsLost {
        /// How many wallets the live snapshot has.
        of: u64,
    },
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
            Self::EntriesLost { lost, of } => {
                write!(f, "{lost} of the live snapshot's {of} entries are missing")
            }
            Self::WalletsLost { of } => write!(f, "all {of} wallets of the live snapshot are missing"),
        }
    }
}

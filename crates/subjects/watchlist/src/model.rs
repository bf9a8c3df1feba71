//! The data model: a list, its entries, their names and wallets.
//!
//! An entry keeps what its publication says, in the publication's own spelling: nothing here is normalised,
//! translated or guessed. Empty fields are left out of the stored form.

mod birth;
mod bounds;
mod entry;
mod text;
mod topic;

pub use birth::{Birth, BirthError};
pub use bounds::PublicationBounds;
pub use entry::{EntityKind, Entry, EntryName, EntryWallet, Gender, Identifier, Quality};
pub use text::ListName;
pub use topic::Topic;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Kinds of questions that a list can answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// Every entry of the publication, by name. It answers name questions, and wallet questions where it has
    /// wallets.
    #[default]
    Names,
    /// Entries with wallets alone. The list cannot answer a name question.
    WalletsOnly,
}

/// One list of one publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// Name of the list in findings.
    pub name: ListName,
    /// Publication date by the publisher; `None` if the format has no date and the operator gave none.
    pub published: Option<Date>,
    /// Kinds of questions that the list can answer.
    pub coverage: Coverage,
    /// Why parties are on the list.
    pub topic: Topic,
    /// True for the built-in demo list, which is not a publication.
    pub demo: bool,
    /// Entries in the byte order of their uids, each uid once.
    pub entries: Vec<Entry>,
}

impl List {
    /// Returns true if any entry has a wallet. A list without wallets cannot answer a wallet question.
    pub fn has_wallets(&self) -> bool {
        self.entries.iter().any(|entry| !entry.wallets.is_empty())
    }

    /// Returns the entry with this uid.
    pub fn entry(&self, uid: &str) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| (*entry.uid).cmp(uid)).ok()?;
        self.entries.get(at)
    }
}

//! Records: the metadata that is stored beside a snapshot's content.

use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::age::Age;
use super::id::SnapshotId;
use crate::lists::{Doubt, SourceFile};
use crate::model::{Coverage, EntityKind, List, ListName, Quality};

/// Numbers of entries, aliases and wallets in a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListCounts {
    /// All entries.
    pub entries: u64,
    /// Entries that are persons.
    pub persons: u64,
    /// Entries that are organisations.
    pub organisations: u64,
    /// Entries that are ships.
    pub vessels: u64,
    /// Entries that are aircraft.
    pub aircraft: u64,
    /// Entries whose kind is not known.
    pub unknown: u64,
    /// Aliases other than weak ones.
    pub strong_aliases: u64,
    /// Weak aliases.
    pub weak_aliases: u64,
    /// Wallets, an address under two currencies counted twice.
    pub wallets: u64,
}

impl ListCounts {
    /// Counts the entries, aliases and wallets of a list.
    pub fn of(list: &List) -> Self {
        let mut counts = Self::default();
        for entry in &list.entries {
            counts.entries += 1;
            *match entry.kind {
                EntityKind::Person => &mut counts.persons,
                EntityKind::Entity => &mut counts.organisations,
                EntityKind::Vessel => &mut counts.vessels,
                EntityKind::Aircraft => &mut counts.aircraft,
                EntityKind::Unknown => &mut counts.unknown,
            } += 1;
            for name in &entry.names {
                match name.quality {
                    Quality::Primary => {}
                    Quality::Strong => counts.strong_aliases += 1,
                    Quality::Weak => counts.weak_aliases += 1,
                }
            }
            counts.wallets += entry.wallets.len() as u64;
        }
        counts
    }
}

/// Origin and size of a snapshot. The record is written once and never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRecord {
    /// The snapshot.
    pub id: SnapshotId,
    /// List of the snapshot.
    pub list: ListName,
    /// Publication date by the publisher, `YYYY-MM-DD`; `None` if there is none.
    pub published: Option<String>,
    /// Kinds of questions that the list can answer.
    pub coverage: Coverage,
    /// Source of the files: a URL, or the operator's description.
    pub source: String,
    /// Time of the fetch or import.
    pub fetched_at: Timestamp,
    /// The publication's files.
    pub files: Vec<SourceFile>,
    /// Numbers of entries, aliases and wallets.
    pub counts: ListCounts,
    /// Number of entries that the publication states; `None` if it states none.
    pub declared: Option<u64>,
    /// Doubts at the time of the import.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

/// The live snapshot of a list, which answers questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Id of the snapshot.
    pub snapshot: SnapshotId,
    /// Time at which it was last confirmed to be current.
    pub confirmed_at: Timestamp,
}

impl Live {
    /// Returns the age of the list at `now`, since its last confirmation.
    pub fn age(&self, now: Timestamp) -> Age {
        Age::between(self.confirmed_at, now)
    }
}

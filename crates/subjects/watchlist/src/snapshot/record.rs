//! What is noted beside a snapshot's content.

use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::age::Age;
use super::id::SnapshotId;
use crate::lists::{Doubt, SourceFile};
use crate::model::{Coverage, EntityKind, List, ListName, Quality};

/// How much a list holds.
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
    /// Counts.
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

/// Where a snapshot came from, and how much it holds. Written once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRecord {
    /// The snapshot.
    pub id: SnapshotId,
    /// Its list.
    pub list: ListName,
    /// The day that its publisher dates it by, `YYYY-MM-DD`.
    pub published: Option<String>,
    /// What it can answer.
    pub coverage: Coverage,
    /// Where it was had from, in the operator's words or as an address.
    pub source: String,
    /// When it was had.
    pub fetched_at: Timestamp,
    /// The publication's files.
    pub files: Vec<SourceFile>,
    /// How much it holds.
    pub counts: ListCounts,
    /// How many entries the publication says it has.
    pub declared: Option<u64>,
    /// What spoke against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

/// The snapshot of a list that answers questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Which.
    pub snapshot: SnapshotId,
    /// When it was last confirmed to be current.
    pub confirmed_at: Timestamp,
}

impl Live {
    /// Its age.
    pub fn age(&self, now: Timestamp) -> Age {
        Age::between(self.confirmed_at, now)
    }
}

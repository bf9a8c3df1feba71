//! What a new list is compared with.

use std::collections::HashSet;

use super::error::StoreError;
use super::id::SnapshotId;
use super::record::Counts;
use super::store::Store;
use crate::lists::Doubt;
use crate::model::List;

/// One entry in this many may be lost without a question: 5%. The largest real drop is half a percent.
const LOSS: u64 = 20;

/// What is known of the snapshot that is live before.
pub(super) struct Before {
    published: Option<String>,
    counts: Counts,
    /// None where the content is damaged.
    list: Option<List>,
}

impl Before {
    /// By its content; by its record where the content is damaged or gone, or no publication after it would ever go live.
    pub(super) fn of(store: &Store, id: &SnapshotId) -> Result<Self, StoreError> {
        match store.load(id) {
            Ok(snapshot) => {
                let list = snapshot.list;
                let published = list.published.map(|date| date.to_string());
                Ok(Self { published, counts: Counts::of(&list), list: Some(list) })
            }
            Err(error @ (StoreError::Damaged { .. } | StoreError::Unknown(_))) => {
                tracing::warn!("the live snapshot {id} is compared by its record alone: {error}");
                let record = store.record(id)?;
                Ok(Self { published: record.published, counts: record.counts, list: None })
            }
            Err(error) => Err(error),
        }
    }

    /// Whether the list is of an earlier day. Days as they are written compare as days do.
    pub(super) fn is_newer_than(&self, list: &List) -> bool {
        list.published.map(|date| date.to_string()) < self.published
    }

    /// What it has, and the new list lacks beyond what has ever happened.
    pub(super) fn losses(&self, list: &List) -> Vec<Doubt> {
        let (lost, of) = (self.lost(list), self.counts.entries);
        let mut doubts = Vec::new();
        if lost.saturating_mul(LOSS) > of {
            doubts.push(Doubt::EntriesLost { lost, of });
        }
        if self.counts.wallets > 0 && !list.has_wallets() {
            doubts.push(Doubt::WalletsLost { of: self.counts.wallets });
        }
        doubts
    }

    /// How many of its entries are not on the list: at least so many where only their number is known.
    fn lost(&self, list: &List) -> u64 {
        let Some(before) = &self.list else {
            return self.counts.entries.saturating_sub(list.entries.len() as u64);
        };
        let uids: HashSet<&str> = list.entries.iter().map(|entry| &*entry.uid).collect();
        before.entries.iter().filter(|entry| !uids.contains(&*entry.uid)).count() as u64
    }
}

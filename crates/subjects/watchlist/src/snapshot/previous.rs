//! What a new list is compared with.

use std::collections::HashMap;

use super::error::StoreError;
use super::id::SnapshotId;
use super::record::ListCounts;
use super::store::Store;
use crate::lists::{Doubt, NameKind};
use crate::model::{Entry, List, Quality};

/// One entry in this many may be lost without a question, one name and one address: 5%. The largest real drop is half a
/// percent.
const LOSS: u64 = 20;
/// The kinds of names that a form may lack.
const KINDS: [NameKind; 3] = [NameKind::StrongAliases, NameKind::WeakAliases, NameKind::OriginalScripts];

/// What is known of the snapshot that is live before.
pub(super) struct PreviousSnapshot {
    published: Option<String>,
    counts: ListCounts,
    /// None where the content is damaged.
    list: Option<List>,
}

impl PreviousSnapshot {
    /// By its content; by its record where the content is damaged or gone, or no publication after it would ever go live.
    pub(super) fn of(store: &Store, id: &SnapshotId) -> Result<Self, StoreError> {
        match store.load(id) {
            Ok(snapshot) => {
                let list = snapshot.list;
                let published = list.published.map(|date| date.to_string());
                Ok(Self { published, counts: ListCounts::of(&list), list: Some(list) })
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
        let after: HashMap<&str, &Entry> = list.entries.iter().map(|entry| (&*entry.uid, entry)).collect();
        let (lost, of) = (self.entries_lost(&after), self.counts.entries);
        let mut doubts = Vec::new();
        if is_too_many(lost, of) {
            doubts.push(Doubt::EntriesLost { lost, of });
        }
        for names in KINDS {
            let LossCount { lost, of } = self.names_lost(names, &after);
            if is_too_many(lost, of) {
                doubts.push(Doubt::NamesLost { names, lost, of });
            }
        }
        let (lost, of) = (self.wallets_lost(&after), self.counts.wallets);
        if is_too_many(lost, of) {
            doubts.push(Doubt::WalletsLost { lost, of });
        }
        doubts
    }

    /// How many of its entries are not on the list: at least so many where only their number is known.
    fn entries_lost(&self, after: &HashMap<&str, &Entry>) -> u64 {
        let Some(before) = &self.list else {
            return self.counts.entries.saturating_sub(after.len() as u64);
        };
        before.entries.iter().filter(|entry| !after.contains_key(&*entry.uid)).count() as u64
    }

    /// How many fewer addresses the list has, beyond those that went with their entries: one that took another's place is no
    /// loss. A file of addresses that was cut short loses no entry and no name.
    fn wallets_lost(&self, after: &HashMap<&str, &Entry>) -> u64 {
        let has: usize = after.values().map(|entry| entry.wallets.len()).sum();
        let before = self.list.iter().flat_map(|list| &list.entries);
        let gone = before.filter(|entry| !after.contains_key(&*entry.uid)).map(|entry| entry.wallets.len());
        self.counts.wallets.saturating_sub(gone.sum::<usize>() as u64).saturating_sub(has as u64)
    }

    /// How many fewer names of that kind the entries have that are still there: one that is spelt otherwise is not lost.
    fn names_lost(&self, kind: NameKind, after: &HashMap<&str, &Entry>) -> LossCount {
        let Some(before) = &self.list else { return self.names_lost_by_count(kind, after) };
        let mut names = LossCount::default();
        for old in &before.entries {
            let Some(new) = after.get(&*old.uid) else { continue };
            let had = count(old, kind);
            names.of += had;
            names.lost += had.saturating_sub(count(new, kind));
        }
        names
    }

    /// The same by the counts of the record, which does not tell scripts.
    fn names_lost_by_count(&self, kind: NameKind, after: &HashMap<&str, &Entry>) -> LossCount {
        let of = match kind {
            NameKind::StrongAliases => self.counts.strong_aliases,
            NameKind::WeakAliases => self.counts.weak_aliases,
            NameKind::OriginalScripts => return LossCount::default(),
        };
        let has: u64 = after.values().map(|entry| count(entry, kind)).sum();
        LossCount { lost: of.saturating_sub(has), of }
    }
}

/// Names that are gone, of those that there were.
#[derive(Default)]
struct LossCount {
    lost: u64,
    of: u64,
}

fn is_too_many(lost: u64, of: u64) -> bool {
    lost.saturating_mul(LOSS) > of
}

fn count(entry: &Entry, kind: NameKind) -> u64 {
    let names = entry.names.iter().filter(|name| match kind {
        NameKind::StrongAliases => name.quality == Quality::Strong,
        NameKind::WeakAliases => name.quality == Quality::Weak,
        NameKind::OriginalScripts => name.original_script,
    });
    names.count() as u64
}

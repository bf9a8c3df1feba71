//! Comparison of a new list with the live snapshot before it.

use std::collections::HashMap;

use super::record::{ListCounts, SnapshotRecord};
use crate::lists::{Doubt, NameKind};
use crate::model::{Entry, List, Quality};

/// One entry in this many may be lost without a question, one name and one address: 5%. The largest real drop is half a
/// percent.
const LOSS: u64 = 20;
/// The kinds of names that a form may lack.
const KINDS: [NameKind; 3] = [NameKind::StrongAliases, NameKind::WeakAliases, NameKind::OriginalScripts];

/// Snapshot that is live before an import, as the new list is compared with it.
pub(super) struct PreviousSnapshot {
    published: Option<String>,
    counts: ListCounts,
    /// Content of the snapshot; `None` where it is damaged.
    list: Option<List>,
}

impl PreviousSnapshot {
    /// The snapshot by its list.
    pub(super) fn of(list: List) -> Self {
        let published = list.published.map(|date| date.to_string());
        Self { published, counts: ListCounts::of(&list), list: Some(list) }
    }

    /// The snapshot by its record alone.
    pub(super) fn of_record(record: SnapshotRecord) -> Self {
        Self { published: record.published, counts: record.counts, list: None }
    }

    /// Tests that the list is of an earlier day. ISO dates compare as text.
    pub(super) fn is_newer_than(&self, list: &List) -> bool {
        list.published.map(|date| date.to_string()) < self.published
    }

    /// Doubts for each kind of loss above the bound.
    pub(super) fn losses(&self, list: &List) -> Vec<Doubt> {
        let after: HashMap<&str, &Entry> = list.entries.iter().map(|entry| (&*entry.uid, entry)).collect();
        let (lost, of) = (self.entries_lost(&after), self.counts.entries);
        let mut doubts = Vec::new();
        if let Some(before) =
            self.list.as_ref().map(|before| before.topic).filter(|before| *before != list.topic)
        {
            doubts.push(Doubt::TopicChanged { before, after: list.topic });
        }
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

    /// Number of its entries that the new list lacks; a lower bound where only the record is known.
    fn entries_lost(&self, after: &HashMap<&str, &Entry>) -> u64 {
        let Some(before) = &self.list else {
            return self.counts.entries.saturating_sub(after.len() as u64);
        };
        before.entries.iter().filter(|entry| !after.contains_key(&*entry.uid)).count() as u64
    }

    /// Net number of lost addresses, without those of removed entries. An address that replaces another is no loss. A
    /// truncated file of addresses loses no entry and no name, so only this count shows it.
    fn wallets_lost(&self, after: &HashMap<&str, &Entry>) -> u64 {
        let has: usize = after.values().map(|entry| entry.wallets.len()).sum();
        let before = self.list.iter().flat_map(|list| &list.entries);
        let gone = before.filter(|entry| !after.contains_key(&*entry.uid)).map(|entry| entry.wallets.len());
        self.counts.wallets.saturating_sub(gone.sum::<usize>() as u64).saturating_sub(has as u64)
    }

    /// Net number of lost names of that kind, in entries that are still there. A name with another spelling is not
    /// lost.
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

    /// Lost names by the counts of the record, which has no count by script.
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

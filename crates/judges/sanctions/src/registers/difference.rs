//! The public view `GET /snapshots/diff?from=&to=`: the differences of two snapshots of a list.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::{Field, FieldError, Fields, Objection, PublicView, Question, Reason, Table, Text};
use watchlist::List;
use watchlist::diff::{Diff, EntryChange, EntrySummary};
use watchlist::snapshot::SnapshotId;

use super::read_pool::ReadPool;
use super::{ID_FORM, id, id_field, objection, page};
use crate::live::Lists;

/// The most changes of one answer.
pub(super) const MOST: usize = 1_000;
/// The most bytes of them as JSON: an entry may have thousands of values.
pub(super) const MOST_BYTES: usize = 1 << 20;
/// Differences that are kept. With [`MOST_BYTES`] each they take 16 MiB at the worst.
pub(super) const CACHED: NonZeroUsize = NonZeroUsize::new(16).expect("16 is not zero");
/// Differences made at once: each holds two lists in memory.
pub(super) const READERS: usize = 1;

/// Public view of the differences of two snapshots.
#[derive(Clone, Debug)]
pub struct SnapshotDiff {
    pool: ReadPool,
    cache: DiffCache,
}

type DiffCache = Arc<Mutex<LruCache<DiffQuestion, Arc<DiffPage>>>>;

/// The two snapshots of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DiffQuestion {
    from: SnapshotId,
    to: SnapshotId,
}

const FROM: Field<Text> = id_field("from", "The id of the earlier one.");
const TO: Field<Text> = id_field("to", "The id of the later one, of the same list.");

/// Differences of two snapshots. At most 1,000 changes and 1 MiB of them are listed, the added ones first, then the
/// removed, then the changed, each in the byte order of the uids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffPage {
    /// The list that both are of.
    pub list: String,
    /// The id of the earlier one.
    #[schemars(regex(pattern = ID_FORM))]
    pub from: String,
    /// The id of the later one.
    #[schemars(regex(pattern = ID_FORM))]
    pub to: String,
    /// Numbers of all changes, listed or not.
    pub totals: DiffTotals,
    /// Set where some changes are not listed.
    pub truncated: bool,
    /// Entries that only the later one has.
    pub added: Vec<EntrySummary>,
    /// Entries that only the earlier one has.
    pub removed: Vec<EntrySummary>,
    /// Entries that both have, with the fields that differ.
    pub changed: Vec<EntryChange>,
}

/// Numbers of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffTotals {
    /// Entries that only the later snapshot has.
    pub added: u64,
    /// Entries that only the earlier one has.
    pub removed: u64,
    /// Entries that are not what they were.
    pub changed: u64,
}

impl Question for DiffQuestion {
    const TABLE: Table = Table::new("", &[&FROM, &TO], &[]).describe("Between which snapshots.");

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self { from: id(fields, &FROM)?, to: id(fields, &TO)? })
    }
}

impl SnapshotDiff {
    /// Builds the view of the snapshots in the store of these lists.
    pub fn of(lists: Lists) -> Self {
        Self { pool: ReadPool::new(lists, READERS), cache: Arc::new(Mutex::new(LruCache::new(CACHED))) }
    }
}

impl PublicView for SnapshotDiff {
    type Question = DiffQuestion;
    type Entry = DiffPage;

    const LASTING: bool = true;

    async fn look(&self, question: DiffQuestion) -> Result<Arc<DiffPage>, Objection> {
        if let Some(page) = cached(&self.cache, &question) {
            return Ok(page);
        }
        let cache = Arc::clone(&self.cache);
        self.pool
            .read(move |lists| {
                // Whoever was here before may have asked the same.
                if let Some(page) = cached(&cache, &question) {
                    return Ok(page);
                }
                let page = Arc::new(compare(lists, &question)?);
                let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
                cache.put(question, Arc::clone(&page));
                Ok(page)
            })
            .await
    }

    fn section(page: &DiffPage) -> Option<String> {
        page::difference(page)
    }
}

fn cached(cache: &DiffCache, question: &DiffQuestion) -> Option<Arc<DiffPage>> {
    cache.lock().unwrap_or_else(PoisonError::into_inner).get(question).cloned()
}

fn compare(lists: &Lists, DiffQuestion { from, to }: &DiffQuestion) -> Result<DiffPage, Objection> {
    let list = |id: &SnapshotId| lists.list(id).map_err(|error| objection(&error));
    // Both must be there before either is read.
    for id in [from, to] {
        lists.knows(id).map_err(|error| objection(&error))?;
    }
    let (before, after) = (list(from)?, list(to)?);
    if before.name != after.name {
        let nothing = receipt::json::Object::new();
        let detail = "must be of the same list as `from`";
        return Err(Fields::root(&nothing).error(TO.name, Reason::NotApplicable, detail).into());
    }
    Ok(page(*from, *to, &before, Diff::between(&before, &after)))
}

fn page(from: SnapshotId, to: SnapshotId, list: &List, diff: Diff) -> DiffPage {
    let Diff { mut added, mut removed, mut changed } = diff;
    let totals = DiffTotals {
        added: added.len() as u64,
        removed: removed.len() as u64,
        changed: changed.len() as u64,
    };
    let mut budget = AnswerBudget { changes: MOST, bytes: MOST_BYTES };
    budget.cut(&mut added);
    budget.cut(&mut removed);
    budget.cut(&mut changed);
    let listed = (added.len() + removed.len() + changed.len()) as u64;
    DiffPage {
        list: list.name.to_string(),
        from: from.to_string(),
        to: to.to_string(),
        truncated: listed < totals.added + totals.removed + totals.changed,
        totals,
        added,
        removed,
        changed,
    }
}

/// Budget of an answer, in changes and bytes. After a change that did not fit, no other is added.
struct AnswerBudget {
    changes: usize,
    bytes: usize,
}

impl AnswerBudget {
    fn cut<T: Serialize>(&mut self, changes: &mut Vec<T>) {
        let fits = changes.iter().take_while(|change| self.takes(*change)).count();
        changes.truncate(fits);
        changes.shrink_to_fit();
    }

    fn takes(&mut self, change: &impl Serialize) -> bool {
        let bytes = serde_json::to_vec(change).map_or(usize::MAX, |json| json.len() + 1);
        if self.changes == 0 || bytes > self.bytes {
            *self = Self { changes: 0, bytes: 0 };
            return false;
        }
        self.changes -= 1;
        self.bytes -= bytes;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchlist::EntityKind;
    use watchlist::demo;

    fn listed(uid: &str, bytes: usize) -> EntrySummary {
        EntrySummary { uid: uid.into(), kind: EntityKind::Entity, name: "x".repeat(bytes).into() }
    }

    #[test]
    fn what_is_listed_has_a_bound_in_bytes_and_what_comes_after_is_left_out_too() {
        let third = MOST_BYTES / 3;
        let diff = Diff {
            added: vec![listed("1", third), listed("2", third), listed("3", third), listed("4", 1)],
            removed: vec![listed("5", 1)],
            changed: Vec::new(),
        };
        let id = SnapshotId::new([0; 32]);
        let page = page(id, id, &demo::list(), diff);
        let uids: Vec<&str> = page.added.iter().map(|listed| &*listed.uid).collect();
        assert_eq!(uids, ["1", "2"]);
        assert!(page.removed.is_empty() && page.truncated);
        assert_eq!(page.totals, DiffTotals { added: 4, removed: 1, changed: 0 });
        assert!(serde_json::to_vec(&page).unwrap().len() <= MOST_BYTES + 4_096);
    }
}

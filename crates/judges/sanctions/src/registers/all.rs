//! The public view `GET /snapshots`: all stored snapshots.

use std::sync::Arc;

use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::{FieldError, Fields, Objection, PublicView, Question, Table};
use watchlist::snapshot::SnapshotRecord;

use super::read_pool::ReadPool;
use super::{ID_FORM, objection, page};
use crate::live::{Lists, LiveList};
use crate::screen::unavailable;

/// The most snapshots of one answer: some years of two lists.
pub(super) const MOST: usize = 1_000;
/// Listings at once.
pub(super) const READERS: usize = 2;
/// Source of the demo list in answers.
const BUILT_IN: &str = "built in";

/// Public view of all stored snapshots.
#[derive(Clone, Debug)]
pub struct AllSnapshots(ReadPool);

/// A question without fields.
#[derive(Clone, Copy, Debug)]
pub struct EmptyQuestion {}

/// The snapshots, the newest publication first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Snapshots {
    /// Number of snapshots.
    pub count: u64,
    /// Set where there are more snapshots than are listed: 1,000.
    pub truncated: bool,
    /// Snapshots, the newest publication first.
    pub snapshots: Vec<SnapshotLine>,
}

/// A snapshot in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SnapshotLine {
    /// The SHA-256 of its content.
    #[schemars(regex(pattern = ID_FORM))]
    pub id: String,
    /// Name of the list.
    pub list: String,
    /// The day that its publisher dates it by; null where the publication has none.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    pub published: Option<String>,
    /// Source of the list, as an address or in the operator's words.
    pub source: String,
    /// Time of the fetch or import; null for the demo list.
    #[schemars(with = "Option<String>")]
    pub fetched_at: Option<Timestamp>,
    /// Set where the snapshot is live.
    pub current: bool,
    /// Time at which it was last confirmed to be current; null where it is not live, and for the demo list.
    #[schemars(with = "Option<String>")]
    pub confirmed_at: Option<Timestamp>,
    /// Number of entries.
    pub entries: u64,
    /// Set for the built-in demo list, which is no real list.
    pub demo: bool,
}

impl Question for EmptyQuestion {
    const TABLE: Table = Table::new("", &[], &[]).describe("Question without fields.");

    fn read(_: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self {})
    }
}

impl AllSnapshots {
    /// Builds the view of the snapshots in the store of these lists.
    pub fn of(lists: Lists) -> Self {
        Self(ReadPool::new(lists, READERS))
    }
}

impl PublicView for AllSnapshots {
    type Question = EmptyQuestion;
    type Entry = Snapshots;

    async fn look(&self, _: EmptyQuestion) -> Result<Arc<Snapshots>, Objection> {
        self.0.read(|lists| list(lists).map(Arc::new)).await
    }

    fn section(all: &Snapshots) -> Option<String> {
        page::timelines(all)
    }
}

fn list(lists: &Lists) -> Result<Snapshots, Objection> {
    let now = lists.now();
    let mut records = lists.records().map_err(|error| objection(&error))?;
    records.sort_by(|one, other| {
        let key = |record: &SnapshotRecord| (record.published.clone(), record.fetched_at, record.id);
        key(other).cmp(&key(one))
    });
    let demo = now.all().iter().filter(|list| list.indexed.list().demo).map(demo);
    let count = records.len() + demo.clone().count();
    if count == 0 {
        return Err(unavailable("no_list: there is no sanctions list yet").into());
    }
    let live = |record: &SnapshotRecord| now.all().iter().find(|list| *list.indexed.id() == record.id);
    let stored = records.iter().map(|record| line(record, live(record)));
    let snapshots = demo.chain(stored).take(MOST).collect();
    Ok(Snapshots { count: count as u64, truncated: count > MOST, snapshots })
}

fn line(record: &SnapshotRecord, live: Option<&LiveList>) -> SnapshotLine {
    SnapshotLine {
        id: record.id.to_string(),
        list: record.list.to_string(),
        published: record.published.clone(),
        source: record.source.clone(),
        fetched_at: Some(record.fetched_at),
        current: live.is_some(),
        confirmed_at: live.and_then(|live| live.confirmed_at),
        entries: record.counts.entries,
        demo: false,
    }
}

fn demo(live: &LiveList) -> SnapshotLine {
    let list = live.indexed.list();
    SnapshotLine {
        id: live.indexed.id().to_string(),
        list: list.name.to_string(),
        published: None,
        source: BUILT_IN.to_owned(),
        fetched_at: None,
        current: true,
        confirmed_at: None,
        entries: list.entries.len() as u64,
        demo: true,
    }
}

//! The public view `GET /snapshots/{id}`: the origin and the size of a snapshot.
//!
//! What of it may change, whether it is current, is in the list of all: this stays as it is for good.

use std::sync::Arc;

use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::{Field, FieldError, Fields, Objection, PublicView, Question, Table, Text};
use watchlist::Coverage;
use watchlist::snapshot::{ListCounts, SnapshotId, SnapshotRecord};

use super::read_pool::ReadPool;
use super::{ID_FORM, id, id_field, objection};
use crate::live::Lists;

/// Records read at once.
pub(super) const READERS: usize = 2;

/// Public view of a single snapshot.
#[derive(Clone, Debug)]
pub struct OneSnapshot(ReadPool);

/// The question for one snapshot.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotQuestion {
    id: SnapshotId,
}

/// Record of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SnapshotPage {
    /// The SHA-256 of its content.
    #[schemars(regex(pattern = ID_FORM))]
    pub id: String,
    /// Name of the list.
    pub list: String,
    /// The day that its publisher dates it by; null where the publication has none.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    pub published: Option<String>,
    /// `names`: every entry of the publication; `wallets_only`: those that have wallets.
    pub coverage: &'static str,
    /// Source of the list, as an address or in the operator's words.
    pub source: String,
    /// Time of the fetch or import; null for the demo list.
    #[schemars(with = "Option<String>")]
    pub fetched_at: Option<Timestamp>,
    /// Set for the built-in demo list, which is no real list.
    pub demo: bool,
    /// Numbers of entries, aliases and wallets.
    pub counts: ListCounts,
    /// Number of entries that the publication states; null where it states none.
    pub declared_entries: Option<u64>,
    /// The publication's files.
    pub files: Vec<SnapshotFile>,
    /// Doubts that an operator had to resolve before the list could go live.
    pub doubts: Vec<String>,
}

/// A file of a publication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SnapshotFile {
    /// Format of the file.
    pub form: &'static str,
    /// Length of the file in bytes, before unpacking.
    pub bytes: u64,
    /// The SHA-256 of its bytes.
    #[schemars(regex(pattern = ID_FORM))]
    pub sha256: String,
}

const ID: Field<Text> = id_field("id", "The SHA-256 of its content.");

impl Question for SnapshotQuestion {
    const TABLE: Table = Table::new("", &[&ID], &[]).describe("Question for one snapshot.");

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self { id: id(fields, &ID)? })
    }
}

impl OneSnapshot {
    /// Builds the view of the snapshots in the store of these lists.
    pub fn of(lists: Lists) -> Self {
        Self(ReadPool::new(lists, READERS))
    }
}

impl PublicView for OneSnapshot {
    type Question = SnapshotQuestion;
    type Entry = SnapshotPage;

    const LASTING: bool = true;

    async fn look(&self, SnapshotQuestion { id }: SnapshotQuestion) -> Result<Arc<SnapshotPage>, Objection> {
        self.0.read(move |lists| page(lists, &id).map(Arc::new)).await
    }
}

fn page(lists: &Lists, id: &SnapshotId) -> Result<SnapshotPage, Objection> {
    let now = lists.now();
    let live = now.all().iter().find(|list| list.indexed.id() == id).map(|list| list.indexed.list());
    if let Some(list) = live.filter(|list| list.demo) {
        return Ok(SnapshotPage {
            id: id.to_string(),
            list: list.name.to_string(),
            published: None,
            coverage: word(list.coverage),
            source: "built in".to_owned(),
            fetched_at: None,
            demo: true,
            counts: ListCounts::of(list),
            declared_entries: None,
            files: Vec::new(),
            doubts: Vec::new(),
        });
    }
    let SnapshotRecord {
        list, published, coverage, source, fetched_at, files, counts, declared, doubts, ..
    } = lists.record(id).map_err(|error| objection(&error))?;
    let files = files.into_iter().map(|file| SnapshotFile {
        form: file.form.as_str(),
        bytes: file.bytes,
        sha256: file.sha256,
    });
    Ok(SnapshotPage {
        id: id.to_string(),
        list: list.to_string(),
        published,
        coverage: word(coverage),
        source,
        fetched_at: Some(fetched_at),
        demo: false,
        counts,
        declared_entries: declared,
        files: files.collect(),
        doubts: doubts.iter().map(ToString::to_string).collect(),
    })
}

fn word(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::Names => "names",
        Coverage::WalletsOnly => "wallets_only",
    }
}

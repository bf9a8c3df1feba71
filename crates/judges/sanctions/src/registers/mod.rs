//! Public views of the snapshots: all of them, one of them, the differences between two.
//!
//! | route | module |
//! |---|---|
//! | `GET /snapshots` | `all` |
//! | `GET /snapshots/{id}` | `one` |
//! | `GET /snapshots/diff?from=&to=` | `difference` |
//!
//! Snapshots are read on blocking threads, a few at once (`read_pool`), and the last differences are cached: anybody may
//! ask for any two at any time.

mod all;
mod difference;
mod one;
mod page;
mod read_pool;

pub use all::{AllSnapshots, SnapshotLine, Snapshots};
pub use difference::{DiffPage, DiffQuestion, DiffTotals, SnapshotDiff};
pub use one::{OneSnapshot, SnapshotFile, SnapshotPage, SnapshotQuestion};

use serde_json::{Value, json};
use verdict::{Field, FieldError, Fields, Objection, Text, Unavailable};
use watchlist::snapshot::{SnapshotId, StoreError};

use crate::screen::unavailable;

/// Pattern of a snapshot's id, for schemas.
const ID_FORM: &str = "^[0-9a-f]{64}$";
/// Seconds until another try, where the pool of readers is full.
const RETRY_AFTER_S: u32 = 2;

/// Declares a field with the id of a snapshot.
const fn id_field(name: &'static str, description: &'static str) -> Field<Text> {
    Field::text(name, 1..=usize::MAX)
        .describe(description)
        .form(ID_FORM, "must be 64 lowercase hexadecimal digits")
}

fn id(fields: &Fields<'_>, field: &Field<Text>) -> Result<SnapshotId, FieldError> {
    fields.parse(field, |text| text.parse().ok())
}

/// Objection for an error of the store. Paths and causes go to the operator's log alone.
fn objection(error: &StoreError) -> Objection {
    match error {
        StoreError::Unknown(_) => Objection::Unknown("no snapshot has this id"),
        _ => unavailable("the snapshots cannot be read at the moment").into(),
    }
}

fn busy() -> Objection {
    let detail = "too many snapshots are being read at the moment".to_owned();
    Unavailable { module: "sanctions", retry_after_s: RETRY_AFTER_S, detail }.into()
}

/// Bounds of these views, as `/catalog` publishes them.
pub(crate) fn bounds() -> Value {
    json!({
        "listings_at_once": all::READERS,
        "snapshots_listed": all::MOST,
        "snapshots_read_at_once": one::READERS,
        "differences_at_once": difference::READERS,
        "differences_kept": difference::CACHED,
        "changes_listed": difference::MOST,
        "changes_bytes": difference::MOST_BYTES,
        "waiting_for_each": read_pool::MOST_WAITING,
    })
}

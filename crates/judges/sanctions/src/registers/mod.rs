//! What anybody may see of the snapshots: which there are, where each came from, what changed between two.
//!
//! | route | module |
//! |---|---|
//! | `GET /snapshots` | `all` |
//! | `GET /snapshots/{id}` | `one` |
//! | `GET /snapshots/diff?from=&to=` | `difference` |
//!
//! Snapshots are read on threads of their own, a few at once ([`ReadPool`]), and the last differences are kept: a stranger
//! may ask for any two at any time.

mod all;
mod difference;
mod one;
mod read_pool;

pub use all::{AllSnapshots, SnapshotLine, Snapshots};
pub use difference::{DiffPage, DiffQuestion, DiffTotals, SnapshotDiff};
pub use one::{OneSnapshot, SnapshotFile, SnapshotPage, SnapshotQuestion};

use serde_json::{Value, json};
use verdict::{FieldError, Fields, Objection, Reason, Unavailable};
use watchlist::snapshot::{SnapshotId, StoreError};

use crate::screen::unavailable;

/// What a snapshot's id looks like, for schemas.
const ID_FORM: &str = "^[0-9a-f]{64}$";
/// Seconds after which a busy desk is worth another try.
const RETRY_AFTER_S: u32 = 2;

/// The id in a field.
fn id(fields: &Fields<'_>, name: &str) -> Result<SnapshotId, FieldError> {
    let text = fields.text(name, 1..=usize::MAX)?;
    text.parse().map_err(|_| fields.error(name, Reason::Malformed, "must be 64 lowercase hexadecimal digits"))
}

/// What a store that does not answer makes of a call. Paths and causes are the operator's business.
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

/// How much of it is answered at once, as `/catalog` publishes it.
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

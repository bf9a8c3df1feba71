//! Status of a snapshot.

use super::id::SnapshotId;
use crate::lists::Doubt;

/// The result of storing a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSnapshot {
    /// Snapshot of the list, which is stored in every case.
    pub id: SnapshotId,
    /// Status of the snapshot.
    pub standing: SnapshotStatus,
}

/// Status of a snapshot: live, or the reason why it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotStatus {
    /// The snapshot is live now and was not before.
    Live,
    /// The snapshot was live already and is confirmed to be current.
    Confirmed,
    /// A newer publication is live, or a dated one while this has no date.
    Older,
    /// The snapshot has doubts and waits for [`Store::accept`](super::Store::accept).
    Held(Vec<Doubt>),
    /// The list is [retired](super::Store::retire): the snapshot waits for [`Store::accept`](super::Store::accept).
    Retired,
}

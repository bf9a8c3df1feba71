//! Lists fetched from their publishers.
//!
//! A [`Round`] asks for the files of one publication, each unless it is the version that was read last (`ETag`,
//! `Last-Modified`). OFAC's exports redirect to addresses that expire within minutes; those are followed and never kept.
//! Where the exports heed no conditions, `/changes/latest` is asked first (`changes`).
//! Nothing new confirms the live snapshots. Something new is read, all forms together, so that SDN.XML's `Record_Count`
//! and its entries stand against the advanced form's; then the [store](crate::Store) decides, as of any import, whether
//! it goes live or waits for an operator.
//!
//! # Invariants
//!
//! - A failed round changes nothing: it confirms no snapshot and makes none live. Of a publication of several lists, those before
//!   the one whose snapshot cannot be stored are taken in.
//! - The files that are read together are of one publication.
//! - At most one process fetches a list at a time.

mod changes;
mod error;
mod fetch_state;
mod published;
mod round;

pub use changes::{changes_folder, changes_limits};
pub use error::RefreshError;
pub use published::{PublishedList, SANCTIONS_LIST_SERVICE};
pub use round::{Round, RoundEnd};

use std::time::Duration;

use fetch::Limits;

/// Returns the limits on a download. The largest file has 127 MB, and has been observed at 190 kB/s.
pub fn limits() -> Limits {
    Limits {
        resolve: Duration::from_secs(5),
        connect: Duration::from_secs(10),
        total: Duration::from_secs(30 * 60),
        wire_bytes: 256 << 20,
        ..Limits::default()
    }
}

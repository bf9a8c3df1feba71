//! Snapshots: immutable, content-addressed copies of lists.
//!
//! A snapshot is one list. Its **content** is JSON Lines: a head (`form`, `list`, `published`, `coverage`,
//! `demo`), then every entry in the byte order of its uid, each in the one form that [`List`] gives it, every
//! line ended by `\n`. Its **id** is the SHA-256 of that content, so `zcat content.jsonl.gz | sha256sum`
//! prints it. The id depends on what the publication says and on nothing else: not on the order or the names
//! of its files, on gzip, on where it came from or on when. The same files read by the same version give the
//! same id anywhere.
//!
//! On disk, under the folder of the [`Store`]:
//!
//! ```text
//! snapshots/ID/content.jsonl.gz   the content
//! snapshots/ID/record.json        where it came from, when, and how much it holds
//! live.json                       which snapshot of each list is live, and when it was last confirmed
//! retired.json                    lists that an operator has taken out, and when
//! ```
//!
//! # Invariants
//!
//! - A file appears completely or not at all: it is written under another name, synchronised and renamed.
//! - A snapshot is used only if its content hashes to its id.
//! - A snapshot never changes.
//! - A doubtful list goes live only by an operator's decision.
//! - Only an operator's decision replaces a newer publication by an older one, or makes a retired list live again.

mod age;
mod content;
pub(crate) mod durable;
mod error;
mod id;
mod previous;
mod record;
mod retirement;
mod standing;
mod store;

pub use age::Age;
pub use content::entry_sha256;
pub use error::StoreError;
pub use id::{SnapshotId, SnapshotIdError};
pub use record::{ListCounts, Live, SnapshotRecord};
pub use standing::{SnapshotStatus, StoredSnapshot};
pub use store::{LIVE, Store};

use std::io;

use crate::model::{List, PublicationBounds};

/// A list with the id of its snapshot.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The SHA-256 of the content.
    pub id: SnapshotId,
    /// The list.
    pub list: List,
}

impl Snapshot {
    /// Builds the snapshot of a list.
    pub fn of(list: List) -> Self {
        Self { id: content::id(&list), list }
    }

    /// Parses a snapshot's content, as [`content`](Self::content) returns it. The id is the hash of these bytes.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if the bytes are not a content within the bounds.
    pub fn read(content: &[u8]) -> io::Result<Self> {
        content::read(content, &PublicationBounds::default()).map(|(list, id)| Self { id, list })
    }

    /// Returns the content, whose SHA-256 is the id.
    pub fn content(&self) -> Vec<u8> {
        content_of(&self.list)
    }
}

/// Returns the content of the snapshot of a list.
pub fn content_of(list: &List) -> Vec<u8> {
    let mut content = Vec::new();
    content::write(list, &mut content).expect("memory takes every byte, and an entry is plain data");
    content
}

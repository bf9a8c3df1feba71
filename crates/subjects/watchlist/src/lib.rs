//! Published sanctions lists: their formats, their snapshots, their differences, and downloads from the publisher.
//!
//! | module | content |
//! |---|---|
//! | [`model`] | the types of all modules: list, entry, name, wallet |
//! | [`lists`] | readers of the published file formats |
//! | [`snapshot`] | the store of immutable snapshots; the live snapshot of each list and its age |
//! | [`diff`] | the differences between two snapshots of a list |
//! | [`refresh`] | downloads from the publisher |
//! | [`demo`] | the built-in demo list |
//!
//! The crate stores and compares lists. It screens nothing and knows no verdicts.
//!
//! ```
//! use watchlist::{PublicationBounds, Publication};
//!
//! let file = ("sdn.json".to_owned(), br#"{"entries": [{"uid": 7, "name": "EXAMPLOV, Ivan", "type": "individual"}]}"#.to_vec());
//! let import = Publication::from_bytes([file], PublicationBounds::default())?.read(None)?;
//! assert_eq!(import.lists[0].list.entries[0].primary(), "EXAMPLOV, Ivan");
//! # Ok::<(), watchlist::ListError>(())
//! ```

pub mod demo;
pub mod diff;
pub mod lists;
pub mod model;
pub mod refresh;
pub mod snapshot;

pub use diff::Diff;
pub use lists::{Import, ListError, ParsedList, Publication};
pub use model::{
    Birth, BirthError, Coverage, EntityKind, Entry, EntryName, EntryWallet, Gender, Identifier, List,
    ListName, PublicationBounds, Quality, Topic,
};
pub use snapshot::{Age, Snapshot, SnapshotId, Store, StoreError};

//! Moves a store between back ends, backs it up into a file, and restores it.
//!
//! All rows pass through one list of tables, whatever they come from and go to, and are [checked](NotaryKeys) on the way: each
//! receipt's signature, each receipt against its leaf, and the tree against the signed checkpoint. Tiles and indexes are made
//! anew from what was checked.
//!
//! A log that goes on in two places is a fork. So the source of a [move](migrate) is marked before anything is copied, a copy
//! cannot be served before it is whole, and what is [restored](restore) is a read-only archive unless it is shown to be no
//! older than what was served. See docs/decisions/0043.
//!
//! | module | purpose |
//! |---|---|
//! | `migrate`, `backup`, `restore` | the three operations |
//! | `successor` | the log that comes after one which cannot go on |
//! | `copy` | rows from a source into a store |
//! | `check`, `keys` | the check of rows, and the keys for it |
//! | `dump` | the file of a backup |
//! | `sqlite`, `postgres`, `sql` | a store of each back end, and the statements of both |
//! | `reader` | reading of a store beside the service, such as for an export |
//! | `store` | what a source and a store are |
//! | `tables`, `value` | the list of tables; values and rows |

mod backup;
mod check;
mod copy;
mod dump;
mod error;
mod keys;
mod migrate;
mod place;
mod postgres;
mod reader;
mod restore;
mod sql;
mod sqlite;
mod store;
mod successor;
pub mod tables;
mod value;

pub use backup::{backup, verify_backup};
pub use check::Checked;
pub use error::TransferError;
pub use keys::NotaryKeys;
pub use migrate::{Migrated, migrate};
pub use place::Place;
pub use reader::StoreReader;
pub use restore::{ArchiveReason, NamedCheckpoint, RestoreAs, Restored, restore};
pub use store::Head;
pub use successor::{CLASS as SUCCESSION, Predecessor, begin_successor};

pub use value::{Row, Value};

/// Hears how far an operation has come.
pub trait Progress {
    /// A pass over so many receipts begins, in words such as `receipts copied`.
    fn begin(&mut self, what: &str, receipts: u64);

    /// One more receipt was read.
    fn receipt(&mut self);
}

/// Tells nobody.
impl Progress for () {
    fn begin(&mut self, _: &str, _: u64) {}

    fn receipt(&mut self) {}
}

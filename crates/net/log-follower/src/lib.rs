//! Follows a transparency log that others keep: a C2SP tlog-tiles log, read over HTTP.
//!
//! A log keeps its keeper honest only as long as somebody else looks at it. A [`Follower`] fetches the log's checkpoint, checks its
//! signature, fetches the entries since the last one, and recomputes the tree: the new root follows from the tree that was known
//! before, so the new checkpoint is consistent with every earlier one, and every entry is in the tree. An [`Observer`] sees each
//! entry on the way: a [`Monitor`] checks it, a [`Mirror`] keeps it.
//!
//! | module | content | standard |
//! |---|---|---|
//! | [`source`] | the log, read over HTTP through the crate `fetch` | C2SP tlog-tiles |
//! | [`follower`] | from the known checkpoint to the newest one | RFC 6962, C2SP tlog-checkpoint |
//! | [`state`] | the folder of what is known, from which a follower goes on | |
//! | [`contradiction`] | two signed checkpoints of which one cannot be true | RFC 6962, section 2.1.2 |
//! | [`monitor`] | the checks of a notary's entries | |
//! | [`key_records`] | the history of a notary's keys, from its `GET /keys` | |
//! | [`mirror`] | a copy of the log on the disk, and the proofs that it gives | C2SP tlog-tiles, tlog-proof |
//!
//! # Invariants
//!
//! - A key of the log that was not given counts only if its record is in a tree that a key known before has signed.
//! - A checkpoint counts as verified only if the entries that were fetched hash to its root. Hash tiles follow from the entries.
//!   They are read only to find out what is wrong, and to hold the parts of a long way against the signed root.
//! - What was seen on the way to a checkpoint counts once that is verified, or the way so far is shown to be a part of its tree.
//!   It is forgotten if it is not.
//! - A signed checkpoint that was seen is kept until it is compared with the tree, and a finding until it was told.
//! - The state on the disk is that before or after a step, also after a crash.
//! - All answers have a bound, and all waits.

pub mod contradiction;
pub mod follower;
pub mod key_records;
pub mod mirror;
pub mod monitor;
pub mod source;
pub mod state;

mod bundle;
mod diagnosis;
mod files;
mod follow_error;
mod log_keys;
mod observer;

pub use contradiction::{Contradiction, ContradictionError};
pub use follow_error::FollowError;
pub use follower::{Advance, Follower};
pub use key_records::{HttpRecords, KeyRecords, LogWithKeys, RecordSource};
pub use log_keys::{LogKeys, LogKeysError};
pub use mirror::{Mirror, MirrorError, MirrorFolder};
pub use monitor::{Entries, Finding, KeyRule, Monitor};
pub use observer::{Observer, ObserverError};
pub use source::{HttpLog, LogSource, SourceError};
pub use state::{StateError, StateFolder};

//! Sanctions lists, and whether a name or a wallet is on one.
//!
//! | module | what it holds |
//! |---|---|
//! | [`model`] | the shared words: list, entry, name, wallet |
//! | [`lists`] | reading what publishers publish |
//! | [`snapshot`] | lists as they were, kept for good; which one is live, and its age |
//! | [`diff`] | what changed between two snapshots |
//! | [`names`] | whether a name is listed |
//! | [`wallet`] | whether a digital currency address is listed |
//! | [`demo`] | the built-in list for trying out |
//! | [`live`] | the lists that answer questions now |
//! | [`refresh`] | lists fetched from their publisher |
//! | [`registers`] | what anybody may see of the snapshots |
//! | `screen` | what the judges share: which lists were looked at, and whether they may answer |
//! | [`screen_entity`], [`screen_wallet`], [`screen_batch`], [`agent_clearance`] | the judges of these routes |

pub mod agent_clearance;
mod bounds;
pub mod demo;
pub mod diff;
pub mod lists;
pub mod live;
pub mod model;
pub mod names;
mod page;
pub mod refresh;
pub mod registers;
mod screen;
pub mod screen_batch;
pub mod screen_entity;
pub mod screen_wallet;
pub mod snapshot;
pub mod wallet;

pub use bounds::bounds;
pub use diff::Diff;
pub use lists::{Import, ListError, Parsed, Publication};
pub use model::{
    Birth, BirthError, Bounds, Coverage, EntityKind, Entry, Gender, Identifier, List, ListName, Name,
    Quality, Wallet,
};
pub use snapshot::{Age, Snapshot, SnapshotId, Store, StoreError};
pub use wallet::WalletIndex;

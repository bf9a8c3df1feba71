//! The live lists, which answer questions now.
//!
//! [`Lists`] is the handle that judges hold on the live snapshots of a store, each with its index. All of them are
//! replaced together. Another process imports a publication or retires a list, and records it in the store;
//! [`Lists::reload`] reads that record, builds the new indexes, and then exchanges them for the old ones, which answer
//! in the meantime.
//!
//! # Invariants
//!
//! - A question is answered by all live lists: if one cannot be read, there is no answer.
//! - A name is screened only against lists of names, and never against a list of wallets.
//! - "Not listed" requires that every list was confirmed within the last 24 hours, and for a name the SDN list.

mod indexed;
mod links;
mod lists;
mod set;

pub use indexed::Indexed;
pub(crate) use links::PartyLinks;
pub use lists::{FOLDER, Lists};
pub use set::{LiveList, LiveLists};

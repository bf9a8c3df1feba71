//! The lists that answer questions now.
//!
//! [`Lists`] is what judges hold: a handle on the live snapshots of a store, each with its index, which is replaced as a
//! whole. Another process imports a publication, or takes a list out, and says so in the store; [`Lists::reload`] sees it, builds what it
//! needs beside, and only then puts it in the place of the old, which answers meanwhile.
//!
//! What never happens: a question is answered by some of the live lists because another could not be read; a list of
//! wallets answers a name; "not listed" is said by a list that nobody has confirmed for a day, or of a name without the
//! SDN list.

mod indexed;
mod lists;
mod set;

pub use indexed::Indexed;
pub use lists::Lists;
pub use set::{LiveList, LiveLists};

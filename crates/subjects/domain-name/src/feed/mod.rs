//! Feeds of bad domains: files of names as their projects publish them, which the operator updates.
//!
//! A line of a feed is a name, a line of a hosts file (`0.0.0.0 name`), an address with `http` or `https`, or a comment
//! after `#`. A name matches itself and all names below it. The address of a page matches only the host of the page,
//! because a bad page of a platform says nothing about other names of that platform.
//!
//! An entry proves only that somebody added it to the feed, so it results in a flag with the feed's name, and not in a
//! score.
//!
//! # Invariants
//!
//! A feed that cannot be read is an error; it never counts as a feed without entries.

mod entries;
mod follow;
mod look_up;
mod read;

pub use follow::{Feeds, FeedsError, LOOK_EVERY, MAX_FEEDS};
pub use look_up::{FeedEntry, FeedLookUp};
pub use read::{Feed, FeedError, MAX_ENTRIES, MAX_FEED_BYTES};

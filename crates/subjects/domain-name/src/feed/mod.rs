//! Feeds of bad domains: files of names as the projects that gather them publish them, which an operator keeps up to date.
//!
//! A line of a feed is a name, a line of a hosts file (`0.0.0.0 name`), an address with `http` or `https`, or a comment
//! after `#`. A name stands for itself and for all names below it. The address of a page stands for the very host that
//! has the page: what was put on one page of a platform says nothing of the names below it.
//!
//! What is on a feed says only that somebody put it there, so it is a flag with the feed's name and never a score.
//!
//! What never happens: a feed that cannot be read is taken for one on which nothing stands.

mod entries;
mod follow;
mod look_up;
mod read;

pub use follow::{Feeds, FeedsError, LOOK_EVERY, MAX_FEEDS};
pub use look_up::{FeedEntry, FeedLookUp};
pub use read::{Feed, FeedError, MAX_ENTRIES, MAX_FEED_BYTES};

//! Feeds of bad names and addresses: files as their projects publish them, which the operator updates, or has downloaded.
//!
//! The content of a file tells its format:
//!
//! | format | a row |
//! |---|---|
//! | names | a name, or a line of a hosts file (`0.0.0.0 name`); `#` begins a comment |
//! | addresses | an address with `http` or `https` |
//! | CSV, as of URLhaus | quoted columns, of which the column `url` counts, online or not |
//! | rules of ad blockers | `\|\|name^` and `\|\|name/path^` without options that narrow them; `@@\|\|name^` is a shared host, `!` begins a comment |
//! | JSON document | the elements of `deny`, `blacklist` or `blocklist`, or of an array; `allow` and `whitelist` are shared hosts |
//! | JSON Lines | an object with `domain` or `url` |
//!
//! A name matches itself and all names below it. The address of a page matches the addresses that have it among their
//! expressions ([`web_address::WebAddress::expressions`]); of a domain it says only that there is such a page. The address
//! of a host without a path is a name.
//!
//! An entry proves only that somebody added it to the feed.
//!
//! # Invariants
//!
//! - A feed that cannot be read is an error; it never counts as a feed without entries.
//!
//! - Every entry is found again by a look-up of itself. A row that names a shared host whole is no entry; it is counted.
//!
//! - Nothing is downloaded that the configuration does not name.
//!
//! - A page of a shared host ([`is_shared_host`]) is not matched by an entry for the whole host or for a name above it.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`Feeds`], [`FeedsError`] | the files, followed while they change |
//! | [`FeedsSettings`], [`FeedSettings`] | the section of the configuration, and a feed in it |
//! | [`FetchSettings`], [`FetchTable`], [`FeedPreset`] | a feed to download, and the well-known ones with their terms |
//! | [`FeedDownload`], [`FeedDownloadError`] | the downloads of a feed |
//! | [`Feed`], [`FeedError`] | one file as it was read |
//! | [`FeedLookUp`], [`FeedEntry`] | the result of a look-up, as evidence has it |
//! | [`FeedStanding`], [`AgeBasis`] | the state of a feed: its size, its age, why it could not be read again |
//! | [`is_shared_host`] | hosts on which anybody can have pages |

mod document;
mod download;
mod entries;
mod follow;
mod look_up;
mod plan;
mod presets;
mod read;
mod row;
mod settings;
mod shared;
mod standing;
mod stated;

pub use download::{FeedDownload, FeedDownloadError, FeedDownloadRound, download_limits};
pub use follow::{Feeds, FeedsError, LOOK_EVERY, MAX_FEEDS};
pub use look_up::{FeedEntry, FeedLookUp, any_fresh};
pub use plan::{FetchSettings, FetchTable};
pub use presets::FeedPreset;
pub use read::{Feed, FeedError, FeedFormat, MAX_ENTRIES, MAX_FEED_BYTES};
pub use settings::{DEFAULT_STALE_AFTER_HOURS, FOLDER, FeedSettings, FeedTable, FeedsSettings};
pub use shared::is_shared_host;
pub use standing::{AgeBasis, FeedStanding};

//! The state of a feed.

use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The source of a feed's date.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgeBasis {
    /// The file states it.
    Stated,
    /// The file states none; it is the time of the file's last change.
    Modified,
}

/// The state of a feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedStanding {
    /// The name of the feed.
    pub name: String,
    /// The SHA-256 of its file, in hexadecimal digits.
    pub sha256: String,
    /// Number of entries.
    pub entries: u64,
    /// Number of rows that could not be read.
    pub malformed: u64,
    /// Number of entries that name a shared host whole, and match no address.
    pub ignored: u64,
    /// The date of the entries.
    pub as_of: SystemTime,
    /// The source of the date.
    pub basis: AgeBasis,
    /// The age beyond which the feed is stale.
    pub stale_after: Duration,
    /// True if the feed was stale at the time that was asked about.
    pub stale: bool,
    /// The reason why the newest state of the file cannot be read; the entries are those of an earlier state.
    pub unreadable: Option<String>,
}

impl FeedStanding {
    /// Returns true if the entries are older than the feed may be at this time.
    #[must_use]
    pub fn is_stale(&self, at: SystemTime) -> bool {
        is_stale(self.as_of, self.stale_after, at)
    }
}

/// A date in the future is no age.
pub(crate) fn is_stale(as_of: SystemTime, stale_after: Duration, at: SystemTime) -> bool {
    at.duration_since(as_of).is_ok_and(|age| age > stale_after)
}

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
    /// The file states none; it is the time of the last download that found it current.
    Fetched,
    /// The feed has never been downloaded, and has no entries. Its date is the beginning of 1970.
    Never,
}

/// The state of a feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedStanding {
    /// The name of the feed.
    pub name: String,
    /// The licence of the feed, where it is configured.
    pub licence: Option<String>,
    /// The address that the feed comes from, without a key, where it is configured.
    pub source: Option<String>,
    /// The SHA-256 of its file, in hexadecimal digits.
    pub sha256: String,
    /// Number of entries.
    pub entries: u64,
    /// Number of rows that could not be read.
    pub malformed: u64,
    /// Number of rows that named a shared host whole, and are no entries.
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

/// The clocks of an operator's machines differ by less than this.
pub(crate) const CLOCKS_DIFFER: Duration = Duration::from_secs(24 * 3600);

/// True if entries of this date are older than they may be, or from so far in the future that nobody knows their age.
pub(crate) fn is_stale(as_of: SystemTime, stale_after: Duration, at: SystemTime) -> bool {
    match at.duration_since(as_of) {
        Ok(age) => age > stale_after,
        Err(ahead) => ahead.duration() > CLOCKS_DIFFER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_beyond_the_bound_and_one_that_nobody_knows_are_stale() {
        const HOUR: Duration = Duration::from_secs(3600);
        let as_of = SystemTime::UNIX_EPOCH + 1000 * HOUR;
        for (at, stale) in [
            (as_of, false),
            (as_of + 2 * HOUR, false),
            (as_of + 2 * HOUR + Duration::from_secs(1), true),
            (as_of - 24 * HOUR, false),
            (as_of - 25 * HOUR, true),
        ] {
            assert_eq!(is_stale(as_of, 2 * HOUR, at), stale, "{at:?}");
        }
    }
}

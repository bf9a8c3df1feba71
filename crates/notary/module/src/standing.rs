//! The state of a module's sources, as `/stats`, `/health` and the metrics report it.

use serde::Serialize;

/// The state of a module's sources at a time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// The fault that `/health` reports, such as `down`, `no_list`, `list_stale` or `feed_unreadable`; `None` where there is none.
    pub fault: Option<&'static str>,
    /// The sources that are in use now.
    pub sources: Vec<SourceStanding>,
}

/// A list, a feed or another published source that is in use now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourceStanding {
    /// The name of the source.
    pub name: String,
    /// The date that the publisher gives for the source; `None` where it gives none.
    pub published: Option<String>,
    /// The id of the snapshot in use; `None` for a source without snapshots.
    pub snapshot: Option<String>,
    /// The number of entries of the source.
    pub entries: u64,
    /// Whole seconds since the source was last confirmed to be current; absent where it is never confirmed.
    pub age_s: Option<u64>,
    /// True if the source is too old to show that something is not listed.
    pub stale: bool,
    /// True if it is a demonstration list, and not a published one.
    pub demo: bool,
}

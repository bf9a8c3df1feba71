//! The state of a module's sources, as `/stats`, `/health` and the metrics report it.

use serde::Serialize;

/// The state of a module's sources at a time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// The fault that `/health` names: `down`, `no_list`, `list_stale`.
    pub fault: Option<&'static str>,
    /// The sources that answer questions now.
    pub sources: Vec<SourceStanding>,
}

/// A list, a feed or another published source that answers questions now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourceStanding {
    /// The name of the source.
    pub name: String,
    /// The date that its publisher gives it.
    pub published: Option<String>,
    /// The id of its snapshot, where snapshots are kept.
    pub snapshot: Option<String>,
    /// The number of entries.
    pub entries: u64,
    /// Whole seconds since the source was last confirmed to be current; absent where it is never confirmed.
    pub age_s: Option<u64>,
    /// `true` where the source is too old to show that something is not listed.
    pub stale: bool,
    /// `true` where it is a demonstration list and no real one.
    pub demo: bool,
}

//! How the sources of a module stand, as `/stats`, `/health` and the metrics tell it.

use serde::Serialize;

/// How the sources of a module stand at a time.
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
    /// The day that its publisher dates it by.
    pub published: Option<String>,
    /// The id of its snapshot, where snapshots are kept.
    pub snapshot: Option<String>,
    /// The number of entries.
    pub entries: u64,
    /// Whole seconds since it was last confirmed to be current; absent where it never is.
    pub age_s: Option<u64>,
    /// `true` where it is too old to say of anything that it is not on it.
    pub stale: bool,
    /// `true` where it is for trying out, and no real one.
    pub demo: bool,
}

//! What the service says of the lists that its judges screen against: in `/stats`, `/health` and the metrics.

use serde::Serialize;
use verdict::Timestamp;

/// A list that answers questions now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LiveList {
    /// What it is called.
    pub name: String,
    /// The day that its publisher dates it by.
    pub published: Option<String>,
    /// The id of its snapshot.
    pub snapshot: String,
    /// How many entries it has.
    pub entries: u64,
    /// Whole seconds since it was last confirmed to be current; none of a list that never is.
    pub age_s: Option<u64>,
    /// Whether it is too old to say of anything that it is not on it.
    pub stale: bool,
    /// Whether it is for trying out, and no real one.
    pub demo: bool,
}

/// All of them, and the part that keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveLists {
    /// The part, as `/health` names it.
    pub module: &'static str,
    /// Whether what is kept could be read.
    pub readable: bool,
    /// Whether one is not here, though it is asked for, without which nothing is said not to be listed.
    pub missing: bool,
    /// They.
    pub lists: Vec<LiveList>,
}

impl LiveLists {
    /// What is the matter with them, as `/health` says it. That there are none is not, unless some are asked for: the
    /// routes say so.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        if !self.readable {
            return Some("down");
        }
        if self.missing {
            return Some("no_list");
        }
        self.lists.iter().any(|list| list.stale).then_some("list_stale")
    }

    /// Brings the gauges up to date.
    pub(crate) fn observe(&self) {
        metrics::gauge!("touchstone_lists_live").set(self.lists.len() as f64);
        for list in &self.lists {
            let gauge = |name: &'static str, value: f64| {
                metrics::gauge!(name, "list" => list.name.clone()).set(value)
            };
            gauge("touchstone_list_entries", list.entries as f64);
            if let Some(age) = list.age_s {
                gauge("touchstone_list_age_seconds", age as f64);
            }
        }
    }
}

/// Says how the lists stand at a time. The wiring gives it.
pub type Standing = Box<dyn Fn(Timestamp) -> LiveLists + Send + Sync>;

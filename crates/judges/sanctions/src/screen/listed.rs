//! A list and an entry, as a finding shows them.

use std::borrow::Cow;

use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use watchlist::{EntityKind, Entry, Topic};

use crate::live::LiveList;

/// The most characters of an entry's remarks in a finding; the snapshot has them whole.
const REMARKS_CHARS: usize = 1_000;
/// The most programs of an entry in a finding; no real entry has half as many.
const PROGRAMS: usize = 32;

/// Screened list, with its age at that time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ScreenedList {
    /// Name of the list.
    pub name: String,
    /// Why parties are on the list.
    pub topic: Topic,
    /// The day that its publisher dates it by; absent where the publication has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    pub published: Option<String>,
    /// The id of the snapshot: the SHA-256 of its content.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub snapshot: String,
    /// Number of entries.
    pub entries: u64,
    /// Time at which the list was last confirmed to be current; absent for the demo list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub confirmed_at: Option<Timestamp>,
    /// Whole seconds since then; absent of the demo list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<u64>,
    /// Set for the built-in demo list, which is no real list.
    pub demo: bool,
}

impl ScreenedList {
    pub(crate) fn at(list: &LiveList, at: Timestamp) -> Self {
        let indexed = &list.indexed;
        Self {
            name: indexed.list().name.to_string(),
            topic: indexed.list().topic,
            published: indexed.list().published.map(|date| date.to_string()),
            snapshot: indexed.id().to_string(),
            entries: indexed.list().entries.len() as u64,
            confirmed_at: list.confirmed_at,
            age_seconds: list.age(at).seconds(),
            demo: indexed.list().demo,
        }
    }
}

/// Evidence of a screen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ScreenEvidence {
    /// Time of the screen.
    #[schemars(with = "String")]
    pub screened_at: Timestamp,
    /// The ids of the snapshots, each the SHA-256 of its content.
    pub snapshots: Vec<String>,
}

/// Members of a finding about its lists.
pub(crate) struct ListEvidence {
    pub(crate) lists: Vec<ScreenedList>,
    pub(crate) evidence: ScreenEvidence,
    pub(crate) demo: bool,
}

impl ListEvidence {
    /// Describes the lists; `None` where there is none.
    pub(crate) fn of(lists: &[LiveList], at: Timestamp) -> Option<Self> {
        let lists: Vec<ScreenedList> = lists.iter().map(|list| ScreenedList::at(list, at)).collect();
        let snapshots = lists.iter().map(|list| list.snapshot.clone()).collect();
        if lists.is_empty() {
            return None;
        }
        Some(Self {
            demo: lists.iter().any(|list| list.demo),
            lists,
            evidence: ScreenEvidence { screened_at: at, snapshots },
        })
    }

    /// The scope, and that the demo list is none.
    pub(crate) fn scope(&self, scope: impl Into<Cow<'static, str>>) -> Cow<'static, str> {
        let scope = scope.into();
        if self.demo { format!("Built-in demo list, no real one. {scope}").into() } else { scope }
    }
}

/// A listed party in short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Party {
    /// The publisher's own key of the entry.
    pub uid: String,
    /// The list that it is on.
    pub list: String,
    /// The name that it is listed under.
    pub name: String,
    /// Kind of party.
    #[serde(rename = "type")]
    pub kind: EntityKind,
    /// The sanctions programs that it is listed under.
    pub programs: Vec<String>,
    /// The list's remarks, their first 1,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remarks: Option<String>,
}

/// An entry in short.
pub(crate) fn party(entry: &Entry) -> Party {
    Party {
        uid: entry.uid.to_string(),
        list: entry.list.to_string(),
        name: entry.primary().to_owned(),
        kind: entry.kind,
        programs: entry.programs.iter().take(PROGRAMS).map(ToString::to_string).collect(),
        remarks: entry.remarks.as_deref().map(|remarks| remarks.chars().take(REMARKS_CHARS).collect()),
    }
}

/// A score as findings give it: six places.
pub(crate) fn rounded(score: f32) -> f64 {
    // Adding nothing makes a negative zero a plain one.
    (f64::from(score) * 1e6).round() / 1e6 + 0.0
}

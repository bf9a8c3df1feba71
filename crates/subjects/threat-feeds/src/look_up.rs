//! The result of looking a domain or an address up in a feed, as evidence has it. A replay needs no file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AgeBasis;

/// A feed and its entry for a domain or an address.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FeedSeen")]
pub struct FeedLookUp {
    /// Name of the feed's file.
    pub name: String,
    /// The SHA-256 of its file.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// Number of entries of the feed.
    pub entries: u64,
    /// The entry that the domain or the address stands under; `null` where there is none.
    pub entry: Option<FeedEntry>,
    /// The date of the entries, RFC 3339 in UTC. Look-ups of domains by earlier versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// The source of the date. Look-ups of domains by earlier versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<AgeBasis>,
    /// True if the entries were older than the feed may be. Look-ups of domains by earlier versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale: Option<bool>,
    /// The licence of the feed, where it is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// The address that the feed comes from, without a key, where it is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl FeedLookUp {
    /// Returns true if the feed was not stale when it was asked. A look-up whose feed's age is not known is not fresh.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.stale == Some(false)
    }
}

/// Returns true if at least one of the feeds was not stale when it was asked.
#[must_use]
pub fn any_fresh(look_ups: &[FeedLookUp]) -> bool {
    look_ups.iter().any(FeedLookUp::is_fresh)
}

/// An entry of a feed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedEntry {
    /// A name: itself and all below it.
    Name(String),
    /// The host of a page: itself alone. Look-ups of domains have it.
    PageOf(String),
    /// A page and all below it, as the expression `host/path` that matched. Look-ups of addresses have it.
    Page(String),
}

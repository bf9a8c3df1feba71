//! The result of looking a domain up in a feed, as evidence has it. A replay needs no file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A feed and its entry for a domain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FeedSeen")]
pub struct FeedLookUp {
    /// Name of the feed's file.
    pub name: String,
    /// The SHA-256 of its file.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// Number of entries of the feed.
    pub entries: u64,
    /// The entry that the domain stands under; `null` where there is none.
    pub entry: Option<FeedEntry>,
}

/// An entry of a feed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedEntry {
    /// A name: itself and all below it.
    Name(String),
    /// The host of a page: itself alone.
    PageOf(String),
}

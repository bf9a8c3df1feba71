//! What a feed said of a name, as it stands in evidence: a replay needs no file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A feed that was looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FeedSeen")]
pub struct FeedLookUp {
    /// Its file's name.
    pub name: String,
    /// The SHA-256 of its file.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// How many entries it has.
    pub entries: u64,
    /// The one that the domain stands under; `null` where there is none.
    pub entry: Option<FeedEntry>,
}

/// What stands on a feed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedEntry {
    /// A name: itself and all below it.
    Name(String),
    /// The host of a page: itself alone.
    PageOf(String),
}

//! What a feed said of a name, as it stands in evidence: a replay needs no file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A feed that was looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FeedSeen {
    /// Its file's name.
    pub name: String,
    /// The SHA-256 of its file.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
    /// How many entries it has.
    pub entries: u64,
    /// The one that the domain stands under; `null` where there is none.
    pub entry: Option<Entry>,
}

/// What stands on a feed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FeedEntry")]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// A name: itself and all below it.
    Name(String),
    /// The host of a page: itself alone.
    PageOf(String),
}

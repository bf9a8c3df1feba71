//! Settings of a feed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The age in hours beyond which a feed is stale, if nothing else is configured.
pub const DEFAULT_STALE_AFTER_HOURS: u32 = 48;

/// A feed in the configuration: the path of its file, or a table.
///
/// ```
/// # #[derive(serde::Deserialize)]
/// # struct Configuration { feeds: Vec<threat_feeds::FeedSettings> }
/// let text = r#"feeds = ["/var/lib/phishing.txt", { path = "/var/lib/urlhaus.csv", stale_after_hours = 6 }]"#;
/// let configuration: Configuration = toml::from_str(text).unwrap();
/// assert_eq!(configuration.feeds[0].name(), "phishing.txt");
/// ```
#[derive(Deserialize, Serialize, Clone, Debug, PartialEq, Eq)]
#[serde(untagged)]
pub enum FeedSettings {
    /// The path of the file.
    Path(PathBuf),
    /// The path with more settings.
    Table(FeedTable),
}

/// The settings of a feed as a table.
#[derive(Deserialize, Serialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct FeedTable {
    /// The path of the file.
    pub path: PathBuf,
    /// The age in hours beyond which the feed is stale; [`DEFAULT_STALE_AFTER_HOURS`] if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_after_hours: Option<u32>,
    /// The name of the feed in receipts; the name of the file if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl FeedSettings {
    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Path(path) => path,
            Self::Table(table) => &table.path,
        }
    }

    /// The name of the feed.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Table(FeedTable { name: Some(name), .. }) => name.clone(),
            _ => self.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// The age beyond which the feed is stale.
    #[must_use]
    pub fn stale_after(&self) -> Duration {
        let hours = match self {
            Self::Path(_) => None,
            Self::Table(table) => table.stale_after_hours,
        };
        Duration::from_secs(u64::from(hours.unwrap_or(DEFAULT_STALE_AFTER_HOURS)) * 3600)
    }
}

impl From<PathBuf> for FeedSettings {
    fn from(path: PathBuf) -> Self {
        Self::Path(path)
    }
}

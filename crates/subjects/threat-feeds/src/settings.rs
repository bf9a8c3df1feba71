//! Settings of the feeds.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain_name::DomainName;
use serde::{Deserialize, Serialize};

use crate::Feeds;

/// The most bytes of a file of shared hosts.
const MAX_SHARED_HOSTS_BYTES: u64 = 1 << 20;

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

/// The section of the configuration for all feeds.
///
/// ```
/// let text = r#"
///     files = ["/var/lib/phishing.txt", { path = "/var/lib/urlhaus.csv", stale_after_hours = 6 }]
///     shared_hosts = "/etc/touchstone/shared-hosts.txt"
/// "#;
/// let settings: threat_feeds::FeedsSettings = toml::from_str(text).unwrap();
/// assert!(settings.open().is_err(), "there are no such files");
/// assert!(threat_feeds::FeedsSettings::default().open().unwrap().is_empty());
/// ```
#[derive(Deserialize, Serialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct FeedsSettings {
    /// Files of known bad names and addresses, which are read again when they change: paths, or tables with a path.
    files: Vec<FeedSettings>,
    /// A file of hosts that are never blocked whole, a name a line, beside those that are [known](crate::is_shared_host).
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_hosts: Option<PathBuf>,
}

impl FeedsSettings {
    /// Opens the feeds.
    ///
    /// # Errors
    /// The name of the setting that is wrong, and the reason.
    pub fn open(&self) -> Result<Feeds, (&'static str, Box<dyn Error + Send + Sync>)> {
        let hosts = match &self.shared_hosts {
            Some(path) => shared_hosts(path)
                .map_err(|why| ("feeds.shared_hosts", format!("{}: {why}", path.display()).into()))?,
            None => Vec::new(),
        };
        Feeds::open_with_shared_hosts(&self.files, &hosts).map_err(|why| ("feeds.files", why.into()))
    }
}

/// Reads a name a line; `#` begins a comment.
fn shared_hosts(path: &Path) -> Result<Vec<DomainName>, Box<dyn Error + Send + Sync>> {
    let size = std::fs::metadata(path)?.len();
    if size > MAX_SHARED_HOSTS_BYTES {
        return Err(format!("has {size} bytes, and may have {MAX_SHARED_HOSTS_BYTES}").into());
    }
    let mut hosts = Vec::new();
    for (number, line) in std::fs::read_to_string(path)?.lines().enumerate() {
        let name = line.split('#').next().unwrap_or_default().trim();
        if !name.is_empty() {
            hosts.push(DomainName::parse(name).map_err(|why| format!("line {}: {why}", number + 1))?);
        }
    }
    Ok(hosts)
}

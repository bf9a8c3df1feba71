//! Settings of the feeds.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain_name::DomainName;
use fetch::{Limits, Source};
use serde::{Deserialize, Serialize};

use crate::download::{FeedDownload, download_limits};
use crate::follow::{Feeds, FeedsError};
use crate::plan::{FetchPlan, FetchSettings};

/// The most bytes of a file of shared hosts.
const MAX_SHARED_HOSTS_BYTES: u64 = 1 << 20;

/// The name of the folder of downloaded feeds in the service's data folder.
pub const FOLDER: &str = "feeds";
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
    /// The licence of the feed, for receipts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// The address that the file was copied from, for receipts. It must hold no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
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

    /// The licence of the feed and the address that it comes from, where they are configured.
    pub(crate) fn origin(&self) -> (Option<String>, Option<String>) {
        match self {
            Self::Path(_) => (None, None),
            Self::Table(table) => (table.licence.clone(), table.source.clone()),
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
///     fetch = ["polkadot", { preset = "metamask", accept_terms = true, every = "12h" }]
///     shared_hosts = "/etc/touchstone/shared-hosts.txt"
/// "#;
/// let settings: threat_feeds::FeedsSettings = toml::from_str(text).unwrap();
/// let folder = std::path::Path::new("feeds");
/// assert!(settings.open(folder).is_err(), "there are no such files");
/// assert!(threat_feeds::FeedsSettings::default().open(folder).unwrap().is_empty());
/// ```
#[derive(Deserialize, Serialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct FeedsSettings {
    /// Files of known bad names and addresses, which are read again when they change: paths, or tables with a path.
    files: Vec<FeedSettings>,
    /// Feeds that are downloaded: names of [presets](crate::FeedPreset), or tables. Nothing is downloaded that is not named here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fetch: Vec<FetchSettings>,
    /// A file of hosts that are never blocked whole, a name a line, beside those that are [known](crate::is_shared_host).
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_hosts: Option<PathBuf>,
}

impl FeedsSettings {
    /// Opens the feeds. Those that are downloaded are in `folder`; one that is not there yet has no entries and is stale.
    ///
    /// # Errors
    /// The name of the setting that is wrong, and the reason.
    pub fn open(&self, folder: &Path) -> Result<Feeds, (&'static str, Box<dyn Error + Send + Sync>)> {
        let plans = self.plans()?;
        let hosts = match &self.shared_hosts {
            Some(path) => shared_hosts(path)
                .map_err(|why| ("feeds.shared_hosts", format!("{}: {why}", path.display()).into()))?,
            None => Vec::new(),
        };
        Feeds::open_with_fetched(&self.files, &hosts, &plans, folder).map_err(|why| {
            let is_of_files = matches!(why, FeedsError::Unreadable { .. }) || plans.is_empty();
            (if is_of_files { "feeds.files" } else { "feeds" }, why.into())
        })
    }

    /// Makes the downloads of the feeds, which [`open`](Self::open) has opened on the same folder. `source` makes the source of documents at
    /// an address. No connection is opened.
    ///
    /// # Errors
    /// The setting that is wrong, as in `open`, or the error of `source`.
    pub fn downloads<E>(
        &self,
        feeds: &Feeds,
        folder: &Path,
        source: impl Fn(&'static str, &str, Limits) -> Result<Source, E>,
    ) -> Result<Vec<FeedDownload>, E> {
        // The settings were read when the feeds were opened.
        let plans = self.plans().unwrap_or_default();
        let download = |(number, plan): (usize, &FetchPlan)| {
            let source = source("feeds.fetch", &plan.address, download_limits())?;
            Ok(FeedDownload::new(feeds.clone(), self.files.len() + number, folder, plan, source))
        };
        plans.iter().enumerate().map(download).collect()
    }

    fn plans(&self) -> Result<Vec<FetchPlan>, (&'static str, Box<dyn Error + Send + Sync>)> {
        let plan = |settings: &FetchSettings| settings.plan().map_err(|why| ("feeds.fetch", why.into()));
        self.fetch.iter().map(plan).collect()
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

//! Feeds that are fetched from their publishers.
//!
//! A round asks for the file unless it is the version that was read last (`ETag`, `Last-Modified`). The feed's files are in one folder:
//! `NAME.json` is the state of the last fetch, and names the file of entries by its SHA-256. That file is complete before the state names
//! it, so that a crash leaves either the old feed or the new one.
//!
//! # Invariants
//!
//! - A failed round changes no entry and confirms nothing: the feed that is there becomes stale by its age.
//!
//! - A file that is no feed, or that has less than half of the entries of the one before, is not adopted.
//!
//! - A feed that has never been fetched has no entries and is stale.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fetch::{FetchError, GunzipError, Limits, Source, Validators};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::entries::Entries;
use crate::follow::Feeds;
use crate::plan::FetchPlan;
use crate::read::{Feed, FeedError, FeedFormat, MAX_FEED_BYTES};
use crate::stated;

/// Magic number of gzip (RFC 1952 section 2.3.1); no text begins so.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The most bytes of the state of a fetch.
const MAX_STATE_BYTES: u64 = 16 << 10;
/// The status of a file that is the version which is known (RFC 9110 section 15.4.5).
const NOT_MODIFIED: u16 = 304;

/// Returns the limits on a download.
#[must_use]
pub fn download_limits() -> Limits {
    Limits {
        resolve: Duration::from_secs(5),
        connect: Duration::from_secs(10),
        total: Duration::from_secs(10 * 60),
        wire_bytes: usize::try_from(MAX_FEED_BYTES).unwrap_or(usize::MAX),
        ..Limits::default()
    }
}

/// The reason why a round adopted nothing.
#[derive(Debug, thiserror::Error)]
pub enum FeedDownloadError {
    /// The file could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The server answered with this HTTP status instead of a file.
    #[error("the feed was answered with status {0}")]
    Status(u16),
    /// The file's gzip coding cannot be decoded.
    #[error(transparent)]
    Coding(#[from] GunzipError),
    /// The file is no feed.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// The file has another format than the one that is configured.
    #[error("the feed has the format {found}, and {configured} is configured")]
    Format {
        /// The format of the file.
        found: FeedFormat,
        /// The format in the configuration.
        configured: FeedFormat,
    },
    /// The file has less than half of the entries of the one before.
    #[error("the feed has {now} entries, less than half of the {before} before")]
    Shrunk {
        /// The number of entries of the feed that stays in use.
        before: usize,
        /// The number of entries of the file.
        now: usize,
    },
    /// The files of the feed cannot be written.
    #[error("the files of the feed cannot be written: {0}")]
    Files(#[from] io::Error),
    /// The round was cancelled.
    #[error("the round was broken off")]
    BrokenOff,
}

impl FeedDownloadError {
    /// Returns a word for the reason, as metrics have it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Fetch(_) => "unreachable",
            Self::Status(_) => "status",
            Self::Coding(_) | Self::Feed(_) | Self::Format { .. } => "unreadable",
            Self::Shrunk { .. } => "shrunk",
            Self::Files(_) => "files",
            Self::BrokenOff => "broken_off",
        }
    }

    /// True if the publisher's file was fetched, and is not fit to be adopted.
    fn is_of_content(&self) -> bool {
        matches!(self, Self::Coding(_) | Self::Feed(_) | Self::Format { .. } | Self::Shrunk { .. })
    }
}

/// The result of a round that did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeedDownloadRound {
    /// A new file was adopted.
    New,
    /// The file has not changed since the last round.
    Unchanged,
}

/// The state of the last fetch of a feed, as a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct FetchState {
    /// The SHA-256 of the address, which may hold a key. The state of another address does not apply.
    address_sha256: String,
    /// The SHA-256 of the file of entries.
    sha256: String,
    /// The time of the last fetch that found the file current, RFC 3339.
    confirmed_at: jiff::Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
}

impl FetchState {
    fn read(path: &Path) -> Option<Self> {
        if fs::metadata(path).ok()?.len() > MAX_STATE_BYTES {
            return None;
        }
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    fn validators(&self) -> Validators {
        Validators { etag: self.etag.clone(), last_modified: self.last_modified.clone() }
    }
}

/// The files of a feed.
#[derive(Clone)]
pub(crate) struct FeedFiles {
    folder: PathBuf,
    name: String,
    address_sha256: String,
}

/// A feed as its files have it, and the time at which it was last found current.
pub(crate) struct StoredFeed {
    pub(crate) feed: Feed,
    pub(crate) confirmed_at: SystemTime,
}

impl FeedFiles {
    pub(crate) fn of(folder: &Path, plan: &FetchPlan) -> Self {
        let address_sha256 = hex::encode(Sha256::digest(&plan.address));
        Self { folder: folder.to_owned(), name: plan.name.clone(), address_sha256 }
    }

    fn state_path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    fn entries_path(&self, sha256: &str) -> PathBuf {
        self.folder.join(format!("{}.{sha256}.feed", self.name))
    }

    /// The state, where it is of this address.
    fn state(&self) -> Option<FetchState> {
        let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let state = FetchState::read(&self.state_path())?;
        (state.address_sha256 == self.address_sha256 && is_hash(&state.sha256)).then_some(state)
    }

    /// Reads the feed that was fetched last; `None` where there is none, or where its file is damaged.
    pub(crate) fn stored(&self, allowed: &Entries) -> Option<StoredFeed> {
        let state = self.state()?;
        match Feed::open(&self.entries_path(&state.sha256), allowed) {
            Ok(feed) if feed.sha256() == state.sha256 => {
                Some(StoredFeed { feed, confirmed_at: stated::system(state.confirmed_at)? })
            }
            Ok(_) => {
                tracing::warn!(feed = self.name, "the fetched feed is damaged, and must be fetched again");
                None
            }
            Err(error) => {
                tracing::warn!(feed = self.name, %error, "the fetched feed cannot be read, and must be fetched again");
                None
            }
        }
    }

    /// A file beside the others, which has no name for long.
    fn new_file(&self) -> io::Result<NamedTempFile> {
        tempfile::Builder::new().prefix(&format!(".new-{}-", self.name)).tempfile_in(&self.folder)
    }

    fn write_state(&self, state: &FetchState) -> io::Result<()> {
        let mut file = self.new_file()?;
        file.write_all(&serde_json::to_vec_pretty(state)?)?;
        persist(file, &self.state_path())?;
        fs::File::open(&self.folder)?.sync_all()
    }

    /// Deletes the files of earlier versions, and those that a killed process left. A file that cannot be deleted does no harm.
    fn sweep(&self, but: Option<&str>) {
        let (new, kept) = (format!(".new-{}-", self.name), but.map(|sha256| self.entries_path(sha256)));
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let of_version =
                name.strip_prefix(&format!("{}.", self.name)).and_then(|rest| rest.strip_suffix(".feed"));
            let is_old = of_version.is_some_and(|hash| hash.len() == 64) && Some(&path) != kept.as_ref();
            if is_old || name.starts_with(&new) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// The downloads of one feed. A clone is cheap.
#[derive(Clone)]
pub struct FeedDownload {
    feeds: Feeds,
    /// The number of the feed.
    number: usize,
    files: FeedFiles,
    format: Option<FeedFormat>,
    every: Duration,
    source: Source,
}

impl FeedDownload {
    pub(crate) fn new(feeds: Feeds, number: usize, folder: &Path, plan: &FetchPlan, source: Source) -> Self {
        let (files, format, every) = (FeedFiles::of(folder, plan), plan.format, plan.every);
        Self { feeds, number, files, format, every, source }
    }

    /// The name of the feed.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.files.name
    }

    /// The interval of downloads.
    #[must_use]
    pub fn every(&self) -> Duration {
        self.every
    }

    /// Returns the time until the first round: nothing, unless an earlier process fetched the feed within the interval.
    #[must_use]
    pub fn first_wait(&self, now: SystemTime) -> Duration {
        let confirmed_at = self.feeds.confirmed_at(self.number);
        let age = confirmed_at.and_then(|confirmed_at| now.duration_since(confirmed_at).ok());
        age.map_or(Duration::ZERO, |age| self.every.saturating_sub(age))
    }

    /// Takes over what another process has fetched into the feed's files. Returns false if they name a feed that cannot be
    /// read.
    ///
    /// # Errors
    /// [`FeedDownloadError::BrokenOff`]
    pub async fn follow(&self) -> Result<bool, FeedDownloadError> {
        self.blocking(|download| {
            let Some(state) = download.files.state() else { return Ok(true) };
            let Some(confirmed_at) = stated::system(state.confirmed_at) else { return Ok(false) };
            let used = download.feeds.fetched(download.number);
            if used.is_some_and(|used| used.sha256() == state.sha256) {
                if download.feeds.confirmed_at(download.number) != Some(confirmed_at) {
                    download.feeds.confirm(download.number, confirmed_at);
                }
                return Ok(true);
            }
            let Some(stored) = download.files.stored(download.feeds.allowed(download.number)) else {
                return Ok(false);
            };
            download.feeds.adopt(download.number, stored.feed, stored.confirmed_at);
            Ok(true)
        })
        .await
    }

    /// Fetches the file once.
    ///
    /// # Errors
    /// [`FeedDownloadError`]; the feed then keeps its entries and its date.
    pub async fn round(&self, now: SystemTime) -> Result<FeedDownloadRound, FeedDownloadError> {
        let end = self.look(now).await;
        if let Err(error) = &end
            && error.is_of_content()
        {
            self.feeds.refuse(self.number, error.to_string());
        }
        end
    }

    async fn look(&self, now: SystemTime) -> Result<FeedDownloadRound, FeedDownloadError> {
        let (known, file) = self.blocking(Self::start).await?;
        let mut sink = tokio::fs::File::from_std(file.reopen()?);
        let fetched = self.source.download_url(&known, &mut sink).await?;
        tokio::io::AsyncWriteExt::flush(&mut sink).await?;
        drop(sink);
        match fetched.status {
            200 => self.blocking(move |download| download.adopt(file, fetched.validators, now)).await,
            NOT_MODIFIED if known != Validators::default() => {
                self.blocking(move |download| download.confirm(now)).await
            }
            status => Err(FeedDownloadError::Status(status)),
        }
    }

    /// Runs work on the disk on a thread for such work.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, FeedDownloadError> + Send + 'static,
    ) -> Result<T, FeedDownloadError> {
        let download = self.clone();
        tokio::task::spawn_blocking(move || work(&download))
            .await
            .unwrap_or(Err(FeedDownloadError::BrokenOff))
    }

    /// The validators of the feed that is in use, and an empty file.
    fn start(&self) -> Result<(Validators, NamedTempFile), FeedDownloadError> {
        fs::create_dir_all(&self.files.folder)?;
        let state = self.current_state();
        self.files.sweep(state.as_ref().map(|state| &*state.sha256));
        Ok((state.map(|state| state.validators()).unwrap_or_default(), self.files.new_file()?))
    }

    /// The stored state, where it is that of the feed in use.
    fn current_state(&self) -> Option<FetchState> {
        let used = self.feeds.fetched(self.number)?;
        self.files.state().filter(|state| state.sha256 == used.sha256())
    }

    fn confirm(&self, now: SystemTime) -> Result<FeedDownloadRound, FeedDownloadError> {
        // A state that has gone meanwhile confirms nothing.
        let state = self.current_state().ok_or(FeedDownloadError::Status(NOT_MODIFIED))?;
        self.files.write_state(&FetchState { confirmed_at: timestamp(now), ..state })?;
        self.feeds.confirm(self.number, now);
        Ok(FeedDownloadRound::Unchanged)
    }

    fn adopt(
        &self,
        file: NamedTempFile,
        validators: Validators,
        now: SystemTime,
    ) -> Result<FeedDownloadRound, FeedDownloadError> {
        let file = self.decoded(file)?;
        let feed = Feed::open(file.path(), self.feeds.allowed(self.number))?;
        if let Some(configured) = self.format.filter(|configured| *configured != feed.format) {
            return Err(FeedDownloadError::Format { found: feed.format, configured });
        }
        let used = self.feeds.fetched(self.number);
        let before = used.as_ref().map_or(0, |used| used.count());
        if feed.count() < before.div_ceil(2) {
            return Err(FeedDownloadError::Shrunk { before, now: feed.count() });
        }
        let sha256 = feed.sha256();
        let is_new = used.is_none_or(|used| used.sha256() != sha256);
        persist(file, &self.files.entries_path(&sha256))?;
        self.files.write_state(&FetchState {
            address_sha256: self.files.address_sha256.clone(),
            sha256: sha256.clone(),
            confirmed_at: timestamp(now),
            etag: validators.etag,
            last_modified: validators.last_modified,
        })?;
        self.feeds.adopt(self.number, feed, now);
        self.files.sweep(Some(&sha256));
        Ok(if is_new { FeedDownloadRound::New } else { FeedDownloadRound::Unchanged })
    }

    /// The file without its gzip coding, if it has one.
    fn decoded(&self, file: NamedTempFile) -> Result<NamedTempFile, FeedDownloadError> {
        let mut head = Vec::new();
        io::Read::read_to_end(&mut io::Read::take(file.reopen()?, 2), &mut head)?;
        if head != GZIP {
            return Ok(file);
        }
        let most = usize::try_from(MAX_FEED_BYTES).unwrap_or(usize::MAX);
        let plain = fetch::gunzip(&fs::read(file.path())?, most)?;
        let mut file = self.files.new_file()?;
        file.write_all(&plain)?;
        Ok(file)
    }
}

fn timestamp(at: SystemTime) -> jiff::Timestamp {
    jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

//! Feeds that are read again when their files change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::look_up::FeedLookUp;
use super::read::{Feed, FeedError};
use crate::Subject;

/// The most feeds that are followed.
pub const MAX_FEEDS: usize = 8;
/// The interval at which the files are checked for changes.
pub const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The reason why the feeds could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum FeedsError {
    /// There are this many feeds, more than [`MAX_FEEDS`].
    #[error("there are {0} feeds, and at most {MAX_FEEDS} can be looked at")]
    TooMany(usize),
    /// Two feeds have this file name. Receipts name a feed by its file name, so it must be unique.
    #[error("two feeds have files of the name {0}")]
    SameName(String),
    /// A feed cannot be read.
    #[error("{}", .path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The reason why the file is not a feed.
        source: FeedError,
    },
}

/// The feeds in which domains are looked up. A clone is cheap and shares the feeds.
#[derive(Clone, Default)]
pub struct Feeds(Arc<[FollowedFeed]>);

/// A feed, and its file.
struct FollowedFeed {
    path: PathBuf,
    name: String,
    /// State of the file just before it was first read.
    first: Option<FileStamp>,
    feed: RwLock<Arc<Feed>>,
}

/// Time of the last change and length of a file, by which a change is noticed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FileStamp(SystemTime, u64);

impl FileStamp {
    /// `None` where there is no such file.
    fn of(path: &Path) -> Option<Self> {
        let file = std::fs::metadata(path).ok()?;
        Some(Self(file.modified().ok()?, file.len()))
    }
}

impl Feeds {
    /// Reads the files.
    ///
    /// # Errors
    /// [`FeedsError`]. A feed that cannot be read is an error, and does not count as a feed without entries.
    pub fn open(paths: &[PathBuf]) -> Result<Self, FeedsError> {
        if paths.len() > MAX_FEEDS {
            return Err(FeedsError::TooMany(paths.len()));
        }
        let feeds: Vec<FollowedFeed> =
            paths.iter().map(|path| FollowedFeed::open(path)).collect::<Result<_, _>>()?;
        let mut names = BTreeSet::new();
        if let Some(twice) = feeds.iter().find(|feed| !names.insert(&feed.name)) {
            return Err(FeedsError::SameName(twice.name.clone()));
        }
        Ok(Self(feeds.into()))
    }

    /// True if there are no feeds.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Looks a domain up in every feed, in the given order of the feeds.
    #[must_use]
    pub fn look(&self, subject: &Subject) -> Vec<FeedLookUp> {
        self.0.iter().map(|feed| feed.now().look(&feed.name, subject)).collect()
    }

    /// Reads a file again when it has changed, for as long as the service runs. If the changed file cannot be read, the
    /// feed keeps its entries.
    pub async fn follow(self) {
        let mut rounds = Rounds::of(self);
        loop {
            sleep(LOOK_EVERY).await;
            // Reading takes seconds of one core, so it runs on a blocking thread.
            rounds = spawn_blocking(move || {
                rounds.round();
                rounds
            })
            .await
            .expect("reading a feed panics at no file");
        }
    }
}

impl FollowedFeed {
    fn open(path: &Path) -> Result<Self, FeedsError> {
        let unreadable = |source| FeedsError::Unreadable { path: path.to_owned(), source };
        let first = FileStamp::of(path);
        let feed = Feed::open(path).map_err(unreadable)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        say(&name, &feed);
        Ok(Self { path: path.to_owned(), name, first, feed: RwLock::new(Arc::new(feed)) })
    }

    fn now(&self) -> Arc<Feed> {
        Arc::clone(&self.feed.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn say(name: &str, feed: &Feed) {
    tracing::info!(
        feed = name,
        entries = feed.count(),
        malformed = feed.malformed,
        "a feed of bad domains was read"
    );
}

/// Looks at the files, one time after the other.
struct Rounds {
    feeds: Feeds,
    known: Vec<FileState>,
}

/// State of a followed file.
struct FileState {
    /// State of the file at the last check.
    met: Option<FileStamp>,
    /// State of the file when it was last read, whether or not that succeeded.
    read: Option<FileStamp>,
}

impl Rounds {
    fn of(feeds: Feeds) -> Self {
        let known = feeds.0.iter().map(|feed| FileState { met: feed.first, read: feed.first }).collect();
        Self { feeds, known }
    }

    /// Looks once. A file is read when it has changed and then stayed as it is for a round, so that one which is written
    /// slowly is not taken for whole.
    fn round(&mut self) {
        for (feed, known) in self.feeds.0.iter().zip(&mut self.known) {
            let now = FileStamp::of(&feed.path);
            let is_settled = std::mem::replace(&mut known.met, now) == now;
            if !is_settled || known.read == now {
                continue;
            }
            let read = Feed::open(&feed.path);
            if FileStamp::of(&feed.path) != now {
                continue;
            }
            known.read = now;
            match read {
                Ok(new) => {
                    say(&feed.name, &new);
                    *feed.feed.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
                }
                Err(error) => {
                    tracing::warn!(feed = feed.name, %error, "a feed of bad domains cannot be read; the old one serves on");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::feed::FeedEntry;
    use crate::{PublicSuffixes, Rules};

    fn entries(feeds: &Feeds, name: &str) -> Vec<Option<FeedEntry>> {
        let subject = Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap();
        feeds.look(&subject).into_iter().map(|seen| seen.entry).collect()
    }

    fn named(name: &str) -> Option<FeedEntry> {
        Some(FeedEntry::Name(name.to_owned()))
    }

    #[test]
    fn each_feed_says_what_it_says() {
        let folder = TempDir::new().unwrap();
        let paths = ["a.txt", "b.txt"].map(|name| folder.path().join(name));
        fs::write(&paths[0], "evil.com\n").unwrap();
        fs::write(&paths[1], "a.evil.com\n").unwrap();
        let feeds = Feeds::open(&paths).unwrap();
        assert_eq!(entries(&feeds, "evil.com"), [named("evil.com"), None]);
        assert_eq!(entries(&feeds, "a.evil.com"), [named("evil.com"), named("a.evil.com")]);
        assert!(!feeds.is_empty() && Feeds::open(&[]).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_read_at_the_start_is_an_error_that_names_the_file() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
        let error = |paths: &[PathBuf]| Feeds::open(paths).err().unwrap().to_string();
        assert!(error(std::slice::from_ref(&path)).contains("a.txt"));
        fs::write(&path, "# nothing\n").unwrap();
        assert!(matches!(
            Feeds::open(std::slice::from_ref(&path)),
            Err(FeedsError::Unreadable { source: FeedError::Empty, .. })
        ));
        assert!(matches!(Feeds::open(&[folder.path().to_owned()]), Err(FeedsError::Unreadable { .. })));
        fs::write(&path, "evil.com\n").unwrap();
        assert!(error(&[path.clone(), path.clone()]).contains("a.txt"));
        assert!(matches!(Feeds::open(&vec![path; MAX_FEEDS + 1]), Err(FeedsError::TooMany(_))));
    }

    #[test]
    fn a_file_that_changed_is_read_again_once_it_stays_as_it_is() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "evil.com\n").unwrap();
        let feeds = Feeds::open(std::slice::from_ref(&path)).unwrap();
        let mut rounds = Rounds::of(feeds.clone());
        let mut after = |text: Option<&str>| {
            match text {
                Some(text) => fs::write(&path, text).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            rounds.round();
            let at_once = entries(&feeds, "worse.com");
            rounds.round();
            (at_once, entries(&feeds, "worse.com"))
        };
        assert_eq!(after(Some("evil.com\nworse.com\n")), (vec![None], vec![named("worse.com")]));
        // What cannot be read, is empty or is gone leaves the old one as it is.
        for text in [Some(""), Some("<p>\n</p>\n"), None] {
            assert_eq!(after(text), (vec![named("worse.com")], vec![named("worse.com")]), "{text:?}");
        }
        assert_eq!(after(Some("some.com\nevil.com\n")), (vec![named("worse.com")], vec![None]));
    }
}

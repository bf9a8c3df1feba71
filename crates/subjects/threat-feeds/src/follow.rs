//! Feeds that are read again when their files change.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, SystemTime};

use domain_name::{DomainName, Subject};
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use web_address::WebAddress;

use crate::download::{FeedFiles, StoredFeed};
use crate::entries::Entries;
use crate::look_up::FeedLookUp;
use crate::plan::FetchPlan;
use crate::read::{Feed, FeedError, MAX_ENTRIES};
use crate::settings::FeedSettings;
use crate::standing::{AgeBasis, CLOCKS_DIFFER, FeedStanding, is_stale};
use crate::stated;

/// The most feeds that are followed.
pub const MAX_FEEDS: usize = 8;
/// The interval at which the files are checked for changes.
pub const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Readings of a file that changes while it is read, before it counts as unreadable at the start.
const READINGS: usize = 3;

/// The reason why the feeds could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum FeedsError {
    /// There are this many feeds, more than [`MAX_FEEDS`].
    #[error("there are {0} feeds, and at most {MAX_FEEDS} can be looked at")]
    TooMany(usize),
    /// Two feeds have this name. Receipts name a feed by it, so it must be unique.
    #[error("two feeds have the name {0}")]
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

/// The feeds in which domains and addresses are looked up. A clone is cheap and shares the feeds.
#[derive(Clone, Default)]
pub struct Feeds(Arc<[FollowedFeed]>);

/// A feed, and its file.
struct FollowedFeed {
    /// The operator's file, which is followed; `None` for a feed that is fetched.
    path: Option<PathBuf>,
    name: String,
    licence: Option<String>,
    source: Option<String>,
    stale_after: Duration,
    /// Names that the operator never blocks whole.
    allowed: Arc<Entries>,
    /// State of the file just before it was first read.
    first: Option<FileStamp>,
    current: RwLock<Current>,
}

/// The entries that serve.
#[derive(Clone)]
struct Current {
    feed: Arc<Feed>,
    as_of: SystemTime,
    basis: AgeBasis,
    /// The time at which a fetched feed was last found current; `None` where it was never fetched, and for the operator's files.
    confirmed_at: Option<SystemTime>,
    /// The reason why a newer state of the file does not serve.
    unreadable: Option<String>,
}

impl Current {
    /// A feed that was never fetched: without entries, and older than any feed may be.
    fn never() -> Self {
        Self {
            feed: Arc::new(Feed::empty()),
            as_of: SystemTime::UNIX_EPOCH,
            basis: AgeBasis::Never,
            confirmed_at: None,
            unreadable: None,
        }
    }

    /// A stated date more than a day after the fetch is a mistake, and would hide the feed's age.
    fn of_fetched(feed: Arc<Feed>, confirmed_at: SystemTime) -> Self {
        let latest = confirmed_at.checked_add(CLOCKS_DIFFER).unwrap_or(confirmed_at);
        let (as_of, basis) = match feed.stated.filter(|at| *at <= latest) {
            Some(at) => (at, AgeBasis::Stated),
            None => (confirmed_at, AgeBasis::Fetched),
        };
        Self { feed, as_of, basis, confirmed_at: Some(confirmed_at), unreadable: None }
    }

    /// A stated date more than a day after the file's last change is a mistake, and would hide the feed's age.
    fn of(feed: Feed, stamp: FileStamp) -> Self {
        let latest = stamp.0.checked_add(CLOCKS_DIFFER).unwrap_or(stamp.0);
        let (as_of, basis) = match feed.stated.filter(|at| *at <= latest) {
            Some(at) => (at, AgeBasis::Stated),
            None => (stamp.0, AgeBasis::Modified),
        };
        Self { feed: Arc::new(feed), as_of, basis, confirmed_at: None, unreadable: None }
    }
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
    pub fn open(settings: &[FeedSettings]) -> Result<Self, FeedsError> {
        Self::open_with_shared_hosts(settings, &[])
    }

    /// Reads the files. The hosts are never blocked whole, beside those of [`is_shared_host`](crate::is_shared_host) and of
    /// the feeds' own lists.
    ///
    /// # Errors
    /// As [`Feeds::open`].
    pub fn open_with_shared_hosts(
        settings: &[FeedSettings],
        hosts: &[DomainName],
    ) -> Result<Self, FeedsError> {
        Self::open_with_fetched(settings, hosts, &[], Path::new(""))
    }

    /// Reads the operator's files, and the fetched feeds that are in a folder. A fetched feed that is not there yet has no entries
    /// and is stale.
    pub(crate) fn open_with_fetched(
        settings: &[FeedSettings],
        hosts: &[DomainName],
        plans: &[FetchPlan],
        folder: &Path,
    ) -> Result<Self, FeedsError> {
        let count = settings.len() + plans.len();
        if count > MAX_FEEDS {
            return Err(FeedsError::TooMany(count));
        }
        let mut allowed = Entries::default();
        for host in hosts.iter().take(MAX_ENTRIES) {
            allowed.add(host.as_str(), MAX_ENTRIES);
        }
        allowed.sort();
        let allowed = Arc::new(allowed);
        let open = |settings| FollowedFeed::open(settings, Arc::clone(&allowed));
        let fetched = |plan| Ok(FollowedFeed::fetched(plan, folder, Arc::clone(&allowed)));
        let feeds: Vec<FollowedFeed> =
            settings.iter().map(open).chain(plans.iter().map(fetched)).collect::<Result<_, _>>()?;
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

    /// Looks a domain up in every feed, in the given order of the feeds, and tells each feed's age at this time.
    #[must_use]
    pub fn look(&self, subject: &Subject, at: SystemTime) -> Vec<FeedLookUp> {
        self.look_ups(at, |name, feed| feed.look(name, subject))
    }

    /// Looks an address up in every feed, in the given order of the feeds, and tells each feed's age at this time.
    #[must_use]
    pub fn look_address(&self, address: &WebAddress, at: SystemTime) -> Vec<FeedLookUp> {
        self.look_ups(at, |name, feed| feed.look_address(name, address))
    }

    /// Returns true if at least one feed is not stale at this time.
    #[must_use]
    pub fn has_fresh(&self, at: SystemTime) -> bool {
        self.0.iter().any(|feed| !is_stale(feed.now().as_of, feed.stale_after, at))
    }

    fn look_ups(&self, at: SystemTime, look: impl Fn(&str, &Feed) -> FeedLookUp) -> Vec<FeedLookUp> {
        let look = |feed: &FollowedFeed| {
            let now = feed.now();
            FeedLookUp {
                as_of: Some(stated::text(now.as_of)),
                basis: Some(now.basis),
                stale: Some(is_stale(now.as_of, feed.stale_after, at)),
                licence: feed.licence.clone(),
                source: feed.source.clone(),
                ..look(&feed.name, &now.feed)
            }
        };
        self.0.iter().map(look).collect()
    }

    /// The entries of a feed that was fetched; `None` where it was never fetched.
    pub(crate) fn fetched(&self, number: usize) -> Option<Arc<Feed>> {
        let now = self.0[number].now();
        now.confirmed_at.map(|_| now.feed)
    }

    /// The time at which a fetched feed was last found current.
    pub(crate) fn confirmed_at(&self, number: usize) -> Option<SystemTime> {
        self.0[number].now().confirmed_at
    }

    /// The names that the operator never blocks whole.
    pub(crate) fn allowed(&self, number: usize) -> &Entries {
        &self.0[number].allowed
    }

    /// Puts a newly fetched feed in place of the one before.
    pub(crate) fn adopt(&self, number: usize, new: Feed, at: SystemTime) {
        let feed = &self.0[number];
        say(&feed.name, &new);
        *feed.write() = Current::of_fetched(Arc::new(new), at);
    }

    /// Notes that a fetched feed is still the publisher's current one.
    pub(crate) fn confirm(&self, number: usize, at: SystemTime) {
        let mut current = self.0[number].write();
        *current = Current::of_fetched(Arc::clone(&current.feed), at);
    }

    /// Notes that a newer file was fetched and cannot be adopted.
    pub(crate) fn refuse(&self, number: usize, why: String) {
        self.0[number].write().unreadable = Some(why);
    }

    /// The state of every feed at this time, in the given order of the feeds.
    #[must_use]
    pub fn standing(&self, at: SystemTime) -> Vec<FeedStanding> {
        self.0.iter().map(|feed| feed.standing(at)).collect()
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
    fn open(settings: &FeedSettings, allowed: Arc<Entries>) -> Result<Self, FeedsError> {
        let path = settings.path();
        let unreadable = |source| FeedsError::Unreadable { path: path.to_owned(), source };
        let mut reading = 0;
        let (feed, stamp) = loop {
            reading += 1;
            match read_whole(path, |path| Feed::open(path, &allowed)) {
                Err(FeedError::Changed) if reading < READINGS => {}
                read => break read.map_err(unreadable)?,
            }
        };
        let name = settings.name();
        say(&name, &feed);
        let (licence, source) = settings.origin();
        Ok(Self {
            path: Some(path.to_owned()),
            name,
            licence,
            source,
            stale_after: settings.stale_after(),
            allowed,
            first: Some(stamp),
            current: RwLock::new(Current::of(feed, stamp)),
        })
    }

    /// A feed that is fetched, as the last fetch left it.
    fn fetched(plan: &FetchPlan, folder: &Path, allowed: Arc<Entries>) -> Self {
        let current = match FeedFiles::of(folder, plan).stored(&allowed) {
            Some(StoredFeed { feed, confirmed_at }) => {
                say(&plan.name, &feed);
                Current::of_fetched(Arc::new(feed), confirmed_at)
            }
            None => Current::never(),
        };
        Self {
            path: None,
            name: plan.name.clone(),
            licence: Some(plan.licence.clone()),
            source: Some(plan.source.clone()),
            stale_after: plan.stale_after,
            allowed,
            first: None,
            current: RwLock::new(current),
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, Current> {
        self.current.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Current {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn standing(&self, at: SystemTime) -> FeedStanding {
        let Current { feed, as_of, basis, unreadable, .. } = self.now();
        FeedStanding {
            name: self.name.clone(),
            licence: self.licence.clone(),
            source: self.source.clone(),
            sha256: feed.sha256(),
            entries: feed.count() as u64,
            malformed: feed.malformed,
            ignored: feed.ignored,
            as_of,
            basis,
            stale_after: self.stale_after,
            stale: is_stale(as_of, self.stale_after, at),
            unreadable,
        }
    }
}

/// Reads a file that stays as it is meanwhile.
fn read_whole(
    path: &Path,
    read: impl FnOnce(&Path) -> Result<Feed, FeedError>,
) -> Result<(Feed, FileStamp), FeedError> {
    let before = FileStamp::of(path);
    let feed = read(path)?;
    match before {
        Some(stamp) if FileStamp::of(path) == before => Ok((feed, stamp)),
        _ => Err(FeedError::Changed),
    }
}

fn say(name: &str, feed: &Feed) {
    tracing::info!(
        feed = name,
        entries = feed.count(),
        malformed = feed.malformed,
        ignored = feed.ignored,
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
            let Some(path) = &feed.path else { continue };
            let now = FileStamp::of(path);
            let is_settled = std::mem::replace(&mut known.met, now) == now;
            if !is_settled || known.read == now {
                continue;
            }
            let read = read_whole(path, |path| Feed::open(path, &feed.allowed));
            if FileStamp::of(path) != now || matches!(read, Err(FeedError::Changed)) {
                continue;
            }
            known.read = now;
            let mut current = feed.write();
            match read {
                Ok((new, stamp)) => {
                    say(&feed.name, &new);
                    *current = Current::of(new, stamp);
                }
                Err(error) => {
                    current.unreadable = Some(error.to_string());
                    tracing::warn!(feed = feed.name, %error, "a feed of bad domains cannot be read; the old one serves on");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use domain_name::{PublicSuffixes, Rules};
    use tempfile::TempDir;

    use super::*;
    use crate::FeedEntry;

    fn entries(feeds: &Feeds, name: &str) -> Vec<Option<FeedEntry>> {
        let subject = Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap();
        feeds.look(&subject, SystemTime::now()).into_iter().map(|seen| seen.entry).collect()
    }

    fn open(paths: &[PathBuf]) -> Result<Feeds, FeedsError> {
        Feeds::open(&paths.iter().cloned().map(FeedSettings::from).collect::<Vec<_>>())
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
        let feeds = open(&paths).unwrap();
        assert_eq!(entries(&feeds, "evil.com"), [named("evil.com"), None]);
        assert_eq!(entries(&feeds, "a.evil.com"), [named("evil.com"), named("a.evil.com")]);
        assert!(!feeds.is_empty() && open(&[]).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_read_at_the_start_is_an_error_that_names_the_file() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
        let error = |paths: &[PathBuf]| open(paths).err().unwrap().to_string();
        assert!(error(std::slice::from_ref(&path)).contains("a.txt"));
        fs::write(&path, "# nothing\n").unwrap();
        assert!(matches!(
            open(std::slice::from_ref(&path)),
            Err(FeedsError::Unreadable { source: FeedError::Empty, .. })
        ));
        assert!(matches!(open(&[folder.path().to_owned()]), Err(FeedsError::Unreadable { .. })));
        fs::write(&path, "evil.com\n").unwrap();
        assert!(error(&[path.clone(), path.clone()]).contains("a.txt"));
        assert!(matches!(open(&vec![path; MAX_FEEDS + 1]), Err(FeedsError::TooMany(_))));
    }

    #[test]
    fn the_date_that_a_file_states_counts_unless_it_is_later_than_the_file() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600); // 2026-01-01
        let standing = |text: &str| {
            fs::write(&path, text).unwrap();
            fs::File::options().write(true).open(&path).unwrap().set_modified(changed).unwrap();
            open(std::slice::from_ref(&path)).unwrap().standing(changed + 47 * HOUR).remove(0)
        };
        let stated = standing("# Date: 2025-12-31\nevil.com\n");
        assert_eq!((stated.basis, stated.as_of, stated.stale), (AgeBasis::Stated, changed - 24 * HOUR, true));
        let ahead = standing("# Date: 2099-01-01\nevil.com\n");
        assert_eq!((ahead.basis, ahead.as_of, ahead.stale), (AgeBasis::Modified, changed, false));
        let silent = standing("evil.com\n");
        assert_eq!((silent.basis, silent.as_of, silent.stale), (AgeBasis::Modified, changed, false));
    }

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_file_that_is_replaced_while_it_is_read_is_not_taken() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
        let read = |path: &Path| Feed::open(path, &Entries::default());
        fs::write(&path, "evil.com\n").unwrap();
        assert!(read_whole(&path, read).is_ok());
        let replaced = read_whole(&path, |path| {
            let feed = read(path);
            fs::write(path.with_extension("new"), "evil.com\nworse.com\n").unwrap();
            fs::rename(path.with_extension("new"), path).unwrap();
            feed
        });
        assert!(matches!(replaced, Err(FeedError::Changed)));
        let removed = read_whole(&path, |path| {
            let feed = read(path);
            fs::remove_file(path).unwrap();
            feed
        });
        assert!(matches!(removed, Err(FeedError::Changed)));
    }

    #[test]
    fn a_file_that_changed_is_read_again_once_it_stays_as_it_is() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "evil.com\n").unwrap();
        let feeds = open(std::slice::from_ref(&path)).unwrap();
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
        let unreadable = || feeds.standing(SystemTime::now()).remove(0).unreadable;
        assert!(unreadable().is_some());
        assert_eq!(after(Some("some.com\nevil.com\n")), (vec![named("worse.com")], vec![None]));
        assert_eq!(unreadable(), None);
    }
}

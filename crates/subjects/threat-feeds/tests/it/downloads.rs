//! Rounds that ask a publisher, at the times that a test says.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use domain_name::{PublicSuffixes, Rules, Subject};
use fetch::{EndpointError, Roots, Source};
use peers::{Fault, Publisher};
use tempfile::TempDir;
use threat_feeds::{
    AgeBasis, FeedDownload, FeedDownloadError, FeedDownloadRound, FeedEntry, FeedStanding, Feeds,
    FeedsSettings, any_fresh,
};

const HOUR: Duration = Duration::from_secs(3600);

/// A time in November 2026.
fn hours(number: u32) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000) + HOUR * number
}

/// A feed that is fetched from a publisher.
struct Fetching {
    folder: TempDir,
    publisher: Publisher,
}

impl Fetching {
    fn of(text: &str) -> Self {
        let publisher = Publisher::start();
        publisher.publish("feed.txt", text);
        Self { folder: TempDir::new().unwrap(), publisher }
    }

    fn settings(&self, more: &str) -> FeedsSettings {
        let url = format!("{}feed.txt", self.publisher.url());
        let table = format!("url = {url:?}, name = \"own\", licence = \"CC0-1.0\", every = \"1h\"{more}");
        toml::from_str(&format!("fetch = [{{ {table} }}]")).unwrap()
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("feeds")
    }

    /// The feed as a process opens it when it starts.
    fn open(&self) -> (Feeds, FeedDownload) {
        self.open_with("")
    }

    fn open_with(&self, more: &str) -> (Feeds, FeedDownload) {
        let settings = self.settings(more);
        let feeds = settings.open(&self.path()).unwrap();
        let source = |_, url: &str, limits| -> Result<Source, EndpointError> {
            Source::system(url, &[], limits, Roots::none())
        };
        let download = settings.downloads(&feeds, &self.path(), source).unwrap().remove(0);
        (feeds, download)
    }

    fn statuses(&self) -> Vec<u16> {
        self.publisher.answers().into_iter().map(|(_, status)| status).collect()
    }
}

fn standing(feeds: &Feeds, at: SystemTime) -> FeedStanding {
    feeds.standing(at).remove(0)
}

fn entry(feeds: &Feeds, name: &str) -> Option<FeedEntry> {
    let subject = Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap();
    feeds.look(&subject, hours(0)).remove(0).entry
}

fn names(count: usize) -> String {
    (0..count).map(|number| format!("evil-{number}.example.com\n")).collect()
}

#[tokio::test]
async fn a_feed_that_was_never_fetched_is_stale_and_one_that_was_says_its_licence_source_and_date() {
    let fetching = Fetching::of(&names(4));
    let (feeds, download) = fetching.open();
    let subject =
        Subject::parse("evil-1.example.com", &PublicSuffixes::bundled(), &Rules::default()).unwrap();
    let before = feeds.look(&subject, hours(0));
    assert_eq!((before[0].stale, before[0].basis, before[0].entries), (Some(true), Some(AgeBasis::Never), 0));
    assert!(!any_fresh(&before) && !feeds.has_fresh(hours(0)));
    assert_eq!(download.first_wait(hours(0)), Duration::ZERO);
    assert_eq!(download.round(hours(0)).await.unwrap(), FeedDownloadRound::New);
    let after = feeds.look(&subject, hours(1));
    assert!(any_fresh(&after) && feeds.has_fresh(hours(1)) && !feeds.has_fresh(hours(49)));
    assert_eq!(after[0].licence.as_deref(), Some("CC0-1.0"));
    assert_eq!(after[0].source.as_deref(), Some(fetching.publisher.url().trim_end_matches("/exports/")));
    assert_eq!(
        (after[0].as_of.as_deref(), after[0].basis),
        (Some("2026-11-18T11:06:40Z"), Some(AgeBasis::Fetched))
    );
    assert_eq!(after[0].entry, Some(FeedEntry::Name("evil-1.example.com".to_owned())));
}

#[tokio::test]
async fn a_feed_that_has_not_changed_is_not_sent_again_and_is_as_of_the_last_fetch() {
    let fetching = Fetching::of(&names(4));
    let (feeds, download) = fetching.open();
    download.round(hours(0)).await.unwrap();
    assert_eq!(download.round(hours(1)).await.unwrap(), FeedDownloadRound::Unchanged);
    assert_eq!(fetching.statuses(), [200, 304]);
    assert_eq!(standing(&feeds, hours(1)).as_of, hours(1));
    // A process that starts later goes on where this one was.
    let (feeds, download) = fetching.open();
    assert_eq!((standing(&feeds, hours(1)).as_of, standing(&feeds, hours(1)).entries), (hours(1), 4));
    assert_eq!(download.first_wait(hours(1)), HOUR);
    assert_eq!(download.first_wait(hours(1) + HOUR / 2), HOUR / 2);
    download.round(hours(2)).await.unwrap();
    assert_eq!(fetching.statuses(), [200, 304, 304]);
    fetching.publisher.fail(Some(Fault::Heedless));
    assert_eq!(download.round(hours(3)).await.unwrap(), FeedDownloadRound::Unchanged);
    assert_eq!(standing(&feeds, hours(3)).as_of, hours(3));
}

#[tokio::test]
async fn a_stated_date_counts_so_that_a_publisher_who_stopped_is_noticed() {
    let fetching = Fetching::of(&format!("# Updated: 2026-11-01T00:00:00Z\n{}", names(4)));
    let (feeds, download) = fetching.open();
    download.round(hours(0)).await.unwrap();
    download.round(hours(1)).await.unwrap();
    let seen = standing(&feeds, hours(1));
    assert_eq!((seen.basis, seen.stale), (AgeBasis::Stated, true));
}

#[tokio::test]
async fn a_changed_feed_takes_the_place_of_the_old_one_and_of_its_file() {
    let fetching = Fetching::of(&names(4));
    let (feeds, download) = fetching.open();
    download.round(hours(0)).await.unwrap();
    fetching.publisher.publish("feed.txt", &names(5));
    assert_eq!(entry(&feeds, "evil-4.example.com"), None);
    assert_eq!(download.round(hours(1)).await.unwrap(), FeedDownloadRound::New);
    assert_eq!(entry(&feeds, "evil-4.example.com"), Some(FeedEntry::Name("evil-4.example.com".to_owned())));
    let kept: Vec<String> = fs::read_dir(fetching.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept.contains(&format!("own.{}.feed", standing(&feeds, hours(1)).sha256)), "{kept:?}");
}

#[tokio::test]
async fn whatever_is_wrong_the_old_feed_stays_and_its_date_too() {
    let fetching = Fetching::of(&names(5));
    let (feeds, download) = fetching.open();
    download.round(hours(0)).await.unwrap();
    let before = standing(&feeds, hours(0));
    for (fault, text, code) in [
        (Some(Fault::Broken), names(6), "status"),
        (Some(Fault::Page), names(6), "unreadable"),
        (Some(Fault::Cut), names(6), "unreachable"),
        (None, String::new(), "unreadable"),
        (None, "# nothing\n".to_owned(), "unreadable"),
        (None, format!("[\"{}", "evil.example.com\",\"".repeat(9)), "unreadable"),
        (None, names(2), "shrunk"),
    ] {
        fetching.publisher.publish("feed.txt", &text);
        fetching.publisher.fail(fault);
        let error = download.round(hours(1)).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        let now = standing(&feeds, hours(49));
        assert_eq!((now.sha256, now.entries, now.as_of), (before.sha256.clone(), 5, before.as_of), "{error}");
        assert!(now.stale);
    }
    assert!(standing(&feeds, hours(1)).unreadable.is_some_and(|why| why.contains("less than half")));
    // Half of the entries are enough, and the fault is over.
    fetching.publisher.publish("feed.txt", &names(3));
    download.round(hours(2)).await.unwrap();
    assert_eq!((standing(&feeds, hours(2)).entries, standing(&feeds, hours(2)).unreadable), (3, None));
}

#[tokio::test]
async fn a_feed_of_another_address_or_with_a_damaged_file_counts_as_never_fetched() {
    let mut fetching = Fetching::of(&names(4));
    let (feeds, download) = fetching.open();
    download.round(hours(0)).await.unwrap();
    let file = fetching.path().join(format!("own.{}.feed", standing(&feeds, hours(0)).sha256));
    fs::write(&file, names(3)).unwrap();
    let (feeds, download) = fetching.open();
    assert_eq!(standing(&feeds, hours(0)).basis, AgeBasis::Never);
    download.round(hours(0)).await.unwrap();
    assert_eq!(fetching.statuses(), [200, 200], "no condition may confirm a damaged file");
    assert_eq!(standing(&feeds, hours(0)).entries, 4);
    fetching.publisher = Publisher::start();
    assert_eq!(standing(&fetching.open().0, hours(0)).basis, AgeBasis::Never);
}

#[tokio::test]
async fn a_format_that_is_configured_must_be_that_of_the_file() {
    let fetching = Fetching::of(&names(4));
    let (feeds, download) = fetching.open_with(", format = \"json\"");
    let error = download.round(hours(0)).await.unwrap_err();
    assert!(matches!(error, FeedDownloadError::Format { .. }), "{error}");
    assert_eq!(standing(&feeds, hours(0)).basis, AgeBasis::Never);
    fetching.publisher.publish("feed.txt", r#"{"allow": ["good.com"], "deny": ["evil.com"]}"#);
    download.round(hours(0)).await.unwrap();
    assert!(entry(&feeds, "evil.com").is_some());
}

#[tokio::test]
async fn a_row_for_a_public_suffix_or_a_shared_host_is_dropped_and_counted() {
    let fetching = Fetching::of(
        "com\nco.uk\ngithub.io\nevil.github.io\n0.0.0.0 github.com\nhttps://docs.google.com/forms/d/bad\nblogspot.com\nevil.com\n",
    );
    let (feeds, download) = fetching.open();
    download.round(hours(0)).await.unwrap();
    let seen = standing(&feeds, hours(0));
    assert_eq!((seen.entries, seen.ignored, seen.malformed), (3, 4, 0));
    for name in [
        "example.com",
        "example.co.uk",
        "good.github.io",
        "github.com",
        "docs.github.com",
        "docs.google.com",
        "a.blogspot.com",
    ] {
        assert_eq!(entry(&feeds, name), None, "{name}");
    }
    for name in ["evil.com", "www.evil.com", "evil.github.io", "a.evil.github.io"] {
        assert!(entry(&feeds, name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn what_another_process_has_fetched_is_taken_over_with_its_date_and_asks_nobody() {
    let fetching = Fetching::of(&names(4));
    let (followed, follower) = fetching.open();
    let (_, download) = fetching.open();
    assert!(follower.follow().await.unwrap(), "there is nothing yet");
    assert_eq!(entry(&followed, "evil-1.example.com"), None);
    download.round(hours(0)).await.unwrap();
    assert!(follower.follow().await.unwrap());
    assert_eq!(
        entry(&followed, "evil-1.example.com"),
        Some(FeedEntry::Name("evil-1.example.com".to_owned()))
    );
    assert_eq!(standing(&followed, hours(0)).as_of, hours(0));
    download.round(hours(1)).await.unwrap();
    assert!(follower.follow().await.unwrap());
    assert_eq!((standing(&followed, hours(1)).as_of, fetching.statuses().len()), (hours(1), 2));
    // Of a feed that cannot be read the entries before stay.
    fetching.publisher.publish("feed.txt", &names(5));
    download.round(hours(2)).await.unwrap();
    for entry in fs::read_dir(fetching.path()).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().ends_with(".feed") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    assert!(!follower.follow().await.unwrap());
    assert_eq!(standing(&followed, hours(2)).as_of, hours(1));
    assert!(entry(&followed, "evil-1.example.com").is_some());
}

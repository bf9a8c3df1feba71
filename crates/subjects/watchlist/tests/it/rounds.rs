//! Rounds that ask a publisher, at the times that a test says.

use std::fs;
use std::path::PathBuf;

use fetch::{Roots, Source};
use peers::{Fault, Publisher};
use receipt::time::Timestamp;
use watchlist::lists::Doubt;
use watchlist::refresh::{self, PublishedList, Round, RoundEnd};
use watchlist::snapshot::SnapshotStatus;
use watchlist::{ListName, Store};

use crate::common::{ADVANCED_XML, SDN_XML};

const MINUTE: i64 = 60_000;

/// A store that fetches from a publisher.
struct Fetching {
    folder: tempfile::TempDir,
    publisher: Publisher,
    round: Round,
}

impl Fetching {
    fn new() -> Self {
        let (folder, publisher) = (tempfile::tempdir().expect("a temporary folder"), Publisher::start());
        let source = |url: &str, limits| Source::system(url, &[], limits, Roots::none()).expect("a source");
        let exports = publisher.service_url();
        let changes = refresh::changes_folder(&exports).expect("they lie as OFAC's do");
        let changes = source(&changes, refresh::changes_limits());
        let exports = source(&exports, refresh::limits());
        let round = Round::new(folder.path(), exports, Some(changes), PublishedList::Sdn);
        Self { folder, publisher, round }
    }

    /// Publishes that day of August's list, and what was changed.
    fn publish(&self, day: u8, change: impl Fn(&str) -> String) {
        self.exports(day, change);
        self.changes(day, "101");
    }

    fn exports(&self, day: u8, change: impl Fn(&str) -> String) {
        let plain = SDN_XML.replace("08/20/2026", &format!("08/{day}/2026"));
        let advanced =
            ADVANCED_XML.replacen("<ns2:Day>20</ns2:Day>", &format!("<ns2:Day>{day}</ns2:Day>"), 1);
        self.publisher.publish("SDN.XML", &change(&plain));
        self.publisher.publish("SDN_ADVANCED.XML", &change(&advanced));
    }

    fn changes(&self, day: u8, uid: &str) {
        let latest = format!(
            "<sanctionsData><publicationInfo><datePublished>2026-08-{day}T00:00:00-04:00</datePublished></publicationInfo>\
             <entities><entity id=\"{uid}\" action=\"modify\"/></entities></sanctionsData>"
        );
        self.publisher.publish("changes/latest", &latest);
    }

    async fn look(&self, minutes: i64) -> RoundEnd {
        self.round.look(at(minutes)).await.expect("a round").remove(0)
    }

    /// Looks, and says how the list stands then and which documents were sent.
    async fn sent(&self, minutes: i64) -> (SnapshotStatus, Vec<String>) {
        let before = self.publisher.answers().len();
        let standing = self.look(minutes).await.standing;
        let answers = self.publisher.answers().split_off(before);
        (standing, answers.into_iter().filter(|(_, status)| *status == 200).map(|(name, _)| name).collect())
    }

    fn store(&self) -> Store {
        Store::at(self.folder.path())
    }

    fn content(&self, end: &RoundEnd) -> PathBuf {
        self.store().snapshot_folder(&end.id).join("content.jsonl.gz")
    }
}

fn at(minutes: i64) -> Timestamp {
    Timestamp::EPOCH.saturating_add_millis(minutes * MINUTE)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn exports_that_heed_conditions_are_asked_alone() {
    let fetching = Fetching::new();
    fetching.publish(20, str::to_owned);
    assert_eq!(fetching.look(0).await.standing, SnapshotStatus::Live);
    assert_eq!(fetching.sent(15).await, (SnapshotStatus::Confirmed, Vec::new()));
    assert!(fetching.publisher.answers().iter().all(|(name, _)| name.starts_with("SDN")));
}

#[tokio::test]
async fn exports_that_heed_none_are_spared_while_nothing_was_published() {
    let fetching = Fetching::new();
    let (both, all) =
        (names(&["SDN.XML", "SDN_ADVANCED.XML"]), names(&["changes/latest", "SDN.XML", "SDN_ADVANCED.XML"]));
    fetching.publish(20, str::to_owned);
    fetching.publisher.fail(Some(Fault::Heedless));
    assert_eq!(fetching.sent(0).await, (SnapshotStatus::Live, both.clone()));
    assert_eq!(
        fetching.sent(15).await,
        (SnapshotStatus::Confirmed, both),
        "now it is known that it heeds none"
    );
    // For an hour the exports may lag behind what was published last.
    for minutes in [30, 45, 90] {
        assert_eq!(fetching.sent(minutes).await, (SnapshotStatus::Confirmed, all.clone()), "{minutes}");
    }
    for minutes in [105, 120] {
        let spared = (SnapshotStatus::Confirmed, names(&["changes/latest"]));
        assert_eq!(fetching.sent(minutes).await, spared, "{minutes}");
    }
    let live = fetching.store().live().unwrap();
    assert_eq!(live[&ListName::new(ListName::OFAC_SDN)].confirmed_at, at(120));
    // Another publication of the same day is seen, and so is one that lags behind its changes.
    fetching.changes(20, "102");
    assert_eq!(fetching.sent(135).await, (SnapshotStatus::Confirmed, all.clone()));
    fetching.exports(20, |text| text.replace("VANYA", "VANJA"));
    assert_eq!(fetching.sent(150).await, (SnapshotStatus::Live, all.clone()));
}

#[tokio::test]
async fn without_a_word_on_what_was_published_last_the_exports_are_asked() {
    let fetching = Fetching::new();
    fetching.publish(20, str::to_owned);
    fetching.publisher.fail(Some(Fault::Heedless));
    for minutes in [0, 15, 30, 90] {
        fetching.look(minutes).await;
    }
    assert_eq!(fetching.sent(105).await.1, ["changes/latest"]);
    let exports = names(&["changes/latest", "SDN.XML", "SDN_ADVANCED.XML"]);
    for (minutes, page) in [(120, "<html><body>Down for maintenance.</body></html>"), (135, "")] {
        fetching.publisher.publish("changes/latest", page);
        assert_eq!(fetching.sent(minutes).await, (SnapshotStatus::Confirmed, exports.clone()), "{page}");
    }
    // Once the exports heed conditions, they are asked alone again.
    fetching.publisher.fail(None);
    assert_eq!(fetching.sent(150).await, (SnapshotStatus::Confirmed, names(&["changes/latest"])));
    assert_eq!(fetching.sent(165).await, (SnapshotStatus::Confirmed, Vec::new()));
}

#[tokio::test]
async fn what_waits_still_waits_at_the_next_look_whatever_its_record_says() {
    let fetching = Fetching::new();
    fetching.publish(20, str::to_owned);
    // Kept first as an older one, about which nothing was asked.
    let first = fetching.look(0).await;
    let store = fetching.store();
    let newer = |text: &str| text.replace("<uid>7<", "<uid>8<");
    fetching.publish(22, newer);
    let live = fetching.look(15).await;
    assert_eq!(live.standing, SnapshotStatus::Live);
    let without = |text: &str| {
        text.replace("Digital Currency Address - XBT", "Other").replace("Digital Currency Address", "Other")
    };
    fetching.publish(21, without);
    let older = fetching.look(30).await;
    assert_eq!(older.standing, SnapshotStatus::Older);
    store.accept(&first.id, at(31)).unwrap();
    // Offered again, it lacks what is live now.
    fetching.publisher.fail(Some(Fault::Heedless));
    let lost = SnapshotStatus::Held(vec![Doubt::WalletsLost { lost: 1, of: 1 }]);
    let held = fetching.look(45).await;
    assert_eq!((held.id, &held.standing), (older.id, &lost));
    assert!(store.record(&held.id).unwrap().doubts.is_empty());
    fetching.publisher.fail(None);
    assert_eq!(
        fetching.look(60).await,
        RoundEnd { list: ListName::new(ListName::OFAC_SDN), id: held.id, standing: lost, entries: None }
    );
    store.accept(&live.id, at(61)).unwrap();
    assert_eq!(fetching.look(75).await.standing, SnapshotStatus::Older);
    store.retire(&ListName::new(ListName::OFAC_SDN), at(76)).unwrap();
    assert_eq!(fetching.look(90).await.standing, SnapshotStatus::Retired);
    fetching.publish(23, str::to_owned);
    assert_eq!(fetching.look(105).await.standing, SnapshotStatus::Retired);
    assert!(store.live().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_live_is_not_confirmed_by_a_doubtful_file_with_the_same_content() {
    let fetching = Fetching::new();
    fetching.publish(20, str::to_owned);
    let first = fetching.look(0).await;
    let confirmed = || fetching.store().live().unwrap()[&ListName::new(ListName::OFAC_SDN)].confirmed_at;
    fetching.publish(20, |text| text.replace("<Record_Count>4<", "<Record_Count>50<"));
    for minutes in [15, 30] {
        let held = fetching.look(minutes).await;
        let doubts = vec![Doubt::RecordCount { declared: 50, parsed: 4 }];
        assert_eq!((held.id, held.standing, confirmed()), (first.id, SnapshotStatus::Held(doubts), at(0)));
    }
    fetching.publish(20, str::to_owned);
    assert_eq!(fetching.look(45).await.standing, SnapshotStatus::Confirmed);
    assert_eq!(confirmed(), at(45));
}

#[tokio::test]
async fn a_look_at_what_is_known_reads_no_content_and_sees_each_change_of_it() {
    let fetching = Fetching::new();
    fetching.publish(20, str::to_owned);
    let first = fetching.look(0).await;
    let content = fetching.content(&first);
    let whole = fs::read(&content).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for (minutes, damaged) in [(15, &flipped[..]), (30, &whole[..whole.len() - 1]), (45, b"")] {
        fs::write(&content, damaged).unwrap();
        let (standing, sent) = fetching.sent(minutes).await;
        assert_eq!((standing, sent), (SnapshotStatus::Confirmed, names(&["SDN.XML", "SDN_ADVANCED.XML"])));
        assert!(fetching.store().load(&first.id).is_ok(), "it is healed");
    }
    assert_eq!(fetching.sent(60).await, (SnapshotStatus::Confirmed, Vec::new()));
}

#[test]
fn no_more_of_an_address_is_printed_than_its_host() {
    let url = "https://lists.example.com/s3cret/?signature=s3cret";
    let source = Source::system(url, &[], refresh::limits(), Roots::none()).unwrap();
    let round = Round::new("lists", source.clone(), Some(source), PublishedList::Sdn);
    let printed = format!("{round:?}");
    assert!(printed.contains("lists.example.com") && !printed.contains("s3cret"), "{printed}");
}

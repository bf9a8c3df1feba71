//! A monitor tells of every entry that a notary's log may not have.

use log_follower::monitor::{AnyKey, FindingKind, KnownKeys, MAX_BACK_MILLIS};
use log_follower::{Entries, Follower, KeyRule, Monitor, StateError, StateFolder};
use receipt::Timestamp;
use receipt::key::LeafRange;
use receipt::sign::log_entry;
use tempfile::tempdir;

use crate::support::{TestLog, entries, follower, receipt, vkey};

const KEY: &str = "did:web:log.example#k";

fn at(number: u64, millis: i64, class: &str, kid: &str) -> Vec<u8> {
    log_entry(class, &receipt(number), kid, Timestamp::from_millis(millis).unwrap(), None)
}

async fn findings(log: &TestLog, monitor: Monitor) -> Vec<(u64, FindingKind)> {
    let folder = tempdir().unwrap();
    let mut following = follower(log, folder.path(), monitor);
    following.advance().await.unwrap();
    let findings = following.observer().take_findings();
    assert_eq!(findings.further_alarms, 0);
    findings.first.iter().map(|finding| (finding.leaf, finding.kind)).collect()
}

#[tokio::test]
async fn new_classes_and_keys_are_told_once_and_wrong_entries_each() {
    use FindingKind::{KeyRefused, Malformed, NewClass, NewKey, TimeWentBack};
    let log = TestLog::of(vec![
        at(0, 500_000, "commit", KEY),
        // Signed before the other, and logged after it.
        at(1, 500_000 - MAX_BACK_MILLIS, "commit", KEY),
        at(2, 499_999 - MAX_BACK_MILLIS, "commit", KEY),
        b"{\"an\": \"other\"}".to_vec(),
        at(4, 600_000, "succession", KEY),
        at(5, 1, "commit", KEY),
        at(6, 700_000, "commit", "did:web:log.example#other"),
    ]);
    let told = [
        (0, NewClass),
        (0, NewKey),
        (2, TimeWentBack),
        (3, Malformed),
        (4, NewClass),
        (5, TimeWentBack),
        (6, NewKey),
    ];
    assert_eq!(findings(&log, Monitor::new(Entries::Notary, AnyKey)).await, told);
    let known = KnownKeys([(KEY.to_owned(), None)].into());
    let told: Vec<_> = told.into_iter().chain([(6, KeyRefused)]).collect();
    assert_eq!(findings(&log, Monitor::new(Entries::Notary, known)).await, told);
    assert_eq!(findings(&log, Monitor::new(Entries::Opaque, AnyKey)).await, []);
    assert!(!NewClass.is_alarm() && !NewKey.is_alarm() && TimeWentBack.is_alarm() && KeyRefused.is_alarm());
}

#[tokio::test]
async fn a_key_is_held_against_the_leaves_that_it_may_sign() {
    struct Until(u64);
    impl KeyRule for Until {
        fn refusal(&self, _: &str, leaf: u64) -> Option<String> {
            (leaf >= self.0).then(|| format!("it was revoked at leaf {}", self.0))
        }
    }
    let log = TestLog::of(entries(0..300));
    let told = findings(&log, Monitor::new(Entries::Notary, Until(298))).await;
    assert_eq!(told[2..], [(298, FindingKind::KeyRefused), (299, FindingKind::KeyRefused)]);
}

#[tokio::test]
async fn a_given_key_is_held_against_its_range() {
    let range = LeafRange { from: 0, until: Some(299), revoked: None };
    let known = KnownKeys([(KEY.to_owned(), Some(range))].into());
    let told = findings(&TestLog::of(entries(0..300)), Monitor::new(Entries::Notary, known)).await;
    assert_eq!(told[2..], [(299, FindingKind::KeyRefused)]);
}

#[tokio::test]
async fn findings_that_cannot_be_read_are_not_taken_for_none() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..3));
    let monitor = || Monitor::new(Entries::Notary, AnyKey);
    follower(&log, folder.path(), monitor()).advance().await.unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("\"pending\"", "\"waiting\"")).unwrap();
    }
    let state = StateFolder::open(folder.path()).unwrap();
    let opened = Follower::open(log.clone(), vkey(), state, 8, monitor());
    assert!(matches!(opened, Err(StateError::Damaged { .. })));
}

#[tokio::test]
async fn what_was_seen_before_is_known_to_the_next_run_and_findings_have_a_bound() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(vec![at(0, 90_000, "commit", KEY)]);
    let monitor = || Monitor::new(Entries::Notary, AnyKey);
    let mut following = follower(&log, folder.path(), monitor());
    following.advance().await.unwrap();
    assert_eq!(following.observer().take_findings().first.len(), 2);
    following.told().unwrap();
    drop(following);
    log.grow((1..500).map(|number| at(number, 8999, "commit", KEY)).collect());
    let mut following = follower(&log, folder.path(), monitor());
    following.advance().await.unwrap();
    let findings = following.observer().take_findings();
    assert!(findings.first.iter().all(|finding| finding.kind == FindingKind::TimeWentBack));
    assert_eq!((findings.first.len(), findings.further_alarms), (100, 399));
}

#[tokio::test]
async fn findings_come_again_until_they_were_told() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(vec![at(0, 90_000, "commit", KEY), b"no entry".to_vec()]);
    let run = async |is_told: bool| {
        let mut following = follower(&log, folder.path(), Monitor::new(Entries::Notary, AnyKey));
        following.advance().await.unwrap();
        let findings = following.observer().take_findings().first;
        if is_told {
            following.told().unwrap();
        }
        findings
    };
    let first = run(false).await;
    assert!(first.iter().any(|finding| finding.kind == FindingKind::Malformed));
    assert_eq!(run(false).await, first);
    log.grow(vec![at(2, 90_000, "other", KEY)]);
    let more = run(true).await;
    assert_eq!((&more[..3], more.len()), (&first[..], 4));
    assert_eq!(run(true).await, []);
}

#[tokio::test]
async fn nothing_is_told_of_entries_that_are_not_the_log_s() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..2));
    let mut following = follower(&log, folder.path(), Monitor::new(Entries::Notary, AnyKey));
    log.lie("tile/entries/000.p/2", Some(b"\0\x01x\0\x01y".to_vec()));
    assert_eq!(following.advance().await.unwrap_err().code(), "other_entries");
    assert_eq!(following.observer().take_findings().first, []);
    log.with(|served| served.instead.clear());
    following.advance().await.unwrap();
    assert_eq!(following.observer().take_findings().first.len(), 2);
}

//! A follower takes the successor of a log's key from the records that a known key has signed the tree of, and from nothing else.

use std::path::Path;

use log_follower::monitor::FindingKind;
use log_follower::{
    Advance, Entries, FollowError, Follower, KeyRecords, LogKeys, LogKeysError, LogWithKeys, Monitor,
    StateError, StateFolder,
};
use receipt::history::{KeyRecord, NotedKey};
use receipt::key::SigningKey;
use tempfile::tempdir;

use crate::key_records::{Given, commit, noted};
use crate::support::{ORIGIN, TestLog, Witnessed, key, key_of, vkey};

/// A log key. That of seed 1 is the one that [`vkey`] gives.
fn log_key(seed: u8) -> tlog::SigningKey {
    key_of(ORIGIN, seed)
}

fn log_keys(seeds: &[u8]) -> LogKeys {
    LogKeys::new(seeds.iter().map(|seed| log_key(*seed).verifier()).collect()).unwrap()
}

fn noted_log(seed: u8) -> NotedKey {
    NotedKey::log(&log_key(seed).verifier()).unwrap()
}

/// A log whose key 1 has key 2 beside it from leaf 3 on.
struct Rotated {
    log: TestLog,
    given: Given,
}

impl Rotated {
    /// The log before its rotation.
    fn before() -> Self {
        let given = Given::default();
        let entries = vec![
            given.add(0, &KeyRecord::introduced(noted(9), false), 9),
            given.add(1, &KeyRecord::introduced(noted_log(1), false), 9),
            commit(2, 9),
        ];
        Self { log: TestLog::of(entries), given }
    }

    /// Logs a record, and a receipt after it; these keys sign the checkpoint.
    fn record(&self, leaf: u64, record: &KeyRecord, by: &[u8]) {
        self.log.grow(vec![self.given.add(leaf, record, 9), commit(leaf + 1, 9)]);
        self.sign(by);
    }

    fn sign(&self, by: &[u8]) {
        let keys: Vec<_> = by.iter().map(|seed| log_key(*seed)).collect();
        self.log.sign_with(&keys.iter().collect::<Vec<_>>());
    }

    fn begin(&self, leaf: u64, new: u8, old: u8) {
        let private = SigningKey::from_seed(&[new; 32]);
        let replaces = log_key(old).verifier().to_string();
        let record = KeyRecord::replacing(noted_log(new), &private, &replaces, None);
        self.record(leaf, &record, &[old, new]);
    }

    fn end(&self, leaf: u64, new: u8, old: u8) {
        self.sign(&[old, new]);
        let note = Some(self.log.note());
        let record = KeyRecord::ending(noted_log(new), &log_key(old).verifier().to_string(), note);
        self.record(leaf, &record, &[new]);
    }

    /// The log after key 1 has ended at leaf 5, and key 2 at leaf 9, for key 3.
    fn twice() -> Self {
        let rotated = Self::before();
        rotated.begin(3, 2, 1);
        rotated.end(5, 2, 1);
        rotated.begin(7, 3, 2);
        rotated.end(9, 3, 2);
        rotated
    }

    /// One run of a monitor that was given these keys: the end of its step, and its findings.
    async fn run(
        &self,
        folder: &Path,
        seeds: &[u8],
    ) -> (Result<Advance, FollowError>, Vec<(u64, FindingKind)>) {
        let records = KeyRecords::default();
        let source =
            LogWithKeys { log: self.log.clone(), source: self.given.clone(), records: records.clone() };
        let state = StateFolder::open(folder).unwrap();
        let monitor = Monitor::new(Entries::Notary, records);
        let mut follower = Follower::open(source, log_keys(seeds), state, 8, monitor).unwrap();
        let advance = follower.advance().await;
        let findings = follower.observer().take_findings();
        follower.told().unwrap();
        (advance, findings.first.iter().map(|finding| (finding.leaf, finding.kind)).collect())
    }

    /// A run without an alarm. Returns the leaves at which a log key came or went.
    async fn runs(&self, folder: &Path, seeds: &[u8]) -> Vec<u64> {
        let (advance, findings) = self.run(folder, seeds).await;
        advance.unwrap();
        assert!(!findings.iter().any(|(_, kind)| kind.is_alarm()), "{findings:?}");
        let of_log = findings.into_iter().filter(|(_, kind)| *kind == FindingKind::LogKey);
        of_log.map(|(leaf, _)| leaf).collect()
    }
}

fn code(advance: Result<Advance, FollowError>) -> &'static str {
    let error = advance.unwrap_err();
    assert!(error.is_alarm(), "{error}");
    error.code()
}

#[tokio::test(start_paused = true)]
async fn a_successor_is_taken_in_the_overlap_and_known_in_later_runs_under_either_key() {
    let folder = tempdir().unwrap();
    let rotated = Rotated::before();
    assert!(rotated.runs(folder.path(), &[1]).await.is_empty());
    rotated.begin(3, 2, 1);
    assert_eq!(rotated.runs(folder.path(), &[1]).await, [3]);
    // The record of the end is not needed any more.
    rotated.log.grow(vec![commit(5, 9)]);
    rotated.sign(&[2]);
    for seeds in [&[1][..], &[2], &[1, 2]] {
        assert!(rotated.runs(folder.path(), seeds).await.is_empty());
    }
    rotated.end(6, 2, 1);
    assert_eq!(rotated.runs(folder.path(), &[1]).await, [6]);
    assert!(rotated.runs(folder.path(), &[2]).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn who_has_slept_through_two_rotations_goes_on_and_who_comes_with_the_first_key_does_too() {
    let (slept, new) = (tempdir().unwrap(), tempdir().unwrap());
    let before = Rotated::before();
    before.runs(slept.path(), &[1]).await;
    let rotated = Rotated::twice();
    assert_eq!(rotated.runs(slept.path(), &[1]).await, [3, 5, 7, 9]);
    assert_eq!(rotated.runs(new.path(), &[1]).await, [3, 5, 7, 9]);
    assert!(rotated.runs(new.path(), &[3]).await.is_empty());
    // With the newest key alone all is as it was.
    assert_eq!(rotated.runs(tempdir().unwrap().path(), &[3]).await, [3, 5, 7, 9]);
    // Where the notary gives the path between the two trees, none of the tiles of an older tree is asked for.
    assert!(rotated.log.with(|served| served.requests.iter().all(|path| path == "tile/entries/000.p/11")));
}

#[tokio::test(start_paused = true)]
async fn a_key_without_a_record_in_a_tree_that_a_known_key_signed_is_an_alarm() {
    let alarm = async |rotated: &Rotated| {
        let folder = tempdir().unwrap();
        let (advance, _) = rotated.run(folder.path(), &[1]).await;
        code(advance)
    };
    // No record at all.
    let unknown = Rotated::before();
    unknown.sign(&[2]);
    assert_eq!(alarm(&unknown).await, "checkpoint");
    // Records in a tree that the new key alone has signed: whoever has the receipt key can make them.
    let alone = Rotated::before();
    alone.begin(3, 2, 1);
    alone.sign(&[2]);
    assert_eq!(alarm(&alone).await, "checkpoint");
    // The checkpoint of the end is of both keys, and over a tree that the log does not have.
    let other = Rotated::before();
    other.begin(3, 2, 1);
    let elsewhere = TestLog::of((0..4).map(|leaf| commit(leaf, 7)).collect());
    elsewhere.sign_with(&[&log_key(1), &log_key(2)]);
    let ending = KeyRecord::ending(noted_log(2), &vkey().to_string(), Some(elsewhere.note()));
    other.record(5, &ending, &[2]);
    assert_eq!(alarm(&other).await, "other_root");
    // A record of the end from before there were such checkpoints.
    let without = Rotated::before();
    without.begin(3, 2, 1);
    without.record(5, &KeyRecord::ending(noted_log(2), &vkey().to_string(), None), &[2]);
    assert_eq!(alarm(&without).await, "checkpoint");
    // The notary's records are not those of the log.
    let invented = Rotated::before();
    invented.begin(3, 2, 1);
    let log = TestLog::of((0..5).map(|leaf| commit(leaf, 9)).collect());
    log.sign_with(&[&log_key(1), &log_key(2)]);
    let both = log.note();
    log.grow(vec![commit(5, 9), commit(6, 9)]);
    log.sign_with(&[&log_key(2)]);
    let ending = KeyRecord::ending(noted_log(2), &vkey().to_string(), Some(both));
    invented.given.add(5, &ending, 9);
    let invented = Rotated { log, given: invented.given };
    let (advance, findings) = invented.run(tempdir().unwrap().path(), &[1]).await;
    assert_eq!(code(advance), "checkpoint");
    assert!(findings.contains(&(3, FindingKind::KeyRecord)), "{findings:?}");
}

#[tokio::test(start_paused = true)]
async fn a_former_key_signs_no_tree_past_its_end() {
    let folder = tempdir().unwrap();
    let rotated = Rotated::before();
    rotated.begin(3, 2, 1);
    rotated.end(5, 2, 1);
    rotated.runs(folder.path(), &[1]).await;
    rotated.log.grow(vec![commit(7, 9)]);
    // Alone, or beside the key in use; in a known history, or in a tree that says so itself.
    for by in [&[1][..], &[2, 1]] {
        rotated.sign(by);
        for (folder, seeds) in [(folder.path(), &[1][..]), (tempdir().unwrap().path(), &[1, 2])] {
            let (advance, _) = rotated.run(folder, seeds).await;
            assert_eq!(code(advance), "log_key_refused", "{by:?} {seeds:?}");
        }
    }
    rotated.sign(&[2]);
    assert!(rotated.runs(folder.path(), &[1]).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_tree_of_an_ended_key_that_was_seen_before_its_end_was_known_is_an_alarm_and_no_more() {
    let folder = tempdir().unwrap();
    let ended = || {
        let rotated = Rotated::before();
        rotated.begin(3, 2, 1);
        rotated.end(5, 2, 1);
        rotated
    };
    // The former key signs a larger tree, of which nothing can be read.
    let forged = ended();
    forged.log.grow(vec![commit(7, 9), commit(8, 9)]);
    forged.sign(&[1]);
    forged.log.with(|served| served.lost_from = Some(0));
    let (advance, _) = forged.run(folder.path(), &[1]).await;
    assert!(!advance.unwrap_err().is_alarm());
    let honest = ended();
    honest.log.grow(vec![commit(7, 9)]);
    honest.sign(&[2]);
    let (advance, _) = honest.run(folder.path(), &[1]).await;
    assert_eq!(code(advance), "log_key_refused");
    assert!(honest.runs(folder.path(), &[1]).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn without_records_each_key_that_is_given_is_enough() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(vec![commit(0, 9)]);
    let step = async |seeds: &[u8]| {
        let folder = StateFolder::open(folder.path()).unwrap();
        let follower = Follower::open(log.clone(), log_keys(seeds), folder, 8, Witnessed::default());
        follower.map_err(|error| error.to_string())?.advance().await.map_err(|error| error.to_string())
    };
    step(&[1]).await.unwrap();
    log.grow(vec![commit(1, 9)]);
    log.sign_with(&[&log_key(2)]);
    assert!(step(&[1]).await.unwrap_err().contains("not one of this log"));
    step(&[1, 2]).await.unwrap();
    // Nothing was learned from that: what is given counts.
    assert!(step(&[3]).await.unwrap_err().contains("another log"));
}

#[test]
fn keys_that_are_not_of_one_log_are_refused() {
    let other = key_of("other.example/log", 1).verifier();
    assert_eq!(LogKeys::new(Vec::new()), Err(LogKeysError::None));
    let two = LogKeys::new(vec![vkey(), other.clone()]);
    assert_eq!(two, Err(LogKeysError::OtherLog(vkey(), other)));
    assert_eq!(LogKeys::new(vec![vkey(); 17]), Err(LogKeysError::TooMany));
}

#[tokio::test(start_paused = true)]
async fn a_state_with_a_key_that_is_none_is_damaged() {
    let folder = tempdir().unwrap();
    let rotated = Rotated::twice();
    rotated.runs(folder.path(), &[1]).await;
    let path = folder.path().join("state.json");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(&log_key(3).verifier().to_string()));
    std::fs::write(&path, text.replacen("{\"vkey\":\"", "{\"vkey\":\"x", 1)).unwrap();
    let state = StateFolder::open(folder.path()).unwrap();
    let opened = Follower::open(rotated.log.clone(), key().verifier(), state, 8, Witnessed::default());
    assert!(matches!(opened.err(), Some(StateError::Damaged { .. })));
}

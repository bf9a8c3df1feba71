//! A log that has signed two trees is caught, and the proof of it convinces whoever has the log's key.

use std::path::Path;

use log_follower::{Advance, Contradiction, ContradictionError, FollowError, Observer, ObserverError};
use serde_json::Value;
use tempfile::tempdir;
use tlog::RightEdge;

use crate::support::{TestLog, Witnessed, entries, entry, follower, key_of, step, vkey};

/// The log with another entry at this leaf.
fn forked(size: u64, at: u64) -> TestLog {
    let mut entries = entries(0..size);
    entries[usize::try_from(at).unwrap()] = entry(1_000_000);
    TestLog::of(entries)
}

fn contradiction(error: FollowError) -> Contradiction {
    assert!(error.is_alarm());
    let FollowError::Contradiction(shown) = error else { panic!("{error}") };
    let said = shown.verify().unwrap();
    assert!(said.contains("log.example/log"), "{said}");
    let read = Contradiction::from_json(shown.to_json().as_bytes()).unwrap();
    assert_eq!(read, *shown);
    *shown
}

#[tokio::test]
async fn two_trees_of_one_size_contradict_each_other() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..300));
    step(&log, folder.path()).await.unwrap();
    log.become_other(forked(300, 17));
    let shown = contradiction(step(&log, folder.path()).await.unwrap_err());
    assert_eq!(shown.path, None);
}

#[tokio::test]
async fn a_larger_tree_without_the_known_one_in_it_contradicts_it_at_every_size() {
    for (known, larger) in
        [(1, 2), (3, 5), (255, 256), (256, 257), (256, 900), (300, 301), (512, 1024), (700, 2000)]
    {
        let folder = tempdir().unwrap();
        let log = TestLog::of(entries(0..known));
        step(&log, folder.path()).await.unwrap();
        log.become_other(forked(larger, known - 1));
        let shown = contradiction(step(&log, folder.path()).await.unwrap_err());
        assert!(shown.path.is_some(), "{known} to {larger}");
        // The known tree stays known.
        log.become_other(TestLog::of(entries(0..known + 1)));
        step(&log, folder.path()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_smaller_tree_is_told_apart_from_a_fork() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..700));
    step(&log, folder.path()).await.unwrap();
    // An honest copy of before.
    let early = TestLog::of(entries(0..300)).note();
    log.with(|served| served.checkpoint = Some(early));
    let error = step(&log, folder.path()).await.unwrap_err();
    assert!(matches!(error, FollowError::RolledBack { size: 300, known: 700 }), "{error}");
    assert!(error.is_alarm());
    // Another tree, of which the known one is no continuation.
    log.with(|served| served.checkpoint = Some(forked(300, 5).note()));
    contradiction(step(&log, folder.path()).await.unwrap_err());
    // The log that was set back, and is all there is.
    log.become_other(TestLog::of(entries(0..299)));
    let error = step(&log, folder.path()).await.unwrap_err();
    assert!(matches!(error, FollowError::RolledBack { size: 299, known: 700 }), "{error}");
}

#[tokio::test]
async fn a_checkpoint_that_was_only_seen_is_held_against_the_log_too() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..900));
    log.with(|served| served.lost_from = Some(2));
    // Its checkpoint is seen, and its entries are not to be had.
    assert_eq!(step(&log, folder.path()).await.unwrap_err().code(), "not_read");
    // A state of before it had these members.
    let path = folder.path().join("state.json");
    let mut state: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    for member in ["seen", "findings", "untold"] {
        assert!(state.as_object_mut().unwrap().remove(member).is_some(), "{member}");
    }
    std::fs::write(&path, state.to_string()).unwrap();
    log.become_other(forked(1500, 800));
    let shown = contradiction(step(&log, folder.path()).await.unwrap_err());
    assert!(shown.smaller.contains("\n900\n") && shown.larger.contains("\n1500\n"));
}

#[tokio::test]
async fn each_checkpoint_that_was_seen_is_compared_though_larger_ones_came_and_hash_tiles_are_withheld() {
    // The second way is long: it is held against the signed root before its end.
    for size in [1500, 256 * 300] {
        let folder = tempdir().unwrap();
        let log = forked(900, 850);
        for honest in [1000, 1100] {
            log.with(|served| served.lost_from = Some(2));
            assert_eq!(step(&log, folder.path()).await.unwrap_err().code(), "not_read");
            log.become_other(TestLog::of(entries(0..honest)));
        }
        log.grow(entries(1100..size));
        log.with(|served| served.is_without_hashes = size == 1500);
        let shown = contradiction(step(&log, folder.path()).await.unwrap_err());
        assert!(shown.smaller.contains("\n900\n") && shown.larger.contains(&format!("\n{size}\n")));
        assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Verified { from: 0, size });
    }
}

/// Has the state of a log remember these checkpoints.
fn remember(folder: &Path, notes: Vec<String>) {
    let path = folder.join("state.json");
    let mut state: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    state["seen"] = notes.into();
    std::fs::write(&path, state.to_string()).unwrap();
}

/// A log whose last checkpoint is the only one for which there was room.
async fn log_without_room(folder: &Path) -> TestLog {
    let log = TestLog::of(entries(0..900));
    log.with(|served| served.lost_from = Some(2));
    assert_eq!(step(&log, folder).await.unwrap_err().code(), "not_read");
    remember(folder, vec![log.note(); 1023]);
    log.with(|served| served.is_without_hashes = true);
    log
}

#[tokio::test]
async fn checkpoints_for_which_there_is_no_room_are_an_alarm_until_those_before_are_compared() {
    for is_without_hashes in [true, false] {
        let folder = tempdir().unwrap();
        let log = log_without_room(folder.path()).await;
        log.grow(entries(900..901));
        let error = step(&log, folder.path()).await.unwrap_err();
        assert!(matches!(error, FollowError::TooManySeen { seen: 1024 }) && error.is_alarm(), "{error}");
        // Either the entries show that the trees before are parts of the newest one, or its hash tiles do.
        log.with(|served| {
            served.is_without_hashes = is_without_hashes;
            served.lost_from = if is_without_hashes { None } else { Some(2) };
        });
        match step(&log, folder.path()).await {
            Ok(advance) => assert_eq!(advance, Advance::Verified { from: 0, size: 901 }),
            Err(error) => assert!(error.code() == "not_read" && !is_without_hashes, "{error}"),
        }
        log.grow(entries(901..902));
        log.with(|served| served.lost_from = Some(2));
        assert_eq!(step(&log, folder.path()).await.unwrap_err().code(), "not_read");
    }
}

#[tokio::test]
async fn where_there_is_no_room_an_error_that_is_not_of_the_entries_stays_what_it_is() {
    struct FullDisk;
    impl Observer for FullDisk {
        fn bundle(&mut self, _: u64, _: &[u8], _: &[&[u8]], _: usize) -> Result<(), ObserverError> {
            Err("the disk is full".into())
        }
        fn verified(&mut self, _: &str, _: &RightEdge) -> Result<(), ObserverError> {
            Ok(())
        }
        fn state(&self) -> Value {
            Value::Null
        }
        fn restore(&mut self, _: &Value) -> Result<(), ObserverError> {
            Ok(())
        }
    }
    let folder = tempdir().unwrap();
    let log = log_without_room(folder.path()).await;
    log.grow(entries(900..901));
    let error = follower(&log, folder.path(), FullDisk).advance().await.unwrap_err();
    assert!(matches!(error, FollowError::Observer(_)), "{error}");
    // A long way needs hash tiles.
    log.grow(entries(901..256 * 300));
    let error = step(&log, folder.path()).await.unwrap_err();
    assert!(matches!(error, FollowError::HashTileMissing { .. }) && !error.is_alarm(), "{error}");
}

#[tokio::test]
async fn a_contradiction_comes_again_until_it_was_told() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..300));
    step(&log, folder.path()).await.unwrap();
    log.become_other(forked(300, 17));
    let first = follower(&log, folder.path(), Witnessed::default()).advance().await.unwrap_err();
    // The process was killed before it said so, and now nothing is wrong.
    log.become_other(TestLog::of(entries(0..300)));
    let again = step(&log, folder.path()).await.unwrap_err();
    assert_eq!(contradiction(first), contradiction(again));
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Unchanged { size: 300 });
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_is_behind_the_others_for_a_moment_is_no_alarm() {
    let folder = tempdir().unwrap();
    let early = TestLog::of(entries(0..300)).note();
    let log = TestLog::of(entries(0..700));
    step(&log, folder.path()).await.unwrap();
    log.with(|served| served.before = [early.clone(), early.clone(), early].into());
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Unchanged { size: 700 });
    // It is behind with a checkpoint that was only seen.
    let verified = log.note();
    log.grow(entries(700..900));
    log.with(|served| served.lost_from = Some(2));
    assert_eq!(step(&log, folder.path()).await.unwrap_err().code(), "not_read");
    log.with(|served| (served.lost_from, served.before) = (None, [verified].into()));
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Verified { from: 700, size: 900 });
}

#[tokio::test(start_paused = true)]
async fn a_smaller_tree_that_was_served_for_a_moment_is_compared_once_hash_tiles_or_entries_are_served() {
    let honest = TestLog::of(entries(0..300)).note();
    let forked = forked(300, 5).note();
    for (smaller, by_entries) in [(&honest, false), (&honest, true), (&forked, false), (&forked, true)] {
        let folder = tempdir().unwrap();
        let log = TestLog::of(entries(0..700));
        step(&log, folder.path()).await.unwrap();
        log.with(|served| {
            served.before = [smaller.clone()].into();
            served.is_without_hashes = true;
            served.lost_from = Some(1);
        });
        // Nothing can be said meanwhile.
        for _ in 0..2 {
            let error = step(&log, folder.path()).await.unwrap_err();
            assert!(error.code() == "not_read" && !error.is_alarm(), "{error}");
        }
        log.with(|served| {
            served.is_without_hashes = by_entries;
            served.lost_from = if by_entries { None } else { Some(1) };
        });
        let shown = step(&log, folder.path()).await;
        if *smaller == honest {
            assert_eq!(shown.unwrap(), Advance::Unchanged { size: 700 });
        } else {
            contradiction(shown.unwrap_err());
        }
    }
}

#[tokio::test]
async fn many_smaller_trees_are_compared_with_each_tile_fetched_once() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..700));
    step(&log, folder.path()).await.unwrap();
    remember(folder.path(), (300..320).map(|size| TestLog::of(entries(0..size)).note()).collect());
    log.with(|served| served.requests.clear());
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Unchanged { size: 700 });
    let mut requests = log.with(|served| std::mem::take(&mut served.requests));
    let all = requests.len();
    requests.sort();
    requests.dedup();
    assert!(all > 0 && requests.len() == all, "{requests:?}");
    log.with(|served| served.is_without_hashes = true);
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Unchanged { size: 700 });
    assert!(log.with(|served| served.requests.is_empty()), "all were compared");
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_that_was_only_seen_is_missed_where_less_is_served() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..900));
    log.with(|served| served.lost_from = Some(2));
    assert_eq!(step(&log, folder.path()).await.unwrap_err().code(), "not_read");
    log.become_other(TestLog::of(entries(0..600)));
    for _ in 0..2 {
        let error = step(&log, folder.path()).await.unwrap_err();
        assert!(matches!(error, FollowError::RolledBack { size: 600, known: 900 }), "{error}");
    }
    // What is served was verified all the same.
    log.grow(entries(600..1000));
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Verified { from: 600, size: 1000 });
}

#[tokio::test]
async fn an_empty_tree_with_a_root_contradicts_itself() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(Vec::new());
    let root = tlog::leaf_hash(b"none");
    let note =
        tlog::Checkpoint::new("log.example/log", 0, root).unwrap().sign(&crate::support::key()).unwrap();
    log.with(|served| served.checkpoint = Some(note));
    contradiction(step(&log, folder.path()).await.unwrap_err());
}

#[tokio::test]
async fn a_proof_that_was_changed_shows_nothing() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..300));
    let mut following = follower(&log, folder.path(), Witnessed::default());
    following.advance().await.unwrap();
    log.become_other(forked(1000, 7));
    let shown = contradiction(following.advance().await.unwrap_err());

    let mut other_key = shown.clone();
    other_key.log_key = key_of("log.example/log", 2).verifier();
    assert!(matches!(other_key.verify(), Err(ContradictionError::Checkpoint { which: "smaller", .. })));

    let mut shorter = shown.clone();
    shorter.path.as_mut().unwrap().hashes.pop();
    assert!(matches!(shorter.verify(), Err(ContradictionError::Path(_))));

    let mut changed = shown.clone();
    changed.path.as_mut().unwrap().start = tlog::leaf_hash(b"");
    assert!(matches!(changed.verify(), Err(ContradictionError::OtherTree)));

    // Trees of an honest log.
    let honest = Contradiction { larger: TestLog::of(entries(0..1000)).note(), ..shown.clone() };
    assert!(matches!(honest.verify(), Err(ContradictionError::OtherTree)));
    let same = Contradiction { larger: shown.smaller.clone(), ..shown.clone() };
    assert!(matches!(same.verify(), Err(ContradictionError::Consistent)));
    let pathless = Contradiction { path: None, ..shown.clone() };
    assert!(matches!(pathless.verify(), Err(ContradictionError::Consistent)));

    let text = shown.to_json();
    for at in 0..text.len() {
        let _no_panic = Contradiction::from_json(&text.as_bytes()[..at]).map(|cut| cut.verify().is_ok());
    }
    assert!(Contradiction::from_json(&text.as_bytes()[..text.len() - 3]).is_err());
    assert_eq!(shown.log_key, vkey());
}

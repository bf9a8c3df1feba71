//! A log that has signed two trees is caught, and the proof of it convinces whoever has the log's key.

use log_follower::{Advance, Contradiction, ContradictionError, FollowError};
use tempfile::tempdir;

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

#[tokio::test]
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
    log.become_other(forked(1500, 800));
    let shown = contradiction(step(&log, folder.path()).await.unwrap_err());
    assert!(shown.smaller.contains("\n900\n") && shown.larger.contains("\n1500\n"));
}

#[tokio::test]
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

//! An honest log is followed as it grows, from one run to the next.

use log_follower::monitor::AnyKey;
use log_follower::{Advance, Entries, FollowError, Follower, Monitor, StateError, StateFolder};
use proptest::prelude::*;
use tempfile::tempdir;
use tlog::{Note, RightEdge, SigningKey};

use crate::support::{ORIGIN, TestLog, Witnessed, entries, follower, key, key_of, signed, step, vkey};

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_log_that_grows_is_verified_at_every_size_whether_or_not_the_process_lives_on(
        steps in proptest::collection::vec((0_u64..700, any::<bool>()), 1..6),
    ) {
        block_on(async {
            let folder = tempdir().unwrap();
            let log = TestLog::of(Vec::new());
            let mut size = 0;
            let mut following = follower(&log, folder.path(), Witnessed::default());
            for (number, (more, lives_on)) in steps.into_iter().enumerate() {
                log.grow(entries(size..size + more));
                let expected = if more == 0 && number > 0 {
                    Advance::Unchanged { size }
                } else {
                    Advance::Verified { from: size, size: size + more }
                };
                if !lives_on {
                    drop(following);
                    following = follower(&log, folder.path(), Witnessed::default());
                }
                assert_eq!(following.advance().await.unwrap(), expected);
                size += more;
                assert_eq!((following.size(), following.observer().leaves), (size, size));
            }
        });
    }
}

#[tokio::test]
async fn a_partial_bundle_that_is_gone_is_read_from_the_full_one() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..100));
    let note = log.note();
    log.grow(entries(100..300));
    log.with(|served| served.checkpoint = Some(note));
    log.lie("tile/entries/000.p/100", None);
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Verified { from: 0, size: 100 });
}

#[tokio::test]
async fn a_way_that_was_interrupted_goes_on_where_it_was_saved() {
    const SIZE: u64 = 256 * 600;
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..SIZE));
    log.with(|served| served.lost_from = Some(400));
    let error = step(&log, folder.path()).await.unwrap_err();
    assert!(!error.is_alarm() && error.code() == "not_read", "{error}");
    log.with(|served| {
        served.lost_from = None;
        served.requests.clear();
    });
    // A new process.
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Verified { from: 0, size: SIZE });
    let requests = log.with(|served| std::mem::take(&mut served.requests));
    let (of_entries, of_hashes): (Vec<_>, Vec<_>) =
        requests.into_iter().partition(|path| path.starts_with("tile/entries/"));
    assert_eq!(of_entries.len(), 600 - 256, "the first 256 bundles were not fetched again");
    assert!(
        of_hashes.len() <= 4,
        "hash tiles are needed for the path from the saved way alone: {of_hashes:?}"
    );
}

#[tokio::test]
async fn a_step_has_a_bound_and_gives_the_findings_so_far() {
    const HELD: u64 = 256 * 256;
    let folder = tempdir().unwrap();
    let (mut all, mut size) = (entries(0..HELD * 2 + 500), HELD * 2 + 500);
    all[3] = b"no entry".to_vec();
    let log = TestLog::of(all);
    let next = async || {
        let monitor = Monitor::new(Entries::Notary, AnyKey);
        let mut following = follower(&log, folder.path(), monitor).with_step(1);
        let advance = following.advance().await;
        let findings = following.observer().take_findings();
        following.told().unwrap();
        (advance, findings.first.iter().filter(|finding| finding.kind.is_alarm()).count())
    };
    for (reached, alarms) in [(HELD, 1), (HELD * 2, 0)] {
        let (advance, found) = next().await;
        let error = advance.unwrap_err();
        assert!(
            matches!(error, FollowError::Unfinished { reached: at, size: of } if (at, of) == (reached, size))
        );
        assert!(!error.is_alarm());
        assert_eq!(found, alarms);
        let state = std::fs::read_to_string(folder.path().join("state.json")).unwrap();
        let state: serde_json::Value = serde_json::from_str(&state).unwrap();
        assert_eq!(state["seen"].as_array().unwrap().len(), usize::from(reached > HELD));
        log.grow(entries(size..size + 1));
        size += 1;
    }
    let (advance, found) = next().await;
    assert_eq!((advance.unwrap(), found), (Advance::Verified { from: 0, size }, 0));
}

#[tokio::test(start_paused = true)]
async fn findings_of_a_way_are_told_once_though_it_begins_again() {
    let folder = tempdir().unwrap();
    let mut all = entries(0..256 * 256 + 500);
    all[3] = b"no entry".to_vec();
    let early = TestLog::of(all[..1000].to_vec()).note();
    let log = TestLog::of(all);
    let next = async || {
        let monitor = Monitor::new(Entries::Notary, AnyKey);
        let mut following = follower(&log, folder.path(), monitor).with_step(1);
        let advance = following.advance().await;
        let findings = following.observer().take_findings();
        following.told().unwrap();
        (advance.map_err(|error| error.code()), findings.first.len())
    };
    // The bad entry, a class and a key.
    assert_eq!(next().await, (Err("unfinished"), 3));
    // The way is not gone on with.
    let newest = log.note();
    log.with(|served| served.checkpoint = Some(early));
    assert_eq!(next().await, (Err("rolled_back"), 0));
    log.with(|served| served.checkpoint = Some(newest));
    log.grow(vec![b"no entry either".to_vec()]);
    assert_eq!(next().await, (Ok(Advance::Verified { from: 1000, size: 256 * 256 + 501 }), 1));
}

#[tokio::test(start_paused = true)]
async fn an_empty_tree_that_is_served_on_a_first_way_is_one_that_was_set_back() {
    const SIZE: u64 = 256 * 600;
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..SIZE));
    log.with(|served| served.lost_from = Some(400));
    assert_eq!(step(&log, folder.path()).await.unwrap_err().code(), "not_read");
    let newest = log.note();
    log.with(|served| {
        served.lost_from = None;
        served.checkpoint = Some(signed(&RightEdge::new(), &key()));
    });
    let error = step(&log, folder.path()).await.unwrap_err();
    assert!(matches!(error, FollowError::RolledBack { size: 0, known: SIZE }), "{error}");
    log.with(|served| served.checkpoint = Some(newest));
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Verified { from: 0, size: SIZE });
}

#[tokio::test]
async fn a_folder_serves_one_process_and_one_log() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..3));
    step(&log, folder.path()).await.unwrap();
    let held = StateFolder::open(folder.path()).unwrap();
    assert!(matches!(StateFolder::open(folder.path()), Err(StateError::InUse(_))));
    let other = key_of("other.example/log", 1).verifier();
    let opened = Follower::open(log.clone(), other, held, 8, Witnessed::default());
    assert!(
        matches!(opened.map(drop), Err(StateError::OtherLog { theirs, .. }) if theirs == vkey().to_string())
    );
}

#[tokio::test]
async fn a_state_that_was_damaged_is_refused_or_of_no_consequence() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..300));
    step(&log, folder.path()).await.unwrap();
    let path = folder.path().join("state.json");
    let good = std::fs::read(&path).unwrap();
    for at in (0..good.len()).step_by(7) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        std::fs::write(&path, &bad).unwrap();
        let opened = Follower::open(
            log.clone(),
            vkey(),
            StateFolder::open(folder.path()).unwrap(),
            8,
            Witnessed::default(),
        );
        if let Ok(mut following) = opened {
            let size = following.size();
            assert!(size == 300 || size == 0, "byte {at}: {size}");
            // An observer's own part is its own affair; the tree is right all the same.
            if following.observer().leaves == size {
                following.advance().await.unwrap();
            }
        }
        std::fs::write(&path, &good[..at]).unwrap();
        let opened = Follower::open(
            log.clone(),
            vkey(),
            StateFolder::open(folder.path()).unwrap(),
            8,
            Witnessed::default(),
        );
        assert!(matches!(opened.map(drop), Err(StateError::Damaged { .. })), "cut at {at}");
    }
}

#[tokio::test]
async fn the_state_is_taken_over_under_another_log_key_once_both_have_signed_it() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..3));
    let next = key_of(ORIGIN, 2);
    let sign = |log: &TestLog, by: &[&SigningKey]| {
        log.with(|served| {
            let note: Note = served.checkpoint.clone().unwrap().parse().unwrap();
            served.checkpoint = Some(Note::sign(note.text(), by).unwrap().to_string());
        });
    };
    let under_next = async || {
        let held = StateFolder::open(folder.path()).unwrap();
        Follower::open(log.clone(), next.verifier(), held, 8, Witnessed::default())
            .map_err(|error| error.to_string())
    };
    step(&log, folder.path()).await.unwrap();
    assert!(under_next().await.is_err(), "the new key has not signed what is known");
    log.grow(entries(3..5));
    sign(&log, &[&key(), &next]);
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Verified { from: 3, size: 5 });
    log.grow(entries(5..6));
    sign(&log, &[&next]);
    assert_eq!(step(&log, folder.path()).await.unwrap_err().code(), "checkpoint");
    let mut follower = under_next().await.unwrap();
    assert_eq!(follower.advance().await.unwrap(), Advance::Verified { from: 5, size: 6 });
}

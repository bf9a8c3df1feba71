//! A log that serves what it has not signed is caught, and the tile is named.

use log_follower::follower::MAX_LEAVES;
use log_follower::{Advance, FollowError};
use tempfile::tempdir;
use tlog::Checkpoint;
use tlog::tile::encode_bundle;

use crate::support::{ORIGIN, TestLog, entries, entry, key, key_of, signed, step};

async fn refused(log: &TestLog) -> FollowError {
    let folder = tempdir().unwrap();
    step(log, folder.path()).await.unwrap_err()
}

fn log() -> TestLog {
    TestLog::of(entries(0..1000))
}

#[tokio::test]
async fn a_bundle_that_is_cut_is_named() {
    let log = log();
    let whole = log.bytes("tile/entries/002");
    for length in [0, 1, 2, 5, whole.len() / 2, whole.len() - 1] {
        log.lie("tile/entries/002", Some(whole[..length].to_vec()));
        let error = refused(&log).await;
        assert!(
            matches!(&error, FollowError::Tile { path, .. } if path == "tile/entries/002"),
            "{length}: {error}"
        );
        assert!(error.is_alarm());
    }
}

#[tokio::test]
async fn bundles_that_were_swapped_and_an_entry_that_was_changed_are_named() {
    let log = log();
    let [one, two] = ["tile/entries/001", "tile/entries/002"].map(|path| log.bytes(path));
    log.lie("tile/entries/001", Some(two));
    log.lie("tile/entries/002", Some(one));
    let error = refused(&log).await;
    assert!(
        matches!(&error, FollowError::Entries { path, position: 0 } if path == "tile/entries/001"),
        "{error}"
    );
    let mut changed = entries(512..768);
    changed[9] = entry(77_777);
    log.with(|served| served.instead.clear());
    log.lie("tile/entries/002", Some(encode_bundle(&changed).unwrap()));
    let error = refused(&log).await;
    assert!(
        matches!(&error, FollowError::Entries { path, position: 9 } if path == "tile/entries/002"),
        "{error}"
    );
}

#[tokio::test]
async fn what_was_seen_once_may_not_change_within_its_bundle() {
    let folder = tempdir().unwrap();
    let log = TestLog::of(entries(0..100));
    step(&log, folder.path()).await.unwrap();
    log.grow(entries(100..200));
    let mut changed = entries(0..200);
    changed[3] = entry(77_777);
    log.lie("tile/entries/000.p/200", Some(encode_bundle(&changed).unwrap()));
    let error = step(&log, folder.path()).await.unwrap_err();
    assert!(matches!(&error, FollowError::Entries { position: 3, .. }), "{error}");
}

#[tokio::test]
async fn a_signed_root_that_no_entries_have_is_told() {
    let log = log();
    // Another log's tiles under this log's checkpoint.
    let note = log.note();
    log.become_other(TestLog::of(entries(5..1005)));
    log.with(|served| served.checkpoint = Some(note));
    for is_without_hashes in [false, true] {
        log.with(|served| served.is_without_hashes = is_without_hashes);
        let error = refused(&log).await;
        assert!(matches!(error, FollowError::OtherRoot { size: 1000, .. }), "{error}");
        assert!(error.is_alarm());
    }
}

#[tokio::test]
async fn of_a_tree_that_no_log_can_have_and_of_a_huge_one_without_hash_tiles_no_entry_is_read() {
    let folder = tempdir().unwrap();
    let log = log();
    let honest = log.note();
    let sign = |size: u64| {
        let checkpoint = Checkpoint::new(ORIGIN, size, tlog::leaf_hash(b"any")).unwrap();
        log.with(|served| served.checkpoint = Some(checkpoint.sign(&key()).unwrap()));
    };
    sign(MAX_LEAVES + 1);
    let error = step(&log, folder.path()).await.unwrap_err();
    assert!(matches!(error, FollowError::ImplausibleSize { .. }) && error.is_alarm(), "{error}");
    log.with(|served| served.checkpoint = Some(honest));
    assert_eq!(step(&log, folder.path()).await.unwrap(), Advance::Verified { from: 0, size: 1000 });
    log.with(|served| served.requests.clear());
    sign(MAX_LEAVES);
    let error = step(&log, folder.path()).await.unwrap_err();
    assert!(matches!(error, FollowError::HashTileMissing { .. }) && !error.is_alarm(), "{error}");
    let requests = log.with(|served| std::mem::take(&mut served.requests));
    assert!(!requests.iter().any(|path| path.starts_with("tile/entries")), "{requests:?}");
}

#[tokio::test]
async fn a_long_way_is_held_against_the_signed_root_before_its_end() {
    let log = TestLog::of(entries(0..256 * 600));
    let mut changed = entries(2560..2816);
    changed[9] = entry(77_777_777);
    log.lie("tile/entries/010", Some(encode_bundle(&changed).unwrap()));
    let error = refused(&log).await;
    assert!(
        matches!(&error, FollowError::Entries { path, position: 9 } if path == "tile/entries/010"),
        "{error}"
    );
    let requests = log.with(|served| std::mem::take(&mut served.requests));
    let furthest = requests.iter().filter_map(|path| path.strip_prefix("tile/entries/")).max();
    assert!(furthest.unwrap() < "270", "{furthest:?}");
}

#[tokio::test]
async fn a_tile_that_is_not_there_is_no_alarm_and_is_named() {
    let log = log();
    log.lie("tile/entries/001", None);
    let error = refused(&log).await;
    assert!(matches!(&error, FollowError::Missing { path } if path == "tile/entries/001"), "{error}");
    assert!(!error.is_alarm());
}

#[tokio::test]
async fn a_checkpoint_of_another_key_or_origin_or_none_at_all_is_refused() {
    let edge = {
        let mut edge = tlog::RightEdge::new();
        edge.append(tlog::leaf_hash(&entry(0)));
        edge
    };
    let log = TestLog::of(entries(0..1));
    let other_key = signed(&edge, &key_of(ORIGIN, 9));
    let other_origin = signed(&edge, &key_of("other.example/log", 1));
    let good = log.note();
    for note in
        [other_key, other_origin, String::new(), good.replacen("\n1\n", "\n2\n", 1), good[..9].to_owned()]
    {
        log.with(|served| served.checkpoint = Some(note.clone()));
        let error = refused(&log).await;
        assert!(matches!(error, FollowError::Checkpoint(_)) && error.is_alarm(), "{note}: {error}");
    }
}

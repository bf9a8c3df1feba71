//! What the processes of a store have in common: named leases, values, and the files of folders.

use std::sync::Arc;

use ledger::{
    Ledger, LedgerError, MAX_SHARED_CHUNK, MAX_SHARED_NAME, MAX_SHARED_NOTE, MAX_SHARED_VALUE, Owner,
    SHARED_CHUNK_GRACE_MS, SharedContent, SharedFile,
};
use receipt::hash::sha256;
use receipt::time::Timestamp;

use super::Harness;
use super::support::START_MS;

const FOLDER: &str = "lists";

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(START_MS + millis).unwrap()
}

fn owner(number: u8) -> Owner {
    Owner([number; 16])
}

/// Stores the chunks of a file, and returns its content.
pub async fn content(ledger: &dyn Ledger, bytes: &[u8], time: Timestamp) -> SharedContent {
    let mut chunks = Vec::new();
    for chunk in bytes.chunks(MAX_SHARED_CHUNK) {
        chunks.push(ledger.put_chunk(chunk.to_vec(), time).await.unwrap());
    }
    SharedContent { sha256: sha256(bytes), length: bytes.len() as u64, chunks }
}

async fn put(ledger: &dyn Ledger, path: &str, replaces: u64, bytes: &[u8]) -> Option<u64> {
    let content = content(ledger, bytes, at(0)).await;
    ledger.put_file(FOLDER, path, replaces, Some(content), at(0)).await.unwrap()
}

async fn read(ledger: &dyn Ledger, file: &SharedFile) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in &file.content.as_ref().unwrap().chunks {
        bytes.extend(ledger.chunk(chunk).await.unwrap().unwrap());
    }
    bytes
}

/// The paths and versions of the files that have changed since a version.
async fn changes(ledger: &dyn Ledger, since: u64, most: u32) -> Vec<(String, u64)> {
    let files = ledger.files_since(FOLDER, since, most).await.unwrap();
    files.into_iter().map(|file| (file.path, file.version)).collect()
}

pub async fn a_lease_is_one_owners_until_it_is_over_or_given_up<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let lease =
        async |name, number, now, until| ledger.lease(name, owner(number), at(now), at(until)).await.unwrap();
    assert!(lease("lists", 1, 0, 1_000).await);
    assert!(!lease("lists", 2, 999, 5_000).await && lease("feeds", 2, 999, 5_000).await);
    assert!(lease("lists", 1, 999, 2_000).await, "its owner extends it");
    assert!(!lease("lists", 2, 1_500, 5_000).await);
    assert!(lease("lists", 2, 2_000, 5_000).await, "it is over");
    assert!(!lease("lists", 1, 2_000, 5_000).await);
    assert!(
        lease("lists", 2, 3_000, 3_000).await && lease("lists", 1, 3_000, 4_000).await,
        "it was given up"
    );
    for name in ["", &"a".repeat(MAX_SHARED_NAME + 1)] {
        assert!(matches!(ledger.lease(name, owner(1), at(0), at(1)).await, Err(LedgerError::Unfit(_))));
    }
}

pub async fn of_many_who_want_a_lease_at_once_one_gets_it<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let tasks = (0..32).map(|number| {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.lease("lists", owner(number), at(0), at(1_000)).await.unwrap() })
    });
    let mut holders = 0;
    for task in tasks.collect::<Vec<_>>() {
        holders += u32::from(task.await.unwrap());
    }
    assert_eq!(holders, 1);
}

pub async fn a_value_is_replaced_by_who_has_seen_the_last_one<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let set = async |replaces, bytes: &[u8]| {
        ledger.set_shared_value("gas", replaces, bytes.to_vec()).await.unwrap()
    };
    assert_eq!(ledger.shared_value("gas").await.unwrap(), None);
    assert_eq!(set(1, b"a").await, None);
    let first = set(0, b"a").await.unwrap();
    assert_eq!((set(0, b"b").await, set(first + 1, b"b").await), (None, None));
    let value = ledger.shared_value("gas").await.unwrap().unwrap();
    assert_eq!((value.version, &*value.bytes), (first, &b"a"[..]));
    let second = set(first, b"").await.unwrap();
    assert!(second > first);
    assert_eq!(ledger.shared_value("gas").await.unwrap().unwrap().bytes, b"");
    assert_eq!(ledger.shared_value("nonces").await.unwrap(), None);
    let large = vec![0; MAX_SHARED_VALUE + 1];
    assert!(matches!(ledger.set_shared_value("gas", second, large).await, Err(LedgerError::Unfit(_))));
}

pub async fn of_many_who_raise_a_value_each_counts_once<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let tasks = (0..16).map(|_| {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move {
            loop {
                let (version, count) = match ledger.shared_value("count").await.unwrap() {
                    Some(value) => (value.version, value.bytes[0]),
                    None => (0, 0),
                };
                if ledger.set_shared_value("count", version, vec![count + 1]).await.unwrap().is_some() {
                    return;
                }
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_eq!(ledger.shared_value("count").await.unwrap().unwrap().bytes, [16]);
}

pub async fn a_note_is_kept_until_it_ends_and_by_its_kind<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let remember = async |kind, key, bytes: &[u8], now, until| {
        ledger.remember(kind, [key; 32], bytes.to_vec(), at(now), at(until)).await.unwrap()
    };
    let found = async |kind, key, now| ledger.remembered(kind, &[key; 32], at(now)).await.unwrap();
    assert_eq!(found("tasks", 1, 0).await, None);
    remember("tasks", 1, b"one", 0, 1_000).await;
    remember("tasks", 2, b"two", 0, 2_000).await;
    assert_eq!(found("tasks", 1, 999).await, Some(b"one".to_vec()));
    assert_eq!((found("tasks", 1, 1_000).await, found("others", 1, 0).await), (None, None));
    remember("tasks", 2, b"", 1_000, 3_000).await;
    assert_eq!(found("tasks", 2, 2_999).await, Some(Vec::new()));
    assert_eq!(found("tasks", 1, 0).await, None, "it was deleted once it had ended");
    let large = vec![0; MAX_SHARED_NOTE + 1];
    let refused = ledger.remember("tasks", [3; 32], large, at(0), at(1)).await;
    assert!(matches!(refused, Err(LedgerError::Unfit(_))));
}

pub async fn a_file_is_read_as_it_was_put_and_changes_come_in_their_order<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let ledger = &*ledger;
    assert_eq!(changes(ledger, 0, 10).await, []);
    let large: Vec<u8> = (0..2 * MAX_SHARED_CHUNK + 1).map(|at| (at / 1_000) as u8).collect();
    let content = put(ledger, "snapshots/1/content", 0, &large).await.unwrap();
    let live = put(ledger, "live.json", 0, b"{}").await.unwrap();
    let empty = put(ledger, "empty", 0, b"").await.unwrap();
    let names = |files: &[(&str, u64)]| -> Vec<(String, u64)> {
        files.iter().map(|(path, version)| ((*path).to_owned(), *version)).collect()
    };
    let all = names(&[("snapshots/1/content", content), ("live.json", live), ("empty", empty)]);
    assert_eq!(changes(ledger, 0, 10).await, all);
    assert_eq!(changes(ledger, 0, 2).await, all[..2]);
    assert_eq!(changes(ledger, content, 10).await, all[1..]);
    let files = ledger.files_since(FOLDER, 0, 10).await.unwrap();
    for (file, bytes) in files.iter().zip([&large[..], b"{}", b""]) {
        assert_eq!(read(ledger, file).await, bytes);
        let content = file.content.as_ref().unwrap();
        assert_eq!((content.sha256, content.length), (sha256(bytes), bytes.len() as u64));
    }
    let newer = put(ledger, "live.json", live, b"{\"a\":1}").await.unwrap();
    let gone = ledger.put_file(FOLDER, "empty", empty, None, at(0)).await.unwrap().unwrap();
    let removed = ledger.files_since(FOLDER, newer, 10).await.unwrap();
    assert_eq!(removed, [SharedFile { path: "empty".to_owned(), version: gone, content: None }]);
    assert_eq!(changes(ledger, empty, 10).await, names(&[("live.json", newer), ("empty", gone)]));
    assert_eq!(ledger.files_since("feeds", 0, 10).await.unwrap(), []);
    let back = put(ledger, "empty", gone, b"").await.unwrap();
    assert_eq!(changes(ledger, gone, 10).await, names(&[("empty", back)]));
}

pub async fn a_file_of_another_version_or_without_its_chunks_is_refused<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let ledger = &*ledger;
    let first = put(ledger, "live.json", 0, b"one").await.unwrap();
    for replaces in [0, first + 1] {
        assert_eq!(put(ledger, "live.json", replaces, b"two").await, None);
    }
    let missing = SharedContent { sha256: sha256(b"x"), length: 1, chunks: vec![[9; 32]] };
    let uneven = SharedContent { sha256: sha256(b"one"), length: 3, chunks: Vec::new() };
    for unfit in [missing, uneven] {
        let refused = ledger.put_file(FOLDER, "live.json", first, Some(unfit), at(0)).await;
        assert!(matches!(refused, Err(LedgerError::Unfit(_))));
    }
    let large = vec![0; MAX_SHARED_CHUNK + 1];
    assert!(matches!(ledger.put_chunk(large, at(0)).await, Err(LedgerError::Unfit(_))));
    let files = ledger.files_since(FOLDER, 0, 10).await.unwrap();
    assert_eq!((files.len(), files[0].version), (1, first));
    assert_eq!(read(ledger, &files[0]).await, b"one");
}

pub async fn chunks_that_no_file_names_are_deleted_and_no_others<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let ledger = &*ledger;
    let old = content(ledger, b"old", at(0)).await;
    let kept = content(ledger, b"kept", at(0)).await;
    let young = content(ledger, b"young", at(SHARED_CHUNK_GRACE_MS)).await;
    let store = async |path, replaces, content: &SharedContent, time| {
        ledger.put_file(FOLDER, path, replaces, Some(content.clone()), at(time)).await.unwrap().unwrap()
    };
    let first = store("a", 0, &old, 0).await;
    store("b", 0, &kept, 0).await;
    store("a", first, &kept, SHARED_CHUNK_GRACE_MS).await;
    let is_stored = async |content: &SharedContent| ledger.chunk(&content.chunks[0]).await.unwrap().is_some();
    assert!(is_stored(&old).await, "somebody may be reading it");
    store("c", 0, &kept, SHARED_CHUNK_GRACE_MS + 1).await;
    assert!(!is_stored(&old).await && is_stored(&kept).await && is_stored(&young).await);
}

pub async fn what_is_shared_is_as_it_was_left<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    put(&*ledger, "live.json", 0, b"{}").await.unwrap();
    ledger.set_shared_value("gas", 0, b"7".to_vec()).await.unwrap().unwrap();
    assert!(ledger.lease("lists", owner(1), at(0), at(1_000)).await.unwrap());
    let files = ledger.files_since(FOLDER, 0, 10).await.unwrap();
    let ledger = harness.reopen(ledger).await;
    assert_eq!(ledger.files_since(FOLDER, 0, 10).await.unwrap(), files);
    assert_eq!(read(&*ledger, &files[0]).await, b"{}");
    assert_eq!(ledger.shared_value("gas").await.unwrap().unwrap().bytes, b"7");
    let now = harness.clock().passed().max(1_000);
    assert!(ledger.lease("lists", owner(2), at(now), at(now + 1)).await.unwrap());
}

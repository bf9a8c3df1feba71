//! Two processes with folders of their own, over one store.

use std::sync::Arc;

use ledger::{Identity, Shared as _};
use ledger_sqlite::SqliteLedger;
use tempfile::TempDir;
use tlog::SigningKey;
use verdict::{Clock as _, SystemClock};

use super::*;

/// The folders of two processes, and the store.
struct Two {
    data: [TempDir; 2],
    store: TempDir,
    ledger: SqliteLedger,
    clock: SystemClock,
}

impl Two {
    fn new() -> Self {
        let store = TempDir::new().unwrap();
        let log_key = SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap();
        let identity = Identity {
            receipt_kid: "notary-1".to_owned(),
            log_vkey: log_key.verifier().to_string(),
            ..Identity::default()
        };
        let clock = Arc::new(SystemClock::start());
        let path = store.path().join("store.sqlite");
        let ledger = SqliteLedger::open(&path, log_key, &identity, clock).unwrap();
        let data = [TempDir::new().unwrap(), TempDir::new().unwrap()];
        Self { data, store, ledger, clock: SystemClock::start() }
    }

    fn lists(&self) -> [SharedFolder; 2] {
        self.data.each_ref().map(|data| SharedFolder::lists(data.path()))
    }

    fn feeds(&self) -> [SharedFolder; 2] {
        self.data.each_ref().map(|data| SharedFolder::feeds(data.path()))
    }

    async fn round(&self, folder: &mut SharedFolder) {
        folder.round(&self.ledger, &self.clock).await.unwrap();
    }

    fn write(&self, process: usize, path: &str, bytes: &[u8]) {
        let path = self.data[process].path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn read(&self, process: usize, path: &str) -> Option<Vec<u8>> {
        fs::read(self.data[process].path().join(path)).ok()
    }

    fn remove(&self, process: usize, path: &str) {
        fs::remove_file(self.data[process].path().join(path)).unwrap();
    }

    /// The version of the live file that a process has in common with the others.
    fn live_version(&self, process: usize) -> Option<u64> {
        let bytes = self.read(process, "lists/live.json")?;
        let marks = FileMarks::read(&self.data[process].path().join("lists"));
        marks.version_of("live.json", &hex::encode(sha256(&bytes)))
    }
}

fn snapshot(id: &str, file: &str) -> String {
    format!("lists/snapshots/{}/{file}", id.repeat(32))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_has_the_other_gets_with_all_that_it_names() {
    let two = Two::new();
    let [mut one, mut other] = two.lists();
    let large: Vec<u8> = (0..600_000_u32).map(|at| (at / 999) as u8).collect();
    let (content, record) = (snapshot("0a", "content.jsonl.gz"), snapshot("0a", "record.json"));
    two.write(0, &content, &large);
    two.write(0, &record, b"{}");
    two.write(0, &snapshot("0a", "index"), b"derived");
    two.write(0, "lists/live.json", b"{\"a\":1}");
    assert_eq!(two.live_version(0), None, "nobody else has it yet");
    two.round(&mut one).await;
    assert!(two.live_version(0).is_some());
    let order = two.ledger.files_since("lists", 0, 10).await.unwrap();
    assert_eq!(order.last().unwrap().path, "live.json");
    two.round(&mut other).await;
    assert_eq!((two.read(1, &content).unwrap(), two.read(1, &record).unwrap()), (large, b"{}".to_vec()));
    assert_eq!(two.read(1, "lists/live.json").unwrap(), b"{\"a\":1}");
    assert_eq!(two.live_version(1), two.live_version(0));
    assert_eq!(two.read(1, &snapshot("0a", "index")), None, "it is made by each process itself");
    assert!(fs::read_dir(two.data[1].path().join("lists")).unwrap().all(|entry| {
        let name = entry.unwrap().file_name();
        !name.to_str().unwrap().starts_with('.')
    }));
    drop(two.store);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_on_either_side_reaches_the_other_and_of_two_the_first_holds() {
    let two = Two::new();
    let [mut one, mut other] = two.lists();
    two.write(0, "lists/live.json", b"1");
    two.round(&mut one).await;
    two.round(&mut other).await;
    two.write(1, "lists/live.json", b"2");
    two.round(&mut other).await;
    two.round(&mut one).await;
    assert_eq!(two.read(0, "lists/live.json").unwrap(), b"2");
    assert_eq!(two.live_version(0), two.live_version(1));
    two.write(0, "lists/live.json", b"3");
    two.write(1, "lists/live.json", b"4");
    assert_eq!((two.live_version(0), two.live_version(1)), (None, None));
    two.round(&mut one).await;
    two.round(&mut other).await;
    two.round(&mut one).await;
    for process in [0, 1] {
        assert_eq!(two.read(process, "lists/live.json").unwrap(), b"3");
    }
    assert!(two.live_version(0).is_some() && two.live_version(0) == two.live_version(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_starts_again_gives_what_was_changed_meanwhile_and_takes_what_is_newer() {
    let two = Two::new();
    let [mut one, mut other] = two.lists();
    two.write(0, "lists/live.json", b"1");
    two.round(&mut one).await;
    two.round(&mut other).await;
    // An operator's import while the service is down.
    two.write(1, "lists/live.json", b"2");
    let [_, mut other] = two.lists();
    two.round(&mut other).await;
    two.round(&mut one).await;
    assert_eq!(two.read(0, "lists/live.json").unwrap(), b"2");
    // Newer lists while the service is down.
    two.write(0, "lists/live.json", b"3");
    two.round(&mut one).await;
    let [_, mut other] = two.lists();
    two.round(&mut other).await;
    assert_eq!(two.read(1, "lists/live.json").unwrap(), b"3");
    // A replica that joins with lists of its own.
    fs::remove_file(two.data[1].path().join("lists/shared.json")).unwrap();
    two.write(1, "lists/live.json", b"own");
    let [_, mut other] = two.lists();
    two.round(&mut other).await;
    assert_eq!(two.read(1, "lists/live.json").unwrap(), b"3");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_stays_and_the_entries_of_a_feed_go_with_their_version() {
    let two = Two::new();
    let ([mut lists, mut other_lists], [mut feeds, mut other_feeds]) = (two.lists(), two.feeds());
    let record = snapshot("0a", "record.json");
    let entries = |hash: &str| format!("feeds/urlhaus.{}.feed", hash.repeat(32));
    two.write(0, &record, b"{}");
    two.write(0, &entries("0a"), b"evil.example");
    two.write(0, "feeds/urlhaus.json", b"a");
    for (one, other) in [(&mut lists, &mut other_lists), (&mut feeds, &mut other_feeds)] {
        two.round(one).await;
        two.round(other).await;
    }
    two.remove(0, &record);
    two.write(0, &entries("0b"), b"worse.example");
    two.write(0, "feeds/urlhaus.json", b"b");
    two.remove(0, &entries("0a"));
    for _ in 0..2 {
        for folder in [&mut lists, &mut feeds, &mut other_lists, &mut other_feeds] {
            two.round(folder).await;
        }
    }
    assert!(two.read(1, &record).is_some());
    assert_eq!(two.read(1, "feeds/urlhaus.json").unwrap(), b"b");
    assert!(two.read(1, &entries("0b")).is_some() && two.read(1, &entries("0a")).is_none());
    let [mut lists, _] = two.lists();
    two.round(&mut lists).await;
    assert!(two.read(0, &record).is_some(), "it is there again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_whole_in_the_store_appears_nowhere() {
    let two = Two::new();
    let [_, mut other] = two.lists();
    let chunk = two.ledger.put_chunk(b"{}".to_vec(), two.clock.now()).await.unwrap();
    let content = SharedContent { sha256: [0; 32], length: 2, chunks: vec![chunk] };
    two.ledger.put_file("lists", "live.json", 0, Some(content), two.clock.now()).await.unwrap().unwrap();
    let round = other.round(&two.ledger, &two.clock).await;
    assert!(matches!(round, Err(MirrorError::NotWhole(_))));
    assert_eq!(two.read(1, "lists/live.json"), None);
    let escape = SharedContent { sha256: sha256(b"{}"), length: 2, chunks: vec![chunk] };
    two.ledger.put_file("feeds", "../escape.json", 0, Some(escape), two.clock.now()).await.unwrap().unwrap();
    let [_, mut feeds] = two.feeds();
    two.round(&mut feeds).await;
    assert_eq!(two.read(1, "escape.json"), None);
}

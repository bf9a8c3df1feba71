//! Records, reservations and the log where the disk fails, the writer panics or the queue is full.
//!
//! These tests change the log writer between two batches, so they are within the crate.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use ledger::{
    FreeCallKey, Identity, Ledger, LedgerError, LedgerRecord, MAX_QUEUE, MAX_QUEUE_BYTES, QuotaKey,
    QuotaRequest, QuotaReservation, TrialRequest,
};
use receipt::hash::ReceiptHash;
use receipt::sign::SignedPayload;
use receipt::time::Timestamp;
use rusqlite::ffi::{self, ErrorCode};
use tempfile::TempDir;
use tlog::SigningKey;
use verdict::{Clock as _, EvidenceBlob, SystemClock};

use crate::SqliteLedger;
use crate::log::commit::{CommitFn, LogWriter};
use crate::log::writer::Job;

pub(super) struct Store {
    folder: TempDir,
    ledger: Option<Arc<SqliteLedger>>,
}

impl Store {
    pub(super) fn new() -> Self {
        let mut store = Self { folder: tempfile::tempdir().unwrap(), ledger: None };
        store.reopen();
        store
    }

    pub(super) fn reopen(&mut self) -> Arc<SqliteLedger> {
        self.ledger = None;
        let key = SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap();
        let identity = Identity {
            receipt_kid: "kid".to_owned(),
            log_vkey: key.verifier().to_string(),
            ..Identity::default()
        };
        let path = self.folder.path().join("ledger.sqlite");
        let ledger = SqliteLedger::open(&path, key, &identity, Arc::new(SystemClock::start())).unwrap();
        self.ledger.insert(Arc::new(ledger)).clone()
    }

    pub(super) fn ledger(&self) -> Arc<SqliteLedger> {
        Arc::clone(self.ledger.as_ref().unwrap())
    }

    /// Runs `work` on the writer's thread, between two batches, and waits for it.
    pub(super) fn inspect(&self, work: impl FnOnce(&mut LogWriter) + Send + 'static) {
        let (done, wait) = mpsc::channel();
        let work = move |log_writer: &mut LogWriter| {
            work(log_writer);
            done.send(()).unwrap();
        };
        assert!(self.ledger().writer.submit(Job::Inspect(Box::new(work))).is_ok());
        wait.recv().unwrap();
    }

    pub(super) fn fail_with(&self, commit_fn: CommitFn) {
        self.inspect(move |log_writer| log_writer.commit_fn = commit_fn);
    }

    /// Holds the writer until what it gives is dropped.
    pub(super) fn hold(&self) -> mpsc::Sender<()> {
        let (release, held) = mpsc::channel::<()>();
        let (begun, wait) = mpsc::channel();
        let work = move |_: &mut LogWriter| {
            begun.send(()).unwrap();
            let _released = held.recv();
        };
        assert!(self.ledger().writer.submit(Job::Inspect(Box::new(work))).is_ok());
        wait.recv().unwrap();
        release
    }
}

pub(super) fn hash(number: u64) -> ReceiptHash {
    ReceiptHash::of_payload(&number.to_be_bytes())
}

pub(super) fn record(number: u64, reservation: Option<QuotaReservation>) -> LedgerRecord {
    let payload = number.to_be_bytes().repeat(150);
    let signed = SignedPayload { hash: hash(number), payload, signature: [1; 64] };
    let (entry, signed_at) = (number.to_be_bytes().to_vec(), SystemClock::start().now());
    LedgerRecord {
        reservation,
        ..LedgerRecord::new(signed, "kid", "claim-verdict", entry, signed_at, vec![b'r'; 400])
    }
}

async fn take(ledger: &SqliteLedger, agent: &str, allowance: u32) -> Option<QuotaReservation> {
    let network = "192.0.2.1/32".parse().unwrap();
    let key = FreeCallKey { agent: agent.to_owned(), network, class: "claim-verdict", day: 20_000 };
    ledger.reserve(vec![QuotaRequest::one(QuotaKey::Free(key), allowance)]).await.unwrap().ok()
}

async fn reservation(ledger: &SqliteLedger, allowance: u32) -> Option<QuotaReservation> {
    take(ledger, "scout", allowance).await
}

pub(super) fn failure(code: i32) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
}

async fn proves(ledger: &SqliteLedger, number: u64) -> bool {
    let Some((_, inclusion)) = ledger.receipt_with_inclusion(&hash(number)).await.unwrap() else {
        return false;
    };
    let head = ledger.head();
    let leaf = tlog::leaf_hash(&number.to_be_bytes());
    tlog::verify_inclusion(inclusion.leaf, head.size, &leaf, &inclusion.path, &head.root).is_ok()
}

#[tokio::test]
async fn on_a_full_disk_records_are_refused_whole_and_appends_go_on_once_there_is_room() {
    let mut store = Store::new();
    let ledger = store.ledger();
    for number in 0..300 {
        ledger.append(record(number, None)).await.unwrap();
    }
    store.inspect(|log_writer| {
        let pages: u64 =
            log_writer.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        log_writer.connection.pragma_update_and_check(None, "max_page_count", pages + 5, |_| Ok(())).unwrap();
    });
    let mut number = 300;
    let full = loop {
        let head = ledger.head();
        if let Err(error) = ledger.append(record(number, reservation(&ledger, 1).await)).await {
            assert_eq!(ledger.head(), head, "the log is as it was");
            break error;
        }
        assert!(take(&ledger, &number.to_string(), 1).await.is_some());
        number += 1;
        assert!(number < 400, "the disk is full by now");
    };
    assert!(matches!(full, LedgerError::Busy), "{full}");
    assert!(!ledger.is_writable(), "a failing disk shows");
    assert!(ledger.receipt(&hash(number)).await.unwrap().is_none());
    let used = u32::from(number > 300);
    assert!(
        reservation(&ledger, used + 1).await.is_some(),
        "the refused record's reservation was given back"
    );
    assert!(proves(&ledger, number - 1).await, "reads go on");

    store.inspect(|log_writer| {
        log_writer.connection.pragma_update_and_check(None, "max_page_count", 1_000_000, |_| Ok(())).unwrap();
    });
    let appended = ledger.append(record(number, reservation(&ledger, used + 1).await)).await.unwrap();
    assert_eq!(appended.leaf, number);
    assert!(ledger.is_writable());
    assert!(reservation(&ledger, used + 1).await.is_none(), "its reservation is used up once it is durable");
    let head = ledger.head();
    drop(ledger);
    assert_eq!(store.reopen().head(), head);
}

#[tokio::test]
async fn a_commit_that_fails_without_effect_is_rolled_back_and_the_same_size_is_signed_but_once_published() {
    let store = Store::new();
    let ledger = store.ledger();
    ledger.append(record(0, None)).await.unwrap();
    let head = ledger.head();
    store.fail_with(|_| Err(failure(ffi::SQLITE_FULL)));
    let refused = ledger.append(record(1, reservation(&ledger, 1).await)).await.unwrap_err();
    assert!(matches!(refused, LedgerError::Busy), "{refused}");
    assert_eq!(ledger.head(), head);
    let trial = ledger.request_trial(trial(), None).await;
    assert!(matches!(trial, Err(LedgerError::Busy)));
    store.fail_with(|transaction| transaction.commit());
    let reservation = reservation(&ledger, 1).await.expect("it was given back");
    assert_eq!(ledger.append(record(2, Some(reservation))).await.unwrap().leaf, 1);
    assert!(proves(&ledger, 2).await && !proves(&ledger, 1).await);
    assert!(ledger.trials(10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_commit_that_landed_is_answered_although_it_was_reported_as_failed() {
    let mut store = Store::new();
    let ledger = store.ledger();
    store.fail_with(|transaction| {
        transaction.commit()?;
        Err(failure(ffi::SQLITE_BUSY))
    });
    let appended = ledger.append(record(0, reservation(&ledger, 1).await)).await.unwrap();
    assert_eq!((appended.leaf, ledger.head().size), (0, 1));
    assert!(proves(&ledger, 0).await);
    assert!(reservation(&ledger, 1).await.is_none(), "used up");
    assert!(ledger.is_writable());
    drop(ledger);
    assert_eq!(store.reopen().head().size, 1);
}

#[tokio::test]
async fn after_a_disk_error_in_a_commit_nothing_more_is_signed_and_the_outcome_is_said_to_be_unknown() {
    let mut store = Store::new();
    let ledger = store.ledger();
    ledger.append(record(0, None)).await.unwrap();
    store.fail_with(|transaction| {
        transaction.rollback()?;
        Err(failure(ffi::SQLITE_IOERR_FSYNC))
    });
    let unknown = ledger.append(record(1, None)).await.unwrap_err();
    assert!(matches!(unknown, LedgerError::OutcomeUnknown), "{unknown}");
    assert!(!ledger.is_writable());
    let refused = ledger.append(record(2, reservation(&ledger, 1).await)).await.unwrap_err();
    assert!(matches!(refused, LedgerError::Busy), "{refused}");
    assert!(reservation(&ledger, 1).await.is_some());
    assert!(proves(&ledger, 0).await, "reads go on");
    drop(ledger);
    let ledger = store.reopen();
    assert_eq!(ledger.append(record(2, None)).await.unwrap().leaf, 1);
}

#[tokio::test]
async fn a_panic_of_the_writer_leaves_nobody_waiting_and_shows() {
    let mut store = Store::new();
    let ledger = store.ledger();
    store.fail_with(|_| panic!("a bug"));
    let held = store.hold();
    let waiting: Vec<_> = (0..10)
        .map(|number| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.append(record(number, None)).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(held);
    for append in waiting {
        let refused = append.await.unwrap().unwrap_err();
        assert!(matches!(refused, LedgerError::OutcomeUnknown | LedgerError::Busy), "{refused}");
    }
    assert!(!ledger.is_writable());
    assert!(matches!(ledger.append(record(20, None)).await, Err(LedgerError::Busy)));
    assert!(matches!(ledger.request_trial(trial(), None).await, Err(LedgerError::Busy)));
    drop(ledger);
    assert_eq!(store.reopen().head().size, 0);
}

#[tokio::test]
async fn a_full_queue_refuses_at_once_and_gives_the_reservation_back() {
    let store = Store::new();
    let ledger = store.ledger();
    let held = store.hold();
    let mut waiting = tokio::task::JoinSet::new();
    for number in 0..MAX_QUEUE as u64 {
        let ledger = Arc::clone(&ledger);
        waiting.spawn(async move { ledger.append(record(number, None)).await });
    }
    while waiting.try_join_next().is_none() && ledger.writer.room() > 0 {
        tokio::task::yield_now().await;
    }
    let refused = ledger.append(record(9999, reservation(&ledger, 1).await)).await.unwrap_err();
    assert!(matches!(refused, LedgerError::Busy), "{refused}");
    assert!(reservation(&ledger, 1).await.is_some());
    drop(held);
    while let Some(appended) = waiting.join_next().await {
        appended.unwrap().unwrap();
    }
    assert_eq!(ledger.head().size, MAX_QUEUE as u64);
}

#[tokio::test]
async fn large_records_fill_the_queue_by_their_bytes_and_leave_it_again() {
    const BYTES: usize = 8 << 20;
    let store = Store::new();
    let ledger = store.ledger();
    let large = |number| {
        let blob = EvidenceBlob::new("body", vec![number; BYTES]);
        LedgerRecord { evidence: vec![blob], ..record(u64::from(number), None) }
    };
    let held = store.hold();
    let fit = MAX_QUEUE_BYTES / BYTES;
    let waiting: Vec<_> = (0..fit as u8 - 1)
        .map(|number| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.append(large(number)).await })
        })
        .collect();
    while ledger.writer.room() > MAX_QUEUE - (fit - 1) {
        tokio::task::yield_now().await;
    }
    assert!(matches!(ledger.append(large(100)).await, Err(LedgerError::Busy)));
    drop(held);
    for append in waiting {
        append.await.unwrap().unwrap();
    }
    ledger.append(large(100)).await.unwrap();
}

#[tokio::test]
async fn a_ledger_that_is_dropped_finishes_what_waits() {
    let mut store = Store::new();
    let ledger = store.ledger();
    let held = store.hold();
    let appends: Vec<_> = (0..20).map(|number| Box::pin(append(Arc::clone(&ledger), number))).collect();
    let mut appends: Vec<_> = appends.into_iter().map(tokio::spawn).collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    appends.drain(..10).for_each(|append| append.abort());
    drop(held);
    for append in appends {
        append.await.unwrap().unwrap();
    }
    drop(ledger);
    assert_eq!(store.reopen().head().size, 20);
}

async fn append(ledger: Arc<SqliteLedger>, number: u64) -> Result<ledger::AppendedRecord, LedgerError> {
    ledger.append(record(number, None)).await
}

#[tokio::test]
async fn the_writing_connection_syncs_each_commit() {
    let store = Store::new();
    store.inspect(|log_writer| {
        let setting =
            |name| log_writer.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!((setting("synchronous"), setting("fullfsync"), setting("wal_autocheckpoint")), (2, 1, 0));
        let mode: String =
            log_writer.connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
    });
    assert_eq!(failure(ffi::SQLITE_IOERR_FSYNC).sqlite_error_code(), Some(ErrorCode::SystemIoFailure));
}

/// A receipt that is committed but not yet published is not served: its proof would lead past the checkpoint.
#[tokio::test]
async fn readers_see_what_is_published_and_nothing_beyond() {
    let store = Store::new();
    let ledger = store.ledger();
    ledger.append(record(0, None)).await.unwrap();
    store.inspect(|log_writer| {
        let insert = "INSERT INTO receipts (leaf, key, hash, signature, payload) VALUES (1, ?, ?, zeroblob(64), x'00')";
        let unpublished = hash(1);
        let key = crate::log::index::receipt_key(&unpublished);
        log_writer.connection.execute(insert, (key, unpublished.as_bytes())).unwrap();
        log_writer.connection.execute("INSERT INTO keys (key, leaf) VALUES (?, 1)", [key]).unwrap();
    });
    assert!(ledger.receipt(&hash(1)).await.unwrap().is_none());
    assert!(ledger.receipt_with_inclusion(&hash(1)).await.unwrap().is_none());
    assert!(proves(&ledger, 0).await);
}

/// While heads change all the time, whatever a reader is given fits together.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proofs_read_while_the_log_grows_all_verify() {
    let store = Store::new();
    let ledger = store.ledger();
    ledger.append(record(0, None)).await.unwrap();
    let writer = tokio::spawn({
        let ledger = Arc::clone(&ledger);
        async move {
            for number in 1..600 {
                ledger.append(record(number, None)).await.unwrap();
            }
        }
    });
    let mut step = 0_u64;
    while !writer.is_finished() {
        let newest = ledger.head().size - 1;
        for number in [newest, step % (newest + 1)] {
            let (receipt, inclusion) = ledger.receipt_with_inclusion(&hash(number)).await.unwrap().unwrap();
            let text: Vec<&str> = inclusion.checkpoint.split('\n').collect();
            let (size, root) = (text[1].parse().unwrap(), text[2].parse().unwrap());
            let leaf = tlog::leaf_hash(&number.to_be_bytes());
            tlog::verify_inclusion(receipt.leaf, size, &leaf, &inclusion.path, &root).unwrap();
            let at = ledger.root_at(size).await.unwrap();
            assert_eq!(at, Some(root));
        }
        step += 7;
        tokio::task::yield_now().await;
    }
    writer.await.unwrap();
}

fn trial() -> TrialRequest {
    TrialRequest {
        request_id: "req".to_owned(),
        agent: "scout".to_owned(),
        endpoint: None,
        contact: None,
        reason: None,
        at: Timestamp::EPOCH,
    }
}

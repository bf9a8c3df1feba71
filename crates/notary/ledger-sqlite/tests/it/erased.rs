//! What is deleted is in no file of the store.

use std::collections::BTreeMap;
use std::path::Path;

use ledger::{Erases, ErasureState, Ledger, LedgerRecord, RetentionTerms};
use receipt::sign::log_entry;
use rusqlite::Connection;

use crate::conformance::Harness as _;
use crate::conformance::payer::at;
use crate::conformance::support::*;
use crate::harness::SqliteStore;

/// A word that is nowhere else.
const SECRET: &[u8] = b"Zacharias-Quintilian-Unforgettable";

/// How often the files of a store have the secret.
fn found(folder: &Path) -> usize {
    let count = |name: &str| {
        let file = std::fs::read(folder.join(name)).unwrap_or_default();
        file.windows(SECRET.len()).filter(|window| *window == SECRET).count()
    };
    ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"].into_iter().map(count).sum()
}

/// A record with the secret in its payload, its request and its evidence, so often each.
fn secret(number: u64, often: usize) -> LedgerRecord {
    let text = |what: &str| [format!("{what} {number} ").as_bytes(), &SECRET.repeat(often)].concat();
    let payload = text("payload");
    let hash = receipt::hash::ReceiptHash::of_payload(&payload);
    LedgerRecord {
        entry: log_entry("commit", &hash, "did:web:notary.example#k", at(0), None),
        hash,
        payload,
        request: text("request"),
        evidence: vec![blob("body", &text("body"))],
        ..record(number)
    }
}

async fn erase(ledger: &dyn Ledger, erased: &LedgerRecord, leaf: u64, number: u64) {
    let erases = Some(Erases { hash: erased.hash, leaf, memory: None });
    ledger.append(LedgerRecord { erases, ..record(number) }).await.unwrap();
}

#[tokio::test]
async fn erased_bytes_are_neither_in_the_database_nor_in_its_wal() {
    for often in [1, 3, 40, 400, 4000] {
        let store = SqliteStore::new();
        let ledger = store.open().await;
        append_all(&ledger, 0..100).await;
        let leaf = ledger.append(secret(1000, often)).await.unwrap().leaf;
        append_all(&ledger, 100..200).await;
        assert!(found(store.folder.path()) >= often);
        erase(&*ledger, &secret(1000, often), leaf, 2000).await;
        assert_eq!(found(store.folder.path()), 0, "{often}");
        drop(ledger);
        assert_eq!(found(store.folder.path()), 0, "{often}: closed");
    }
}

#[tokio::test]
async fn what_retention_has_deleted_is_overwritten_too() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    // In its request and evidence: its payload stays.
    let LedgerRecord { request, evidence, .. } = secret(1000, 400);
    let leaf = ledger.append(LedgerRecord { request, evidence, ..secret(1000, 0) }).await.unwrap().leaf;
    append_all(&ledger, 100..120).await;
    let terms = RetentionTerms { default_ms: 1, classes: BTreeMap::new() };
    assert_eq!(ledger.expire_requests(terms, at(1000)).await.unwrap().requests, 1);
    assert!(ledger.request(leaf).await.unwrap().is_none());
    assert!(found(store.folder.path()) > 400, "the WAL still has it");
    assert!(ledger.overwrite_deleted().await.unwrap());
    assert_eq!(found(store.folder.path()), 0);
}

#[tokio::test]
async fn what_was_erased_before_a_crash_is_overwritten_when_the_store_is_opened() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    let leaf = ledger.append(secret(1000, 40)).await.unwrap().leaf;
    let hash = secret(1000, 40).hash;
    store.operator_store().ask_erasure(&hash, None, at(0)).unwrap();
    let reader = Connection::open(store.path()).unwrap();
    let read = reader.unchecked_transaction().unwrap();
    read.query_row("SELECT count(*) FROM receipts", [], |row| row.get::<_, u64>(0)).unwrap();
    erase(&*ledger, &secret(1000, 40), leaf, 2000).await;
    let crashed = store.after_a_crash().await;
    assert!(found(crashed.folder.path()) > 0);
    let ledger = crashed.open().await;
    assert!(ledger.overwrite_deleted().await.unwrap(), "it waits until the writer has begun");
    assert_eq!(found(crashed.folder.path()), 0);
    let asked = crashed.operator_store().asked_erasure(&hash).unwrap().unwrap();
    assert!(matches!(asked.state, ErasureState::Done { is_in_wal: false, .. }), "{asked:?}");
}

#[tokio::test]
async fn a_reader_in_the_way_delays_the_emptying_of_the_wal_and_nothing_else() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    let leaf = ledger.append(secret(1000, 40)).await.unwrap().leaf;
    let reader = Connection::open(store.path()).unwrap();
    let read = reader.unchecked_transaction().unwrap();
    read.query_row("SELECT count(*) FROM receipts", [], |row| row.get::<_, u64>(0)).unwrap();
    let hash = secret(1000, 40).hash;
    let mut operator = store.operator_store();
    operator.ask_erasure(&hash, None, at(0)).unwrap();
    erase(&*ledger, &secret(1000, 40), leaf, 2000).await;
    assert_eq!(ledger.receipt(&hash).await.unwrap(), None);
    let is_in_wal = || match operator.asked_erasure(&hash).unwrap().unwrap().state {
        ErasureState::Done { is_in_wal, .. } => is_in_wal,
        other => panic!("{other:?}"),
    };
    assert!(is_in_wal() && found(store.folder.path()) > 0);
    assert!(!ledger.overwrite_deleted().await.unwrap());
    assert!(is_in_wal());
    drop(read);
    store.clock().advance(1000);
    append_all(&ledger, 0..1).await;
    assert_eq!(found(store.folder.path()), 0);
    assert!(!is_in_wal());
}

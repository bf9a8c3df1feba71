//! A store that is put back to an earlier state under a running ledger.

use ledger::{Ledger as _, LedgerError, Payments as _};
use peers::postgres::{Database, Server};

use crate::proxy::{Fault, Of, Proxy};
use crate::store::{open, shared, until};
use crate::support::{hash, record};

/// The tables that a batch of few records writes.
const TABLES: [&str; 7] = ["head", "edge", "leaves", "receipts", "requests", "counts", "days"];

/// Remembers the state of the log.
fn back_up(database: &Database) {
    for table in TABLES {
        database.sql(&format!("CREATE TABLE old_{table} AS TABLE {table}"));
    }
}

/// Puts the log back to the state that was remembered.
fn restore(database: &Database) {
    let tables = TABLES.map(|table| format!("DELETE FROM {table}; INSERT INTO {table} TABLE old_{table};"));
    database.sql(&format!("BEGIN; SELECT 1 FROM head FOR UPDATE; {} COMMIT", tables.concat()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_whose_store_was_restored_from_an_older_backup_stops() {
    let (database, ledger) = shared().await;
    ledger.append(record(0)).await.unwrap();
    back_up(&database);
    ledger.append(record(1)).await.unwrap();
    restore(&database);
    assert!(ledger.receipt(&hash(1)).await.is_err(), "it is not said to be missing");
    assert!(ledger.append(record(2)).await.is_err());
    until("appends are refused", async || !ledger.is_writable()).await;
    assert_eq!(database.sql("SELECT size FROM head"), "1");
    // It takes no money either: the claims of the store may be those of an earlier time too. It does until it is sure that
    // this is the store, and no server that was cut off.
    let takes_money = async || ledger.local_credit([7; 20], 1).await;
    until("it stops", async || matches!(takes_money().await, Err(LedgerError::Busy))).await;
    assert!(matches!(takes_money().await, Err(LedgerError::Busy)), "it stays so");
    // Another log of the same size is no better.
    let other = open(&database.address()).await;
    other.append(record(7)).await.unwrap();
    assert!(matches!(ledger.append(record(2)).await, Err(LedgerError::Busy)));
    assert_eq!(ledger.head().size, 2);
    assert!(ledger.receipt(&hash(1)).await.is_err());
    other.close().await;
    ledger.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_log_of_the_same_size_stops_a_ledger() {
    let (database, ledger) = shared().await;
    back_up(&database);
    ledger.append(record(0)).await.unwrap();
    restore(&database);
    let other = open(&database.address()).await;
    other.append(record(7)).await.unwrap();
    assert!(ledger.append(record(1)).await.is_err());
    until("it stops", async || !ledger.is_writable()).await;
    assert_eq!(other.append(record(1)).await.unwrap().leaf, 1);
    assert!(matches!(ledger.append(record(2)).await, Err(LedgerError::Busy)), "it stays so");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_log_that_has_grown_past_the_known_one_stops_a_ledger_that_was_cut_off_meanwhile() {
    let database = Server::shared().database();
    let proxy = Proxy::start(&database);
    let ledger = open(&proxy.address()).await;
    back_up(&database);
    ledger.append(record(0)).await.unwrap();
    proxy.cut();
    until("it is cut off", async || ledger.append(record(1)).await.is_err() && !ledger.is_writable()).await;
    restore(&database);
    let other = open(&database.address()).await;
    for number in 7..9 {
        other.append(record(number)).await.unwrap();
    }
    proxy.restore();
    until("it stops", async || matches!(ledger.local_credit([7; 20], 1).await, Err(LedgerError::Busy))).await;
    assert!(matches!(ledger.append(record(1)).await, Err(LedgerError::Busy)), "it stays so");
    assert_eq!(other.append(record(1)).await.unwrap().leaf, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_log_that_has_grown_past_the_known_one_stops_a_ledger_that_was_idle_meanwhile() {
    let (database, ledger) = shared().await;
    back_up(&database);
    ledger.append(record(0)).await.unwrap();
    restore(&database);
    let other = open(&database.address()).await;
    for number in 7..9 {
        other.append(record(number)).await.unwrap();
    }
    // As a database that is put back does: nobody keeps a connection to it.
    let end = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'",
        database.name()
    );
    database.server().sql("postgres", &end);
    // A read that finds the other log does not make it known.
    assert!(ledger.receipt_with_inclusion(&hash(7)).await.is_err(), "nothing of it is handed out");
    assert_eq!(ledger.head().size, 1);
    assert!(ledger.append(record(1)).await.is_err(), "nothing is signed on the other log");
    until("it stops", async || matches!(ledger.local_credit([7; 20], 1).await, Err(LedgerError::Busy))).await;
    until("the other goes on", async || other.append(record(1)).await.is_ok()).await;
    assert_eq!(database.sql("SELECT size FROM head"), "3");
    assert!(matches!(ledger.append(record(2)).await, Err(LedgerError::Busy)), "it stays so");
}

/// What a failover takes back was never known to be durable: whoever has only read it goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_goes_on_where_a_head_that_it_has_only_seen_is_taken_back() {
    let database = Server::shared().database();
    let proxy = Proxy::start(&database);
    let ledger = open(&proxy.address()).await;
    ledger.append(record(0)).await.unwrap();
    back_up(&database);
    let other = open(&database.address()).await;
    other.append(record(1)).await.unwrap();
    other.close().await;
    proxy.fail(Of::Log, Fault::CutBefore);
    assert!(matches!(ledger.append(record(2)).await, Err(LedgerError::Busy)), "it has locked the newer head");
    restore(&database);
    assert_eq!(ledger.append(record(2)).await.unwrap().leaf, 1);
}

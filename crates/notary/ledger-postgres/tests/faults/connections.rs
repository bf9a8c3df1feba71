//! Connections that are cut, and too few of them.

use std::sync::Arc;

use ledger::{Ledger as _, LedgerError};
use peers::postgres::Server;

use crate::proxy::Proxy;
use crate::store::{audited, open, session, shared, until, until_appended, until_waiting};
use crate::support::{hash, record};

/// The number of connections for reading.
const READERS: u32 = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_past_the_last_connection_are_told_so_and_nothing_is_lost() {
    let (database, ledger) = shared().await;
    let ledger = Arc::new(ledger);
    ledger.append(record(1)).await.unwrap();
    let other = session(&database.address()).await;
    other.batch_execute("BEGIN; LOCK TABLE receipts IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let read = || {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.receipt(&hash(1)).await })
    };
    let reads: Vec<_> = (0..READERS).map(|_| read()).collect();
    until_waiting(&database, "Lock", "FROM receipts", READERS).await;
    let refused = ledger.receipt(&hash(1)).await.unwrap_err();
    assert!(matches!(&refused, LedgerError::Store(_)), "{refused}");
    other.batch_execute("ROLLBACK").await.unwrap();
    for read in reads {
        assert!(read.await.unwrap().unwrap().is_some());
    }
    assert!(ledger.receipt(&hash(1)).await.unwrap().is_some());
    assert_eq!(ledger.append(record(2)).await.unwrap().leaf, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_who_wait_are_refused_while_the_store_is_away_and_the_ledger_goes_on_when_it_is_back() {
    let database = Server::shared().database();
    let proxy = Proxy::start(&database);
    let ledger = Arc::new(open(&proxy.address()).await);
    let other = session(&database.address()).await;
    other.batch_execute("BEGIN; SELECT 1 FROM head FOR UPDATE").await.unwrap();
    let append = |number| {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.append(record(number)).await.map(drop) })
    };
    let first = append(0);
    until_waiting(&database, "Lock", "FROM head FOR UPDATE", 1).await;
    let waiting: Vec<_> = (1..100).map(append).collect();
    until("all wait", async || waiting.iter().all(|append| !append.is_finished())).await;
    proxy.cut();
    for append in waiting.into_iter().chain([first]) {
        assert!(
            matches!(append.await.unwrap(), Err(LedgerError::Busy)),
            "nothing of it was sent to be committed"
        );
    }
    assert!(!ledger.is_writable());
    assert!(matches!(ledger.append(record(1)).await, Err(LedgerError::Busy)));
    assert!(ledger.receipt(&hash(1)).await.is_err());
    other.batch_execute("ROLLBACK").await.unwrap();
    proxy.restore();
    assert_eq!(until_appended(&ledger, 1).await, 0);
    assert_eq!(audited(&database.address()).await.size, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_can_be_closed_while_the_store_is_away() {
    let database = Server::shared().database();
    let proxy = Proxy::start(&database);
    let ledger = open(&proxy.address()).await;
    ledger.append(record(1)).await.unwrap();
    proxy.cut();
    assert!(ledger.append(record(2)).await.is_err());
    until("all sequencers know", async || !ledger.is_writable()).await;
    ledger.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_are_confirmed_in_a_bounded_number_of_rows() {
    let (database, writer) = shared().await;
    let reader = open(&database.address()).await;
    let first = hash(0);
    for number in 0..40 {
        writer.append(record(number)).await.unwrap();
        // A future of its own for each, so that none has the address of another.
        let reads: Vec<_> = (0..4).map(|_| Box::pin(reader.receipt(&first))).collect();
        let hash = hash(number);
        let (found, last) =
            tokio::join!(futures_util::future::try_join_all(reads), Box::pin(reader.receipt(&hash)));
        assert!(found.unwrap().iter().all(Option::is_some) && last.unwrap().is_some());
    }
    let rows: u32 = database.sql("SELECT count(*) FROM writers").parse().unwrap();
    assert!(rows <= 2 * (3 + READERS), "{rows}");
}

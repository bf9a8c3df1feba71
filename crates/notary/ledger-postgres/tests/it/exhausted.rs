//! A store whose readers all wait.

use std::sync::Arc;

use ledger::{LedgerError, StoreFailureKind};
use tokio_postgres::NoTls;

use crate::conformance::Harness as _;
use crate::conformance::support::{hash, record};
use crate::harness::PostgresStore;

/// More than the connections for reading, so that some find none.
const READS: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_that_find_no_connection_are_refused_and_nothing_is_lost() {
    let store = PostgresStore::new();
    let ledger = store.open().await;
    ledger.append(record(0)).await.unwrap();
    let (client, connection) = tokio_postgres::connect(&store.address(), NoTls).await.unwrap();
    let moved = tokio::spawn(connection);
    client.batch_execute("BEGIN; LOCK TABLE requests IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let reads: Vec<_> = (0..READS)
        .map(|_| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.request(0).await })
        })
        .collect();
    let appending = {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.append(record(1)).await })
    };
    let mut refused = 0;
    for (number, read) in reads.into_iter().rev().enumerate() {
        match read.await.unwrap() {
            Ok(request) => assert!(request.is_some()),
            Err(LedgerError::Store(failure)) => {
                assert_eq!(failure.kind(), StoreFailureKind::Busy, "{failure}");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
        if number == 0 {
            client.batch_execute("COMMIT").await.unwrap();
        }
    }
    assert!(refused > 0, "all found a connection");
    assert_eq!(appending.await.unwrap().unwrap().leaf, 1, "it waited, and was not lost");
    assert!(ledger.receipt(&hash(1)).await.unwrap().is_some());
    drop(client);
    moved.await.unwrap().unwrap();
}

//! What may be done with a store that is marked.

use store_transfer::migrate;

use crate::conformance::support::record;
use crate::fill::{append, real};
use crate::stores::{TestStore, keys};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_stood_still_while_its_store_was_moved_appends_nothing_more() {
    let (postgres, sqlite) = (TestStore::postgres(), TestStore::sqlite());
    let ledger = postgres.open().await;
    append(&*ledger, 0..3).await;
    // As if it had not been heard of for long.
    let moved = loop {
        postgres.sql("DELETE FROM replicas");
        if let Ok(moved) = migrate(&postgres.place(), &sqlite.place(), &keys(), &mut ()) {
            break moved;
        }
    };
    assert_eq!(moved, store_transfer::Migrated::Moved(3));
    let late = tokio::time::timeout(std::time::Duration::from_secs(3), ledger.append(real(record(9)))).await;
    assert!(!matches!(late, Ok(Ok(_))), "it has appended to a log that goes on elsewhere");
    assert_eq!(postgres.count("receipts"), 3);
}

//! A store whose servers take no writes for a while, as between the loss of a primary and the promotion of its standby.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ledger::{Admission, Ledger, LedgerError, RateLimitHit, RateLimitTable};

use crate::conformance::Harness as _;
use crate::conformance::support::{hash, record};
use crate::harness::PostgresStore;

const HANG: Duration = Duration::from_secs(60);

/// Waits until something holds.
async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < HANG, "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn receipts_are_served(ledger: &dyn Ledger, receipts: u64) {
    for number in 0..receipts {
        let (receipt, inclusion) = ledger.receipt_with_inclusion(&hash(number)).await.unwrap().unwrap();
        assert_eq!((receipt.leaf, inclusion.leaf), (number, number));
        assert!(ledger.tile(format!("tile/0/000.p/{receipts}").parse().unwrap()).await.unwrap().is_some());
    }
    assert_eq!(ledger.root_at(1).await.unwrap().is_some(), receipts > 0);
    ledger.ping().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_no_server_takes_writes_receipts_and_the_log_are_served_and_nothing_is_changed() {
    let store = PostgresStore::new();
    let ledger = store.open().await;
    for number in 0..5 {
        ledger.append(record(number)).await.unwrap();
    }
    store.take_no_writes(true);
    until("the store is away", async || {
        let refused = ledger.append(record(5)).await;
        assert!(matches!(refused, Err(LedgerError::Busy | LedgerError::OutcomeUnknown)), "{refused:?}");
        ledger.is_away()
    })
    .await;
    receipts_are_served(&*ledger, 5).await;
    let hit = RateLimitHit { table: RateLimitTable::Agents, group: 1, key: [1; 16], limit: 2 };
    for is_admitted in [true, true, false] {
        let admission = ledger.admit(&[hit]).await.unwrap();
        assert_eq!(matches!(admission, Admission::Admitted { .. }), is_admitted, "{admission:?}");
    }
    store.take_no_writes(false);
    until("the store is back", async || !ledger.is_away() && ledger.is_writable()).await;
    assert_eq!(ledger.append(record(5)).await.unwrap().leaf, 5);
    receipts_are_served(&*ledger, 6).await;
    // Reads try that server again after a while, and nobody says before that there is no such receipt.
    until("reads come from that server", async || ledger.receipt(&hash(6)).await.is_ok()).await;
    assert_eq!(ledger.receipt(&hash(6)).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_acknowledges_nothing_shows_no_leaf_past_the_known_head_and_denies_none() {
    let store = PostgresStore::new();
    let (knows, writes) = (store.open().await, store.open().await);
    for number in 0..300 {
        writes.append(record(number)).await.unwrap();
    }
    assert_eq!(knows.receipt(&hash(299)).await.unwrap().unwrap().leaf, 299);
    for number in 300..303 {
        writes.append(record(number)).await.unwrap();
    }
    store.take_no_writes(true);
    assert_eq!(knows.receipt(&hash(299)).await.unwrap().unwrap().leaf, 299);
    for number in 300..303 {
        // Neither "here it is" nor "there is none".
        assert!(matches!(knows.receipt(&hash(number)).await, Err(LedgerError::Busy)));
        assert!(matches!(knows.receipt_with_inclusion(&hash(number)).await, Err(LedgerError::Busy)));
    }
    assert_eq!(knows.head().size, 300);
    let known = Arc::clone(&knows.head());
    assert_eq!(knows.root_at(300).await.unwrap(), Some(known.root));
    assert_eq!(knows.root_at(301).await.unwrap(), None);
    store.take_no_writes(false);
    until("the later ones are found", async || {
        knows.receipt(&hash(302)).await.is_ok_and(|found| found.is_some())
    })
    .await;
}

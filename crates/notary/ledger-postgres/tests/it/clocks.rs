//! A replica whose clock differs from the database's.

use std::sync::Arc;
use std::time::Duration;

use ledger::{
    CurrentEdition, DueClass, LeaseRequest, Ledger as _, LedgerError, Owner, Replicas as _, Watches as _,
};
use ledger_postgres::{PostgresConfig, PostgresLedger};
use peers::postgres::Server;
use receipt::time::Timestamp;
use verdict::{Clock, SystemClock};

use crate::conformance::support::{SEED, identity, log_key, record};

/// The clock of the machine, off by so many milliseconds.
struct OffClock(SystemClock, i64);

impl Clock for OffClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.now().as_millis() + self.1).unwrap()
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_whose_clock_is_off_by_three_seconds_signs_nothing_and_does_not_hinder_the_others() {
    let database = Server::shared().database();
    let config: PostgresConfig = database.address().parse().unwrap();
    let open = async |off: i64| {
        let clock = Arc::new(OffClock(SystemClock::start(), off));
        PostgresLedger::open(&config, log_key(SEED), &identity(SEED), clock).await.unwrap()
    };
    let [right, ahead, behind] = [open(0).await, open(3_000).await, open(-3_000).await];
    for (number, (ledger, off)) in (0..).zip([(&ahead, 3_000), (&behind, -3_000)]) {
        let refused = ledger.append(record(number)).await.unwrap_err();
        assert!(matches!(refused, LedgerError::Busy), "{refused}");
        let offset = ledger.clock_offset_ms().unwrap();
        assert!((offset + off).abs() < 900, "{offset}");
        assert!(ledger.is_writable() && !ledger.is_away(), "it is the clock, and not the store");
    }
    // Nor does it say which day is screened on: the others would find theirs to be an earlier one.
    let now = SystemClock::start().now();
    let take = async |ledger: &PostgresLedger, day: u32| {
        let (lease_until, owner) = (now.saturating_add_millis(60_000), Owner([7; 16]));
        let edition = CurrentEdition { class: "screen".to_owned(), edition: [1; 32], day, lists: None };
        let wish = LeaseRequest { now, owner, lease_until, most: 8 };
        assert!(ledger.take_watches(wish, vec![DueClass::OtherEdition(edition)]).await.unwrap().is_empty());
        database.sql("SELECT day FROM watched_days")
    };
    assert_eq!(take(&ahead, 60_000).await, "");
    assert_eq!(take(&right, 20_000).await, "20000");
    assert_eq!(right.append(record(7)).await.unwrap().leaf, 0);
    assert!(right.clock_offset_ms().unwrap().abs() < 900);
    for ledger in [right, ahead, behind] {
        ledger.close().await;
    }
}

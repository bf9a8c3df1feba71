//! Reservations and rate limits of processes that stand still, go away, or share a clock that jumps.

use std::sync::Arc;

use futures_util::FutureExt as _;
use ledger::{
    Admission, Ledger as _, LedgerError, LedgerRecord, Payments as _, QuotaKey, QuotaRequest, RateLimitHit,
};
use peers::postgres::Server;
use verdict::{Clock as _, SystemClock};

use crate::payer::{LEASE_MS, OTHER, OWNER, at, authorization, mine, new_claim};
use crate::store::{open_by, open_by_database, session, shared, until, until_waiting};
use crate::support::{ManualClock, place_key, record};

fn key() -> QuotaKey {
    QuotaKey::Free(place_key("scout", &ManualClock::start()))
}

fn one() -> Vec<QuotaRequest> {
    vec![QuotaRequest::one(key(), 1)]
}

/// The paused process is a runtime that nobody drives.
#[test]
fn a_paused_process_wakes_up_without_its_leases_and_changes_nothing_with_them() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (paused, awake) = (runtime(), runtime());
    let database = Server::shared().database();
    let clock = ManualClock::start();
    let address = database.address();
    let open = || open_by(&address, Arc::clone(&clock));
    let (theirs, held, claim) = paused.block_on(async {
        let ledger = open().await;
        let held = ledger.reserve(one()).await.unwrap().unwrap();
        let claim = mine(&ledger, new_claim(authorization(1))).await;
        (ledger, held, claim)
    });
    clock.advance(LEASE_MS);
    awake.block_on(async {
        let ours = open().await;
        database.sql("UPDATE epochs SET alive_until = 0 WHERE epoch IN (SELECT epoch FROM reserved)");
        until("the place is free again", async || ours.taken(&[key()]).await.unwrap() == [0]).await;
        let reservation = ours.reserve(one()).await.unwrap().ok();
        ours.append(LedgerRecord { reservation, ..record(1) }).await.unwrap();
        let (now, lease_until) = (clock.now(), at(9 * LEASE_MS));
        let wish = ledger::LeaseRequest { now, owner: OTHER, lease_until, most: 9 };
        assert_eq!(ours.take_over(wish).await.unwrap().len(), 1);
        ours.close().await;
    });
    paused.block_on(async {
        let reservation = Some(held);
        let late = theirs.append(LedgerRecord { reservation, ..record(2) }).await;
        assert!(matches!(late, Err(LedgerError::Busy)), "{late:?}");
        let late = theirs.renew(claim, OWNER, at(9 * LEASE_MS)).await;
        assert!(matches!(late, Err(LedgerError::NotOwner)), "{late:?}");
        assert!(theirs.reserve(one()).await.unwrap().is_err(), "the place is used up");
        assert_eq!(theirs.taken(&[key()]).await.unwrap(), [1]);
        theirs.close().await;
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_goes_away_after_its_answer_was_sent_holds_nothing() {
    let (database, ledger) = shared().await;
    let mut unheard = Box::pin(ledger.reserve(one()));
    assert!(unheard.as_mut().now_or_never().is_none());
    until("it is reserved", async || database.sql("SELECT count(*) FROM reserved") == "1").await;
    // An answer to a later job: the first one was answered before.
    assert!(ledger.reserve(one()).await.unwrap().is_err());
    drop(unheard);
    assert_eq!(ledger.taken(&[key()]).await.unwrap(), [0]);
    assert!(ledger.reserve(one()).await.unwrap().is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_whose_epoch_was_lost_by_a_failover_counts_no_longer() {
    let (database, ledger) = shared().await;
    let held = ledger.reserve(one()).await.unwrap().unwrap();
    let lost = "UPDATE reserved SET epoch = '\\x00112233445566778899aabbccddeeff'";
    database.sql(lost);
    assert_eq!(ledger.taken(&[key()]).await.unwrap(), [1]);
    until("it is swept", async || ledger.taken(&[key()]).await.unwrap() == [0]).await;
    let reservation = Some(held);
    let refused = ledger.append(LedgerRecord { reservation, ..record(1) }).await;
    assert!(matches!(refused, Err(LedgerError::Busy)));
}

fn of_three() -> Vec<QuotaRequest> {
    vec![QuotaRequest::one(key(), 3)]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_failover_has_lost_is_not_given_back_at_the_cost_of_what_is_taken() {
    let (database, ledger) = shared().await;
    let reserve = async || ledger.reserve(of_three()).await.unwrap().unwrap();
    let taken = async || ledger.taken(&[key()]).await.unwrap();
    let reservation = Some(reserve().await);
    ledger.append(LedgerRecord { reservation, ..record(1) }).await.unwrap();
    assert_eq!(taken().await, [1]);
    // One of two.
    let held = [reserve().await, reserve().await];
    database.sql("UPDATE reserved SET amount = amount - 1");
    drop(held);
    assert_eq!(taken().await, [1]);
    let held = reserve().await;
    assert_eq!(taken().await, [2], "what is reserved later counts");
    // All, with and without the epoch.
    database.sql("DELETE FROM reserved");
    drop(held);
    assert!(ledger.reserve(one()).await.unwrap().is_err(), "the place is used up");
    let held = reserve().await;
    database.sql("DELETE FROM reserved; DELETE FROM epochs");
    drop(held);
    assert!(ledger.reserve(one()).await.unwrap().is_err(), "the place is used up");
    assert_eq!(taken().await, [1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_given_back_during_a_read_is_given_back_once() {
    let (database, ledger) = shared().await;
    let ledger = Arc::new(ledger);
    let reserve = async || ledger.reserve(of_three()).await.unwrap().unwrap();
    let (first, second) = (reserve().await, reserve().await);
    let other = session(&database.address()).await;
    other.batch_execute("BEGIN; LOCK TABLE uses IN ACCESS EXCLUSIVE MODE").await.unwrap();
    drop(first);
    let taken = tokio::spawn({
        let ledger = Arc::clone(&ledger);
        async move { ledger.taken(&[key()]).await.unwrap() }
    });
    until("it is given back", async || database.sql("SELECT sum(amount) FROM reserved") == "1").await;
    until_waiting(&database, "Lock", "FROM uses", 1).await;
    other.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(taken.await.unwrap(), [1]);
    drop(second);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_for_a_lock_does_not_count_as_a_wrong_clock() {
    let database = Server::shared().database();
    let ledger = Arc::new(open_by_database(&database.address()).await);
    let other = session(&database.address()).await;
    other.batch_execute("BEGIN; SELECT 1 FROM locks WHERE name = 'work' FOR UPDATE").await.unwrap();
    let balance = tokio::spawn({
        let ledger = Arc::clone(&ledger);
        async move { ledger.local_credit([7; 20], 1).await }
    });
    until_waiting(&database, "Lock", "work", 1).await;
    // Longer than clocks may differ.
    other.batch_execute("SELECT pg_sleep(2.5); ROLLBACK").await.unwrap();
    balance.await.unwrap().unwrap();
    assert!(ledger.is_writable());
    ledger.append(LedgerRecord { signed_at: SystemClock::start().now(), ..record(1) }).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_back_refuses_nobody_for_longer_than_the_window() {
    let database = Server::shared().database();
    let clock = ManualClock::start();
    let ledger = open_by(&database.address(), Arc::clone(&clock)).await;
    let hit = RateLimitHit::of_network("address", "192.0.2.1/32".parse().unwrap(), "/commit", 1);
    assert!(matches!(ledger.admit(&[hit]).await.unwrap(), Admission::Admitted { .. }));
    clock.jump(-3_600_000);
    let refused = ledger.admit(&[hit]).await.unwrap();
    assert_eq!(refused, Admission::Refused { limit: 1, retry_after_s: 60 });
    clock.jump(60_000);
    assert!(matches!(ledger.admit(&[hit]).await.unwrap(), Admission::Admitted { .. }));
    ledger.close().await;
}

//! Free calls: reserved before judging, used up with the receipt, given back otherwise.

use std::sync::Arc;

use ledger::{Ledger, LedgerError};

use super::Harness;
use super::support::*;

async fn use_one(ledger: &dyn Ledger, number: u64, agent: &str, clock: &ManualClock) {
    let mut given = record(number);
    given.reservation = Some(reserve(ledger, agent, clock, u32::MAX).await.unwrap());
    ledger.append(given).await.unwrap();
}

pub async fn a_reservation_is_used_up_by_its_receipt_and_given_back_without_one<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    assert!(reserve(&*ledger, "scout", clock, 0).await.is_none());
    let reservation = reserve(&*ledger, "scout", clock, 1).await.unwrap();
    let key = reservation.parts()[0].of.clone();
    let taken = async || ledger.taken(std::slice::from_ref(&key)).await.unwrap();
    assert_eq!(taken().await, [1]);
    assert!(reserve(&*ledger, "scout", clock, 1).await.is_none(), "a reserved reservation is not free");
    drop(reservation);
    assert_eq!(taken().await, [0]);
    use_one(&*ledger, 0, "scout", clock).await;
    assert_eq!(taken().await, [1]);
    assert!(reserve(&*ledger, "scout", clock, 1).await.is_none());
    assert!(reserve(&*ledger, "scout", clock, 2).await.is_some());
    assert!(reserve(&*ledger, "other", clock, 1).await.is_some());
}

pub async fn of_fifty_tasks_for_three_quotas_exactly_three_get_one<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let tasks: Vec<_> = (0..50)
        .map(|number| {
            let (ledger, clock) = (Arc::clone(&ledger), Arc::clone(harness.clock()));
            tokio::spawn(async move {
                let Some(reservation) = reserve(&*ledger, "scout", &clock, 3).await else { return false };
                tokio::task::yield_now().await;
                let mut given = record(number);
                given.reservation = Some(reservation);
                ledger.append(given).await.unwrap();
                true
            })
        })
        .collect();
    let mut served = 0;
    for task in tasks {
        served += u64::from(task.await.unwrap());
    }
    assert_eq!((served, ledger.head().size), (3, 3));
    assert!(reserve(&*ledger, "scout", harness.clock(), 3).await.is_none());
}

pub async fn used_quotas_count_after_a_restart_and_reserved_ones_do_not<H: Harness>() {
    let harness = H::new();
    let clock = harness.clock();
    let ledger = harness.open().await;
    use_one(&*ledger, 0, "scout", clock).await;
    use_one(&*ledger, 1, "scout", clock).await;
    let in_flight = reserve(&*ledger, "scout", clock, 3).await.unwrap();
    let ledger = harness.reopen(ledger).await;
    drop(in_flight);
    assert!(reserve(&*ledger, "scout", clock, 2).await.is_none());
    let third = reserve(&*ledger, "scout", clock, 3).await.unwrap();
    assert!(reserve(&*ledger, "scout", clock, 3).await.is_none());
    drop(third);
}

pub async fn each_day_has_quotas_of_its_own_and_a_day_change_forgets_none_too_early<H: Harness>() {
    let harness = H::new();
    let clock = harness.clock();
    let ledger = harness.open().await;
    let of_today = place_key("scout", clock);
    let late = reserve(&*ledger, "scout", clock, 1).await.unwrap();
    clock.advance(DAY_MS);
    assert!(reserve(&*ledger, "scout", clock, 1).await.is_some(), "a new day");
    assert!(take_free(&*ledger, of_today.clone(), 1).await.is_none(), "still in flight");
    // A call that began yesterday is used up yesterday, by a receipt of today.
    let mut given = record(0);
    given.reservation = Some(late);
    given.signed_at = verdict::Clock::now(&**clock);
    ledger.append(given).await.unwrap();
    let ledger = harness.reopen(ledger).await;
    assert!(take_free(&*ledger, of_today, 1).await.is_none());
    use_one(&*ledger, 1, "scout", clock).await;
    assert!(reserve(&*ledger, "scout", clock, 1).await.is_none());
    clock.advance(DAY_MS);
    assert!(reserve(&*ledger, "scout", clock, 1).await.is_some());
}

pub async fn a_clock_that_was_ahead_at_the_start_gives_no_call_twice<H: Harness>() {
    let harness = H::new();
    let clock = harness.clock();
    let ledger = harness.open().await;
    use_one(&*ledger, 0, "scout", clock).await;
    harness.close(ledger).await;
    clock.jump(400 * DAY_MS);
    let ledger = harness.open().await;
    assert!(reserve(&*ledger, "scout", clock, 1).await.is_some());
    clock.jump(-400 * DAY_MS);
    assert!(reserve(&*ledger, "scout", clock, 1).await.is_none(), "after the clock was set right");
}

pub async fn a_refused_record_gives_its_reservation_back<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    ledger.append(record(0)).await.unwrap();
    let (mut unfit, mut duplicate) = (record(1), record(0));
    unfit.entry = vec![0; 65_536];
    for bad in [&mut unfit, &mut duplicate] {
        bad.reservation = Some(reserve(&*ledger, "scout", clock, 2).await.unwrap());
    }
    assert!(matches!(ledger.append(unfit).await, Err(LedgerError::Unfit(_))));
    assert!(matches!(ledger.append(duplicate).await, Err(LedgerError::Duplicate)));
    let both = [reserve(&*ledger, "scout", clock, 2).await, reserve(&*ledger, "scout", clock, 2).await];
    assert!(both.iter().all(Option::is_some));
}

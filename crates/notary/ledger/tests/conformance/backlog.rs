//! The backlog: each count goes up with the work that is begun, and down with the work that ends.

use ledger::{Backlog, ClaimState, DisputeOutcome, OwedRefunds};

use super::Harness;
use super::disputer::*;
use super::payer::*;
use super::support::*;
use super::watches::{key, opened};

pub async fn the_backlog_counts_what_is_unfinished_and_nothing_else<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    assert_eq!(ledger.backlog(at(0)).await.unwrap(), Backlog::default());

    let states = [ClaimState::Claimed, ClaimState::Settled, ClaimState::Settled, ClaimState::Failed];
    for (number, state) in (1..).zip(states) {
        claim_in(&*ledger, number, state).await;
    }
    opened(&*ledger, 20, None).await;
    opened(&*ledger, 21, None).await;
    let leaf = original(&*ledger, 50, false).await;
    let open = open_dispute(&*ledger, 60, hash(50)).await;
    let mut expected = Backlog {
        payments: vec![(ClaimState::Claimed, 1), (ClaimState::Settled, 3)],
        disputes: 1,
        watches: 2,
        ..Backlog::default()
    };
    assert_eq!(ledger.backlog(at(0)).await.unwrap(), expected);

    ledger.append(end_record(60, open, DisputeOutcome::Inconclusive, leaf)).await.unwrap();
    assert!(ledger.end_watch(&key(21), at(1)).await.unwrap());
    expected.payments[1].1 = 2;
    (expected.disputes, expected.watches) = (0, 1);
    expected.refunds = vec![OwedRefunds { symbol: "USDC".to_owned(), refunds: 1, amount: BOND }];
    assert_eq!(ledger.backlog(at(1)).await.unwrap(), expected);

    let after_all_watches = i64::from(u32::MAX) * 1000;
    expected.watches = 0;
    assert_eq!(ledger.backlog(at(after_all_watches)).await.unwrap(), expected);
}

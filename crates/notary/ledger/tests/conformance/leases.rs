//! Leases, take-over and restarts: what a process leaves behind, another one goes on with.

use ledger::{ClaimState, LeaseRequest, LedgerError, Owner};

use super::Harness;
use super::payer::*;

pub async fn only_what_is_unfinished_and_abandoned_is_taken_over<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut unfinished = Vec::new();
    for (number, state) in (1..).zip(ClaimState::ALL) {
        let id = claim_in(&*ledger, number, state).await;
        if state < ClaimState::Delivered {
            unfinished.push(id);
        }
    }
    assert!(ledger.take_over(take_over(clock, LEASE_MS - 1, OTHER, 100)).await.unwrap().is_empty());
    // The longest abandoned first, so many as are asked for.
    ledger.renew(unfinished[0], OWNER, at(LEASE_MS + 1)).await.unwrap();
    ledger.renew(unfinished[3], OWNER, at(LEASE_MS - 1)).await.unwrap();
    let taken = ledger.take_over(take_over(clock, LEASE_MS, OTHER, 1)).await.unwrap();
    assert_eq!(taken.iter().map(|claim| claim.id).collect::<Vec<_>>(), [unfinished[3]]);
    assert_eq!((taken[0].owner, taken[0].lease_until), (OTHER, at(2 * LEASE_MS)));
    assert_eq!(taken[0].state, ClaimState::Settled);
    let mut taken = ledger.take_over(take_over(clock, LEASE_MS, OTHER, 100)).await.unwrap();
    taken.sort_by_key(|claim| claim.id);
    assert_eq!(taken.iter().map(|claim| claim.id).collect::<Vec<_>>(), unfinished[1..3]);
    assert!(ledger.take_over(take_over(clock, LEASE_MS, OTHER, 100)).await.unwrap().is_empty(), "once");
    let rest = ledger.take_over(take_over(clock, LEASE_MS + 1, OTHER, 100)).await.unwrap();
    assert_eq!(rest.iter().map(|claim| claim.id).collect::<Vec<_>>(), unfinished[..1]);
}

pub async fn an_owner_that_was_too_slow_is_told_so_and_changes_nothing<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let claimed = claim_in(&*ledger, 1, ClaimState::Claimed).await;
    let settled = claim_in(&*ledger, 2, ClaimState::Settled).await;
    assert_eq!(ledger.take_over(take_over(clock, LEASE_MS, OTHER, 10)).await.unwrap().len(), 2);
    assert!(matches!(ledger.renew(claimed, OWNER, at(9 * LEASE_MS)).await, Err(LedgerError::NotOwner)));
    assert!(matches!(ledger.judged(claimed, OWNER, judgement(1)).await, Err(LedgerError::NotOwner)));
    assert!(matches!(ledger.append(paid_record(2, settled)).await, Err(LedgerError::NotOwner)));
    ledger.free(claimed, OTHER).await.unwrap();
    let mut theirs = paid_record(2, settled);
    theirs.claim = Some(ledger::ClaimRef { id: settled, owner: OTHER });
    assert_eq!(ledger.append(theirs).await.unwrap().leaf, 0);
}

pub async fn of_many_who_take_over_at_once_each_claim_goes_to_one<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for number in 0..60 {
        claim_in(&*ledger, number, ClaimState::Claimed).await;
    }
    let wish = take_over(harness.clock(), LEASE_MS, OTHER, 7);
    let taken = all(&ledger, 10..30, move |ledger, task| async move {
        let owner = Owner([task as u8; 16]);
        let taken = ledger.take_over(LeaseRequest { owner, ..wish }).await.unwrap();
        assert!(taken.iter().all(|claim| claim.owner == owner) && taken.len() <= 7);
        taken.into_iter().map(|claim| claim.id).collect::<Vec<_>>()
    });
    let mut taken = taken.await.concat();
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 60);
}

/// Whatever way the process ends, each claim is where its last answered step has brought it, and can be taken over
/// at once.
pub async fn after_any_end_every_claim_stands_where_it_stood_and_is_gone_on_with<H: Harness>() {
    for crashes in [false, true] {
        let mut harness = H::new();
        let ledger = harness.open().await;
        ledger.local_open(PAYER, 1_000_000).await.unwrap();
        let mut claims = Vec::new();
        for (number, state) in (1..).zip(ClaimState::ALL) {
            let id = claim_in(&*ledger, number, state).await;
            claims.push(ledger.claim_work(id).await.unwrap().unwrap());
        }
        let local = claim_in(&*ledger, 50, ClaimState::Judged).await;
        ledger.settle_local(local, OWNER, local_payment(50)).await.unwrap();
        let (revenue, head) = (ledger.revenue().await.unwrap(), ledger.head());
        if crashes {
            let after = harness.after_a_crash().await;
            drop(ledger);
            harness = after;
        } else {
            harness.close(ledger).await;
        }

        let ledger = harness.open().await;
        assert_eq!((ledger.revenue().await.unwrap(), ledger.head()), (revenue, head));
        assert_eq!(ledger.local_balance(&PAYER).await.unwrap(), 900_000);
        for before in &mut claims {
            let after = ledger.claim_work(before.claim.id).await.unwrap().unwrap();
            before.claim.lease_until = after.claim.lease_until;
            assert_eq!(after, *before);
        }
        let taken = ledger.take_over(take_over_now(harness.clock(), OTHER, 100)).await.unwrap();
        assert_eq!(taken.len(), 5, "all that is unfinished, whatever its lease was");
        let settled = ledger::ClaimRef { id: claims[3].claim.id, owner: OTHER };
        let mut record = paid_record(4, settled.id);
        record.claim = Some(settled);
        ledger.append(record).await.unwrap();
        let refused = ledger.claim(new_claim(authorization(4))).await.unwrap();
        assert!(
            matches!(refused, ledger::ClaimOutcome::Known(claim) if claim.state == ClaimState::Delivered)
        );
        assert!(mine(&*ledger, new_claim(authorization(99))).await > local);
    }
}

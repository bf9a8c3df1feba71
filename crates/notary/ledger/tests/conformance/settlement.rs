//! Settlement and delivery: a transfer is credited once, and a claim is delivered once.

use std::collections::BTreeMap;

use ledger::{
    Claim, ClaimId, ClaimRef, ClaimState, Ledger, LedgerError, LedgerRecord, NewClaim, ProofKey, Settlement,
    TransferId,
};

use super::Harness;
use super::payer::*;
use super::support::*;

/// Judges and settles a claim by a transaction.
async fn settle_by_transaction(ledger: &dyn Ledger, id: ClaimId, number: u64) {
    ledger.judged(id, OWNER, judgement(number)).await.unwrap();
    ledger.settled(id, OWNER, settlement(number)).await.unwrap();
}

pub async fn a_transfer_that_settled_an_authorization_is_no_proof_of_another_payment<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let id = claim_in(&*ledger, 1, ClaimState::Settled).await;
    assert_eq!(known(&*ledger, new_claim(transfer(1))).await.id, id);
    ledger.append(paid_record(1, id)).await.unwrap();
    let claim = known(&*ledger, new_claim(transfer(1))).await;
    assert_eq!((claim.id, claim.state), (id, ClaimState::Delivered));
    let other_log_index = ProofKey::Transaction { chain_id: CHAIN, transaction: word(1), log_index: 8 };
    let other_chain = ProofKey::Transaction { chain_id: 1, transaction: word(1), log_index: 7 };
    for other in [other_log_index, other_chain] {
        mine(&*ledger, new_claim(other)).await;
    }
}

pub async fn a_transfer_that_was_claimed_settles_no_authorization<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let by_transaction = mine(&*ledger, new_claim(transfer(1))).await;
    let by_authorization = claim_in(&*ledger, 9, ClaimState::Broadcast).await;
    let before = found(&*ledger, by_authorization).await;
    let refuse = async || {
        let refused = ledger.settled(by_authorization, OWNER, settlement(1)).await.unwrap_err();
        assert!(matches!(refused, LedgerError::AlreadyCredited), "{refused}");
        assert_eq!(found(&*ledger, by_authorization).await, before);
    };
    refuse().await;
    settle_by_transaction(&*ledger, by_transaction, 1).await;
    refuse().await;
    ledger.append(paid_record(1, by_transaction)).await.unwrap();
    refuse().await;
    assert_eq!(ledger.revenue().await.unwrap()[0].income, 100_000, "once");
}

/// A claim that was given up has not been credited: the transfer goes to who is there.
pub async fn a_transfer_whose_claim_was_freed_can_settle_another<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let by_transaction = mine(&*ledger, new_claim(transfer(1))).await;
    let by_authorization = claim_in(&*ledger, 9, ClaimState::Broadcast).await;
    ledger.free(by_transaction, OWNER).await.unwrap();
    ledger.settled(by_authorization, OWNER, settlement(1)).await.unwrap();
    assert_eq!(known(&*ledger, new_claim(transfer(1))).await.id, by_authorization);
}

pub async fn of_many_claims_that_one_transfer_would_settle_one_is_settled<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for number in 0..40 {
        claim_in(&*ledger, number, ClaimState::Broadcast).await;
    }
    let outcomes = all(&ledger, 0..41, |ledger, number| async move {
        if number == 40 {
            // Beside them, somebody proves a payment by the transfer itself.
            return match ledger.claim(new_claim(transfer(1000))).await.unwrap() {
                ledger::ClaimOutcome::Mine(id) => {
                    settle_by_transaction(&*ledger, id, 1000).await;
                    true
                }
                other => {
                    assert!(matches!(other, ledger::ClaimOutcome::Known(_)), "{other:?}");
                    false
                }
            };
        }
        let claim = ledger.find_claim(&authorization(number), None).await.unwrap().unwrap();
        match ledger.settled(claim.id, OWNER, settlement(1000)).await {
            Ok(()) => true,
            Err(refused) => {
                assert!(matches!(refused, LedgerError::AlreadyCredited), "{refused}");
                false
            }
        }
    });
    assert_eq!(outcomes.await.into_iter().filter(|is_settled| *is_settled).count(), 1);
    assert_eq!(ledger.revenue().await.unwrap()[0].income, 100_000);
}

pub async fn a_claim_by_a_transaction_is_settled_by_its_own_transfer_without_a_broadcast<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let id = mine(&*ledger, new_claim(transfer(1))).await;
    let claim = found(&*ledger, id).await;
    assert_eq!((claim.transaction, claim.transfer), (Some(word(1)), None), "not settled yet");
    ledger.judged(id, OWNER, judgement(1)).await.unwrap();
    assert!(matches!(ledger.broadcasting(id, OWNER, prepared(1)).await, Err(LedgerError::Unfit(_))));
    assert!(matches!(ledger.settle_local(id, OWNER, local_payment(1)).await, Err(LedgerError::Unfit(_))));
    let other_index = ledger::Settlement { log_index: Some(8), ..settlement(1) };
    for other in [settlement(2), other_index] {
        assert!(matches!(ledger.settled(id, OWNER, other).await, Err(LedgerError::Unfit(_))));
    }
    ledger.settled(id, OWNER, settlement(1)).await.unwrap();
    assert_eq!(found(&*ledger, id).await.transfer.unwrap().kind, "chain");
    ledger.append(paid_record(1, id)).await.unwrap();
}

/// A proof need not say which of a transaction's transfers is meant; its retry must find its answer all the same.
pub async fn a_claim_by_a_transaction_is_found_by_it_and_its_payer_alone<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let find = async |payer| {
        let found = ledger.find_claim_by_transaction(CHAIN, &word(1), &payer).await.unwrap();
        found.map(|claim: Claim| claim.id)
    };
    let first = mine(&*ledger, new_claim(transfer(1))).await;
    assert_eq!(find(PAYER).await, Some(first));
    assert_eq!(find([0xdd; 20]).await, None);
    let at_index = |log_index, payer| NewClaim {
        payer,
        ..new_claim(ProofKey::Transaction { chain_id: CHAIN, transaction: word(1), log_index })
    };
    let theirs = mine(&*ledger, at_index(8, [0xdd; 20])).await;
    assert_eq!(find([0xdd; 20]).await, Some(theirs));
    let second = mine(&*ledger, at_index(9, PAYER)).await;
    ledger.free(second, OWNER).await.unwrap();
    assert_eq!(find(PAYER).await, Some(first), "the second has taken nothing from the first");
    claim_in(&*ledger, 5, ClaimState::Settled).await;
    assert_eq!(ledger.find_claim_by_transaction(CHAIN, &word(5), &PAYER).await.unwrap(), None);
}

/// All at once: free receipts, settled claims whose receipt is signed three times over, claims that are not settled,
/// claims of others, and a receipt that is in the log already.
pub async fn a_claim_is_delivered_once_and_what_is_refused_harms_no_neighbour<H: Harness>() {
    const CLAIMS: u64 = 30;
    let harness = H::new();
    let ledger = harness.open().await;
    append_all(&ledger, [9999]).await;
    let mut ids = Vec::new();
    for number in 0..CLAIMS {
        ids.push(claim_in(&*ledger, number, ClaimState::Settled).await);
    }
    let judged = claim_in(&*ledger, 500, ClaimState::Judged).await;
    let ids_of_tasks = ids.clone();
    let answers = all(&ledger, 0..CLAIMS * 6, move |ledger, task| {
        let id = ids_of_tasks[(task / 6) as usize];
        async move {
            let number = 1000 + task;
            let (claim, number) = match task % 6 {
                0..3 => (Some(ClaimRef { id, owner: OWNER }), number),
                3 => (None, number),
                4 => (Some(ClaimRef { id, owner: OTHER }), number),
                _ => (Some(ClaimRef { id: judged, owner: OWNER }), number),
            };
            (task % 6, id, ledger.append(LedgerRecord { claim, ..record(number) }).await)
        }
    });
    let mut delivered: BTreeMap<ClaimId, u64> = BTreeMap::new();
    for (kind, id, answer) in answers.await {
        match (kind, answer) {
            (0..3, Ok(appended)) => assert_eq!(delivered.insert(id, appended.leaf), None, "once"),
            (0..3, Err(LedgerError::WrongState(ClaimState::Delivered))) => {}
            (3, Ok(_)) => {}
            (4, Err(LedgerError::NotOwner)) => {}
            (5, Err(LedgerError::WrongState(ClaimState::Judged))) => {}
            (kind, answer) => panic!("{kind}: {answer:?}"),
        }
    }
    assert_eq!(delivered.len() as u64, CLAIMS);
    for (id, leaf) in delivered {
        let receipt = found(&*ledger, id).await.receipt.unwrap();
        assert_eq!(receipt.leaf, leaf);
        assert_eq!(ledger.receipt(&receipt.hash).await.unwrap().unwrap().leaf, leaf);
    }
    assert_eq!(ledger.head().size, 1 + 2 * CLAIMS);
    Auditor::fetch(&*ledger).await.audit(&ledger.head());
    let undelivered = claim_in(&*ledger, 600, ClaimState::Settled).await;
    let twice = LedgerRecord { claim: Some(ClaimRef { id: undelivered, owner: OWNER }), ..record(9999) };
    assert!(matches!(ledger.append(twice).await, Err(LedgerError::Duplicate)));
    assert_eq!(found(&*ledger, undelivered).await.state, ClaimState::Settled, "it has no receipt yet");
}

/// The transaction of this number, as a facilitator tells of it that nobody checks.
fn unseen(number: u64) -> Settlement {
    Settlement { log_index: None, kind: "facilitator", ..settlement(number) }
}

/// A claim by an authorization of the disputer's, which is broadcast.
async fn broadcast_by_another(ledger: &dyn Ledger, number: u64) -> ClaimId {
    let payer = super::disputer::DISPUTER;
    let key = ProofKey::Authorization { chain_id: CHAIN, asset: ASSET, payer, nonce: word(number) };
    let id = mine(ledger, NewClaim { payer, ..new_claim(key) }).await;
    bring(ledger, id, number, ClaimState::Broadcast).await;
    id
}

pub async fn authorizations_that_were_used_unseen_in_one_transaction_settle_each_its_own_claim<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let first = claim_in(&*ledger, 1, ClaimState::Broadcast).await;
    let second = claim_in(&*ledger, 2, ClaimState::Broadcast).await;
    // Another payer may have chosen the same nonce.
    let third = broadcast_by_another(&*ledger, 1).await;
    for (id, number, payer) in [(first, 1, PAYER), (second, 2, PAYER), (third, 1, super::disputer::DISPUTER)]
    {
        ledger.settled(id, OWNER, unseen(1000)).await.unwrap();
        let transfer = found(&*ledger, id).await.transfer.unwrap();
        let id = TransferId::Authorization { payer, nonce: word(number) };
        assert_eq!((transfer.transaction, transfer.id), (word(1000), id));
    }
    for (number, id) in [(1, first), (2, second), (3, third)] {
        ledger.append(paid_record(number, id)).await.unwrap();
        assert_eq!(found(&*ledger, id).await.state, ClaimState::Delivered);
    }
    assert_eq!(ledger.revenue().await.unwrap()[0].income, 300_000);
    let again = ledger.settled(first, OWNER, unseen(1000)).await.unwrap_err();
    assert!(matches!(again, LedgerError::WrongState(ClaimState::Delivered)), "{again}");
}

pub async fn a_transaction_in_which_a_payer_has_paid_unseen_is_no_proof_of_another_payment<H: Harness>() {
    // As it is stored now, and as it was while an index that nobody knew was stored as 0.
    for log_index in [None, Some(0)] {
        let harness = H::new();
        let ledger = harness.open().await;
        let first = claim_in(&*ledger, 1, ClaimState::Broadcast).await;
        ledger.settled(first, OWNER, Settlement { log_index, ..unseen(1000) }).await.unwrap();
        let by_index = |log_index, payer| NewClaim {
            payer,
            ..new_claim(ProofKey::Transaction { chain_id: CHAIN, transaction: word(1000), log_index })
        };
        for log_index in [0, 1, 7] {
            assert_eq!(known(&*ledger, by_index(log_index, PAYER)).await.id, first);
        }
        if log_index.is_none() {
            let shown = ledger.find_claim_by_transaction(CHAIN, &word(1000), &PAYER).await.unwrap();
            assert_eq!(shown.map(|claim| claim.id), Some(first));
        }
        // What others have paid in it is theirs to show.
        mine(&*ledger, by_index(7, super::disputer::DISPUTER)).await;
        mine(&*ledger, NewClaim { key: transfer(5), ..by_index(7, PAYER) }).await;
        assert_eq!(ledger.revenue().await.unwrap()[0].income, 100_000);
    }
}

pub async fn an_authorization_settles_unseen_in_no_transaction_that_its_payer_has_shown<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let shown = mine(&*ledger, new_claim(transfer(1000))).await;
    let waiting = claim_in(&*ledger, 1, ClaimState::Broadcast).await;
    let others = broadcast_by_another(&*ledger, 2).await;
    let before = found(&*ledger, waiting).await;
    let refused = ledger.settled(waiting, OWNER, unseen(1000)).await.unwrap_err();
    assert!(matches!(refused, LedgerError::AlreadyCredited), "{refused}");
    assert_eq!(found(&*ledger, waiting).await, before);
    ledger.settled(others, OWNER, unseen(1000)).await.unwrap();
    ledger.free(shown, OWNER).await.unwrap();
    ledger.settled(waiting, OWNER, unseen(1000)).await.unwrap();
}

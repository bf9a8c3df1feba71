//! Refunds: each step by its owner alone, one at a time, whatever becomes of the process.

use std::collections::BTreeSet;

use ledger::{
    LeaseRequest, Ledger, LedgerError, LocalTransfer, MAX_CLAIM_AMOUNT, Owner, PayoutCap,
    PreparedTransaction, Refund, RefundId, RefundState,
};

use RefundState::{Owed, Paid, Sending};

use super::Harness;
use super::disputer::*;
use super::payer::*;

/// Takes every step by every kind of caller in every state, and looks at what it changes.
pub async fn a_refunds_step_is_taken_in_its_state_and_by_its_owner_or_changes_nothing<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.local_open(PAYEE, MAX_CLAIM_AMOUNT).await.unwrap();
    let operator_store = harness.operator_store();
    let mut number = 0;
    for state in RefundState::ALL {
        for step in Step::ALL {
            number += 1;
            let id = refund_in(&harness, &*ledger, number, state).await;
            let before = refund(&*operator_store, id);
            assert_eq!(before.state, state);
            for stranger in [OTHER, Owner([0; 16])] {
                let refused = step.take(&*ledger, id, stranger, number).await.unwrap_err();
                assert!(matches!(refused, LedgerError::NotOwner), "{step:?} of another's: {refused}");
            }
            assert_eq!(refund(&*operator_store, id), before, "{step:?} of another's {state:?}");
            let taken = step.take(&*ledger, id, OWNER, number).await;
            let after = refund(&*operator_store, id);
            match (step.leads_to(state), taken) {
                (Some(to), Ok(())) => assert_eq!(after.state, to, "{step:?}"),
                (None, Err(LedgerError::RefundState(found))) => {
                    assert_eq!((found, after), (state, before), "{step:?}");
                }
                (expected, taken) => panic!("{step:?} from {state:?} to {expected:?}: {taken:?}"),
            }
        }
    }
    for step in Step::ALL {
        for id in [RefundId(9_999_999), RefundId(u64::MAX)] {
            let refused = step.take(&*ledger, id, OWNER, number + 1).await.unwrap_err();
            assert!(matches!(refused, LedgerError::NoSuchRefund(unknown) if unknown == id), "{refused}");
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Sending,
    SendingAgain,
    Paid,
    Failed,
    PayLocally,
    Renew,
}

impl Step {
    const ALL: [Self; 6] =
        [Self::Sending, Self::SendingAgain, Self::Paid, Self::Failed, Self::PayLocally, Self::Renew];

    async fn take(
        self,
        ledger: &dyn Ledger,
        id: RefundId,
        owner: Owner,
        number: u64,
    ) -> Result<(), LedgerError> {
        let transaction = word(number + 5000);
        match self {
            Self::Sending => {
                ledger.refund_sending(id, owner, refund_proof(number), prepared(number), None).await
            }
            Self::SendingAgain => {
                let again = PreparedTransaction { replaces: true, ..prepared(number + 5000) };
                ledger.refund_sending(id, owner, refund_proof(number), again, None).await
            }
            Self::Paid => ledger.refund_paid(id, owner, transaction, at(30)).await,
            Self::Failed => ledger.refund_failed(id, owner).await,
            Self::PayLocally => ledger.pay_refund_locally(id, owner, PAYEE, transaction, at(30), None).await,
            Self::Renew => ledger.renew_refund(id, owner, at(2 * LEASE_MS)).await,
        }
    }

    fn leads_to(self, from: RefundState) -> Option<RefundState> {
        match (self, from) {
            (Self::Sending, Owed) | (Self::SendingAgain, Sending) => Some(Sending),
            (Self::Paid, Sending) | (Self::PayLocally, Owed) => Some(Paid),
            (Self::Failed, Sending) => Some(Owed),
            (Self::Renew, Owed | Sending) => Some(from),
            _ => None,
        }
    }
}

pub async fn a_refund_is_kept_as_it_is_sent_tried_again_and_paid<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let operator_store = harness.operator_store();
    let id = owed(&harness, &*ledger, 1).await;
    let [taken] = &take(&*ledger, harness.clock(), OWNER).await[..] else { panic!("one is owed") };
    let mut expected = Refund { owner: OWNER, ..refund(&*operator_store, id) };
    assert_eq!((taken, taken.state), (&expected, Owed));

    ledger.refund_sending(id, OWNER, refund_proof(1), prepared(1), None).await.unwrap();
    expected.state = Sending;
    (expected.proof, expected.raw, expected.transaction) =
        (Some(refund_proof(1)), Some(prepared(1).raw), Some(word(1)));
    assert_eq!(refund(&*operator_store, id), expected);
    let again = PreparedTransaction { raw: b"dearer".to_vec(), transaction: None, replaces: true };
    ledger.refund_sending(id, OWNER, refund_proof(2), again, None).await.unwrap();
    (expected.proof, expected.raw, expected.transaction) =
        (Some(refund_proof(2)), Some(b"dearer".to_vec()), None);
    assert_eq!(refund(&*operator_store, id), expected);

    // Nothing says how often it has failed: what it follows from stays the same, and so does what is sent for it.
    let owed = Refund { state: Owed, proof: None, raw: None, transaction: None, ..expected.clone() };
    ledger.refund_failed(id, OWNER).await.unwrap();
    assert_eq!(refund(&*operator_store, id), owed);
    ledger.refund_sending(id, OWNER, refund_proof(2), prepared(2), None).await.unwrap();
    ledger.refund_failed(id, OWNER).await.unwrap();
    assert_eq!(refund(&*operator_store, id), owed);
    ledger.refund_sending(id, OWNER, refund_proof(3), prepared(3), None).await.unwrap();
    ledger.refund_paid(id, OWNER, word(4), at(30)).await.unwrap();
    (expected.state, expected.paid_at) = (Paid, Some(at(30)));
    (expected.proof, expected.raw, expected.transaction) =
        (Some(refund_proof(3)), Some(prepared(3).raw), Some(word(4)));
    assert_eq!(refund(&*operator_store, id), expected);
    assert!(take(&*ledger, harness.clock(), OTHER).await.is_empty());
    assert!(
        operator_store.refunds(&[Owed, Sending]).unwrap().is_empty()
            && operator_store.refunds(&[]).unwrap().is_empty()
    );
}

pub async fn refunds_are_taken_by_the_end_of_their_lease_oldest_first_and_only_when_nobody_works_on_them<
    H: Harness,
>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let mut ids = Vec::new();
    for number in 1..=6 {
        ids.push(owed(&harness, &*ledger, number).await);
    }
    let take = async |millis, owner, most| {
        let taken = ledger.take_refunds(take_over(harness.clock(), millis, owner, most)).await.unwrap();
        assert!(taken.iter().all(|refund| refund.owner == owner));
        taken.into_iter().map(|refund| refund.id).collect::<Vec<_>>()
    };
    assert_eq!(take(0, OWNER, 2).await, ids[..2]);
    ledger.refund_sending(ids[0], OWNER, refund_proof(1), prepared(1), None).await.unwrap();
    assert_eq!(take(0, OWNER, 2).await, ids[2..4]);
    assert_eq!(take(LEASE_MS - 1, OTHER, 9).await, ids[4..]);
    ledger.renew_refund(ids[1], OWNER, at(LEASE_MS + 5)).await.unwrap();
    assert_eq!(take(LEASE_MS, OTHER, 9).await, [ids[0], ids[2], ids[3]]);
    let late = ledger.refund_paid(ids[0], OWNER, word(1), at(1)).await.unwrap_err();
    assert!(matches!(late, LedgerError::NotOwner), "too slow: {late}");
    ledger.refund_paid(ids[0], OTHER, word(1), at(1)).await.unwrap();
    // All but the one that is paid, as their leases ended: renewed for a little, taken late, taken again later still.
    assert_eq!(take(9 * LEASE_MS, OWNER, 9).await, [ids[1], ids[4], ids[5], ids[2], ids[3]]);
    assert_eq!(take(20 * LEASE_MS, OTHER, 9).await, ids[1..], "whose leases end at once, the oldest first");
}

/// Whatever fails each time goes behind what was not tried yet, and is tried again in its turn.
pub async fn refunds_that_nobody_can_pay_keep_no_later_one_waiting<H: Harness>() {
    const MOST: u32 = 20;
    let harness = H::new();
    let ledger = harness.open().await;
    all(&ledger, 1..101, |ledger, number| async move {
        let leaf = original(&*ledger, number, false).await;
        dispute(&*ledger, number + 1_000_000, (number, leaf), ledger::DisputeOutcome::Inconclusive).await;
    })
    .await;
    let mut ids: Vec<_> =
        all_refunds(&*harness.operator_store()).into_iter().map(|refund| refund.id).collect();
    assert_eq!(ids.len(), 100);
    ids.push(owed(&harness, &*ledger, 101).await);
    // Each round begins as the leases of the last one end; every second refund gets as far as being sent.
    let round = async |round: i64| {
        let wish = take_over(harness.clock(), round * LEASE_MS, OWNER, MOST);
        let taken = ledger.take_refunds(wish).await.unwrap();
        for refund in taken.iter().step_by(2) {
            ledger.refund_sending(refund.id, OWNER, refund_proof(1), prepared(1), None).await.unwrap();
            ledger.refund_failed(refund.id, OWNER).await.unwrap();
        }
        taken.into_iter().map(|refund| refund.id).collect::<Vec<_>>()
    };
    for (number, expected) in (0..).zip(ids[..100].chunks(20)) {
        assert_eq!(round(number).await, expected, "round {number}");
    }
    let last_with_the_first = [&ids[100..], &ids[..19]].concat();
    assert_eq!(round(5).await, last_with_the_first);
    let newer = owed(&harness, &*ledger, 102).await;
    let newest_with_the_next = [&[newer], &ids[19..38]].concat();
    assert_eq!(round(6).await, newest_with_the_next);
}

pub async fn of_many_who_take_refunds_at_once_each_goes_to_one<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let mut ids = BTreeSet::new();
    for number in 0..40 {
        ids.insert(owed(&harness, &*ledger, number).await);
    }
    let wish = take_over_now(harness.clock(), OTHER, 5);
    let taken = all(&ledger, 10..30, move |ledger, task| async move {
        let wish = LeaseRequest { owner: Owner([task as u8; 16]), ..wish };
        ledger.take_refunds(wish).await.unwrap().into_iter().map(|refund| refund.id).collect::<Vec<_>>()
    });
    let taken = taken.await.concat();
    assert_eq!((taken.len(), taken.into_iter().collect::<BTreeSet<_>>()), (40, ids));
}

pub async fn a_refund_of_local_money_moves_it_once_and_is_found_by_its_hash<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.local_open(PAYEE, 2 * BOND - 1).await.unwrap();
    ledger.local_open(PAYER, FEE).await.unwrap();
    let settled = claim_in(&*ledger, 50, ledger::ClaimState::Judged).await;
    ledger
        .settle_local(settled, OWNER, ledger::LocalPayment { payee: [9; 20], ..local_payment(50) })
        .await
        .unwrap();
    let (first, second) = (owed(&harness, &*ledger, 1).await, owed(&harness, &*ledger, 2).await);
    take(&*ledger, harness.clock(), OWNER).await;
    let pay =
        async |id, number| ledger.pay_refund_locally(id, OWNER, PAYEE, word(number), at(30), None).await;

    let another_claims = pay(first, 50).await.unwrap_err();
    assert!(matches!(another_claims, LedgerError::AlreadyCredited), "{another_claims}");
    let claimed = ledger::ProofKey::Transaction { chain_id: CHAIN, transaction: word(70), log_index: 0 };
    mine(&*ledger, ledger::NewClaim { payer: PAYEE, ..new_claim(claimed) }).await;
    let claimed = pay(first, 70).await.unwrap_err();
    assert!(matches!(claimed, LedgerError::AlreadyCredited), "{claimed}");
    pay(first, 51).await.unwrap();
    let moved = LocalTransfer { payer: PAYEE, payee: REFUND_TO, amount: BOND, at: at(30) };
    assert_eq!(ledger.local_transfer(CHAIN, &word(51)).await.unwrap(), Some(moved));
    assert_eq!(ledger.local_transfer(1, &word(51)).await.unwrap(), None);
    let paid = refund(&*harness.operator_store(), first);
    assert_eq!((paid.state, paid.transaction, paid.paid_at), (Paid, Some(word(51)), Some(at(30))));
    assert!(matches!(pay(first, 52).await, Err(LedgerError::RefundState(Paid))));

    let another_refunds = pay(second, 51).await.unwrap_err();
    assert!(matches!(another_refunds, LedgerError::AlreadyCredited), "{another_refunds}");
    let poor = pay(second, 52).await.unwrap_err();
    assert!(matches!(poor, LedgerError::InsufficientFunds), "{poor}");
    assert_eq!(refund(&*harness.operator_store(), second).state, Owed);
    assert_eq!(ledger.local_transfer(CHAIN, &word(52)).await.unwrap(), None);
    let balances = async || {
        (ledger.local_balance(&PAYEE).await.unwrap(), ledger.local_balance(&REFUND_TO).await.unwrap())
    };
    assert_eq!(balances().await, (BOND - 1, BOND));
    // A payment cannot have the hash of a refund either.
    let judged = claim_in(&*ledger, 60, ledger::ClaimState::Judged).await;
    ledger.local_credit(PAYER, FEE).await.unwrap();
    let refused = ledger.settle_local(judged, OWNER, local_payment(51)).await.unwrap_err();
    assert!(matches!(refused, LedgerError::AlreadyCredited), "{refused}");
    ledger.local_credit(PAYEE, 1).await.unwrap();
    pay(second, 52).await.unwrap();
    assert_eq!(balances().await, (0, 2 * BOND));
    assert!(ledger.is_writable());
}

/// Whatever way the process ends, each refund is where its last answered step has brought it, and can be taken at once.
pub async fn after_any_end_every_refund_stands_where_it_stood_and_is_gone_on_with<H: Harness>() {
    for crashes in [false, true] {
        let mut harness = H::new();
        let ledger = harness.open().await;
        let mut ids = Vec::new();
        for (number, state) in (1..).zip(RefundState::ALL) {
            ids.push(refund_in(&harness, &*ledger, number, state).await);
        }
        let leaf = original(&*ledger, 50, false).await;
        dispute(&*ledger, 51, (50, leaf), ledger::DisputeOutcome::Upheld).await;
        let before = all_refunds(&*harness.operator_store());
        assert!(take(&*ledger, harness.clock(), OTHER).await.is_empty(), "all are leased");
        if crashes {
            let after = harness.after_a_crash().await;
            drop(ledger);
            harness = after;
        } else {
            harness.close(ledger).await;
        }

        let ledger = harness.open().await;
        let operator_store = harness.operator_store();
        assert_eq!(all_refunds(&*operator_store), before);
        assert_eq!(reserve_of(&*operator_store), BOND);
        let taken = take(&*ledger, harness.clock(), OTHER).await;
        assert_eq!(taken.iter().map(|refund| refund.id).collect::<Vec<_>>(), ids[..2]);
        assert_eq!(taken[1], Refund { owner: OTHER, ..before[1].clone() });
        ledger.refund_sending(ids[0], OTHER, refund_proof(1), prepared(1), None).await.unwrap();
        ledger.refund_paid(ids[1], OTHER, word(2), at(40)).await.unwrap();
        let late = ledger.refund_paid(ids[0], OWNER, word(1), at(40)).await.unwrap_err();
        assert!(matches!(late, LedgerError::NotOwner), "{late}");
    }
}

pub async fn no_payout_takes_a_day_over_its_cap<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.local_open(PAYEE, MAX_CLAIM_AMOUNT).await.unwrap();
    let mut ids = Vec::new();
    for number in 1..=4 {
        ids.push(owed(&harness, &*ledger, number).await);
    }
    let taken = take(&*ledger, harness.clock(), OWNER).await;
    let amount = taken[0].amount;
    assert!(taken.len() == 4 && taken.iter().all(|refund| refund.amount == amount));
    let cap = Some(PayoutCap { since: at(0), most: 2 * amount });
    let send = async |number: usize| {
        let (proof, prepared) = (refund_proof(1), prepared(number as u64 + 1));
        ledger.refund_sending(ids[number], OWNER, proof, prepared, cap).await
    };
    let pay = async |number: usize, cap| {
        ledger.pay_refund_locally(ids[number], OWNER, PAYEE, word(number as u64 + 101), at(30), cap).await
    };
    let is_capped = |result: Result<(), LedgerError>| match result {
        Err(LedgerError::PayoutCap { paid, most }) => (paid, most) == (2 * amount, 2 * amount),
        _ => false,
    };
    send(0).await.unwrap();
    pay(1, cap).await.unwrap();
    assert!(is_capped(send(2).await) && is_capped(pay(2, cap).await));
    let again = PreparedTransaction { raw: b"dearer".to_vec(), transaction: None, replaces: true };
    ledger.refund_sending(ids[0], OWNER, refund_proof(2), again, cap).await.unwrap();
    // What was sent and can never happen counts no more, and what was paid before the day does not.
    ledger.refund_failed(ids[0], OWNER).await.unwrap();
    send(2).await.unwrap();
    assert!(is_capped(send(0).await));
    let tomorrow = Some(PayoutCap { since: at(31), most: 2 * amount });
    pay(3, tomorrow).await.unwrap();
}

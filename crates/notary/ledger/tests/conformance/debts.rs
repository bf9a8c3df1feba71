//! Debts: what each end of a dispute leaves owed, to whom, and what is left in the reserve.

use std::sync::Arc;

use ledger::{
    ClaimState, ClaimTransfer, DisputeOutcome, LedgerRecord, MAX_CLAIM_AMOUNT, NewClaim, ProofKey, Refund,
    RefundKind, RefundState, TransferId,
};

use DisputeOutcome::{Inconclusive, Overturned, Upheld};
use RefundKind::{Bond, Bounty, Fee};

use super::Harness;
use super::disputer::*;
use super::payer::*;
use super::support::*;

pub async fn each_outcome_leaves_owed_what_its_row_of_the_table_says<H: Harness>() {
    for is_paid in [true, false] {
        for outcome in OUTCOMES {
            for filled in [0, 1] {
                let harness = H::new();
                let ledger = harness.open().await;
                let operator_store = harness.operator_store();
                for number in 0..filled {
                    let leaf = original(&*ledger, number, false).await;
                    dispute(&*ledger, 100 + number, (number, leaf), Upheld).await;
                }
                let reserve = reserve_of(&*operator_store);
                assert_eq!(reserve, filled * BOND);
                let leaf = original(&*ledger, 50, is_paid).await;
                dispute(&*ledger, 60, (50, leaf), outcome).await;

                let mut expected = Vec::new();
                if outcome != Upheld {
                    expected.push(debt(60, Bond, REFUND_TO, BOND));
                }
                if outcome == Overturned && is_paid {
                    expected.push(debt(60, Fee, PAYER, FEE));
                }
                if outcome == Overturned && reserve > 0 {
                    expected.push(debt(60, Bounty, REFUND_TO, BOND));
                }
                let case = format!("{outcome:?}, paid {is_paid}, reserve {reserve}");
                assert_eq!(debts(&*operator_store), sorted(expected), "{case}");
                let left = match outcome {
                    Upheld => reserve + BOND,
                    Overturned => 0,
                    Inconclusive => reserve,
                };
                assert_eq!(reserve_of(&*operator_store), left, "{case}");
                let revenue = ledger.revenue().await.unwrap();
                let sum = |of: fn(&ledger::Revenue) -> u64| revenue.iter().map(of).sum::<u64>();
                assert_eq!(
                    sum(|revenue| revenue.income),
                    if is_paid && outcome != Overturned { FEE } else { 0 },
                    "{case}: a bond is not earned, nor a fee that is owed back"
                );
                assert_eq!(sum(|revenue| revenue.bonds), (filled + 1) * BOND);
            }
        }
    }
}

pub async fn a_refund_says_what_it_follows_from_and_in_which_token_it_is_owed<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let key = ProofKey::Authorization { chain_id: 1, asset: ASSET, payer: PAYER, nonce: word(1) };
    let id = mine(&*ledger, NewClaim { symbol: "EURC".to_owned(), amount: 7, ..new_claim(key) }).await;
    bring(&*ledger, id, 1, ClaimState::Settled).await;
    let leaf = ledger.append(paid_record(1, id)).await.unwrap().leaf;
    let id = open_dispute(&*ledger, 2, hash(1)).await;
    let ended = LedgerRecord { signed_at: at(77), ..end_record(2, id, Overturned, leaf) };
    ledger.append(ended).await.unwrap();
    let refunds = all_refunds(&*harness.operator_store());
    let expected = |refund: &Refund, kind, (chain_id, symbol): (u64, &str), payee, amount, paid_by| Refund {
        id: refund.id,
        dispute: hash(2),
        disputed: hash(1),
        kind,
        chain_id,
        symbol: symbol.to_owned(),
        payee,
        amount,
        state: RefundState::Owed,
        origin: settled_by(paid_by),
        proof: None,
        raw: None,
        transaction: None,
        owed_at: at(77),
        paid_at: None,
        owner: ledger::Owner([0; 16]),
    };
    assert_eq!(refunds.len(), 2);
    for refund in &refunds {
        let expected = match refund.kind {
            Fee => expected(refund, Fee, (1, "EURC"), PAYER, 7, 1),
            kind => expected(refund, kind, (CHAIN, "USDC"), REFUND_TO, BOND, 2),
        };
        assert_eq!(*refund, expected);
    }
    assert_ne!(refunds[0].kind, refunds[1].kind);
}

/// For a bond and a bounty it is the dispute's own payment, for a fee the original's, whichever way each was settled.
pub async fn a_refund_names_the_transfer_of_the_claim_whose_money_it_is<H: Harness>() {
    for (of_original, of_bond) in [("local", "chain"), ("chain", "facilitator"), ("facilitator", "local")] {
        let harness = H::new();
        let ledger = harness.open().await;
        for account in [PAYER, DISPUTER] {
            ledger.local_open(account, 2 * BOND).await.unwrap();
        }
        let end = async |number, about, outcome, disputed| {
            let id = mine(&*ledger, new_bond(number, hash(about))).await;
            bring(&*ledger, id, number, ClaimState::Judged).await;
            settle_as(&*ledger, id, number, of_bond).await;
            ledger.append(end_record(number, id, outcome, disputed)).await.unwrap();
        };
        let leaf = original(&*ledger, 1, false).await;
        end(10, 1, Upheld, leaf).await;
        let id = claim_in(&*ledger, 2, ClaimState::Judged).await;
        settle_as(&*ledger, id, 2, of_original).await;
        let leaf = ledger.append(paid_record(2, id)).await.unwrap().leaf;
        end(11, 2, Overturned, leaf).await;

        let mut refunds = all_refunds(&*harness.operator_store());
        refunds.sort_by_key(|refund| RefundKind::ALL.iter().position(|kind| *kind == refund.kind));
        let origins: Vec<_> = refunds.into_iter().map(|refund| (refund.kind, refund.origin)).collect();
        let by = |number, kind: &str, payer| ClaimTransfer {
            transaction: word(number),
            id: match kind {
                "local" => TransferId::LogIndex(0),
                "facilitator" => TransferId::Authorization { payer, nonce: word(number) },
                _ => TransferId::LogIndex(7),
            },
            kind: kind.to_owned(),
        };
        let expected = RefundKind::ALL.map(|kind| match kind {
            Fee => (kind, by(2, of_original, PAYER)),
            Bond | Bounty => (kind, by(11, of_bond, DISPUTER)),
        });
        assert_eq!(origins, expected);
    }
}

pub async fn a_fee_is_owed_once_however_often_its_receipt_is_overturned<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let other = original(&*ledger, 2, false).await;
    dispute(&*ledger, 9, (2, other), Upheld).await;
    let leaf = original(&*ledger, 1, true).await;
    dispute(&*ledger, 10, (1, leaf), Overturned).await;
    let first =
        vec![debt(10, Bond, REFUND_TO, BOND), debt(10, Fee, PAYER, FEE), debt(10, Bounty, REFUND_TO, BOND)];
    let operator_store = harness.operator_store();
    assert_eq!(debts(&*operator_store), sorted(first.clone()));
    dispute(&*ledger, 12, (2, other), Upheld).await;
    dispute(&*ledger, 13, (1, leaf), Overturned).await;
    let second = vec![debt(13, Bond, REFUND_TO, BOND), debt(13, Bounty, REFUND_TO, BOND)];
    assert_eq!(debts(&*operator_store), sorted([first, second].concat()));
    assert_eq!(reserve_of(&*operator_store), 0);
}

/// What was forfeited in one token, or on one chain, pays no bounty in another.
pub async fn a_bounty_is_the_lesser_of_the_bond_and_the_reserve_of_its_token<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let operator_store = harness.operator_store();
    let mut number = 100;
    let mut end = async |chain_id, symbol: &str, amount, outcome| {
        number += 1;
        let leaf = original(&*ledger, number, false).await;
        let key = ProofKey::Authorization { chain_id, asset: ASSET, payer: DISPUTER, nonce: word(number) };
        let new = NewClaim { key, symbol: symbol.to_owned(), amount, ..new_bond(number, hash(number)) };
        let id = mine(&*ledger, new).await;
        bring(&*ledger, id, number, ClaimState::Settled).await;
        ledger.append(end_record(number + 500, id, outcome, leaf)).await.unwrap();
        let refunds = all_refunds(&*operator_store).into_iter();
        let bounty =
            refunds.rev().find(|refund| refund.dispute == hash(number + 500) && refund.kind == Bounty);
        bounty.map_or(0, |refund| refund.amount)
    };
    assert_eq!(end(CHAIN, "USDC", 700, Upheld).await, 0);
    assert_eq!(end(CHAIN, "EURC", 1000, Overturned).await, 0);
    assert_eq!(end(1, "USDC", 1000, Overturned).await, 0);
    assert_eq!(end(CHAIN, "USDC", 300, Overturned).await, 300);
    assert_eq!(end(CHAIN, "USDC", 300, Inconclusive).await, 0);
    assert_eq!(end(CHAIN, "USDC", 1000, Overturned).await, 400);
    assert_eq!(end(CHAIN, "USDC", 1000, Overturned).await, 0, "an empty reserve refuses nothing");
    assert_eq!(end(1, "USDC", 5, Upheld).await, 0);
    assert_eq!(end(CHAIN, "EURC", 6, Upheld).await, 0);
    assert_eq!(operator_store.reserve().unwrap(), [("EURC".to_owned(), 6), ("USDC".to_owned(), 5)]);
}

/// What the development profile's own money has forfeited is none of a chain's, nor the other way round.
pub async fn a_bounty_never_comes_out_of_a_reserve_of_another_settlement_kind<H: Harness>() {
    const KINDS: [&str; 3] = ["local", "chain", "facilitator"];
    for forfeited in KINDS {
        let harness = H::new();
        let ledger = harness.open().await;
        ledger.local_open(DISPUTER, MAX_CLAIM_AMOUNT).await.unwrap();
        let operator_store = harness.operator_store();
        let mut number = 100;
        let mut end = async |kind, outcome| {
            number += 1;
            let leaf = original(&*ledger, number, false).await;
            let dispute = number + 500;
            let id = mine(&*ledger, new_bond(dispute, hash(number))).await;
            bring(&*ledger, id, dispute, ClaimState::Judged).await;
            settle_as(&*ledger, id, dispute, kind).await;
            ledger.append(end_record(dispute, id, outcome, leaf)).await.unwrap();
            let mut owed = debts(&*operator_store);
            owed.retain(|(of, ..)| *of == hash(dispute));
            (
                owed.into_iter().map(|(_, kind, _, amount)| (kind, amount)).collect(),
                reserve_of(&*operator_store),
            )
        };
        assert_eq!(end(forfeited, Upheld).await, (vec![], BOND));
        for other in KINDS.into_iter().filter(|kind| *kind != forfeited) {
            let expected = (vec![(Bond, BOND)], BOND);
            assert_eq!(end(other, Overturned).await, expected, "{forfeited} for {other}");
        }
        let mut both = vec![(Bond, BOND), (Bounty, BOND)];
        both.sort_by_key(|(kind, _)| RefundKind::ALL.iter().position(|known| known == kind));
        assert_eq!(end(forfeited, Overturned).await, (both, 0), "{forfeited} for its own");
    }
}

/// Many disputes end at once over a reserve that is not enough for all.
pub async fn the_reserve_is_spent_once_by_disputes_that_end_at_once<H: Harness>() {
    const FILLED: u64 = 3;
    const ENDED: u64 = 20;
    let harness = H::new();
    let ledger = harness.open().await;
    for number in 0..FILLED {
        let leaf = original(&*ledger, number, false).await;
        dispute(&*ledger, 100 + number, (number, leaf), Upheld).await;
    }
    let mut open = Vec::new();
    for number in 0..ENDED {
        let leaf = original(&*ledger, 200 + number, number % 2 == 0).await;
        open.push((leaf, open_dispute(&*ledger, 300 + number, hash(200 + number)).await));
    }
    let open = Arc::new(open);
    all(&ledger, 0..ENDED, move |ledger, number| {
        let open = Arc::clone(&open);
        async move {
            let (leaf, id) = open[number as usize];
            ledger.append(end_record(300 + number, id, Overturned, leaf)).await.unwrap();
        }
    })
    .await;
    let operator_store = harness.operator_store();
    let owed = |kind| all_refunds(&*operator_store).into_iter().filter(move |refund| refund.kind == kind);
    assert_eq!(owed(Bounty).map(|refund| refund.amount).sum::<u64>(), FILLED * BOND);
    assert_eq!((owed(Bond).count() as u64, owed(Fee).count() as u64), (ENDED, ENDED / 2));
    assert_eq!(reserve_of(&*operator_store), 0);
}

/// A bond is owed back by its own dispute, or by none: never as the fee of a call that was disputed.
pub async fn a_bond_is_never_owed_as_a_fee<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let leaf = original(&*ledger, 1, true).await;
    let first = open_dispute(&*ledger, 10, hash(1)).await;
    let dispute_leaf = ledger.append(end_record(10, first, Upheld, leaf)).await.unwrap().leaf;
    dispute(&*ledger, 11, (10, dispute_leaf), Overturned).await;
    let expected = [debt(11, Bond, REFUND_TO, BOND), debt(11, Bounty, REFUND_TO, BOND)];
    assert_eq!(debts(&*harness.operator_store()), expected);
}

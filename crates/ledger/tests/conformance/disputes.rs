//! Disputes: which may be opened, how they end, and what there is about a receipt.

use std::sync::Arc;

use ledger::{
    About, Claim, ClaimState, Claiming, DisputeEnd, DisputeOutcome, LedgerError, MAX_ABOUT, NewClaim, Record,
    RefundKind,
};

use DisputeOutcome::{Inconclusive, Overturned, Upheld};
use RefundKind::{Bond, Fee};

use super::Harness;
use super::disputer::*;
use super::payer::*;
use super::support::*;

pub async fn a_dispute_is_refused_while_another_is_open_and_past_the_limit<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open();
    let leaf = original(&*ledger, 1, true).await;
    let other_leaf = original(&*ledger, 2, false).await;
    // What is about the receipt without being a bond is no dispute of it.
    let successor = NewClaim { about: Some(hash(1)), ..new_claim(authorization(3)) };
    mine(&*ledger, successor.clone()).await;
    let first = mine(&*ledger, new_bond(11, hash(1))).await;
    for state in [ClaimState::Claimed, ClaimState::Judged, ClaimState::Broadcast, ClaimState::Settled] {
        match state {
            ClaimState::Judged => ledger.judged(first, OWNER, judgement(11)).await.unwrap(),
            ClaimState::Broadcast => ledger.broadcasting(first, OWNER, prepared(11)).await.unwrap(),
            ClaimState::Settled => ledger.settled(first, OWNER, settlement(11)).await.unwrap(),
            _ => {}
        }
        assert_eq!(ledger.claim(new_bond(12, hash(1))).await.unwrap(), Claiming::DisputeOpen, "{state:?}");
        assert_eq!(
            known(&*ledger, new_bond(11, hash(1))).await.id,
            first,
            "{state:?}: a retry finds its own"
        );
    }
    let refused = new_bond(12, hash(1));
    assert_eq!(ledger.find_claim(&refused.key, None).await.unwrap(), None, "nothing was bound");
    let elsewhere = open_dispute(&*ledger, 13, hash(2)).await;
    ledger.append(end_record(13, elsewhere, Upheld, other_leaf)).await.unwrap();

    ledger.append(end_record(11, first, Inconclusive, leaf)).await.unwrap();
    let second = mine(&*ledger, refused).await;
    assert_eq!(
        ledger.claim(new_bond(14, hash(1))).await.unwrap(),
        Claiming::DisputeOpen,
        "open, and the last"
    );
    bring(&*ledger, second, 12, ClaimState::Settled).await;
    ledger.append(end_record(12, second, Upheld, leaf)).await.unwrap();
    drop(ledger);
    let ledger = harness.open();
    for number in 14..17 {
        assert_eq!(ledger.claim(new_bond(number, hash(1))).await.unwrap(), Claiming::DisputeLimit);
    }
    mine(&*ledger, new_bond(17, hash(2))).await;
    assert_eq!(known(&*ledger, new_bond(11, hash(1))).await.id, first);
    assert_eq!(known(&*ledger, successor).await.about, Some(hash(1)));
}

pub async fn a_dispute_that_was_freed_or_has_failed_does_not_count<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open();
    let leaf = original(&*ledger, 1, true).await;
    for number in 11..15 {
        let id = mine(&*ledger, new_bond(number, hash(1))).await;
        if number % 2 == 0 {
            ledger.free(id, OWNER).await.unwrap();
        } else {
            bring(&*ledger, id, number, ClaimState::Failed).await;
        }
    }
    for number in 20..22 {
        dispute(&*ledger, number, (1, leaf), Upheld).await;
    }
    assert_eq!(ledger.claim(new_bond(30, hash(1))).await.unwrap(), Claiming::DisputeLimit);
}

pub async fn of_many_disputes_claimed_at_once_one_is_open<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open();
    let leaf = original(&*ledger, 1, true).await;
    for round in 1..=3 {
        let claims = all(&ledger, round * 100..round * 100 + 40, |ledger, number| async move {
            (number, ledger.claim(new_bond(number, hash(1))).await.unwrap())
        });
        let mut granted = Vec::new();
        for (number, claiming) in claims.await {
            match claiming {
                Claiming::Mine(id) => granted.push((number, id)),
                Claiming::DisputeOpen if round < 3 => {}
                Claiming::DisputeLimit if round == 3 => {}
                other => panic!("{round}: {other:?}"),
            }
        }
        assert_eq!(granted.len(), usize::from(round < 3), "round {round}");
        for (number, id) in granted {
            bring(&*ledger, id, number, ClaimState::Settled).await;
            ledger.append(end_record(number, id, Upheld, leaf)).await.unwrap();
        }
    }
}

pub async fn an_end_that_does_not_fit_its_claim_is_refused_and_harms_no_neighbour<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open();
    let leaf = original(&*ledger, 1, true).await;
    let other_leaf = original(&*ledger, 2, true).await;
    let bond = open_dispute(&*ledger, 10, hash(1)).await;
    let about = NewClaim { about: Some(hash(1)), ..new_claim(authorization(11)) };
    let no_bond = mine(&*ledger, about).await;
    bring(&*ledger, no_bond, 11, ClaimState::Settled).await;
    let unknown = open_dispute(&*ledger, 12, hash(999)).await;
    let size = ledger.head().size;

    let end = |disputed| Some(DisputeEnd { outcome: Overturned, disputed, refund_to: REFUND_TO });
    let bad = [
        Record { dispute: None, ..end_record(50, bond, Overturned, leaf) },
        end_record(51, bond, Overturned, other_leaf),
        end_record(52, bond, Upheld, size),
        end_record(53, bond, Inconclusive, u64::MAX),
        end_record(54, no_bond, Overturned, leaf),
        end_record(55, unknown, Overturned, leaf),
        Record { dispute: end(leaf), ..record(56) },
    ];
    let count = bad.len() as u64;
    let mut answers = Vec::new();
    for bad in bad {
        let ledger = Arc::clone(&ledger);
        answers.push(tokio::spawn(async move { ledger.append(bad).await }));
    }
    let neighbours = append_all(&ledger, 70..90).await;
    for answer in answers {
        let refused = answer.await.unwrap().unwrap_err();
        assert!(matches!(refused, LedgerError::Unfit(_)), "{refused}");
    }
    let office = harness.office();
    assert!(all_refunds(&office).is_empty() && office.reserve().unwrap().is_empty());
    assert_eq!(ledger.head().size, size + neighbours.len() as u64);
    for number in 50..50 + count {
        assert_eq!(ledger.receipt(&hash(number)).await.unwrap(), None);
    }
    // Each can be delivered as it should have been.
    ledger.append(end_record(50, bond, Inconclusive, leaf)).await.unwrap();
    ledger.append(Record { dispute: None, ..end_record(54, no_bond, Upheld, leaf) }).await.unwrap();
    assert_eq!(debts(&office), [debt(50, Bond, REFUND_TO, BOND)]);
    assert!(ledger.is_writable());
}

/// Who ends a dispute must have its claim, and ends it once.
pub async fn a_dispute_is_ended_once_and_by_its_owner<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open();
    let leaf = original(&*ledger, 1, true).await;
    let id = mine(&*ledger, new_bond(10, hash(1))).await;
    let early = ledger.append(end_record(20, id, Upheld, leaf)).await.unwrap_err();
    assert!(matches!(early, LedgerError::WrongState(ClaimState::Claimed)), "{early}");
    bring(&*ledger, id, 10, ClaimState::Settled).await;
    let mut theirs = end_record(21, id, Upheld, leaf);
    theirs.claim = Some(ledger::ClaimRef { id, owner: OTHER });
    assert!(matches!(ledger.append(theirs).await, Err(LedgerError::NotOwner)));
    let ends = all(&ledger, 0..12, move |ledger, number| async move {
        ledger.append(end_record(30 + number, id, OUTCOMES[(number % 3) as usize], leaf)).await
    });
    let mut ended = Vec::new();
    for (number, answer) in (0..).zip(ends.await) {
        match answer {
            Ok(_) => ended.push(number),
            Err(refused) => {
                assert!(matches!(refused, LedgerError::WrongState(ClaimState::Delivered)), "{refused}");
            }
        }
    }
    let [number] = ended[..] else { panic!("{ended:?}") };
    let expected = match OUTCOMES[number % 3] {
        Upheld => vec![],
        Inconclusive => vec![debt(30 + number as u64, Bond, REFUND_TO, BOND)],
        Overturned => {
            vec![debt(30 + number as u64, Bond, REFUND_TO, BOND), debt(30 + number as u64, Fee, PAYER, FEE)]
        }
    };
    assert_eq!(debts(&harness.office()), expected);
}

pub async fn what_is_about_a_receipt_is_listed_from_its_claim_on<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open();
    let leaf = original(&*ledger, 1, true).await;
    assert!(ledger.about(&hash(1)).await.unwrap().is_empty());
    let about = |claim: &Claim, receipt| About {
        claim: claim.id,
        class: claim.class.clone(),
        bond: claim.bond,
        agent: claim.agent.clone(),
        payer: claim.payer,
        receipt,
    };
    let successor = NewClaim { about: Some(hash(1)), ..new_claim(authorization(2)) };
    let successor = mine(&*ledger, successor).await;
    let failed = mine(&*ledger, new_bond(3, hash(1))).await;
    bring(&*ledger, failed, 3, ClaimState::Failed).await;
    let freed = mine(&*ledger, new_bond(4, hash(1))).await;
    ledger.free(freed, OWNER).await.unwrap();
    let disputing = open_dispute(&*ledger, 5, hash(1)).await;
    open_dispute(&*ledger, 6, hash(2)).await;
    let (successor, disputing) = (found(&*ledger, successor).await, found(&*ledger, disputing).await);
    assert_eq!(disputing.about, Some(hash(1)));
    assert_eq!((disputing.class.as_str(), disputing.agent.as_str()), ("dispute", "critic"));
    let expected = [about(&successor, None), about(&disputing, None)];
    assert_eq!(ledger.about(&hash(1)).await.unwrap(), expected);
    ledger.append(end_record(5, disputing.id, Upheld, leaf)).await.unwrap();
    drop(ledger);
    let ledger = harness.open();
    let expected = [about(&successor, None), about(&disputing, Some(hash(5)))];
    assert_eq!(ledger.about(&hash(1)).await.unwrap(), expected);
    assert!(ledger.about(&hash(5)).await.unwrap().is_empty());
}

/// Whoever pays for many calls about a receipt can neither make a list without end nor hide a dispute.
pub async fn what_is_about_a_receipt_is_bounded_and_leaves_no_dispute_out<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open();
    let leaf = original(&*ledger, 1, true).await;
    let most = usize::try_from(MAX_ABOUT).unwrap();
    let claims = all(&ledger, 1000..1000 + u64::from(MAX_ABOUT) + 40, |ledger, number| async move {
        mine(&*ledger, NewClaim { about: Some(hash(1)), ..new_claim(authorization(number)) }).await
    });
    let mut expected = claims.await;
    let first = dispute(&*ledger, 10, (1, leaf), Upheld).await;
    let second = open_dispute(&*ledger, 11, hash(1)).await;
    expected.sort();
    expected.truncate(most - 2);
    expected.extend([first, second]);
    let listed = ledger.about(&hash(1)).await.unwrap();
    assert_eq!(listed.iter().map(|about| about.claim).collect::<Vec<_>>(), expected);
}

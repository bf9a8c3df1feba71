//! Disputes: which may be opened, how they end, and what there is about a receipt.

use std::sync::Arc;

use ledger::{
    ClaimOutcome, ClaimState, Dispute, DisputeEnd, DisputeOutcome, Ledger, LedgerError, LedgerRecord,
    NewClaim, ProofKey, RefundKind,
};
use receipt::hash::ReceiptHash;

use DisputeOutcome::{Inconclusive, Overturned, Upheld};
use RefundKind::{Bond, Fee};

use super::Harness;
use super::disputer::*;
use super::payer::*;
use super::support::*;

pub async fn a_dispute_is_refused_while_another_has_settled_and_past_the_limit<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let leaf = original(&*ledger, 1, true).await;
    let other_leaf = original(&*ledger, 2, false).await;
    // What is about the receipt without being a bond is no dispute of it.
    let successor = NewClaim { about: Some(hash(1)), ..new_claim(authorization(3)) };
    mine(&*ledger, successor.clone()).await;
    let first = mine(&*ledger, new_bond(11, hash(1))).await;
    for state in [ClaimState::Claimed, ClaimState::Broadcast, ClaimState::Settled] {
        match state {
            ClaimState::Broadcast => ledger.broadcasting(first, OWNER, prepared(11)).await.unwrap(),
            ClaimState::Settled => ledger.settled(first, OWNER, settlement(11)).await.unwrap(),
            _ => {}
        }
        match ledger.claim(new_bond(12, hash(1))).await.unwrap() {
            ClaimOutcome::Mine(id) if state != ClaimState::Settled => ledger.free(id, OWNER).await.unwrap(),
            ClaimOutcome::DisputeOpen if state == ClaimState::Settled => {}
            other => panic!("{state:?}: {other:?}"),
        }
        assert_eq!(
            known(&*ledger, new_bond(11, hash(1))).await.id,
            first,
            "{state:?}: a retry finds its own"
        );
    }
    ledger.judged(first, OWNER, judgement(11)).await.unwrap();
    let refused = new_bond(12, hash(1));
    assert_eq!(ledger.find_claim(&refused.key, None).await.unwrap(), None, "nothing was bound");
    let elsewhere = open_dispute(&*ledger, 13, hash(2)).await;
    ledger.append(end_record(13, elsewhere, Upheld, other_leaf)).await.unwrap();

    ledger.append(end_record(11, first, Inconclusive, leaf)).await.unwrap();
    let second = mine(&*ledger, refused).await;
    bring(&*ledger, second, 12, ClaimState::Settled).await;
    assert_eq!(
        ledger.claim(new_bond(14, hash(1))).await.unwrap(),
        ClaimOutcome::DisputeOpen,
        "open, and the last"
    );
    ledger.append(end_record(12, second, Upheld, leaf)).await.unwrap();
    let ledger = harness.reopen(ledger).await;
    for number in 14..17 {
        assert_eq!(ledger.claim(new_bond(number, hash(1))).await.unwrap(), ClaimOutcome::DisputeLimit);
    }
    mine(&*ledger, new_bond(17, hash(2))).await;
    assert_eq!(known(&*ledger, new_bond(11, hash(1))).await.id, first);
    assert_eq!(known(&*ledger, successor).await.about, Some(hash(1)));
}

pub async fn a_dispute_that_was_freed_or_has_failed_does_not_count<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
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
    assert_eq!(ledger.claim(new_bond(30, hash(1))).await.unwrap(), ClaimOutcome::DisputeLimit);
}

/// Their money has moved, so what is no dispute is owed back.
pub async fn of_many_bonds_that_settle_at_once_one_is_the_open_dispute_and_the_others_are_owed_back<
    H: Harness,
>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let leaf = original(&*ledger, 1, true).await;
    let mut owed = Vec::new();
    for round in 1..=2 {
        let numbers = round * 100..round * 100 + 40;
        let mut claims = Vec::new();
        for number in numbers.clone() {
            let id = mine(&*ledger, new_bond(number, hash(1))).await;
            ledger.broadcasting(id, OWNER, prepared(number)).await.unwrap();
            claims.push(id);
        }
        let ids = claims.clone();
        all(&ledger, numbers.clone(), move |ledger, number| {
            let id = ids[(number - round * 100) as usize];
            async move { ledger.settled(id, OWNER, settlement(number)).await.unwrap() }
        })
        .await;
        let mut disputes = 0;
        for (number, id) in numbers.zip(claims) {
            ledger.judged(id, OWNER, judgement(number)).await.unwrap();
            let again = ledger.judged(id, OWNER, judgement(number)).await.unwrap_err();
            assert!(matches!(again, LedgerError::WrongState(ClaimState::Settled)), "{again}");
            if found(&*ledger, id).await.is_late {
                for verdict in [Upheld, Overturned] {
                    let refused = ledger.append(end_record(number, id, verdict, leaf)).await.unwrap_err();
                    assert!(matches!(refused, LedgerError::Unfit(_)), "{refused}");
                }
                ledger.append(end_record(number, id, Inconclusive, leaf)).await.unwrap();
                owed.push(debt(number, Bond, REFUND_TO, BOND));
            } else {
                disputes += 1;
                ledger.append(end_record(number, id, Upheld, leaf)).await.unwrap();
            }
        }
        assert_eq!(disputes, 1, "round {round}");
        assert_eq!(ledger.disputes(&hash(1)).await.unwrap().len() as u64, round);
    }
    assert_eq!(ledger.claim(new_bond(300, hash(1))).await.unwrap(), ClaimOutcome::DisputeLimit);
    let operator_store = harness.operator_store();
    assert_eq!((debts(&*operator_store), reserve_of(&*operator_store)), (sorted(owed), 2 * BOND));
}

/// No money has moved, so nothing is owed.
pub async fn of_many_local_bonds_at_once_one_settles_and_the_others_are_refused<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.local_open(DISPUTER, 100 * BOND).await.unwrap();
    let leaf = original(&*ledger, 1, true).await;
    for (round, refusal) in [(1, "open"), (2, "open"), (3, "limit")] {
        let settled = all(&ledger, round * 100..round * 100 + 20, |ledger, number| async move {
            let id = match ledger.claim(new_bond(number, hash(1))).await.unwrap() {
                ClaimOutcome::Mine(id) => id,
                ClaimOutcome::DisputeOpen => return Err("open"),
                ClaimOutcome::DisputeLimit => return Err("limit"),
                other => panic!("{other:?}"),
            };
            match ledger.settle_local(id, OWNER, local_payment(number)).await {
                Ok(()) => Ok((number, id)),
                Err(LedgerError::DisputeOpen) => Err("open"),
                Err(LedgerError::DisputeLimit) => Err("limit"),
                Err(other) => panic!("{other}"),
            }
        });
        let (settled, refused): (Vec<_>, Vec<_>) = settled.await.into_iter().partition(Result::is_ok);
        assert_eq!(settled.len(), usize::from(round < 3), "round {round}");
        assert!(refused.iter().all(|refused| *refused == Err(refusal)), "round {round}: {refused:?}");
        for (number, id) in settled.into_iter().flatten() {
            ledger.judged(id, OWNER, judgement(number)).await.unwrap();
            ledger.append(end_record(number, id, Upheld, leaf)).await.unwrap();
        }
    }
    assert_eq!(ledger.local_balance(&DISPUTER).await.unwrap(), 98 * BOND);
}

/// A bond is a stake: nobody judges before it is there, and its request waits with it for whoever does.
pub async fn a_bond_is_judged_once_and_not_before_it_has_settled<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    original(&*ledger, 1, true).await;
    let new = new_bond(10, hash(1));
    let asked = new.deferred.clone();
    let id = mine(&*ledger, new).await;
    for state in [ClaimState::Claimed, ClaimState::Broadcast] {
        let early = ledger.judged(id, OWNER, judgement(10)).await.unwrap_err();
        assert!(matches!(early, LedgerError::WrongState(found) if found == state), "{early}");
        assert_eq!(ledger.claim_work(id).await.unwrap().unwrap().deferred, asked);
        match state {
            ClaimState::Claimed => ledger.broadcasting(id, OWNER, prepared(10)).await.unwrap(),
            _ => ledger.settled(id, OWNER, settlement(10)).await.unwrap(),
        }
    }
    let harness = harness.after_a_crash().await;
    let ledger = harness.open().await;
    let work = ledger.claim_work(id).await.unwrap().unwrap();
    assert_eq!((work.claim.state, work.deferred, work.judgement), (ClaimState::Settled, asked, None));
    ledger.judged(id, OWNER, judgement(10)).await.unwrap();
    let work = ledger.claim_work(id).await.unwrap().unwrap();
    assert_eq!((work.claim.state, work.deferred), (ClaimState::Settled, None));
    assert_eq!(work.judgement, Some(judgement(10)));
    let again = ledger.judged(id, OWNER, judgement(11)).await.unwrap_err();
    assert!(matches!(again, LedgerError::WrongState(ClaimState::Settled)), "{again}");
}

pub async fn an_end_that_does_not_fit_its_claim_is_refused_and_harms_no_neighbour<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
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
        LedgerRecord { dispute: None, ..end_record(50, bond, Overturned, leaf) },
        end_record(51, bond, Overturned, other_leaf),
        end_record(52, bond, Upheld, size),
        end_record(53, bond, Inconclusive, u64::MAX),
        end_record(54, no_bond, Overturned, leaf),
        end_record(55, unknown, Overturned, leaf),
        LedgerRecord { dispute: end(leaf), ..record(56) },
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
    let operator_store = harness.operator_store();
    assert!(all_refunds(&*operator_store).is_empty() && operator_store.reserve().unwrap().is_empty());
    assert_eq!(ledger.head().size, size + neighbours.len() as u64);
    for number in 50..50 + count {
        assert_eq!(ledger.receipt(&hash(number)).await.unwrap(), None);
    }
    // Each can be delivered as it should have been.
    ledger.append(end_record(50, bond, Inconclusive, leaf)).await.unwrap();
    ledger.append(LedgerRecord { dispute: None, ..end_record(54, no_bond, Upheld, leaf) }).await.unwrap();
    assert_eq!(debts(&*operator_store), [debt(50, Bond, REFUND_TO, BOND)]);
    assert!(ledger.is_writable());
}

/// Who ends a dispute must have its claim, and ends it once.
pub async fn a_dispute_is_ended_once_and_by_its_owner<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
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
    assert_eq!(debts(&*harness.operator_store()), expected);
}

pub async fn the_disputes_of_a_receipt_are_listed_from_their_claims_on_oldest_first<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let leaf = original(&*ledger, 1, true).await;
    let disputes = async |number| ledger.disputes(&hash(number)).await.unwrap();
    assert!(disputes(1).await.is_empty());
    supersede(&*ledger, 2, hash(1), "scout", PAYER).await;
    let failed = mine(&*ledger, new_bond(3, hash(1))).await;
    bring(&*ledger, failed, 3, ClaimState::Failed).await;
    let freed = mine(&*ledger, new_bond(4, hash(1))).await;
    ledger.free(freed, OWNER).await.unwrap();
    assert!(disputes(1).await.is_empty(), "no bond, or none that stands");
    let first = mine(&*ledger, new_bond(5, hash(1))).await;
    let open = Dispute { receipt: None };
    assert!(disputes(1).await.is_empty(), "its bond has not settled");
    bring(&*ledger, first, 5, ClaimState::Settled).await;
    assert_eq!(disputes(1).await, [open]);
    open_dispute(&*ledger, 6, hash(2)).await;
    assert_eq!((disputes(1).await, disputes(2).await), (vec![open], vec![open]));
    ledger.append(end_record(5, first, Upheld, leaf)).await.unwrap();
    // Of a payer whose address comes before the first one's.
    let key = ProofKey::Authorization { chain_id: CHAIN, asset: ASSET, payer: [1; 20], nonce: word(7) };
    let second = mine(&*ledger, NewClaim { key, payer: [1; 20], ..new_bond(7, hash(1)) }).await;
    bring(&*ledger, second, 7, ClaimState::Settled).await;
    let ended = Dispute { receipt: Some(hash(5)) };
    assert_eq!(disputes(1).await, [ended, open]);
    let ledger = harness.reopen(ledger).await;
    assert_eq!(ledger.disputes(&hash(1)).await.unwrap(), [ended, open]);
    assert!(ledger.disputes(&hash(5)).await.unwrap().is_empty());
}

/// Makes a claim that says that its receipt, the one of this number, takes another's place, and delivers it.
async fn supersede(ledger: &dyn Ledger, number: u64, about: ReceiptHash, agent: &str, payer: [u8; 20]) {
    let id = mine(ledger, successor(number, about, agent, payer)).await;
    bring(ledger, id, number, ClaimState::Delivered).await;
}

fn successor(number: u64, about: ReceiptHash, agent: &str, payer: [u8; 20]) -> NewClaim {
    let key = ProofKey::Authorization { chain_id: CHAIN, asset: ASSET, payer, nonce: word(number) };
    NewClaim { agent: agent.to_owned(), payer, about: Some(about), ..new_claim(key) }
}

fn stranger(number: u64) -> [u8; 20] {
    *word(number).first_chunk().unwrap()
}

/// Whoever pays for many calls about a receipt can neither take its place nor hide what has.
pub async fn a_receipt_is_superseded_by_its_own_agent_and_payer_however_many_others_pay<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    original(&*ledger, 1, true).await;
    let by = async |agent, payer| ledger.superseded_by(&hash(1), agent, &payer).await.unwrap();
    let strangers = async |numbers| {
        all(&ledger, numbers, |ledger, number| async move {
            let agent = ["scout", "critic"][(number % 2) as usize];
            supersede(&*ledger, number, hash(1), agent, stranger(number)).await;
            supersede(&*ledger, number + 500_000, hash(2), "scout", PAYER).await;
        })
        .await
    };
    strangers(1000..1160).await;
    assert_eq!(by("scout", PAYER).await, None);
    supersede(&*ledger, 2, hash(1), "scout", PAYER).await;
    strangers(2000..2160).await;
    assert_eq!(by("scout", PAYER).await, Some(hash(2)));
    assert_eq!(by("critic", PAYER).await, None);
    assert_eq!(by("scout", stranger(1)).await, None);
    assert_eq!(by("scout", stranger(1001)).await, None, "it paid for another agent's");
    assert_eq!(by("critic", stranger(1001)).await, Some(hash(1001)));
    assert_eq!(ledger.superseded_by(&hash(3), "scout", &PAYER).await.unwrap(), None);
    assert!(ledger.disputes(&hash(1)).await.unwrap().is_empty());
}

pub async fn a_receipt_is_superseded_by_the_newest_that_was_delivered<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let leaf = original(&*ledger, 1, true).await;
    let newest = async || ledger.superseded_by(&hash(1), "scout", &PAYER).await.unwrap();
    let mut claims = Vec::new();
    for number in 10..15 {
        claims.push(mine(&*ledger, successor(number, hash(1), "scout", PAYER)).await);
    }
    bring(&*ledger, claims[0], 10, ClaimState::Failed).await;
    bring(&*ledger, claims[1], 11, ClaimState::Settled).await;
    assert_eq!(newest().await, None, "none has a receipt");
    // The one that was claimed first is delivered last.
    for (number, claim) in [(14, 4), (13, 3), (12, 2)] {
        bring(&*ledger, claims[claim], number, ClaimState::Delivered).await;
        assert_eq!(newest().await, Some(hash(number)));
    }
    let key = authorization(20);
    let bond = NewClaim { key, agent: "scout".to_owned(), payer: PAYER, ..new_bond(20, hash(1)) };
    let bond = mine(&*ledger, bond).await;
    bring(&*ledger, bond, 20, ClaimState::Settled).await;
    ledger.append(end_record(20, bond, Upheld, leaf)).await.unwrap();
    assert_eq!(newest().await, Some(hash(12)), "a dispute takes nothing's place");
    let ledger = harness.reopen(ledger).await;
    assert_eq!(ledger.superseded_by(&hash(1), "scout", &PAYER).await.unwrap(), Some(hash(12)));
    ledger.append(paid_record(11, claims[1])).await.unwrap();
    assert_eq!(ledger.superseded_by(&hash(1), "scout", &PAYER).await.unwrap(), Some(hash(11)));
}

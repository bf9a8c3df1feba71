//! Claims: a proof is bound to one request, and goes its way one step at a time.

use ledger::{
    Claim, ClaimId, ClaimOutcome, ClaimRef, ClaimState, ClaimTransfer, Delivery, Judgement, Ledger,
    LedgerError, LedgerRecord, MAX_CLAIM_AMOUNT, MAX_UNFINISHED_CLAIMS, NewClaim, Owner, PaymentIdentifier,
    PreparedTransaction, ProofKey, TransferId,
};
use verdict::KeptRequest;

use super::Harness;
use super::payer::*;
use super::support::*;

pub async fn a_claim_goes_from_its_proof_to_its_receipt_one_step_at_a_time<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let (key, identifier) = (authorization(1), identifier(1));
    assert_eq!(ledger.find_claim(&key, Some(&identifier)).await.unwrap(), None);
    let new = NewClaim { identifier: Some(identifier.clone()), ..new_claim(key) };
    let id = mine(&*ledger, new.clone()).await;
    let mut expected = Claim {
        id,
        key,
        fingerprint: new.fingerprint,
        state: ClaimState::Claimed,
        owner: OWNER,
        lease_until: at(LEASE_MS),
        class: "commit".to_owned(),
        agent: "scout".to_owned(),
        payer: PAYER,
        symbol: "USDC".to_owned(),
        amount: 100_000,
        bond: false,
        is_late: false,
        about: None,
        transaction: None,
        transfer: None,
        receipt: None,
        failure: None,
    };
    assert_eq!(ledger.claim_by_id(id).await.unwrap().as_ref(), Some(&expected));
    let work = ledger.claim_work(id).await.unwrap().unwrap();
    assert_eq!((work.claim, work.proof, work.judgement, work.raw), (expected.clone(), new.proof, None, None));

    ledger.judged(id, OWNER, judgement(1)).await.unwrap();
    expected.state = ClaimState::Judged;
    let work = ledger.claim_work(id).await.unwrap().unwrap();
    assert_eq!((&work.claim, work.judgement, work.raw), (&expected, Some(judgement(1)), None));

    ledger.broadcasting(id, OWNER, prepared(1)).await.unwrap();
    (expected.state, expected.transaction) = (ClaimState::Broadcast, Some(word(1)));
    let work = ledger.claim_work(id).await.unwrap().unwrap();
    assert_eq!((&work.claim, work.raw), (&expected, Some(prepared(1).raw)));

    ledger.settled(id, OWNER, settlement(1)).await.unwrap();
    expected.state = ClaimState::Settled;
    expected.transfer =
        Some(ClaimTransfer { transaction: word(1), id: TransferId::LogIndex(7), kind: "chain".to_owned() });
    assert_eq!(ledger.find_claim(&key, None).await.unwrap().as_ref(), Some(&expected));

    append_all(&ledger, 10..13).await;
    let appended = ledger.append(paid_record(1, id)).await.unwrap();
    verified(1, &appended.inclusion);
    expected.state = ClaimState::Delivered;
    expected.receipt = Some(Delivery { hash: hash(1), leaf: 3, proof: appended.inclusion.to_text() });
    let unknown = authorization(2);
    for (key, identifier) in [(&key, None), (&unknown, Some(&identifier)), (&transfer(1), None)] {
        assert_eq!(ledger.find_claim(key, identifier).await.unwrap().as_ref(), Some(&expected));
    }
    let work = ledger.claim_work(id).await.unwrap().unwrap();
    assert_eq!((&work.claim, work.proof, work.judgement, work.raw), (&expected, Vec::new(), None, None));
    assert_eq!(ledger.claim_by_id(ClaimId(id.0 + 1)).await.unwrap(), None);
    assert_eq!(ledger.claim_work(ClaimId(u64::MAX)).await.unwrap(), None);
}

/// A judge's evidence and request come back as they were given, and go into the receipt as its caller gives them.
pub async fn what_was_judged_is_kept_until_the_receipt_has_it<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let id = claim_in(&*ledger, 1, ClaimState::Settled).await;
    let kept = ledger.claim_work(id).await.unwrap().unwrap().judgement.unwrap();
    assert_eq!(kept, judgement(1));
    let record =
        LedgerRecord { request: kept.request.into_body(), evidence: kept.evidence, ..paid_record(1, id) };
    let leaf = ledger.append(record).await.unwrap().leaf;
    assert_eq!(ledger.request(leaf).await.unwrap(), Some(stored_request(1)));
    let stored = ledger.evidence(leaf).await.unwrap();
    assert_eq!((stored.len(), stored[2].sha256), (3, [7; 32]));
    let stored: Vec<_> = stored.iter().map(|blob| (blob.role.as_str(), blob.bytes.as_deref())).collect();
    // Of what the judge keeps itself there is the address alone.
    assert_eq!(stored, [("body", Some(&b"page 1"[..])), ("list", Some(b"the list")), ("snapshot", None)]);
}

pub async fn a_payment_identifier_is_unique_per_payer<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let named = |key| NewClaim { identifier: Some(identifier(1)), ..new_claim(key) };
    let first = mine(&*ledger, named(authorization(1))).await;
    assert_eq!(known(&*ledger, named(authorization(2))).await.id, first);
    assert_eq!(ledger.find_claim(&authorization(2), None).await.unwrap(), None, "its nonce is not bound");
    let second = mine(&*ledger, new_claim(authorization(3))).await;
    assert_eq!(known(&*ledger, named(authorization(3))).await.id, second, "the proof goes first");
    let other_payer = [0xdd; 20];
    let key = ProofKey::Authorization { chain_id: CHAIN, asset: ASSET, payer: other_payer, nonce: word(1) };
    let identifier = PaymentIdentifier { payer: other_payer, ..identifier(1) };
    let theirs = NewClaim { payer: other_payer, identifier: Some(identifier), ..new_claim(key) };
    assert!(mine(&*ledger, theirs).await > second);
}

pub async fn of_many_claims_of_one_proof_exactly_one_is_granted<H: Harness>() {
    const NONCES: u64 = 100;
    const TASKS: u64 = 100;
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.local_open(PAYER, NONCES * 100_000).await.unwrap();
    // Each task claims each nonce, all in the same order: they meet at nearly every one.
    let grants = all(&ledger, 0..TASKS, |ledger, task| async move {
        let mut granted = 0;
        for nonce in 0..NONCES {
            let owner = Owner([task as u8; 16]);
            match ledger.claim(NewClaim { owner, ..new_claim(authorization(nonce)) }).await.unwrap() {
                ClaimOutcome::Known(claim) => assert_eq!(claim.key, authorization(nonce)),
                ClaimOutcome::Mine(id) => {
                    granted += 1;
                    ledger.judged(id, owner, judgement(nonce)).await.unwrap();
                    ledger.settle_local(id, owner, local_payment(nonce)).await.unwrap();
                    let claim = Some(ClaimRef { id, owner });
                    ledger.append(LedgerRecord { claim, ..record(nonce) }).await.unwrap();
                }
                refused => panic!("there are at most {TASKS} unfinished claims, none a bond: {refused:?}"),
            }
        }
        granted
    });
    assert_eq!(grants.await.into_iter().sum::<u64>(), NONCES);
    assert_eq!(ledger.head().size, NONCES);
    assert_eq!(ledger.local_balance(&PAYER).await.unwrap(), 0);
    assert_eq!(ledger.revenue().await.unwrap()[0].income, NONCES * 100_000);
}

/// Takes every step by every kind of caller in every state, and looks at what it changes.
pub async fn a_step_is_taken_in_its_state_and_by_its_owner_or_changes_nothing<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let mut number = 0;
    for state in ClaimState::ALL {
        for step in Step::ALL {
            number += 1;
            let id = claim_in(&*ledger, number, state).await;
            let before = ledger.claim_work(id).await.unwrap();
            let refused = step.take(&*ledger, id, OTHER, number).await.unwrap_err();
            assert!(matches!(refused, LedgerError::NotOwner), "{step:?} of another's: {refused}");
            assert_eq!(ledger.claim_work(id).await.unwrap(), before, "{step:?} of another's {state:?}");
            let taken = step.take(&*ledger, id, OWNER, number).await;
            let after = ledger.claim_work(id).await.unwrap();
            match (step.leads_to(state), taken) {
                (Some(to), Ok(())) => assert_eq!(after.map(|work| work.claim.state), to),
                (None, Err(LedgerError::WrongState(found))) => {
                    assert_eq!((found, after), (state, before), "{step:?}");
                }
                (expected, taken) => panic!("{step:?} from {state:?} to {expected:?}: {taken:?}"),
            }
        }
    }
    for step in Step::ALL {
        for id in [ClaimId(9_999_999), ClaimId(u64::MAX)] {
            let refused = step.take(&*ledger, id, OWNER, number + 1).await.unwrap_err();
            assert!(matches!(refused, LedgerError::NoSuchClaim(unknown) if unknown == id), "{refused}");
        }
    }
    Auditor::fetch(&*ledger).await.audit(&ledger.head());
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Judged,
    Broadcasting,
    BroadcastingAgain,
    Settled,
    Deliver,
    Free,
    Failed,
    Renew,
}

impl Step {
    const ALL: [Self; 8] = [
        Self::Judged,
        Self::Broadcasting,
        Self::BroadcastingAgain,
        Self::Settled,
        Self::Deliver,
        Self::Free,
        Self::Failed,
        Self::Renew,
    ];

    async fn take(
        self,
        ledger: &dyn Ledger,
        id: ClaimId,
        owner: Owner,
        number: u64,
    ) -> Result<(), LedgerError> {
        match self {
            Self::Judged => ledger.judged(id, owner, judgement(number)).await,
            Self::Broadcasting => ledger.broadcasting(id, owner, prepared(number)).await,
            Self::BroadcastingAgain => {
                let again = PreparedTransaction { replaces: true, ..prepared(number + 5000) };
                ledger.broadcasting(id, owner, again).await
            }
            Self::Settled => ledger.settled(id, owner, settlement(number)).await,
            Self::Deliver => {
                let claim = Some(ClaimRef { id, owner });
                ledger.append(LedgerRecord { claim, ..record(number + 5000) }).await.map(drop)
            }
            Self::Free => ledger.free(id, owner).await,
            Self::Failed => ledger.failed(id, owner, failure()).await,
            Self::Renew => ledger.renew(id, owner, at(2 * LEASE_MS)).await,
        }
    }

    /// Where the step leads from a state; `Some(None)` where the claim is gone after it.
    fn leads_to(self, from: ClaimState) -> Option<Option<ClaimState>> {
        use ClaimState::{Broadcast, Claimed, Delivered, Failed, Judged, Settled};
        match (self, from) {
            (Self::Judged, Claimed) => Some(Some(Judged)),
            (Self::Broadcasting, Judged) | (Self::BroadcastingAgain, Broadcast) => Some(Some(Broadcast)),
            (Self::Settled, Broadcast) => Some(Some(Settled)),
            (Self::Deliver, Settled) => Some(Some(Delivered)),
            (Self::Free, Claimed | Judged) => Some(None),
            (Self::Failed, Broadcast) => Some(Some(Failed)),
            (Self::Renew, Claimed | Judged | Broadcast | Settled) => Some(Some(from)),
            _ => None,
        }
    }
}

pub async fn a_replaced_broadcast_is_the_one_that_is_kept<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let id = claim_in(&*ledger, 1, ClaimState::Broadcast).await;
    let unknown = PreparedTransaction { raw: b"a request".to_vec(), transaction: None, replaces: true };
    for again in [PreparedTransaction { replaces: true, ..prepared(2) }, unknown] {
        ledger.broadcasting(id, OWNER, again.clone()).await.unwrap();
        let work = ledger.claim_work(id).await.unwrap().unwrap();
        assert_eq!((work.raw, work.claim.transaction), (Some(again.raw), again.transaction));
    }
    ledger.settled(id, OWNER, settlement(3)).await.unwrap();
    assert_eq!(found(&*ledger, id).await.transaction, Some(word(3)), "of the transfer that was seen");
}

pub async fn a_freed_claim_leaves_its_proof_free_and_its_number_unused<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    for new in [new_claim(authorization(1)), new_claim(transfer(1))] {
        let new = NewClaim { identifier: Some(identifier(1)), ..new };
        let first = mine(&*ledger, new.clone()).await;
        ledger.free(first, OWNER).await.unwrap();
        assert_eq!(ledger.find_claim(&new.key, new.identifier.as_ref()).await.unwrap(), None);
        let second = mine(&*ledger, new.clone()).await;
        assert!(second > first);
        ledger.judged(second, OWNER, judgement(1)).await.unwrap();
        ledger.free(second, OWNER).await.unwrap();
        assert_eq!(ledger.find_claim_by_transaction(CHAIN, &word(1), &PAYER).await.unwrap(), None);
        let third = mine(&*ledger, new).await;
        assert_eq!(ledger.claim_work(third).await.unwrap().unwrap().judgement, None, "nothing is left over");
        ledger.free(third, OWNER).await.unwrap();
    }
}

pub async fn a_failed_claim_keeps_its_proof_and_gives_its_identifier_back<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let named = |number| NewClaim { identifier: Some(identifier(1)), ..new_claim(authorization(number)) };
    let id = mine(&*ledger, named(1)).await;
    bring(&*ledger, id, 1, ClaimState::Failed).await;
    let failed = known(&*ledger, named(1)).await;
    assert_eq!((failed.id, failed.state, failed.failure), (id, ClaimState::Failed, Some(failure())));
    assert!(mine(&*ledger, named(2)).await > id);
    assert!(ledger.revenue().await.unwrap().is_empty());
}

pub async fn past_the_bound_on_unfinished_claims_new_ones_are_refused_early<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let claims = all(&ledger, 0..MAX_UNFINISHED_CLAIMS as u64 + 50, |ledger, number| async move {
        (number, ledger.claim(new_claim(authorization(number))).await.unwrap())
    });
    let claims = claims.await;
    let refused: Vec<u64> = claims
        .iter()
        .filter(|(_, claiming)| *claiming == ClaimOutcome::Full)
        .map(|(number, _)| *number)
        .collect();
    assert_eq!(refused.len(), 50);
    assert_eq!(ledger.find_claim(&authorization(refused[0]), None).await.unwrap(), None);
    let mut granted = claims.iter().filter_map(|(number, claiming)| match claiming {
        ClaimOutcome::Mine(id) => Some((*number, *id)),
        _ => None,
    });
    let (freed, failed, delivered) =
        (granted.next().unwrap(), granted.next().unwrap(), granted.next().unwrap());
    assert_eq!(known(&*ledger, new_claim(authorization(freed.0))).await.id, freed.1, "known all the same");
    ledger.free(freed.1, OWNER).await.unwrap();
    bring(&*ledger, failed.1, failed.0, ClaimState::Failed).await;
    bring(&*ledger, delivered.1, delivered.0, ClaimState::Delivered).await;
    for number in 5000..5003 {
        mine(&*ledger, new_claim(authorization(number))).await;
    }
    assert_eq!(ledger.claim(new_claim(authorization(6000))).await.unwrap(), ClaimOutcome::Full);
}

pub async fn a_payer_has_so_many_claims_unfinished_and_no_more_than_its_balance_covers<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let limited = |number| NewClaim { most_of_payer: 3, ..new_claim(authorization(number)) };
    let mut ids = Vec::new();
    for number in 0..3 {
        ids.push(mine(&*ledger, limited(number)).await);
    }
    assert_eq!(ledger.claim(limited(3)).await.unwrap(), ClaimOutcome::PayerLimit);
    assert_eq!(known(&*ledger, limited(0)).await.id, ids[0], "a retry finds its own");
    let key = ProofKey::Authorization { chain_id: CHAIN, asset: ASSET, payer: [0xdd; 20], nonce: word(1) };
    mine(&*ledger, NewClaim { key, payer: [0xdd; 20], ..limited(0) }).await;
    // One that is settled is not finished; one that is delivered is.
    bring(&*ledger, ids[0], 0, ClaimState::Settled).await;
    assert_eq!(ledger.claim(limited(3)).await.unwrap(), ClaimOutcome::PayerLimit);
    ledger.append(paid_record(0, ids[0])).await.unwrap();
    mine(&*ledger, limited(3)).await;

    // Three of a price each are under way, of which one has settled: it is gone from the balance that is seen.
    bring(&*ledger, ids[1], 1, ClaimState::Settled).await;
    let with = |number, balance| NewClaim { balance: Some(balance), ..new_claim(authorization(number)) };
    assert_eq!(ledger.claim(with(9, 299_999)).await.unwrap(), ClaimOutcome::Uncovered);
    let id = mine(&*ledger, with(9, 300_000)).await;
    ledger.free(id, OWNER).await.unwrap();
    // A transfer that has happened takes nothing of the balance.
    mine(&*ledger, NewClaim { balance: Some(0), ..new_claim(transfer(50)) }).await;
    mine(&*ledger, with(9, 300_000)).await;
}

pub async fn as_much_as_may_be_found_for_a_payment_can_be_delivered<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let id = mine(&*ledger, new_claim(authorization(1))).await;
    // Beside the request and evidence of some hundred bytes.
    let judged = Judgement { finding: vec![b' '; ledger::MAX_JUDGEMENT_BYTES - 512], ..judgement(1) };
    ledger.judged(id, OWNER, judged.clone()).await.unwrap();
    ledger.broadcasting(id, OWNER, prepared(1)).await.unwrap();
    ledger.settled(id, OWNER, settlement(1)).await.unwrap();
    let envelope = vec![b' '; 64 << 10];
    let payload = [&*judged.finding, &envelope].concat();
    let entry = vec![b' '; tlog::tile::MAX_ENTRY_BYTES];
    let Judgement { evidence, request, .. } = judged;
    ledger
        .append(LedgerRecord { payload, entry, evidence, request: request.into_body(), ..paid_record(1, id) })
        .await
        .unwrap();
}

pub async fn a_claim_that_contradicts_itself_is_refused<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let good = || new_claim(authorization(1));
    let huge_chain =
        ProofKey::Authorization { chain_id: u64::MAX, asset: ASSET, payer: PAYER, nonce: word(1) };
    let huge_index = ProofKey::Transaction { chain_id: CHAIN, transaction: word(1), log_index: u64::MAX };
    let stranger = PaymentIdentifier { payer: [0xdd; 20], ..identifier(1) };
    let bad = [
        NewClaim { payer: [0xdd; 20], ..good() },
        NewClaim { identifier: Some(stranger), ..good() },
        NewClaim { amount: MAX_CLAIM_AMOUNT + 1, ..good() },
        NewClaim { bond: true, ..good() },
        NewClaim { bond: true, about: Some(hash(1)), ..good() },
        NewClaim {
            deferred: Some(ledger::DeferredRequest { request: KeptRequest::as_sent(vec![]), at: at(0) }),
            ..good()
        },
        NewClaim { proof: vec![0; ledger::MAX_RECORD_BYTES + 1], ..good() },
        new_claim(huge_chain),
        new_claim(huge_index),
    ];
    for bad in bad {
        let refused = ledger.claim(bad).await.unwrap_err();
        assert!(matches!(refused, LedgerError::Unfit(_)), "{refused}");
    }
    let id = mine(&*ledger, NewClaim { amount: MAX_CLAIM_AMOUNT, ..good() }).await;
    let huge = Judgement { finding: vec![b' '; ledger::MAX_JUDGEMENT_BYTES], ..judgement(1) };
    assert!(matches!(ledger.judged(id, OWNER, huge).await, Err(LedgerError::Unfit(_))));
    bring(&*ledger, id, 1, ClaimState::Broadcast).await;
    let huge = ledger::Settlement { log_index: Some(u64::MAX), ..settlement(1) };
    assert!(matches!(ledger.settled(id, OWNER, huge).await, Err(LedgerError::Unfit(_))));
    assert!(ledger.is_writable(), "nothing of it has reached the store");
}

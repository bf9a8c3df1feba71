//! Disputes and refunds where the disk fails at any of their steps, and disputes that end in one batch, which see each
//! other.

use std::sync::Arc;

use ledger::{
    Claim, ClaimRef, ClaimState, ClaimTransfer, DeferredRequest, DisputeEnd, DisputeOutcome, LeaseRequest,
    Ledger, LedgerError, LedgerRecord, NewClaim, Payments, PreparedTransaction, Refund, RefundKind,
    RefundState, Refunds,
};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::ffi;
use verdict::KeptRequest;

use super::claim_faults::{OWNER, PAYEE, Step as ClaimStep, claim, in_one_batch, new_claim};
use super::store_faults::{Store, failure, hash, record};
use crate::SqliteLedger;
use crate::log::commit::CommitFn;
use crate::refunds::refund_rows;

const REFUND_TO: [u8; 20] = [7; 20];
const BOND: u64 = 100;

/// A step of a dispute's last part that a commit may fail in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    End(DisputeOutcome),
    Take,
    Sending,
    Failed,
    Paid,
    PayLocally,
}

impl Step {
    const ALL: [Self; 8] = [
        Self::End(DisputeOutcome::Upheld),
        Self::End(DisputeOutcome::Overturned),
        Self::End(DisputeOutcome::Inconclusive),
        Self::Take,
        Self::Sending,
        Self::Failed,
        Self::Paid,
        Self::PayLocally,
    ];

    /// The steps that come before it.
    fn before(self) -> &'static [Self] {
        const END: Step = Step::End(DisputeOutcome::Overturned);
        match self {
            Self::End(_) => &[],
            Self::Take => &[END],
            Self::Sending | Self::PayLocally => &[END, Self::Take],
            Self::Failed | Self::Paid => &[END, Self::Take, Self::Sending],
        }
    }

    async fn take(self, ledger: &SqliteLedger) -> Result<(), LedgerError> {
        let at = Timestamp::EPOCH;
        // The first of them: each dispute that was overturned has left several.
        let refund = refunds(ledger).await.into_iter().find(|refund| refund.state != RefundState::Paid);
        let id = |refund: Option<Refund>| refund.map(|refund| refund.id).unwrap();
        match self {
            Self::End(outcome) => ledger.append(ended(ledger, 10, outcome).await).await.map(drop),
            Self::Take => {
                let wish = LeaseRequest { now: at, owner: OWNER, lease_until: Timestamp::MAX, most: 10 };
                ledger.take_refunds(wish).await.map(drop)
            }
            Self::Sending => {
                let prepared =
                    PreparedTransaction { raw: vec![b't'; 200], transaction: None, replaces: false };
                ledger.refund_sending(id(refund), OWNER, vec![b'p'; 200], prepared, None).await
            }
            Self::Failed => ledger.refund_failed(id(refund), OWNER).await,
            Self::Paid => ledger.refund_paid(id(refund), OWNER, [8; 32], at).await,
            Self::PayLocally => ledger.pay_refund_locally(id(refund), OWNER, PAYEE, [8; 32], at, None).await,
        }
    }
}

/// A dispute of this number about the receipt of the number, which is at that leaf, with a bond that has settled.
async fn open_dispute(ledger: &SqliteLedger, number: u64, about: u64) -> Claim {
    let deferred =
        Some(DeferredRequest { request: KeptRequest::as_sent(vec![b'r'; 300]), at: Timestamp::EPOCH });
    let new = NewClaim { bond: true, about: Some(hash(about)), deferred, amount: BOND, ..new_claim(number) };
    ledger.claim(new).await.unwrap();
    for step in [ClaimStep::Broadcasting, ClaimStep::Settled, ClaimStep::Judged] {
        step.take(ledger, number).await.unwrap();
    }
    claim(ledger, number).await.unwrap()
}

/// The record that ends a dispute.
async fn ended(ledger: &SqliteLedger, number: u64, outcome: DisputeOutcome) -> LedgerRecord {
    let Claim { id, about, .. } = claim(ledger, number).await.unwrap();
    let disputed = ledger.receipt(&about.unwrap()).await.unwrap().unwrap().leaf;
    let end = DisputeEnd { outcome, disputed, refund_to: REFUND_TO };
    LedgerRecord { claim: Some(ClaimRef { id, owner: OWNER }), dispute: Some(end), ..record(number, None) }
}

/// A store with some reserve, and an open dispute about a receipt that was paid for; then all is done that comes before
/// a step.
async fn store_before(step: Step) -> Store {
    let store = Store::new();
    let ledger = store.ledger();
    ledger.local_open(PAYEE, 10 * BOND).await.unwrap();
    fill_reserve(&ledger, 5).await;
    for step in
        [ClaimStep::Claim, ClaimStep::Judged, ClaimStep::Broadcasting, ClaimStep::Settled, ClaimStep::Deliver]
    {
        step.take(&ledger, 1).await.unwrap();
    }
    open_dispute(&ledger, 10, 1).await;
    for step in step.before() {
        step.take(&ledger).await.unwrap();
    }
    store
}

/// A dispute that is upheld, about a receipt of its own.
async fn fill_reserve(ledger: &SqliteLedger, number: u64) {
    ledger.append(record(number, None)).await.unwrap();
    open_dispute(ledger, number + 1000, number).await;
    ledger.append(ended(ledger, number + 1000, DisputeOutcome::Upheld).await).await.unwrap();
}

async fn refunds(ledger: &SqliteLedger) -> Vec<Refund> {
    ledger.read(|connection| refund_rows::in_states(connection, &RefundState::ALL)).await.unwrap()
}

async fn reserve(ledger: &SqliteLedger) -> u64 {
    let reserves = ledger.read(refund_rows::reserves).await.unwrap();
    reserves.into_iter().map(|(_, amount)| amount).sum()
}

/// All that the store has about the dispute and about money.
async fn log_writer(ledger: &SqliteLedger) -> String {
    let balances =
        (ledger.local_balance(&PAYEE).await.unwrap(), ledger.local_balance(&REFUND_TO).await.unwrap());
    // Leases end with the process.
    let dispute = claim(ledger, 10).await.map(|claim| Claim { lease_until: Timestamp::EPOCH, ..claim });
    let disputes = ledger.disputes(&hash(1)).await.unwrap();
    let receipt = ledger.receipt(&hash(10)).await.unwrap();
    let (refunds, reserve) = (refunds(ledger).await, reserve(ledger).await);
    format!("{refunds:?} {reserve} {balances:?} {dispute:?} {disputes:?} {receipt:?} {:?}", ledger.head())
}

/// The debts, but for what differs from store to store.
async fn owed(ledger: &SqliteLedger) -> Vec<(RefundKind, u64, RefundState, ClaimTransfer)> {
    let refunds = refunds(ledger).await.into_iter();
    refunds.map(|refund| (refund.kind, refund.amount, refund.state, refund.origin)).collect()
}

#[tokio::test]
async fn a_step_of_a_dispute_whose_commit_fails_changes_nothing_and_can_be_taken_again() {
    for step in Step::ALL {
        let store = store_before(step).await;
        let ledger = store.ledger();
        let before = log_writer(&ledger).await;
        store.fail_with(|_| Err(failure(ffi::SQLITE_FULL)));
        let refused = step.take(&ledger).await.unwrap_err();
        assert!(matches!(refused, LedgerError::Busy), "{step:?}: {refused}");
        assert_eq!(log_writer(&ledger).await, before, "{step:?}");
        store.fail_with(|transaction| transaction.commit());
        step.take(&ledger).await.unwrap();
        assert_ne!(log_writer(&ledger).await, before, "{step:?}");
        assert_eq!(owed(&ledger).await, owed_without_fault(step).await, "{step:?}");
    }
}

/// The debts after a step in which nothing has gone wrong.
async fn owed_without_fault(step: Step) -> Vec<(RefundKind, u64, RefundState, ClaimTransfer)> {
    let store = store_before(step).await;
    step.take(&store.ledger()).await.unwrap();
    owed(&store.ledger()).await
}

#[tokio::test]
async fn a_step_of_a_dispute_that_landed_is_answered_although_its_commit_was_reported_as_failed() {
    for step in Step::ALL {
        let mut store = store_before(step).await;
        let ledger = store.ledger();
        store.fail_with(|transaction| {
            transaction.commit()?;
            Err(failure(ffi::SQLITE_BUSY))
        });
        step.take(&ledger).await.unwrap();
        let landed = log_writer(&ledger).await;
        drop(ledger);
        assert_eq!(log_writer(&store.reopen()).await, landed, "{step:?}");
        assert_eq!(owed(&store.ledger()).await, owed_without_fault(step).await, "{step:?}");
    }
}

/// The disk failed in the commit: whether it landed is found at the next start, and all of it has, or none.
#[tokio::test]
async fn a_step_of_a_dispute_whose_outcome_is_not_known_is_whole_or_absent_after_the_next_start() {
    let lost: CommitFn = |transaction| {
        transaction.rollback()?;
        Err(failure(ffi::SQLITE_IOERR_FSYNC))
    };
    for step in Step::ALL {
        let mut store = store_before(step).await;
        let ledger = store.ledger();
        let before = log_writer(&ledger).await;
        store.fail_with(lost);
        let unknown = step.take(&ledger).await.unwrap_err();
        assert!(matches!(unknown, LedgerError::OutcomeUnknown), "{step:?}: {unknown}");
        drop(ledger);
        let ledger = store.reopen();
        assert_eq!(log_writer(&ledger).await, before, "{step:?}");
        // The lease is over with the process that had it.
        if step != Step::Take {
            Step::Take.take(&ledger).await.unwrap();
        }
        step.take(&ledger).await.unwrap();
        assert_eq!(owed(&ledger).await, owed_without_fault(step).await, "{step:?}");
    }
}

/// Three disputes end in one transaction: the first forfeits what the second takes, and the third finds the rest.
#[tokio::test]
async fn disputes_that_end_in_one_batch_see_each_others_reserve_in_their_order() {
    let store = Store::new();
    let ledger = store.ledger();
    let mut records = Vec::new();
    let outcomes = [DisputeOutcome::Overturned, DisputeOutcome::Upheld, DisputeOutcome::Overturned];
    for (number, outcome) in (1..).zip(outcomes.into_iter().chain(outcomes)) {
        ledger.append(record(number, None)).await.unwrap();
        open_dispute(&ledger, number + 10, number).await;
        records.push(ended(&ledger, number + 10, outcome).await);
    }
    let size = ledger.head().size;
    let tasks = records.into_iter().map(|record| {
        let ledger = Arc::clone(&ledger);
        async move { ledger.append(record).await.unwrap() }
    });
    let appended = in_one_batch(&store, tasks.collect()).await;
    let head = ledger.head();
    for (leaf, appended) in (size..size + 6).zip(appended) {
        assert_eq!((appended.leaf, appended.inclusion.checkpoint), (leaf, Arc::clone(&head.checkpoint)));
    }
    let refunds = refunds(&ledger).await.into_iter();
    let bounties: Vec<_> = refunds.filter(|refund| refund.kind == RefundKind::Bounty).collect();
    let bounties: Vec<_> = bounties.iter().map(|refund| (refund.dispute, refund.amount)).collect();
    // 11 finds nothing; 12 forfeits, 13 takes it; 14 finds nothing; 15 forfeits, 16 takes it.
    assert_eq!(bounties, [(hash(13), BOND), (hash(16), BOND)]);
    assert_eq!(reserve(&ledger).await, 0);
}

/// A delivery that is not published yet cannot be proven; until then a dispute has no receipt, and nothing takes a
/// receipt's place.
#[tokio::test]
async fn a_receipt_about_another_is_not_spoken_of_before_it_is_published() {
    let store = store_before(Step::End(DisputeOutcome::Upheld)).await;
    let ledger = store.ledger();
    let successor = NewClaim { about: Some(hash(1)), ..new_claim(20) };
    let (agent, payer) = (successor.agent.clone(), successor.payer);
    ledger.claim(successor).await.unwrap();
    for step in [ClaimStep::Judged, ClaimStep::Broadcasting, ClaimStep::Settled] {
        step.take(&ledger, 20).await.unwrap();
    }
    let size = i64::try_from(ledger.head().size).unwrap();
    store.inspect(move |log_writer| {
        let set = "UPDATE claims SET state = 4, receipt = zeroblob(32), leaf = ?, proof = ''
                   WHERE state = 3 AND bond = ?";
        for (leaf, bond) in [(size, true), (size + 1, false)] {
            assert_eq!(log_writer.connection.execute(set, rusqlite::params![leaf, bond]).unwrap(), 1);
        }
    });
    let spoken_of = async || {
        let disputes = ledger.disputes(&hash(1)).await.unwrap();
        let receipts: Vec<_> = disputes.into_iter().map(|dispute| dispute.receipt).collect();
        (receipts, ledger.superseded_by(&hash(1), &agent, &payer).await.unwrap())
    };
    let delivered = Some(ReceiptHash([0; 32]));
    assert_eq!(spoken_of().await, (vec![None], None));
    for number in [10, 20] {
        assert_eq!(claim(&ledger, number).await.map(|claim| claim.state), Some(ClaimState::Settled));
    }
    ledger.append(record(2, None)).await.unwrap();
    assert_eq!(spoken_of().await, (vec![delivered], None));
    ledger.append(record(3, None)).await.unwrap();
    assert_eq!(spoken_of().await, (vec![delivered], delivered));
}

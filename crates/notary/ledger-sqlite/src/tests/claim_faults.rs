//! Claims where the disk fails at any of their steps, and the steps of one batch, which see each other.

use std::sync::Arc;
use std::time::Duration;

use ledger::{
    Claim, ClaimFailure, ClaimId, ClaimOutcome, ClaimRef, ClaimState, Judgement, LeaseRequest, Ledger,
    LedgerError, LedgerRecord, LocalPayment, NewClaim, Owner, Payments, PreparedTransaction, ProofKey,
    Settlement,
};
use receipt::hash::sha256;
use receipt::time::Timestamp;
use rusqlite::ffi;
use verdict::KeptRequest;

use super::store_faults::{Store, failure, hash, record};
use crate::SqliteLedger;
use crate::log::commit::CommitFn;

pub(super) const OWNER: Owner = Owner([1; 16]);
const OTHER: Owner = Owner([2; 16]);
const PAYER: [u8; 20] = [3; 20];
pub(super) const PAYEE: [u8; 20] = [4; 20];
const AMOUNT: u64 = 100;

fn key(number: u64) -> ProofKey {
    let nonce = sha256(&number.to_be_bytes());
    ProofKey::Authorization { chain_id: 8453, asset: [5; 20], payer: PAYER, nonce }
}

pub(super) fn new_claim(number: u64) -> NewClaim {
    NewClaim {
        key: key(number),
        identifier: None,
        fingerprint: [6; 32],
        class: "commit",
        agent: "scout".to_owned(),
        payer: PAYER,
        symbol: "USDC".to_owned(),
        amount: AMOUNT,
        bond: false,
        about: None,
        proof: vec![b'p'; 300],
        deferred: None,
        most_of_payer: u32::MAX,
        balance: None,
        owner: OWNER,
        lease_until: Timestamp::MAX,
    }
}

pub(super) fn judgement() -> Judgement {
    Judgement {
        finding: vec![b'f'; 500],
        evidence: Vec::new(),
        request: KeptRequest::as_sent(vec![b'r'; 300]),
        at: Timestamp::EPOCH,
    }
}

fn settlement(number: u64) -> Settlement {
    let transaction = sha256(&number.to_le_bytes());
    Settlement { transaction, log_index: Some(0), kind: "chain", at: Timestamp::EPOCH }
}

/// A step of a claim's life that a commit may fail in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Claim,
    Judged,
    Broadcasting,
    Settled,
    SettleLocal,
    Deliver,
    Free,
    Failed,
}

impl Step {
    const ALL: [Self; 8] = [
        Self::Claim,
        Self::Judged,
        Self::Broadcasting,
        Self::Settled,
        Self::SettleLocal,
        Self::Deliver,
        Self::Free,
        Self::Failed,
    ];

    /// The steps that come before it.
    fn before(self) -> &'static [Self] {
        match self {
            Self::Claim => &[],
            Self::Judged => &[Self::Claim],
            Self::Broadcasting | Self::SettleLocal | Self::Free => &[Self::Claim, Self::Judged],
            Self::Settled | Self::Failed => &[Self::Claim, Self::Judged, Self::Broadcasting],
            Self::Deliver => &[Self::Claim, Self::Judged, Self::Broadcasting, Self::Settled],
        }
    }

    /// The state that it leads to; none where the claim is gone.
    fn after(self) -> Option<ClaimState> {
        match self {
            Self::Claim => Some(ClaimState::Claimed),
            Self::Judged => Some(ClaimState::Judged),
            Self::Broadcasting => Some(ClaimState::Broadcast),
            Self::Settled | Self::SettleLocal => Some(ClaimState::Settled),
            Self::Deliver => Some(ClaimState::Delivered),
            Self::Free => None,
            Self::Failed => Some(ClaimState::Failed),
        }
    }

    pub(super) async fn take(self, ledger: &SqliteLedger, number: u64) -> Result<(), LedgerError> {
        let found = claim(ledger, number).await;
        let id = found.map_or(ClaimId(0), |claim| claim.id);
        match self {
            Self::Claim => ledger.claim(new_claim(number)).await.map(drop),
            Self::Judged => ledger.judged(id, OWNER, judgement()).await,
            Self::Broadcasting => {
                let prepared =
                    PreparedTransaction { raw: vec![b't'; 200], transaction: None, replaces: false };
                ledger.broadcasting(id, OWNER, prepared).await
            }
            Self::Settled => ledger.settled(id, OWNER, settlement(number)).await,
            Self::SettleLocal => {
                let Settlement { transaction, at, .. } = settlement(number);
                ledger.settle_local(id, OWNER, LocalPayment { payee: PAYEE, transaction, at }).await
            }
            Self::Deliver => ledger.append(paid_record(number, id, OWNER)).await.map(drop),
            Self::Free => ledger.free(id, OWNER).await,
            Self::Failed => {
                let failure =
                    ClaimFailure { code: "reverted".to_owned(), detail: "it was reverted".to_owned() };
                ledger.failed(id, OWNER, failure).await
            }
        }
    }
}

fn paid_record(number: u64, id: ClaimId, owner: Owner) -> LedgerRecord {
    LedgerRecord { claim: Some(ClaimRef { id, owner }), ..record(number, None) }
}

pub(super) async fn claim(ledger: &SqliteLedger, number: u64) -> Option<Claim> {
    ledger.find_claim(&key(number), None).await.unwrap()
}

/// All that the store has about a claim and about money.
async fn log_writer(ledger: &SqliteLedger, number: u64) -> String {
    let found = claim(ledger, number).await;
    let work = match &found {
        Some(claim) => ledger.claim_work(claim.id).await.unwrap(),
        None => None,
    };
    let balances = (ledger.local_balance(&PAYER).await.unwrap(), ledger.local_balance(&PAYEE).await.unwrap());
    let revenue = ledger.revenue().await.unwrap();
    let settled = ledger.settled_by("scout", 0).await.unwrap();
    let receipt = ledger.receipt(&hash(number)).await.unwrap();
    format!("{work:?} {balances:?} {revenue:?} {settled} {receipt:?} {:?}", ledger.head())
}

/// A store with money, and a claim for which all is done that comes before a step.
async fn store_before(step: Step) -> Store {
    let store = Store::new();
    store.ledger().local_open(PAYER, 1000).await.unwrap();
    for step in step.before() {
        step.take(&store.ledger(), 1).await.unwrap();
    }
    store
}

#[tokio::test]
async fn a_step_whose_commit_fails_changes_nothing_and_can_be_taken_again() {
    for step in Step::ALL {
        let store = store_before(step).await;
        let ledger = store.ledger();
        let before = log_writer(&ledger, 1).await;
        store.fail_with(|_| Err(failure(ffi::SQLITE_FULL)));
        let refused = step.take(&ledger, 1).await.unwrap_err();
        assert!(matches!(refused, LedgerError::Busy), "{step:?}: {refused}");
        assert_eq!(log_writer(&ledger, 1).await, before, "{step:?}");
        let nothing_written = ledger.free(ClaimId(99), OWNER).await;
        assert!(matches!(nothing_written, Err(LedgerError::NoSuchClaim(_))));
        assert!(!ledger.is_writable(), "a failing disk shows until something was written");
        store.fail_with(|transaction| transaction.commit());
        step.take(&ledger, 1).await.unwrap();
        assert_eq!(claim(&ledger, 1).await.map(|claim| claim.state), step.after(), "{step:?}");
        assert!(ledger.is_writable());
    }
}

#[tokio::test]
async fn a_step_that_landed_is_answered_although_its_commit_was_reported_as_failed() {
    for step in Step::ALL {
        let mut store = store_before(step).await;
        let ledger = store.ledger();
        store.fail_with(|transaction| {
            transaction.commit()?;
            Err(failure(ffi::SQLITE_BUSY))
        });
        step.take(&ledger, 1).await.unwrap();
        assert_eq!(claim(&ledger, 1).await.map(|claim| claim.state), step.after(), "{step:?}");
        store.fail_with(|transaction| transaction.commit());
        Step::Claim.take(&ledger, 2).await.unwrap();
        drop(ledger);
        let ledger = store.reopen();
        assert_eq!(claim(&ledger, 1).await.map(|claim| claim.state), step.after(), "{step:?}");
    }
}

/// The disk failed in the commit: whether it landed is found at the next start, and until then nothing goes on.
#[tokio::test]
async fn a_step_whose_outcome_is_not_known_is_said_to_be_so_and_known_after_the_next_start() {
    let lost: CommitFn = |transaction| {
        transaction.rollback()?;
        Err(failure(ffi::SQLITE_IOERR_FSYNC))
    };
    for step in Step::ALL {
        let mut store = store_before(step).await;
        let ledger = store.ledger();
        let state = claim(&ledger, 1).await.map(|claim| claim.state);
        store.fail_with(lost);
        let unknown = step.take(&ledger, 1).await.unwrap_err();
        assert!(matches!(unknown, LedgerError::OutcomeUnknown), "{step:?}: {unknown}");
        let refused = Step::Claim.take(&ledger, 2).await.unwrap_err();
        assert!(matches!(refused, LedgerError::Busy), "{refused}");
        drop(ledger);
        let ledger = store.reopen();
        assert_eq!(claim(&ledger, 1).await.map(|claim| claim.state), state, "{step:?}");
        step.take(&ledger, 1).await.unwrap();
        assert_eq!(claim(&ledger, 1).await.map(|claim| claim.state), step.after(), "{step:?}");
    }
}

#[tokio::test]
async fn on_a_full_disk_steps_are_refused_whole_and_go_on_once_there_is_room() {
    let limit = |store: &Store, room: u64| {
        store.inspect(move |log_writer| {
            let pages: u64 =
                log_writer.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
            log_writer
                .connection
                .pragma_update_and_check(None, "max_page_count", pages + room, |_| Ok(()))
                .unwrap();
        });
    };
    let store = store_before(Step::Judged).await;
    let ledger = store.ledger();
    let id = claim(&ledger, 1).await.unwrap().id;
    let before = log_writer(&ledger, 1).await;
    limit(&store, 5);
    let large = Judgement { request: KeptRequest::as_sent(vec![b'r'; 100_000]), ..judgement() };
    let full = ledger.judged(id, OWNER, large.clone()).await.unwrap_err();
    assert!(matches!(full, LedgerError::Busy), "{full}");
    assert_eq!(log_writer(&ledger, 1).await, before);
    let full = ledger.claim(NewClaim { proof: vec![0; 100_000], ..new_claim(2) }).await.unwrap_err();
    assert!(matches!(full, LedgerError::Busy), "{full}");
    assert_eq!(claim(&ledger, 2).await, None);
    limit(&store, 1_000_000);
    ledger.judged(id, OWNER, large.clone()).await.unwrap();
    let work = ledger.claim_work(id).await.unwrap().unwrap();
    assert_eq!(work.judgement, Some(large));
}

/// A job of its own for each task, all in one batch: the writer is held until they wait.
pub(super) async fn in_one_batch<T: Send + 'static>(
    store: &Store,
    tasks: Vec<impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let ledger = store.ledger();
    let held = store.hold();
    let mut waiting = Vec::new();
    for task in tasks {
        let room = ledger.writer.room();
        waiting.push(tokio::spawn(task));
        while ledger.writer.room() == room {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    drop(held);
    let mut given = Vec::new();
    for task in waiting {
        given.push(task.await.unwrap());
    }
    given
}

/// Two take over and then deliver the same claim; a third claims its proof; a fourth and a fifth race for one nonce.
#[tokio::test]
async fn the_steps_of_one_batch_see_each_other_in_their_order() {
    let store = store_before(Step::Deliver).await;
    let ledger = store.ledger();
    let id = claim(&ledger, 1).await.unwrap().id;
    let task = |number: u64| {
        let ledger = Arc::clone(&ledger);
        async move {
            match number {
                0 => ledger.append(paid_record(1, id, OWNER)).await.map(|_| "delivered"),
                1 => {
                    let (now, most) = (Timestamp::MAX, 10);
                    let wish = LeaseRequest { now, owner: OTHER, lease_until: Timestamp::MAX, most };
                    ledger.take_over(wish).await.map(|taken| ["nothing", "taken"][taken.len()])
                }
                2 => ledger.append(paid_record(2, id, OTHER)).await.map(|_| "delivered"),
                3 => ledger.append(paid_record(3, id, OTHER)).await.map(|_| "delivered"),
                4 => ledger.append(record(4, None)).await.map(|_| "logged"),
                number => ledger.claim(new_claim(number / 7)).await.map(|claiming| match claiming {
                    ClaimOutcome::Mine(_) => "mine",
                    ClaimOutcome::Known(claim) => claim.state.as_str(),
                    ClaimOutcome::Full
                    | ClaimOutcome::DisputeOpen
                    | ClaimOutcome::DisputeLimit
                    | ClaimOutcome::PayerLimit
                    | ClaimOutcome::Uncovered => "refused",
                }),
            }
        }
    };
    let tasks = [0, 1, 2, 3, 4, 8, 9, 14, 15].map(task).into();
    let answers = in_one_batch(&store, tasks).await;
    let answers: Vec<String> =
        answers.into_iter().map(|answer| answer.map_or_else(|why| why.to_string(), str::to_owned)).collect();
    let expected = [
        "another owner works on it",
        "taken",
        "delivered",
        "the claim is delivered and does not take this step",
        "logged",
        "settled",
        "settled",
        "mine",
        "claimed",
    ];
    assert_eq!(answers, expected);
    assert_eq!(ledger.head().size, 2);
    store.inspect(|log_writer| assert_eq!(log_writer.edge.size(), 2));
}

/// The reason of a refusal may have been undone with the batch, so the refusal is not reported.
#[tokio::test]
async fn a_refusal_of_a_batch_that_is_rolled_back_is_not_told() {
    let store = store_before(Step::Deliver).await;
    let ledger = store.ledger();
    let id = claim(&ledger, 1).await.unwrap().id;
    let before = log_writer(&ledger, 1).await;
    store.fail_with(|_| Err(failure(ffi::SQLITE_FULL)));
    let task = |is_first: bool| {
        let ledger = Arc::clone(&ledger);
        async move {
            if is_first {
                let (now, most) = (Timestamp::MAX, 10);
                let wish = LeaseRequest { now, owner: OTHER, lease_until: Timestamp::MAX, most };
                ledger.take_over(wish).await.map(drop)
            } else {
                ledger.append(paid_record(1, id, OWNER)).await.map(drop)
            }
        }
    };
    for answer in in_one_batch(&store, vec![task(true), task(false)]).await {
        assert!(matches!(answer, Err(LedgerError::Busy)), "{answer:?}");
    }
    assert_eq!(log_writer(&ledger, 1).await, before);
    store.fail_with(|transaction| transaction.commit());
    ledger.append(paid_record(1, id, OWNER)).await.unwrap();
}

/// A proof that is known already costs no write, and its answer needs none.
#[tokio::test]
async fn a_batch_that_changes_nothing_is_not_committed() {
    let store = store_before(Step::Judged).await;
    let ledger = store.ledger();
    store.fail_with(|_| panic!("there is nothing to commit"));
    assert!(matches!(ledger.claim(new_claim(1)).await, Ok(ClaimOutcome::Known(_))));
    let id = claim(&ledger, 1).await.unwrap().id;
    assert!(matches!(ledger.free(id, OTHER).await, Err(LedgerError::NotOwner)));
    let record = paid_record(1, id, OWNER);
    assert!(matches!(ledger.append(record).await, Err(LedgerError::WrongState(ClaimState::Claimed))));
    assert!(ledger.is_writable());
}

/// Between the commit and the publishing of its head, a receipt cannot be proven; until then it is not spoken of.
#[tokio::test]
async fn a_delivery_that_is_not_published_yet_is_not_seen() {
    let store = store_before(Step::Deliver).await;
    let ledger = store.ledger();
    store.inspect(|log_writer| {
        let set = "UPDATE claims SET state = 4, receipt = zeroblob(32), leaf = 0, proof = ''";
        log_writer.connection.execute(set, []).unwrap();
    });
    let id = claim(&ledger, 1).await.unwrap().id;
    for claim in [claim(&ledger, 1).await.unwrap(), ledger.claim_by_id(id).await.unwrap().unwrap()] {
        assert_eq!((claim.state, claim.receipt), (ClaimState::Settled, None));
    }
    ledger.append(record(2, None)).await.unwrap();
    let claim = claim(&ledger, 1).await.unwrap();
    assert_eq!((claim.state, claim.receipt.map(|receipt| receipt.leaf)), (ClaimState::Delivered, Some(0)));
}

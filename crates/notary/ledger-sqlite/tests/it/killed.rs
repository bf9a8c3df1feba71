//! Payments of a process that is killed: no money is lost or made, and what was paid for is delivered.

use std::io::{BufRead as _, BufReader};
use std::sync::Arc;

use ledger::{ClaimRef, ClaimState, Ledger, LedgerRecord};

use crate::conformance::Harness as _;
use crate::conformance::payer::*;
use crate::conformance::support::*;
use crate::files::{child, open_in_child};
use crate::harness::SqliteStore;

const FUNDS: u64 = 1_000_000_000_000;
const PRICE: u64 = 100_000;

#[tokio::test]
async fn after_a_kill_what_was_paid_for_is_delivered_and_nothing_else_is_kept() {
    let store = SqliteStore::new();
    let mut answers = 0;
    for round in 1..=4_usize {
        let (settled, answered) = pay_and_kill(&store, 60 * round);
        answers += answered.len();
        let ledger = store.open().await;
        for number in answered {
            let claim = ledger.find_claim(&authorization(number), None).await.unwrap().unwrap();
            assert_eq!(claim.state, ClaimState::Delivered);
            let receipt = ledger.receipt_with_inclusion(&claim.receipt.unwrap().hash).await.unwrap();
            verified(number, &receipt.unwrap().1);
        }
        for number in settled {
            let claim = ledger.find_claim(&authorization(number), None).await.unwrap().unwrap();
            assert!(matches!(claim.state, ClaimState::Settled | ClaimState::Delivered));
        }
        recover(&*ledger, store.clock()).await;
        let paid = ledger.local_balance(&PAYEE).await.unwrap();
        assert_eq!(ledger.local_balance(&PAYER).await.unwrap(), FUNDS - paid);
        assert_eq!(ledger.revenue().await.unwrap()[0].income, paid);
        assert_eq!(ledger.head().size * PRICE, paid, "a receipt for each payment");
        Auditor::fetch(&*ledger).await.audit(&ledger.head());
    }
    assert!(answers >= 600);
}

/// Finishes what was settled and frees the rest, as the next process does.
async fn recover(ledger: &dyn Ledger, clock: &ManualClock) {
    for claim in ledger.take_over(take_over_now(clock, OTHER, 1000)).await.unwrap() {
        if claim.state != ClaimState::Settled {
            ledger.free(claim.id, OTHER).await.unwrap();
            continue;
        }
        let judgement = ledger.claim_work(claim.id).await.unwrap().unwrap().judgement.unwrap();
        let finding: serde_json::Value = serde_json::from_slice(&judgement.finding).unwrap();
        let number = finding["finding"].as_u64().unwrap();
        let claim = Some(ClaimRef { id: claim.id, owner: OTHER });
        ledger
            .append(LedgerRecord { claim, request: judgement.request.into_body(), ..record(number) })
            .await
            .unwrap();
    }
}

/// Runs a process that pays until so many calls are answered, kills it, and gives the numbers that it has said were
/// settled and answered.
fn pay_and_kill(store: &SqliteStore, calls: usize) -> (Vec<u64>, Vec<u64>) {
    let mut process = child("killed::child_pays_until_it_is_killed", store).spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let (mut settled, mut answered) = (Vec::new(), Vec::new());
    let mut hear = |line: &str, answered: &mut Vec<u64>| {
        settled.extend(number_after("settled ", line));
        answered.extend(number_after("answered ", line));
    };
    while answered.len() < calls {
        let line = lines.next().expect("the child goes on until it is killed").unwrap();
        hear(&line, &mut answered);
    }
    process.kill().unwrap();
    process.wait().unwrap();
    lines.map_while(Result::ok).for_each(|line| hear(&line, &mut answered));
    (settled, answered)
}

/// The number in a child's line of this kind; `None` in any other, and in one that was cut off.
fn number_after(kind: &str, line: &str) -> Option<u64> {
    line.strip_prefix(kind)?.strip_suffix('.')?.parse().ok()
}

#[test]
#[ignore = "run by another test as a process of its own"]
fn child_pays_until_it_is_killed() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let Some(ledger) = open_in_child() else { return };
    let ledger: Arc<dyn Ledger> = Arc::new(ledger.unwrap());
    runtime.block_on(ledger.local_open(PAYER, FUNDS)).unwrap();
    let first = 1_000_000 * (1 + ledger.head().size);
    let tasks: Vec<_> = (0..8_u64)
        .map(|task| {
            let ledger = Arc::clone(&ledger);
            runtime.spawn(async move {
                for step in 0.. {
                    let number = first + step * 8 + task;
                    let id = mine(&*ledger, new_claim(authorization(number))).await;
                    ledger.judged(id, OWNER, judgement(number)).await.unwrap();
                    ledger.settle_local(id, OWNER, local_payment(number)).await.unwrap();
                    println!("settled {number}.");
                    ledger.append(paid_record(number, id)).await.unwrap();
                    println!("answered {number}.");
                }
            })
        })
        .collect();
    for task in tasks {
        runtime.block_on(task).unwrap();
    }
}

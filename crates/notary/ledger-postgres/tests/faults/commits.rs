//! A COMMIT whose answer is lost: callers hear whether it has landed, and nothing is written before that is known.

use std::sync::Arc;

use ledger::{ClaimOutcome, Ledger as _, LedgerError, Payments as _, QuotaKey, QuotaRequest};
use ledger_postgres::PostgresLedger;
use peers::postgres::{Database, Server};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::payer::{authorization, new_claim};
use crate::proxy::{Fault, Of, Proxy};
use crate::store::{audited, open, until, until_waiting};
use crate::support::{ManualClock, hash, place_key, record, verified};

/// A store behind a proxy.
async fn behind_a_proxy() -> (Database, Proxy, Arc<PostgresLedger>) {
    let database = Server::shared().database();
    let proxy = Proxy::start(&database);
    let ledger = Arc::new(open(&proxy.address()).await);
    (database, proxy, ledger)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_whose_commit_has_landed_unheard_is_answered() {
    let (database, proxy, ledger) = behind_a_proxy().await;
    proxy.fail(Of::Log, Fault::CutAfter);
    let appended = ledger.append(record(1)).await.unwrap();
    assert!(proxy.has_failed());
    assert_eq!(verified(1, &appended.inclusion).root(), ledger.head().root);
    assert!(ledger.receipt(&hash(1)).await.unwrap().is_some());
    assert_eq!(ledger.append(record(2)).await.unwrap().leaf, 1);
    assert_eq!(audited(&database.address()).await.size, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_whose_commit_never_arrived_is_refused_and_may_come_again() {
    let (database, proxy, ledger) = behind_a_proxy().await;
    ledger.append(record(0)).await.unwrap();
    proxy.fail(Of::Log, Fault::CutBefore);
    let refused = ledger.append(record(1)).await;
    assert!(matches!(refused, Err(LedgerError::Busy)), "{refused:?}");
    assert!(proxy.has_failed());
    assert_eq!(ledger.head().size, 1);
    assert!(ledger.receipt(&hash(1)).await.unwrap().is_none());
    assert_eq!(ledger.append(record(1)).await.unwrap().leaf, 1);
    assert_eq!(audited(&database.address()).await.size, 2);
}

/// Appends a record whose COMMIT is held back while the transaction is open, until its outcome is asked for.
async fn held_back(
    database: &Database,
    proxy: &Proxy,
    ledger: &Arc<PostgresLedger>,
) -> (oneshot::Sender<bool>, JoinHandle<Result<u64, LedgerError>>) {
    let (release, is_sent) = oneshot::channel();
    proxy.fail(Of::Log, Fault::Hold(is_sent));
    let ledger = Arc::clone(ledger);
    let append = tokio::spawn(async move { Ok(ledger.append(record(1)).await?.leaf) });
    until("the commit is held back", async || proxy.has_failed()).await;
    until_waiting(database, "Lock", "FROM head FOR UPDATE", 1).await;
    assert!(!append.is_finished());
    (release, append)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_lands_while_its_outcome_is_asked_for_is_answered() {
    let (database, proxy, ledger) = behind_a_proxy().await;
    let (release, append) = held_back(&database, &proxy, &ledger).await;
    release.send(true).unwrap();
    assert_eq!(append.await.unwrap().unwrap(), 0);
    assert_eq!(ledger.append(record(2)).await.unwrap().leaf, 1);
    assert_eq!(audited(&database.address()).await.size, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_is_lost_while_its_outcome_is_asked_for_is_refused() {
    let (database, proxy, ledger) = behind_a_proxy().await;
    let (release, append) = held_back(&database, &proxy, &ledger).await;
    release.send(false).unwrap();
    assert!(matches!(append.await.unwrap(), Err(LedgerError::Busy)));
    assert_eq!(ledger.append(record(2)).await.unwrap().leaf, 0);
    assert_eq!(audited(&database.address()).await.size, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_whose_commit_has_landed_unheard_is_granted_and_one_whose_commit_was_lost_is_not() {
    let (_database, proxy, ledger) = behind_a_proxy().await;
    proxy.fail(Of::Work, Fault::CutAfter);
    let ClaimOutcome::Mine(id) = ledger.claim(new_claim(authorization(1))).await.unwrap() else {
        panic!("it is new");
    };
    assert!(proxy.has_failed());
    let again = ledger.claim(new_claim(authorization(1))).await.unwrap();
    assert!(matches!(again, ClaimOutcome::Known(claim) if claim.id == id));
    proxy.fail(Of::Work, Fault::CutBefore);
    assert!(matches!(ledger.claim(new_claim(authorization(2))).await, Err(LedgerError::Busy)));
    let again = ledger.claim(new_claim(authorization(2))).await.unwrap();
    assert!(matches!(again, ClaimOutcome::Mine(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_counts_once_whatever_becomes_of_its_commit() {
    let (_database, proxy, ledger) = behind_a_proxy().await;
    let key = QuotaKey::Free(place_key("scout", &ManualClock::start()));
    let wish = || vec![QuotaRequest::one(key.clone(), 2)];
    proxy.fail(Of::Admission, Fault::CutAfter);
    let first = ledger.reserve(wish()).await.unwrap().unwrap();
    assert!(proxy.has_failed());
    proxy.fail(Of::Admission, Fault::CutBefore);
    // The fault may have met a transaction that renews leases: then this one is given.
    let refused = ledger.reserve(wish()).await.and_then(|held| held.map_err(|_| LedgerError::Busy));
    until("the fault", async || proxy.has_failed()).await;
    drop(refused);
    let second = ledger.reserve(wish()).await.unwrap().unwrap();
    assert!(ledger.reserve(wish()).await.unwrap().is_err(), "both places are taken");
    drop((first, second));
    assert_eq!(ledger.taken(&[key]).await.unwrap(), [0]);
}

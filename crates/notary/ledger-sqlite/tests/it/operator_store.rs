//! The operator's way into the store: beside the service or without it, and never in its way.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ledger::{LedgerError, RefundId, RefundState, TrialRequest};
use ledger_sqlite::SqliteOperatorStore;
use receipt::time::Timestamp;

use crate::conformance::Harness as _;
use crate::conformance::disputer::*;
use crate::conformance::payer::*;
use crate::conformance::support::*;
use crate::harness::SqliteStore;

fn files(folder: &Path) -> BTreeSet<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

#[tokio::test]
async fn an_operator_store_opens_only_a_store_that_is_there_and_of_this_schema() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let refusal = |path: &Path| match SqliteOperatorStore::open(path) {
        Ok(_) => panic!("opened {}", path.display()),
        Err(refused) => refused,
    };
    for path in [folder.join("missing.sqlite"), folder.join("missing/ledger.sqlite"), folder.to_owned()] {
        let refused = refusal(&path);
        assert!(matches!(refused, LedgerError::Open { .. }), "{refused}");
        assert!(refused.to_string().contains(&*path.display().to_string()), "{refused}");
    }
    assert!(files(folder).is_empty(), "it makes nothing");

    std::fs::write(folder.join("empty"), b"").unwrap();
    let refused = refusal(&folder.join("empty")).to_string();
    assert!(refused.contains("its schema is of version 0, and this program's of version "), "{refused}");
    std::fs::write(folder.join("other"), [b'x'; 8192]).unwrap();
    let refused = refusal(&folder.join("other"));
    assert!(matches!(refused, LedgerError::Corrupt(_)), "{refused}");
    assert_eq!(files(folder), ["empty", "other"].map(str::to_owned).into());

    let store = SqliteStore::new();
    drop(store.open().await);
    store.connection().pragma_update(None, "user_version", 99).unwrap();
    let refused = refusal(&store.path()).to_string();
    assert!(refused.contains("its schema is of version 99, and this program's of version "), "{refused}");
}

#[tokio::test]
async fn an_operator_store_works_without_the_service_and_leaves_no_file_behind() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    let id = owed(&store, &*ledger, 1).await;
    let head = ledger.head();
    drop(ledger);
    let before = files(store.folder.path());
    let mut operator_store = store.operator_store();
    operator_store.paid_by_hand(id, word(9), at(40), &|_| false).unwrap();
    drop(operator_store);
    assert_eq!(files(store.folder.path()), before);

    let ledger = store.open().await;
    assert_eq!(ledger.head(), head);
    assert!(take(&*ledger, store.clock(), OWNER).await.is_empty());
    let paid = refund(&*store.operator_store(), id);
    assert_eq!(
        (paid.state, paid.transaction, paid.paid_at),
        (RefundState::Paid, Some(word(9)), Some(at(40)))
    );
}

/// Whichever of the two is first, the other one is told.
#[tokio::test]
async fn what_was_paid_by_hand_is_not_sent_and_what_is_sent_is_not_paid_by_hand() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    let mut operator_store = store.operator_store();
    let (by_hand, sent) = (owed(&store, &*ledger, 1).await, owed(&store, &*ledger, 2).await);
    assert_eq!(take(&*ledger, store.clock(), OWNER).await.len(), 2);
    operator_store.paid_by_hand(by_hand, word(9), at(40), &|_| false).unwrap();
    let late = ledger.refund_sending(by_hand, OWNER, refund_proof(1), prepared(1), None).await.unwrap_err();
    assert!(matches!(late, LedgerError::RefundState(RefundState::Paid)), "{late}");
    let late = ledger.pay_refund_locally(by_hand, OWNER, PAYEE, word(1), at(41), None).await.unwrap_err();
    assert!(matches!(late, LedgerError::RefundState(RefundState::Paid)), "{late}");

    ledger.refund_sending(sent, OWNER, refund_proof(2), prepared(2), None).await.unwrap();
    let before = refund(&*operator_store, sent);
    let late = operator_store.paid_by_hand(sent, word(10), at(40), &|_| false).unwrap_err();
    assert!(matches!(late, LedgerError::RefundState(RefundState::Sending)), "{late}");
    assert_eq!(refund(&*operator_store, sent), before);
    ledger.refund_failed(sent, OWNER).await.unwrap();
    operator_store.paid_by_hand(sent, word(10), at(40), &|_| false).unwrap();
    let twice = operator_store.paid_by_hand(sent, word(11), at(40), &|_| false).unwrap_err();
    assert!(matches!(twice, LedgerError::RefundState(RefundState::Paid)), "{twice}");
    for unknown in [RefundId(999), RefundId(u64::MAX)] {
        let refused = operator_store.paid_by_hand(unknown, word(1), at(40), &|_| false).unwrap_err();
        assert!(matches!(refused, LedgerError::NoSuchRefund(id) if id == unknown), "{refused}");
    }
}

#[tokio::test]
async fn what_is_sent_can_be_paid_by_hand_once_what_was_sent_last_is_over() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    let mut operator_store = store.operator_store();
    let id = owed(&store, &*ledger, 1).await;
    take(&*ledger, store.clock(), OWNER).await;
    ledger.refund_sending(id, OWNER, refund_proof(1), prepared(1), None).await.unwrap();
    ledger.refund_failed(id, OWNER).await.unwrap();
    ledger.refund_sending(id, OWNER, refund_proof(2), prepared(2), None).await.unwrap();
    let first_is_over = |proof: &[u8]| proof == refund_proof(1);
    let refused = operator_store.paid_by_hand(id, word(9), at(40), &first_is_over).unwrap_err();
    assert!(matches!(refused, LedgerError::RefundState(RefundState::Sending)), "{refused}");
    operator_store.paid_by_hand(id, word(9), at(40), &|proof| proof == refund_proof(2)).unwrap();
    let paid = refund(&*operator_store, id);
    assert_eq!((paid.state, paid.transaction), (RefundState::Paid, Some(word(9))));
    // The service looks at what it had sent, late.
    for late in [
        ledger.refund_failed(id, OWNER).await,
        ledger.refund_paid(id, OWNER, word(2), at(41)).await,
        operator_store.paid_by_hand(id, word(10), at(41), &|_| true),
    ] {
        assert!(matches!(late, Err(LedgerError::RefundState(RefundState::Paid))), "{late:?}");
    }
    assert_eq!(refund(&*operator_store, id), paid);
}

/// While the service appends, disputes, takes and pays, the operator writes too; neither loses anything, and the
/// writer knows its own store again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_store_and_the_service_write_at_once_and_both_are_kept() {
    const REFUNDS: u64 = 60;
    let store = SqliteStore::new();
    let ledger = store.open().await;
    let mut ids = Vec::new();
    for number in 0..REFUNDS {
        ids.push(owed(&store, &*ledger, number).await);
    }
    let is_done = Arc::new(AtomicBool::new(false));
    let operator = std::thread::spawn({
        let (mut operator_store, ids, is_done) = (store.operator_store(), ids.clone(), Arc::clone(&is_done));
        move || {
            let mut paid = BTreeSet::new();
            // Half of them, one a transaction; then it reads until the service is done.
            for id in ids.into_iter().step_by(2) {
                match operator_store.paid_by_hand(id, word(id.0), at(40), &|_| false) {
                    Ok(()) => assert!(paid.insert(id)),
                    Err(refused) => assert!(matches!(refused, LedgerError::RefundState(_)), "{refused}"),
                }
            }
            while !is_done.load(Ordering::SeqCst) {
                assert_eq!(operator_store.refunds(&RefundState::ALL).unwrap().len() as u64, REFUNDS);
                std::thread::yield_now();
            }
            paid
        }
    });
    let taken = take(&*ledger, store.clock(), OWNER).await;
    let mut sent = BTreeSet::new();
    for (number, refund) in (0..).zip(taken) {
        append_all(&ledger, 10_000 + 10 * number..10_000 + 10 * (number + 1)).await;
        match ledger.refund_sending(refund.id, OWNER, refund_proof(1), prepared(1), None).await {
            Ok(()) => assert!(sent.insert(refund.id)),
            Err(refused) => {
                assert!(matches!(refused, LedgerError::RefundState(RefundState::Paid)), "{refused}");
            }
        }
    }
    is_done.store(true, Ordering::SeqCst);
    let by_hand = operator.join().unwrap();
    assert!(sent.is_disjoint(&by_hand));
    assert!(ledger.is_writable());
    let trial = TrialRequest {
        request_id: "req".to_owned(),
        agent: "scout".to_owned(),
        endpoint: None,
        contact: None,
        reason: None,
        at: Timestamp::EPOCH,
    };
    ledger.request_trial(trial.clone(), None).await.unwrap();
    assert_eq!(store.operator_store().trials(10).unwrap(), [trial]);
    let head = ledger.head();
    let crashed = store.after_a_crash().await;
    drop(ledger);
    for store in [store, crashed] {
        let ledger = store.open().await;
        assert_eq!(ledger.head(), head);
        Auditor::fetch(&*ledger).await.audit(&head);
        for refund in all_refunds(&*store.operator_store()) {
            let expected = match (by_hand.contains(&refund.id), sent.contains(&refund.id)) {
                (true, _) => RefundState::Paid,
                (_, true) => RefundState::Sending,
                _ => RefundState::Owed,
            };
            assert_eq!(refund.state, expected);
        }
        ledger.append(record(77_777)).await.unwrap();
    }
}

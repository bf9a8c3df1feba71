//! Opening again, after a clean end and after none.

use ledger::LedgerError;

use super::Harness;
use super::support::*;

pub async fn a_store_that_is_opened_again_is_as_it_was_left<H: Harness>() {
    let harness = H::new();
    let mut number = 0;
    for batch in [0, 1, 254, 1, 1, 300, 211] {
        let ledger = harness.open().await;
        append_all(&ledger, number..number + batch).await;
        number += batch;
        let head = ledger.head();
        let counts = ledger.counts().await.unwrap();
        let ledger = harness.reopen(ledger).await;
        assert_eq!((&ledger.head(), head.size), (&head, number));
        assert_eq!(ledger.counts().await.unwrap(), counts);
        Auditor::fetch(&*ledger).await.audit(&head);
        for number in 0..number {
            let (_, inclusion) = ledger.receipt_with_inclusion(&hash(number)).await.unwrap().unwrap();
            verified(number, &inclusion);
        }
        harness.close(ledger).await;
    }
}

pub async fn after_a_crash_every_answered_receipt_is_there<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    append_all(&ledger, 0..700).await;
    let found = harness.after_a_crash().await;
    let recovered = found.open().await;
    assert_eq!(recovered.head(), ledger.head());
    Auditor::fetch(&*recovered).await.audit(&ledger.head());
    let (_, inclusion) = recovered.receipt_with_inclusion(&hash(699)).await.unwrap().unwrap();
    verified(699, &inclusion);
    assert_eq!(recovered.append(record(700)).await.unwrap().leaf, 700);
}

pub async fn a_receipt_key_may_be_replaced_by_one_that_says_that_it_is_retired<H: Harness>() {
    let harness = H::new();
    harness.close(harness.open().await).await;
    let mut next = identity(SEED);
    next.retired_kids =
        vec![std::mem::replace(&mut next.receipt_kid, "did:web:notary.example#next".to_owned())];
    harness.close(harness.open_as(SEED, &next).await.unwrap()).await;
    next.retired_kids.clear();
    let bound = harness.open_as(SEED, &next).await;
    harness.close(bound.expect("the store is bound to the new key")).await;
    assert!(matches!(harness.open_as(SEED, &identity(SEED)).await, Err(LedgerError::OtherKeys(_))));
}

pub async fn other_keys_are_refused_by_name<H: Harness>() {
    let harness = H::new();
    harness.close(harness.open().await).await;
    let mine = identity(SEED);
    let mut other_receipt_key = mine.clone();
    other_receipt_key.receipt_kid = "did:web:elsewhere.example#1".to_owned();
    let mut other_log_key = identity(8);
    other_log_key.receipt_kid = mine.receipt_kid.clone();
    let both = [
        (SEED, other_receipt_key, "receipt key or base address"),
        (8, other_log_key, "log key or log origin"),
    ];
    for (seed, identity, which) in both {
        let Err(refused) = harness.open_as(seed, &identity).await else {
            panic!("opened with another {which}")
        };
        assert!(matches!(refused, LedgerError::OtherKeys(_)));
        let message = refused.to_string();
        assert!(message.contains(which), "{message}");
    }
    assert_eq!(harness.open().await.head().size, 0);
}

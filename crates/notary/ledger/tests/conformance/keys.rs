//! Changes of the receipt key, and the records that are signed with another one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ledger::{Identity, KeyStep, Ledger, LedgerError, LedgerRecord};
use receipt::history::KeyRole;

use super::Harness;
use super::support::*;

const NEXT: &str = "did:web:notary.example#next";

fn by(kid: &str, number: u64) -> LedgerRecord {
    LedgerRecord { kid: kid.to_owned(), ..record(number) }
}

fn change(number: u64, replaces: &str, name: &str) -> LedgerRecord {
    let step =
        KeyStep::Replaced { role: KeyRole::Receipt, name: name.to_owned(), replaces: replaces.to_owned() };
    LedgerRecord { class: "key", key: Some(step), ..by(replaces, number) }
}

pub async fn a_record_of_a_former_receipt_key_comes_back_with_its_reservation<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let clock = ManualClock::start();
    let first = identity(SEED).receipt_kid;
    ledger.append(by(&first, 0)).await.unwrap();
    assert!(ledger.key_records().await.unwrap().is_empty());
    let leaf = ledger.append(change(1, &first, NEXT)).await.unwrap().leaf;
    let reservation = reserve(&*ledger, "scout", &clock, 1).await;
    assert!(reservation.is_some());
    let late = LedgerRecord { reservation, ..by(&first, 2) };
    let (current, refused) = match ledger.append(late).await {
        Err(LedgerError::FormerKey { current, record: Some(refused) }) => (current, refused),
        other => panic!("{other:?}"),
    };
    assert_eq!((&*current, ledger.head().size), (NEXT, 2));
    assert!(reserve(&*ledger, "scout", &clock, 1).await.is_none(), "it is still held");
    let again = LedgerRecord { kid: current, ..*refused };
    assert_eq!(ledger.append(again).await.unwrap().leaf, 2);
    assert!(reserve(&*ledger, "scout", &clock, 1).await.is_none(), "it is used up");
    let records = ledger.key_records().await.unwrap();
    assert_eq!(records.iter().map(|record| record.leaf).collect::<Vec<_>>(), [leaf]);
    assert_eq!(records[0].payload, payload(1));
    harness.close(ledger).await;
    let mut next = identity(SEED);
    next.receipt_kid = NEXT.to_owned();
    let bound = harness.open_as(SEED, &next).await;
    harness.close(bound.expect("the store is bound to the new key")).await;
    assert!(matches!(harness.open_as(SEED, &identity(SEED)).await, Err(LedgerError::OtherKeys(_))));
}

pub async fn a_store_is_not_bound_to_a_former_receipt_key_again<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let first = identity(SEED);
    let introduced = KeyStep::Introduced { name: first.receipt_kid.clone() };
    let introduced = LedgerRecord { class: "key", key: Some(introduced), ..by(&first.receipt_kid, 0) };
    ledger.append(introduced).await.unwrap();
    ledger.append(change(1, &first.receipt_kid, NEXT)).await.unwrap();
    harness.close(ledger).await;
    // The keys folder is one of before the change, and says that the key in use is retired.
    let older = Identity { retired_kids: vec![NEXT.to_owned()], ..first.clone() };
    let refused = harness.open_as(SEED, &older).await.map(drop);
    assert!(matches!(refused, Err(LedgerError::OtherKeys(why)) if why.contains("is a former one")));
    let fresh = Identity { receipt_kid: "did:web:notary.example#fresh".to_owned(), ..older };
    let bound = harness.open_as(SEED, &fresh).await;
    harness.close(bound.expect("a key without a record takes the place of a retired one")).await;
}

/// Another replica has changed the key since the record was made.
pub async fn the_record_of_a_revoked_former_key_names_the_key_in_use<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let first = identity(SEED).receipt_kid;
    ledger.append(change(0, &first, NEXT)).await.unwrap();
    let revoked = |number: u64, current: &str| {
        let (name, current) = ("did:web:notary.example#zero".to_owned(), current.to_owned());
        let step = KeyStep::RevokedFormer { role: KeyRole::Receipt, name, current };
        LedgerRecord { class: "key", key: Some(step), ..by(NEXT, number) }
    };
    assert!(matches!(ledger.append(revoked(1, &first)).await, Err(LedgerError::Unfit(_))));
    assert_eq!(ledger.append(revoked(2, NEXT)).await.unwrap().leaf, 1);
    assert_eq!(ledger.key_records().await.unwrap().len(), 2);
}

/// Many tasks append while the key changes, each signing again what comes back: the key of each leaf is the one that was in
/// use there, and none is lost.
pub async fn no_leaf_after_a_change_is_of_the_former_key<H: Harness>() {
    let harness = H::new();
    let ledger: Arc<dyn Ledger> = harness.open().await;
    let first = identity(SEED).receipt_kid;
    let changed_at = Arc::new(AtomicU64::new(u64::MAX));
    let tasks = (0..8_u64).map(|task| {
        let (ledger, first) = (Arc::clone(&ledger), first.clone());
        tokio::spawn(async move {
            let mut appended = Vec::new();
            for number in 0..40 {
                let mut kid = first.clone();
                let mut next = by(&kid, 1000 * (task + 1) + number);
                let leaf = loop {
                    match ledger.append(next).await {
                        Ok(appended) => break appended.leaf,
                        Err(LedgerError::FormerKey { current, record: Some(refused) }) => {
                            kid.clone_from(&current);
                            next = LedgerRecord { kid: current, ..*refused };
                        }
                        Err(error) => panic!("{error}"),
                    }
                };
                appended.push((leaf, kid));
            }
            appended
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let changing = {
        let (ledger, first, changed_at) = (Arc::clone(&ledger), first.clone(), Arc::clone(&changed_at));
        tokio::spawn(async move {
            let leaf = ledger.append(change(1, &first, NEXT)).await.unwrap().leaf;
            changed_at.store(leaf, Ordering::SeqCst);
        })
    };
    changing.await.unwrap();
    let changed_at = changed_at.load(Ordering::SeqCst);
    let mut leaves = Vec::new();
    for task in tasks {
        for (leaf, kid) in task.await.unwrap() {
            assert_eq!(
                kid == first,
                leaf < changed_at,
                "leaf {leaf} is signed by {kid}, changed at {changed_at}"
            );
            leaves.push(leaf);
        }
    }
    leaves.sort_unstable();
    leaves.dedup();
    assert_eq!((leaves.len(), ledger.head().size), (320, 321));
}

pub async fn of_two_simultaneous_successors_one_is_taken<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let first = identity(SEED).receipt_kid;
    let (one, other) = tokio::join!(
        ledger.append(change(1, &first, "did:web:notary.example#one")),
        ledger.append(change(2, &first, "did:web:notary.example#two")),
    );
    assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
    assert_eq!(ledger.key_records().await.unwrap().len(), 1);
    let again = LedgerRecord { kid: NEXT.to_owned(), ..change(3, NEXT, "did:web:notary.example#one") };
    assert!(ledger.append(again).await.is_err());
    assert_eq!(ledger.head().size, 1);
}

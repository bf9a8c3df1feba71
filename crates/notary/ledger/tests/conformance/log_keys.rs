//! The log's key and its successor: which of them sign which checkpoints.

use std::sync::Arc;

use ledger::{Identity, KeyStep, Ledger, LedgerError, LedgerRecord, LogKeyRing};
use receipt::history::KeyRole;
use tlog::{Note, NoteSigner};

use super::Harness;
use super::support::*;

/// The seed of the successor.
const NEXT: u8 = 9;

fn vkey(seed: u8) -> String {
    log_key(seed).verifier().to_string()
}

fn ring(seeds: &[u8]) -> LogKeyRing {
    LogKeyRing::new(seeds.iter().map(|seed| Arc::new(log_key(*seed)) as Arc<dyn NoteSigner>).collect())
}

/// The identity of a process that has the successor beside the key in use.
fn with_next() -> Identity {
    Identity { next_log_vkey: Some(vkey(NEXT)), ..identity(SEED) }
}

fn step(number: u64, step: KeyStep) -> LedgerRecord {
    LedgerRecord { class: "key", key: Some(step), ..plain(number) }
}

fn plain(number: u64) -> LedgerRecord {
    LedgerRecord { kid: identity(SEED).receipt_kid, ..record(number) }
}

fn rotated(number: u64) -> LedgerRecord {
    let (name, replaces) = (vkey(NEXT), vkey(SEED));
    step(number, KeyStep::Replaced { role: KeyRole::Log, name, replaces })
}

fn ended(number: u64) -> LedgerRecord {
    step(number, KeyStep::LogKeyEnded { name: vkey(SEED), successor: vkey(NEXT) })
}

/// The seeds of the keys that have signed a checkpoint, in the order of its lines.
fn signers(checkpoint: &str) -> Vec<u8> {
    let note: Note = checkpoint.parse().unwrap();
    let keys = [SEED, NEXT].map(|seed| (seed, log_key(seed).verifier()));
    let of = |signature: &tlog::NoteSignature| {
        let (seed, key) = keys.iter().find(|(_, key)| signature.names(key)).expect("a key of the log");
        note.verify(std::slice::from_ref(key)).unwrap();
        *seed
    };
    note.signatures().iter().map(of).collect()
}

async fn signers_of<L: Ledger + ?Sized>(ledger: &L, record: LedgerRecord) -> Vec<u8> {
    signers(&ledger.append(record).await.unwrap().inclusion.checkpoint)
}

pub async fn both_log_keys_sign_from_the_record_of_the_second_until_the_end_of_the_first<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open_with(ring(&[SEED, NEXT]), &with_next()).await.unwrap();
    assert_eq!(signers_of(&*ledger, plain(0)).await, [SEED]);
    assert_eq!(signers_of(&*ledger, rotated(1)).await, [SEED, NEXT]);
    assert_eq!(signers_of(&*ledger, plain(2)).await, [SEED, NEXT]);
    harness.close(ledger).await;

    let without = harness.open_as(SEED, &identity(SEED)).await;
    assert!(matches!(without.map(drop), Err(LedgerError::OtherKeys(why)) if why.contains("log.next.pem")));
    let ledger = harness.open_with(ring(&[SEED, NEXT]), &with_next()).await.unwrap();
    assert_eq!(signers(&ledger.head().checkpoint), [SEED, NEXT]);
    assert_eq!(signers_of(&*ledger, plain(3)).await, [SEED, NEXT]);
    assert_eq!(signers_of(&*ledger, ended(4)).await, [NEXT]);
    assert_eq!(signers_of(&*ledger, plain(5)).await, [NEXT]);
    let records = ledger.key_records().await.unwrap();
    assert_eq!(records.iter().map(|record| record.leaf).collect::<Vec<_>>(), [1, 4]);
    harness.close(ledger).await;

    assert!(matches!(
        harness.open_with(ring(&[SEED, NEXT]), &with_next()).await.map(drop),
        Err(LedgerError::OtherKeys(_))
    ));
    let alone = Identity { log_vkey: vkey(NEXT), ..identity(SEED) };
    let ledger = harness.open_as(NEXT, &alone).await.unwrap();
    assert_eq!((ledger.head().size, signers_of(&*ledger, plain(6)).await), (6, vec![NEXT]));
}

pub async fn a_ledger_without_a_log_key_that_is_in_use_logs_nothing_and_the_others_go_on<H: Harness>() {
    let harness = H::new();
    let missed = ring(&[SEED]);
    let ledger = harness.open_with(missed.clone(), &identity(SEED)).await.unwrap();
    ledger.append(plain(0)).await.unwrap();
    // It would not be able to sign the very checkpoint over the record.
    let refused = ledger.append(rotated(1)).await;
    assert!(matches!(refused, Err(LedgerError::LogKeyNotHere(key)) if key == vkey(NEXT)));
    assert_eq!(signers_of(&*ledger, plain(2)).await, [SEED]);
    if !H::SEVERAL {
        return;
    }
    let other = harness.open_with(ring(&[SEED, NEXT]), &with_next()).await.unwrap();
    let not_here = async |number| {
        let refused = ledger.append(plain(number)).await;
        assert!(
            matches!(&refused, Err(LedgerError::LogKeyNotHere(key)) if *key == vkey(NEXT)),
            "{refused:?}"
        );
    };
    assert_eq!(signers_of(&*other, rotated(3)).await, [SEED, NEXT]);
    not_here(4).await;
    assert_eq!(signers_of(&*other, plain(5)).await, [SEED, NEXT]);
    assert_eq!(signers_of(&*other, ended(6)).await, [NEXT]);
    not_here(7).await;
    assert_eq!(signers_of(&*other, plain(8)).await, [NEXT]);
    not_here(9).await;
    // It learns of the key, and goes on.
    missed.add(Arc::new(log_key(NEXT)));
    assert_eq!(signers_of(&*ledger, plain(10)).await, [NEXT]);
    assert_eq!(other.append(plain(11)).await.unwrap().leaf, 7);
}

pub async fn of_the_steps_of_a_log_key_each_is_taken_once_and_in_its_order<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open_with(ring(&[SEED, NEXT]), &with_next()).await.unwrap();
    assert!(matches!(ledger.append(ended(0)).await, Err(LedgerError::Unfit(_))));
    let (one, other) = tokio::join!(ledger.append(rotated(1)), ledger.append(rotated(2)));
    let refused = [&one, &other].into_iter().filter(|rotated| rotated.is_err()).collect::<Vec<_>>();
    assert!(matches!(&*refused, [Err(LedgerError::Duplicate)]), "{refused:?}");
    ledger.append(ended(3)).await.unwrap();
    assert!(matches!(ledger.append(ended(4)).await, Err(LedgerError::Duplicate)));
    assert!(matches!(ledger.append(rotated(5)).await, Err(LedgerError::Duplicate)));
    let appended = ledger.append(plain(6)).await.unwrap();
    assert_eq!((appended.leaf, signers(&appended.inclusion.checkpoint)), (2, vec![NEXT]));
}

//! Backups are restored: as archives, or as stores that go on.

use ledger::LedgerError;
use store_transfer::RestoreAs::{self, Shown};
use store_transfer::{
    ArchiveReason, NamedCheckpoint, Predecessor, Restored, TransferError, begin_successor, restore,
};
use tlog::{Checkpoint, Hash};

use crate::conformance::support::{log_key, record};
use crate::fill::{append, fill, real, real_hash};
use crate::stores::{KilledAt, TestStore, keys, killed};

fn checkpoint(name: &str, note: &str) -> NamedCheckpoint {
    NamedCheckpoint { name: name.to_owned(), note: note.to_owned() }
}

async fn newest(store: &TestStore) -> String {
    store.with(async |ledger| ledger.head().checkpoint.to_string()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_checkpoint_a_backup_is_an_archive_that_is_read_and_takes_nothing() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    fill(&store).await;
    let path = folder.path().join("backup");
    let made = store.backup_to(&path);
    for target in [TestStore::sqlite(), TestStore::postgres()] {
        killed(|| restore(&path, &target.place(), &keys(), (Shown, &[]), &mut KilledAt(made.leaves + 300)));
        let refused = target.try_open().await.err().unwrap().to_string();
        assert!(refused.contains("not whole"), "{refused}");
        let restored = restore(&path, &target.place(), &keys(), (Shown, &[]), &mut ()).unwrap();
        assert!(matches!(restored, Restored::Archive(ArchiveReason::NoCheckpoint, _)));
        assert_eq!(target.content().digest, made.digest);
        target
            .with(async |ledger| {
                assert!(ledger.is_away() && !ledger.is_writable());
                assert_eq!(ledger.head().size, made.leaves);
                assert!(ledger.receipt_with_inclusion(&real_hash(7)).await.unwrap().is_some());
                assert!(ledger.request(7).await.unwrap().is_none(), "it was deleted before");
                assert!(ledger.request(300).await.unwrap().is_some());
                assert!(ledger.receipt(&real_hash(5)).await.unwrap().is_none());
                assert!(ledger.erased(&real_hash(5)).await.unwrap().is_some());
                assert!(matches!(ledger.append(real(record(9000))).await, Err(LedgerError::Busy)));
                assert!(ledger.local_credit([1; 20], 5).await.is_err());
            })
            .await;
        assert_eq!(target.count("receipts"), made.leaves);
        let again = restore(&path, &target.place(), &keys(), (Shown, &[]), &mut ());
        assert!(matches!(again, Err(TransferError::NotEmpty { .. })), "{again:?}");
        let elsewhere = TestStore::sqlite();
        let moved = store_transfer::migrate(&target.place(), &elsewhere.place(), &keys(), &mut ());
        assert!(matches!(moved, Err(TransferError::Archive(_))), "{moved:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_is_behind_no_checkpoint_goes_on() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..10).await).await;
    let early = newest(&store).await;
    store.with(async |ledger| append(ledger, 10..300).await).await;
    let last = newest(&store).await;
    let path = folder.path().join("backup");
    store.backup_to(&path);
    let checkpoints = [checkpoint("early", &early), checkpoint("last", &last)];
    for target in [TestStore::sqlite(), TestStore::postgres()] {
        assert_eq!(
            restore(&path, &target.place(), &keys(), (Shown, &checkpoints), &mut ()).unwrap(),
            Restored::Live
        );
        target.with(async |ledger| append(ledger, 300..310).await).await;
        assert_eq!(target.content().leaves, 310);
    }
    // The log went on after the backup.
    store.with(async |ledger| append(ledger, 400..401).await).await;
    let checkpoints = [checkpoint("last", &last), checkpoint("later", &newest(&store).await)];
    let target = TestStore::sqlite();
    let restored = restore(&path, &target.place(), &keys(), (Shown, &checkpoints), &mut ()).unwrap();
    let behind = ArchiveReason::Behind { name: "later".to_owned(), served: 301, has: 300 };
    assert_eq!(restored, Restored::Archive(behind, newest(&store).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_of_another_log_or_of_a_fork_is_refused() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..10).await).await;
    let path = folder.path().join("backup");
    store.backup_to(&path);
    let target = TestStore::sqlite();
    let refused = |note: &str| {
        restore(&path, &target.place(), &keys(), (Shown, &[checkpoint("given", note)]), &mut ()).unwrap_err()
    };
    for size in [1, 5, 10] {
        let fork = Checkpoint::new("notary.example/log", size, Hash([3; 32])).unwrap();
        let error = refused(&fork.sign(&log_key(7)).unwrap());
        assert!(matches!(error, TransferError::Fork { .. }), "{error}");
    }
    let key = tlog::SigningKey::from_seed("other.example/log", &[7; 32]).unwrap();
    let other = Checkpoint::new("other.example/log", 5, Hash([3; 32])).unwrap().sign(&key).unwrap();
    let forged = Checkpoint::new("notary.example/log", 5, Hash([3; 32])).unwrap().sign(&log_key(8)).unwrap();
    for note in [&*other, &*forged, "no checkpoint", ""] {
        let error = refused(note);
        assert!(matches!(error, TransferError::Checkpoint { .. }), "{error}");
    }
    assert!(!matches!(&target, TestStore::Sqlite(path, _) if path.exists()), "nothing was made");
    store.with(async |ledger| assert_eq!(ledger.head().size, 10)).await;
    let onto = restore(&path, &store.place(), &keys(), (Shown, &[]), &mut ());
    assert!(matches!(onto, Err(TransferError::NotEmpty { size: 10, .. })), "{onto:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_successor_log_begins_with_what_both_logs_say_of_each_other() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..10).await).await;
    let path = folder.path().join("backup");
    store.backup_to(&path);
    store.with(async |ledger| append(ledger, 10..15).await).await;
    let last = newest(&store).await;
    let given = [checkpoint("last", &last)];
    let archive = TestStore::sqlite();
    let restored = restore(&path, &archive.place(), &keys(), (RestoreAs::Archive, &given), &mut ()).unwrap();
    let Restored::Archive(ArchiveReason::Behind { has: 10, .. }, last_known) = restored else {
        panic!("{restored:?}")
    };
    assert_eq!(last_known, last, "it is the largest that anybody knows");
    // Where the new log was not begun, the same command is given again.
    let again = restore(&path, &archive.place(), &keys(), (RestoreAs::Archive, &given), &mut ()).unwrap();
    assert!(matches!(again, Restored::Archive(_, known) if known == last));
    let other_backup = folder.path().join("other");
    store.backup_to(&other_backup);
    let other = restore(&other_backup, &archive.place(), &keys(), (RestoreAs::Archive, &given), &mut ());
    assert!(matches!(other, Err(TransferError::NotEmpty { size: 10, .. })), "{other:?}");

    let earlier = tlog::LogSigners::from(log_key(7));
    let key = tlog::SigningKey::from_seed("next.example/log", &[5; 32]).unwrap();
    let signer = {
        let key = receipt::key::SigningKey::from_seed(&[6; 32]);
        let kid = key.id("https://next.example").unwrap();
        receipt::sign::Signer::new(key, kid)
    };
    let identity = ledger::Identity {
        receipt_kid: signer.kid().as_str().to_owned(),
        log_vkey: key.verifier().to_string(),
        ..ledger::Identity::default()
    };
    let (verifier, clock) = (key.verifier(), crate::conformance::support::ManualClock::start());
    let file = folder.path().join("next.sqlite");
    let next = ledger_sqlite::SqliteLedger::open(&file, key, &identity, clock).unwrap();
    let predecessor = Predecessor { key: &earlier, checkpoint: &last_known, archived: 10 };
    let iss = "https://next.example";
    let at = receipt::time::Timestamp::EPOCH;
    let hash = begin_successor(&next, (iss, &signer, &verifier), &predecessor, at).await.unwrap();
    let again = begin_successor(&next, (iss, &signer, &verifier), &predecessor, at).await;
    assert!(matches!(again, Err(TransferError::Successor(_))), "{again:?}");
    let same = begin_successor(&next, (iss, &signer, &earlier.verifier()), &predecessor, at).await;
    assert!(matches!(same, Err(TransferError::Successor(_))), "{same:?}");

    // It is a receipt as all others are.
    let (stored, inclusion) = ledger::Ledger::receipt_with_inclusion(&next, &hash).await.unwrap().unwrap();
    assert_eq!(stored.leaf, 0);
    let text =
        receipt::sign::receipt_json(&stored.payload, &hash, &stored.signature, Some(&inclusion.to_text()));
    let published = receipt::key::PublishedKey::active(signer.kid().clone(), signer.key().public_key());
    let known = receipt::verify::Keys::new(vec![published], vec![verifier.clone()]).unwrap();
    let report = receipt::verify::Verifier::new(known).verify(&text).unwrap();
    assert!(report.valid(), "{:?}", report.failed().collect::<Vec<_>>());
    // The earlier log says so too, in a note that is no checkpoint.
    let members = receipt::json::parse(&stored.payload).unwrap();
    let member = |name: &str| members.get(name).and_then(receipt::json::Json::as_str).unwrap().to_owned();
    let note = tlog::Note::from_bytes(member("signed_by_predecessor").as_bytes()).unwrap();
    note.verify(&[earlier.verifier()]).unwrap();
    assert!(note.text().contains("notary.example/log\n15 ") && note.text().contains(&verifier.to_string()));
    assert!(Checkpoint::open(&member("signed_by_predecessor"), &[earlier.verifier()]).is_err());
}

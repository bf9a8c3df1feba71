//! Backups are restored: as archives, or as stores that go on.

use ledger::LedgerError;
use store_transfer::{ArchiveReason, NamedCheckpoint, Restored, TransferError, restore};
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
        killed(|| restore(&path, &target.place(), &keys(), &[], &mut KilledAt(made.leaves + 300)));
        let refused = target.try_open().await.err().unwrap().to_string();
        assert!(refused.contains("not whole"), "{refused}");
        let restored = restore(&path, &target.place(), &keys(), &[], &mut ()).unwrap();
        assert_eq!(restored, Restored::Archive(ArchiveReason::NoCheckpoint));
        assert_eq!(target.content().digest, made.digest);
        target
            .with(async |ledger| {
                assert!(ledger.is_away() && !ledger.is_writable());
                assert_eq!(ledger.head().size, made.leaves);
                assert!(ledger.receipt_with_inclusion(&real_hash(7)).await.unwrap().is_some());
                assert!(ledger.request(7).await.unwrap().is_some());
                assert!(matches!(ledger.append(real(record(9000))).await, Err(LedgerError::Busy)));
                assert!(ledger.local_credit([1; 20], 5).await.is_err());
            })
            .await;
        assert_eq!(target.count("receipts"), made.leaves);
        let again = restore(&path, &target.place(), &keys(), &[], &mut ());
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
        assert_eq!(restore(&path, &target.place(), &keys(), &checkpoints, &mut ()).unwrap(), Restored::Live);
        target.with(async |ledger| append(ledger, 300..310).await).await;
        assert_eq!(target.content().leaves, 310);
    }
    // The log went on after the backup.
    store.with(async |ledger| append(ledger, 400..401).await).await;
    let checkpoints = [checkpoint("last", &last), checkpoint("later", &newest(&store).await)];
    let target = TestStore::sqlite();
    let restored = restore(&path, &target.place(), &keys(), &checkpoints, &mut ()).unwrap();
    let behind = ArchiveReason::Behind { name: "later".to_owned(), served: 301, has: 300 };
    assert_eq!(restored, Restored::Archive(behind));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_of_another_log_or_of_a_fork_is_refused() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..10).await).await;
    let path = folder.path().join("backup");
    store.backup_to(&path);
    let target = TestStore::sqlite();
    let refused = |note: &str| {
        restore(&path, &target.place(), &keys(), &[checkpoint("given", note)], &mut ()).unwrap_err()
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
    let onto = restore(&path, &store.place(), &keys(), &[], &mut ());
    assert!(matches!(onto, Err(TransferError::NotEmpty { size: 10, .. })), "{onto:?}");
}

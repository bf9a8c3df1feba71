//! Backups: made while receipts are appended, equal for equal stores, and refused where a byte is missing or another one.

use std::fs;

use ledger::{GrantId, LedgerError, RefundId};
use store_transfer::{Migrated, RestoreAs, TransferError, backup, migrate, restore, verify_backup};

use crate::fill::{append, fill, real_hash};
use crate::stores::{TestStore, keys, keys_of};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_is_of_one_moment_while_receipts_are_appended() {
    for store in [TestStore::sqlite(), TestStore::postgres()] {
        let folder = tempfile::tempdir().unwrap();
        store.with(async |ledger| append(ledger, 0..300).await).await;
        let ledger = store.open().await;
        let appending = tokio::spawn({
            let ledger = ledger.clone();
            async move {
                for from in (1000..2000).step_by(20) {
                    append(&*ledger, from..from + 20).await;
                }
            }
        });
        let mut sizes = Vec::new();
        for number in 0..4 {
            let path = folder.path().join(format!("backup-{number}"));
            let place = store.place();
            let made = tokio::task::spawn_blocking({
                let path = path.clone();
                move || backup(&place, &path, None, &mut ()).unwrap()
            });
            let made = made.await.unwrap();
            let checked = verify_backup(&path, &keys(), &mut ()).unwrap();
            assert_eq!((checked.digest, checked.leaves), (made.digest, made.leaves));
            sizes.push(made.leaves);
        }
        appending.await.unwrap();
        assert!(sizes.is_sorted() && sizes[0] >= 300, "{sizes:?}");
        drop(ledger);
        assert_eq!(store.content().leaves, 1300);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_stores_have_equal_backups_whatever_they_are_kept_in() {
    let (sqlite, postgres) = (TestStore::sqlite(), TestStore::postgres());
    fill(&sqlite).await;
    let folder = tempfile::tempdir().unwrap();
    let paths = ["one", "other"].map(|name| folder.path().join(name));
    sqlite.backup_to(&paths[0]);
    assert!(matches!(
        migrate(&sqlite.place(), &postgres.place(), &keys(), &mut ()).unwrap(),
        Migrated::Moved(_)
    ));
    postgres.backup_to(&paths[1]);
    assert!(fs::read(&paths[0]).unwrap() == fs::read(&paths[1]).unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&paths[0]).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let refused = backup(&postgres.place(), &paths[0], None, &mut ()).unwrap_err().to_string();
    assert!(refused.contains("exists"), "{refused}");
}

/// Begins a second backup to the same name while the first is written.
struct BacksUp<'s>(&'s TestStore, &'s std::path::Path, Option<TransferError>);

impl store_transfer::Progress for BacksUp<'_> {
    fn begin(&mut self, _: &str, _: u64) {}

    fn receipt(&mut self) {
        if self.2.is_none() {
            self.2 = backup(&self.0.place(), self.1, None, &mut ()).err();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_backups_to_one_name_at_once_the_second_is_refused_and_the_first_is_whole() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..300).await).await;
    let path = folder.path().join("backup");
    let mut second = BacksUp(&store, &path, None);
    backup(&store.place(), &path, Some(&keys()), &mut second).unwrap();
    assert!(matches!(&second.2, Some(TransferError::File { path, .. }) if path.ends_with("backup.part")));
    assert_eq!(verify_backup(&path, &keys(), &mut ()).unwrap().leaves, 300);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_does_not_verify_does_not_get_its_name() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..3).await).await;
    let path = folder.path().join("backup");
    let refused = backup(&store.place(), &path, Some(&keys_of(8, 9)), &mut ());
    assert!(matches!(refused, Err(TransferError::OtherNotary(_))), "{refused:?}");
    assert!(!path.exists());
    backup(&store.place(), &path, Some(&keys()), &mut ()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_was_cut_off_or_changed_anywhere_is_refused() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..2).await).await;
    let path = folder.path().join("backup");
    store.backup_to(&path);
    let whole = fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        let path = folder.path().join("other");
        fs::write(&path, bytes).unwrap();
        verify_backup(&path, &keys(), &mut ()).err()
    };
    assert!(refused(&whole).is_none());
    for end in 0..whole.len() {
        let error = refused(&whole[..end]);
        assert!(
            matches!(error, Some(TransferError::CutOff))
                || (end == 0 && matches!(error, Some(TransferError::NoDump))),
            "the first {end} bytes: {error:?}"
        );
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        let error = refused(&changed);
        assert!(
            matches!(
                error,
                Some(
                    TransferError::Changed
                        | TransferError::CutOff
                        | TransferError::NoDump
                        | TransferError::LaterDump { .. }
                )
            ),
            "byte {at}: {error:?}"
        );
    }
    let mut later = whole.clone();
    let at = later.windows(11).position(|bytes| bytes == b"\"version\":4").unwrap();
    later[at + 10] = b'5';
    assert!(matches!(refused(&later), Some(TransferError::LaterDump { version: 5, known: 4 })));
    let more = [&*whole, b"\0"].concat();
    assert!(matches!(refused(&more), Some(TransferError::Changed)));
    let target = TestStore::sqlite();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(restore(&path, &target.place(), &keys(), (RestoreAs::Shown, &[]), &mut ()).is_err());
    assert!(!matches!(&target, TestStore::Sqlite(path, _) if path.exists()), "nothing was made");
}

/// A backup as an earlier version wrote it: without the tables that came later.
fn of_version(version: u32, backup: &[u8]) -> Vec<u8> {
    const SINCE_2: [&[u8]; 6] =
        [b"retention", b"kept_longer", b"erased", b"asked_erasures", b"cosigned", b"key_records"];
    let (magic, mut rest) = backup.split_at(b"touchstone backup\n".len());
    let (mut made, mut is_new) = (magic.to_vec(), false);
    while !rest.is_empty() {
        let (start, after) = rest.split_at(5);
        let length = u32::from_be_bytes(start[1..].try_into().unwrap()) as usize;
        let (content, after) = after.split_at(length);
        rest = after;
        if start[0] == 2 {
            is_new = content == b"logged_stamps"
                || version < 3 && content == b"stamped"
                || version < 2 && SINCE_2.contains(&content);
        }
        match start[0] {
            1 => {
                let header = String::from_utf8(content.to_vec()).unwrap();
                made.extend(
                    [start, header.replace("\"version\":4", &format!("\"version\":{version}")).as_bytes()]
                        .concat(),
                );
            }
            4 => {
                let end = receipt::hash::sha256(&made);
                made.extend([start, &end].concat());
            }
            _ if is_new => {}
            _ => made.extend([start, content].concat()),
        }
    }
    made
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backups_of_earlier_versions_are_read() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..300).await).await;
    let (path, leaves) = (folder.path().join("backup"), store.content().leaves);
    store.backup_to(&path);
    let present = fs::read(&path).unwrap();
    for (version, marks) in [(1, 0), (2, 1), (3, 1)] {
        fs::write(&path, of_version(version, &present)).unwrap();
        verify_backup(&path, &keys(), &mut ()).unwrap();
        for target in [TestStore::sqlite(), TestStore::postgres()] {
            restore(&path, &target.place(), &keys(), (RestoreAs::Shown, &[]), &mut ()).unwrap();
            assert_eq!(target.count("receipts"), leaves);
            assert_eq!(target.count("retention"), marks, "the first version has no mark");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_another_notary_or_of_an_unsound_store_is_refused() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..300).await).await;
    let path = folder.path().join("backup");
    store.backup_to(&path);
    for others in [keys_of(8, 9), keys_of(7, 8)] {
        let refused = verify_backup(&path, &others, &mut ());
        assert!(matches!(refused, Err(TransferError::OtherNotary(_))), "{refused:?}");
    }
    for (number, (change, back, word)) in [
        (
            "UPDATE receipts SET payload = CAST(payload || x'20' AS BLOB) WHERE leaf = 7",
            "UPDATE receipts SET payload = substr(payload, 1, length(payload) - 1) WHERE leaf = 7",
            "leaf 7",
        ),
        (
            "UPDATE receipts SET leaf = 1000 WHERE leaf = 299",
            "UPDATE receipts SET leaf = 299 WHERE leaf = 1000",
            "leaf 299 is missing",
        ),
        ("UPDATE head SET size = 299", "UPDATE head SET size = 300", "checkpoint"),
        (
            "UPDATE head SET checkpoint = replace(checkpoint, '300', '301')",
            "UPDATE head SET checkpoint = replace(checkpoint, '301', '300')",
            "checkpoint",
        ),
        (
            "UPDATE leaves SET entries = CAST(entries || x'0000' AS BLOB) WHERE leaf = 0",
            "UPDATE leaves SET entries = substr(entries, 1, length(entries) - 2) WHERE leaf = 0",
            "leaf 0",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        store.sql(change);
        let path = folder.path().join(format!("unsound-{number}"));
        let refused = backup(&store.place(), &path, None, &mut ()).unwrap_err();
        assert!(matches!(&refused, TransferError::Unsound(why) if why.contains(word)), "{change}: {refused}");
        assert!(!path.exists());
        store.sql(back);
    }
    // Only the signature: a backup is made, and its verification finds it.
    store.sql("UPDATE receipts SET signature = zeroblob(64) WHERE leaf = 9");
    let path = folder.path().join("unsigned");
    store.backup_to(&path);
    let refused = verify_backup(&path, &keys(), &mut ()).unwrap_err().to_string();
    assert!(refused.contains("leaf 9") && refused.contains("signature"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_changes_nothing_of_an_archive() {
    let (store, folder) = (TestStore::sqlite(), tempfile::tempdir().unwrap());
    store.with(async |ledger| append(ledger, 0..10).await).await;
    let path = folder.path().join("backup");
    store.backup_to(&path);
    for target in [TestStore::sqlite(), TestStore::postgres()] {
        restore(&path, &target.place(), &keys(), (RestoreAs::Shown, &[]), &mut ()).unwrap();
        let (before, at) = (target.content().digest, receipt::time::Timestamp::EPOCH);
        let mut operator = target.operator();
        assert!(operator.is_archive());
        for refused in [
            operator.grant(&[]).map(drop),
            operator.revoke(GrantId(1), at),
            operator.paid_by_hand(RefundId(1), [1; 32], at, &|_| true),
            operator.ask_erasure(&real_hash(1), None, at),
        ] {
            assert!(matches!(refused, Err(LedgerError::Archive)), "{refused:?}");
        }
        drop(operator);
        assert_eq!(target.content().digest, before);
    }
}

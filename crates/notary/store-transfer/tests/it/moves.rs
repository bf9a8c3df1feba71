//! Stores are moved from one back end to the other and back.

use store_transfer::tables::TABLES;
use store_transfer::{Migrated, Progress, TransferError, migrate};

use crate::conformance::support::{record, verifier};
use crate::fill::{append, fill, real, real_hash};
use crate::stores::{KilledAt, TestStore, keys, keys_of, killed};

fn moved(from: &TestStore, to: &TestStore) -> Migrated {
    migrate(&from.place(), &to.place(), &keys(), &mut ()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_moved_there_and_back_is_as_it_was_and_goes_on() {
    let (sqlite, postgres) = (TestStore::sqlite(), TestStore::postgres());
    fill(&sqlite).await;
    let before = sqlite.content();
    for table in TABLES.iter().filter(|table| !["incomes", "numbers"].contains(&table.name)) {
        assert!(sqlite.count(table.name) > 0, "nothing is in {}", table.name);
    }
    assert_eq!(moved(&sqlite, &postgres), Migrated::Moved(before.leaves));
    assert_eq!(postgres.content().digest, before.digest);
    assert!(postgres.count("incomes") > 0 && postgres.count("numbers") == 7);
    let refused = sqlite.try_open().await.err().unwrap().to_string();
    assert!(refused.contains("was moved to") && refused.contains(&postgres.name()), "{refused}");
    assert_eq!(moved(&sqlite, &postgres), Migrated::Before);
    // As if it had been killed before that was noted.
    sqlite.sql("UPDATE mark SET kind = 'moving'");
    assert_eq!(moved(&sqlite, &postgres), Migrated::Before);

    assert_eq!(moved(&postgres, &sqlite), Migrated::Moved(before.leaves));
    assert_eq!(sqlite.content().digest, before.digest);
    let refused = postgres.try_open().await.err().unwrap().to_string();
    assert!(refused.contains("was moved to") && refused.contains(&sqlite.name()), "{refused}");

    // What was moved goes on, and can be moved again over what was left behind.
    sqlite.with(async |ledger| append(ledger, 5000..5300).await).await;
    assert_eq!(moved(&sqlite, &postgres), Migrated::Moved(before.leaves + 300));
    postgres
        .with(async |ledger| {
            append(ledger, 6000..6010).await;
            assert!(ledger.append(real(record(5000))).await.is_err(), "its index is there");
            let (receipt, inclusion) =
                ledger.receipt_with_inclusion(&real_hash(5001)).await.unwrap().unwrap();
            let (head, leaf) = (ledger.head(), tlog::leaf_hash(&real(record(5001)).entry));
            tlog::verify_inclusion(receipt.leaf, head.size, &leaf, &inclusion.path, &head.root).unwrap();
        })
        .await;
    assert_eq!(postgres.operator().check_log(&[verifier()]).unwrap(), before.leaves + 310);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_is_killed_anywhere_goes_on_and_its_half_made_copy_is_no_store() {
    let (sqlite, postgres) = (TestStore::sqlite(), TestStore::postgres());
    fill(&sqlite).await;
    let before = sqlite.content();
    for (from, to) in [(&sqlite, &postgres), (&postgres, &sqlite)] {
        for receipt in [1, 300, before.leaves, before.leaves + 1, before.leaves * 2] {
            killed(|| migrate(&from.place(), &to.place(), &keys(), &mut KilledAt(receipt)));
            let refused = to.try_open().await.err().unwrap().to_string();
            let is_replaced = refused.contains("was moved to");
            assert!(refused.contains("not whole") || is_replaced, "{receipt}: {refused}");
            assert!(from.try_open().await.is_err(), "the source goes on nowhere meanwhile");
        }
        assert_eq!(moved(from, to), Migrated::Moved(before.leaves));
        assert_eq!(to.content().digest, before.digest);
        to.with(async |ledger| assert_eq!(ledger.head().size, before.leaves)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_was_not_ended_is_given_up_by_the_way_back() {
    for (from, to) in
        [(TestStore::sqlite(), TestStore::postgres()), (TestStore::postgres(), TestStore::sqlite())]
    {
        fill(&from).await;
        let before = from.content();
        killed(|| migrate(&from.place(), &to.place(), &keys(), &mut KilledAt(400)));
        assert_eq!(from.content().digest, before.digest, "it can be backed up meanwhile");
        assert_eq!(moved(&to, &from), Migrated::GivenUp);
        assert!(to.try_open().await.is_err());
        assert_eq!(from.content().digest, before.digest);
        from.with(async |ledger| append(ledger, 7000..7003).await).await;
        assert_eq!(moved(&from, &to), Migrated::Moved(before.leaves + 3));
        // Back, and given up before anything was copied.
        killed(|| migrate(&to.place(), &from.place(), &keys(), &mut KilledAt(5)));
        assert!(to.try_open().await.err().unwrap().to_string().contains("is being moved"));
        assert_eq!(moved(&from, &to), Migrated::GivenUp);
        assert_eq!(moved(&from, &to), Migrated::Before);
        to.with(async |ledger| append(ledger, 7003..7005).await).await;
        // To an empty place, and given up before anything was there.
        let empty = TestStore::sqlite();
        to.sql(&format!(
            "INSERT INTO mark SELECT 1, 'moving', '{}', size, root, latest, checkpoint FROM head",
            empty.name()
        ));
        to.sql("DELETE FROM head");
        assert_eq!(moved(&empty, &to), Migrated::GivenUp);
        assert_eq!(to.content().leaves, before.leaves + 5);
    }
}

/// Lets no head be written to a store, so that a copy does not become live.
fn stop_heads(store: &TestStore) {
    store.sql(match store {
        TestStore::Sqlite(..) => {
            "CREATE TRIGGER stopped BEFORE INSERT ON head BEGIN SELECT RAISE(ABORT, 'stopped'); END"
        }
        TestStore::Postgres(..) => {
            "CREATE FUNCTION stopped() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stopped'; END $$;
            CREATE TRIGGER stopped BEFORE INSERT ON head FOR EACH ROW EXECUTE FUNCTION stopped()"
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_is_marked_as_moved_before_its_copy_is_live_and_is_not_revived() {
    for (from, to) in
        [(TestStore::sqlite(), TestStore::postgres()), (TestStore::postgres(), TestStore::sqlite())]
    {
        from.with(async |ledger| append(ledger, 0..300).await).await;
        killed(|| migrate(&from.place(), &to.place(), &keys(), &mut KilledAt(1)));
        stop_heads(&to);
        let stopped = migrate(&from.place(), &to.place(), &keys(), &mut ());
        assert!(
            matches!(stopped, Err(TransferError::Sqlite { .. } | TransferError::Postgres { .. })),
            "{stopped:?}"
        );
        let refused_by = async |store: &TestStore| store.try_open().await.err().unwrap().to_string();
        assert!(refused_by(&from).await.contains("was moved to"), "{}", refused_by(&from).await);
        assert!(refused_by(&to).await.contains("not whole"), "{}", refused_by(&to).await);
        // The target may be there, or made anew: it may have been live.
        let given_up = || migrate(&to.place(), &from.place(), &keys(), &mut ());
        assert!(matches!(given_up(), Err(TransferError::NotGivenUp { .. })), "{:?}", given_up());
        to.sql("CREATE TABLE kept AS SELECT * FROM mark; DELETE FROM mark");
        assert!(matches!(given_up(), Err(TransferError::NotGivenUp { .. })), "{:?}", given_up());
        assert!(refused_by(&from).await.contains("was moved to"), "{}", refused_by(&from).await);
        to.sql("INSERT INTO mark SELECT * FROM kept; DROP TABLE kept");
        to.sql(match &to {
            TestStore::Sqlite(..) => "DROP TRIGGER stopped",
            TestStore::Postgres(..) => "DROP TRIGGER stopped ON head",
        });
        assert_eq!(moved(&from, &to), Migrated::Moved(300));
        assert_eq!(moved(&from, &to), Migrated::Before);
        to.with(async |ledger| append(ledger, 300..303).await).await;
        assert!(refused_by(&from).await.contains("was moved to"), "{}", refused_by(&from).await);
    }
}

/// Gives the move up when all is copied, as another process may that sees the same marks.
struct GivesUp<'s>(&'s TestStore, &'s TestStore);

impl Progress for GivesUp<'_> {
    fn begin(&mut self, what: &str, _: u64) {
        if what == "receipts compared" {
            assert_eq!(moved(self.1, self.0), Migrated::GivenUp);
        }
    }

    fn receipt(&mut self) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_another_process_gives_up_meanwhile_makes_no_second_live_store() {
    let (from, to) = (TestStore::postgres(), TestStore::postgres());
    from.with(async |ledger| append(ledger, 0..3).await).await;
    let ended = migrate(&from.place(), &to.place(), &keys(), &mut GivesUp(&from, &to));
    assert!(matches!(ended, Err(TransferError::MarkChanged(_))), "{ended:?}");
    assert!(to.try_open().await.is_err());
    from.with(async |ledger| append(ledger, 3..5).await).await;
    assert_eq!(moved(&from, &to), Migrated::Moved(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_moved_is_refused_and_is_as_it_was() {
    let (sqlite, postgres) = (TestStore::sqlite(), TestStore::postgres());
    let refused = |from: &TestStore, to: &TestStore, keys| {
        migrate(&from.place(), &to.place(), &keys, &mut ()).unwrap_err()
    };
    assert!(matches!(refused(&sqlite, &postgres, keys()), TransferError::NoStore(_)));
    assert!(matches!(refused(&postgres, &sqlite, keys()), TransferError::NoStore(_)));
    sqlite.with(async |ledger| append(ledger, 0..3).await).await;
    postgres.with(async |ledger| append(ledger, 0..5).await).await;
    assert!(matches!(refused(&sqlite, &sqlite, keys()), TransferError::SamePlace(_)));
    assert!(matches!(refused(&sqlite, &postgres, keys()), TransferError::NotEmpty { size: 5, .. }));
    let empty = TestStore::sqlite();
    for others in [keys_of(8, 9), keys_of(7, 8)] {
        assert!(matches!(refused(&sqlite, &empty, others), TransferError::OtherNotary(_)));
    }
    let ledger = sqlite.open().await;
    let said = refused(&sqlite, &empty, keys()).to_string();
    assert!(said.contains("another process has it open"), "{said}");
    drop(ledger);
    let ledger = postgres.open().await;
    while !postgres.operator().status().unwrap().replicas.iter().any(|replica| replica.head == 5) {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(matches!(refused(&postgres, &empty, keys()), TransferError::InUse { .. }));
    drop(ledger);
    sqlite.sql("PRAGMA user_version = 99");
    let said = refused(&sqlite, &empty, keys()).to_string();
    assert!(said.contains("its schema is of version 99"), "{said}");
    postgres.sql("UPDATE schema_version SET version = 99, oldest_writer = 99");
    let said =
        refused(&empty, &postgres, keys()).to_string() + &refused(&postgres, &empty, keys()).to_string();
    assert!(said.contains("its schema is of version 99"), "{said}");
}

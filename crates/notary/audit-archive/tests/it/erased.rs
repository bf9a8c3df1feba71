//! Receipts that were erased, and evidence that is a secret, are in no archive, on both back ends. An archive without them is whole.

use std::path::PathBuf;

use audit_archive::layout::SECRET_ROLE;
use audit_archive::{ArchiveReport, Filter, export};
use ledger::{Erases, Ledger, LedgerRecord};
use ledger_postgres::{PostgresConfig, PostgresLedger, StoreClock};
use ledger_sqlite::SqliteLedger;
use memchr::memmem::find;
use peers::postgres::{Database, Server};
use store_transfer::{Place, StoreReader};
use tempfile::TempDir;
use verdict::EvidenceBlob;

use crate::fixture::{
    at, clock, identity, log_key, published, record, record_of, runtime, streamed, verified,
};

/// The receipt that is erased: of agent a and of class scan-text, with evidence of its own.
const ERASED: u64 = 10;
/// The number of receipts before the one that logs the erasure.
const SIZE: u64 = 40;

/// An id of a watch.
const WATCH_ID: &str = "5d41402abc4b2a76b9719d911017c592";

/// A store of a back end, and a folder for its archives.
struct AnyStore {
    folder: TempDir,
    database: Option<Database>,
}

impl AnyStore {
    fn of_both() -> [Self; 2] {
        [None, Some(Server::shared().database())]
            .map(|database| Self { folder: tempfile::tempdir().unwrap(), database })
    }

    fn place(&self) -> Place {
        match &self.database {
            None => Place::File(self.folder.path().join("store.sqlite")),
            Some(database) => {
                let config: PostgresConfig = database.address().parse().unwrap();
                Place::Postgres(config.with_clock(StoreClock::Process))
            }
        }
    }

    fn append(&self, records: impl IntoIterator<Item = LedgerRecord>) {
        runtime().block_on(async {
            match self.place() {
                Place::File(path) => {
                    let ledger = SqliteLedger::open(&path, log_key(), &identity(), clock()).unwrap();
                    append(&ledger, records).await;
                }
                Place::Postgres(config) => {
                    let opened = PostgresLedger::open(&config, log_key(), &identity(), clock()).await;
                    let ledger = opened.unwrap();
                    append(&ledger, records).await;
                    ledger.close().await;
                }
            }
        });
    }

    /// Appends the receipts, of which none is erased yet.
    fn fill(&self) {
        self.append((0..SIZE).map(record));
    }

    fn erase(&self) {
        let hash = record(ERASED).hash;
        let erases = Some(Erases { hash, leaf: ERASED, memory: None });
        self.append([LedgerRecord { erases, ..record_of(SIZE, "erasure", Some(&hash)) }]);
    }

    fn reader(&self) -> StoreReader {
        StoreReader::open(&self.place()).unwrap()
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("archive.tar")
    }

    /// The archive, which is the same whether it is written to a file or streamed.
    fn exported(&self, filter: &Filter) -> Vec<u8> {
        let mut bytes = Vec::new();
        streamed(&mut self.reader(), filter, &mut bytes).unwrap();
        export(&mut self.reader(), &published(), filter, &self.target(), false, &mut ()).unwrap();
        assert!(std::fs::read(self.target()).unwrap() == bytes);
        std::fs::remove_file(self.target()).unwrap();
        bytes
    }
}

async fn append(ledger: &dyn Ledger, records: impl IntoIterator<Item = LedgerRecord>) {
    for appended in
        futures_util::future::join_all(records.into_iter().map(|record| ledger.append(record))).await
    {
        appended.unwrap();
    }
}

fn has(archive: &[u8], text: &str) -> bool {
    find(archive, text.as_bytes()).is_some()
}

/// The numbers of receipts that hold, are erased as the log says or without that it says so, and were not asked for.
fn counts(report: &ArchiveReport) -> [u64; 4] {
    [report.valid, report.erased, report.erased_unlogged, report.filtered]
}

#[test]
fn a_store_of_which_a_receipt_was_erased_is_exported_by_every_filter() {
    for store in AnyStore::of_both() {
        store.fill();
        store.erase();
        let of_agent = |agent: &str| Filter { agent: Some(agent.to_owned()), ..Filter::default() };
        let of_class = |class: &str| Filter { class: Some(class.to_owned()), ..Filter::default() };
        for (filter, expected) in [
            (Filter::default(), [40, 1, 0, 0]),
            (of_agent("a"), [20, 1, 0, 20]),
            // The log does not say whose it was.
            (of_agent("b"), [20, 1, 0, 20]),
            (of_class("scan-text"), [19, 1, 0, 21]),
            (of_class("commit"), [20, 0, 0, 21]),
            (Filter { since: Some(at(5)), ..of_agent("a") }, [17, 1, 0, 23]),
            (Filter { since: Some(at(20)), ..Filter::default() }, [21, 0, 0, 20]),
        ] {
            let archive = store.exported(&filter);
            let report = verified(&archive);
            assert!(report.holds(), "{report:?}");
            assert_eq!(counts(&report), expected, "{filter:?}");
            assert!(!has(&archive, r#"{"content":10}"#) && !has(&archive, "page 10"), "{filter:?}");
        }
    }
}

#[test]
fn an_export_that_goes_on_leaves_out_what_was_erased_since_it_was_begun() {
    for store in AnyStore::of_both() {
        store.fill();
        let whole = store.exported(&Filter::default());
        assert!(has(&whole, "page 10"));
        store.erase();
        // The receipts, requests and evidence of the chunk are there, and not the lines about them.
        let cut = find(&whole, b"kept/").unwrap();
        let part = store.target().with_extension("tar.part");
        for cut in [cut, cut - 512] {
            std::fs::write(&part, &whole[..cut]).unwrap();
            export(&mut store.reader(), &published(), &Filter::default(), &store.target(), true, &mut ())
                .unwrap();
            let archive = std::fs::read(store.target()).unwrap();
            let report = verified(&archive);
            assert!(report.holds(), "{report:?}");
            // It is of the size at which it was begun, so the log in it does not have the erasure.
            assert_eq!(counts(&report), [SIZE - 1, 0, 1, 0]);
            assert!(!has(&archive, r#"{"content":10}"#) && !has(&archive, "page 10"));
            std::fs::remove_file(store.target()).unwrap();
        }
    }
}

#[test]
fn the_id_of_a_watch_is_in_no_archive_and_the_rest_of_its_receipt_is() {
    for store in AnyStore::of_both() {
        let secret = format!(r#"{{"id":"{WATCH_ID}"}}"#).into_bytes();
        let evidence =
            vec![EvidenceBlob::new("page", b"a page".to_vec()), EvidenceBlob::new(SECRET_ROLE, secret)];
        store.append([LedgerRecord { evidence, ..record_of(0, "watch", None) }]);
        for filter in [Filter::default(), Filter { agent: Some("a".to_owned()), ..Filter::default() }] {
            let archive = store.exported(&filter);
            let report = verified(&archive);
            assert!(report.holds(), "{report:?}");
            assert_eq!((report.valid, report.kept, report.missing_evidence), (1, 2, 1));
            assert!(has(&archive, "a page") && !has(&archive, WATCH_ID));
        }
    }
}

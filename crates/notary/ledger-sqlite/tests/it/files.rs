//! The store's files: who may open them, who may read them, and what a killed process leaves in them.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use ledger::{Ledger, LedgerError, RefundState, TransferId};
use ledger_sqlite::SqliteLedger;

use crate::conformance::Harness as _;
use crate::conformance::support::*;
use crate::harness::SqliteStore;

/// The environment name by which a test tells its child process the store's path.
const STORE: &str = "LEDGER_TEST_STORE";

pub fn child(test: &str, store: &SqliteStore) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]).env(STORE, store.path());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The store that the parent names; `None` where there is no parent.
pub fn open_in_child() -> Option<Result<SqliteLedger, LedgerError>> {
    let path = PathBuf::from(std::env::var_os(STORE)?);
    Some(SqliteLedger::open(&path, log_key(SEED), &identity(SEED), ManualClock::start()))
}

#[tokio::test]
async fn a_store_is_open_in_one_place_at_a_time() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    let Err(refused) = store.open_as(SEED, &identity(SEED)).await else { panic!("opened twice") };
    let message = refused.to_string();
    assert!(message.ends_with("another process has it open"), "{message}");
    let output = child("files::child_opens_the_store", &store).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("another process has it open"), "{said}");
    ledger.append(record(0)).await.unwrap();
    drop(ledger);
    let output = child("files::child_opens_the_store", &store).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("opened at 1"));
}

#[test]
#[ignore = "run by another test as a process of its own"]
fn child_opens_the_store() {
    match open_in_child() {
        Some(Ok(ledger)) => println!("opened at {}", ledger.head().size),
        Some(Err(error)) => println!("{error}"),
        None => {}
    }
}

#[tokio::test]
async fn a_store_of_the_first_schema_is_opened_and_its_refunds_keep_their_origin() {
    let store = SqliteStore::new();
    let connection = store.connection();
    connection.execute_batch(include_str!("../../src/migrations/schema.sql")).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    let insert = "INSERT INTO refunds (claim, kind, dispute, disputed, chain_id, symbol, payee, amount, state, origin,
            log_index, settlement, owed_at, lease_until)
         VALUES (1, 0, zeroblob(32), zeroblob(32), 8453, 'USDC', zeroblob(20), 5, 0, zeroblob(32), 7, 'chain', 0, 0)";
    connection.execute(insert, []).unwrap();
    drop(connection);
    drop(store.open().await);
    let refunds = store.operator_store().refunds(&RefundState::ALL).unwrap();
    let origins: Vec<_> = refunds.into_iter().map(|refund| refund.origin.id).collect();
    assert_eq!(origins, [TransferId::LogIndex(7)]);
}

/// Whoever has read an answer finds its receipt in the store, whenever the process is killed.
#[tokio::test]
async fn a_killed_process_has_kept_all_that_it_answered() {
    let store = SqliteStore::new();
    let mut kept = 0;
    for round in 1..=4_u64 {
        let mut process = child("files::child_appends_until_it_is_killed", &store).spawn().unwrap();
        let mut answers = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut answered = Vec::new();
        while (answered.len() as u64) < 150 * round {
            let line = answers.next().expect("the child goes on until it is killed").unwrap();
            answered.extend(number_in(&line));
        }
        process.kill().unwrap();
        process.wait().unwrap();
        answered.extend(answers.map_while(Result::ok).filter_map(|line| number_in(&line)));
        let ledger = store.open().await;
        for number in answered {
            let (_, inclusion) = ledger.receipt_with_inclusion(&hash(number)).await.unwrap().unwrap();
            verified(number, &inclusion);
            kept += 1;
        }
        Auditor::fetch(&*ledger).await.audit(&ledger.head());
    }
    assert!(kept >= 1500);
}

/// The number in a child's line; `None` in any other line, and in one that was cut off.
fn number_in(line: &str) -> Option<u64> {
    line.strip_prefix("answered ")?.strip_suffix('.')?.parse().ok()
}

#[test]
#[ignore = "run by another test as a process of its own"]
fn child_appends_until_it_is_killed() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let Some(ledger) = open_in_child() else { return };
    let ledger: Arc<dyn Ledger> = Arc::new(ledger.unwrap());
    let first = ledger.head().size;
    let tasks: Vec<_> = (0..8_u64)
        .map(|task| {
            let ledger = Arc::clone(&ledger);
            runtime.spawn(async move {
                for step in 0.. {
                    let number = first + step * 8 + task + 1_000_000 * first;
                    ledger.append(record(number)).await.unwrap();
                    println!("answered {number}.");
                }
            })
        })
        .collect();
    for task in tasks {
        runtime.block_on(task).unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_but_the_owner_may_read_the_store() {
    use std::os::unix::fs::PermissionsExt as _;

    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("a/b");
    let path = folder.join("ledger.sqlite");
    let ledger = SqliteLedger::open(&path, log_key(SEED), &identity(SEED), ManualClock::start()).unwrap();
    ledger.append(record(0)).await.unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let names = ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "ledger.sqlite.lock"];
    for name in names {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    drop(ledger);
    assert!(!folder.join("ledger.sqlite-wal").exists(), "a clean end leaves no WAL behind");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wal_begins_anew_before_it_grows_large() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    let mut longest = 0;
    for number in 0..120 {
        let mut given = record(number);
        given.evidence = vec![blob("body", &vec![number as u8; 1 << 20])];
        ledger.append(given).await.unwrap();
        ledger.evidence(number / 2).await.unwrap();
        let wal = std::fs::metadata(store.folder.path().join("ledger.sqlite-wal")).unwrap();
        longest = longest.max(wal.len());
    }
    // 64 MiB and a transaction.
    assert!(longest < 80 << 20, "{longest} bytes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_does_not_end_holds_up_no_append_and_the_wal_begins_anew_after_it() {
    let store = SqliteStore::new();
    let ledger = store.open().await;
    ledger.append(record(0)).await.unwrap();
    let reader = store.connection();
    reader.execute_batch("BEGIN; SELECT count(*) FROM leaves").unwrap();
    let large = |number: u64| {
        let mut given = record(number);
        given.evidence = vec![blob("body", &vec![number as u8; 4 << 20])];
        given
    };
    for number in 1..40 {
        ledger.append(large(number)).await.unwrap();
    }
    let wal = || std::fs::metadata(store.folder.path().join("ledger.sqlite-wal")).unwrap().len();
    let grown = wal();
    assert!(grown > 100 << 20, "{grown} bytes: the reader's pages were kept");
    let seen: u64 = reader.query_row("SELECT count(*) FROM leaves", [], |row| row.get(0)).unwrap();
    assert_eq!(seen, 1);
    reader.execute_batch("COMMIT").unwrap();
    for number in 40..80 {
        ledger.append(large(number)).await.unwrap();
    }
    assert!(wal() < grown + (80 << 20), "{} bytes", wal());
}

#[test]
fn a_folder_that_cannot_be_made_and_a_path_that_is_a_folder_are_refused_with_the_path() {
    let temporary = tempfile::tempdir().unwrap();
    std::fs::write(temporary.path().join("file"), b"").unwrap();
    for path in [temporary.path().join("file/ledger.sqlite"), temporary.path().to_owned()] {
        let Err(refused) = SqliteLedger::open(&path, log_key(SEED), &identity(SEED), ManualClock::start())
        else {
            panic!("opened {}", path.display())
        };
        assert!(matches!(refused, LedgerError::Open { .. }));
        assert!(refused.to_string().contains(&*path.display().to_string()));
    }
}

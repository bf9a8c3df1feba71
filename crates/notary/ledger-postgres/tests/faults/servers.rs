//! Servers that crash, stand still, or take no writes.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ledger::{Ledger as _, LedgerError};
use ledger_postgres::PostgresLedger;
use peers::postgres::{Database, Server};
use tlog::{Checkpoint, Hash};
use tokio_postgres::NoTls;

use crate::store::{UNSAFE, audited, open, until, until_appended};
use crate::support::{entry, hash, record, verified};

fn signal(name: &str, processes: &[u32]) {
    let ids: Vec<String> = processes.iter().map(u32::to_string).collect();
    assert!(Command::new("kill").arg(format!("-{name}")).args(ids).status().unwrap().success());
}

/// The process of a server that writes checkpoints; `None` while the server recovers.
async fn checkpointer(server: &Server) -> Option<u32> {
    let (client, connection) = tokio_postgres::connect(&server.address("postgres"), NoTls).await.ok()?;
    tokio::spawn(connection);
    let select = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";
    let row = client.query_opt(select, &[]).await.ok()??;
    u32::try_from(row.get::<_, i32>(0)).ok()
}

/// What was answered: the leaf and the checkpoint of each record, by its number.
type Answers = Arc<Mutex<BTreeMap<u64, (u64, Checkpoint)>>>;

/// Appends records without end, until told so.
async fn load(ledger: Arc<PostgresLedger>, next: Arc<AtomicU64>, answers: Answers, is_over: Arc<AtomicBool>) {
    while !is_over.load(Ordering::SeqCst) {
        let number = next.fetch_add(1, Ordering::SeqCst);
        match ledger.append(record(number)).await {
            Ok(appended) => {
                let checkpoint = verified(number, &appended.inclusion);
                answers.lock().unwrap().insert(number, (appended.leaf, checkpoint));
            }
            Err(LedgerError::Busy | LedgerError::OutcomeUnknown | LedgerError::Store(_)) => {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// The whole log has what was answered, and is the one tree of all checkpoints.
async fn check(database: &Database, answers: &Answers) {
    let auditor = audited(&database.address()).await;
    let mut roots: BTreeMap<u64, Hash> = BTreeMap::new();
    for (number, (leaf, checkpoint)) in &*answers.lock().unwrap() {
        assert_eq!(auditor.entries[usize::try_from(*leaf).unwrap()], entry(*number));
        let root = roots.entry(checkpoint.size()).or_insert_with(|| checkpoint.root());
        assert_eq!(*root, checkpoint.root(), "two roots of one size");
    }
    for (size, root) in roots {
        assert_eq!(tlog::root_at(size, &auditor).unwrap(), root);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_crashes_under_load_loses_no_answered_receipt_and_ledgers_go_on() {
    let server = Server::start(&UNSAFE);
    let database = server.database();
    let ledgers = [open(&database.address()).await, open(&database.address()).await].map(Arc::new);
    let (next, answers, is_over) = (Arc::<AtomicU64>::default(), Answers::default(), Arc::default());
    let tasks: Vec<_> = (0..16)
        .map(|task| {
            let ledger = Arc::clone(&ledgers[task % 2]);
            tokio::spawn(load(ledger, Arc::clone(&next), Arc::clone(&answers), Arc::clone(&is_over)))
        })
        .collect();
    for crash in 1..4_usize {
        until("receipts are answered", async || answers.lock().unwrap().len() > crash * 100).await;
        // A process of a server that is killed takes all others with it, and the server recovers from its journal.
        let killed = checkpointer(&server).await.expect("the server runs");
        signal("KILL", &[killed]);
        let has_recovered = async || checkpointer(&server).await.is_some_and(|new| new != killed);
        until("the server has recovered", has_recovered).await;
        let before = answers.lock().unwrap().len();
        until("receipts are answered again", async || answers.lock().unwrap().len() > before + 50).await;
    }
    is_over.store(true, Ordering::SeqCst);
    for task in tasks {
        task.await.unwrap();
    }
    for ledger in &ledgers {
        until("it is writable", async || ledger.is_writable()).await;
    }
    check(&database, &answers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stands_still_for_longer_than_anybody_waits_loses_nothing() {
    let server = Server::start(&UNSAFE);
    let database = server.database();
    let ledgers = [open(&database.address()).await, open(&database.address()).await].map(Arc::new);
    let (next, answers, is_over) = (Arc::<AtomicU64>::default(), Answers::default(), Arc::default());
    let tasks: Vec<_> = (0..4)
        .map(|task| {
            let ledger = Arc::clone(&ledgers[task % 2]);
            tokio::spawn(load(ledger, Arc::clone(&next), Arc::clone(&answers), Arc::clone(&is_over)))
        })
        .collect();
    until("receipts are answered", async || answers.lock().unwrap().len() > 50).await;
    let processes = server.processes();
    signal("STOP", &processes);
    // Longer than a statement may take, so that every commit that was under way is in doubt.
    tokio::time::sleep(Duration::from_secs(20)).await;
    signal("CONT", &processes);
    let before = answers.lock().unwrap().len();
    until("receipts are answered again", async || answers.lock().unwrap().len() > before + 50).await;
    is_over.store(true, Ordering::SeqCst);
    for task in tasks {
        task.await.unwrap();
    }
    for ledger in &ledgers {
        until("it is writable", async || ledger.is_writable()).await;
    }
    check(&database, &answers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_takes_no_writes_is_read_and_written_to_again_when_it_does() {
    let server = Server::start(&UNSAFE);
    let database = server.database();
    let ledger = open(&database.address()).await;
    ledger.append(record(0)).await.unwrap();
    let set = |value: &str| {
        let read_write = "SET default_transaction_read_only = off";
        let alter = format!("ALTER SYSTEM SET default_transaction_read_only = {value}");
        let mut psql = Command::new("psql");
        psql.args(["-X", "-q", "-U", "postgres", "-d", database.name(), "-h"]).arg(server.folder());
        psql.args(["-c", read_write, "-c", &alter, "-c", "SELECT pg_reload_conf()"]);
        assert!(psql.output().unwrap().status.success());
    };
    set("on");
    until("it is read-only", async || database.sql("SHOW default_transaction_read_only") == "on").await;
    until("appends are refused", async || ledger.append(record(1)).await.is_err()).await;
    until("it is known", async || !ledger.is_writable()).await;
    let known = ledger.head();
    assert!(matches!(ledger.append(record(2)).await, Err(LedgerError::Busy)));
    assert!(ledger.receipt(&hash(0)).await.unwrap().is_some(), "reads go on");
    assert!(ledger.inclusion(0).await.is_ok());
    set("off");
    let leaf = until_appended(&ledger, 3).await;
    assert!(leaf >= known.size);
    until("all sequencers go on", async || ledger.is_writable()).await;
    audited(&database.address()).await;
}

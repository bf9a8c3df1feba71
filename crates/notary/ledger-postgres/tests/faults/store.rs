//! What these tests share: stores, ledgers on them, other sessions, and waits for states.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ledger::Ledger as _;
use ledger_postgres::{PostgresConfig, PostgresLedger, StoreClock};
use peers::HANG;
use peers::postgres::{Database, Server};
use tlog::LogSigners;
use tokio_postgres::{Client, NoTls};
use verdict::SystemClock;

use crate::support::{Auditor, ManualClock, SEED, identity, log_key, record, signed};

/// The settings of a server whose data need not outlive the machine.
pub const UNSAFE: [&str; 3] = ["fsync=off", "full_page_writes=off", "autovacuum=off"];

/// Opens the store at an address, as a process of its own would. Its leases are measured by a clock that stands.
pub async fn open(address: &str) -> PostgresLedger {
    open_by(address, ManualClock::start()).await
}

/// Opens the store at an address, with leases that are measured by this clock.
pub async fn open_by(address: &str, clock: Arc<ManualClock>) -> PostgresLedger {
    let config = address.parse::<PostgresConfig>().unwrap().with_clock(StoreClock::Process);
    PostgresLedger::open(&config, log_key(SEED), &identity(SEED), clock).await.unwrap()
}

/// Opens the store at an address with signers of the key that all cases use.
pub async fn open_with(address: &str, signers: LogSigners) -> PostgresLedger {
    let config = address.parse::<PostgresConfig>().unwrap().with_clock(StoreClock::Process);
    PostgresLedger::open(&config, signers, &identity(SEED), ManualClock::start()).await.unwrap()
}

/// Opens the store at an address, with leases that are measured by the server's clock.
pub async fn open_by_database(address: &str) -> PostgresLedger {
    let config = address.parse::<PostgresConfig>().unwrap();
    let clock = Arc::new(SystemClock::start());
    PostgresLedger::open(&config, log_key(SEED), &identity(SEED), clock).await.unwrap()
}

/// A database of the server that the tests of this process share, with a ledger that has it open.
pub async fn shared() -> (Database, PostgresLedger) {
    let database = Server::shared().database();
    let ledger = open(&database.address()).await;
    (database, ledger)
}

/// A connection beside those of ledgers.
pub async fn session(address: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Waits until something is so.
pub async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < HANG, "{what}: never");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until so many statements on a database that contain this text wait for an event: a lock, or a standby.
pub async fn until_waiting(database: &Database, event: &str, text: &str, count: u32) {
    let waiting = format!(
        "SELECT count(*) >= {count} FROM pg_stat_activity WHERE datname = current_database()
            AND (wait_event_type = '{event}' OR wait_event = '{event}') AND query LIKE '%{text}%'"
    );
    until(&format!("{count} of {text:?} wait"), async || database.sql(&waiting) == "t").await;
}

/// Waits until a ledger appends a record of this number, and returns its leaf.
pub async fn until_appended(ledger: &PostgresLedger, number: u64) -> u64 {
    let mut leaf = None;
    until("an append", async || {
        leaf = ledger.append(record(number)).await.ok().map(|appended| appended.leaf);
        leaf.is_some()
    })
    .await;
    leaf.unwrap()
}

/// Checks the whole log of a store, as a ledger that opens it now finds it, and returns it.
pub async fn audited(address: &str) -> Auditor {
    let ledger = open(address).await;
    let head = ledger.head();
    signed(&head);
    let auditor = Auditor::fetch(&ledger).await;
    auditor.audit(&head);
    ledger.close().await;
    auditor
}

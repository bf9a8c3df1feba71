//! A store in a database of its own, on the server that the tests of this process share.

use std::ptr;
use std::sync::{Arc, Mutex};

use ledger::{Identity, Ledger, LedgerError, LogKeyRing, OperatorStore};
use ledger_postgres::{PostgresConfig, PostgresLedger, PostgresOperatorStore, StoreClock};
use peers::postgres::{Database, Server};

use crate::conformance::Harness;
use crate::conformance::payer::LEASE_MS;
use crate::conformance::support::{ManualClock, SEED, identity, log_key};

/// The database that all stores are copied from: with tables, and bound to no keys.
const TEMPLATE: &str = "template_of_stores";

pub struct PostgresStore {
    /// The ledgers that are open. They end before their database is removed.
    open: Mutex<Vec<Process>>,
    database: Arc<Database>,
    clock: Arc<ManualClock>,
}

/// A ledger, with all its tasks and connections on a runtime of its own, as in a process of its own.
struct Process {
    runtime: Runtime,
    ledger: Arc<PostgresLedger>,
}

/// A runtime whose tasks end as those of a killed process do: at once, where they stand.
struct Runtime(Option<tokio::runtime::Runtime>);

impl Runtime {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Self(Some(runtime.unwrap()))
    }

    /// Runs a task of the process to its end.
    async fn run<T: Send + 'static>(&self, task: impl Future<Output = T> + Send + 'static) -> T {
        self.0.as_ref().expect("it is taken by drop alone").spawn(task).await.unwrap()
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

fn config(address: &str) -> PostgresConfig {
    address.parse::<PostgresConfig>().unwrap().with_clock(StoreClock::Process)
}

/// Has the tables of a store made in an empty database.
fn make_tables(address: &str) {
    let config = config(address);
    let make = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let clock = ManualClock::start();
            PostgresLedger::open(&config, log_key(SEED), &identity(SEED), clock).await.unwrap().close().await;
        });
    };
    // On a thread that is in no other runtime.
    std::thread::scope(|scope| scope.spawn(make).join().unwrap());
    let name = address.rsplit_once('/').unwrap().1;
    Server::shared().sql(name, "DELETE FROM identity; DELETE FROM head");
}

impl PostgresStore {
    /// A store in a database without tables.
    pub fn without_tables() -> Self {
        Self::over(Arc::new(Server::shared().database()), ManualClock::start())
    }

    /// The address of its database.
    pub fn address(&self) -> String {
        self.database.address()
    }

    /// Has the database refuse writes, as a standby does, or take them again; and ends all connections to it.
    pub fn take_no_writes(&self, read_only: bool) {
        let name = self.database.address().rsplit_once('/').unwrap().1.to_owned();
        let server = Server::shared();
        server.sql(
            "postgres",
            &format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = {read_only}"),
        );
        let end = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        server.sql("postgres", &end);
    }

    fn over(database: Arc<Database>, clock: Arc<ManualClock>) -> Self {
        Self { open: Mutex::default(), database, clock }
    }
}

impl Harness for PostgresStore {
    const SEVERAL: bool = true;
    /// Fewer than on the embedded store: each step is a transaction of a server.
    const MODEL_CASES: u32 = 12;

    fn new() -> Self {
        let database = Server::shared().database_from(TEMPLATE, make_tables);
        Self::over(Arc::new(database), ManualClock::start())
    }

    async fn open_with(
        &self,
        log_keys: LogKeyRing,
        identity: &Identity,
    ) -> Result<Arc<dyn Ledger>, LedgerError> {
        let (config, identity, clock) =
            (config(&self.database.address()), identity.clone(), Arc::clone(&self.clock));
        let runtime = Runtime::start();
        let opening =
            async move { PostgresLedger::open(&config, log_keys, &identity, clock).await.map(Arc::new) };
        let ledger = runtime.run(opening).await?;
        self.open.lock().unwrap().push(Process { runtime, ledger: Arc::clone(&ledger) });
        Ok(ledger)
    }

    async fn close(&self, ledger: Arc<dyn Ledger>) {
        let process = {
            let mut open = self.open.lock().unwrap();
            let is_it = |process: &Process| ptr::addr_eq(Arc::as_ptr(&process.ledger), Arc::as_ptr(&ledger));
            let index = open.iter().position(is_it).expect("this harness has opened it");
            open.swap_remove(index)
        };
        drop(ledger);
        let Process { runtime, ledger } = process;
        let ledger = Arc::into_inner(ledger).expect("nobody uses a ledger that is closed");
        runtime.run(ledger.close()).await;
        self.clock.advance(LEASE_MS);
    }

    /// What processes have reserved is leased by the time of the server, so it is removed as the next sweep would do.
    async fn let_leases_end(&self) {
        self.database.sql("DELETE FROM epochs; DELETE FROM reserved");
        self.clock.advance(LEASE_MS);
    }

    async fn after_a_crash(&self) -> Self {
        self.open.lock().unwrap().clear();
        self.let_leases_end().await;
        Self::over(Arc::clone(&self.database), Arc::clone(&self.clock))
    }

    fn operator_store(&self) -> Box<dyn OperatorStore> {
        Box::new(PostgresOperatorStore::open(&config(&self.database.address())).unwrap())
    }

    fn clock(&self) -> &Arc<ManualClock> {
        &self.clock
    }

    fn blobs(&self) -> u64 {
        self.database.sql("SELECT count(*) FROM blobs").parse().unwrap()
    }

    fn strip_evidence(&self) {
        self.database.sql("DELETE FROM blobs");
    }
}

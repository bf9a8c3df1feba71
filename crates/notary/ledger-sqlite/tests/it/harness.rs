//! A store in a temporary folder.

use std::path::PathBuf;
use std::sync::Arc;

use ledger::{Identity, Ledger, LedgerError, LogKeyRing, OperatorStore};
use ledger_sqlite::{SqliteLedger, SqliteOperatorStore};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::conformance::Harness;
use crate::conformance::payer::LEASE_MS;
use crate::conformance::support::ManualClock;

pub struct SqliteStore {
    pub folder: TempDir,
    clock: Arc<ManualClock>,
}

impl SqliteStore {
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("ledger.sqlite")
    }

    pub fn connection(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }
}

impl Harness for SqliteStore {
    const SEVERAL: bool = false;
    const MODEL_CASES: u32 = 64;

    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: ManualClock::start() }
    }

    /// At most one ledger is open at a time.
    async fn open_with(
        &self,
        log_keys: LogKeyRing,
        identity: &Identity,
    ) -> Result<Arc<dyn Ledger>, LedgerError> {
        let clock = Arc::clone(&self.clock);
        Ok(Arc::new(SqliteLedger::open(&self.path(), log_keys, identity, clock)?))
    }

    /// Opening the store ends all leases.
    async fn close(&self, ledger: Arc<dyn Ledger>) {
        drop(ledger);
    }

    fn operator_store(&self) -> Box<dyn OperatorStore> {
        Box::new(SqliteOperatorStore::open(&self.path()).unwrap())
    }

    fn clock(&self) -> &Arc<ManualClock> {
        &self.clock
    }

    /// The database and its WAL as they stand. A killed process leaves them so: what is not in them, the kernel
    /// never had.
    async fn let_leases_end(&self) {
        self.clock.advance(LEASE_MS);
    }

    async fn after_a_crash(&self) -> Self {
        let after = Self { folder: tempfile::tempdir().unwrap(), clock: Arc::clone(&self.clock) };
        for name in ["ledger.sqlite", "ledger.sqlite-wal"] {
            std::fs::copy(self.folder.path().join(name), after.folder.path().join(name)).unwrap();
        }
        after
    }

    fn blobs(&self) -> u64 {
        self.connection().query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).unwrap()
    }

    fn strip_evidence(&self) {
        self.connection().execute("DELETE FROM blobs", []).unwrap();
    }
}

//! Stores of both back ends, and their keys.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger::{Identity, Ledger, LedgerError, OperatorStore, PriceTable};
use ledger_postgres::{PostgresConfig, PostgresLedger, PostgresOperatorStore, StoreClock};
use ledger_sqlite::{SqliteLedger, SqliteOperatorStore};
use peers::postgres::{Database, Server};
use receipt::key::{KeyId, PublishedKey, SigningKey};
use receipt::sign::Signer;
use store_transfer::{Checked, NotaryKeys, Place, Progress, TransferError, backup};
use tempfile::TempDir;

use crate::conformance::support::{ManualClock, SEED, log_key};

pub const BASE_URL: &str = "https://notary.example";

pub fn signer() -> Signer {
    let key = SigningKey::from_seed(&[9; 32]);
    let kid = key.id(BASE_URL).unwrap();
    Signer::new(key, kid)
}

pub fn keys_of(log_seed: u8, receipt_seed: u8) -> NotaryKeys {
    let key = SigningKey::from_seed(&[receipt_seed; 32]).public_key();
    let published = PublishedKey::active(KeyId::new(BASE_URL, &key).unwrap(), key);
    NotaryKeys::new(log_key(log_seed).verifier(), &[published]).unwrap()
}

pub fn keys() -> NotaryKeys {
    keys_of(SEED, 9)
}

fn identity() -> Identity {
    Identity {
        receipt_kid: signer().kid().as_str().to_owned(),
        log_vkey: log_key(SEED).verifier().to_string(),
        prices: Some([("commit", 100_000)].into_iter().collect::<PriceTable>()),
        ..Identity::default()
    }
}

/// The place of a store, which may not be there yet.
#[expect(clippy::large_enum_variant, reason = "there are few")]
pub enum TestStore {
    Sqlite(PathBuf, #[allow(dead_code, reason = "it is removed with this")] TempDir),
    Postgres(PostgresConfig, Database),
}

impl TestStore {
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::Sqlite(folder.path().join("store.sqlite"), folder)
    }

    pub fn postgres() -> Self {
        let database = Server::shared().database();
        let config: PostgresConfig = database.address().parse().unwrap();
        Self::Postgres(config.with_clock(StoreClock::Process), database)
    }

    pub fn place(&self) -> Place {
        match self {
            Self::Sqlite(path, _) => Place::File(path.clone()),
            Self::Postgres(config, _) => Place::Postgres(config.clone()),
        }
    }

    /// Its place, as marks have it.
    pub fn name(&self) -> String {
        match self {
            Self::Sqlite(path, _) => path.display().to_string(),
            Self::Postgres(config, _) => config.place(),
        }
    }

    pub async fn try_open(&self) -> Result<Arc<dyn Ledger>, LedgerError> {
        let clock = ManualClock::start();
        Ok(match self {
            Self::Sqlite(path, _) => {
                Arc::new(SqliteLedger::open(path, log_key(SEED), &identity(), clock)?) as Arc<dyn Ledger>
            }
            Self::Postgres(config, _) => {
                Arc::new(PostgresLedger::open(config, log_key(SEED), &identity(), clock).await?)
            }
        })
    }

    pub async fn open(&self) -> Arc<dyn Ledger> {
        self.try_open().await.unwrap()
    }

    /// Works on the open store, and closes it.
    pub async fn with<T>(&self, work: impl AsyncFnOnce(&dyn Ledger) -> T) -> T {
        let clock = ManualClock::start();
        match self {
            Self::Sqlite(..) => work(&*self.open().await).await,
            Self::Postgres(config, _) => {
                let ledger = PostgresLedger::open(config, log_key(SEED), &identity(), clock).await.unwrap();
                let done = work(&ledger).await;
                ledger.close().await;
                done
            }
        }
    }

    pub fn operator(&self) -> Box<dyn OperatorStore> {
        match self {
            Self::Sqlite(path, _) => Box::new(SqliteOperatorStore::open(path).unwrap()),
            Self::Postgres(config, _) => Box::new(PostgresOperatorStore::open(config).unwrap()),
        }
    }

    /// Runs a statement on its tables.
    pub fn sql(&self, statement: &str) {
        match self {
            Self::Sqlite(path, _) => {
                rusqlite::Connection::open(path).unwrap().execute_batch(statement).unwrap();
            }
            Self::Postgres(_, database) => drop(database.sql(statement)),
        }
    }

    /// The number of rows of a table.
    pub fn count(&self, table: &str) -> u64 {
        let select = format!("SELECT count(*) FROM {table}");
        match self {
            Self::Sqlite(path, _) => {
                rusqlite::Connection::open(path).unwrap().query_row(&select, [], |row| row.get(0)).unwrap()
            }
            Self::Postgres(_, database) => database.sql(&select).parse().unwrap(),
        }
    }

    /// Backs it up, and says what was in it.
    pub fn content(&self) -> Checked {
        let folder = tempfile::tempdir().unwrap();
        backup(&self.place(), &folder.path().join("backup"), None, &mut ()).unwrap()
    }

    pub fn backup_to(&self, path: &Path) -> Checked {
        backup(&self.place(), path, None, &mut ()).unwrap()
    }
}

/// Panics at the receipt of this number, as a process that is killed there ends.
pub struct KilledAt(pub u64);

impl Progress for KilledAt {
    fn begin(&mut self, _: &str, _: u64) {}

    fn receipt(&mut self) {
        self.0 -= 1;
        assert!(self.0 > 0, "killed");
    }
}

/// Runs an operation that is killed.
pub fn killed<T>(work: impl FnOnce() -> Result<T, TransferError>) {
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    assert!(ended.is_err(), "it has ended by itself: {:?}", ended.ok().and_then(Result::err));
}

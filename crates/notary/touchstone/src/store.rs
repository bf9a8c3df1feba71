//! The store that the settings name. It is the only place of the program that knows the back ends.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger::{Identity, Ledger, LedgerError, LogKeyRing, OperatorStore};
use ledger_postgres::{PostgresConfig, PostgresLedger, PostgresOperatorStore};
use ledger_sqlite::{SqliteLedger, SqliteOperatorStore};
use store_transfer::Place;
use verdict::Clock;

/// The environment variable of the database's password, where the address has none: libpq's.
const PASSWORD: &str = "PGPASSWORD";
/// The environment variable that names a file of passwords: libpq's.
const PASSWORD_FILE: &str = "PGPASSFILE";

/// The address of a store.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one in a process")]
pub enum StoreAddress {
    /// The file of an embedded store, which one process has open.
    File(PathBuf),
    /// A PostgreSQL database, which several processes may have open.
    Postgres(PostgresConfig),
}

impl StoreAddress {
    /// Reads the setting `store`.
    ///
    /// # Errors
    /// It is an address of PostgreSQL that cannot be used, for the reason in the text.
    pub fn parse(store: &str) -> Result<Self, LedgerError> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| store.starts_with(scheme)) {
            return Ok(Self::File(PathBuf::from(store)));
        }
        let config: PostgresConfig = store.parse()?;
        let named = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(password) = named(PASSWORD) {
            let unfit = |_| config.unusable(format!("{PASSWORD} is no UTF-8"));
            let password = password.into_string().map_err(unfit)?;
            return Ok(Self::Postgres(config.with_password(&password)));
        }
        match named(PASSWORD_FILE) {
            Some(path) => Ok(Self::Postgres(config.with_password_file(Path::new(&path))?)),
            None => Ok(Self::Postgres(config)),
        }
    }

    /// Returns true if several processes may have the store open.
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Returns true if a service has the store open.
    pub fn is_served(&self) -> Result<bool, LedgerError> {
        match self {
            Self::File(path) => Ok(SqliteLedger::is_open_elsewhere(path)),
            Self::Postgres(_) => {
                let status = self.operator()?.status()?;
                Ok(status.replicas.iter().any(|replica| replica.is_alive(status.now)))
            }
        }
    }

    /// The file of an embedded store.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    /// The place of the store for what copies it.
    pub fn place(&self) -> Place {
        match self {
            Self::File(path) => Place::File(path.clone()),
            Self::Postgres(config) => Place::Postgres(config.clone()),
        }
    }

    /// The identity that the store is bound to; `None` where there is no store, or it is not bound yet.
    pub async fn identity(&self) -> Result<Option<Identity>, LedgerError> {
        match self {
            Self::File(path) => SqliteLedger::stored_identity(path),
            Self::Postgres(config) => PostgresLedger::stored_identity(config).await,
        }
    }

    /// Opens the store, or makes it.
    pub async fn open(
        &self,
        log_keys: impl Into<LogKeyRing>,
        identity: &Identity,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<dyn Ledger>, LedgerError> {
        Ok(match self {
            Self::File(path) => Arc::new(SqliteLedger::open(path, log_keys, identity, clock)?),
            Self::Postgres(config) => {
                Arc::new(PostgresLedger::open(config, log_keys, identity, clock).await?)
            }
        })
    }

    /// Opens the operator's view of a store that is there.
    pub fn operator(&self) -> Result<Box<dyn OperatorStore>, LedgerError> {
        Ok(match self {
            Self::File(path) => Box::new(SqliteOperatorStore::open(path)?),
            Self::Postgres(config) => Box::new(PostgresOperatorStore::open(config)?),
        })
    }
}

/// The path of the file, or hosts and database without a secret.
impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Postgres(config) => config.fmt(f),
        }
    }
}

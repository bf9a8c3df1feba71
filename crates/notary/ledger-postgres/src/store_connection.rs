//! A connection to a whole store, to copy all of it or to make a copy.

use ledger::LedgerError;
use tokio_postgres::Client;

use crate::blocking::Blocking;
use crate::config::{PostgresConfig, Server};
use crate::connection::Result;
use crate::migrate;
use crate::sequencer::Session;

/// A connection to a store that serves nothing. What is read and written with it is up to its user.
///
/// Its methods wait on the caller's thread, within a runtime or without one.
pub struct PostgresStoreConnection {
    // In this order: the connection is closed before the runtime that moves it.
    session: Session,
    blocking: Blocking,
    config: PostgresConfig,
}

impl PostgresStoreConnection {
    /// Connects to a database, whether or not it has a store. Its statements may take as long as they need.
    ///
    /// # Errors
    /// The servers cannot be reached.
    pub fn open(config: &PostgresConfig) -> std::result::Result<Self, LedgerError> {
        let blocking = Blocking::start().map_err(|error| config.error(error))?;
        let server = Server::new(config)?;
        let session = blocking.wait(async {
            let session = Session::open(&server).await.map_err(|error| config.error(error))?;
            let settings = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";
            session.connection(0).batch(settings).await?;
            Ok::<_, LedgerError>(session)
        })?;
        Ok(Self { session, blocking, config: config.clone() })
    }

    /// Makes the tables of a store that is bound to no keys, or brings those that are there to this program's version.
    ///
    /// # Errors
    /// The store is of a later version.
    pub fn migrate(&self) -> std::result::Result<(), LedgerError> {
        self.blocking.wait(migrate::migrate(self.session.connection(0), &self.config))?;
        self.check_version()
    }

    /// Returns true if the database has the tables of a store.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn is_store(&self) -> std::result::Result<bool, LedgerError> {
        Ok(self.blocking.wait(migrate::is_store(self.session.connection(0)))?)
    }

    /// Refuses a store whose schema is not exactly this program's: of another one, not all might be copied.
    ///
    /// # Errors
    /// It is of another version.
    pub fn check_version(&self) -> std::result::Result<(), LedgerError> {
        Ok(self.blocking.wait(self.same_version())?)
    }

    async fn same_version(&self) -> Result<()> {
        let row = self.session.connection(0).one("SELECT version FROM schema_version", &[]).await?;
        let (version, known): (i64, i64) = (row.try_get(0)?, migrate::known_version());
        if version == known {
            return Ok(());
        }
        let why = format!("its schema is of version {version}, and this program's of version {known}");
        Err(self.config.error(why).into())
    }

    /// The connection.
    #[must_use]
    pub fn client(&self) -> &Client {
        self.session.client()
    }

    /// Waits on this thread until the work is done.
    pub fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.blocking.wait(work)
    }

    /// Commits, and takes a warning for a failure: the transaction might not outlive a failover.
    ///
    /// # Errors
    /// Whether the transaction has happened is not known.
    pub fn commit(&self) -> std::result::Result<(), LedgerError> {
        Ok(self.blocking.wait(self.session.commit())?)
    }

    /// The [place](PostgresConfig::place) of the store.
    #[must_use]
    pub fn place(&self) -> String {
        self.config.place()
    }
}

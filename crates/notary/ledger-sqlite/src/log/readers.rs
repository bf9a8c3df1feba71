//! A small pool of reading connections.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ledger::LedgerError;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::Span;

use crate::failure::ConnectionError;
use crate::files::BUSY_TIMEOUT;

/// The longest that a read waits for a connection.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// Connections that only read, each used by one task at a time.
#[derive(Clone)]
pub(crate) struct ReadConnections {
    idle: Arc<Mutex<Vec<Connection>>>,
    free: Arc<Semaphore>,
}

impl ReadConnections {
    pub(crate) fn open(path: &Path, count: usize) -> Result<Self, ConnectionError> {
        let connections = (0..count).map(|_| reader(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { idle: Arc::new(Mutex::new(connections)), free: Arc::new(Semaphore::new(count)) })
    }

    /// Runs short `work` right here: a few pages, most of them in memory. To hand it to another thread and back
    /// takes longer than the work itself.
    pub(crate) async fn run_here<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, ConnectionError>,
    ) -> Result<T, LedgerError> {
        let lease = self.lease().await?;
        Ok(work(lease.connection())?)
    }

    /// Runs long `work` off the request path's threads.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, ConnectionError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let lease = self.lease().await?;
        let span = Span::current();
        let task = tokio::task::spawn_blocking(move || span.in_scope(|| work(lease.connection())));
        Ok(task.await.map_err(|_| LedgerError::Busy)??)
    }

    async fn lease(&self) -> Result<ConnectionLease, LedgerError> {
        let permit = tokio::time::timeout(PATIENCE, Arc::clone(&self.free).acquire_owned()).await;
        let permit = permit.map_err(|_| LedgerError::Busy)?.map_err(|_| LedgerError::Busy)?;
        let connection = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Ok(ConnectionLease { connection, idle: Arc::clone(&self.idle), _permit: permit })
    }
}

/// A connection on loan. It goes back whatever becomes of the work, and before its permit does.
struct ConnectionLease {
    connection: Option<Connection>,
    idle: Arc<Mutex<Vec<Connection>>>,
    _permit: OwnedSemaphorePermit,
}

impl ConnectionLease {
    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("there are as many permits as connections")
    }
}

impl Drop for ConnectionLease {
    fn drop(&mut self) {
        let connection = self.connection.take();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(connection);
    }
}

fn reader(path: &Path) -> Result<Connection, ConnectionError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "cache_size", -2048)?;
    Ok(connection)
}

//! A small pool of reading connections.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};
use tokio::sync::Semaphore;

use crate::LedgerError;

/// Connections that only read, each used by one blocking task at a time.
#[derive(Clone)]
pub(super) struct Readers {
    idle: Arc<Mutex<Vec<Connection>>>,
    free: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn open(path: &Path, count: usize) -> Result<Self, LedgerError> {
        let connections = (0..count).map(|_| reader(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { idle: Arc::new(Mutex::new(connections)), free: Arc::new(Semaphore::new(count)) })
    }

    /// Runs `work` on a connection, off the request path's threads.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let permit = Arc::clone(&self.free).acquire_owned().await.map_err(|_| LedgerError::Busy)?;
        let idle = Arc::clone(&self.idle);
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let connection = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = connection.expect("as many permits as connections");
            let result = work(&connection);
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            result
        });
        task.await.map_err(|_| LedgerError::Busy)?
    }
}

fn reader(path: &Path) -> Result<Connection, LedgerError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "cache_size", -4096)?;
    Ok(connection)
}

//! Connections for reading.

use std::sync::atomic::Ordering;

use deadpool_postgres::{Object, Pool};
use ledger::LedgerError;

use super::PostgresLedger;
use crate::config::Server;
use crate::connection::{Connection, Marks};
use crate::failure::ConnectionError;

/// A connection of the pool, without a transaction: each statement sees what was durable when it began.
pub(crate) struct Reader {
    client: Option<Object>,
    offset: i64,
    marks: Marks,
}

impl Reader {
    /// Takes a connection of the pool.
    pub(crate) async fn of(pool: &Pool, server: &Server) -> Result<Self, LedgerError> {
        let client = take(pool, server).await?;
        Ok(Self { client: Some(client), offset: server.offset(), marks: Marks::default() })
    }

    pub(crate) fn connection(&self) -> Connection<'_> {
        let client = self.client.as_ref().expect("it is taken by drop alone");
        Connection::new(client, self.offset, &self.marks)
    }
}

/// A connection that has not answered in time is closed.
impl Drop for Reader {
    fn drop(&mut self) {
        if self.marks.is_late.load(Ordering::Acquire)
            && let Some(client) = self.client.take()
        {
            drop(Object::take(client));
        }
    }
}

/// A connection of the pool that is not retired.
pub(super) async fn take(pool: &Pool, server: &Server) -> Result<Object, LedgerError> {
    loop {
        let client = pool.get().await.map_err(ConnectionError::from)?;
        if !server.is_retired(Object::metrics(&client).created) {
            return Ok(client);
        }
        drop(Object::take(client));
    }
}

impl PostgresLedger {
    /// A connection for short reads.
    pub(crate) async fn reader(&self) -> Result<Reader, LedgerError> {
        Reader::of(&self.pool, &self.server).await
    }
}

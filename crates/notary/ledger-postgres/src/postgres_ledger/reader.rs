//! Connections for reading, from the server that takes writes or, while it is away, from another one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::{Object, Pool, PoolError, TimeoutType};
use ledger::LedgerError;
use ledger::back_end::PublishedTree;

use super::PostgresLedger;
use crate::config::Server;
use crate::connection::{Connection, Marks, Result, within};
use crate::failure::ConnectionError;

/// Connections of each pool.
pub(super) const READERS: u8 = 8;
/// The longest time for which a read waits for a connection.
const READER_WAIT: Duration = Duration::from_secs(5);
/// The time for which reads go to another server after the one that takes writes was found to be away. Then one of them
/// tries it again.
const AWAY: Duration = Duration::from_secs(2);
/// The longest time in which a server that is there answers the first statement of a read.
const ANSWER_BOUND: Duration = Duration::from_secs(3);

/// The server that a connection leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReadFrom {
    /// The server that takes writes.
    Primary,
    /// A server that takes none, or that is not known to be the one that does: nothing of it is known to be durable by
    /// itself.
    Any,
}

/// The pools of connections for reading.
pub(crate) struct ReadPools {
    primary: Pool,
    any: Pool,
    server: Server,
    /// The warnings that the servers have sent.
    pub(super) warnings: Arc<AtomicU64>,
    /// The time at which the server that takes writes was found to be away, or was tried last since then.
    away_since: Mutex<Option<Instant>>,
}

impl ReadPools {
    pub(super) fn new(server: &Server) -> std::result::Result<Self, LedgerError> {
        let warnings = Arc::new(AtomicU64::new(0));
        let primary = server.pool(usize::from(READERS), READER_WAIT, Arc::clone(&warnings))?;
        let any = server.of_any_kind().pool(usize::from(READERS), READER_WAIT, Arc::clone(&warnings))?;
        Ok(Self { primary, any, server: server.clone(), warnings, away_since: Mutex::new(None) })
    }

    /// A connection to the server that takes writes, else to another one.
    async fn client(&self) -> Result<(Object, ReadFrom)> {
        if self.is_to_be_tried() {
            match self.take(&self.primary).await {
                Ok(client) => return Ok((client, ReadFrom::Primary)),
                // All are in use: the server is there, and busy.
                Err(PoolError::Timeout(TimeoutType::Wait)) => {
                    let why = "all connections for reading are in use";
                    return Err(ConnectionError::NoConnection(why.to_owned()));
                }
                Err(error) => self.note_away(&error),
            }
        }
        Ok((self.take(&self.any).await?, ReadFrom::Any))
    }

    /// A connection of a pool that is not retired.
    async fn take(&self, pool: &Pool) -> std::result::Result<Object, PoolError> {
        loop {
            let client = pool.get().await?;
            if !self.server.is_retired(Object::metrics(&client).created) {
                return Ok(client);
            }
            drop(Object::take(client));
        }
    }

    /// A connection for reads of one statement, which is not tried before it is used.
    pub(crate) async fn reader(&self) -> Result<Reader<'_>> {
        let (client, _) = self.client().await?;
        let offset = self.server.offset();
        Ok(Reader { client: Some(client), offset, marks: Marks::default(), pools: self })
    }

    /// Returns true if the server that takes writes was found to be away, and was not heard of since.
    fn is_away(&self) -> bool {
        self.away_since.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(super) fn note_there(&self) {
        *self.away_since.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns true unless the server was away a moment ago. After that moment one caller is told to try it.
    fn is_to_be_tried(&self) -> bool {
        let mut away_since = self.away_since.lock().unwrap_or_else(PoisonError::into_inner);
        match *away_since {
            None => true,
            Some(at) if at.elapsed() < AWAY => false,
            Some(_) => {
                *away_since = Some(Instant::now());
                true
            }
        }
    }

    /// The connections that there are lead to that server, and each would keep its reader waiting: none is used again.
    fn note_away(&self, why: &dyn std::fmt::Display) {
        self.server.retire_connections();
        let now = Some(Instant::now());
        let before =
            std::mem::replace(&mut *self.away_since.lock().unwrap_or_else(PoisonError::into_inner), now);
        if before.is_none() {
            tracing::warn!(%why, "the server that takes writes is away: reads go to another one");
        }
    }

    /// Sets the gauges of the connections.
    pub(super) fn observe(&self) {
        for (name, pool) in [("primary", &self.primary), ("any", &self.any)] {
            let status = pool.status();
            let states = [
                ("in_use", status.size.saturating_sub(status.available)),
                ("idle", status.available),
                ("waiting", status.waiting),
            ];
            for (state, connections) in states {
                metrics::gauge!("touchstone_store_connections", "pool" => name, "state" => state)
                    .set(connections as f64);
            }
        }
    }
}

/// A read that has begun.
pub(super) struct BegunRead {
    pub(super) client: Object,
    pub(super) from: ReadFrom,
    /// The tree of the snapshot, if it is newer than the known one and may be handed out once it was confirmed.
    pub(super) newer: Option<PublishedTree>,
}

/// A connection of a pool, without a transaction: each statement sees what was durable when it began.
pub(crate) struct Reader<'l> {
    client: Option<Object>,
    offset: i64,
    marks: Marks,
    pools: &'l ReadPools,
}

impl Reader<'_> {
    pub(crate) fn connection(&self) -> Connection<'_> {
        let client = self.client.as_ref().expect("it is taken by drop alone");
        Connection::new(client, self.offset, &self.marks)
    }

    /// Waits for a short read no longer than for a server that is there.
    pub(crate) async fn short<T>(&self, read: impl Future<Output = Result<T>>) -> Result<T> {
        let answer = within(ANSWER_BOUND, read).await;
        if matches!(answer, Err(ConnectionError::Late(_))) {
            self.marks.is_late.store(true, Ordering::Release);
        }
        answer
    }
}

/// A connection that has not answered in time is closed.
impl Drop for Reader<'_> {
    fn drop(&mut self) {
        if self.marks.is_late.load(Ordering::Acquire)
            && let Some(client) = self.client.take()
        {
            drop(Object::take(client));
            self.pools.note_away(&"a read was not answered in time");
        }
    }
}

impl PostgresLedger {
    /// A connection for short reads.
    pub(crate) async fn reader(&self) -> std::result::Result<Reader<'_>, LedgerError> {
        let BegunRead { client, .. } = self.begin_read(None).await?;
        Ok(Reader {
            client: Some(client),
            offset: self.server.offset(),
            marks: Marks::default(),
            pools: &self.pools,
        })
    }

    /// Begins a read, with the transaction of a snapshot where `known` is given. If the server that takes writes does not
    /// answer, another one is asked.
    pub(super) async fn begin_read(&self, known: Option<&PublishedTree>) -> Result<BegunRead> {
        let (client, from) = self.pools.client().await?;
        let failure = match within(ANSWER_BOUND, self.begin_on(&client, from, known)).await {
            Ok(newer) => {
                if from == ReadFrom::Primary && self.pools.is_away() {
                    self.pools.note_there();
                }
                return Ok(BegunRead { client, from, newer });
            }
            Err(failure) => failure,
        };
        drop(Object::take(client));
        if from == ReadFrom::Any || !failure.is_of_connection() {
            return Err(failure);
        }
        self.pools.note_away(&failure);
        let client = self.pools.take(&self.pools.any).await?;
        match within(ANSWER_BOUND, self.begin_on(&client, ReadFrom::Any, known)).await {
            Ok(newer) => Ok(BegunRead { client, from: ReadFrom::Any, newer }),
            Err(failure) => {
                drop(Object::take(client));
                Err(failure)
            }
        }
    }

    async fn begin_on(
        &self,
        client: &Object,
        from: ReadFrom,
        known: Option<&PublishedTree>,
    ) -> Result<Option<PublishedTree>> {
        let marks = Marks::default();
        let connection = Connection::new(client, 0, &marks);
        match known {
            Some(known) => self.begin_snapshot(known, connection, from).await,
            // A connection that was made earlier may lead to a server that is gone.
            None if self.pools.is_away() => connection.batch("SELECT 1").await.map(|()| None),
            None => Ok(None),
        }
    }
}

//! A connection, as the functions that read and write rows see it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use receipt::time::Timestamp;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};

use crate::config::is_clock_right;
use crate::failure::ConnectionError;

/// The value of a parameter.
pub(crate) type Param<'a> = &'a (dyn ToSql + Sync);
pub(crate) type Result<T> = std::result::Result<T, ConnectionError>;

/// The longest time for one statement: longer than the server allows itself.
const STATEMENT_BOUND: Duration = Duration::from_secs(16);

/// What is noted of a connection while it is used.
#[derive(Default)]
pub(crate) struct Marks {
    /// The number of rows that were changed.
    pub(crate) changed: AtomicU64,
    /// True once a statement was not answered in time: nobody else may wait for this connection.
    pub(crate) is_late: AtomicBool,
}

/// A borrowed connection, within a transaction of its caller's or without one. Statements are prepared once a connection.
///
/// Statements that are polled at the same time are sent without waiting for one another's answers, and the server takes
/// them in the order in which they were sent. A statement that is not [prepared](Self::prepare) yet is sent later.
#[derive(Clone, Copy)]
pub(crate) struct Connection<'c> {
    client: &'c ClientWrapper,
    /// The distance of the store's time from that of this process's clock, in milliseconds.
    offset: i64,
    marks: &'c Marks,
}

impl<'c> Connection<'c> {
    pub(crate) fn new(client: &'c ClientWrapper, offset: i64, marks: &'c Marks) -> Self {
        Self { client, offset, marks }
    }

    /// A time of this process's clock as a time of the store, in milliseconds since 1970. All leases are stored, and
    /// compared, in the store's time: clocks of replicas differ.
    pub(crate) fn store_time(self, of: Timestamp) -> i64 {
        of.as_millis().saturating_add(self.offset)
    }

    /// Returns true if this process's clock is near enough to the store's to say what is due.
    pub(crate) fn is_clock_right(self) -> bool {
        is_clock_right(self.offset)
    }

    pub(crate) async fn prepare(self, sql: &'static str) -> Result<Statement> {
        self.bounded(self.client.prepare_cached(sql)).await
    }

    /// The rows of a query.
    pub(crate) async fn rows(self, sql: &'static str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        let statement = self.prepare(sql).await?;
        self.bounded(self.client.query(&statement, params)).await
    }

    /// The first row of a query, or `None`.
    pub(crate) async fn maybe(self, sql: &'static str, params: &[Param<'_>]) -> Result<Option<Row>> {
        Ok(self.rows(sql, params).await?.into_iter().next())
    }

    /// The one row of a query that always has one.
    pub(crate) async fn one(self, sql: &'static str, params: &[Param<'_>]) -> Result<Row> {
        let statement = self.prepare(sql).await?;
        self.bounded(self.client.query_one(&statement, params)).await
    }

    /// Makes the transaction commit although it only reads, so that its caller gets what was read once the commit is confirmed. A server
    /// that was cut off confirms none.
    pub(crate) fn confirm(self) -> Self {
        self.marks.changed.fetch_add(1, Ordering::Relaxed);
        self
    }

    /// Makes a change, and returns the number of changed rows.
    pub(crate) async fn run(self, sql: &'static str, params: &[Param<'_>]) -> Result<u64> {
        let statement = self.prepare(sql).await?;
        let changed = self.bounded(self.client.execute(&statement, params)).await?;
        self.marks.changed.fetch_add(changed, Ordering::Relaxed);
        Ok(changed)
    }

    /// Makes a change, and returns what its `RETURNING` says of each changed row.
    pub(crate) async fn returning(self, sql: &'static str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        let rows = self.rows(sql, params).await?;
        self.marks.changed.fetch_add(rows.len() as u64, Ordering::Relaxed);
        Ok(rows)
    }

    async fn bounded<T>(
        self,
        answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let Ok(answer) = tokio::time::timeout(STATEMENT_BOUND, answer).await else {
            self.marks.is_late.store(true, Ordering::Release);
            return Err(ConnectionError::Late(STATEMENT_BOUND.as_secs()));
        };
        Ok(answer?)
    }

    /// Changes the schema: an index on a large table takes as long as it takes.
    pub(crate) async fn migrate(self, sql: &str) -> Result<()> {
        Ok(self.client.batch_execute(sql).await?)
    }

    /// Runs statements without parameters and answers.
    pub(crate) async fn batch(self, sql: &str) -> Result<()> {
        self.bounded(self.client.batch_execute(sql)).await
    }
}

/// Waits for at most so long.
pub(crate) async fn within<T>(bound: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(bound, work).await.unwrap_or(Err(ConnectionError::Late(bound.as_secs())))
}

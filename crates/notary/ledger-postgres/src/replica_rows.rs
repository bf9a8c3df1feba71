//! The processes that have the store open: each describes itself in a row, which it renews every second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ledger::back_end::PublishedHead;
use ledger::{LedgerError, REPLICA_ALIVE_MS, Replica, ReplicaReport, StoreStatus};
use tokio_postgres::Row;

use crate::columns::Columns as _;
use crate::config::Server;
use crate::connection::{Connection, Param, Result};
use crate::identity_rows;
use crate::log::head::number;

/// The time after which a row is renewed.
const RENEWAL: Duration = Duration::from_secs(1);
/// The time after which the row of a process that was not heard of is removed, in milliseconds.
const FORGOTTEN_MS: i64 = 60_000;

const RENEW: &str = "INSERT INTO replicas
        (replica, started_at, seen_at, head, clock_offset, name, version, lists, health, prices, next_key)
    VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT, (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT,
        $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (replica) DO UPDATE SET seen_at = excluded.seen_at, head = excluded.head,
        clock_offset = excluded.clock_offset, name = excluded.name, version = excluded.version,
        lists = excluded.lists, health = excluded.health, prices = excluded.prices, next_key = excluded.next_key";
const FORGET: &str =
    "DELETE FROM replicas WHERE seen_at <= (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT - $1";
const SEEN: &str = "SELECT (SELECT size FROM head), (SELECT count(*) FROM replicas
    WHERE seen_at > (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT - $1)";
const SELECT: &str =
    "SELECT replica, started_at, seen_at, head, clock_offset, name, version, lists, health, prices, next_key
    FROM replicas WHERE seen_at > (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT - $1";

/// The description that this process gives of itself, shared with the sequencer that writes it.
#[derive(Clone, Default)]
pub(crate) struct OwnReport(Arc<Mutex<ReplicaReport>>);

impl OwnReport {
    pub(crate) fn set(&self, report: ReplicaReport) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = report.bounded();
    }

    fn get(&self) -> ReplicaReport {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The row of this process.
pub(crate) struct OwnRow {
    process: [u8; 16],
    report: OwnReport,
    board: Arc<PublishedHead>,
    server: Server,
    renewed_at: Option<Instant>,
}

impl OwnRow {
    pub(crate) fn new(
        process: [u8; 16],
        report: OwnReport,
        board: Arc<PublishedHead>,
        server: Server,
    ) -> Self {
        Self { process, report, board, server, renewed_at: None }
    }

    /// Renews the row every second, and removes those of processes that have not been heard of for long.
    pub(crate) async fn renew(&mut self, connection: Connection<'_>) -> Result<()> {
        if self.renewed_at.is_some_and(|at| at.elapsed() < RENEWAL) {
            return Ok(());
        }
        let ReplicaReport { name, version, lists, health, prices, next_key } = self.report.get();
        let known = self.board.newest().head.size;
        let (process, head, offset) = (self.process.as_slice(), number(known)?, self.server.offset());
        let row: [Param<'_>; 9] =
            [&process, &head, &offset, &name, &version, &lists, &health, &prices, &next_key];
        connection.run(RENEW, &row).await?;
        connection.run(FORGET, &[&FORGOTTEN_MS]).await?;
        let seen = connection.one(SEEN, &[&REPLICA_ALIVE_MS]).await?;
        let lag = seen.unsigned(0)?.saturating_sub(known);
        metrics::gauge!("touchstone_store_head_lag_leaves").set(lag as f64);
        metrics::gauge!("touchstone_replicas_alive").set(seen.unsigned(1)? as f64);
        self.renewed_at = Some(Instant::now());
        Ok(())
    }

    /// Removes the row: the process closes the store.
    pub(crate) async fn remove(&self, connection: Connection<'_>) -> Result<()> {
        let process = self.process.as_slice();
        connection.run("DELETE FROM replicas WHERE replica = $1", &[&process]).await?;
        Ok(())
    }
}

/// The processes that were heard of within the last minute, by name.
pub(crate) async fn all(connection: Connection<'_>) -> Result<Vec<Replica>> {
    let rows = connection.rows(SELECT, &[&FORGOTTEN_MS]).await?;
    let mut replicas = rows.iter().map(replica).collect::<Result<Vec<_>>>()?;
    // The order of texts in a database depends on its collation.
    replicas.sort_by(|one, other| (&one.report.name, one.id).cmp(&(&other.report.name, other.id)));
    Ok(replicas)
}

fn replica(row: &Row) -> Result<Replica> {
    Ok(Replica {
        id: row.bytes(0)?,
        started_at: row.millis(1)?,
        seen_at: row.millis(2)?,
        head: row.unsigned(3)?,
        clock_offset_ms: row.try_get(4)?,
        report: ReplicaReport {
            name: row.try_get(5)?,
            version: row.try_get(6)?,
            lists: row.try_get(7)?,
            health: row.try_get(8)?,
            prices: row.try_get(9)?,
            next_key: row.try_get(10)?,
        },
    })
}

/// The state of the store.
pub(crate) async fn status(connection: Connection<'_>) -> Result<StoreStatus> {
    let select = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT, version, size, latest
        FROM schema_version, head";
    let row = connection.maybe(select, &[]).await?;
    let row = row.ok_or_else(|| LedgerError::Corrupt("it has no head yet".to_owned()))?;
    Ok(StoreStatus {
        now: row.millis(0)?,
        schema: row.unsigned(1)?,
        head: row.unsigned(2)?,
        latest: row.millis(3)?,
        prices: identity_rows::bound(connection).await?.and_then(|bound| Some(bound.prices?.hash())),
        replicas: all(connection).await?,
    })
}

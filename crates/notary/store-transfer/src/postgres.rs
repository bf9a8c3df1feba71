//! A store in PostgreSQL.

use std::collections::BTreeMap;
use std::ops::Range;
use std::thread;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use ledger::{MarkKind, REPLICA_ALIVE_MS};
use ledger_postgres::{PostgresConfig, PostgresStoreConnection};
use tlog::tile::encode_hashes;
use tlog::{Hash, RightEdge};
use tokio_postgres::types::ToSql;

use crate::error::{Result, TransferError};
use crate::sql;
use crate::store::{EachRow, Found, Head, KeyBytes, Keyed, KeyedBytes, Mark, Source, Store, StoreState};
use crate::tables::{COUNTED, Form, GROUPS, Kind, TABLES, TILES, Table};
use crate::value::{Row, Value};

/// A store in PostgreSQL.
pub(crate) struct PostgresStore {
    connection: PostgresStoreConnection,
}

/// The time between two looks at the processes that have the store open.
const REPLICA_POLL: Duration = Duration::from_millis(200);

type Param<'a> = &'a (dyn ToSql + Sync);

const HEAD: &str = "size, root, latest, checkpoint";

impl PostgresStore {
    /// Opens a store that is there.
    pub(crate) fn open(config: &PostgresConfig) -> Result<Self> {
        let connection = PostgresStoreConnection::open(config)?;
        if !connection.is_store()? {
            return Err(TransferError::NoStore(connection.place()));
        }
        connection.check_version()?;
        Ok(Self { connection })
    }

    /// Opens a store that is there, and brings it to this program's version, as serving it does.
    pub(crate) fn to_move(config: &PostgresConfig) -> Result<Self> {
        let connection = PostgresStoreConnection::open(config)?;
        if !connection.is_store()? {
            return Err(TransferError::NoStore(connection.place()));
        }
        connection.migrate()?;
        Ok(Self { connection })
    }

    /// Opens a store, or makes the tables of one.
    pub(crate) fn make(config: &PostgresConfig) -> Result<Self> {
        let connection = PostgresStoreConnection::open(config)?;
        connection.migrate()?;
        let store = Self { connection };
        // A commit that is lost takes all later ones with it, so a copy that goes on after a crash finds where it was.
        store.batch("SET synchronous_commit TO off")?;
        Ok(store)
    }

    fn wait<T>(
        &self,
        work: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let failed = |error| TransferError::Postgres { place: self.connection.place(), error };
        self.connection.wait(work).map_err(failed)
    }

    fn batch(&self, sql: &str) -> Result<()> {
        self.wait(self.connection.client().batch_execute(sql))
    }

    /// Changes what the store is, in a transaction that locks the row of the schema's version, as opening it does.
    fn change(&self, work: impl FnOnce(&Self) -> Result<()>) -> Result<()> {
        // The rows before were committed without a wait for the disk; this commit waits for itself and for them.
        self.batch(
            "BEGIN; SET LOCAL synchronous_commit TO DEFAULT; SELECT version FROM schema_version FOR UPDATE",
        )?;
        match work(self) {
            Ok(()) => Ok(self.connection.commit()?),
            Err(error) => {
                self.batch("ROLLBACK")?;
                Err(error)
            }
        }
    }

    fn stored_state(&self) -> Result<StoreState> {
        let client = self.connection.client();
        let mark = self.wait(client.query_opt(&format!("SELECT kind, place, {HEAD} FROM mark"), &[]))?;
        let of_mark =
            |row: tokio_postgres::Row| -> Result<_> { Ok((row.get(0), row.get(1), head_of(&row, 2)?)) };
        let mark = mark.map(of_mark).transpose()?;
        let head = self.wait(client.query_opt(&format!("SELECT {HEAD} FROM head"), &[]))?;
        sql::state(mark, head.map(|row| head_of(&row, 0)).transpose()?)
    }

    /// Writes a mark. A program that does not know marks may not write to a store that has one.
    fn write_mark(&self, mark: &Mark) -> Result<()> {
        let Mark { kind, place, head: Head { size, root, latest, checkpoint } } = mark;
        let write = format!(
            "INSERT INTO mark (only_one, kind, place, {HEAD}) VALUES (1, $1, $2, $3, $4, $5, $6)
            ON CONFLICT (only_one) DO UPDATE SET kind = excluded.kind, place = excluded.place, size = excluded.size,
                root = excluded.root, latest = excluded.latest, checkpoint = excluded.checkpoint"
        );
        let size = i64::try_from(*size).map_err(|_| TransferError::unsound("the log is too large"))?;
        let (kind, root) = (kind.as_str(), root.0.as_slice());
        let params: [Param<'_>; 6] = [&kind, place, &size, &root, latest, checkpoint];
        self.wait(self.connection.client().execute(&write, &params))?;
        self.batch(
            "DELETE FROM head; DELETE FROM locks;
            UPDATE schema_version SET oldest_writer = greatest(oldest_writer, 2)",
        )
    }

    /// Writes the head that the mark has, and the rows to lock.
    fn write_head(&self) -> Result<()> {
        self.batch(&format!(
            "INSERT INTO head (only_one, {HEAD}) SELECT 1, {HEAD} FROM mark;
            INSERT INTO locks (name) VALUES ('work'), ('admission') ON CONFLICT DO NOTHING"
        ))
    }

    /// The processes that were heard of lately: their names, and when each was heard of.
    fn replicas(&self) -> Result<BTreeMap<Vec<u8>, (String, i64)>> {
        let select = "SELECT replica, name, seen_at FROM replicas
            WHERE seen_at > (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT - $1";
        let rows = self.wait(self.connection.client().query(select, &[&REPLICA_ALIVE_MS]))?;
        Ok(rows.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect())
    }

    /// Waits until no process has the store open. One that has ended may not have said so: it counts until it was not heard of
    /// for a while.
    ///
    /// # Errors
    /// [`TransferError::InUse`] where one is heard of again.
    fn wait_until_unused(&self) -> Result<()> {
        let first = self.replicas()?;
        loop {
            let replicas = self.replicas()?;
            if replicas.is_empty() {
                return Ok(());
            }
            let is_alive = |(id, (_, seen_at)): &(&Vec<u8>, &(String, i64))| {
                first.get(*id).is_none_or(|(_, before)| before != seen_at)
            };
            let alive: Vec<&str> =
                replicas.iter().filter(is_alive).map(|(_, (name, _))| name.as_str()).collect();
            if !alive.is_empty() {
                return Err(TransferError::InUse { place: self.place(), replicas: alive.join(", ") });
            }
            thread::sleep(REPLICA_POLL);
        }
    }

    /// Writes the right edge of the tree, as the store has it: each level's partial tile, which may be empty.
    fn write_edge(&self, edge: &RightEdge) -> Result<()> {
        let tiles = edge.partial_tiles();
        self.batch("DELETE FROM edge")?;
        for level in (0..8_u8).take_while(|level| edge.size() >> (8 * u32::from(*level)) > 0) {
            let tile = tiles.iter().find(|tile| tile.level == level);
            let hashes = tile.map_or_else(Vec::new, |tile| encode_hashes(&tile.hashes));
            let level = i64::from(level);
            let params: [Param<'_>; 2] = [&level, &hashes];
            let write = "INSERT INTO edge (level, hashes) VALUES ($1, $2)";
            self.wait(self.connection.client().execute(write, &params))?;
        }
        Ok(())
    }
}

fn head_of(row: &tokio_postgres::Row, first: usize) -> Result<Head> {
    let unsound = |_| TransferError::unsound("its head is no head");
    let root: Vec<u8> = row.get(first + 1);
    Ok(Head {
        size: u64::try_from(row.get::<_, i64>(first)).map_err(unsound)?,
        root: Hash(root.try_into().map_err(|_| TransferError::unsound("its root is no hash"))?),
        latest: row.get(first + 2),
        checkpoint: row.get(first + 3),
    })
}

/// The values of the first columns of a row.
fn values_of(
    row: &tokio_postgres::Row,
    table: &Table,
    columns: usize,
) -> std::result::Result<Row, tokio_postgres::Error> {
    let values = table.columns[..columns].iter().enumerate().map(|(number, column)| {
        Ok(match column.kind {
            Kind::Int => row.try_get::<_, Option<i64>>(number)?.map_or(Value::Null, Value::Int),
            Kind::Text => row.try_get::<_, Option<String>>(number)?.map_or(Value::Null, Value::Text),
            Kind::Bytes => row.try_get::<_, Option<Vec<u8>>>(number)?.map_or(Value::Null, Value::Bytes),
        })
    });
    values.collect()
}

/// The values of one column of many rows.
enum ColumnValues<'r> {
    Ints(Vec<Option<i64>>),
    Texts(Vec<Option<&'r str>>),
    Bytes(Vec<Option<&'r [u8]>>),
}

impl<'r> ColumnValues<'r> {
    fn of(rows: &'r [Row], number: usize, kind: Kind) -> Self {
        let values = rows.iter().map(|row| row.get(number));
        match kind {
            Kind::Int => Self::Ints(values.map(|value| value?.int().ok()).collect()),
            Kind::Text => Self::Texts(values.map(|value| value?.text().ok()).collect()),
            Kind::Bytes => Self::Bytes(values.map(|value| value?.bytes().ok()).collect()),
        }
    }

    fn param(&self) -> Param<'_> {
        match self {
            Self::Ints(values) => values,
            Self::Texts(values) => values,
            Self::Bytes(values) => values,
        }
    }
}

impl PostgresStore {
    /// Reads all rows under keys with one statement.
    fn keyed_rows<T>(
        &self,
        keyed: Keyed<'_>,
        of_requests: &str,
        of_blobs: &str,
        read: impl Fn(&tokio_postgres::Row) -> std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<Vec<Found<T>>> {
        let client = self.connection.client();
        let rows = match keyed {
            Keyed::Requests(leaves) => self.wait(client.query(of_requests, &[&leaves]))?,
            Keyed::Blobs(addresses) => {
                let addresses: Vec<&[u8]> = addresses.iter().map(<[u8; 32]>::as_slice).collect();
                self.wait(client.query(of_blobs, &[&addresses]))?
            }
        };
        let failed = |error| TransferError::Postgres { place: self.connection.place(), error };
        let found = rows.iter().map(|row| {
            let key = match keyed {
                Keyed::Requests(_) => KeyBytes::Leaf(row.try_get(0).map_err(failed)?),
                Keyed::Blobs(_) => {
                    let address: Vec<u8> = row.try_get(0).map_err(failed)?;
                    let address = address.try_into();
                    KeyBytes::Sha256(address.map_err(|_| TransferError::unsound("an address is no hash"))?)
                }
            };
            Ok((key, read(row).map_err(failed)?))
        });
        found.collect()
    }

    /// Reads the rows of a statement, whose columns are the table's.
    fn each_row(
        &self,
        table: &Table,
        select: &str,
        parameters: &[i64],
        each: &mut EachRow<'_>,
    ) -> Result<()> {
        let place = self.connection.place();
        let failed = |error| TransferError::Postgres { place: place.clone(), error };
        let client = self.connection.client();
        self.connection.wait(async {
            let rows = client.query_raw(select, parameters).await.map_err(failed)?;
            let mut rows = std::pin::pin!(rows);
            while let Some(row) = rows.try_next().await.map_err(failed)? {
                each(values_of(&row, table, table.columns.len()).map_err(failed)?)?;
            }
            Ok(())
        })
    }
}

impl Source for PostgresStore {
    fn rows(&mut self, table: &'static Table, each: &mut EachRow<'_>) -> Result<()> {
        self.each_row(table, &sql::select_postgres(table), &[], each)
    }

    /// What was read is durable once the same server has acknowledged a write that was begun after it (see
    /// docs/decisions/0040).
    fn end(&mut self) -> Result<()> {
        self.batch("COMMIT")?;
        self.batch("BEGIN; UPDATE schema_version SET version = version")?;
        Ok(self.connection.commit()?)
    }
}

impl Store for PostgresStore {
    fn place(&self) -> String {
        self.connection.place()
    }

    fn state(&mut self) -> Result<StoreState> {
        self.stored_state()
    }

    fn begin(&mut self) -> Result<Head> {
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        self.state()?.whole(self.place())
    }

    fn rows_of_leaves(
        &mut self,
        table: &'static Table,
        leaves: Range<i64>,
        each: &mut EachRow<'_>,
    ) -> Result<()> {
        self.each_row(table, &sql::select_leaves(table, true), &[leaves.start, leaves.end], each)
    }

    fn release(&mut self) -> Result<()> {
        self.batch("COMMIT")
    }

    fn lengths(&mut self, keyed: Keyed<'_>) -> Result<Vec<Found<u64>>> {
        self.keyed_rows(keyed, sql::LENGTHS_OF_REQUESTS, sql::LENGTHS_OF_BLOBS, |row| {
            let length: i64 = row.try_get(1)?;
            Ok(u64::try_from(length).unwrap_or_default())
        })
    }

    fn keyed(&mut self, keyed: Keyed<'_>) -> Result<Vec<Found<KeyedBytes>>> {
        self.keyed_rows(keyed, sql::REQUESTS, sql::BLOBS, |row| Ok((row.try_get(1)?, row.try_get(2)?)))
    }

    fn begin_to_compare(&mut self) -> Result<Head> {
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        self.state()?.copied(self.place())
    }

    /// A process that has the store open, and says nothing because it stands still, finds neither head nor rows to lock when
    /// it goes on.
    fn fence(&mut self, place: &str) -> Result<()> {
        self.wait_until_unused()?;
        self.change(|store| {
            let lock = format!("SELECT {HEAD} FROM head FOR UPDATE");
            let head = store.wait(store.connection.client().query_opt(&lock, &[]))?;
            let head = head.ok_or_else(|| TransferError::NoStore(store.place()))?;
            let head = head_of(&head, 0)?;
            store.write_mark(&Mark { kind: MarkKind::Moving, place: place.to_owned(), head })
        })
    }

    fn unfence(&mut self, mark: &Mark) -> Result<()> {
        self.change(|store| {
            store.stored_state()?.check_mark(mark, &store.place())?;
            store.write_head()?;
            store.batch("DELETE FROM mark")
        })
    }

    fn set_moved(&mut self, mark: &Mark) -> Result<()> {
        self.change(|store| {
            store.stored_state()?.check_mark(mark, &store.place())?;
            store.batch("UPDATE mark SET kind = 'moved'")
        })
    }

    fn begin_copy(&mut self, mark: &Mark) -> Result<()> {
        self.change(|store| {
            // A process may have made it a store meanwhile.
            if let StoreState::Live(head) = store.stored_state()? {
                return Err(TransferError::NotEmpty { place: store.place(), size: head.size });
            }
            let others = [
                TILES.name,
                GROUPS.name,
                "edge",
                "watched_days",
                "shared_leases",
                "reserved",
                "epochs",
                "hits",
            ];
            let tables = TABLES.iter().filter(|table| table.form != Form::Numbers);
            for name in tables.map(|table| table.name).chain(others) {
                store.batch(&format!("DELETE FROM {name}"))?;
            }
            store.batch("UPDATE numbers SET last = 0")?;
            store.write_mark(mark)
        })
    }

    fn last_key(&mut self, table: &Table) -> Result<Option<Vec<Value>>> {
        let Some(select) = sql::last_key_postgres(table) else { return Ok(None) };
        let row = self.wait(self.connection.client().query_opt(&select, &[]))?;
        row.map(|row| values_of(&row, table, table.key))
            .transpose()
            .map_err(|error| TransferError::Postgres { place: self.place(), error })
    }

    fn insert(&mut self, table: &Table, rows: &[Row]) -> Result<()> {
        let columns: Vec<ColumnValues<'_>> = table
            .columns
            .iter()
            .enumerate()
            .map(|(number, column)| ColumnValues::of(rows, number, column.kind))
            .collect();
        let params: Vec<Param<'_>> = columns.iter().map(ColumnValues::param).collect();
        self.wait(self.connection.client().execute(&sql::insert_postgres(table), &params)).map(drop)
    }

    fn finish(&mut self, mark: &Mark, edge: &RightEdge, is_archive: bool) -> Result<()> {
        self.change(|store| {
            store.stored_state()?.check_mark(mark, &store.place())?;
            store.write_edge(edge)?;
            for name in COUNTED {
                store.batch(&format!(
                    "UPDATE numbers SET last = coalesce((SELECT max(id) FROM {name}), 0) WHERE name = '{name}'"
                ))?;
            }
            store.write_head()?;
            store.batch(if is_archive { "UPDATE mark SET kind = 'archive'" } else { "DELETE FROM mark" })
        })
    }
}

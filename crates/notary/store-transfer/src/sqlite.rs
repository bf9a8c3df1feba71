//! A store in SQLite.

use std::ops::Range;
use std::path::{Path, absolute};

use ledger::MarkKind;
use ledger_sqlite::SqliteStoreFile;
use rusqlite::types::ValueRef;
use rusqlite::{
    Connection, OptionalExtension as _, Transaction, TransactionBehavior, params, params_from_iter,
};
use tlog::{Hash, RightEdge};

use crate::error::{Result, TransferError};
use crate::sql;
use crate::store::{EachRow, Found, Head, KeyBytes, Keyed, KeyedBytes, Mark, Source, Store, StoreState};
use crate::tables::{Form, GROUPS, NUMBERS, TABLES, TILES, Table};
use crate::value::{Row, Value};

/// A store in SQLite.
pub(crate) struct SqliteStore {
    file: SqliteStoreFile,
    place: String,
}

impl SqliteStore {
    /// Opens a store that is there, for this process alone.
    pub(crate) fn lock(path: &Path) -> Result<Self> {
        if path.try_exists().is_ok_and(|is_there| is_there) { Self::make(path) } else { Err(none(path)) }
    }

    /// Opens a store for this process alone, or makes an empty one.
    pub(crate) fn make(path: &Path) -> Result<Self> {
        Ok(Self { file: SqliteStoreFile::lock(path)?, place: place(path) })
    }

    /// Opens a store that is there, beside a process that may have it open.
    pub(crate) fn beside(path: &Path) -> Result<Self> {
        if path.try_exists().is_ok_and(|is_there| is_there) {
            Ok(Self { file: SqliteStoreFile::beside(path)?, place: place(path) })
        } else {
            Err(none(path))
        }
    }

    /// Works on the connection.
    fn on<T>(&mut self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T> {
        let place = &self.place;
        work(self.file.connection()).map_err(|error| TransferError::Sqlite { place: place.clone(), error })
    }

    /// Checks that the store has this mark. The lock of the file keeps all others from changing it.
    fn check_mark(&mut self, mark: &Mark) -> Result<()> {
        self.state()?.check_mark(mark, &self.place)
    }

    /// Makes a change in a transaction.
    fn change(&mut self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>) -> Result<()> {
        self.on(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            work(&transaction)?;
            transaction.commit()
        })
    }
}

/// The path as marks have it.
pub(crate) fn place(path: &Path) -> String {
    absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn none(path: &Path) -> TransferError {
    TransferError::NoStore(place(path))
}

const HEAD: &str = "size, root, latest, checkpoint";

fn head_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Head> {
    Ok(Head { size: row.get(0)?, root: Hash(row.get(1)?), latest: row.get(2)?, checkpoint: row.get(3)? })
}

fn stored_head(connection: &Connection) -> rusqlite::Result<Option<Head>> {
    connection.query_row(&format!("SELECT {HEAD} FROM head"), [], head_of).optional()
}

/// Fills the index of receipts, and writes the head with it. The index is written in the order of its keys, as one run of pages.
fn write_head(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction
        .execute("INSERT OR IGNORE INTO keys (key, leaf) SELECT key, leaf FROM receipts ORDER BY key", [])?;
    let write =
        format!("INSERT INTO head (only, {HEAD}, indexed, batch) SELECT 1, {HEAD}, size, 0 FROM mark");
    transaction.execute(&write, []).map(drop)
}

fn write_mark(transaction: &Transaction<'_>, mark: &Mark) -> rusqlite::Result<()> {
    let Mark { kind, place, head: Head { size, root, latest, checkpoint } } = mark;
    let write =
        format!("INSERT OR REPLACE INTO mark (only, kind, place, {HEAD}) VALUES (1, ?, ?, ?, ?, ?, ?)");
    transaction.execute(&write, params![kind.as_str(), place, size, root.0, latest, checkpoint]).map(drop)
}

impl Source for SqliteStore {
    fn rows(&mut self, table: &'static Table, each: &mut EachRow<'_>) -> Result<()> {
        self.each_row(table, &sql::select_sqlite(table), &[], each)
    }

    fn end(&mut self) -> Result<()> {
        self.on(|connection| connection.execute_batch("COMMIT"))
    }
}

impl SqliteStore {
    /// Reads the rows under keys with a statement for each: SQLite has no way to a server that would count.
    fn each_key<T>(
        &mut self,
        keyed: Keyed<'_>,
        of_request: &str,
        of_blob: &str,
        read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<Found<T>>> {
        self.on(|connection| {
            let mut found = Vec::with_capacity(keyed.len());
            match keyed {
                Keyed::Requests(leaves) => {
                    let mut select = connection.prepare_cached(of_request)?;
                    for leaf in leaves {
                        let row = select.query_row([leaf], &read).optional()?;
                        found.extend(row.map(|row| (KeyBytes::Leaf(*leaf), row)));
                    }
                }
                Keyed::Blobs(addresses) => {
                    let mut select = connection.prepare_cached(of_blob)?;
                    for address in addresses {
                        let row = select.query_row([address.as_slice()], &read).optional()?;
                        found.extend(row.map(|row| (KeyBytes::Sha256(*address), row)));
                    }
                }
            }
            Ok(found)
        })
    }

    /// Reads the rows of a statement, whose columns are the table's.
    fn each_row(
        &mut self,
        table: &Table,
        select: &str,
        parameters: &[i64],
        each: &mut EachRow<'_>,
    ) -> Result<()> {
        let place = self.place.clone();
        let failed = |error| TransferError::Sqlite { place: place.clone(), error };
        let columns = table.columns.len();
        let mut statement = self.file.connection().prepare_cached(select).map_err(failed)?;
        let mut rows = statement.query(params_from_iter(parameters)).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let values = (0..columns).map(|column| {
                Ok(match row.get_ref(column).map_err(failed)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(number) => Value::Int(number),
                    ValueRef::Real(_) => {
                        return Err(TransferError::unsound(format!("{} has a fraction", table.name)));
                    }
                    // No text of a store on PostgreSQL has U+0000: see `storable` there.
                    ValueRef::Text(text) => match std::str::from_utf8(text) {
                        Ok(text) => Value::Text(text.replace('\0', "\u{FFFD}")),
                        Err(_) => {
                            return Err(TransferError::unsound(format!(
                                "{} has a text that is no UTF-8",
                                table.name
                            )));
                        }
                    },
                    ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
                })
            });
            each(values.collect::<Result<_>>()?)?;
        }
        Ok(())
    }
}

impl Store for SqliteStore {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn state(&mut self) -> Result<StoreState> {
        type Found = (Option<(String, String, Head)>, Option<Head>);
        let (mark, head): Found = self.on(|connection| {
            let select = format!("SELECT {HEAD}, kind, place FROM mark");
            let mark = connection.query_row(&select, [], |row| Ok((row.get(4)?, row.get(5)?, head_of(row)?)));
            Ok((mark.optional()?, stored_head(connection)?))
        })?;
        sql::state(mark, head)
    }

    fn begin(&mut self) -> Result<Head> {
        self.on(|connection| connection.execute_batch("BEGIN"))?;
        self.state()?.whole(self.place.clone())
    }

    fn rows_of_leaves(
        &mut self,
        table: &'static Table,
        leaves: Range<i64>,
        each: &mut EachRow<'_>,
    ) -> Result<()> {
        self.each_row(table, &sql::select_leaves(table, false), &[leaves.start, leaves.end], each)
    }

    fn release(&mut self) -> Result<()> {
        self.on(|connection| connection.execute_batch("COMMIT"))
    }

    fn lengths(&mut self, keyed: Keyed<'_>) -> Result<Vec<Found<u64>>> {
        self.each_key(keyed, sql::LENGTH_OF_REQUEST, sql::LENGTH_OF_BLOB, |row| row.get(0))
    }

    fn keyed(&mut self, keyed: Keyed<'_>) -> Result<Vec<Found<KeyedBytes>>> {
        self.each_key(keyed, sql::REQUEST, sql::BLOB, |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn begin_to_compare(&mut self) -> Result<Head> {
        self.on(|connection| connection.execute_batch("BEGIN"))?;
        self.state()?.copied(self.place.clone())
    }

    /// The lock of the file keeps all others out.
    fn fence(&mut self, place: &str) -> Result<()> {
        let StoreState::Live(head) = self.state()? else {
            return Err(TransferError::NoStore(self.place.clone()));
        };
        let mark = Mark { kind: MarkKind::Moving, place: place.to_owned(), head };
        self.change(|transaction| {
            write_mark(transaction, &mark)?;
            transaction.execute("DELETE FROM head", []).map(drop)
        })
    }

    fn unfence(&mut self, mark: &Mark) -> Result<()> {
        self.check_mark(mark)?;
        self.change(|transaction| {
            write_head(transaction)?;
            transaction.execute("DELETE FROM mark", []).map(drop)
        })
    }

    fn set_moved(&mut self, mark: &Mark) -> Result<()> {
        self.check_mark(mark)?;
        self.change(|transaction| transaction.execute("UPDATE mark SET kind = 'moved'", []).map(drop))
    }

    fn begin_copy(&mut self, mark: &Mark) -> Result<()> {
        self.change(|transaction| {
            let own = ["head", "keys", "shared_leases", TILES.name, GROUPS.name];
            let tables =
                TABLES.iter().filter(|table| table.form == Form::Plain || table.form == Form::OneRow);
            for name in tables.map(|table| table.name).chain(own).chain(["days", "sqlite_sequence"]) {
                transaction.execute(&format!("DELETE FROM {name}"), [])?;
            }
            write_mark(transaction, mark)
        })
    }

    fn last_key(&mut self, table: &Table) -> Result<Option<Vec<Value>>> {
        let Some(select) = sql::last_key_sqlite(table) else { return Ok(None) };
        let count = table.key;
        let read = |row: &rusqlite::Row<'_>| {
            (0..count)
                .map(|column| {
                    Ok(match row.get_ref(column)? {
                        ValueRef::Integer(number) => Value::Int(number),
                        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
                        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
                        ValueRef::Null | ValueRef::Real(_) => Value::Null,
                    })
                })
                .collect::<rusqlite::Result<Vec<Value>>>()
        };
        self.on(|connection| connection.query_row(&select, [], read).optional())
    }

    fn insert(&mut self, table: &Table, rows: &[Row]) -> Result<()> {
        self.change(|transaction| {
            if table.form == Form::Numbers {
                return rows.iter().try_for_each(|row| write_number(transaction, row));
            }
            let mut insert = transaction.prepare_cached(&sql::insert_sqlite(table))?;
            for row in rows {
                let values = row.iter().map(|value| match value {
                    Value::Null => ValueRef::Null,
                    Value::Int(number) => ValueRef::Integer(*number),
                    Value::Text(text) => ValueRef::Text(text.as_bytes()),
                    Value::Bytes(bytes) => ValueRef::Blob(bytes),
                });
                insert.execute(params_from_iter(values.map(rusqlite::types::ToSqlOutput::Borrowed)))?;
            }
            Ok(())
        })
    }

    fn finish(&mut self, mark: &Mark, _: &RightEdge, is_archive: bool) -> Result<()> {
        self.check_mark(mark)?;
        self.change(|transaction| {
            write_head(transaction)?;
            let end = if is_archive { "UPDATE mark SET kind = 'archive'" } else { "DELETE FROM mark" };
            transaction.execute(end, []).map(drop)
        })?;
        // The last commits are in the WAL, which is synced: see `configure` in ledger-sqlite.
        Ok(())
    }
}

/// Sets the last number given of a table, where SQLite keeps it. A row of `sqlite_sequence` is there once one was given.
fn write_number(transaction: &Transaction<'_>, row: &[Value]) -> rusqlite::Result<()> {
    let [Value::Text(name), Value::Int(last)] = row else { return Ok(()) };
    if !NUMBERS.contains(&name.as_str()) {
        return Ok(());
    }
    transaction.execute("DELETE FROM sqlite_sequence WHERE name = ?", [name])?;
    if *last > 0 {
        transaction.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", params![name, last])?;
    }
    Ok(())
}

//! The record of a witness as an SQLite file: for each log the last checkpoint that was cosigned.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use tlog::Hash;
use witness::{Latest, StoreError, TreeHead, WitnessStore};

/// The version of the schema.
const VERSION: i64 = 1;
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS latest (
        origin TEXT PRIMARY KEY,
        size   INTEGER NOT NULL,
        root   BLOB NOT NULL, -- 32 bytes
        note   TEXT NOT NULL  -- the checkpoint with the log's signatures
    ) STRICT, WITHOUT ROWID;
    PRAGMA user_version = 1;";
/// How long a file that another process is about to close is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// An error in opening the record.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be used, or another process has it open.
    #[error("the store {}: {source}", path.display())]
    Sqlite {
        /// The path of the file.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// A later program has made the store.
    #[error("the store {} is of version {version}, and this program knows version {VERSION}", path.display())]
    Version {
        /// The path of the file.
        path: PathBuf,
        /// The version of the store.
        version: i64,
    },
    /// SQLite does not make changes durable here.
    #[error("the store {} is in journal mode {mode} and synchronous {synchronous}, and must be in wal and 2", path.display())]
    NotDurable {
        /// The path of the file.
        path: PathBuf,
        /// The journal mode.
        mode: String,
        /// The level of syncing.
        synchronous: u8,
    },
}

/// A record in a file, which this process alone has open.
#[derive(Clone)]
pub struct SqliteStore(Arc<Mutex<Connection>>);

impl SqliteStore {
    /// Opens the record at a path, or makes an empty one.
    ///
    /// # Errors
    /// [`OpenError`]
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Sqlite { path: path.to_owned(), source };
        let connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
        // Two processes with one record would be safe, since each change is compared with the record within its
        // transaction. But a witness that was started twice is a mistake, and the second is told so.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE").map_err(failed)?;
        let mode: String = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
            .map_err(failed)?;
        // A commit is in the WAL and synced before it returns.
        connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        // On macOS a plain sync does not reach the disk itself, so this asks for one that does.
        connection.pragma_update(None, "fullfsync", "ON").map_err(failed)?;
        let synchronous: u8 =
            connection.pragma_query_value(None, "synchronous", |row| row.get(0)).map_err(failed)?;
        if mode != "wal" || synchronous != 2 {
            return Err(OpenError::NotDurable { path: path.to_owned(), mode, synchronous });
        }
        let version: i64 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        if version > VERSION {
            return Err(OpenError::Version { path: path.to_owned(), version });
        }
        connection.execute_batch(SCHEMA).map_err(failed)?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Runs work on the connection in a thread for blocking work.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let shared = Arc::clone(&self.0);
        let blocking = tokio::task::spawn_blocking(move || {
            // A transaction that a panic has ended is rolled back when it is dropped.
            work(&mut shared.lock().unwrap_or_else(PoisonError::into_inner))
        });
        let done = blocking.await.map_err(|error| StoreError(Box::new(error)))?;
        done.map_err(|error| StoreError(Box::new(error)))
    }
}

fn read(connection: &Connection, origin: &str) -> rusqlite::Result<Option<Latest>> {
    let mut select = connection.prepare_cached("SELECT size, root, note FROM latest WHERE origin = ?")?;
    let latest = |row: &rusqlite::Row<'_>| {
        Ok(Latest { head: TreeHead { size: row.get(0)?, root: Hash(row.get(1)?) }, note: row.get(2)? })
    };
    select.query_row([origin], latest).optional()
}

impl WitnessStore for SqliteStore {
    fn latest<'s>(&'s self, origin: &'s str) -> BoxFuture<'s, Result<Option<Latest>, StoreError>> {
        let origin = origin.to_owned();
        Box::pin(self.run(move |connection| read(connection, &origin)))
    }

    fn compare_and_swap<'s>(
        &'s self,
        origin: &'s str,
        expected: Option<TreeHead>,
        new: Latest,
    ) -> BoxFuture<'s, Result<bool, StoreError>> {
        let origin = origin.to_owned();
        Box::pin(self.run(move |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if read(&transaction, &origin)?.map(|latest| latest.head) != expected {
                return Ok(false);
            }
            let upsert = "INSERT OR REPLACE INTO latest (origin, size, root, note) VALUES (?, ?, ?, ?)";
            let Latest { head, note } = new;
            transaction.execute(upsert, params![origin, head.size, head.root.as_bytes(), note])?;
            transaction.commit()?;
            Ok(true)
        }))
    }
}

#[cfg(test)]
mod tests {
    use tlog::leaf_hash;

    use super::*;

    fn latest(size: u64) -> Latest {
        let head = TreeHead { size, root: leaf_hash(&size.to_be_bytes()) };
        Latest { head, note: format!("a note of {size}") }
    }

    #[tokio::test]
    async fn a_record_is_replaced_only_where_it_is_the_expected_one_and_outlives_its_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("witness.sqlite");
        let store = SqliteStore::open(&path).unwrap();
        assert!(store.latest("a").await.unwrap().is_none());
        assert!(!store.compare_and_swap("a", Some(latest(0).head), latest(1)).await.unwrap());
        assert!(store.compare_and_swap("a", None, latest(1)).await.unwrap());
        assert!(!store.compare_and_swap("a", None, latest(2)).await.unwrap());
        let other_root = TreeHead { root: leaf_hash(b"another"), ..latest(1).head };
        assert!(!store.compare_and_swap("a", Some(other_root), latest(2)).await.unwrap());
        assert!(store.compare_and_swap("a", Some(latest(1).head), latest(2)).await.unwrap());
        assert!(store.latest("b").await.unwrap().is_none());
        drop(store);
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(store.latest("a").await.unwrap(), Some(latest(2)));
    }

    #[tokio::test]
    async fn of_many_that_replace_one_record_at_once_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("witness.sqlite")).unwrap();
        let tasks = (1..=16).map(|size| {
            let store = store.clone();
            tokio::spawn(async move { store.compare_and_swap("a", None, latest(size)).await.unwrap() })
        });
        let mut replaced = 0;
        for task in tasks.collect::<Vec<_>>() {
            replaced += u32::from(task.await.unwrap());
        }
        assert_eq!(replaced, 1);
    }

    #[test]
    fn a_record_that_another_process_has_open_or_of_a_later_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("witness.sqlite");
        let store = SqliteStore::open(&path).unwrap();
        assert!(matches!(SqliteStore::open(&path), Err(OpenError::Sqlite { .. })));
        store.0.lock().unwrap().execute_batch("PRAGMA user_version = 2").unwrap();
        drop(store);
        assert!(matches!(SqliteStore::open(&path), Err(OpenError::Version { version: 2, .. })));
    }
}

//! The record of a witness as an SQLite file: for each log the last checkpoint that was cosigned, and the keys that cosigned.
//!
//! A key without its record, or with an earlier one, could cosign a second history of a log. So a record is bound to the keys
//! that it was made with, and all of it is in the one file before anything is cosigned: a copy of that file lacks nothing.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use tlog::{CosignerKey, Hash};
use witness::{Latest, StoreError, TreeHead, WitnessStore};

/// The version of the schema. Version 1 named no keys.
const VERSION: i64 = 2;
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS latest (
        origin TEXT PRIMARY KEY,
        size   INTEGER NOT NULL,
        root   BLOB NOT NULL, -- 32 bytes
        note   TEXT NOT NULL  -- the checkpoint with the log's signatures
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS bound (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        keys TEXT NOT NULL -- the name and the ID of each key, `NAME+ID`, with a space between two
    ) STRICT;
    PRAGMA user_version = 2;";
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
    /// The file is no record, though one was made with the keys.
    #[error(
        "the store {} is empty, and must have what the witness has cosigned: without that its key could cosign a second history of \
         a log. Put the record back as it was last; if it is lost, move the key away and start again with a new one",
        path.display()
    )]
    NoRecord {
        /// The path of the file.
        path: PathBuf,
    },
    /// The record was made with other keys.
    #[error(
        "the store {} is of the keys {has}, and the key file has {given}: name the record of these keys (--store), or a new one \
         for a new key",
        path.display()
    )]
    OtherKeys {
        /// The path of the file.
        path: PathBuf,
        /// The names and IDs of the keys that it was made with.
        has: String,
        /// Those of the keys that are used.
        given: String,
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
    /// Opens the record of keys that may have cosigned.
    ///
    /// # Errors
    /// [`OpenError`]: also where the file is empty, or of other keys.
    pub fn open(path: &Path, keys: &[CosignerKey]) -> Result<Self, OpenError> {
        Self::open_bound(path, keys, false)
    }

    /// Makes an empty record for keys that have cosigned nothing yet.
    ///
    /// # Errors
    /// [`OpenError`]: also where there is a record of other keys that have cosigned.
    pub fn make(path: &Path, keys: &[CosignerKey]) -> Result<Self, OpenError> {
        Self::open_bound(path, keys, true)
    }

    fn open_bound(path: &Path, keys: &[CosignerKey], are_new: bool) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Sqlite { path: path.to_owned(), source };
        let mut connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
        // Two processes with one record would be safe, since each change is compared with the record within its
        // transaction. But a witness that was started twice is a mistake, and the second is told so.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE").map_err(failed)?;
        // Before anything is written: a file that is no record stays as it is.
        let version: i64 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        if version > VERSION {
            return Err(OpenError::Version { path: path.to_owned(), version });
        }
        if version == 0 && !are_new {
            return Err(OpenError::NoRecord { path: path.to_owned() });
        }
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
        let given = ids(keys);
        let other = bind(&mut connection, &given, are_new).map_err(failed)?;
        if let Some(has) = other {
            return Err(OpenError::OtherKeys { path: path.to_owned(), has, given });
        }
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

/// The names and the IDs of keys, as a record has them.
fn ids(keys: &[CosignerKey]) -> String {
    let ids = keys.iter().map(|key| {
        let id = u32::from_be_bytes(key.verifier().id());
        format!("{}+{id:08x}", key.name())
    });
    ids.collect::<Vec<_>>().join(" ")
}

/// Returns true if all of the first keys are among the second ones.
fn is_among(some: &str, keys: &str) -> bool {
    some.split(' ').all(|one| keys.split(' ').any(|key| key == one))
}

/// Makes the tables, and binds the record to keys. Returns those that it is bound to, where they are others.
fn bind(connection: &mut Connection, given: &str, are_new: bool) -> rusqlite::Result<Option<String>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(SCHEMA)?;
    let has: Option<String> =
        transaction.query_row("SELECT keys FROM bound", [], |row| row.get(0)).optional()?;
    // A process that ended before its new keys were on the disk leaves a record that says nothing.
    let is_unused =
        || transaction.query_row("SELECT NOT EXISTS (SELECT 1 FROM latest)", [], |row| row.get(0));
    match has {
        Some(has) if has == given => {}
        // A key more has signed nothing yet.
        Some(has) if !(is_among(&has, given) || are_new && is_unused()?) => return Ok(Some(has)),
        Some(_) | None => {
            transaction.execute("INSERT OR REPLACE INTO bound (only, keys) VALUES (1, ?)", [given])?;
        }
    }
    transaction.commit()?;
    into_file(connection)?;
    Ok(None)
}

/// Writes what was committed into the file itself, and syncs it.
fn into_file(connection: &Connection) -> rusqlite::Result<()> {
    let is_busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if is_busy {
        let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        return Err(rusqlite::Error::SqliteFailure(busy, None));
    }
    Ok(())
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
            into_file(connection)?;
            Ok(true)
        }))
    }
}

#[cfg(test)]
mod tests {
    use tlog::{KeyKind, leaf_hash};

    use super::*;

    fn keys(seed: u8) -> Vec<CosignerKey> {
        vec![CosignerKey::from_seed("w.example", KeyKind::CosignatureV1, &[seed; 32]).unwrap()]
    }

    fn latest(size: u64) -> Latest {
        let head = TreeHead { size, root: leaf_hash(&size.to_be_bytes()) };
        Latest { head, note: format!("a note of {size}") }
    }

    #[tokio::test]
    async fn a_record_is_replaced_only_where_it_is_the_expected_one_and_outlives_its_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("witness.sqlite");
        let store = SqliteStore::make(&path, &keys(1)).unwrap();
        assert!(store.latest("a").await.unwrap().is_none());
        assert!(!store.compare_and_swap("a", Some(latest(0).head), latest(1)).await.unwrap());
        assert!(store.compare_and_swap("a", None, latest(1)).await.unwrap());
        assert!(!store.compare_and_swap("a", None, latest(2)).await.unwrap());
        let other_root = TreeHead { root: leaf_hash(b"another"), ..latest(1).head };
        assert!(!store.compare_and_swap("a", Some(other_root), latest(2)).await.unwrap());
        assert!(store.compare_and_swap("a", Some(latest(1).head), latest(2)).await.unwrap());
        assert!(store.latest("b").await.unwrap().is_none());
        drop(store);
        let store = SqliteStore::open(&path, &keys(1)).unwrap();
        assert_eq!(store.latest("a").await.unwrap(), Some(latest(2)));
    }

    #[tokio::test]
    async fn the_file_alone_has_all_that_was_cosigned() {
        let folder = tempfile::tempdir().unwrap();
        let [path, copy] = ["witness.sqlite", "copy.sqlite"].map(|name| folder.path().join(name));
        let store = SqliteStore::make(&path, &keys(1)).unwrap();
        assert!(store.compare_and_swap("a", None, latest(1)).await.unwrap());
        assert!(store.compare_and_swap("a", Some(latest(1).head), latest(2)).await.unwrap());
        std::fs::copy(&path, &copy).unwrap();
        let copied = SqliteStore::open(&copy, &keys(1)).unwrap();
        assert_eq!(copied.latest("a").await.unwrap(), Some(latest(2)));
    }

    #[tokio::test]
    async fn a_record_that_is_empty_or_of_other_keys_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let [path, empty] = ["witness.sqlite", "empty.sqlite"].map(|name| folder.path().join(name));
        std::fs::write(&empty, "").unwrap();
        assert!(matches!(SqliteStore::open(&empty, &keys(1)), Err(OpenError::NoRecord { .. })));
        assert_eq!(std::fs::metadata(&empty).unwrap().len(), 0);
        // The keys of the first were never saved.
        drop(SqliteStore::make(&path, &keys(1)).unwrap());
        let store = SqliteStore::make(&path, &keys(2)).unwrap();
        assert!(store.compare_and_swap("a", None, latest(1)).await.unwrap());
        drop(store);
        for refused in [SqliteStore::open(&path, &keys(1)), SqliteStore::make(&path, &keys(1))] {
            assert!(matches!(refused, Err(OpenError::OtherKeys { .. })));
        }
        SqliteStore::open(&path, &keys(2)).unwrap();
    }

    #[tokio::test]
    async fn a_record_of_before_records_named_their_keys_is_bound_to_the_first_that_open_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("witness.sqlite");
        let store = SqliteStore::make(&path, &keys(1)).unwrap();
        assert!(store.compare_and_swap("a", None, latest(1)).await.unwrap());
        store.0.lock().unwrap().execute_batch("DROP TABLE bound; PRAGMA user_version = 1").unwrap();
        drop(store);
        let store = SqliteStore::open(&path, &keys(2)).unwrap();
        assert_eq!(store.latest("a").await.unwrap(), Some(latest(1)));
        drop(store);
        assert!(matches!(SqliteStore::open(&path, &keys(1)), Err(OpenError::OtherKeys { .. })));
    }

    #[tokio::test]
    async fn of_many_that_replace_one_record_at_once_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::make(&folder.path().join("witness.sqlite"), &keys(1)).unwrap();
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
        let store = SqliteStore::make(&path, &keys(1)).unwrap();
        assert!(matches!(SqliteStore::open(&path, &keys(1)), Err(OpenError::Sqlite { .. })));
        store.0.lock().unwrap().execute_batch("PRAGMA user_version = 3").unwrap();
        drop(store);
        assert!(matches!(SqliteStore::open(&path, &keys(1)), Err(OpenError::Version { version: 3, .. })));
    }
}

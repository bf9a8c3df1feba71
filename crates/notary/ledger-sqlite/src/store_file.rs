//! A store as a file, to copy all of it or to make a copy.

use std::fs::File;
use std::path::{Path, PathBuf};

use ledger::LedgerError;
use rusqlite::Connection;

use crate::failure::ConnectionError;
use crate::{files, open};

/// A connection to the file of a store that serves nothing. What is read and written with it is up to its user.
pub struct SqliteStoreFile {
    connection: Connection,
    path: PathBuf,
    /// `None` beside a process that has the store open.
    _lock: Option<File>,
}

impl SqliteStoreFile {
    /// Opens the store at `path` for this process alone, or makes an empty one that is bound to no keys. Its schema is brought
    /// to this program's version.
    ///
    /// # Errors
    /// Another process has it open, or its schema is of a later version.
    pub fn lock(path: &Path) -> Result<Self, LedgerError> {
        let lock = files::lock(path)?;
        let opened = Connection::open(path).map_err(ConnectionError::from);
        let configured = opened.and_then(|mut connection| {
            open::configure(&connection)?;
            open::migrate(&mut connection, path)?;
            // Nobody waits for a commit here.
            connection.pragma_update(None, "wal_autocheckpoint", 1000)?;
            Ok(connection)
        });
        Ok(Self { connection: configured?, path: path.to_owned(), _lock: Some(lock) })
    }

    /// Opens a store that is there, whether or not a process has it open.
    ///
    /// # Errors
    /// There is none, or its schema is of another version.
    pub fn beside(path: &Path) -> Result<Self, LedgerError> {
        Ok(Self { connection: open::beside(path)?, path: path.to_owned(), _lock: None })
    }

    /// The connection.
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

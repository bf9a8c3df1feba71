//! The place of a store.

use std::path::PathBuf;

use ledger_postgres::PostgresConfig;

use crate::error::Result;
use crate::postgres::PostgresStore;
use crate::sqlite::{self, SqliteStore};
use crate::store::Store;

/// The place of a store.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are two in a process")]
pub enum Place {
    /// The file of an embedded store.
    File(PathBuf),
    /// A PostgreSQL database.
    Postgres(PostgresConfig),
}

impl Place {
    /// The place as a mark has it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => sqlite::place(path),
            Self::Postgres(config) => config.place(),
        }
    }

    /// Opens a store that is there, beside processes that may have it open.
    pub(crate) fn beside(&self) -> Result<Box<dyn Store>> {
        Ok(match self {
            Self::File(path) => Box::new(SqliteStore::beside(path)?),
            Self::Postgres(config) => Box::new(PostgresStore::open(config)?),
        })
    }

    /// Opens a store that is there, to move it away.
    pub(crate) fn to_move(&self) -> Result<Box<dyn Store>> {
        Ok(match self {
            Self::File(path) => Box::new(SqliteStore::lock(path)?),
            Self::Postgres(config) => Box::new(PostgresStore::to_move(config)?),
        })
    }

    /// Opens a store, or makes an empty one.
    pub(crate) fn make(&self) -> Result<Box<dyn Store>> {
        Ok(match self {
            Self::File(path) => Box::new(SqliteStore::make(path)?),
            Self::Postgres(config) => Box::new(PostgresStore::make(config)?),
        })
    }
}

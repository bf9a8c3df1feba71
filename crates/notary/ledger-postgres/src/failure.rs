//! PostgreSQL's errors as the ledger's.

use deadpool_postgres::PoolError;
use ledger::{LedgerError, StoreFailure, StoreFailureKind};
use tokio_postgres::error::SqlState;

/// The error of everything that works on a connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectionError {
    /// A refusal, or a store that is not sound.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The server, or the connection to it, failed.
    #[error("{}", chain(.0))]
    Postgres(#[from] tokio_postgres::Error),
    /// No connection of the pool was free in time, or none could be made.
    #[error("no connection: {0}")]
    NoConnection(String),
    /// The server did not answer in time.
    #[error("the server did not answer within {0} s")]
    Late(u64),
}

/// The text of an error with those of its sources: tokio-postgres says by itself only "db error".
fn chain(error: &tokio_postgres::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

impl ConnectionError {
    /// The error of rows that contradict one another. It fails what reads them, and does not stop the ledger.
    pub(crate) fn unreadable(why: &'static str) -> Self {
        Self::Ledger(LedgerError::Store(StoreFailure::new(StoreFailureKind::Other, why)))
    }

    /// Returns true if the store was read, and refuses what was asked.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Ledger(error) if error.is_refusal())
    }

    fn state(&self) -> Option<&SqlState> {
        match self {
            Self::Postgres(error) => error.code(),
            Self::Ledger(_) | Self::NoConnection(_) | Self::Late(_) => None,
        }
    }

    /// Returns true if the transaction was rolled back for the sake of another one, and may be tried again.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self.state(), Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED))
    }

    /// Returns true if another connection may do better: this one is broken, or leads to a server that takes no writes.
    pub(crate) fn is_of_connection(&self) -> bool {
        match self {
            Self::NoConnection(_) | Self::Late(_) => true,
            Self::Postgres(error) => match error.code() {
                None => true,
                Some(state) => {
                    *state == SqlState::READ_ONLY_SQL_TRANSACTION
                        || ["08", "57"].iter().any(|class| state.code().starts_with(class))
                }
            },
            Self::Ledger(_) => false,
        }
    }

    /// Returns true if the store itself contradicts what it must be. Nothing more may be signed on it.
    pub(crate) fn is_corrupt(&self) -> bool {
        matches!(self, Self::Ledger(LedgerError::Corrupt(_) | LedgerError::OtherKeys(_)))
    }
}

impl From<PoolError> for ConnectionError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => Self::Postgres(error),
            other => Self::NoConnection(other.to_string()),
        }
    }
}

impl From<ConnectionError> for LedgerError {
    fn from(error: ConnectionError) -> Self {
        let text = error.to_string();
        let kind = match &error {
            ConnectionError::Ledger(_) => StoreFailureKind::Other,
            ConnectionError::NoConnection(_) => StoreFailureKind::Busy,
            ConnectionError::Late(_) => StoreFailureKind::Interrupted,
            ConnectionError::Postgres(error) => match error.code() {
                Some(state) if *state == SqlState::DISK_FULL => StoreFailureKind::Full,
                Some(state) if state.code().starts_with("53") || state.code().starts_with("55") => {
                    StoreFailureKind::Busy
                }
                Some(state) if state.code().starts_with("57") => StoreFailureKind::Interrupted,
                Some(_) | None => StoreFailureKind::Other,
            },
        };
        match error {
            ConnectionError::Ledger(error) => error,
            _ => Self::Store(StoreFailure::new(kind, text)),
        }
    }
}

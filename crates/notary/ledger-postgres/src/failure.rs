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
    /// The server shows an earlier state of the log than one that is known to be durable.
    #[error("the server is behind: {0}")]
    Behind(String),
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

/// Returns true if a state is of one of these classes (appendix A of PostgreSQL's manual).
fn is_of(state: &SqlState, classes: &[&str]) -> bool {
    classes.iter().any(|class| state.code().starts_with(class))
}

/// Returns true if a parameter could not be sent, or a column not be read, on a connection that is sound.
fn is_conversion(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| !source.is::<std::io::Error>())
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

    /// Returns true if what was reserved for one job is not held any more. Nothing was changed.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Ledger(LedgerError::Busy))
    }

    fn state(&self) -> Option<&SqlState> {
        match self {
            Self::Postgres(error) => error.code(),
            Self::Ledger(_) | Self::Behind(_) | Self::NoConnection(_) | Self::Late(_) => None,
        }
    }

    /// Returns true if the transaction was rolled back for the sake of another one, and may be tried again.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self.state(), Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED))
    }

    /// Returns true if the server shows an earlier state of the log, or another log of the same size.
    pub(crate) fn is_behind(&self) -> bool {
        matches!(self, Self::Behind(_))
    }

    /// Returns true if a statement was refused because another one of its transaction had failed before it.
    pub(crate) fn is_consequence(&self) -> bool {
        self.state() == Some(&SqlState::IN_FAILED_SQL_TRANSACTION)
    }

    /// Returns true if no transaction whose COMMIT failed so can have happened.
    pub(crate) fn is_surely_rolled_back(&self) -> bool {
        let is_known = self.is_conflict() || self.is_consequence();
        is_known || self.state().is_some_and(|state| is_of(state, &["23"]))
    }

    /// Returns true if another connection may do better: this one is broken, or leads to a server that takes no writes or
    /// was cut off.
    pub(crate) fn is_of_connection(&self) -> bool {
        match self {
            Self::Behind(_) | Self::NoConnection(_) | Self::Late(_) => true,
            Self::Postgres(error) => match error.code() {
                None => !is_conversion(error),
                Some(state) => *state == SqlState::READ_ONLY_SQL_TRANSACTION || is_of(state, &["08", "57"]),
            },
            Self::Ledger(_) => false,
        }
    }

    /// Returns true if the store can do no transaction at the moment, whatever is in it: it is away, has no room, or keeps
    /// the lock for longer than one waits.
    pub(crate) fn is_of_store(&self) -> bool {
        self.is_of_connection() || self.state().is_some_and(|state| is_of(state, &["53", "55", "58"]))
    }

    /// Returns true if the values of one job may be the cause, so that a transaction without it may succeed.
    pub(crate) fn is_of_values(&self) -> bool {
        match self {
            Self::Ledger(LedgerError::NotSigned(_)) => false,
            Self::Ledger(_) => !self.is_corrupt(),
            Self::Postgres(error) => match error.code() {
                None => is_conversion(error),
                Some(state) => self.is_consequence() || is_of(state, &["21", "22", "23", "54", "XX"]),
            },
            Self::Behind(_) | Self::NoConnection(_) | Self::Late(_) => false,
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
            ConnectionError::Behind(_) | ConnectionError::Late(_) => StoreFailureKind::Interrupted,
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

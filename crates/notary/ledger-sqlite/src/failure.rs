//! SQLite's errors as the ledger's.

use ledger::{LedgerError, StoreFailure, StoreFailureKind};
use rusqlite::ErrorCode;

/// The error of everything that works on a connection: a [`LedgerError`], into which `?` turns SQLite's own errors. The
/// methods of the traits return the [`LedgerError`] in it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct ConnectionError(#[from] pub(crate) LedgerError);

impl From<ConnectionError> for LedgerError {
    fn from(ConnectionError(error): ConnectionError) -> Self {
        error
    }
}

impl From<rusqlite::Error> for ConnectionError {
    fn from(error: rusqlite::Error) -> Self {
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                return Self(LedgerError::Corrupt(error.to_string()));
            }
            Some(ErrorCode::DiskFull) => StoreFailureKind::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreFailureKind::Busy,
            Some(ErrorCode::OperationInterrupted) => StoreFailureKind::Interrupted,
            _ => StoreFailureKind::Other,
        };
        Self(LedgerError::Store(StoreFailure::new(kind, error)))
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use rusqlite::ffi;

    use super::*;

    #[test]
    fn an_error_of_sqlite_keeps_its_text_and_has_a_neutral_kind() {
        for (code, kind) in [
            (ffi::SQLITE_FULL, StoreFailureKind::Full),
            (ffi::SQLITE_BUSY, StoreFailureKind::Busy),
            (ffi::SQLITE_LOCKED, StoreFailureKind::Busy),
            (ffi::SQLITE_INTERRUPT, StoreFailureKind::Interrupted),
            (ffi::SQLITE_IOERR_FSYNC, StoreFailureKind::Other),
        ] {
            let error = || rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let LedgerError::Store(failure) = ConnectionError::from(error()).0 else { panic!("{code}") };
            assert_eq!((failure.kind(), failure.to_string()), (kind, error().to_string()));
            assert_eq!(failure.source().map(ToString::to_string), error().source().map(ToString::to_string));
        }
        let corrupt = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_NOTADB), None);
        assert!(matches!(ConnectionError::from(corrupt).0, LedgerError::Corrupt(_)));
    }
}

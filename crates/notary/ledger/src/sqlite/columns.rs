//! Column types that rows of several subjects share.

use receipt::time::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};

/// A time in milliseconds since 1970.
pub(crate) struct Millis(pub(crate) Timestamp);

impl FromSql for Millis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let millis = value.as_i64()?;
        Timestamp::from_millis(millis).map(Self).map_err(|_| FromSqlError::OutOfRange(millis))
    }
}

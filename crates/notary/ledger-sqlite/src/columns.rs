//! Column types that rows of several subjects share.

use receipt::time::Timestamp;
use rusqlite::Result;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

/// A time in milliseconds since 1970.
pub(crate) struct Millis(pub(crate) Timestamp);

impl FromSql for Millis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let millis = value.as_i64()?;
        Timestamp::from_millis(millis).map(Self).map_err(|_| FromSqlError::OutOfRange(millis))
    }
}

/// A type with few values, each of which is stored as a number.
pub(crate) trait Coded: Copy + 'static {
    /// All values.
    const VALUES: &'static [Self];

    /// The number that is stored.
    fn code(self) -> i64;
}

/// The column of a [`Coded`] value.
pub(crate) struct CodeColumn<T>(pub(crate) T);

impl<T: Coded> ToSql for CodeColumn<T> {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.0.code().into())
    }
}

impl<T: Coded> FromSql for CodeColumn<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let code = value.as_i64()?;
        let value = T::VALUES.iter().find(|value| value.code() == code);
        value.copied().map(Self).ok_or(FromSqlError::OutOfRange(code))
    }
}

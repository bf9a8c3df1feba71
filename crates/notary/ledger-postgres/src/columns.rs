//! Column types that rows of several subjects share, and the reading of columns.

use std::borrow::Cow;
use std::error::Error;

use receipt::time::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

type Cause = Box<dyn Error + Sync + Send>;
type Result<T> = std::result::Result<T, tokio_postgres::Error>;

/// A column of exactly `N` bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed<const N: usize>(pub(crate) [u8; N]);

impl<'a, const N: usize> FromSql<'a> for Fixed<N> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> std::result::Result<Self, Cause> {
        Ok(Self(raw.try_into().map_err(|_| format!("{} bytes, and not {N}", raw.len()))?))
    }

    accepts!(BYTEA);
}

impl<const N: usize> ToSql for Fixed<N> {
    fn to_sql(&self, of: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Cause> {
        self.0.as_slice().to_sql(of, out)
    }

    accepts!(BYTEA);
    to_sql_checked!();
}

/// A number that is not negative, or a time in milliseconds since 1970. Columns of numbers are all `BIGINT`.
#[derive(Clone, Copy, Debug)]
struct Unsigned(u64);

impl<'a> FromSql<'a> for Unsigned {
    fn from_sql(of: &Type, raw: &'a [u8]) -> std::result::Result<Self, Cause> {
        Ok(Self(i64::from_sql(of, raw)?.try_into()?))
    }

    accepts!(INT8);
}

/// A time in milliseconds since 1970.
#[derive(Clone, Copy, Debug)]
struct Millis(Timestamp);

impl<'a> FromSql<'a> for Millis {
    fn from_sql(of: &Type, raw: &'a [u8]) -> std::result::Result<Self, Cause> {
        Ok(Self(Timestamp::from_millis(i64::from_sql(of, raw)?)?))
    }

    accepts!(INT8);
}

/// A type with few values, each of which is stored as a number.
pub(crate) trait Coded: Copy + 'static {
    /// All values.
    const VALUES: &'static [Self];

    /// The number that is stored.
    fn code(self) -> i64;
}

/// The column of a [`Coded`] value.
struct CodeColumn<T>(T);

impl<'a, T: Coded> FromSql<'a> for CodeColumn<T> {
    fn from_sql(of: &Type, raw: &'a [u8]) -> std::result::Result<Self, Cause> {
        let code = i64::from_sql(of, raw)?;
        let value = T::VALUES.iter().find(|value| value.code() == code);
        Ok(Self(*value.ok_or_else(|| format!("{code} is not the code of a value"))?))
    }

    accepts!(INT8);
}

/// The columns of a row, counted from 0.
pub(crate) trait Columns {
    fn bytes<const N: usize>(&self, column: usize) -> Result<[u8; N]>;
    fn maybe_bytes<const N: usize>(&self, column: usize) -> Result<Option<[u8; N]>>;
    fn unsigned(&self, column: usize) -> Result<u64>;
    fn maybe_unsigned(&self, column: usize) -> Result<Option<u64>>;
    /// A number below 2^32; one that is larger is cut to the largest.
    fn small(&self, column: usize) -> Result<u32>;
    fn millis(&self, column: usize) -> Result<Timestamp>;
    fn maybe_millis(&self, column: usize) -> Result<Option<Timestamp>>;
    fn code<T: Coded>(&self, column: usize) -> Result<T>;
    fn maybe_code<T: Coded>(&self, column: usize) -> Result<Option<T>>;
}

impl Columns for Row {
    fn bytes<const N: usize>(&self, column: usize) -> Result<[u8; N]> {
        Ok(self.try_get::<_, Fixed<N>>(column)?.0)
    }

    fn maybe_bytes<const N: usize>(&self, column: usize) -> Result<Option<[u8; N]>> {
        Ok(self.try_get::<_, Option<Fixed<N>>>(column)?.map(|bytes| bytes.0))
    }

    fn unsigned(&self, column: usize) -> Result<u64> {
        Ok(self.try_get::<_, Unsigned>(column)?.0)
    }

    fn maybe_unsigned(&self, column: usize) -> Result<Option<u64>> {
        Ok(self.try_get::<_, Option<Unsigned>>(column)?.map(|number| number.0))
    }

    fn small(&self, column: usize) -> Result<u32> {
        Ok(u32::try_from(self.unsigned(column)?).unwrap_or(u32::MAX))
    }

    fn millis(&self, column: usize) -> Result<Timestamp> {
        Ok(self.try_get::<_, Millis>(column)?.0)
    }

    fn maybe_millis(&self, column: usize) -> Result<Option<Timestamp>> {
        Ok(self.try_get::<_, Option<Millis>>(column)?.map(|millis| millis.0))
    }

    fn code<T: Coded>(&self, column: usize) -> Result<T> {
        Ok(self.try_get::<_, CodeColumn<T>>(column)?.0)
    }

    fn maybe_code<T: Coded>(&self, column: usize) -> Result<Option<T>> {
        Ok(self.try_get::<_, Option<CodeColumn<T>>>(column)?.map(|code| code.0))
    }
}

/// A stranger's text as a column of texts can have it: without U+0000, for which the server would refuse the statement, and
/// so end the transaction of others too.
pub(crate) fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}").into() } else { text.into() }
}

/// The column of a number; `None`, which no column equals, where it is past the largest that is ever stored.
pub(crate) fn row_id(number: u64) -> Option<i64> {
    i64::try_from(number).ok()
}

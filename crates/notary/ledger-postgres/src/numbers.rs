//! Numbers of claims, refunds and other rows: each is given once, also where its row is gone.

use crate::columns::Columns as _;
use crate::connection::{Connection, Result};
use crate::failure::ConnectionError;

/// Gives the next `count` numbers of a kind (a row of the table `numbers`), and returns the first of them.
pub(crate) async fn give(connection: Connection<'_>, kind: &str, count: u32) -> Result<u64> {
    let update = "UPDATE numbers SET last = last + $2 WHERE name = $1 RETURNING last - $2 + 1";
    let rows = connection.returning(update, &[&kind, &i64::from(count)]).await?;
    let row =
        rows.first().ok_or_else(|| ConnectionError::unreadable("a row of the table numbers is missing"))?;
    Ok(row.unsigned(0)?)
}

/// Gives the next number of a kind.
pub(crate) async fn next(connection: Connection<'_>, kind: &str) -> Result<i64> {
    let number = give(connection, kind, 1).await?;
    i64::try_from(number).map_err(|_| ConnectionError::unreadable("the numbers of a table are used up"))
}

//! The unfinished work of a store, counted over the indexes of what is unfinished.

use ledger::{Backlog, OwedRefunds};
use receipt::time::Timestamp;
use rusqlite::{Connection, Params, Result};

use crate::columns::CodeColumn;

pub(crate) fn backlog(connection: &Connection, now: Timestamp) -> Result<Backlog> {
    let mut payments = connection.prepare_cached(
        "SELECT state, count(*) FROM claims INDEXED BY unfinished_by_payer WHERE state < 4 GROUP BY state ORDER BY state",
    )?;
    let payments = payments.query_map([], |row| Ok((row.get::<_, CodeColumn<_>>(0)?.0, row.get(1)?)))?;
    let mut refunds = connection.prepare_cached(
        "SELECT symbol, count(*), sum(amount) FROM refunds INDEXED BY unpaid WHERE state < 2
         GROUP BY symbol ORDER BY symbol",
    )?;
    let refunds = refunds.query_map([], |row| {
        Ok(OwedRefunds { symbol: row.get(0)?, refunds: row.get(1)?, amount: row.get(2)? })
    })?;
    let disputes = "SELECT count(*) FROM claims INDEXED BY unfinished_by_payer WHERE state < 4 AND state = 3 AND bond = 1";
    let watches =
        "SELECT count(*) FROM watches INDEXED BY watched_until WHERE ended_at IS NULL AND until > ?";
    let webhooks = "SELECT count(*) FROM alerts INDEXED BY waiting WHERE state = 0";
    Ok(Backlog {
        payments: payments.collect::<Result<_>>()?,
        disputes: count(connection, disputes, [])?,
        refunds: refunds.collect::<Result<_>>()?,
        watches: count(connection, watches, [now.as_millis()])?,
        webhooks: count(connection, webhooks, [])?,
    })
}

fn count(connection: &Connection, select: &str, of: impl Params) -> Result<u64> {
    connection.prepare_cached(select)?.query_row(of, |row| row.get(0))
}

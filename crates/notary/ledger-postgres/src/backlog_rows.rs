//! The unfinished work of a store, counted over the indexes of what is unfinished.

use ledger::{Backlog, OwedRefunds};
use receipt::time::Timestamp;

use crate::columns::Columns as _;
use crate::connection::{Connection, Param, Result};
use crate::together::together;

const PAYMENTS: &str = "SELECT state, count(*) FROM claims WHERE state < 4 GROUP BY state ORDER BY state";
const REFUNDS: &str = "SELECT symbol, count(*), sum(amount)::BIGINT FROM refunds WHERE state < 2
    GROUP BY symbol ORDER BY symbol";
const OTHERS: &str = "SELECT
    (SELECT count(*) FROM claims WHERE state < 4 AND state = 3 AND bond = 1),
    (SELECT count(*) FROM watches WHERE ended_at IS NULL AND until > $1),
    (SELECT count(*) FROM alerts WHERE state = 0)";

/// Counts the unfinished work. The counts need not be of one moment.
pub(crate) async fn backlog(connection: Connection<'_>, now: Timestamp) -> Result<Backlog> {
    let now = now.as_millis();
    let now: [Param<'_>; 1] = [&now];
    let (payments, refunds, others) = together!(
        connection.rows(PAYMENTS, &[]),
        connection.rows(REFUNDS, &[]),
        connection.one(OTHERS, &now),
    )?;
    let mut backlog = Backlog {
        payments: Vec::with_capacity(payments.len()),
        disputes: others.unsigned(0)?,
        refunds: Vec::with_capacity(refunds.len()),
        watches: others.unsigned(1)?,
        webhooks: others.unsigned(2)?,
    };
    for row in payments {
        backlog.payments.push((row.code(0)?, row.unsigned(1)?));
    }
    for row in refunds {
        let owed =
            OwedRefunds { symbol: row.try_get(0)?, refunds: row.unsigned(1)?, amount: row.unsigned(2)? };
        backlog.refunds.push(owed);
    }
    Ok(backlog)
}

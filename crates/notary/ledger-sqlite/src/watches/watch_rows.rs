//! Watches and alerts as rows, read.

use ledger::{
    Alert, AlertId, AlertWebhook, MAX_ALERTS_READ, Screening, ScreeningTask, Watch, WatchId, WatchKey,
    Webhook, WebhookState, WebhookTask,
};
use receipt::hash::ReceiptHash;
use rusqlite::{Connection, OptionalExtension, Result, Row};

use crate::columns::{CodeColumn, Coded, Millis};

impl Coded for WebhookState {
    const VALUES: &'static [Self] = &Self::ALL;

    fn code(self) -> i64 {
        match self {
            Self::Waiting => 0,
            Self::Delivered => 1,
            Self::Failed => 2,
            Self::Dropped => 3,
        }
    }
}

/// The watch of a key, as far as leaves below this go: what is above them is not published yet.
pub(crate) fn by_key(connection: &Connection, key: &WatchKey, below: u64) -> Result<Option<Watch>> {
    found_by(connection, "key", &key.0, below)
}

/// The watch that a receipt has opened, likewise.
pub(crate) fn by_receipt(
    connection: &Connection,
    receipt: &ReceiptHash,
    below: u64,
) -> Result<Option<Watch>> {
    found_by(connection, "receipt", &receipt.0, below)
}

fn found_by(
    connection: &Connection,
    column: &'static str,
    value: &[u8; 32],
    below: u64,
) -> Result<Option<Watch>> {
    let select = format!(
        "SELECT id, agent, class, receipt, until, ended_at, webhook, host, gone_at, verdict, snapshots, edition,
            screened_at FROM watches WHERE {column} = ? AND leaf < ?"
    );
    let mut statement = connection.prepare_cached(&select)?;
    let Some(mut watch) = statement.query_row((value, below), watch).optional()? else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT receipt, verdict, at, state, attempts, due_at, error FROM alerts
         WHERE watch = ? AND leaf < ? AND verdict <> '' ORDER BY id DESC LIMIT ?",
    )?;
    let alerts = statement.query_map((watch.id.0, below, MAX_ALERTS_READ), alert)?;
    watch.alerts = alerts.collect::<Result<_>>()?;
    Ok(Some(watch))
}

fn watch(row: &Row<'_>) -> Result<Watch> {
    let millis = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<Millis>>(column)?.map(|at| at.0));
    Ok(Watch {
        id: WatchId(row.get(0)?),
        agent: row.get(1)?,
        class: row.get(2)?,
        opened_by: ReceiptHash(row.get(3)?),
        until: row.get::<_, Millis>(4)?.0,
        ended_at: millis(5)?,
        webhook: webhook(row.get(6)?, row.get(7)?),
        gone_at: millis(8)?,
        screened: screening(row, 9)?,
        alerts: Vec::new(),
    })
}

/// A screening in four columns, of which this is the first: verdict, snapshots, edition, time.
fn screening(row: &Row<'_>, first: usize) -> Result<Screening> {
    Ok(Screening {
        verdict: row.get(first)?,
        snapshots: row.get(first + 1)?,
        edition: row.get(first + 2)?,
        at: row.get::<_, Millis>(first + 3)?.0,
    })
}

fn webhook(url: Option<String>, host: Option<String>) -> Option<Webhook> {
    url.zip(host).map(|(url, host)| Webhook { url, host })
}

fn alert(row: &Row<'_>) -> Result<Alert> {
    let state: Option<CodeColumn<_>> = row.get(3)?;
    let (attempts, due, error) = (row.get(4)?, row.get::<_, Millis>(5)?.0, row.get(6)?);
    Ok(Alert {
        receipt: ReceiptHash(row.get(0)?),
        verdict: row.get(1)?,
        at: row.get::<_, Millis>(2)?.0,
        webhook: state.map(|CodeColumn(state)| AlertWebhook { state, attempts, at: due, error }),
    })
}

/// A watch that is to be screened, with the request that says what.
pub(crate) fn due(connection: &Connection, id: WatchId) -> Result<ScreeningTask> {
    let mut statement = connection.prepare_cached(
        "SELECT agent, class, body, key, verdict, snapshots, edition, screened_at
         FROM watches LEFT JOIN requests USING (leaf) WHERE id = ?",
    )?;
    statement.query_row([id.0], |row| {
        Ok(ScreeningTask {
            id,
            agent: row.get(0)?,
            class: row.get(1)?,
            request: row.get(2)?,
            key: WatchKey(row.get(3)?),
            screened: screening(row, 4)?,
        })
    })
}

/// The webhook of an agent at a host that is due first, where any is due.
pub(crate) fn due_of_lane(
    connection: &Connection,
    host: &str,
    agent: &str,
    now: i64,
) -> Result<Option<WebhookTask>> {
    let mut statement = connection.prepare_cached(
        "SELECT alerts.id, alerts.receipt, webhook, attempts, at FROM alerts INDEXED BY waiting
         JOIN watches ON watches.id = watch
         WHERE alerts.host = ? AND alerts.agent = ? AND state = 0 AND due_at <= ? ORDER BY due_at, alerts.id LIMIT 1",
    )?;
    let due = statement.query_row((host, agent, now), |row| {
        Ok(WebhookTask {
            id: AlertId(row.get(0)?),
            receipt: ReceiptHash(row.get(1)?),
            url: row.get(2)?,
            attempts: row.get(3)?,
            since: row.get::<_, Millis>(4)?.0,
        })
    });
    due.optional()
}

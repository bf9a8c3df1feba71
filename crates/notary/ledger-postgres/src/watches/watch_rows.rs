//! Watches and alerts as rows, read.

use std::collections::HashMap;

use ledger::{
    Alert, AlertId, AlertWebhook, MAX_ALERTS_READ, Screening, ScreeningTask, Watch, WatchId, WatchKey,
    Webhook, WebhookState, WebhookTask,
};
use receipt::hash::ReceiptHash;
use tokio_postgres::Row;

use crate::columns::{Coded, Columns as _};
use crate::connection::{Connection, Result};

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

/// Selects the watch that meets a condition on $1, once for each of its newest alerts.
/// Watch and alerts are of one moment, since they are of one statement.
macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT watches.id, watches.agent, class, watches.receipt, until, ended_at, webhook, watches.host,
                gone_at, watches.verdict, snapshots, edition, screened_at,
                alerts.receipt, alerts.verdict, alerts.at, alerts.state, alerts.attempts, alerts.due_at, alerts.error
             FROM watches LEFT JOIN alerts ON alerts.watch = watches.id AND alerts.verdict <> ''
             WHERE ",
            $condition,
            " ORDER BY alerts.id DESC LIMIT $2"
        )
    };
}

/// The watch of a key.
pub(crate) async fn by_key(connection: Connection<'_>, key: &WatchKey) -> Result<Option<Watch>> {
    found(connection, select!("watches.key = $1"), &key.0).await
}

/// The watch that a receipt has opened.
pub(crate) async fn by_receipt(connection: Connection<'_>, receipt: &ReceiptHash) -> Result<Option<Watch>> {
    found(connection, select!("watches.receipt = $1"), &receipt.0).await
}

async fn found(connection: Connection<'_>, select: &'static str, value: &[u8; 32]) -> Result<Option<Watch>> {
    let most = i64::from(MAX_ALERTS_READ);
    let rows = connection.rows(select, &[&value.as_slice(), &most]).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let mut watch = watch(first)?;
    for row in &rows {
        watch.alerts.extend(alert(row)?);
    }
    Ok(Some(watch))
}

fn watch(row: &Row) -> Result<Watch> {
    Ok(Watch {
        id: WatchId(row.unsigned(0)?),
        agent: row.try_get(1)?,
        class: row.try_get(2)?,
        opened_by: ReceiptHash(row.bytes(3)?),
        until: row.millis(4)?,
        ended_at: row.maybe_millis(5)?,
        webhook: webhook(row.try_get(6)?, row.try_get(7)?),
        gone_at: row.maybe_millis(8)?,
        screened: screening(row, 9)?,
        alerts: Vec::new(),
    })
}

/// A screening in four columns, of which this is the first: verdict, snapshots, edition, time.
fn screening(row: &Row, first: usize) -> Result<Screening> {
    Ok(Screening {
        verdict: row.try_get(first)?,
        snapshots: row.try_get(first + 1)?,
        edition: row.bytes(first + 2)?,
        at: row.millis(first + 3)?,
    })
}

fn webhook(url: Option<String>, host: Option<String>) -> Option<Webhook> {
    url.zip(host).map(|(url, host)| Webhook { url, host })
}

/// The alert of a row of a watch; `None` in the only row of a watch without alerts.
fn alert(row: &Row) -> Result<Option<Alert>> {
    let Some(receipt) = row.maybe_bytes(13)? else { return Ok(None) };
    let webhook = match row.maybe_code(16)? {
        None => None,
        Some(state) => Some(AlertWebhook {
            state,
            attempts: row.small(17)?,
            at: row.millis(18)?,
            error: row.try_get(19)?,
        }),
    };
    Ok(Some(Alert { receipt: ReceiptHash(receipt), verdict: row.try_get(14)?, at: row.millis(15)?, webhook }))
}

/// The watches that are to be screened, in the order of `ids`, each with the request that says what.
pub(crate) async fn tasks(connection: Connection<'_>, ids: &[i64]) -> Result<Vec<ScreeningTask>> {
    let select = "SELECT id, agent, class, body, key, verdict, snapshots, edition, screened_at
        FROM watches LEFT JOIN requests USING (leaf) WHERE id = ANY($1)";
    let mut tasks: HashMap<i64, ScreeningTask> = HashMap::with_capacity(ids.len());
    for row in connection.rows(select, &[&ids]).await? {
        tasks.insert(row.try_get(0)?, task(&row)?);
    }
    Ok(ids.iter().filter_map(|id| tasks.remove(id)).collect())
}

fn task(row: &Row) -> Result<ScreeningTask> {
    Ok(ScreeningTask {
        id: WatchId(row.unsigned(0)?),
        agent: row.try_get(1)?,
        class: row.try_get(2)?,
        request: row.try_get(3)?,
        key: WatchKey(row.bytes(4)?),
        screened: screening(row, 5)?,
    })
}

/// The free lanes of a host that are due, at most `most`, the longest due first; each with the webhook that is due
/// first in it, or `None` where what waited there was dropped.
pub(crate) async fn due_lanes(
    connection: Connection<'_>,
    host: &str,
    now: i64,
    most: usize,
) -> Result<Vec<(String, Option<WebhookTask>)>> {
    let select = "SELECT lane.agent, waits.id, waits.receipt, waits.webhook, waits.attempts, waits.at
        FROM (
            SELECT host, agent, due_at FROM webhook_lanes WHERE host = $1 AND lease_until = 0 AND due_at <= $2
            ORDER BY due_at, agent LIMIT $3
        ) AS lane
        LEFT JOIN LATERAL (
            SELECT alerts.id, alerts.receipt, watches.webhook, alerts.attempts, alerts.at
            FROM alerts JOIN watches ON watches.id = alerts.watch
            WHERE alerts.host = lane.host AND alerts.agent = lane.agent AND alerts.state = 0 AND alerts.due_at <= $2
            ORDER BY alerts.due_at, alerts.id LIMIT 1
        ) AS waits ON TRUE
        ORDER BY lane.due_at, lane.agent";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = connection.rows(select, &[&host, &now, &most]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, webhook_task(row)?))).collect()
}

fn webhook_task(row: &Row) -> Result<Option<WebhookTask>> {
    let Some(id) = row.maybe_unsigned(1)? else { return Ok(None) };
    Ok(Some(WebhookTask {
        id: AlertId(id),
        receipt: ReceiptHash(row.bytes(2)?),
        url: row.try_get(3)?,
        attempts: row.small(4)?,
        since: row.millis(5)?,
    }))
}

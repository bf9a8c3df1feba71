//! The steps of an alert's webhook, each within a transaction of its caller's.

use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::watch_rows;
use crate::{AlertId, DueWebhook, LedgerError, Owner, Sent, TakeOver, WatchId, WebhookState};

/// A webhook of a host waits.
pub(super) fn wait(connection: &Connection, host: &str, due_at: i64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO webhook_hosts (host, due_at, lease_until) VALUES (?, ?, 0)
             ON CONFLICT (host) DO UPDATE SET due_at = min(due_at, excluded.due_at)",
        )?
        .execute(params![host, due_at])?;
    Ok(())
}

/// Hands webhooks that are due to a new owner, one of each host that nobody sends to.
pub(super) fn take(connection: &Connection, wish: TakeOver) -> Result<Vec<DueWebhook>> {
    let TakeOver { now, owner, lease_until, most } = wish;
    let now = now.as_millis();
    let mut statement = connection.prepare_cached(
        "SELECT host FROM webhook_hosts INDEXED BY webhooks_due WHERE due_at <= ? AND lease_until <= ?
         ORDER BY due_at, host LIMIT ?",
    )?;
    let hosts = statement.query_map(params![now, now, most], |row| row.get(0))?;
    let hosts: Vec<String> = hosts.collect::<Result<_>>()?;
    let mut due = Vec::with_capacity(hosts.len());
    for host in hosts {
        match watch_rows::due_at_host(connection, &host, now)? {
            Some(webhook) => {
                connection
                    .prepare_cached("UPDATE webhook_hosts SET owner = ?, lease_until = ? WHERE host = ?")?
                    .execute(params![owner.0, lease_until.as_millis(), host])?;
                due.push(webhook);
            }
            // What waited was dropped.
            None => give_back(connection, &host, now)?,
        }
    }
    Ok(due)
}

/// The host may be sent its next webhook, after all other hosts that wait.
fn give_back(connection: &Connection, host: &str, now: i64) -> Result<()> {
    let first = "SELECT min(due_at) FROM alerts INDEXED BY waiting WHERE host = ? AND state = 0";
    let first: Option<i64> = connection.prepare_cached(first)?.query_row([host], |row| row.get(0))?;
    match first {
        Some(due_at) => connection
            .prepare_cached(
                "UPDATE webhook_hosts SET due_at = ?, owner = NULL, lease_until = 0 WHERE host = ?",
            )?
            .execute(params![due_at.max(now), host])?,
        None => connection.prepare_cached("DELETE FROM webhook_hosts WHERE host = ?")?.execute([host])?,
    };
    Ok(())
}

/// Keeps what became of a webhook. One that was dropped meanwhile stays so, unless it was taken.
pub(super) fn sent(
    connection: &Connection,
    id: AlertId,
    owner: Owner,
    sent: &Sent,
    now: Timestamp,
) -> Result<(), LedgerError> {
    let mut statement = connection.prepare_cached(
        "SELECT alerts.host, watch FROM alerts JOIN webhook_hosts USING (host) WHERE id = ? AND owner = ?",
    )?;
    let held = statement.query_row(params![i64::try_from(id.0).ok(), owner.0], |row| {
        Ok((row.get(0)?, row.get(1).map(WatchId)?))
    });
    let (host, watch): (String, WatchId) = held.optional()?.ok_or(LedgerError::NotOwner)?;
    let (state, due_at, error) = match sent {
        Sent::NotSent { at } => {
            connection
                .prepare_cached("UPDATE alerts SET due_at = ? WHERE id = ? AND state = 0")?
                .execute(params![at.as_millis(), id.0])?;
            return Ok(give_back(connection, &host, now.as_millis())?);
        }
        Sent::Delivered => (WebhookState::Delivered, now, None),
        Sent::Again { at, error } => (WebhookState::Waiting, *at, Some(error)),
        Sent::Failed { error } => (WebhookState::Failed, now, Some(error)),
        Sent::Gone => (WebhookState::Dropped, now, None),
    };
    connection
        .prepare_cached(
            "UPDATE alerts SET state = CASE WHEN state = 3 AND ?1 <> 1 THEN state ELSE ?1 END,
                attempts = attempts + 1, due_at = ?2, error = ?3 WHERE id = ?4",
        )?
        .execute(params![state, due_at.as_millis(), error, id.0])?;
    if matches!(sent, Sent::Gone) {
        connection
            .prepare_cached("UPDATE watches SET gone_at = ? WHERE id = ? AND gone_at IS NULL")?
            .execute(params![now.as_millis(), watch.0])?;
        drop_of(connection, watch, now)?;
    }
    Ok(give_back(connection, &host, now.as_millis())?)
}

/// Drops the webhooks of a watch that wait.
pub(super) fn drop_of(connection: &Connection, watch: WatchId, now: Timestamp) -> Result<()> {
    connection
        .prepare_cached("UPDATE alerts SET state = ?, due_at = ? WHERE watch = ? AND state = 0")?
        .execute(params![WebhookState::Dropped, now.as_millis(), watch.0])?;
    Ok(())
}

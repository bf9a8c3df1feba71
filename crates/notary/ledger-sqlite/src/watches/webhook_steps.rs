//! The steps of an alert's webhook, each within a transaction of its caller's.
//!
//! [`rules::webhooks`](ledger::rules::webhooks) decides, and says what lanes are; here its facts are read, and what it says is
//! written. The column `agent` has the name of a lane.

use ledger::rules::webhooks::{self, HOSTS_PER_WEBHOOK, HostDue, TakenLane, TakenLanes, WebhookChange};
use ledger::{AlertId, LeaseRequest, LedgerError, Owner, WatchId, WebhookOutcome, WebhookState, WebhookTask};
use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use super::watch_rows;
use crate::columns::CodeColumn;
use crate::failure::ConnectionError;

/// The stored due time of a host that has no lane to be sent to.
const NEVER: i64 = i64::MAX;

/// A webhook of an agent waits at a host.
pub(crate) fn wait(connection: &Connection, host: &str, agent: &str, due_at: i64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO webhook_lanes (host, agent, due_at, lease_until) VALUES (?, ?, ?, 0)
             ON CONFLICT (host, agent) DO UPDATE SET due_at = min(due_at, excluded.due_at)",
        )?
        .execute(params![host, agent, due_at])?;
    connection
        .prepare_cached(
            "INSERT INTO webhook_hosts (host, due_at) VALUES (?, ?)
             ON CONFLICT (host) DO UPDATE SET due_at = min(due_at, excluded.due_at)",
        )?
        .execute(params![host, due_at])?;
    Ok(())
}

/// Hands webhooks that are due to a new owner, at most one of each host.
pub(crate) fn take(connection: &Connection, wish: LeaseRequest) -> Result<Vec<WebhookTask>> {
    let (now, most) = (wish.now.as_millis(), wish.most as usize);
    free_expired(connection, now)?;
    let mut taken = all_taken(connection)?;
    let mut statement = connection.prepare_cached(
        "SELECT host FROM webhook_hosts INDEXED BY webhooks_due WHERE due_at <= ?
         ORDER BY due_at, host LIMIT ?",
    )?;
    let hosts =
        statement.query_map(params![now, wish.most.saturating_mul(HOSTS_PER_WEBHOOK)], |row| row.get(0))?;
    let hosts: Vec<String> = hosts.collect::<Result<_>>()?;
    let mut due = Vec::with_capacity(most);
    for host in hosts {
        if due.len() >= most {
            break;
        }
        let webhook =
            if taken.is_host_full(&host) { None } else { take_at(connection, &host, &mut taken, &wish)? };
        let not_before = webhooks::not_before(now, webhook.is_some());
        due.extend(webhook);
        set_due(connection, &host, &taken, not_before)?;
    }
    Ok(due)
}

/// The webhook of a host whose lane has waited the longest, of an agent who may be sent one more.
fn take_at(
    connection: &Connection,
    host: &str,
    taken: &mut TakenLanes,
    wish: &LeaseRequest,
) -> Result<Option<WebhookTask>> {
    let now = wish.now.as_millis();
    let mut statement = connection.prepare_cached(
        "SELECT agent FROM webhook_lanes INDEXED BY lanes_free WHERE host = ? AND lease_until = 0 AND due_at <= ?
         ORDER BY due_at, agent LIMIT ?",
    )?;
    let lanes = statement.query_map(params![host, now, taken.worth_looking_at()], |row| row.get(0))?;
    let lanes: Vec<String> = lanes.collect::<Result<_>>()?;
    for lane in lanes {
        if taken.is_agent_full(&lane) {
            continue;
        }
        let Some(webhook) = watch_rows::due_of_lane(connection, host, &lane, now)? else {
            // The waiting deliveries were dropped.
            free(connection, host, &lane, now)?;
            continue;
        };
        connection
            .prepare_cached(
                "UPDATE webhook_lanes SET owner = ?, lease_until = ? WHERE host = ? AND agent = ?",
            )?
            .execute(params![wish.owner.0, wish.lease_until.as_millis(), host, lane])?;
        taken.0.push(TakenLane { host: host.to_owned(), lane });
        return Ok(Some(webhook));
    }
    Ok(None)
}

fn taken_lane(row: &Row<'_>) -> Result<TakenLane> {
    Ok(TakenLane { host: row.get(0)?, lane: row.get(1)? })
}

fn all_taken(connection: &Connection) -> Result<TakenLanes> {
    let mut statement = connection.prepare_cached(
        "SELECT host, agent FROM webhook_lanes INDEXED BY lanes_taken WHERE lease_until > 0",
    )?;
    let lanes = statement.query_map([], taken_lane)?;
    Ok(TakenLanes(lanes.collect::<Result<_>>()?))
}

/// Frees the lanes whose owners are late.
fn free_expired(connection: &Connection, now: i64) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT host, agent FROM webhook_lanes INDEXED BY lanes_taken WHERE lease_until > 0 AND lease_until <= ?",
    )?;
    let lanes: Vec<TakenLane> = statement.query_map([now], taken_lane)?.collect::<Result<_>>()?;
    lanes.iter().try_for_each(|TakenLane { host, lane }| give_back(connection, host, lane, now))
}

/// Lets a lane be sent its next webhook, after all others that wait, or forgets it where nothing waits.
fn free(connection: &Connection, host: &str, lane: &str, now: i64) -> Result<()> {
    let first =
        "SELECT min(due_at) FROM alerts INDEXED BY waiting WHERE host = ? AND agent = ? AND state = 0";
    let first = connection.prepare_cached(first)?.query_row([host, lane], |row| row.get(0))?;
    match webhooks::lane_due(first, now) {
        Some(due_at) => connection
            .prepare_cached(
                "UPDATE webhook_lanes SET due_at = ?, owner = NULL, lease_until = 0 WHERE host = ? AND agent = ?",
            )?
            .execute(params![due_at, host, lane])?,
        None => connection
            .prepare_cached("DELETE FROM webhook_lanes WHERE host = ? AND agent = ?")?
            .execute([host, lane])?,
    };
    Ok(())
}

/// Frees a lane, and lets its host be sent one more.
fn give_back(connection: &Connection, host: &str, lane: &str, now: i64) -> Result<()> {
    free(connection, host, lane, now)?;
    set_due(connection, host, &all_taken(connection)?, now)
}

/// Writes when a host is to be looked at next.
fn set_due(connection: &Connection, host: &str, taken: &TakenLanes, not_before: i64) -> Result<()> {
    let free =
        "SELECT min(due_at) FROM webhook_lanes INDEXED BY lanes_free WHERE host = ? AND lease_until = 0";
    let free = connection.prepare_cached(free)?.query_row([host], |row| row.get(0))?;
    let due_at = match taken.host_due(host, free, not_before) {
        HostDue::At(due_at) => due_at,
        HostDue::Never => NEVER,
        HostDue::Forgotten => {
            connection.prepare_cached("DELETE FROM webhook_hosts WHERE host = ?")?.execute([host])?;
            return Ok(());
        }
    };
    connection
        .prepare_cached("UPDATE webhook_hosts SET due_at = ? WHERE host = ?")?
        .execute(params![due_at, host])?;
    Ok(())
}

/// Stores the outcome of a webhook. One that was dropped meanwhile stays so, unless it was delivered.
pub(crate) fn sent(
    connection: &Connection,
    id: AlertId,
    owner: Owner,
    sent: &WebhookOutcome,
    now: Timestamp,
) -> Result<(), ConnectionError> {
    let mut statement = connection.prepare_cached(
        "SELECT alerts.host, alerts.agent, watch, state FROM alerts JOIN webhook_lanes USING (host, agent)
         WHERE id = ? AND owner = ?",
    )?;
    let held = statement.query_row(params![i64::try_from(id.0).ok(), owner.0], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2).map(WatchId)?, row.get(3)?))
    });
    let (host, lane, watch, CodeColumn(state)): (String, String, WatchId, CodeColumn<WebhookState>) =
        held.optional()?.ok_or(LedgerError::NotOwner)?;
    match webhooks::after_attempt(state, sent, now.as_millis()) {
        WebhookChange::Nothing => {}
        WebhookChange::Postponed(due_at) => {
            connection
                .prepare_cached("UPDATE alerts SET due_at = ? WHERE id = ?")?
                .execute(params![due_at, id.0])?;
        }
        WebhookChange::Attempted { state, due_at, error } => {
            connection
                .prepare_cached(
                    "UPDATE alerts SET state = ?, attempts = attempts + 1, due_at = ?, error = ? WHERE id = ?",
                )?
                .execute(params![CodeColumn(state), due_at, error, id.0])?;
        }
    }
    if matches!(sent, WebhookOutcome::Gone) {
        connection
            .prepare_cached("UPDATE watches SET gone_at = ? WHERE id = ? AND gone_at IS NULL")?
            .execute(params![now.as_millis(), watch.0])?;
        drop_of(connection, watch, now)?;
    }
    Ok(give_back(connection, &host, &lane, now.as_millis())?)
}

/// Drops the waiting webhooks of a watch.
pub(crate) fn drop_of(connection: &Connection, watch: WatchId, now: Timestamp) -> Result<()> {
    connection
        .prepare_cached("UPDATE alerts SET state = ?, due_at = ? WHERE watch = ? AND state = 0")?
        .execute(params![CodeColumn(WebhookState::Dropped), now.as_millis(), watch.0])?;
    Ok(())
}

/// Ends all leases, and lets every host be looked at.
pub(crate) fn end_leases(connection: &Connection) -> Result<()> {
    connection.execute("UPDATE webhook_lanes SET owner = NULL, lease_until = 0 WHERE lease_until > 0", [])?;
    let first = "UPDATE webhook_hosts SET due_at = coalesce(
        (SELECT min(due_at) FROM webhook_lanes WHERE webhook_lanes.host = webhook_hosts.host), 0)";
    connection.execute(first, [])?;
    Ok(())
}

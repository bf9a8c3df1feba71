//! The steps of an alert's webhook, each within a transaction of its caller's.
//!
//! What an agent has waiting at a host is a lane, which is sent one at a time. Lanes of a host take turns, and hosts do; a
//! host has no more sent to it at once than [`MAX_WEBHOOKS_PER_HOST`], an agent no more than [`MAX_WEBHOOKS_PER_AGENT`].

use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::watch_rows;
use crate::{
    AlertId, DueWebhook, LedgerError, MAX_WEBHOOKS_PER_AGENT, MAX_WEBHOOKS_PER_HOST, Owner, Sent, TakeOver,
    WatchId, WebhookState,
};

/// Hosts that are looked at for each webhook that is wished for: of some, all agents may be sent enough already.
const LOOKED_AT: u32 = 4;
/// For how long such a host is passed over, in milliseconds, so that the others come before it.
const PASSED_OVER_MS: i64 = 1_000;
/// When a host is due that has no lane to be sent. What changes that says so.
const NEVER: i64 = i64::MAX;

/// A lane that somebody sends to.
struct Taken {
    host: String,
    agent: String,
}

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
pub(crate) fn take(connection: &Connection, wish: TakeOver) -> Result<Vec<DueWebhook>> {
    let (now, most) = (wish.now.as_millis(), wish.most as usize);
    free_expired(connection, now)?;
    let mut taken = all_taken(connection)?;
    let mut statement = connection.prepare_cached(
        "SELECT host FROM webhook_hosts INDEXED BY webhooks_due WHERE due_at <= ?
         ORDER BY due_at, host LIMIT ?",
    )?;
    let hosts = statement.query_map(params![now, wish.most.saturating_mul(LOOKED_AT)], |row| row.get(0))?;
    let hosts: Vec<String> = hosts.collect::<Result<_>>()?;
    let mut due = Vec::with_capacity(most);
    for host in hosts {
        if due.len() >= most {
            break;
        }
        let before = due.len();
        if at_host(&taken, &host) < MAX_WEBHOOKS_PER_HOST as usize {
            due.extend(take_at(connection, &host, &mut taken, &wish)?);
        }
        let is_passed_over = due.len() == before;
        let not_before = if is_passed_over { now.saturating_add(PASSED_OVER_MS) } else { now };
        set_due(connection, &host, at_host(&taken, &host), not_before)?;
    }
    Ok(due)
}

/// The webhook of a host whose lane has waited the longest, of an agent who may be sent one more.
fn take_at(
    connection: &Connection,
    host: &str,
    taken: &mut Vec<Taken>,
    wish: &TakeOver,
) -> Result<Option<DueWebhook>> {
    let now = wish.now.as_millis();
    let of_agent = |agent: &str| taken.iter().filter(|lane| lane.agent == agent).count();
    let is_full = |agent: &str| of_agent(agent) >= MAX_WEBHOOKS_PER_AGENT as usize;
    // Every lane here is another agent's, and only so many can be sent enough already.
    let most_full = taken.len() / MAX_WEBHOOKS_PER_AGENT as usize;
    let mut statement = connection.prepare_cached(
        "SELECT agent FROM webhook_lanes INDEXED BY lanes_free WHERE host = ? AND lease_until = 0 AND due_at <= ?
         ORDER BY due_at, agent LIMIT ?",
    )?;
    let agents = statement.query_map(params![host, now, most_full + 1], |row| row.get(0))?;
    let agents: Vec<String> = agents.collect::<Result<_>>()?;
    for agent in agents.into_iter().filter(|agent| !is_full(agent)).collect::<Vec<_>>() {
        let Some(webhook) = watch_rows::due_of_lane(connection, host, &agent, now)? else {
            // What waited was dropped.
            free(connection, host, &agent, now)?;
            continue;
        };
        connection
            .prepare_cached(
                "UPDATE webhook_lanes SET owner = ?, lease_until = ? WHERE host = ? AND agent = ?",
            )?
            .execute(params![wish.owner.0, wish.lease_until.as_millis(), host, agent])?;
        taken.push(Taken { host: host.to_owned(), agent });
        return Ok(Some(webhook));
    }
    Ok(None)
}

fn at_host(taken: &[Taken], host: &str) -> usize {
    taken.iter().filter(|lane| lane.host == host).count()
}

fn all_taken(connection: &Connection) -> Result<Vec<Taken>> {
    let mut statement = connection.prepare_cached(
        "SELECT host, agent FROM webhook_lanes INDEXED BY lanes_taken WHERE lease_until > 0",
    )?;
    let lanes = statement.query_map([], |row| Ok(Taken { host: row.get(0)?, agent: row.get(1)? }))?;
    lanes.collect()
}

/// Frees the lanes whose owners are late.
fn free_expired(connection: &Connection, now: i64) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT host, agent FROM webhook_lanes INDEXED BY lanes_taken WHERE lease_until > 0 AND lease_until <= ?",
    )?;
    let lanes = statement.query_map([now], |row| Ok(Taken { host: row.get(0)?, agent: row.get(1)? }))?;
    let lanes: Vec<Taken> = lanes.collect::<Result<_>>()?;
    lanes.iter().try_for_each(|Taken { host, agent }| give_back(connection, host, agent, now))
}

/// The lane may be sent its next webhook, after all others that wait; there is none where nothing waits.
fn free(connection: &Connection, host: &str, agent: &str, now: i64) -> Result<()> {
    let first =
        "SELECT min(due_at) FROM alerts INDEXED BY waiting WHERE host = ? AND agent = ? AND state = 0";
    let first: Option<i64> = connection.prepare_cached(first)?.query_row([host, agent], |row| row.get(0))?;
    match first {
        Some(due_at) => connection
            .prepare_cached(
                "UPDATE webhook_lanes SET due_at = ?, owner = NULL, lease_until = 0 WHERE host = ? AND agent = ?",
            )?
            .execute(params![due_at.max(now), host, agent])?,
        None => connection
            .prepare_cached("DELETE FROM webhook_lanes WHERE host = ? AND agent = ?")?
            .execute([host, agent])?,
    };
    Ok(())
}

/// The same, and the host may be sent one more.
fn give_back(connection: &Connection, host: &str, agent: &str, now: i64) -> Result<()> {
    free(connection, host, agent, now)?;
    set_due(connection, host, at_host(&all_taken(connection)?, host), now)
}

/// When a host is to be looked at next, of whose lanes so many are taken: no sooner than `not_before`, which lets all
/// others go first that wait.
fn set_due(connection: &Connection, host: &str, taken: usize, not_before: i64) -> Result<()> {
    let free =
        "SELECT min(due_at) FROM webhook_lanes INDEXED BY lanes_free WHERE host = ? AND lease_until = 0";
    let free: Option<i64> = connection.prepare_cached(free)?.query_row([host], |row| row.get(0))?;
    if free.is_none() && taken == 0 {
        connection.prepare_cached("DELETE FROM webhook_hosts WHERE host = ?")?.execute([host])?;
        return Ok(());
    }
    let is_full = taken >= MAX_WEBHOOKS_PER_HOST as usize;
    let due_at = free.filter(|_| !is_full).map_or(NEVER, |due_at| due_at.max(not_before));
    connection
        .prepare_cached("UPDATE webhook_hosts SET due_at = ? WHERE host = ?")?
        .execute(params![due_at, host])?;
    Ok(())
}

/// Keeps what became of a webhook. One that was dropped meanwhile stays so, unless it was taken.
pub(crate) fn sent(
    connection: &Connection,
    id: AlertId,
    owner: Owner,
    sent: &Sent,
    now: Timestamp,
) -> Result<(), LedgerError> {
    let mut statement = connection.prepare_cached(
        "SELECT alerts.host, alerts.agent, watch FROM alerts JOIN webhook_lanes USING (host, agent)
         WHERE id = ? AND owner = ?",
    )?;
    let held = statement.query_row(params![i64::try_from(id.0).ok(), owner.0], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2).map(WatchId)?))
    });
    let (host, agent, watch): (String, String, WatchId) = held.optional()?.ok_or(LedgerError::NotOwner)?;
    let (state, due_at, error) = match sent {
        Sent::NotSent { at } => {
            connection
                .prepare_cached("UPDATE alerts SET due_at = ? WHERE id = ? AND state = 0")?
                .execute(params![at.as_millis(), id.0])?;
            return Ok(give_back(connection, &host, &agent, now.as_millis())?);
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
    Ok(give_back(connection, &host, &agent, now.as_millis())?)
}

/// Drops the webhooks of a watch that wait.
pub(crate) fn drop_of(connection: &Connection, watch: WatchId, now: Timestamp) -> Result<()> {
    connection
        .prepare_cached("UPDATE alerts SET state = ?, due_at = ? WHERE watch = ? AND state = 0")?
        .execute(params![WebhookState::Dropped, now.as_millis(), watch.0])?;
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

//! The steps of an alert's webhook, each within a transaction of its caller's that holds the lock of the work sequencer.
//!
//! [`rules::webhooks`](ledger::rules::webhooks) decides, and says what lanes are; here its facts are read, and what it
//! says is written. The column `agent` has the name of a lane. Leases are in the store's time, and all due times in that
//! of the callers' clocks.
//!
//! Reads that do not depend on one another are sent together: the lock is held for as long as a step takes.

use std::collections::BTreeSet;

use ledger::rules::webhooks::{self, HOSTS_PER_WEBHOOK, HostDue, TakenLane, TakenLanes, WebhookChange};
use ledger::{AlertId, LeaseRequest, LedgerError, Owner, WatchId, WebhookOutcome, WebhookState, WebhookTask};
use receipt::time::Timestamp;

use super::watch_rows;
use crate::columns::{Coded as _, Columns as _, row_id, storable};
use crate::connection::{Connection, Param, Result};
use crate::together::together;

/// The stored due time of a host that has no lane to be sent to.
const NEVER: i64 = i64::MAX;

/// A webhook of an agent waits at a host.
pub(crate) async fn wait(connection: Connection<'_>, host: &str, agent: &str, due_at: i64) -> Result<()> {
    let lane = "INSERT INTO webhook_lanes (host, agent, due_at, lease_until) VALUES ($1, $2, $3, 0)
        ON CONFLICT (host, agent) DO UPDATE SET due_at = LEAST(webhook_lanes.due_at, excluded.due_at)";
    let at_host = "INSERT INTO webhook_hosts (host, due_at) VALUES ($1, $2)
        ON CONFLICT (host) DO UPDATE SET due_at = LEAST(webhook_hosts.due_at, excluded.due_at)";
    let lane_params: [Param<'_>; 3] = [&host, &agent, &due_at];
    let host_params: [Param<'_>; 2] = [&host, &due_at];
    together!(connection.run(lane, &lane_params), connection.run(at_host, &host_params))?;
    Ok(())
}

/// Hands webhooks that are due to a new owner, at most one of each host.
pub(crate) async fn take(connection: Connection<'_>, wish: LeaseRequest) -> Result<Vec<WebhookTask>> {
    let (now, most) = (wish.now.as_millis(), wish.most as usize);
    let mut taken = free_expired(connection, wish.now).await?;
    let mut due = Vec::with_capacity(most);
    let mut hosts_due = Vec::new();
    for host in due_hosts(connection, now, wish.most).await? {
        if due.len() >= most {
            break;
        }
        // A host that is full is not looked at: it is examined once one of its lanes becomes free.
        let (webhook, free) = if taken.is_host_full(&host) {
            (None, None)
        } else {
            take_at(connection, &host, &mut taken, &wish).await?
        };
        let not_before = webhooks::not_before(now, webhook.is_some());
        due.extend(webhook);
        let host_due = taken.host_due(&host, free, not_before);
        hosts_due.push((host, host_due));
    }
    set_hosts_due(connection, &hosts_due).await?;
    Ok(due)
}

/// The hosts that are to be looked at.
async fn due_hosts(connection: Connection<'_>, now: i64, most: u32) -> Result<Vec<String>> {
    let select = "SELECT host FROM webhook_hosts WHERE due_at <= $1 ORDER BY due_at, host LIMIT $2";
    let most = i64::from(most.saturating_mul(HOSTS_PER_WEBHOOK));
    let rows = connection.rows(select, &[&now, &most]).await?;
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<_, _>>()?)
}

/// The webhook of a host whose lane has waited the longest, of an agent who may be sent one more, and the time at which
/// the first of the host's lanes that are still free is due.
async fn take_at(
    connection: Connection<'_>,
    host: &str,
    taken: &mut TakenLanes,
    wish: &LeaseRequest,
) -> Result<(Option<WebhookTask>, Option<i64>)> {
    let now = wish.now.as_millis();
    for (lane, webhook) in watch_rows::due_lanes(connection, host, now, taken.worth_looking_at()).await? {
        if taken.is_agent_full(&lane) {
            continue;
        }
        let lane = TakenLane { host: host.to_owned(), lane };
        let Some(webhook) = webhook else {
            // The waiting deliveries were dropped.
            free(connection, &lane, now).await?;
            continue;
        };
        let leased = lease(connection, &lane, wish);
        let ((), free) = together!(leased, first_free(connection, host, Some(&lane.lane)))?;
        taken.0.push(lane);
        return Ok((Some(webhook), free));
    }
    Ok((None, first_free(connection, host, None).await?))
}

async fn lease(connection: Connection<'_>, lane: &TakenLane, wish: &LeaseRequest) -> Result<()> {
    let update = "UPDATE webhook_lanes SET owner = $3, lease_until = $4 WHERE host = $1 AND agent = $2";
    let lease_until = connection.store_time(wish.lease_until);
    connection.run(update, &[&lane.host, &lane.lane, &wish.owner.0.as_slice(), &lease_until]).await?;
    Ok(())
}

/// The lanes that somebody sends to, each with the end of its lease.
async fn all_taken(connection: Connection<'_>) -> Result<Vec<(TakenLane, i64)>> {
    let select = "SELECT host, agent, lease_until FROM webhook_lanes WHERE lease_until > 0";
    let mut taken = Vec::new();
    for row in connection.rows(select, &[]).await? {
        taken.push((TakenLane { host: row.try_get(0)?, lane: row.try_get(1)? }, row.try_get(2)?));
    }
    Ok(taken)
}

/// Frees the lanes whose owners are late, and returns those that are taken still.
async fn free_expired(connection: Connection<'_>, now: Timestamp) -> Result<TakenLanes> {
    let over_at = connection.store_time(now);
    let (expired, taken): (Vec<_>, Vec<_>) =
        all_taken(connection).await?.into_iter().partition(|(_, lease_until)| *lease_until <= over_at);
    let taken = TakenLanes(taken.into_iter().map(|(lane, _)| lane).collect());
    let now = now.as_millis();
    // All lanes before any host: a host is forgotten where none of its lanes waits.
    for (lane, _) in &expired {
        free(connection, lane, now).await?;
    }
    let hosts: BTreeSet<String> = expired.into_iter().map(|(lane, _)| lane.host).collect();
    let mut hosts_due = Vec::with_capacity(hosts.len());
    for host in hosts {
        let free = first_free(connection, &host, None).await?;
        let host_due = taken.host_due(&host, free, now);
        hosts_due.push((host, host_due));
    }
    set_hosts_due(connection, &hosts_due).await?;
    Ok(taken)
}

/// Lets a lane be sent its next webhook, after all others that wait, or forgets it where nothing waits.
async fn free(connection: Connection<'_>, lane: &TakenLane, now: i64) -> Result<()> {
    let first = first_waiting(connection, lane).await?;
    set_free(connection, lane, webhooks::lane_due(first, now)).await
}

/// The time at which the first webhook of a lane is due; `None` where none waits.
async fn first_waiting(connection: Connection<'_>, lane: &TakenLane) -> Result<Option<i64>> {
    let select = "SELECT min(due_at) FROM alerts WHERE host = $1 AND agent = $2 AND state = 0";
    Ok(connection.one(select, &[&lane.host, &lane.lane]).await?.try_get(0)?)
}

/// The time at which the first free lane of a host is due, without the lane `except`; `None` where none is free.
async fn first_free(connection: Connection<'_>, host: &str, except: Option<&str>) -> Result<Option<i64>> {
    let select = "SELECT min(due_at) FROM webhook_lanes
        WHERE host = $1 AND lease_until = 0 AND ($2::TEXT IS NULL OR agent <> $2)";
    Ok(connection.one(select, &[&host, &except]).await?.try_get(0)?)
}

/// Ends the lease of a lane that is due at a time, or forgets one with nothing to be sent.
async fn set_free(connection: Connection<'_>, lane: &TakenLane, due_at: Option<i64>) -> Result<()> {
    let TakenLane { host, lane } = lane;
    match due_at {
        Some(due_at) => {
            let update = "UPDATE webhook_lanes SET due_at = $3, owner = NULL, lease_until = 0
                WHERE host = $1 AND agent = $2";
            connection.run(update, &[host, lane, &due_at]).await?
        }
        None => {
            let delete = "DELETE FROM webhook_lanes WHERE host = $1 AND agent = $2";
            connection.run(delete, &[host, lane]).await?
        }
    };
    Ok(())
}

/// Writes when hosts are to be looked at next.
async fn set_hosts_due(connection: Connection<'_>, all: &[(String, HostDue)]) -> Result<()> {
    let (mut hosts, mut times, mut forgotten) = (Vec::new(), Vec::new(), Vec::new());
    for (host, due) in all {
        match due {
            HostDue::Forgotten => forgotten.push(host.as_str()),
            HostDue::Never => {
                hosts.push(host.as_str());
                times.push(NEVER);
            }
            HostDue::At(due_at) => {
                hosts.push(host.as_str());
                times.push(*due_at);
            }
        }
    }
    if !hosts.is_empty() {
        let update = "UPDATE webhook_hosts SET due_at = new.due_at
            FROM unnest($1::TEXT[], $2::BIGINT[]) AS new (host, due_at) WHERE webhook_hosts.host = new.host";
        connection.run(update, &[&hosts, &times]).await?;
    }
    if !forgotten.is_empty() {
        connection.run("DELETE FROM webhook_hosts WHERE host = ANY($1)", &[&forgotten]).await?;
    }
    Ok(())
}

/// Stores the outcome of a webhook. One that was dropped meanwhile stays so, unless it was delivered.
pub(crate) async fn sent(
    connection: Connection<'_>,
    id: AlertId,
    owner: Owner,
    sent: &WebhookOutcome,
    now: Timestamp,
) -> Result<()> {
    let select = "SELECT alerts.host, alerts.agent, alerts.watch, alerts.state
        FROM alerts JOIN webhook_lanes ON webhook_lanes.host = alerts.host AND webhook_lanes.agent = alerts.agent
        WHERE alerts.id = $1 AND webhook_lanes.owner = $2";
    let held = connection.maybe(select, &[&row_id(id.0), &owner.0.as_slice()]).await?;
    let row = held.ok_or(LedgerError::NotOwner)?;
    let lane = TakenLane { host: row.try_get(0)?, lane: row.try_get(1)? };
    let (watch, state): (_, WebhookState) = (WatchId(row.unsigned(2)?), row.code(3)?);
    let id = row_id(id.0);
    match webhooks::after_attempt(state, sent, now.as_millis()) {
        WebhookChange::Nothing => {}
        WebhookChange::Postponed(due_at) => {
            connection.run("UPDATE alerts SET due_at = $2 WHERE id = $1", &[&id, &due_at]).await?;
        }
        WebhookChange::Attempted { state, due_at, error } => {
            let update = "UPDATE alerts SET state = $2, attempts = attempts + 1, due_at = $3, error = $4
                WHERE id = $1";
            let error = error.map(storable);
            connection.run(update, &[&id, &state.code(), &due_at, &error]).await?;
        }
    }
    if matches!(sent, WebhookOutcome::Gone) {
        let update = "UPDATE watches SET gone_at = $2 WHERE id = $1 AND gone_at IS NULL";
        connection.run(update, &[&row_id(watch.0), &now.as_millis()]).await?;
        drop_of(connection, watch, now).await?;
    }
    give_back(connection, &lane, now.as_millis()).await
}

/// Frees a lane, and lets its host be sent one more.
async fn give_back(connection: Connection<'_>, lane: &TakenLane, now: i64) -> Result<()> {
    let (first, others, taken) = together!(
        first_waiting(connection, lane),
        first_free(connection, &lane.host, Some(&lane.lane)),
        all_taken(connection),
    )?;
    let lane_due = webhooks::lane_due(first, now);
    let taken = TakenLanes(taken.into_iter().map(|(taken, _)| taken).filter(|taken| taken != lane).collect());
    let free = others.into_iter().chain(lane_due).min();
    let hosts_due = [(lane.host.clone(), taken.host_due(&lane.host, free, now))];
    together!(set_free(connection, lane, lane_due), set_hosts_due(connection, &hosts_due))?;
    Ok(())
}

/// Drops the waiting webhooks of a watch.
pub(crate) async fn drop_of(connection: Connection<'_>, watch: WatchId, now: Timestamp) -> Result<()> {
    let update = "UPDATE alerts SET state = $2, due_at = $3 WHERE watch = $1 AND state = 0";
    let dropped = WebhookState::Dropped.code();
    connection.run(update, &[&row_id(watch.0), &dropped, &now.as_millis()]).await?;
    Ok(())
}

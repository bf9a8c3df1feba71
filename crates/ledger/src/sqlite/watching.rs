//! The steps of a watch, each within a transaction of its caller's.
//!
//! Each looks before it changes anything, so that a refusal leaves nothing to be undone.

use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::{watch_rows, webhooks};
use crate::{
    CurrentEdition, DueWatch, LedgerError, LiveWatches, MAX_WATCHES, NewWatch, Owner, Record, Screened,
    TakeOver, WatchChange, WatchId, WatchKey, WatchStep, WebhookState,
};

/// How many watches are live.
pub(super) fn live(connection: &Connection, agent: &str, now: Timestamp) -> Result<LiveWatches> {
    let of_agent = live_of(connection, agent, now)?;
    let all = "SELECT count(*) FROM watches INDEXED BY watched_until WHERE ended_at IS NULL";
    let in_all = connection.prepare_cached(all)?.query_row([], |row| row.get(0))?;
    Ok(LiveWatches { of_agent, in_all })
}

fn live_of(connection: &Connection, agent: &str, now: Timestamp) -> Result<u32> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FROM watches INDEXED BY watching WHERE ended_at IS NULL AND agent = ? AND until > ?",
    )?;
    statement.query_row(params![agent, now.as_millis()], |row| row.get(0))
}

/// Refuses a record that must not do to a watch what it says; `opened` watches of the same agent are about to begin in
/// the same transaction.
pub(super) fn check(connection: &Connection, record: &Record, opened: u32) -> Result<(), LedgerError> {
    match &record.watch {
        None => Ok(()),
        Some(WatchStep::Opened(new)) => {
            let mut statement = connection.prepare_cached("SELECT 1 FROM watches WHERE key = ?")?;
            if statement.exists([new.key.0])? {
                return Err(LedgerError::Duplicate);
            }
            // What was paid for is there, though others were opened since it was admitted.
            if record.claim.is_some() {
                return Ok(());
            }
            let live = live_of(connection, &new.agent, record.signed_at)?.saturating_add(opened);
            if live >= MAX_WATCHES { Err(LedgerError::WatchLimit) } else { Ok(()) }
        }
        Some(WatchStep::Changed(change)) => {
            if is_held(connection, change.id, change.owner)? {
                Ok(())
            } else {
                Err(LedgerError::NotOwner)
            }
        }
    }
}

/// Whether a watch is live and in these hands.
fn is_held(connection: &Connection, id: WatchId, owner: Owner) -> Result<bool> {
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM watches WHERE id = ? AND owner = ? AND ended_at IS NULL")?;
    statement.exists(params![i64::try_from(id.0).ok(), owner.0])
}

/// Does what a record does to a watch, after [`check`] within the same transaction.
pub(super) fn take_step(connection: &Connection, record: &Record, leaf: u64) -> Result<()> {
    match &record.watch {
        None => Ok(()),
        Some(WatchStep::Opened(new)) => open(connection, record, new, leaf),
        Some(WatchStep::Changed(change)) => {
            keep(connection, change.id, &change.screened)?;
            alert(connection, record, change, leaf)
        }
    }
}

fn open(connection: &Connection, record: &Record, new: &NewWatch, leaf: u64) -> Result<()> {
    let NewWatch { key, agent, class, until, webhook, screened } = new;
    connection
        .prepare_cached(
            "INSERT INTO watches (key, agent, class, leaf, receipt, until, webhook, host, verdict, snapshots,
                edition, screened_at, lease_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
        )?
        .execute(params![
            key.0,
            agent,
            class,
            leaf,
            record.hash.as_bytes(),
            until.as_millis(),
            webhook.as_ref().map(|webhook| &webhook.url),
            webhook.as_ref().map(|webhook| &webhook.host),
            screened.verdict,
            screened.snapshots,
            screened.edition,
            screened.at.as_millis(),
        ])?;
    Ok(())
}

/// What was found is the watch's, and nobody works on it any more.
fn keep(connection: &Connection, id: WatchId, screened: &Screened) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE watches SET verdict = ?, snapshots = ?, edition = ?, screened_at = ?, owner = NULL, lease_until = 0
             WHERE id = ?",
        )?
        .execute(params![
            screened.verdict,
            screened.snapshots,
            screened.edition,
            screened.at.as_millis(),
            id.0
        ])?;
    Ok(())
}

fn alert(connection: &Connection, record: &Record, change: &WatchChange, leaf: u64) -> Result<()> {
    let at = record.signed_at.as_millis();
    let mut statement =
        connection.prepare_cached("SELECT host FROM watches WHERE id = ? AND gone_at IS NULL")?;
    let host: Option<String> = statement.query_row([change.id.0], |row| row.get(0)).optional()?.flatten();
    connection
        .prepare_cached(
            "INSERT INTO alerts (watch, leaf, receipt, verdict, at, state, host, attempts, due_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)",
        )?
        .execute(params![
            change.id.0,
            leaf,
            record.hash.as_bytes(),
            change.screened.verdict,
            at,
            host.as_ref().map(|_| WebhookState::Waiting),
            host,
            at
        ])?;
    host.map_or(Ok(()), |host| webhooks::wait(connection, &host, at))
}

/// Ends a watch; says whether there is one.
pub(super) fn end(connection: &Connection, key: &WatchKey, at: Timestamp) -> Result<bool> {
    let mut statement = connection.prepare_cached("SELECT id, until, ended_at FROM watches WHERE key = ?")?;
    let found = statement.query_row([key.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let Some((id, until, ended_at)): Option<(u64, i64, Option<i64>)> = found.optional()? else {
        return Ok(false);
    };
    if ended_at.is_none() {
        connection
            .prepare_cached("UPDATE watches SET ended_at = ? WHERE id = ?")?
            .execute(params![until.min(at.as_millis()), id])?;
    }
    webhooks::drop_of(connection, WatchId(id), at)?;
    Ok(true)
}

/// Hands watches that are due to a new owner, and ends those whose time is over.
pub(super) fn take(
    connection: &Connection,
    wish: TakeOver,
    current: &[CurrentEdition],
) -> Result<Vec<DueWatch>, LedgerError> {
    let TakeOver { now, owner, lease_until, most } = wish;
    connection
        .prepare_cached("UPDATE watches SET ended_at = until WHERE ended_at IS NULL AND until <= ?")?
        .execute([now.as_millis()])?;
    let mut ids: Vec<u64> = Vec::new();
    for CurrentEdition { class, edition } in current {
        for other in [
            "SELECT id FROM watches INDEXED BY watched WHERE ended_at IS NULL AND class = ? AND edition < ?
             AND lease_until <= ? LIMIT ?",
            "SELECT id FROM watches INDEXED BY watched WHERE ended_at IS NULL AND class = ? AND edition > ?
             AND lease_until <= ? LIMIT ?",
        ] {
            let room = (most as usize).saturating_sub(ids.len());
            let mut statement = connection.prepare_cached(other)?;
            let found =
                statement.query_map(params![class, edition, now.as_millis(), room], |row| row.get(0))?;
            for id in found {
                ids.push(id?);
            }
        }
    }
    let mut update =
        connection.prepare_cached("UPDATE watches SET owner = ?, lease_until = ? WHERE id = ?")?;
    let mut due = Vec::with_capacity(ids.len());
    for id in ids {
        update.execute(params![owner.0, lease_until.as_millis(), id])?;
        due.push(watch_rows::due(connection, WatchId(id))?);
    }
    Ok(due)
}

/// Keeps what was found of watches that are still in these hands.
pub(super) fn screened(connection: &Connection, owner: Owner, all: &[(WatchId, Screened)]) -> Result<()> {
    for (id, screened) in all {
        if is_held(connection, *id, owner)? {
            keep(connection, *id, screened)?;
        }
    }
    Ok(())
}

/// Forgets watches that ended before a time; says how many.
pub(super) fn forget(connection: &Connection, before: Timestamp, most: u32) -> Result<u32> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM watches INDEXED BY watch_ends WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ?",
    )?;
    let ids = statement.query_map(params![before.as_millis(), most], |row| row.get(0))?;
    let ids: Vec<u64> = ids.collect::<Result<_>>()?;
    let mut forgotten = 0;
    for id in ids {
        connection.prepare_cached("DELETE FROM alerts WHERE watch = ?")?.execute([id])?;
        connection.prepare_cached("DELETE FROM watches WHERE id = ?")?.execute([id])?;
        forgotten += 1;
    }
    Ok(forgotten)
}

/// Ends all leases: the process that opens the store is the only one that screens and sends.
pub(super) fn end_leases(connection: &Connection) -> Result<()> {
    connection
        .execute("UPDATE watches SET lease_until = 0 WHERE ended_at IS NULL AND lease_until > 0", [])?;
    connection.execute("UPDATE webhook_hosts SET lease_until = 0", [])?;
    Ok(())
}

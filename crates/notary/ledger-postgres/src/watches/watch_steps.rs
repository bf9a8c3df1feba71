//! The steps of a watch, each within a transaction of its caller's that holds the lock of the work sequencer.
//!
//! [`rules::watches`](ledger::rules::watches) decides; here its facts are read, and what it says is written. Each step
//! reads before it changes anything, so that a refusal leaves nothing to be undone.
//!
//! Leases are in the store's time. The end of a watch and the time of a screening are as the callers' clocks and the log
//! give them, so they are compared with those alone.

use std::collections::HashSet;

use futures_util::future::join_all;
use ledger::rules::watches::{self, LimitedBy, UnpaidWatch, WatchFacts, holder_at, holder_who_paid};
use ledger::rules::webhooks::lane_name;
use ledger::{
    ClientNetwork, CurrentEdition, DueClass, LeaseRequest, LedgerError, LedgerRecord, LiveWatches, NewWatch,
    Owner, Screening, ScreeningTask, WatchChange, WatchId, WatchKey, WatchStep, WebhookState,
};
use receipt::time::Timestamp;

use super::{watch_rows, webhook_steps};
use crate::columns::{Coded as _, Columns as _, row_id};
use crate::connection::{Connection, Param, Result};
use crate::numbers;
use crate::shared_rows;
use crate::together::{Answers as _, together};

/// Counts the live watches, at one moment.
pub(crate) async fn live(
    connection: Connection<'_>,
    agent: &str,
    network: ClientNetwork,
    now: Timestamp,
) -> Result<LiveWatches> {
    let select = "SELECT
        (SELECT count(*) FROM watches WHERE ended_at IS NULL AND holder = $1 AND until > $3 AND agent = $4),
        (SELECT count(*) FROM watches WHERE ended_at IS NULL AND holder = $1 AND until > $3),
        (SELECT count(*) FROM watches WHERE ended_at IS NULL AND wide_network = $2 AND until > $3),
        (SELECT count(*) FROM watches WHERE ended_at IS NULL AND until > $3)";
    let (narrow, wide) = (holder_at(network.narrow), holder_at(network.wide));
    let row =
        connection.one(select, &[&narrow.as_slice(), &wide.as_slice(), &now.as_millis(), &agent]).await?;
    Ok(LiveWatches {
        of_agent: row.small(0)?,
        of_network: row.small(1)?,
        of_wide_network: row.small(2)?,
        in_all: row.small(3)?,
    })
}

/// Counts the live watches that a payer has opened.
pub(crate) async fn of_payer(connection: Connection<'_>, payer: &[u8; 20], now: Timestamp) -> Result<u32> {
    let select = "SELECT count(*) FROM watches WHERE ended_at IS NULL AND holder = $1 AND until > $2";
    let holder = holder_who_paid(payer);
    let row = connection.one(select, &[&holder.as_slice(), &now.as_millis()]).await?;
    Ok(row.small(0)?)
}

/// The payer of the claim that a record is paid by.
async fn payer_of(connection: Connection<'_>, record: &LedgerRecord) -> Result<Option<[u8; 20]>> {
    let Some(claim) = record.claim else { return Ok(None) };
    let select = "SELECT payer FROM claims WHERE id = $1";
    let row = connection.maybe(select, &[&row_id(claim.id.0)]).await?;
    Ok(row.map(|row| row.bytes(0)).transpose()?)
}

/// Refuses a record that must not do to a watch what its `step` says. Those of `opened` are about to begin in the same
/// transaction.
pub(crate) async fn check(
    connection: Connection<'_>,
    record: &LedgerRecord,
    step: &WatchStep,
    opened: &[UnpaidWatch],
) -> Result<()> {
    match step {
        WatchStep::Opened(new) => {
            let select = "SELECT 1 FROM watches WHERE key = $1";
            let is_known = connection.maybe(select, &[&new.key.0.as_slice()]).await?.is_some();
            match watches::check_opening(record, new, is_known)? {
                LimitedBy::Nothing => Ok(()),
                LimitedBy::Network(network) => {
                    let live = live(connection, &new.agent, network, record.signed_at).await?;
                    Ok(watches::check_unpaid(record, new, network, live, opened)?)
                }
            }
        }
        WatchStep::Changed(change) => {
            let is_held = is_held(connection, change.id, change.owner).await?;
            if is_held { Ok(()) } else { Err(LedgerError::NotOwner.into()) }
        }
    }
}

/// Returns true if a watch is live and owned by this task.
async fn is_held(connection: Connection<'_>, id: WatchId, owner: Owner) -> Result<bool> {
    let select = "SELECT owner, ended_at IS NOT NULL FROM watches WHERE id = $1";
    let Some(row) = connection.maybe(select, &[&row_id(id.0)]).await? else { return Ok(false) };
    let facts = WatchFacts { owner: row.maybe_bytes(0)?.map(Owner), is_ended: row.try_get(1)? };
    Ok(facts.is_held_by(owner))
}

/// Does what a record does to a watch, after [`check`] within the same transaction.
pub(crate) async fn take_step(connection: Connection<'_>, record: &LedgerRecord, leaf: u64) -> Result<()> {
    match &record.watch {
        None => Ok(()),
        Some(WatchStep::Opened(new)) => open(connection, record, new, leaf).await,
        Some(WatchStep::Changed(change)) => alert(connection, record, change, leaf).await,
    }
}

async fn open(connection: Connection<'_>, record: &LedgerRecord, new: &NewWatch, leaf: u64) -> Result<()> {
    let insert =
        "INSERT INTO watches (id, key, agent, class, leaf, receipt, until, webhook, host, verdict, snapshots,
            edition, screened_at, holder, wide_network, lease_until)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0)";
    let NewWatch { key, agent, network: _, class, until, webhook, screened } = new;
    let (id, payer) = together!(numbers::next(connection, "watches"), payer_of(connection, record))?;
    let holder = watches::holder(record, new, payer.as_ref());
    let wide_network = watches::wide_holder(record, new);
    connection
        .run(
            insert,
            &[
                &id,
                &key.0.as_slice(),
                agent,
                class,
                &row_id(leaf),
                &record.hash.0.as_slice(),
                &until.as_millis(),
                &webhook.as_ref().map(|webhook| &webhook.url),
                &webhook.as_ref().map(|webhook| &webhook.host),
                &screened.verdict,
                &screened.snapshots,
                &screened.edition.as_slice(),
                &screened.at.as_millis(),
                &holder.as_ref().map(|holder| holder.as_slice()),
                &wide_network.as_ref().map(|network| network.as_slice()),
            ],
        )
        .await?;
    Ok(())
}

/// Stores an alert, and has its webhook sent where the watch has one that is not gone.
async fn alert(
    connection: Connection<'_>,
    record: &LedgerRecord,
    change: &WatchChange,
    leaf: u64,
) -> Result<()> {
    let insert =
        "INSERT INTO alerts (id, watch, leaf, receipt, verdict, at, state, host, agent, attempts, due_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $6)";
    let at = record.signed_at.as_millis();
    let (id, lane) = together!(numbers::next(connection, "alerts"), keep(connection, change))?;
    let (host, agent) = lane.as_ref().map(|(host, agent)| (host, agent)).unzip();
    let state = lane.as_ref().map(|_| WebhookState::Waiting.code());
    let verdict = &change.screened.verdict;
    let (watch, leaf, receipt) = (row_id(change.id.0), row_id(leaf), record.hash.0.as_slice());
    connection.run(insert, &[&id, &watch, &leaf, &receipt, verdict, &at, &state, &host, &agent]).await?;
    match &lane {
        Some((host, agent)) => webhook_steps::wait(connection, host, agent, at).await,
        None => Ok(()),
    }
}

/// Stores a screening as the watch's, ends its lease, and returns host and lane of its webhook, where there is one that
/// is not gone.
async fn keep(connection: Connection<'_>, change: &WatchChange) -> Result<Option<(String, String)>> {
    let update =
        "UPDATE watches SET verdict = $2, snapshots = $3, edition = $4, screened_at = $5, owner = NULL,
            lease_until = 0
        WHERE id = $1 RETURNING host, agent, holder, gone_at";
    let Screening { verdict, snapshots, edition, at } = &change.screened;
    let id = row_id(change.id.0);
    let rows = connection
        .returning(update, &[&id, verdict, snapshots, &edition.as_slice(), &at.as_millis()])
        .await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let (host, agent): (Option<String>, String) = (row.try_get(0)?, row.try_get(1)?);
    let (holder, gone_at): (Option<Vec<u8>>, _) = (row.try_get(2)?, row.maybe_millis(3)?);
    let host = host.filter(|_| gone_at.is_none());
    Ok(host.map(|host| (host, lane_name(&agent, holder.as_deref()))))
}

/// Ends a watch; returns true if there is one.
pub(crate) async fn end(connection: Connection<'_>, key: &WatchKey, at: Timestamp) -> Result<bool> {
    let select = "SELECT id, until, ended_at FROM watches WHERE key = $1";
    let Some(row) = connection.maybe(select, &[&key.0.as_slice()]).await? else { return Ok(false) };
    let (id, until) = (row.unsigned(0)?, row.millis(1)?);
    if row.maybe_millis(2)?.is_none() {
        let ended_at = watches::end_time(until, at).as_millis();
        connection.run("UPDATE watches SET ended_at = $1 WHERE id = $2", &[&ended_at, &row_id(id)]).await?;
    }
    webhook_steps::drop_of(connection, WatchId(id), at).await?;
    Ok(true)
}

/// Hands watches that are due to a new owner, each class as many as another while it has any, and ends those whose time
/// was over at `over`.
pub(crate) async fn take(
    connection: Connection<'_>,
    wish: LeaseRequest,
    over: Timestamp,
    due: &[DueClass],
) -> Result<Vec<ScreeningTask>> {
    let end = "UPDATE watches SET ended_at = until WHERE ended_at IS NULL AND until <= $1";
    connection.run(end, &[&over.as_millis()]).await?;
    let of_classes = join_all(due.iter().map(|due| due_of(connection, due, wish))).await.all()?;
    let ids = watches::by_turns(of_classes, wish.most as usize);
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let lease = "UPDATE watches SET owner = $1, lease_until = $2 WHERE id = ANY($3)";
    let (owner, lease_until) = (wish.owner.0, connection.store_time(wish.lease_until));
    let lease_params: [Param<'_>; 3] = [&owner.as_slice(), &lease_until, &ids];
    let (_, tasks) = together!(connection.run(lease, &lease_params), watch_rows::tasks(connection, &ids))?;
    Ok(tasks)
}

/// Returns true if an edition is the store's: of the store's lists, and of no earlier day than one that was named before. The
/// row of all work is locked, so the lists do not change meanwhile.
async fn is_of_store(connection: Connection<'_>, current: &CurrentEdition) -> Result<bool> {
    if let Some(lists) = &current.lists
        && shared_rows::version(connection, &lists.folder, &lists.path).await? != lists.version
    {
        return Ok(false);
    }
    let (class, day) = (&current.class, i64::from(current.day));
    let select = "SELECT day FROM watched_days WHERE class = $1";
    let latest: Option<i64> = match connection.maybe(select, &[class]).await? {
        Some(row) => Some(row.try_get(0)?),
        None => None,
    };
    if latest.is_none_or(|latest| latest < day) {
        let upsert = "INSERT INTO watched_days (class, day) VALUES ($1, $2)
            ON CONFLICT (class) DO UPDATE SET day = excluded.day";
        connection.run(upsert, &[class, &day]).await?;
    }
    Ok(latest.is_none_or(|latest| latest <= day))
}

/// The watches of a class that are due: those whose last screening was on another edition, or those whose last screening
/// was at a time or before it, the oldest first.
async fn due_of(connection: Connection<'_>, due: &DueClass, wish: LeaseRequest) -> Result<Vec<i64>> {
    let (now, free_at) = (wish.now.as_millis(), connection.store_time(wish.now));
    let most = i64::from(wish.most);
    let rows = match due {
        // Two ranges of the index by edition, which cannot be searched for what is not equal. In its order, so that no
        // other index is taken: nearly always nothing is due, and then all live watches would be read.
        DueClass::OtherEdition(current) => {
            if !is_of_store(connection, current).await? {
                return Ok(Vec::new());
            }
            let select = "(SELECT id FROM watches WHERE ended_at IS NULL AND class = $1 AND edition < $2
                    AND lease_until <= $3 AND until > $4 ORDER BY edition LIMIT $5)
                UNION ALL
                (SELECT id FROM watches WHERE ended_at IS NULL AND class = $1 AND edition > $2
                    AND lease_until <= $3 AND until > $4 ORDER BY edition LIMIT $5)
                LIMIT $5";
            let edition = current.edition.as_slice();
            connection.rows(select, &[&current.class, &edition, &free_at, &now, &most]).await?
        }
        DueClass::ScreenedBy { class, time } => {
            let select = "SELECT id FROM watches WHERE ended_at IS NULL AND class = $1 AND screened_at <= $2
                AND lease_until <= $3 AND until > $4 ORDER BY screened_at, id LIMIT $5";
            connection.rows(select, &[class, &time.as_millis(), &free_at, &now, &most]).await?
        }
    };
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<_, _>>()?)
}

/// Postpones watches that this task still owns until a time.
pub(crate) async fn postpone(
    connection: Connection<'_>,
    owner: Owner,
    all: &[WatchId],
    until: Timestamp,
) -> Result<()> {
    let update = "UPDATE watches SET lease_until = $1 WHERE id = ANY($2) AND owner = $3 AND ended_at IS NULL";
    let ids: Vec<Option<i64>> = all.iter().map(|id| row_id(id.0)).collect();
    connection.run(update, &[&connection.store_time(until), &ids, &owner.0.as_slice()]).await?;
    Ok(())
}

/// Stores the screenings of watches that this task still owns. Of two of one watch the first is stored, since it ends
/// the lease.
pub(crate) async fn screened(
    connection: Connection<'_>,
    owner: Owner,
    all: &[(WatchId, Screening)],
) -> Result<()> {
    let update = "UPDATE watches SET verdict = new.verdict, snapshots = new.snapshots, edition = new.edition,
            screened_at = new.screened_at, owner = NULL, lease_until = 0
        FROM unnest($2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::BYTEA[], $6::BIGINT[])
            AS new (id, verdict, snapshots, edition, screened_at)
        WHERE watches.id = new.id AND watches.owner = $1 AND watches.ended_at IS NULL";
    let mut known = HashSet::new();
    let first: Vec<_> = all.iter().filter(|(id, _)| known.insert(*id)).collect();
    let ids: Vec<Option<i64>> = first.iter().map(|(id, _)| row_id(id.0)).collect();
    let verdicts: Vec<&str> = first.iter().map(|(_, screened)| screened.verdict.as_str()).collect();
    let snapshots: Vec<&str> = first.iter().map(|(_, screened)| screened.snapshots.as_str()).collect();
    let editions: Vec<&[u8]> = first.iter().map(|(_, screened)| screened.edition.as_slice()).collect();
    let times: Vec<i64> = first.iter().map(|(_, screened)| screened.at.as_millis()).collect();
    connection.run(update, &[&owner.0.as_slice(), &ids, &verdicts, &snapshots, &editions, &times]).await?;
    Ok(())
}

/// Deletes watches that ended before a time, and returns their number.
pub(crate) async fn forget(connection: Connection<'_>, before: Timestamp, most: u32) -> Result<u32> {
    let delete = "DELETE FROM watches WHERE id IN
        (SELECT id FROM watches WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at LIMIT $2)
        RETURNING id";
    let rows = connection.returning(delete, &[&before.as_millis(), &i64::from(most)]).await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<_, _>>()?;
    if !ids.is_empty() {
        connection.run("DELETE FROM alerts WHERE watch = ANY($1)", &[&ids]).await?;
    }
    Ok(u32::try_from(ids.len()).unwrap_or(u32::MAX))
}

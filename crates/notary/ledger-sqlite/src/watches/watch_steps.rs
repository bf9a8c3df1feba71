//! The steps of a watch, each within a transaction of its caller's.
//!
//! [`rules::watches`](ledger::rules::watches) decides; here its facts are read, and what it says is written. Each step reads before
//! it changes anything, so that a refusal leaves nothing to be undone.

use ledger::rules::watches::{self, LimitedBy, UnpaidWatch, WatchFacts, holder_at, holder_who_paid};
use ledger::rules::webhooks::lane_name;
use ledger::{
    ClientNetwork, CurrentEdition, DueClass, LeaseRequest, LedgerError, LedgerRecord, LiveWatches, NewWatch,
    Owner, Screening, ScreeningTask, WatchChange, WatchId, WatchKey, WatchStep, WebhookState,
};
use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Params, Result, params};

use super::{watch_rows, webhook_steps};
use crate::columns::{CodeColumn, Millis};
use crate::failure::ConnectionError;

/// Counts the live watches.
pub(crate) fn live(
    connection: &Connection,
    agent: &str,
    network: ClientNetwork,
    now: Timestamp,
) -> Result<LiveWatches> {
    let holder = holder_at(network.narrow);
    let of_agent = "SELECT count(*) FROM watches INDEXED BY watching_of_holder
        WHERE ended_at IS NULL AND holder = ? AND until > ? AND agent = ?";
    let of_network = "SELECT count(*) FROM watches INDEXED BY watching_of_holder
        WHERE ended_at IS NULL AND holder = ? AND until > ?";
    let of_wide = "SELECT count(*) FROM watches INDEXED BY watching_of_wide
        WHERE ended_at IS NULL AND wide_network = ? AND until > ?";
    let now_ms = now.as_millis();
    Ok(LiveWatches {
        of_agent: count(connection, of_agent, params![holder, now_ms, agent])?,
        of_network: count(connection, of_network, params![holder, now_ms])?,
        of_wide_network: count(connection, of_wide, params![holder_at(network.wide), now_ms])?,
        in_all: in_all(connection, now)?,
    })
}

fn in_all(connection: &Connection, now: Timestamp) -> Result<u32> {
    let select = "SELECT count(*) FROM watches INDEXED BY watched_until WHERE ended_at IS NULL AND until > ?";
    count(connection, select, [now.as_millis()])
}

fn count(connection: &Connection, select: &str, of: impl Params) -> Result<u32> {
    connection.prepare_cached(select)?.query_row(of, |row| row.get(0))
}

/// Counts the live watches that a payer has opened.
pub(crate) fn of_payer(connection: &Connection, payer: &[u8; 20], now: Timestamp) -> Result<u32> {
    let select = "SELECT count(*) FROM watches INDEXED BY watching_of_holder
        WHERE ended_at IS NULL AND holder = ? AND until > ?";
    count(connection, select, params![holder_who_paid(payer), now.as_millis()])
}

/// The payer of the claim that a record is paid by.
fn payer_of(connection: &Connection, record: &LedgerRecord) -> Result<Option<[u8; 20]>> {
    let Some(claim) = record.claim else { return Ok(None) };
    let mut statement = connection.prepare_cached("SELECT payer FROM claims WHERE id = ?")?;
    statement.query_row([claim.id.0], |row| row.get(0)).optional()
}

/// Refuses a record that must not do to a watch what its `step` says. Those of `opened` are about to begin in the same
/// transaction.
pub(crate) fn check(
    connection: &Connection,
    record: &LedgerRecord,
    step: &WatchStep,
    opened: &[UnpaidWatch],
) -> Result<(), ConnectionError> {
    match step {
        WatchStep::Opened(new) => {
            let mut statement = connection.prepare_cached("SELECT 1 FROM watches WHERE key = ?")?;
            let is_known = statement.exists([new.key.0])?;
            match watches::check_opening(record, new, is_known)? {
                LimitedBy::Nothing => Ok(()),
                LimitedBy::Network(network) => {
                    let live = live(connection, &new.agent, network, record.signed_at)?;
                    Ok(watches::check_unpaid(record, new, network, live, opened)?)
                }
            }
        }
        WatchStep::Changed(change) => {
            let is_held = is_held(connection, change.id, change.owner)?;
            if is_held { Ok(()) } else { Err(LedgerError::NotOwner.into()) }
        }
    }
}

/// Says whether a watch is live and owned by this task.
fn is_held(connection: &Connection, id: WatchId, owner: Owner) -> Result<bool> {
    let mut statement =
        connection.prepare_cached("SELECT owner, ended_at IS NOT NULL FROM watches WHERE id = ?")?;
    let facts = statement.query_row([i64::try_from(id.0).ok()], |row| {
        Ok(WatchFacts { owner: row.get::<_, Option<_>>(0)?.map(Owner), is_ended: row.get(1)? })
    });
    Ok(facts.optional()?.is_some_and(|facts| facts.is_held_by(owner)))
}

/// Does what a record does to a watch, after [`check`] within the same transaction.
pub(crate) fn take_step(connection: &Connection, record: &LedgerRecord, leaf: u64) -> Result<()> {
    match &record.watch {
        None => Ok(()),
        Some(WatchStep::Opened(new)) => open(connection, record, new, leaf),
        Some(WatchStep::Changed(change)) => {
            keep(connection, change.id, &change.screened)?;
            alert(connection, record, change, leaf)
        }
    }
}

fn open(connection: &Connection, record: &LedgerRecord, new: &NewWatch, leaf: u64) -> Result<()> {
    let NewWatch { key, agent, network: _, class, until, webhook, screened } = new;
    let holder = watches::holder(record, new, payer_of(connection, record)?.as_ref());
    let wide_network = watches::wide_holder(record, new);
    connection
        .prepare_cached(
            "INSERT INTO watches (key, agent, class, leaf, receipt, until, webhook, host, verdict, snapshots,
                edition, screened_at, holder, wide_network, lease_until)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
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
            holder,
            wide_network,
        ])?;
    Ok(())
}

/// Stores a screening as the watch's, and ends its lease.
fn keep(connection: &Connection, id: WatchId, screened: &Screening) -> Result<()> {
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

fn alert(connection: &Connection, record: &LedgerRecord, change: &WatchChange, leaf: u64) -> Result<()> {
    let at = record.signed_at.as_millis();
    let mut statement = connection.prepare_cached(
        "SELECT host, agent, holder FROM watches WHERE id = ? AND gone_at IS NULL AND host IS NOT NULL",
    )?;
    let lane = statement.query_row([change.id.0], |row| {
        let holder: Option<Vec<u8>> = row.get(2)?;
        let agent: String = row.get(1)?;
        Ok((row.get(0)?, lane_name(&agent, holder.as_deref())))
    });
    let lane: Option<(String, String)> = lane.optional()?;
    let (host, agent) = lane.as_ref().map(|(host, agent)| (host, agent)).unzip();
    connection
        .prepare_cached(
            "INSERT INTO alerts (watch, leaf, receipt, verdict, at, state, host, agent, attempts, due_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
        )?
        .execute(params![
            change.id.0,
            leaf,
            record.hash.as_bytes(),
            change.screened.verdict,
            at,
            host.map(|_| CodeColumn(WebhookState::Waiting)),
            host,
            agent,
            at
        ])?;
    lane.map_or(Ok(()), |(host, agent)| webhook_steps::wait(connection, &host, &agent, at))
}

/// Ends a watch; says whether there is one.
pub(crate) fn end(connection: &Connection, key: &WatchKey, at: Timestamp) -> Result<bool> {
    let mut statement = connection.prepare_cached("SELECT id, until, ended_at FROM watches WHERE key = ?")?;
    let found = statement.query_row([key.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    let Some((id, Millis(until), ended_at)): Option<(u64, Millis, Option<i64>)> = found.optional()? else {
        return Ok(false);
    };
    if ended_at.is_none() {
        connection
            .prepare_cached("UPDATE watches SET ended_at = ? WHERE id = ?")?
            .execute(params![watches::end_time(until, at).as_millis(), id])?;
    }
    webhook_steps::drop_of(connection, WatchId(id), at)?;
    Ok(true)
}

/// Hands watches that are due to a new owner, each class as many as another while it has any, and ends those whose time
/// was over at `over`.
pub(crate) fn take(
    connection: &Connection,
    wish: LeaseRequest,
    over: Timestamp,
    due: &[DueClass],
) -> Result<Vec<ScreeningTask>, ConnectionError> {
    let LeaseRequest { now, owner, lease_until, most } = wish;
    connection
        .prepare_cached("UPDATE watches SET ended_at = until WHERE ended_at IS NULL AND until <= ?")?
        .execute([over.as_millis()])?;
    let mut of_classes = Vec::with_capacity(due.len());
    for due in due {
        of_classes.push(match due {
            DueClass::OtherEdition(current) => due_of(connection, current, now, most as usize)?,
            DueClass::ScreenedBy { class, time } => screened_by(connection, class, *time, now, most)?,
        });
    }
    let mut update =
        connection.prepare_cached("UPDATE watches SET owner = ?, lease_until = ? WHERE id = ?")?;
    let mut due = Vec::new();
    for id in watches::by_turns(of_classes, most as usize) {
        update.execute(params![owner.0, lease_until.as_millis(), id])?;
        due.push(watch_rows::due(connection, WatchId(id))?);
    }
    Ok(due)
}

/// The watches of a class whose last screening was at a time or before it, the oldest first.
fn screened_by(
    connection: &Connection,
    class: &str,
    time: Timestamp,
    now: Timestamp,
    most: u32,
) -> Result<Vec<u64>> {
    let (time, now) = (time.as_millis(), now.as_millis());
    let mut statement = connection.prepare_cached(
        "SELECT id FROM watches INDEXED BY watched_at WHERE ended_at IS NULL AND class = ? AND screened_at <= ?
         AND lease_until <= ? AND until > ? ORDER BY screened_at LIMIT ?",
    )?;
    statement.query_map(params![class, time, now, now, most], |row| row.get(0))?.collect()
}

/// The watches of a class whose last screening was on another edition.
fn due_of(
    connection: &Connection,
    current: &CurrentEdition,
    now: Timestamp,
    most: usize,
) -> Result<Vec<u64>> {
    let CurrentEdition { class, edition, day: _, lists: _ } = current;
    let now = now.as_millis();
    let mut ids = Vec::new();
    for other in [
        "SELECT id FROM watches INDEXED BY watched WHERE ended_at IS NULL AND class = ? AND edition < ?
         AND lease_until <= ? AND until > ? LIMIT ?",
        "SELECT id FROM watches INDEXED BY watched WHERE ended_at IS NULL AND class = ? AND edition > ?
         AND lease_until <= ? AND until > ? LIMIT ?",
    ] {
        let room = most.saturating_sub(ids.len());
        let mut statement = connection.prepare_cached(other)?;
        let found = statement.query_map(params![class, edition, now, now, room], |row| row.get(0))?;
        for id in found {
            ids.push(id?);
        }
    }
    Ok(ids)
}

/// Postpones watches that this task still owns until a time.
pub(crate) fn postpone(
    connection: &Connection,
    owner: Owner,
    all: &[WatchId],
    until: Timestamp,
) -> Result<()> {
    let mut update = connection.prepare_cached(
        "UPDATE watches SET lease_until = ? WHERE id = ? AND owner = ? AND ended_at IS NULL",
    )?;
    for id in all {
        update.execute(params![until.as_millis(), i64::try_from(id.0).ok(), owner.0])?;
    }
    Ok(())
}

/// Stores the screenings of watches that this task still owns.
pub(crate) fn screened(connection: &Connection, owner: Owner, all: &[(WatchId, Screening)]) -> Result<()> {
    for (id, screened) in all {
        if is_held(connection, *id, owner)? {
            keep(connection, *id, screened)?;
        }
    }
    Ok(())
}

/// Deletes watches that ended before a time, and returns their number.
pub(crate) fn forget(connection: &Connection, before: Timestamp, most: u32) -> Result<u32> {
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
pub(crate) fn end_leases(connection: &Connection) -> Result<()> {
    connection
        .execute("UPDATE watches SET lease_until = 0 WHERE ended_at IS NULL AND lease_until > 0", [])?;
    webhook_steps::end_leases(connection)
}

#[cfg(test)]
mod tests {
    use ipnet::IpNet;
    use receipt::hash::ReceiptHash;
    use receipt::sign::SignedPayload;

    use super::*;
    use ledger::{
        ClaimId, ClaimRef, FreeCallKey, GrantId, MAX_FREE_WATCHES_PER_NETWORK, MAX_WATCHES_FOR_FREE, Period,
        QuotaKey, QuotaReservation,
    };

    fn opens(connection: &Connection, record: &LedgerRecord) -> std::result::Result<(), LedgerError> {
        Ok(check(connection, record, record.watch.as_ref().unwrap(), &[])?)
    }

    fn network(text: &str) -> ClientNetwork {
        let narrow: IpNet = format!("{text}/32").parse().unwrap();
        ClientNetwork { narrow, wide: IpNet::new(narrow.addr(), 24).unwrap().trunc() }
    }

    fn opening(reservation: Option<QuotaKey>, claim: Option<ClaimRef>) -> LedgerRecord {
        let at = Timestamp::EPOCH;
        let new = NewWatch {
            key: WatchKey([0; 32]),
            agent: "a".to_owned(),
            network: Some(network("192.0.2.1")),
            class: "c".to_owned(),
            until: Timestamp::MAX,
            webhook: None,
            screened: Screening::new("NO_MATCH".to_owned(), &[], at),
        };
        let signed = SignedPayload { hash: ReceiptHash([0; 32]), payload: Vec::new(), signature: [0; 64] };
        LedgerRecord {
            reservation: reservation.map(|of| QuotaReservation::new(of, 1, |_, _| ())),
            claim,
            watch: Some(WatchStep::Opened(new)),
            ..LedgerRecord::new(signed, "kid", "watch", Vec::new(), at, Vec::new())
        }
    }

    #[test]
    fn what_is_free_leaves_room_for_what_is_paid_for_or_granted() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("../migrations/schema.sql")).unwrap();
        connection.execute_batch(include_str!("../migrations/budgets.sql")).unwrap();
        let fill = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
            INSERT INTO watches (key, agent, class, leaf, receipt, until, verdict, snapshots, edition, screened_at,
                lease_until) SELECT CAST(i AS BLOB), i, 'c', i, x'', 9, '', '', x'', 0, 0 FROM n";
        connection.execute(fill, [MAX_WATCHES_FOR_FREE]).unwrap();
        let free = QuotaKey::Free(FreeCallKey {
            day: 0,
            agent: "a".to_owned(),
            network: network("192.0.2.1").narrow,
            class: "watch",
        });
        let granted = QuotaKey::Granted { grant: GrantId(1), period: Period::Day, start: 0 };
        let claim = ClaimRef { id: ClaimId(1), owner: Owner([1; 16]) };
        for record in [opening(None, None), opening(Some(free), None)] {
            assert!(matches!(opens(&connection, &record), Err(LedgerError::FreeWatchLimit)));
        }
        for record in [opening(Some(granted), None), opening(None, Some(claim))] {
            opens(&connection, &record).unwrap();
        }
        connection.execute("UPDATE watches SET until = 0 WHERE id = 1", []).unwrap();
        opens(&connection, &opening(None, None)).unwrap();
    }

    #[test]
    fn a_network_opens_so_many_for_free_under_whatever_names_and_its_neighbours_ten_times_as_many() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("../migrations/schema.sql")).unwrap();
        connection.execute_batch(include_str!("../migrations/budgets.sql")).unwrap();
        let fill = |from: ClientNetwork, count: u32| {
            let insert = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                INSERT INTO watches (key, agent, class, leaf, receipt, until, verdict, snapshots, edition, screened_at,
                    lease_until, holder, wide_network) SELECT randomblob(32), i, 'c', i, x'', 9, '', '', x'', 0, 0, ?2, ?3
                FROM n";
            let values = params![count, holder_at(from.narrow), holder_at(from.wide)];
            connection.execute(insert, values).unwrap();
        };
        fill(network("192.0.2.1"), MAX_FREE_WATCHES_PER_NETWORK);
        let of = |text: &str| {
            let mut record = opening(None, None);
            let Some(WatchStep::Opened(new)) = &mut record.watch else { unreachable!() };
            new.network = Some(network(text));
            let free =
                FreeCallKey { day: 0, agent: "a".to_owned(), network: network(text).narrow, class: "watch" };
            record.reservation = Some(QuotaReservation::new(QuotaKey::Free(free), 1, |_, _| ()));
            opens(&connection, &record)
        };
        assert!(matches!(of("192.0.2.1"), Err(LedgerError::NetworkWatchLimit)));
        of("192.0.2.2").unwrap();
        for neighbour in 3..12 {
            fill(network(&format!("192.0.2.{neighbour}")), MAX_FREE_WATCHES_PER_NETWORK);
        }
        assert!(matches!(of("192.0.2.2"), Err(LedgerError::NetworkWatchLimit)));
        of("198.51.100.1").unwrap();
    }
}

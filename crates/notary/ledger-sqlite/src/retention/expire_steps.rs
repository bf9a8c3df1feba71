//! The deletion of requests and evidence, within a transaction of its caller's.
//!
//! [`rules::retention`](ledger::rules::retention) decides by the time; here the facts are read, and what follows is written.

use ledger::rules::retention::{self, AgedReceipt, Needs};
use ledger::{Expired, LedgerError, MAX_EXPIRED, MAX_EXPIRED_BYTES, RetentionTerms};
use receipt::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};
use tlog::tile::{FULL_WIDTH, decode_bundle};

use crate::columns::Millis;
use crate::failure::ConnectionError;
use crate::log::reads;

/// What a deletion has removed.
#[derive(Clone, Copy, Default)]
pub(crate) struct Removed {
    pub(crate) requests: u64,
    pub(crate) blobs: u64,
    pub(crate) bytes: u64,
    /// The pieces of evidence whose bytes stay, because another receipt needs them.
    pub(crate) shared: u32,
}

/// Deletes the requests and the evidence of receipts whose time is over.
pub(crate) fn expire(
    connection: &Connection,
    terms: &RetentionTerms,
    now: Timestamp,
) -> Result<Expired, ConnectionError> {
    let again = due(connection, now)?;
    let (next, walked) =
        if again.len() < MAX_EXPIRED { walk(connection, terms, now)? } else { (None, Walked::default()) };
    let mut expired = Expired { unreadable: walked.unreadable, ..Expired::default() };
    expired.more = again.len() >= MAX_EXPIRED || walked.is_whole;
    let mut cut = None;
    for (at, receipt) in again.iter().chain(&walked.receipts).enumerate() {
        if expired.bytes >= MAX_EXPIRED_BYTES {
            expired.more = true;
            cut = Some((at, receipt.leaf));
            break;
        }
        if let Some(look_again) = receipt.look_again_at(terms, now) {
            keep_longer(connection, receipt, look_again)?;
        } else if needs(connection, receipt.leaf)?.any() {
            keep_longer(connection, receipt, retention::held_until(now))?;
            expired.held += 1;
        } else {
            let removed = remove(connection, receipt.leaf)?;
            forget_kept_longer(connection, receipt.leaf)?;
            expired.requests += removed.requests;
            expired.blobs += removed.blobs;
            expired.bytes += removed.bytes;
        }
    }
    // Those that were not reached any more are still due, or still above the mark.
    let next = match cut {
        Some((at, _)) if at < again.len() => None,
        Some((_, leaf)) => Some(leaf),
        None => next,
    };
    if let Some(next) = next {
        let upsert = "INSERT INTO retention (only, next_leaf) VALUES (1, ?)
            ON CONFLICT (only) DO UPDATE SET next_leaf = excluded.next_leaf";
        connection.prepare_cached(upsert)?.execute([next])?;
    }
    Ok(expired)
}

/// The receipts that are to be looked at again.
fn due(connection: &Connection, now: Timestamp) -> Result<Vec<AgedReceipt>> {
    let mut statement = connection.prepare_cached(
        "SELECT leaf, class, signed_at FROM kept_longer INDEXED BY kept_longer_due WHERE due_at <= ?
         ORDER BY due_at, leaf LIMIT ?",
    )?;
    let rows = statement.query_map(params![now.as_millis(), MAX_EXPIRED], |row| {
        Ok(AgedReceipt { leaf: row.get(0)?, class: row.get(1)?, signed_at: row.get::<_, Millis>(2)?.0 })
    })?;
    rows.collect()
}

/// The receipts of the log that are looked at for the first time.
#[derive(Default)]
struct Walked {
    receipts: Vec<AgedReceipt>,
    unreadable: u64,
    /// True if all entries of the run were looked at, so that there may be more.
    is_whole: bool,
}

/// Looks at the log from the mark on, up to the end of a bundle. Returns the next mark, where it has got further.
fn walk(
    connection: &Connection,
    terms: &RetentionTerms,
    now: Timestamp,
) -> Result<(Option<u64>, Walked), ConnectionError> {
    // A store that was restored from an early backup has no mark.
    let select = "SELECT coalesce((SELECT next_leaf FROM retention), 0), size FROM head";
    let (next, size): (u64, u64) =
        connection.prepare_cached(select)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if next >= size {
        return Ok((None, Walked::default()));
    }
    let width = u64::from(FULL_WIDTH);
    let first = next / width * width;
    let bundle = reads::bundle(connection, first..size.min(first + width))?;
    let entries = decode_bundle(&bundle).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
    let before = usize::try_from(next - first).unwrap_or(usize::MAX);
    let rest = entries.len() - before.min(entries.len());
    let looked = retention::look(next, entries.into_iter().skip(before), terms, now);
    let is_whole = looked.entries > 0 && looked.entries == rest as u64;
    let walked = Walked { receipts: looked.receipts, unreadable: looked.unreadable, is_whole };
    Ok(((looked.entries > 0).then_some(next + looked.entries), walked))
}

fn keep_longer(connection: &Connection, receipt: &AgedReceipt, due_at: Timestamp) -> Result<()> {
    let AgedReceipt { leaf, class, signed_at } = receipt;
    connection
        .prepare_cached(
            "INSERT INTO kept_longer (leaf, class, signed_at, due_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (leaf) DO UPDATE SET due_at = excluded.due_at",
        )?
        .execute(params![leaf, class, signed_at.as_millis(), due_at.as_millis()])?;
    Ok(())
}

pub(crate) fn forget_kept_longer(connection: &Connection, leaf: u64) -> Result<()> {
    connection.prepare_cached("DELETE FROM kept_longer WHERE leaf = ?")?.execute([leaf])?;
    Ok(())
}

/// What needs the receipt at a leaf.
pub(crate) fn needs(connection: &Connection, leaf: u64) -> Result<Needs> {
    let mut statement = connection.prepare_cached(
        "SELECT
            EXISTS (SELECT 1 FROM claims INDEXED BY about WHERE about = receipts.hash AND bond > 0 AND state < 5 AND state < 4)
            OR EXISTS (SELECT 1 FROM refunds INDEXED BY unpaid_of_disputed WHERE disputed = receipts.hash AND state < 2)
            OR EXISTS (SELECT 1 FROM refunds INDEXED BY unpaid_of_dispute WHERE dispute = receipts.hash AND state < 2),
            EXISTS (SELECT 1 FROM watches INDEXED BY watch_receipts WHERE receipt = receipts.hash AND ended_at IS NULL)
         FROM receipts WHERE leaf = ?",
    )?;
    let needs = statement.query_row([leaf], |row| Ok(Needs { dispute: row.get(0)?, watch: row.get(1)? }));
    Ok(needs.optional()?.unwrap_or_default())
}

/// Deletes the request and the evidence of the receipt at a leaf. A blob that is evidence of another receipt stays.
pub(crate) fn remove(connection: &Connection, leaf: u64) -> Result<Removed> {
    let mut removed = Removed::default();
    let mut statement =
        connection.prepare_cached("DELETE FROM requests WHERE leaf = ? RETURNING length(body)")?;
    if let Some(bytes) = statement.query_row([leaf], |row| row.get::<_, u64>(0)).optional()? {
        (removed.requests, removed.bytes) = (1, bytes);
    }
    let mut statement = connection.prepare_cached("SELECT DISTINCT sha256 FROM evidence WHERE leaf = ?")?;
    let addresses: Vec<[u8; 32]> = statement.query_map([leaf], |row| row.get(0))?.collect::<Result<_>>()?;
    connection.prepare_cached("DELETE FROM evidence WHERE leaf = ?")?.execute([leaf])?;
    for address in addresses {
        let mut statement = connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM evidence INDEXED BY evidence_of WHERE sha256 = ?)",
        )?;
        let is_shared: bool = statement.query_row([address], |row| row.get(0))?;
        if is_shared {
            removed.shared += 1;
            continue;
        }
        let mut statement =
            connection.prepare_cached("DELETE FROM blobs WHERE sha256 = ? RETURNING length(bytes)")?;
        if let Some(bytes) = statement.query_row([address], |row| row.get::<_, u64>(0)).optional()? {
            removed.blobs += 1;
            removed.bytes += bytes;
        }
    }
    Ok(removed)
}

/// Deletes requests for a trial of before a time, and returns their number.
pub(crate) fn forget_trials(connection: &Connection, before: Timestamp, most: u32) -> Result<u32> {
    let delete = "DELETE FROM trials WHERE id IN (
        SELECT id FROM trials INDEXED BY trials_at WHERE at < ? ORDER BY at LIMIT ?)";
    let deleted = connection.prepare_cached(delete)?.execute(params![before.as_millis(), most])?;
    Ok(u32::try_from(deleted).unwrap_or(u32::MAX))
}

/// Deletes memories that a receipt of before a time has stored, and returns their number.
pub(crate) fn forget_memories(connection: &Connection, before: Timestamp, most: u32) -> Result<u32> {
    let delete = "DELETE FROM memories WHERE key IN (
        SELECT key FROM memories INDEXED BY memories_at WHERE at < ? ORDER BY at LIMIT ?)";
    let deleted = connection.prepare_cached(delete)?.execute(params![before.as_millis(), most])?;
    Ok(u32::try_from(deleted).unwrap_or(u32::MAX))
}

/// Deletes what is stored about deliveries of webhooks that ended before a time, and returns their number.
pub(crate) fn forget_deliveries(connection: &Connection, before: Timestamp, most: u32) -> Result<u32> {
    let update = "UPDATE alerts SET state = NULL, host = NULL, agent = NULL, attempts = 0, error = NULL
        WHERE id IN (SELECT id FROM alerts INDEXED BY alerts_sent WHERE state > 0 AND due_at < ? ORDER BY due_at LIMIT ?)";
    let forgotten = connection.prepare_cached(update)?.execute(params![before.as_millis(), most])?;
    Ok(u32::try_from(forgotten).unwrap_or(u32::MAX))
}

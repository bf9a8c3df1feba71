//! The deletion of requests and evidence, within a transaction of its caller's that holds the locks of the head and of all work.
//!
//! [`rules::retention`](ledger::rules::retention) decides by the time; here the facts are read, and what follows is written.

use std::collections::{HashMap, HashSet};

use ledger::rules::retention::{self, AgedReceipt, Looked, Needs};
use ledger::{Expired, LedgerError, MAX_EXPIRED_BYTES, RetentionTerms};
use receipt::time::Timestamp;
use tlog::tile::{FULL_WIDTH, decode_bundle};

use crate::columns::{Columns as _, row_id};
use crate::connection::{Connection, Result};
use crate::log::head::number;
use crate::log::reads;
use crate::together::together;

/// The most receipts of one transaction: no receipt is logged meanwhile.
const MOST: usize = 64;

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
pub(crate) async fn expire(
    connection: Connection<'_>,
    terms: &RetentionTerms,
    now: Timestamp,
) -> Result<Expired> {
    let mut receipts = due(connection, now).await?;
    let again = receipts.len();
    let mut expired = Expired { more: again >= MOST, ..Expired::default() };
    let mut mark = None;
    if again < MOST {
        let (next, looked, is_cut) = walk(connection, terms, now, MOST - again).await?;
        receipts.extend(looked.receipts);
        expired.unreadable = looked.unreadable;
        expired.more |= is_cut;
        mark = (looked.entries > 0).then_some(next + looked.entries);
    }
    let fitting = fitting(connection, &receipts, terms, now).await?;
    if let Some(cut) = receipts.get(fitting) {
        // Those from here on are still due, or still above the mark.
        mark = (fitting >= again).then_some(cut.leaf);
        receipts.truncate(fitting);
        expired.more = true;
    }
    if let Some(mark) = mark {
        let upsert = "INSERT INTO retention (only_one, next_leaf) VALUES (1, $1)
            ON CONFLICT (only_one) DO UPDATE SET next_leaf = excluded.next_leaf";
        connection.run(upsert, &[&number(mark)?]).await?;
    }
    let (mut later, mut over) = (Vec::new(), Vec::new());
    for receipt in receipts {
        match receipt.look_again_at(terms, now) {
            Some(due_at) => later.push((receipt, due_at)),
            None => over.push(receipt),
        }
    }
    let needs = needs(connection, &over.iter().map(|receipt| receipt.leaf).collect::<Vec<_>>()).await?;
    let mut leaves = Vec::new();
    for receipt in over {
        if needs.get(&receipt.leaf).is_some_and(|needs| needs.any()) {
            expired.held += 1;
            later.push((receipt, retention::held_until(now)));
        } else {
            leaves.push(receipt.leaf);
        }
    }
    keep_longer(connection, &later).await?;
    let removed = remove(connection, &leaves).await?;
    (expired.requests, expired.blobs, expired.bytes) = (removed.requests, removed.blobs, removed.bytes);
    Ok(expired)
}

/// The number of receipts, at least one, whose requests and evidence have at most [`MAX_EXPIRED_BYTES`] together: the log is locked for
/// as long as they are deleted.
async fn fitting(
    connection: Connection<'_>,
    receipts: &[AgedReceipt],
    terms: &RetentionTerms,
    now: Timestamp,
) -> Result<usize> {
    let over = receipts.iter().filter(|receipt| receipt.look_again_at(terms, now).is_none());
    let leaves: Vec<Option<i64>> = over.map(|receipt| row_id(receipt.leaf)).collect();
    if leaves.is_empty() {
        return Ok(receipts.len());
    }
    let of_requests = "SELECT leaf, octet_length(body)::BIGINT FROM requests WHERE leaf = ANY($1::BIGINT[])";
    let of_evidence = "SELECT evidence.leaf, octet_length(blobs.bytes)::BIGINT, blobs.sha256
        FROM evidence JOIN blobs ON blobs.sha256 = evidence.sha256
        WHERE evidence.leaf = ANY($1::BIGINT[]) ORDER BY evidence.leaf";
    let params: [crate::connection::Param<'_>; 1] = [&leaves];
    let (requests, evidence) =
        together!(connection.rows(of_requests, &params), connection.rows(of_evidence, &params))?;
    let mut sizes: HashMap<u64, u64> = HashMap::new();
    for row in &requests {
        *sizes.entry(row.unsigned(0)?).or_default() += row.unsigned(1)?;
    }
    let mut counted = HashSet::new();
    for row in &evidence {
        // One that several have is deleted once.
        if counted.insert(row.bytes::<32>(2)?) {
            *sizes.entry(row.unsigned(0)?).or_default() += row.unsigned(1)?;
        }
    }
    let mut bytes = 0;
    let fits = |receipt: &AgedReceipt| {
        bytes += sizes.get(&receipt.leaf).copied().unwrap_or_default();
        bytes <= MAX_EXPIRED_BYTES
    };
    Ok(receipts.iter().map(fits).take_while(|fits| *fits).count().max(1))
}

/// The receipts that are to be looked at again.
async fn due(connection: Connection<'_>, now: Timestamp) -> Result<Vec<AgedReceipt>> {
    let select =
        "SELECT leaf, class, signed_at FROM kept_longer WHERE due_at <= $1 ORDER BY due_at, leaf LIMIT $2";
    let most = i64::try_from(MOST).unwrap_or(i64::MAX);
    let mut due = Vec::new();
    for row in connection.rows(select, &[&now.as_millis(), &most]).await? {
        due.push(AgedReceipt { leaf: row.unsigned(0)?, class: row.try_get(1)?, signed_at: row.millis(2)? });
    }
    Ok(due)
}

/// Looks at the log from the mark on, at most at so many entries and up to the end of a bundle. Returns the mark, and true if
/// there may be more to be looked at.
async fn walk(
    connection: Connection<'_>,
    terms: &RetentionTerms,
    now: Timestamp,
    most: usize,
) -> Result<(u64, Looked, bool)> {
    // A store that was restored from an early backup has no mark.
    let select = "SELECT coalesce((SELECT next_leaf FROM retention), 0)::BIGINT, size FROM head";
    let row = connection.one(select, &[]).await?;
    let (next, size) = (row.unsigned(0)?, row.unsigned(1)?);
    if next >= size {
        return Ok((next, Looked::default(), false));
    }
    let width = u64::from(FULL_WIDTH);
    let first = next / width * width;
    let end = size.min(first + width).min(next + most as u64);
    let bundle = reads::bundle(connection, first..end).await?;
    let entries = decode_bundle(&bundle).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
    let before = usize::try_from(next - first).unwrap_or(usize::MAX);
    let looked = retention::look(next, entries.into_iter().skip(before), terms, now);
    let is_cut = looked.entries > 0 && next + looked.entries == end;
    Ok((next, looked, is_cut))
}

async fn keep_longer(connection: Connection<'_>, later: &[(AgedReceipt, Timestamp)]) -> Result<()> {
    if later.is_empty() {
        return Ok(());
    }
    let insert = "INSERT INTO kept_longer (leaf, class, signed_at, due_at)
        SELECT * FROM unnest($1::BIGINT[], $2::TEXT[], $3::BIGINT[], $4::BIGINT[])
        ON CONFLICT (leaf) DO UPDATE SET due_at = excluded.due_at";
    let leaves: Vec<Option<i64>> = later.iter().map(|(receipt, _)| row_id(receipt.leaf)).collect();
    let classes: Vec<&str> = later.iter().map(|(receipt, _)| receipt.class.as_str()).collect();
    let times: Vec<i64> = later.iter().map(|(receipt, _)| receipt.signed_at.as_millis()).collect();
    let due: Vec<i64> = later.iter().map(|(_, due_at)| due_at.as_millis()).collect();
    connection.run(insert, &[&leaves, &classes, &times, &due]).await?;
    Ok(())
}

/// What needs the receipts at these leaves.
pub(crate) async fn needs(connection: Connection<'_>, leaves: &[u64]) -> Result<HashMap<u64, Needs>> {
    let select = "SELECT leaf,
            EXISTS (SELECT 1 FROM claims WHERE about = receipts.hash AND bond > 0 AND state < 4)
            OR EXISTS (SELECT 1 FROM refunds WHERE disputed = receipts.hash AND state < 2)
            OR EXISTS (SELECT 1 FROM refunds WHERE dispute = receipts.hash AND state < 2),
            EXISTS (SELECT 1 FROM watches WHERE receipt = receipts.hash AND ended_at IS NULL)
        FROM receipts WHERE leaf = ANY($1::BIGINT[])";
    let mut needs = HashMap::new();
    if leaves.is_empty() {
        return Ok(needs);
    }
    let leaves: Vec<Option<i64>> = leaves.iter().map(|leaf| row_id(*leaf)).collect();
    for row in connection.rows(select, &[&leaves]).await? {
        needs.insert(row.unsigned(0)?, Needs { dispute: row.try_get(1)?, watch: row.try_get(2)? });
    }
    Ok(needs)
}

/// Deletes the requests and the evidence of the receipts at these leaves. A blob that is evidence of another receipt stays.
pub(crate) async fn remove(connection: Connection<'_>, leaves: &[u64]) -> Result<Removed> {
    let mut removed = Removed::default();
    if leaves.is_empty() {
        return Ok(removed);
    }
    let leaves: Vec<Option<i64>> = leaves.iter().map(|leaf| row_id(*leaf)).collect();
    let of_requests = "DELETE FROM requests WHERE leaf = ANY($1::BIGINT[]) RETURNING length(body)::BIGINT";
    let of_evidence = "DELETE FROM evidence WHERE leaf = ANY($1::BIGINT[]) RETURNING sha256";
    let of_mark = "DELETE FROM kept_longer WHERE leaf = ANY($1::BIGINT[])";
    let params: [crate::connection::Param<'_>; 1] = [&leaves];
    let (requests, evidence, _) = together!(
        connection.returning(of_requests, &params),
        connection.returning(of_evidence, &params),
        connection.run(of_mark, &params),
    )?;
    for row in &requests {
        removed.requests += 1;
        removed.bytes += row.unsigned(0)?;
    }
    let mut addresses: Vec<[u8; 32]> = Vec::with_capacity(evidence.len());
    for row in &evidence {
        addresses.push(row.bytes(0)?);
    }
    addresses.sort_unstable();
    addresses.dedup();
    if addresses.is_empty() {
        return Ok(removed);
    }
    let addresses: Vec<&[u8]> = addresses.iter().map(<[u8; 32]>::as_slice).collect();
    let of_blobs = "DELETE FROM blobs WHERE sha256 = ANY($1::BYTEA[])
            AND NOT EXISTS (SELECT 1 FROM evidence WHERE evidence.sha256 = blobs.sha256)
        RETURNING length(bytes)::BIGINT";
    let shared = "SELECT count(DISTINCT sha256) FROM evidence WHERE sha256 = ANY($1::BYTEA[])";
    for row in connection.returning(of_blobs, &[&addresses]).await? {
        removed.blobs += 1;
        removed.bytes += row.unsigned(0)?;
    }
    removed.shared = connection.one(shared, &[&addresses]).await?.small(0)?;
    Ok(removed)
}

/// Deletes requests for a trial of before a time, and returns their number.
pub(crate) async fn forget_trials(connection: Connection<'_>, before: Timestamp, most: u32) -> Result<u32> {
    let delete = "DELETE FROM trials WHERE id IN (SELECT id FROM trials WHERE at < $1 ORDER BY at LIMIT $2)";
    let deleted = connection.run(delete, &[&before.as_millis(), &i64::from(most)]).await?;
    Ok(u32::try_from(deleted).unwrap_or(u32::MAX))
}

/// Deletes memories that a receipt of before a time has stored, and returns their number.
pub(crate) async fn forget_memories(connection: Connection<'_>, before: Timestamp, most: u32) -> Result<u32> {
    let delete =
        "DELETE FROM memories WHERE key IN (SELECT key FROM memories WHERE at < $1 ORDER BY at LIMIT $2)";
    let deleted = connection.run(delete, &[&before.as_millis(), &i64::from(most)]).await?;
    Ok(u32::try_from(deleted).unwrap_or(u32::MAX))
}

/// Deletes what is stored about deliveries of webhooks that ended before a time, and returns their number.
pub(crate) async fn forget_deliveries(
    connection: Connection<'_>,
    before: Timestamp,
    most: u32,
) -> Result<u32> {
    let update = "UPDATE alerts SET state = NULL, host = NULL, agent = NULL, attempts = 0, error = NULL
        WHERE id IN (SELECT id FROM alerts WHERE state > 0 AND due_at < $1 ORDER BY due_at LIMIT $2)";
    let forgotten = connection.run(update, &[&before.as_millis(), &i64::from(most)]).await?;
    Ok(u32::try_from(forgotten).unwrap_or(u32::MAX))
}

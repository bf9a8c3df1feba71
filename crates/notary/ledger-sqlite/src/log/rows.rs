//! The statements that write. Each is within a transaction of its caller's.

use ledger::Head;
use ledger::back_end::KeptSince;
use ledger::back_end::{GROUP, grouped};
use ledger::rules::commits::StoreMark;
use ledger::rules::log::{class_counts, runs};
use ledger::{
    AppendedRecord, LedgerRecord, MAX_TRIALS, NewMemory, QuotaKey, QuotaPart, QuotaReservation, TrialRequest,
};
use rusqlite::{Connection, Error, Result, Transaction, params};
use tlog::tile::{encode_bundle, encode_hashes};
use tlog::{Hash, Stage};

use super::batch::PendingRecord;
use super::delivery;
use super::index::receipt_key;
use crate::grants::grant_rows;
use crate::key_rows;
use crate::retention::erase_steps;
use crate::watches::watch_steps;

pub(crate) fn write_head(transaction: &Transaction<'_>, head: &Head, indexed: u64, batch: u64) -> Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO head (only, size, root, latest, checkpoint, indexed, batch)
             VALUES (1, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            head.size,
            head.root.0,
            head.latest.as_millis(),
            &*head.checkpoint,
            indexed,
            batch
        ])?;
    Ok(())
}

pub(crate) fn insert_records(
    transaction: &Transaction<'_>,
    records: &[PendingRecord],
    proofs: &[AppendedRecord],
) -> Result<()> {
    let mut receipt = transaction.prepare_cached(
        "INSERT INTO receipts (leaf, key, hash, signature, payload) VALUES (?, ?, ?, ?, ?)",
    )?;
    let mut request =
        transaction.prepare_cached("INSERT INTO requests (leaf, body, judged_at) VALUES (?, ?, ?)")?;
    for (pending, AppendedRecord { leaf, inclusion }) in records.iter().zip(proofs) {
        let LedgerRecord { hash, payload, signature, .. } = &pending.record;
        receipt.execute(params![leaf, receipt_key(hash), hash.as_bytes(), signature, payload])?;
        request.execute(params![leaf, pending.record.request, pending.record.judged_at.as_millis()])?;
        insert_evidence(transaction, *leaf, pending)?;
        if let Some(claim) = pending.record.claim {
            delivery::deliver(transaction, claim.id, &pending.record, inclusion)?;
        }
        watch_steps::take_step(transaction, &pending.record, *leaf)?;
        if let Some(erases) = &pending.record.erases {
            erase_steps::erase(transaction, &pending.record, erases)?;
        }
        if let Some(step) = &pending.record.key {
            key_rows::insert(transaction, *leaf, step)?;
        }
    }
    Ok(())
}

/// Adds one to each counter of each record.
pub(crate) fn insert_counted(transaction: &Transaction<'_>, records: &[PendingRecord]) -> Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO counters (key, receipts) VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET receipts = receipts + 1",
    )?;
    let keys = records.iter().flat_map(|pending| &pending.record.counters);
    keys.into_iter().try_for_each(|key| insert.execute([key.0]).map(drop))
}

/// Stores the memory of each record that has one, in place of the one before. Of two in a batch the later stays.
pub(crate) fn insert_memories(transaction: &Transaction<'_>, records: &[PendingRecord]) -> Result<()> {
    let mut insert =
        transaction.prepare_cached("INSERT OR REPLACE INTO memories (key, text, at) VALUES (?, ?, ?)")?;
    for LedgerRecord { memory, signed_at, .. } in records.iter().map(|pending| &pending.record) {
        if let Some(NewMemory { key, text }) = memory {
            insert.execute(params![key.0, text, signed_at.as_millis()])?;
        }
    }
    Ok(())
}

/// Writes the entries of a batch in runs, none across the end of a bundle.
pub(crate) fn insert_entries(
    transaction: &Transaction<'_>,
    first: u64,
    records: &[PendingRecord],
) -> Result<()> {
    let mut insert =
        transaction.prepare_cached("INSERT INTO leaves (leaf, width, entries) VALUES (?, ?, ?)")?;
    for (leaf, run) in runs(first, records) {
        let entries: Vec<&[u8]> = run.iter().map(|pending| &*pending.record.entry).collect();
        let bundle = encode_bundle(&entries).map_err(|error| Error::ToSqlConversionFailure(error.into()))?;
        insert.execute(params![leaf, run.len(), bundle])?;
    }
    Ok(())
}

fn insert_evidence(transaction: &Transaction<'_>, leaf: u64, pending: &PendingRecord) -> Result<()> {
    for (position, (blob, sha256)) in pending.record.evidence.iter().zip(&pending.addresses).enumerate() {
        if let Some(bytes) = blob.bytes() {
            transaction
                .prepare_cached("INSERT INTO blobs (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING")?
                .execute(params![sha256, bytes])?;
        }
        transaction
            .prepare_cached("INSERT INTO evidence (leaf, position, role, sha256) VALUES (?, ?, ?, ?)")?
            .execute(params![leaf, position, blob.role(), sha256])?;
    }
    Ok(())
}

/// Full tiles go in with their inner nodes, so that no proof ever folds one again.
pub(crate) fn insert_tiles(transaction: &Transaction<'_>, stage: &Stage) -> Result<()> {
    for tile in stage.full_tiles() {
        let (groups, upper) = grouped(&tile.hashes);
        transaction
            .prepare_cached("INSERT INTO tiles (level, number, upper, hashes) VALUES (?, ?, ?, ?)")?
            .execute(params![
            tile.level,
            tile.index,
            encode_hashes(upper.nodes()),
            encode_hashes(&tile.hashes)
        ])?;
        if tile.level > 0 {
            continue;
        }
        for (number, group) in (tile.index * GROUP as u64..).zip(groups) {
            transaction
                .prepare_cached("INSERT INTO groups (number, nodes) VALUES (?, ?)")?
                .execute(params![number, encode_hashes(group.nodes())])?;
        }
    }
    Ok(())
}

pub(crate) fn insert_counts(transaction: &Transaction<'_>, records: &[PendingRecord]) -> Result<()> {
    for ((day, class), (free, paid)) in class_counts(records.iter().map(|pending| &pending.record)) {
        transaction
            .prepare_cached(
                "INSERT INTO counts (class, free, paid) VALUES (?, ?, ?)
                 ON CONFLICT (class) DO UPDATE SET free = free + excluded.free, paid = paid + excluded.paid",
            )?
            .execute(params![class, free, paid])?;
        transaction
            .prepare_cached(
                "INSERT INTO days (day, class, free, paid) VALUES (?, ?, ?, ?)
                 ON CONFLICT (day, class) DO UPDATE SET free = free + excluded.free, paid = paid + excluded.paid",
            )?
            .execute(params![day, class, free, paid])?;
    }
    Ok(())
}

pub(crate) fn insert_uses(transaction: &Transaction<'_>, records: &[PendingRecord]) -> Result<()> {
    let quotas = records.iter().filter_map(|pending| pending.record.reservation.as_ref());
    quotas.into_iter().try_for_each(|reservation| insert_use(transaction, reservation))
}

/// Counts the amounts that a reservation uses up.
pub(crate) fn insert_use(connection: &Connection, reservation: &QuotaReservation) -> Result<()> {
    for QuotaPart { of, units, .. } in reservation.parts() {
        if let QuotaKey::Granted { grant, start, .. } = of {
            grant_rows::insert_use(connection, *grant, *start, *units)?;
            continue;
        }
        let insert = "INSERT INTO uses (day, id, amount) VALUES (?, ?, ?)
            ON CONFLICT (day, id) DO UPDATE SET amount = amount + excluded.amount";
        connection.prepare_cached(insert)?.execute(params![of.period().1, of.id(), units])?;
    }
    Ok(())
}

/// Forgets used quotas that need not be [kept](KeptSince), where `today` is the day that the log has reached. Returns true if there may
/// be more of them.
pub(crate) fn forget_uses(connection: &Connection, today: u32) -> Result<bool> {
    let since = KeptSince::of(today);
    let delete = "DELETE FROM uses WHERE (day, id) IN (SELECT day, id FROM uses WHERE day < ? ORDER BY day, id LIMIT ?)";
    let most = KeptSince::MAX_FORGOTTEN;
    let uses = connection.prepare_cached(delete)?.execute([since.day, most])?;
    let grants = grant_rows::forget_uses(connection, since.grants, most)?;
    Ok(uses.max(grants) >= most as usize)
}

/// Says whether [`MAX_TRIALS`] requests for trials are kept.
pub(crate) fn has_all_trials(connection: &Connection) -> Result<bool> {
    let mut statement = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM trials LIMIT 1 OFFSET ?)")?;
    statement.query_row([MAX_TRIALS - 1], |row| row.get(0))
}

pub(crate) fn insert_trial(connection: &Connection, request: &TrialRequest) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO trials (request_id, agent, endpoint, contact, reason, at) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            request.request_id,
            request.agent,
            request.endpoint,
            request.contact,
            request.reason,
            request.at.as_millis()
        ])?;
    Ok(())
}

/// Reads how far the store is.
pub(crate) fn stored_mark(connection: &Connection) -> Result<StoreMark> {
    connection.query_row("SELECT batch, size, root FROM head", [], |row| {
        Ok(StoreMark { batch: row.get(0)?, size: row.get(1)?, root: Hash(row.get(2)?) })
    })
}

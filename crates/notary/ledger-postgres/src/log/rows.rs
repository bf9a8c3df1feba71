//! The statements that write a batch. Each is within the transaction that holds the head.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ledger::back_end::GROUP;
use ledger::back_end::grouped;
use ledger::rules::log::{class_counts, runs};
use ledger::{AppendedRecord, LedgerError, NewMemory};
use tlog::Stage;
use tlog::tile::{encode_bundle, encode_hashes};

use super::batch::PendingRecord;
use super::head::number;
use crate::claims::delivery;
use crate::columns::storable;
use crate::connection::{Connection, Result};
use crate::key_rows;
use crate::retention::erase_steps;
use crate::watches::watch_steps;

pub(crate) const RECEIPTS: &str = "INSERT INTO receipts (leaf, key, hash, signature, payload)
    SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BYTEA[], $4::BYTEA[], $5::BYTEA[])";
pub(crate) const REQUESTS: &str = "INSERT INTO requests (leaf, body, judged_at)
    SELECT * FROM unnest($1::BIGINT[], $2::BYTEA[], $3::BIGINT[])";
pub(crate) const LEAVES: &str = "INSERT INTO leaves (leaf, width, entries)
    SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BYTEA[])";
const EVIDENCE: &str = "INSERT INTO evidence (leaf, position, role, sha256)
    SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], $3::TEXT[], $4::BYTEA[])";
const BLOBS: &str = "INSERT INTO blobs (sha256, bytes) SELECT * FROM unnest($1::BYTEA[], $2::BYTEA[])
    ON CONFLICT (sha256) DO NOTHING";
const TILES: &str = "INSERT INTO tiles (level, number, upper, hashes)
    SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BYTEA[], $4::BYTEA[])";
const GROUPS: &str = "INSERT INTO groups (number, nodes) SELECT * FROM unnest($1::BIGINT[], $2::BYTEA[])";
const COUNTS: &str = "INSERT INTO counts (class, free, paid)
    SELECT * FROM unnest($1::TEXT[], $2::BIGINT[], $3::BIGINT[])
    ON CONFLICT (class) DO UPDATE SET free = counts.free + excluded.free, paid = counts.paid + excluded.paid";
const DAYS: &str = "INSERT INTO days (day, class, free, paid)
    SELECT * FROM unnest($1::BIGINT[], $2::TEXT[], $3::BIGINT[], $4::BIGINT[])
    ON CONFLICT (day, class) DO UPDATE SET free = days.free + excluded.free, paid = days.paid + excluded.paid";
const COUNTERS: &str = "INSERT INTO counters (key, receipts) SELECT * FROM unnest($1::BYTEA[], $2::BIGINT[])
    ON CONFLICT (key) DO UPDATE SET receipts = counters.receipts + excluded.receipts";
const MEMORIES: &str = "INSERT INTO memories (key, text, at)
    SELECT * FROM unnest($1::BYTEA[], $2::TEXT[], $3::BIGINT[])
    ON CONFLICT (key) DO UPDATE SET text = excluded.text, at = excluded.at";

pub(crate) async fn insert_receipts(
    connection: Connection<'_>,
    first: u64,
    records: &[&PendingRecord],
) -> Result<()> {
    let (mut leaves, mut keys, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut signatures, mut payloads) = (Vec::new(), Vec::new());
    for (leaf, pending) in (first..).zip(records) {
        leaves.push(number(leaf)?);
        keys.push(pending.key);
        hashes.push(pending.record.hash.as_bytes().as_slice());
        signatures.push(pending.record.signature.as_slice());
        payloads.push(pending.record.payload.as_slice());
    }
    connection.run(RECEIPTS, &[&leaves, &keys, &hashes, &signatures, &payloads]).await?;
    Ok(())
}

pub(crate) async fn insert_requests(
    connection: Connection<'_>,
    first: u64,
    records: &[&PendingRecord],
) -> Result<()> {
    let (mut leaves, mut bodies, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for (leaf, pending) in (first..).zip(records) {
        leaves.push(number(leaf)?);
        bodies.push(pending.record.request.as_slice());
        times.push(pending.record.judged_at.as_millis());
    }
    connection.run(REQUESTS, &[&leaves, &bodies, &times]).await?;
    Ok(())
}

/// Writes the entries of a batch in runs, none across the end of a bundle.
pub(crate) async fn insert_entries(
    connection: Connection<'_>,
    first: u64,
    records: &[&PendingRecord],
) -> Result<()> {
    let (mut leaves, mut widths, mut bundles) = (Vec::new(), Vec::new(), Vec::new());
    for (leaf, run) in runs(first, records) {
        let entries: Vec<&[u8]> = run.iter().map(|pending| &*pending.record.entry).collect();
        leaves.push(number(leaf)?);
        widths.push(number(run.len() as u64)?);
        bundles.push(encode_bundle(&entries).map_err(|error| LedgerError::Corrupt(error.to_string()))?);
    }
    connection.run(LEAVES, &[&leaves, &widths, &bundles]).await?;
    Ok(())
}

pub(crate) async fn insert_evidence(
    connection: Connection<'_>,
    first: u64,
    records: &[&PendingRecord],
) -> Result<()> {
    let mut blobs: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
    let (mut leaves, mut positions, mut roles, mut addresses) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (leaf, pending) in (first..).zip(records) {
        for (position, (blob, sha256)) in
            (0_i64..).zip(pending.record.evidence.iter().zip(&pending.addresses))
        {
            if let Some(bytes) = blob.bytes() {
                blobs.insert(sha256, bytes);
            }
            leaves.push(number(leaf)?);
            positions.push(position);
            roles.push(blob.role());
            addresses.push(sha256.as_slice());
        }
    }
    if leaves.is_empty() {
        return Ok(());
    }
    let (sums, bytes): (Vec<&[u8]>, Vec<&[u8]>) = blobs.into_iter().unzip();
    connection.run(BLOBS, &[&sums, &bytes]).await?;
    connection.run(EVIDENCE, &[&leaves, &positions, &roles, &addresses]).await?;
    Ok(())
}

/// Full tiles go in with their inner nodes, so that no proof ever folds one again.
pub(crate) async fn insert_tiles(connection: Connection<'_>, stage: &Stage) -> Result<()> {
    let tiles = stage.full_tiles();
    if tiles.is_empty() {
        return Ok(());
    }
    let (mut levels, mut numbers, mut uppers, mut hashes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut group_numbers, mut group_nodes) = (Vec::new(), Vec::new());
    for tile in &tiles {
        let (groups, upper) = grouped(&tile.hashes);
        levels.push(i64::from(tile.level));
        numbers.push(number(tile.index)?);
        uppers.push(encode_hashes(upper.nodes()));
        hashes.push(encode_hashes(&tile.hashes));
        if tile.level > 0 {
            continue;
        }
        for (index, group) in (tile.index * GROUP as u64..).zip(groups) {
            group_numbers.push(number(index)?);
            group_nodes.push(encode_hashes(group.nodes()));
        }
    }
    connection.run(TILES, &[&levels, &numbers, &uppers, &hashes]).await?;
    connection.run(GROUPS, &[&group_numbers, &group_nodes]).await?;
    Ok(())
}

pub(crate) async fn insert_counts(connection: Connection<'_>, records: &[&PendingRecord]) -> Result<()> {
    let of_days = class_counts(records.iter().map(|pending| &pending.record));
    let mut of_classes: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for ((_, class), (free, paid)) in &of_days {
        let sum = of_classes.entry(class).or_default();
        *sum = (sum.0 + free, sum.1 + paid);
    }
    let (mut classes, mut free, mut paid) = (Vec::new(), Vec::new(), Vec::new());
    for (class, counts) in of_classes {
        classes.push(class);
        free.push(number(counts.0)?);
        paid.push(number(counts.1)?);
    }
    connection.run(COUNTS, &[&classes, &free, &paid]).await?;
    let (mut days, mut classes, mut free, mut paid) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for ((day, class), counts) in of_days {
        days.push(i64::from(day));
        classes.push(class);
        free.push(number(counts.0)?);
        paid.push(number(counts.1)?);
    }
    connection.run(DAYS, &[&days, &classes, &free, &paid]).await?;
    Ok(())
}

/// Adds one to each counter of each record.
pub(crate) async fn insert_counted(connection: Connection<'_>, records: &[&PendingRecord]) -> Result<()> {
    let mut counted: BTreeMap<[u8; 16], i64> = BTreeMap::new();
    for key in records.iter().flat_map(|pending| &pending.record.counters) {
        *counted.entry(key.0).or_default() += 1;
    }
    if counted.is_empty() {
        return Ok(());
    }
    let keys: Vec<&[u8]> = counted.keys().map(<[u8; 16]>::as_slice).collect();
    let receipts: Vec<i64> = counted.values().copied().collect();
    connection.run(COUNTERS, &[&keys, &receipts]).await?;
    Ok(())
}

/// Stores the memory of each record that has one, in place of the one before. Of two in a batch the later stays.
pub(crate) async fn insert_memories(connection: Connection<'_>, records: &[&PendingRecord]) -> Result<()> {
    let mut memories: BTreeMap<[u8; 16], (Cow<'_, str>, i64)> = BTreeMap::new();
    for pending in records {
        if let Some(NewMemory { key, text }) = &pending.record.memory {
            memories.insert(key.0, (storable(text), pending.record.signed_at.as_millis()));
        }
    }
    if memories.is_empty() {
        return Ok(());
    }
    let keys: Vec<&[u8]> = memories.keys().map(<[u8; 16]>::as_slice).collect();
    let (texts, times): (Vec<&str>, Vec<i64>) = memories.values().map(|(text, at)| (&**text, *at)).unzip();
    connection.run(MEMORIES, &[&keys, &texts, &times]).await?;
    Ok(())
}

/// Delivers the claims of the records, opens or changes their watches, and erases what they say.
pub(crate) async fn insert_steps(
    connection: Connection<'_>,
    records: &[&PendingRecord],
    proofs: &[AppendedRecord],
) -> Result<()> {
    for (pending, AppendedRecord { leaf, inclusion }) in records.iter().zip(proofs) {
        if let Some(claim) = pending.record.claim {
            delivery::deliver(connection, claim.id, &pending.record, inclusion).await?;
        }
        watch_steps::take_step(connection, &pending.record, *leaf).await?;
        if let Some(erases) = &pending.record.erases {
            erase_steps::erase(connection, &pending.record, erases).await?;
        }
        if let Some(step) = &pending.record.key {
            key_rows::insert(connection, *leaf, step).await?;
        }
    }
    Ok(())
}

//! Reads of all that is stored beside the log: requests, evidence, counts, memories; and the requests for trials.

use std::collections::HashMap;

use ledger::{
    ClassCount, CounterKey, DayCount, MAX_COUNTERS, MAX_TRIALS, MemoryKey, StoredBlob, StoredRequest,
    TrialRequest,
};
use receipt::time::Timestamp;
use tokio_postgres::Row;
use verdict::Memory;

use crate::columns::{Columns as _, row_id, storable};
use crate::connection::{Connection, Result};
use crate::numbers;

/// The greatest time of a receipt in the newest durable tree, of whichever replica.
pub(crate) async fn latest(connection: Connection<'_>) -> Result<Timestamp> {
    Ok(connection.one("SELECT latest FROM head", &[]).await?.millis(0)?)
}

pub(crate) async fn request(connection: Connection<'_>, leaf: u64) -> Result<Option<StoredRequest>> {
    let select = "SELECT body, judged_at FROM requests WHERE leaf = $1";
    let Some(row) = connection.maybe(select, &[&row_id(leaf)]).await? else { return Ok(None) };
    Ok(Some(StoredRequest { body: row.try_get(0)?, judged_at: row.millis(1)? }))
}

pub(crate) async fn evidence(connection: Connection<'_>, leaf: u64) -> Result<Vec<StoredBlob>> {
    let select = "SELECT role, evidence.sha256, bytes FROM evidence LEFT JOIN blobs USING (sha256)
        WHERE leaf = $1 ORDER BY position";
    let mut evidence = Vec::new();
    for row in connection.rows(select, &[&row_id(leaf)]).await? {
        evidence.push(StoredBlob { role: row.try_get(0)?, sha256: row.bytes(1)?, bytes: row.try_get(2)? });
    }
    Ok(evidence)
}

/// The addresses of evidence whose bytes are not in the store; `None` where there is no request of that leaf.
pub(crate) async fn evidence_elsewhere(
    connection: Connection<'_>,
    leaf: u64,
) -> Result<Option<Vec<[u8; 32]>>> {
    // A request whose evidence is all here has one row, without an address.
    let select = "SELECT elsewhere.sha256 FROM requests LEFT JOIN (
            SELECT leaf, position, sha256 FROM evidence
            WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.sha256 = evidence.sha256)
        ) AS elsewhere ON elsewhere.leaf = requests.leaf
        WHERE requests.leaf = $1 ORDER BY elsewhere.position";
    let rows = connection.rows(select, &[&row_id(leaf)]).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let mut addresses = Vec::with_capacity(rows.len());
    for row in &rows {
        addresses.extend(row.maybe_bytes::<32>(0)?);
    }
    Ok(Some(addresses))
}

/// The receipts of each class, by its name.
pub(crate) async fn counts(connection: Connection<'_>) -> Result<Vec<ClassCount>> {
    let mut counts = Vec::new();
    for row in connection.rows("SELECT class, free, paid FROM counts", &[]).await? {
        counts.push(ClassCount { class: row.try_get(0)?, free: row.unsigned(1)?, paid: row.unsigned(2)? });
    }
    // The order of texts in a database depends on its collation.
    counts.sort_by(|one: &ClassCount, other| one.class.cmp(&other.class));
    Ok(counts)
}

/// The receipts and the income of each day from `since` on.
pub(crate) async fn days(connection: Connection<'_>, since: u32) -> Result<Vec<DayCount>> {
    let select = "SELECT day, class, sum(free)::BIGINT, sum(paid)::BIGINT, sum(income)::BIGINT FROM (
            SELECT day, class, free, paid, 0 AS income FROM days WHERE day >= $1
            UNION ALL SELECT day, class, 0, 0, income FROM incomes WHERE day >= $1
        ) AS parts GROUP BY day, class";
    let mut days = Vec::new();
    for row in connection.rows(select, &[&i64::from(since)]).await? {
        days.push(DayCount {
            day: row.small(0)?,
            class: row.try_get(1)?,
            free: row.unsigned(2)?,
            paid: row.unsigned(3)?,
            income: row.try_get(4)?,
        });
    }
    days.sort_by(|one: &DayCount, other| (one.day, &one.class).cmp(&(other.day, &other.class)));
    Ok(days)
}

/// The receipts that each counter has counted.
pub(crate) async fn counted(connection: Connection<'_>, keys: &[CounterKey]) -> Result<Vec<u64>> {
    let keys = &keys[..keys.len().min(MAX_COUNTERS)];
    let wanted: Vec<&[u8]> = keys.iter().map(|key| key.0.as_slice()).collect();
    let select = "SELECT key, receipts FROM counters WHERE key = ANY($1)";
    let mut counts: HashMap<[u8; 16], u64> = HashMap::with_capacity(keys.len());
    for row in connection.rows(select, &[&wanted]).await? {
        counts.insert(row.bytes(0)?, row.unsigned(1)?);
    }
    Ok(keys.iter().map(|key| counts.get(&key.0).copied().unwrap_or(0)).collect())
}

/// The memory under a key.
pub(crate) async fn memory(connection: Connection<'_>, key: MemoryKey) -> Result<Option<Memory>> {
    let select = "SELECT text, at FROM memories WHERE key = $1";
    let Some(row) = connection.maybe(select, &[&key.0.as_slice()]).await? else { return Ok(None) };
    Ok(Some(Memory { text: row.try_get(0)?, at: row.millis(1)? }))
}

/// The newest requests for a trial, the newest first.
pub(crate) async fn trials(connection: Connection<'_>, most: u32) -> Result<Vec<TrialRequest>> {
    let select =
        "SELECT request_id, agent, endpoint, contact, reason, at FROM trials ORDER BY id DESC LIMIT $1";
    let rows = connection.rows(select, &[&i64::from(most)]).await?;
    rows.iter().map(trial_row).collect()
}

/// The request for a trial that was answered with this id. There is no index: only operators ask, and seldom.
pub(crate) async fn trial(connection: Connection<'_>, request_id: &str) -> Result<Option<TrialRequest>> {
    let select = "SELECT request_id, agent, endpoint, contact, reason, at FROM trials WHERE request_id = $1";
    let row = connection.maybe(select, &[&request_id]).await?;
    row.as_ref().map(trial_row).transpose()
}

fn trial_row(row: &Row) -> Result<TrialRequest> {
    Ok(TrialRequest {
        request_id: row.try_get(0)?,
        agent: row.try_get(1)?,
        endpoint: row.try_get(2)?,
        contact: row.try_get(3)?,
        reason: row.try_get(4)?,
        at: row.millis(5)?,
    })
}

/// Returns true if [`MAX_TRIALS`] requests for trials are kept.
pub(crate) async fn has_all_trials(connection: Connection<'_>) -> Result<bool> {
    let select = "SELECT EXISTS (SELECT 1 FROM trials OFFSET $1 LIMIT 1)";
    let before_last = i64::from(MAX_TRIALS) - 1;
    Ok(connection.one(select, &[&before_last]).await?.try_get(0)?)
}

/// Stores a request for a trial, within a transaction that holds the lock of the work sequencer.
pub(crate) async fn insert_trial(connection: Connection<'_>, request: &TrialRequest) -> Result<()> {
    let insert = "INSERT INTO trials (id, request_id, agent, endpoint, contact, reason, at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let id = numbers::next(connection, "trials").await?;
    let TrialRequest { request_id, agent, endpoint, contact, reason, at } = request;
    let [endpoint, contact, reason] = [endpoint, contact, reason].map(|text| text.as_deref().map(storable));
    let at = at.as_millis();
    connection.run(insert, &[&id, request_id, agent, &endpoint, &contact, &reason, &at]).await?;
    Ok(())
}

//! The statements that read.

use std::ops::Range;
use std::sync::Arc;

use ledger::back_end::{GROUP, TileNodes};
use ledger::{
    ClassCount, CounterKey, DayCount, LedgerError, MAX_COUNTERS, MAX_SHORT_PAYLOAD, MemoryKey, StoredBlob,
    StoredReceipt, StoredRequest, TrialRequest,
};
use receipt::hash::ReceiptHash;
use rusqlite::{Connection, Error, OptionalExtension, Params, Row};
use tlog::Hash;
use tlog::tile::{FULL_WIDTH, TileError, decode_bundle, encode_bundle};
use verdict::Memory;

use super::index::{RecentKeys, receipt_key};
use crate::columns::Millis;
use crate::failure::ConnectionError;

/// The receipt of that hash. It may be of a transaction that was committed, but not yet published.
pub(crate) fn receipt(
    connection: &Connection,
    recent: &RecentKeys,
    hash: &ReceiptHash,
) -> Result<Option<StoredReceipt>, ConnectionError> {
    receipt_up_to(connection, recent, hash, i64::MAX)
}

/// The receipts of those hashes, as far as they are short; see [`Ledger::short_receipts`](ledger::Ledger::short_receipts).
pub(crate) fn short_receipts(
    connection: &Connection,
    recent: &RecentKeys,
    hashes: &[ReceiptHash],
) -> Result<Vec<Option<StoredReceipt>>, ConnectionError> {
    let most_bytes = i64::try_from(MAX_SHORT_PAYLOAD).unwrap_or(i64::MAX);
    hashes.iter().map(|hash| receipt_up_to(connection, recent, hash, most_bytes)).collect()
}

/// The receipt of that hash, if it was not erased and its payload has at most so many bytes. SQLite knows the length without
/// reading them.
fn receipt_up_to(
    connection: &Connection,
    recent: &RecentKeys,
    hash: &ReceiptHash,
    most_bytes: i64,
) -> Result<Option<StoredReceipt>, ConnectionError> {
    let key = receipt_key(hash);
    // In this order: a key leaves the memory only once the table has it.
    let recent = recent.leaf(key).and_then(|leaf| i64::try_from(leaf).ok());
    let (select, key) = match recent {
        Some(leaf) => (
            "SELECT leaf, signature, payload FROM receipts
             WHERE leaf = ? AND hash = ? AND length(signature) > 0 AND length(payload) <= ?",
            leaf,
        ),
        None => (
            "SELECT leaf, signature, payload FROM keys JOIN receipts USING (leaf)
             WHERE keys.key = ? AND hash = ? AND length(signature) > 0 AND length(payload) <= ?",
            key,
        ),
    };
    let mut statement = connection.prepare_cached(select)?;
    let row = statement.query_row((key, hash.as_bytes(), most_bytes), |row| {
        Ok(StoredReceipt { leaf: row.get(0)?, signature: row.get(1)?, payload: row.get(2)? })
    });
    Ok(row.optional()?)
}

pub(crate) fn request(connection: &Connection, leaf: u64) -> Result<Option<StoredRequest>, ConnectionError> {
    let mut statement = connection.prepare_cached("SELECT body, judged_at FROM requests WHERE leaf = ?")?;
    let row = statement.query_row([leaf], |row| {
        Ok(StoredRequest { body: row.get(0)?, judged_at: row.get::<_, Millis>(1)?.0 })
    });
    Ok(row.optional()?)
}

pub(crate) fn evidence(connection: &Connection, leaf: u64) -> Result<Vec<StoredBlob>, ConnectionError> {
    let mut statement = connection.prepare_cached(
        "SELECT role, evidence.sha256, bytes FROM evidence LEFT JOIN blobs USING (sha256)
         WHERE leaf = ? ORDER BY position",
    )?;
    let rows = statement.query_map([leaf], |row| {
        Ok(StoredBlob { role: row.get(0)?, sha256: row.get(1)?, bytes: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(crate) fn evidence_elsewhere(
    connection: &Connection,
    leaf: u64,
) -> rusqlite::Result<Option<Vec<[u8; 32]>>> {
    let leaf = i64::try_from(leaf).ok();
    let select = "SELECT EXISTS (SELECT 1 FROM requests WHERE leaf = ?)";
    if !connection.prepare_cached(select)?.query_row([leaf], |row| row.get::<_, bool>(0))? {
        return Ok(None);
    }
    let mut statement = connection.prepare_cached(
        "SELECT evidence.sha256 FROM evidence LEFT JOIN blobs USING (sha256) WHERE leaf = ? AND blobs.id IS NULL",
    )?;
    let rows = statement.query_map([leaf], |row| row.get(0))?;
    Ok(Some(rows.collect::<Result<_, _>>()?))
}

pub(crate) fn counts(connection: &Connection) -> Result<Vec<ClassCount>, ConnectionError> {
    let mut statement = connection.prepare_cached("SELECT class, free, paid FROM counts")?;
    let rows = statement
        .query_map([], |row| Ok(ClassCount { class: row.get(0)?, free: row.get(1)?, paid: row.get(2)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The receipts and the income of each day from `since` on.
pub(crate) fn days(connection: &Connection, since: u32) -> Result<Vec<DayCount>, ConnectionError> {
    let select = "SELECT day, class, free, paid, income FROM days WHERE day >= ? ORDER BY day, class";
    let mut statement = connection.prepare_cached(select)?;
    let rows = statement.query_map([since], |row| {
        Ok(DayCount {
            day: row.get(0)?,
            class: row.get(1)?,
            free: row.get(2)?,
            paid: row.get(3)?,
            income: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The receipts that each counter has counted.
pub(crate) fn counted(connection: &Connection, keys: &[CounterKey]) -> Result<Vec<u64>, ConnectionError> {
    let mut statement = connection.prepare_cached("SELECT receipts FROM counters WHERE key = ?")?;
    let mut count = |key: &CounterKey| statement.query_row([key.0], |row| row.get(0)).optional();
    let counts: rusqlite::Result<Vec<u64>> =
        keys.iter().take(MAX_COUNTERS).map(|key| Ok(count(key)?.unwrap_or(0))).collect();
    Ok(counts?)
}

/// The memory under a key.
pub(crate) fn memory(connection: &Connection, key: MemoryKey) -> rusqlite::Result<Option<Memory>> {
    let mut statement = connection.prepare_cached("SELECT text, at FROM memories WHERE key = ?")?;
    let memory =
        statement.query_row([key.0], |row| Ok(Memory { text: row.get(0)?, at: row.get::<_, Millis>(1)?.0 }));
    memory.optional()
}

pub(crate) fn trials(connection: &Connection, most: u32) -> Result<Vec<TrialRequest>, ConnectionError> {
    let mut statement = connection.prepare_cached(
        "SELECT request_id, agent, endpoint, contact, reason, at FROM trials ORDER BY id DESC LIMIT ?",
    )?;
    Ok(statement.query_map([most], trial_row)?.collect::<Result<_, _>>()?)
}

/// The request for a trial that was answered with this id. There is no index: only operators ask, and seldom.
pub(crate) fn trial(
    connection: &Connection,
    request_id: &str,
) -> Result<Option<TrialRequest>, ConnectionError> {
    let mut statement = connection.prepare_cached(
        "SELECT request_id, agent, endpoint, contact, reason, at FROM trials WHERE request_id = ?",
    )?;
    Ok(statement.query_row([request_id], trial_row).optional()?)
}

fn trial_row(row: &Row<'_>) -> rusqlite::Result<TrialRequest> {
    Ok(TrialRequest {
        request_id: row.get(0)?,
        agent: row.get(1)?,
        endpoint: row.get(2)?,
        contact: row.get(3)?,
        reason: row.get(4)?,
        at: row.get::<_, Millis>(5)?.0,
    })
}

/// The log entries of a range of leaves of one bundle, from its beginning on, in the bundle's form.
pub(crate) fn bundle(connection: &Connection, range: Range<u64>) -> Result<Vec<u8>, ConnectionError> {
    let mut statement = connection.prepare_cached(
        "SELECT leaf, width, entries FROM leaves WHERE leaf >= ? AND leaf < ? ORDER BY leaf",
    )?;
    let mut rows = statement.query([range.start, range.end])?;
    let mut bundle = Vec::new();
    let mut next = range.start;
    while let Some(row) = rows.next()? {
        let (leaf, width): (u64, u64) = (row.get(0)?, row.get(1)?);
        if leaf != next {
            break;
        }
        bundle.extend_from_slice(row.get_ref(2)?.as_blob().map_err(Error::from)?);
        next += width;
    }
    match next.checked_sub(range.end) {
        Some(0) => Ok(bundle),
        Some(_) => cut(&bundle, range),
        None => Err(LedgerError::Corrupt(format!("leaves {range:?} are not all there")).into()),
    }
}

/// The first entries of a bundle: as many as the range is long.
fn cut(bundle: &[u8], range: Range<u64>) -> Result<Vec<u8>, ConnectionError> {
    let width = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
    let unsound = |error: TileError| LedgerError::Corrupt(format!("leaves {range:?}: {error}"));
    let entries = decode_bundle(bundle).map_err(unsound)?;
    Ok(encode_bundle(&entries[..width.min(entries.len())]).map_err(unsound)?)
}

/// The hashes of a stored full tile.
pub(crate) fn full_tile(
    connection: &Connection,
    level: u8,
    number: u64,
) -> Result<Arc<[Hash]>, ConnectionError> {
    let what = || format!("full tile {number} of level {level}");
    let select = "SELECT hashes FROM tiles WHERE level = ? AND number = ?";
    let hashes: Vec<Hash> = hashes(connection, select, (level, number), what)?;
    if hashes.len() == usize::from(FULL_WIDTH) { Ok(hashes.into()) } else { Err(misshapen(what()).into()) }
}

/// The nodes over the groups of a stored full tile.
pub(crate) fn upper(connection: &Connection, level: u8, number: u64) -> Result<TileNodes, ConnectionError> {
    let what = || format!("the upper half of full tile {number} of level {level}");
    let select = "SELECT upper FROM tiles WHERE level = ? AND number = ?";
    let nodes = hashes(connection, select, (level, number), what)?;
    Ok(TileNodes::from_nodes(GROUP, nodes.into()).ok_or_else(|| misshapen(what()))?)
}

/// A stored group of tile level 0.
pub(crate) fn group(connection: &Connection, number: u64) -> Result<TileNodes, ConnectionError> {
    let what = || format!("group {number}");
    let nodes = hashes(connection, "SELECT nodes FROM groups WHERE number = ?", [number], what)?;
    Ok(TileNodes::from_nodes(GROUP, nodes.into()).ok_or_else(|| misshapen(what()))?)
}

/// The hashes in a blob.
fn hashes(
    connection: &Connection,
    select: &str,
    key: impl Params,
    what: impl Fn() -> String,
) -> Result<Vec<Hash>, ConnectionError> {
    let hashes = connection.prepare_cached(select)?.query_row(key, |row| {
        let (hashes, rest) = row.get_ref(0)?.as_blob()?.as_chunks::<32>();
        Ok(rest.is_empty().then(|| hashes.iter().copied().map(Hash).collect()))
    });
    let hashes = hashes.optional()?;
    let hashes = hashes.ok_or_else(|| LedgerError::Corrupt(format!("{} is not there", what())))?;
    Ok(hashes.ok_or_else(|| misshapen(what()))?)
}

fn misshapen(what: String) -> LedgerError {
    LedgerError::Corrupt(format!("{what} has another number of hashes than it must have"))
}

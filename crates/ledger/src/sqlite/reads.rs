//! The statements that read.

use std::ops::Range;
use std::sync::Arc;

use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use rusqlite::{Connection, Error, OptionalExtension, Params};
use tlog::Hash;
use tlog::tile::FULL_WIDTH;

use super::rows::{GROUP, receipt_key};
use crate::folded::Folded;
use crate::{ClassCount, LedgerError, StoredBlob, StoredReceipt, TrialRequest};

/// The receipt of that hash. It may be of a transaction that was committed, but not yet published.
pub(super) fn receipt(
    connection: &Connection,
    hash: &ReceiptHash,
) -> Result<Option<StoredReceipt>, LedgerError> {
    let mut statement = connection
        .prepare_cached("SELECT leaf, signature, payload FROM receipts WHERE key = ? AND hash = ?")?;
    let row = statement.query_row((receipt_key(hash), hash.as_bytes()), |row| {
        Ok(StoredReceipt { leaf: row.get(0)?, signature: row.get(1)?, payload: row.get(2)? })
    });
    Ok(row.optional()?)
}

pub(super) fn request(connection: &Connection, leaf: u64) -> Result<Option<Vec<u8>>, LedgerError> {
    let mut statement = connection.prepare_cached("SELECT body FROM requests WHERE leaf = ?")?;
    Ok(statement.query_row([leaf], |row| row.get(0)).optional()?)
}

pub(super) fn evidence(connection: &Connection, leaf: u64) -> Result<Vec<StoredBlob>, LedgerError> {
    let mut statement = connection.prepare_cached(
        "SELECT role, evidence.sha256, bytes FROM evidence LEFT JOIN blobs USING (sha256)
         WHERE leaf = ? ORDER BY position",
    )?;
    let rows = statement.query_map([leaf], |row| {
        Ok(StoredBlob { role: row.get(0)?, sha256: row.get(1)?, bytes: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn counts(connection: &Connection) -> Result<Vec<ClassCount>, LedgerError> {
    let mut statement = connection.prepare_cached("SELECT class, free, paid FROM counts")?;
    let rows = statement
        .query_map([], |row| Ok(ClassCount { class: row.get(0)?, free: row.get(1)?, paid: row.get(2)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn trials(connection: &Connection, most: u32) -> Result<Vec<TrialRequest>, LedgerError> {
    let mut statement = connection.prepare_cached(
        "SELECT request_id, agent, endpoint, contact, reason, at FROM trials ORDER BY id DESC LIMIT ?",
    )?;
    let rows = statement.query_map([most], |row| {
        let at = row.get(5)?;
        Ok(TrialRequest {
            request_id: row.get(0)?,
            agent: row.get(1)?,
            endpoint: row.get(2)?,
            contact: row.get(3)?,
            reason: row.get(4)?,
            at: Timestamp::from_millis(at).map_err(|_| Error::IntegralValueOutOfRange(5, at))?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The log entries of a range of leaves, all of them.
pub(super) fn entries(connection: &Connection, range: Range<u64>) -> Result<Vec<Vec<u8>>, LedgerError> {
    let mut statement =
        connection.prepare_cached("SELECT entry FROM leaves WHERE leaf >= ? AND leaf < ? ORDER BY leaf")?;
    let rows = statement.query_map([range.start, range.end], |row| row.get(0))?;
    let entries: Vec<Vec<u8>> = rows.collect::<Result<_, _>>()?;
    if entries.len() as u64 != range.end - range.start {
        return Err(LedgerError::Corrupt(format!("leaves {range:?} are not all there")));
    }
    Ok(entries)
}

/// The hashes of a stored full tile.
pub(super) fn full_tile(connection: &Connection, level: u8, number: u64) -> Result<Arc<[Hash]>, LedgerError> {
    let what = || format!("full tile {number} of level {level}");
    let select = "SELECT hashes FROM tiles WHERE level = ? AND number = ?";
    let hashes: Vec<Hash> = hashes(connection, select, (level, number), what)?;
    if hashes.len() == usize::from(FULL_WIDTH) { Ok(hashes.into()) } else { Err(misshapen(what())) }
}

/// The nodes over the groups of a stored full tile.
pub(super) fn upper(connection: &Connection, level: u8, number: u64) -> Result<Folded, LedgerError> {
    let what = || format!("the upper half of full tile {number} of level {level}");
    let select = "SELECT upper FROM tiles WHERE level = ? AND number = ?";
    let nodes = hashes(connection, select, (level, number), what)?;
    Folded::from_nodes(GROUP, nodes.into()).ok_or_else(|| misshapen(what()))
}

/// A stored group of tile level 0.
pub(super) fn group(connection: &Connection, number: u64) -> Result<Folded, LedgerError> {
    let what = || format!("group {number}");
    let nodes = hashes(connection, "SELECT nodes FROM groups WHERE number = ?", [number], what)?;
    Folded::from_nodes(GROUP, nodes.into()).ok_or_else(|| misshapen(what()))
}

/// The hashes in a blob.
fn hashes(
    connection: &Connection,
    select: &str,
    key: impl Params,
    what: impl Fn() -> String,
) -> Result<Vec<Hash>, LedgerError> {
    let hashes = connection.prepare_cached(select)?.query_row(key, |row| {
        let (hashes, rest) = row.get_ref(0)?.as_blob()?.as_chunks::<32>();
        Ok(rest.is_empty().then(|| hashes.iter().copied().map(Hash).collect()))
    });
    let hashes = hashes.optional()?;
    let hashes = hashes.ok_or_else(|| LedgerError::Corrupt(format!("{} is not there", what())))?;
    hashes.ok_or_else(|| misshapen(what()))
}

fn misshapen(what: String) -> LedgerError {
    LedgerError::Corrupt(format!("{what} has another number of hashes than it must have"))
}

//! The statements that read the log.

use std::ops::Range;

use ledger::back_end::{GROUP, TileNodes};
use ledger::{LedgerError, MAX_SHORT_PAYLOAD, StoredReceipt};
use receipt::hash::ReceiptHash;
use tlog::Hash;
use tlog::tile::{FULL_WIDTH, TileError, decode_bundle, encode_bundle};
use tokio_postgres::Row;

use super::batch::receipt_key;
use super::head::number;
use crate::columns::{Columns, row_id};
use crate::connection::{Connection, Param, Result};

fn stored(row: &Row, first: usize) -> Result<StoredReceipt> {
    let signature: [u8; 64] = row.bytes(first + 1)?;
    Ok(StoredReceipt { leaf: row.unsigned(first)?, signature, payload: row.try_get(first + 2)? })
}

/// The receipt of that hash, if it was not erased.
pub(crate) async fn receipt(connection: Connection<'_>, hash: &ReceiptHash) -> Result<Option<StoredReceipt>> {
    let select = "SELECT leaf, signature, payload FROM receipts
        WHERE key = $1 AND hash = $2 AND length(signature) > 0";
    let row = connection.maybe(select, &[&receipt_key(hash), &hash.as_bytes().as_slice()]).await?;
    row.map(|row| stored(&row, 0)).transpose()
}

/// The receipts that record changes of keys, in the order of their leaves.
pub(crate) async fn key_records(connection: Connection<'_>) -> Result<Vec<StoredReceipt>> {
    let select = "SELECT receipts.leaf, signature, payload FROM key_records
        JOIN receipts ON receipts.leaf = key_records.leaf ORDER BY receipts.leaf";
    connection.rows(select, &[]).await?.iter().map(|row| stored(row, 0)).collect()
}

/// The receipts of those hashes, as far as they are short; see [`Ledger::short_receipts`](ledger::Ledger::short_receipts).
pub(crate) async fn short_receipts(
    connection: Connection<'_>,
    hashes: &[ReceiptHash],
) -> Result<Vec<Option<StoredReceipt>>> {
    let most_bytes = i64::try_from(MAX_SHORT_PAYLOAD).unwrap_or(i64::MAX);
    let keys: Vec<i64> = hashes.iter().map(receipt_key).collect();
    let select = "SELECT leaf, signature, payload, hash FROM receipts
        WHERE key = ANY($1::BIGINT[]) AND length(signature) > 0 AND length(payload)::BIGINT <= $2";
    let mut found = std::collections::HashMap::new();
    for row in connection.rows(select, &[&keys, &most_bytes]).await? {
        let hash: [u8; 32] = row.bytes(3)?;
        found.insert(hash, stored(&row, 0)?);
    }
    Ok(hashes.iter().map(|hash| found.get(hash.as_bytes()).cloned()).collect())
}

/// The log entries of a range of leaves of one bundle, from its beginning on, in the bundle's form.
pub(crate) async fn bundle(connection: Connection<'_>, range: Range<u64>) -> Result<Vec<u8>> {
    let select = "SELECT leaf, width, entries FROM leaves WHERE leaf >= $1 AND leaf < $2 ORDER BY leaf";
    let rows = connection.rows(select, &[&row_id(range.start), &row_id(range.end)]).await?;
    let mut bundle = Vec::new();
    let mut next = range.start;
    for row in &rows {
        if row.unsigned(0)? != next {
            break;
        }
        bundle.extend_from_slice(row.try_get(2)?);
        next += row.unsigned(1)?;
    }
    match next.checked_sub(range.end) {
        Some(0) => Ok(bundle),
        Some(_) => cut(&bundle, range),
        None => Err(LedgerError::Corrupt(format!("leaves {range:?} are not all there")).into()),
    }
}

/// The first entries of a bundle: as many as the range is long.
fn cut(bundle: &[u8], range: Range<u64>) -> Result<Vec<u8>> {
    let width = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
    let unsound = |error: TileError| LedgerError::Corrupt(format!("leaves {range:?}: {error}"));
    let entries = decode_bundle(bundle).map_err(unsound)?;
    Ok(encode_bundle(&entries[..width.min(entries.len())]).map_err(unsound)?)
}

/// The hashes of a stored full tile.
pub(crate) async fn full_tile(connection: Connection<'_>, level: u8, index: u64) -> Result<Vec<Hash>> {
    let what = || format!("full tile {index} of level {level}");
    let select = "SELECT hashes FROM tiles WHERE level = $1 AND number = $2";
    let hashes = hashes(connection, select, &[&i64::from(level), &number(index)?], what).await?;
    if hashes.len() == usize::from(FULL_WIDTH) { Ok(hashes) } else { Err(misshapen(what()).into()) }
}

/// The nodes over the groups of a stored full tile.
pub(crate) async fn upper(connection: Connection<'_>, level: u8, index: u64) -> Result<TileNodes> {
    let what = || format!("the upper half of full tile {index} of level {level}");
    let select = "SELECT upper FROM tiles WHERE level = $1 AND number = $2";
    let nodes = hashes(connection, select, &[&i64::from(level), &number(index)?], what).await?;
    Ok(TileNodes::from_nodes(GROUP, nodes.into()).ok_or_else(|| misshapen(what()))?)
}

/// A stored group of tile level 0.
pub(crate) async fn group(connection: Connection<'_>, index: u64) -> Result<TileNodes> {
    let what = || format!("group {index}");
    let select = "SELECT nodes FROM groups WHERE number = $1";
    let nodes = hashes(connection, select, &[&number(index)?], what).await?;
    Ok(TileNodes::from_nodes(GROUP, nodes.into()).ok_or_else(|| misshapen(what()))?)
}

/// The hashes in a column of bytes.
async fn hashes(
    connection: Connection<'_>,
    select: &'static str,
    key: &[Param<'_>],
    what: impl Fn() -> String,
) -> Result<Vec<Hash>> {
    let row = connection.maybe(select, key).await?;
    let row = row.ok_or_else(|| LedgerError::Corrupt(format!("{} is not there", what())))?;
    Ok(hashes_in(row.try_get(0)?).ok_or_else(|| misshapen(what()))?)
}

/// The hashes in bytes; `None` where they are not of 32 bytes each.
pub(crate) fn hashes_in(bytes: &[u8]) -> Option<Vec<Hash>> {
    let (hashes, rest) = bytes.as_chunks::<32>();
    rest.is_empty().then(|| hashes.iter().copied().map(Hash).collect())
}

pub(crate) fn misshapen(what: String) -> LedgerError {
    LedgerError::Corrupt(format!("{what} has another number of hashes than it must have"))
}

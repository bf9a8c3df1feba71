//! The erasure of a receipt, in the transaction that logs the receipt about it.

use ledger::{ErasedReceipt, Erases, LedgerError, LedgerRecord, NotErasable, WebhookState};
use receipt::hash::ReceiptHash;
use rusqlite::{Connection, OptionalExtension, Result, params};
use tlog::tile::{FULL_WIDTH, decode_bundle};

use super::{asked_rows, expire_steps};
use crate::columns::{CodeColumn, Millis};
use crate::failure::ConnectionError;
use crate::log::index::{RecentKeys, receipt_key};
use crate::log::reads;

/// Refuses an erasure that must not be carried out.
pub(crate) fn check(connection: &Connection, erases: &Erases) -> Result<(), ConnectionError> {
    let refused = |why| Err(LedgerError::NotErasable(why).into());
    let select = "SELECT length(signature) = 0 FROM receipts WHERE leaf = ? AND hash = ?";
    let mut statement = connection.prepare_cached(select)?;
    let leaf = i64::try_from(erases.leaf).ok();
    let is_erased =
        statement.query_row(params![leaf, erases.hash.as_bytes()], |row| row.get(0)).optional()?;
    match is_erased {
        None => return refused(NotErasable::Unknown),
        Some(true) => return refused(NotErasable::Erased),
        Some(false) => {}
    }
    let needs = expire_steps::needs(connection, erases.leaf)?;
    needs.check_erasable().map_err(|why| LedgerError::NotErasable(why).into())
}

/// Erases a receipt, after [`check`] within the same transaction.
pub(crate) fn erase(connection: &Connection, record: &LedgerRecord, erases: &Erases) -> Result<()> {
    let Erases { hash, leaf, memory } = erases;
    let entry =
        entry(connection, *leaf).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.0.into()))?;
    let signed_at = record.signed_at.as_millis();
    connection
        .prepare_cached("UPDATE receipts SET signature = x'', payload = ? WHERE leaf = ?")?
        .execute(params![entry, leaf])?;
    let removed = expire_steps::remove(connection, *leaf)?;
    expire_steps::forget_kept_longer(connection, *leaf)?;
    // A later receipt has another memory than the one that is erased.
    let of_receipt = ledger::rules::retention::AgedReceipt::of_entry(*leaf, &entry);
    if let (Some(memory), Some(of_receipt)) = (memory, of_receipt) {
        connection
            .prepare_cached("DELETE FROM memories WHERE key = ? AND at = ?")?
            .execute(params![memory.0, of_receipt.signed_at.as_millis()])?;
    }
    forget_watch(connection, hash)?;
    // The row stays, and is shown no more: its webhook may be under way, and a later row would get its id.
    connection
        .prepare_cached(
            "UPDATE alerts SET verdict = '', error = NULL, state = CASE state WHEN 0 THEN ?1 ELSE state END,
                due_at = CASE state WHEN 0 THEN ?2 ELSE due_at END WHERE leaf = ?3",
        )?
        .execute(params![CodeColumn(WebhookState::Dropped), signed_at, leaf])?;
    connection
        .prepare_cached("INSERT INTO erased (leaf, logged_by, at) VALUES (?, ?, ?)")?
        .execute(params![leaf, record.hash.as_bytes(), signed_at])?;
    asked_rows::done(connection, hash, &record.hash, removed.shared)
}

/// Deletes the ended watch that a receipt has opened, with its alerts.
fn forget_watch(connection: &Connection, receipt: &ReceiptHash) -> Result<()> {
    let select = "SELECT id FROM watches INDEXED BY watch_receipts WHERE receipt = ?";
    let id = connection.prepare_cached(select)?.query_row([receipt.as_bytes()], |row| row.get::<_, i64>(0));
    if let Some(id) = id.optional()? {
        connection.prepare_cached("DELETE FROM alerts WHERE watch = ?")?.execute([id])?;
        connection.prepare_cached("DELETE FROM watches WHERE id = ?")?.execute([id])?;
    }
    Ok(())
}

/// The log entry at a leaf.
fn entry(connection: &Connection, leaf: u64) -> Result<Vec<u8>, ConnectionError> {
    let first = leaf / u64::from(FULL_WIDTH) * u64::from(FULL_WIDTH);
    let bundle = reads::bundle(connection, first..leaf + 1)?;
    let entries = decode_bundle(&bundle).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
    let entry = entries.last().ok_or_else(|| LedgerError::Corrupt(format!("leaf {leaf} is not there")))?;
    Ok(entry.to_vec())
}

/// The erased receipt of a hash.
pub(crate) fn erased(
    connection: &Connection,
    recent: &RecentKeys,
    hash: &ReceiptHash,
) -> Result<Option<ErasedReceipt>> {
    let key = receipt_key(hash);
    // In this order: a key leaves the memory only once the table has it.
    let leaf = match recent.leaf(key) {
        Some(leaf) => i64::try_from(leaf).ok(),
        None => {
            let select = "SELECT leaf FROM keys WHERE key = ?";
            connection.prepare_cached(select)?.query_row([key], |row| row.get(0)).optional()?
        }
    };
    let mut statement = connection.prepare_cached(
        "SELECT leaf, payload, logged_by, at FROM receipts JOIN erased USING (leaf) WHERE leaf = ? AND hash = ?",
    )?;
    let row = statement.query_row(params![leaf, hash.as_bytes()], |row| {
        Ok(ErasedReceipt {
            leaf: row.get(0)?,
            entry: row.get(1)?,
            logged_by: ReceiptHash(row.get(2)?),
            at: row.get::<_, Millis>(3)?.0,
        })
    });
    row.optional()
}

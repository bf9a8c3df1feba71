//! The erasure of a receipt, in the transaction that logs the receipt about it.

use ledger::rules::retention::AgedReceipt;
use ledger::{ErasedReceipt, Erases, LedgerError, LedgerRecord, NotErasable, WebhookState};
use receipt::hash::ReceiptHash;
use tlog::tile::{FULL_WIDTH, decode_bundle};

use super::{asked_rows, expire_steps};
use crate::columns::{Coded as _, Columns as _, row_id};
use crate::connection::{Connection, Result};
use crate::log::batch::receipt_key;
use crate::log::reads;

/// Refuses an erasure that must not be carried out.
pub(crate) async fn check(connection: Connection<'_>, erases: &Erases) -> Result<()> {
    let refused = |why| Err(LedgerError::NotErasable(why).into());
    let select = "SELECT length(signature) = 0 FROM receipts WHERE leaf = $1 AND hash = $2";
    let (leaf, hash) = (row_id(erases.leaf), erases.hash.as_bytes().as_slice());
    match connection.maybe(select, &[&leaf, &hash]).await? {
        None => return refused(NotErasable::Unknown),
        Some(row) if row.try_get(0)? => return refused(NotErasable::Erased),
        Some(_) => {}
    }
    let needs = expire_steps::needs(connection, &[erases.leaf]).await?;
    let needs = needs.get(&erases.leaf).copied().unwrap_or_default();
    Ok(needs.check_erasable().map_err(LedgerError::NotErasable)?)
}

/// Erases a receipt, after [`check`] within the same transaction.
pub(crate) async fn erase(connection: Connection<'_>, record: &LedgerRecord, erases: &Erases) -> Result<()> {
    let Erases { hash, leaf, memory } = erases;
    let (row, signed_at) = (row_id(*leaf), record.signed_at.as_millis());
    let entry = entry(connection, *leaf).await?;
    let update = "UPDATE receipts SET signature = ''::BYTEA, payload = $2 WHERE leaf = $1";
    connection.run(update, &[&row, &entry]).await?;
    let removed = expire_steps::remove(connection, &[*leaf]).await?;
    // A later receipt has another memory than the one that is erased.
    if let (Some(memory), Some(of_receipt)) = (memory, AgedReceipt::of_entry(*leaf, &entry)) {
        let delete = "DELETE FROM memories WHERE key = $1 AND at = $2";
        connection.run(delete, &[&memory.0.as_slice(), &of_receipt.signed_at.as_millis()]).await?;
    }
    let watch = "DELETE FROM watches WHERE receipt = $1 RETURNING id";
    for watch in connection.returning(watch, &[&hash.as_bytes().as_slice()]).await? {
        let id: i64 = watch.try_get(0)?;
        connection.run("DELETE FROM alerts WHERE watch = $1", &[&id]).await?;
    }
    // The row stays, and is shown no more: its webhook may be under way.
    let drop =
        "UPDATE alerts SET verdict = '', error = NULL, state = CASE state WHEN 0 THEN $2 ELSE state END,
            due_at = CASE state WHEN 0 THEN $3 ELSE due_at END
        WHERE leaf = $1";
    connection.run(drop, &[&row, &WebhookState::Dropped.code(), &signed_at]).await?;
    let insert = "INSERT INTO erased (leaf, logged_by, at) VALUES ($1, $2, $3)";
    connection.run(insert, &[&row, &record.hash.as_bytes().as_slice(), &signed_at]).await?;
    asked_rows::done(connection, hash, record, removed.shared).await
}

/// The log entry at a leaf.
async fn entry(connection: Connection<'_>, leaf: u64) -> Result<Vec<u8>> {
    let first = leaf / u64::from(FULL_WIDTH) * u64::from(FULL_WIDTH);
    let bundle = reads::bundle(connection, first..leaf + 1).await?;
    let entries = decode_bundle(&bundle).map_err(|error| LedgerError::Corrupt(error.to_string()))?;
    let entry = entries.last().ok_or_else(|| LedgerError::Corrupt(format!("leaf {leaf} is not there")))?;
    Ok(entry.to_vec())
}

/// The erased receipt of a hash.
pub(crate) async fn erased(connection: Connection<'_>, hash: &ReceiptHash) -> Result<Option<ErasedReceipt>> {
    let select = "SELECT leaf, payload, logged_by, at FROM receipts JOIN erased USING (leaf)
        WHERE key = $1 AND hash = $2";
    let row = connection.maybe(select, &[&receipt_key(hash), &hash.as_bytes().as_slice()]).await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(ErasedReceipt {
        leaf: row.unsigned(0)?,
        entry: row.try_get(1)?,
        logged_by: ReceiptHash(row.bytes(2)?),
        at: row.millis(3)?,
    }))
}

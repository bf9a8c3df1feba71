//! The records of keys, and the keys that the store is bound to while they change.

use std::collections::HashSet;

use ledger::rules::keys::KeysInUse;
use ledger::{Identity, KeyStep, LedgerError, LedgerRecord, StoredReceipt};
use rusqlite::{Connection, OptionalExtension as _, Result, Row};

use crate::failure::ConnectionError;

/// The keys in use. The marks of the steps taken are only read where one of the records has a step.
pub(crate) fn in_use<'a>(
    transaction: &Connection,
    log_keys: Vec<String>,
    records: impl IntoIterator<Item = &'a LedgerRecord>,
) -> std::result::Result<KeysInUse, ConnectionError> {
    let mut select =
        transaction.prepare_cached("SELECT receipt_kid, log_vkey, rerun_kid, webhook_key FROM identity")?;
    let identity = select.query_row([], |row: &Row<'_>| {
        Ok(Identity {
            receipt_kid: row.get(0)?,
            log_vkey: row.get(1)?,
            rerun_kid: row.get(2)?,
            webhook_key: row.get(3)?,
            ..Identity::default()
        })
    });
    let not_bound = || LedgerError::Corrupt("it is not bound to any keys".to_owned());
    let identity = identity.optional()?.ok_or_else(not_bound)?;
    let mut noted = HashSet::new();
    if records.into_iter().any(|record| record.key.is_some()) {
        let mut select = transaction.prepare_cached("SELECT mark FROM key_records")?;
        noted = select.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    }
    Ok(KeysInUse::new(identity, log_keys, noted))
}

/// Stores that the receipt at a leaf records a step.
pub(crate) fn insert(transaction: &Connection, leaf: u64, step: &KeyStep) -> Result<()> {
    transaction
        .prepare_cached("INSERT INTO key_records (leaf, mark) VALUES (?, ?)")?
        .execute((leaf, step.mark()))?;
    Ok(())
}

/// Binds the store to changed keys.
pub(crate) fn bind(transaction: &Connection, identity: &Identity) -> Result<()> {
    let Identity { receipt_kid, log_vkey, rerun_kid, webhook_key, .. } = identity;
    transaction.execute(
        "UPDATE identity SET receipt_kid = ?, log_vkey = ?, rerun_kid = ?, webhook_key = ?",
        (receipt_kid, log_vkey, rerun_kid, webhook_key),
    )?;
    Ok(())
}

/// The receipts that record steps, in the order of their leaves.
pub(crate) fn records(connection: &Connection) -> Result<Vec<StoredReceipt>> {
    let mut select = connection.prepare_cached(
        "SELECT leaf, signature, payload FROM key_records JOIN receipts USING (leaf) ORDER BY leaf",
    )?;
    let stored =
        |row: &Row<'_>| Ok(StoredReceipt { leaf: row.get(0)?, signature: row.get(1)?, payload: row.get(2)? });
    select.query_map([], stored)?.collect()
}

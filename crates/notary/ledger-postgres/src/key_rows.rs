//! The records of keys, and the keys that the store is bound to while they change.

use std::collections::HashSet;

use ledger::rules::keys::KeysInUse;
use ledger::{Identity, KeyStep, LedgerError};

use crate::connection::{Connection, Param, Result};
use crate::log::head::number;

pub(crate) const IN_USE: &str = "SELECT receipt_kid, log_vkey, rerun_kid, webhook_key FROM identity";

/// The keys in use. The marks of the steps taken are only read where a record `has_step`.
pub(crate) async fn in_use(
    connection: Connection<'_>,
    log_keys: Vec<String>,
    has_step: bool,
) -> Result<KeysInUse> {
    let not_bound = || LedgerError::Corrupt("it is not bound to any keys".to_owned());
    let row = connection.maybe(IN_USE, &[]).await?.ok_or_else(not_bound)?;
    let identity = Identity {
        receipt_kid: row.try_get(0)?,
        log_vkey: row.try_get(1)?,
        rerun_kid: row.try_get(2)?,
        webhook_key: row.try_get(3)?,
        ..Identity::default()
    };
    let mut noted = HashSet::new();
    if has_step {
        for row in connection.rows("SELECT mark FROM key_records", &[]).await? {
            noted.insert(row.try_get(0)?);
        }
    }
    Ok(KeysInUse::new(identity, log_keys, noted))
}

/// Stores that the receipt at a leaf records a step.
pub(crate) async fn insert(connection: Connection<'_>, leaf: u64, step: &KeyStep) -> Result<()> {
    let insert = "INSERT INTO key_records (leaf, mark) VALUES ($1, $2)";
    connection.run(insert, &[&number(leaf)?, &step.mark()]).await?;
    Ok(())
}

/// Binds the store to changed keys.
pub(crate) async fn bind(connection: Connection<'_>, identity: &Identity) -> Result<()> {
    let Identity { receipt_kid, log_vkey, rerun_kid, webhook_key, .. } = identity;
    let update = "UPDATE identity SET receipt_kid = $1, log_vkey = $2, rerun_kid = $3, webhook_key = $4";
    let values: [Param<'_>; 4] = [receipt_kid, log_vkey, rerun_kid, webhook_key];
    connection.run(update, &values).await?;
    Ok(())
}

/// Keeps others from changing the keys that the store is bound to until the transaction ends.
pub(crate) async fn lock(connection: Connection<'_>) -> Result<()> {
    connection.rows("SELECT only_one FROM identity FOR UPDATE", &[]).await?;
    Ok(())
}

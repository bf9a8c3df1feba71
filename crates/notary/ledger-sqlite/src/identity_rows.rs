//! The identity that a store is bound to.

use ledger::{Identity, IdentityRule, LedgerError, PriceTable};
use rusqlite::{Connection, OptionalExtension, Result, Row};

use crate::failure::ConnectionError;

/// The identity that the store is bound to, without retired keys; `None` where it is not bound yet. The store may be of an
/// earlier version, which has the keys of receipts and of the log alone.
pub(crate) fn bound(connection: &Connection) -> Result<Option<Identity>, ConnectionError> {
    let knows_all = "SELECT EXISTS (SELECT 1 FROM pragma_table_info('identity') WHERE name = 'prices')";
    let knows_all: bool = connection.query_row(knows_all, [], |row| row.get(0))?;
    let select = if knows_all {
        "SELECT receipt_kid, log_vkey, rerun_kid, webhook_key, prices FROM identity"
    } else {
        "SELECT receipt_kid, log_vkey, NULL, NULL, NULL FROM identity"
    };
    let row = connection.query_row(select, [], |row: &Row<'_>| {
        let identity = Identity {
            receipt_kid: row.get(0)?,
            retired_kids: Vec::new(),
            recorded: Vec::new(),
            log_vkey: row.get(1)?,
            next_log_vkey: None,
            rerun_kid: row.get(2)?,
            webhook_key: row.get(3)?,
            prices: None,
        };
        Ok((identity, row.get::<_, Option<String>>(4)?))
    });
    let Some((identity, prices)) = row.optional()? else { return Ok(None) };
    let unreadable = || LedgerError::Corrupt("the stored price table cannot be read".to_owned());
    let prices = prices.map(|text| PriceTable::parse(&text).ok_or_else(unreadable)).transpose()?;
    Ok(Some(Identity { prices, recorded: recorded(connection)?, ..identity }))
}

/// The marks of the records of keys; none in a store of before there were any.
fn recorded(connection: &Connection) -> Result<Vec<String>> {
    let has_table =
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'key_records')";
    if !connection.query_row(has_table, [], |row| row.get(0))? {
        return Ok(Vec::new());
    }
    connection.prepare("SELECT mark FROM key_records")?.query_map([], |row| row.get(0))?.collect()
}

/// Stores what has changed from `stored` to `identity`, and returns it; see [`Identity::changes`]. The one process that has
/// the store open may have other keys of reruns and webhooks, and other prices, than the one before it.
pub(crate) fn adopt(
    connection: &Connection,
    identity: &Identity,
    stored: &Identity,
) -> Result<Vec<String>, ConnectionError> {
    let changes = identity.changes(stored, IdentityRule::Adopt)?;
    if !changes.is_empty() {
        let Identity { receipt_kid, rerun_kid, webhook_key, prices, .. } = identity.over(stored);
        let prices = prices.as_ref().map(ToString::to_string);
        connection.execute(
            "UPDATE identity SET receipt_kid = ?, rerun_kid = ?, webhook_key = ?, prices = ?",
            (receipt_kid, rerun_kid, webhook_key, prices),
        )?;
    }
    Ok(changes)
}

/// Binds a new store.
pub(crate) fn insert(connection: &Connection, identity: &Identity) -> Result<(), ConnectionError> {
    let Identity { receipt_kid, log_vkey, rerun_kid, webhook_key, prices, .. } = identity;
    let prices = prices.as_ref().map(ToString::to_string);
    connection.execute(
        "INSERT INTO identity (only, receipt_kid, log_vkey, rerun_kid, webhook_key, prices) VALUES (1, ?, ?, ?, ?, ?)",
        (receipt_kid, log_vkey, rerun_kid, webhook_key, prices),
    )?;
    Ok(())
}

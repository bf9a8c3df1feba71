//! The identity that a store is bound to.

use ledger::{Identity, LedgerError, PriceTable};

use crate::connection::{Connection, Param, Result};
use crate::migrate::has_table;

/// The identity that the store is bound to, without retired keys; `None` where it is not bound yet.
pub(crate) async fn bound(connection: Connection<'_>) -> Result<Option<Identity>> {
    let select = "SELECT receipt_kid, log_vkey, rerun_kid, webhook_key, prices FROM identity";
    let Some(row) = connection.maybe(select, &[]).await? else { return Ok(None) };
    let mut recorded = Vec::new();
    // A store of before there were records of keys has none.
    if has_table(connection, "key_records").await? {
        for row in connection.rows("SELECT mark FROM key_records", &[]).await? {
            recorded.push(row.try_get(0)?);
        }
    }
    Ok(Some(Identity {
        receipt_kid: row.try_get(0)?,
        retired_kids: Vec::new(),
        recorded,
        log_vkey: row.try_get(1)?,
        next_log_vkey: None,
        rerun_kid: row.try_get(2)?,
        webhook_key: row.try_get(3)?,
        prices: row.try_get::<_, Option<&str>>(4)?.map(table).transpose()?,
    }))
}

fn table(text: &str) -> Result<PriceTable> {
    let unreadable = || LedgerError::Corrupt("the stored price table cannot be read".to_owned());
    Ok(PriceTable::parse(text).ok_or_else(unreadable)?)
}

/// Binds a new store, or one that is bound already.
pub(crate) async fn write(connection: Connection<'_>, identity: &Identity) -> Result<()> {
    let Identity { receipt_kid, log_vkey, rerun_kid, webhook_key, prices, .. } = identity;
    let prices = prices.as_ref().map(ToString::to_string);
    let write = "INSERT INTO identity (only_one, receipt_kid, log_vkey, rerun_kid, webhook_key, prices)
        VALUES (1, $1, $2, $3, $4, $5)
        ON CONFLICT (only_one) DO UPDATE SET receipt_kid = excluded.receipt_kid, rerun_kid = excluded.rerun_kid,
            webhook_key = excluded.webhook_key, prices = excluded.prices";
    let values: [Param<'_>; 5] = [receipt_kid, log_vkey, rerun_kid, webhook_key, &prices];
    connection.run(write, &values).await?;
    Ok(())
}

/// Refuses prices that are not those of the store.
pub(crate) async fn check_prices(
    connection: Connection<'_>,
    prices: impl Iterator<Item = (&str, u64)>,
) -> Result<()> {
    let row = connection.maybe("SELECT prices FROM identity", &[]).await?;
    let Some(text) = row.map(|row| row.try_get::<_, Option<String>>(0)).transpose()?.flatten() else {
        return Ok(());
    };
    let differences = prices.collect::<PriceTable>().differences(&table(&text)?);
    if differences.is_empty() {
        return Ok(());
    }
    Err(LedgerError::OtherPrices(differences.join("; ")).into())
}

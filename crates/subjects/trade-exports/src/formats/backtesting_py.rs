//! backtesting.py: `stats["_trades"].to_csv()`.
//!
//! Columns: `Size` (below zero for a short position), `EntryPrice`, `ExitPrice`, `PnL` (after `Commission`), `Commission` (from 0.6
//! on), `EntryTime`, `ExitTime`, `Tag`. The index is written as a column without a name, or not at all.

use super::within;
use crate::error::ImportError;
use crate::lost::Losses;
use crate::money::Money;
use crate::options::Options;
use crate::request::Record;
use crate::table::moment;
use crate::trade::{Side, Trade};
use crate::{Decimal, Format, Imported};

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let needed = ["Size", "EntryPrice", "ExitPrice", "PnL", "EntryTime", "ExitTime"];
    let table = super::table_with(Format::BacktestingPy, content, &needed)?;
    let [size, entry, exit] =
        [table.need(&["Size"])?, table.need(&["EntryPrice"])?, table.need(&["ExitPrice"])?];
    let [profit, opened, closed] =
        [table.need(&["PnL"])?, table.need(&["EntryTime"])?, table.need(&["ExitTime"])?];
    let commission = table.find(&["Commission"]);
    let mut losses = Losses::default();
    let clock = table.clock(options, None, &[&opened, &closed], &mut losses)?;
    let mut money = Money::new(options);
    let mut trades = Vec::new();
    for row in &table.rows {
        let rate = money.rate(row.number, &profit.name, "")?;
        let amount = |number: Decimal| within(number.times(rate), row.number);
        let signed = table.need_number(row, &size)?;
        if signed.is_zero() {
            return Err(row.error(&size, "a size other than zero"));
        }
        trades.push(Trade {
            row: row.number,
            side: Some(Side::of_size(signed)),
            opened_at: Some(moment(&clock, row, &opened, &mut losses)?.at),
            closed_at: Some(moment(&clock, row, &closed, &mut losses)?.at),
            size: Some(signed.abs()),
            entry_price: Some(amount(table.price(row, &entry)?)?),
            exit_price: Some(amount(table.price(row, &exit)?)?),
            fees: table.maybe(row, commission.as_ref())?.map(amount).transpose()?,
            pnl_net: Some(amount(table.need_number(row, &profit)?)?),
            ..Trade::default()
        });
    }
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, ..Record::default() }.imported(options, losses)
}

//! QuantConnect: the trades of a backtest, downloaded as CSV.
//!
//! Columns: `Entry Time`, `Symbols` or `Symbol`, `Exit Time`, `Direction`, `Entry Price`, `Exit Price`, `Quantity`, `P&L` (before
//! fees), `Fees`. Times are UTC.

use super::{side, within};
use crate::error::ImportError;
use crate::lost::Losses;
use crate::money::Money;
use crate::options::{Options, Zone};
use crate::request::Record;
use crate::table::moment;
use crate::trade::Trade;
use crate::{Decimal, Format, Imported};

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let table = super::table_with(Format::QuantConnect, content, &["Entry Time", "Exit Time", "Direction"])?;
    let [opened, closed, direction] =
        [table.need(&["Entry Time"])?, table.need(&["Exit Time"])?, table.need(&["Direction"])?];
    let symbol = table.need(&["Symbols", "Symbol"])?;
    let [entry, exit, size] =
        [table.need(&["Entry Price"])?, table.need(&["Exit Price"])?, table.need(&["Quantity"])?];
    let (profit, fees) = (
        table.need(&["P&L", "Profit/Loss", "ProfitLoss", "Profit"])?,
        table.find(&["Fees", "Total Fees", "TotalFees"]),
    );
    let mut losses = Losses::default();
    let clock = table.clock(options, Some(Zone::utc()), &[&opened, &closed], &mut losses)?;
    let mut money = Money::new(options);
    let mut trades = Vec::new();
    for row in &table.rows {
        let rate = money.rate(row.number, &profit.name, "")?;
        let amount = |number: Decimal| within(number.times(rate), row.number);
        let fee = table.maybe(row, fees.as_ref())?.map(amount).transpose()?;
        let gross = amount(table.need_number(row, &profit)?)?;
        trades.push(Trade {
            row: row.number,
            instrument: Some(row.text(&symbol).to_owned()).filter(|name| !name.is_empty()),
            side: Some(side(row, &direction)?),
            opened_at: Some(moment(&clock, row, &opened, &mut losses)?.at),
            closed_at: Some(moment(&clock, row, &closed, &mut losses)?.at),
            size: Some(table.need_number(row, &size)?.abs()),
            entry_price: Some(amount(table.price(row, &entry)?)?),
            exit_price: Some(amount(table.price(row, &exit)?)?),
            fees: fee,
            pnl_net: Some(within(gross.minus(fee.unwrap_or_default()), row.number)?),
            ..Trade::default()
        });
    }
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, has_lots: true, ..Record::default() }
        .imported(options, losses)
}

//! Interactive Brokers: activity statement with the section `Trades`, or transaction history (CSV).
//!
//! Each line begins with its section and `Header` or `Data`. Activity columns: `DataDiscriminator` (`Order`), `Asset Category`,
//! `Currency`, `Symbol`, `Date/Time`, `Quantity` (below zero for a sale), `T. Price`, `Comm/Fee`, `Realized P/L` (after fees), `Code`.
//! Transaction history: `Date` (a day), `Transaction Type`, `Symbol`, `Quantity`, `Price`, `Gross Amount` and `Commission` in the base
//! currency.

use super::within;
use crate::error::{ImportError, Problem};
use crate::fill::Fill;
use crate::lost::{LossCode, Losses};
use crate::money::Money;
use crate::options::Options;
use crate::pair::pair;
use crate::request::Record;
use crate::table::{Column, Row, Table, csv_rows, moment};
use crate::{Decimal, Format, Imported};

const CASH: &str = "dividends, interest, taxes and charges belong to no trade and were left out";
const EXCHANGES: &str = "exchanges of currencies were left out";
const SUMMARIES: &str = "totals and lots, which repeat the orders, were left out";
const BASE_PRICES: &str =
    "amounts are in the account's base currency, and prices are what the amounts make them";

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let rows = csv_rows(content, b',')?;
    if let Some(table) = section(&rows, "Trades") {
        return activity(&table, options);
    }
    if let Some(table) = section(&rows, "Transaction History") {
        let base = rows.iter().find(|row| row.cell(0) == "Summary" && row.cell(2) == "Base Currency");
        return transactions(&table, base.map_or("", |row| row.cell(3)), options);
    }
    let missing = "a section `Trades` or `Transaction History`".to_owned();
    Err(Problem::OtherFormat { format: Format::IbkrActivity, missing }.anywhere())
}

/// The rows of a section, under its first header.
fn section(rows: &[Row], name: &str) -> Option<Table> {
    let header = rows.iter().find(|row| row.cell(0) == name && row.cell(1) == "Header")?;
    let names = (0..header.len()).map(|at| header.cell(at).to_owned()).collect();
    let data = rows.iter().filter(|row| row.cell(0) == name && row.cell(1) == "Data").cloned().collect();
    Some(Table::new(names, data))
}

fn activity(table: &Table, options: &Options) -> Result<Imported, ImportError> {
    let [kind, category, currency, symbol] = [
        table.need(&["DataDiscriminator"])?,
        table.need(&["Asset Category"])?,
        table.need(&["Currency"])?,
        table.need(&["Symbol"])?,
    ];
    let [time, quantity, price] =
        [table.need(&["Date/Time"])?, table.need(&["Quantity"])?, table.need(&["T. Price"])?];
    let (fee, profit) =
        (table.find(&["Comm/Fee", "Comm in USD"]), table.find(&["Realized P/L", "Realized P&L"]));
    let code = table.find(&["Code"]);
    let mut losses = Losses::default();
    let clock = table.clock(options, None, &[&time], &mut losses)?;
    let mut money = Money::new(options);
    let mut fills = Vec::new();
    for row in &table.rows {
        if !matches!(row.text(&kind), "Order" | "") {
            losses.count(LossCode::RowsLeftOut, SUMMARIES);
            continue;
        }
        if row.text(&category) == "Forex" {
            losses.count(LossCode::CurrencyExchangesLeftOut, EXCHANGES);
            continue;
        }
        let rate = money.rate(row.number, &currency.name, row.text(&currency))?;
        let amount = |number: Decimal| within(number.times(rate), row.number);
        let size = nonzero(table, row, &quantity)?;
        let at = moment(&clock, row, &time, &mut losses)?.at;
        let mut fill = Fill::new(row.number, at, row.text(&symbol), size, amount(table.price(row, &price)?)?);
        fill.fee = amount(table.maybe(row, fee.as_ref())?.unwrap_or_default().negated())?;
        let is_close = row.maybe(code.as_ref()).split(';').any(|code| code.trim() == "C");
        if is_close {
            let stated = table.maybe(row, profit.as_ref())?.map(amount).transpose()?;
            fill.orphan_profit =
                stated.map(|stated| within(stated.plus(fill.fee), row.number)).transpose()?;
            fill.is_close = true;
        }
        fills.push(fill);
    }
    let trades = pair(fills, true, options, &mut losses)?;
    let currency = money.named(&mut losses);
    Record { rows: table.rows.len(), trades, currency, ..Record::default() }.imported(options, losses)
}

fn transactions(table: &Table, base: &str, options: &Options) -> Result<Imported, ImportError> {
    let [date, kind, symbol] =
        [table.need(&["Date"])?, table.need(&["Transaction Type"])?, table.need(&["Symbol"])?];
    let [quantity, gross] = [table.need(&["Quantity"])?, table.need(&["Gross Amount"])?];
    let commission = table.find(&["Commission"]);
    let mut losses = Losses::default();
    let clock = table.clock(options, None, &[&date], &mut losses)?;
    let mut money = Money::new(options);
    let (mut fills, mut record) = (Vec::new(), Record { rows: table.rows.len(), ..Record::default() });
    for row in &table.rows {
        match row.text(&kind) {
            "Buy" | "Sell" => {}
            "Deposit" | "Withdrawal" => {
                let at = moment(&clock, row, &date, &mut losses)?.at;
                record.flows.push((at, table.need_number(row, &gross)?));
                continue;
            }
            "Forex Trade Component" => {
                losses.count(LossCode::CurrencyExchangesLeftOut, EXCHANGES);
                continue;
            }
            _ => {
                losses.count(LossCode::CashLeftOut, CASH);
                continue;
            }
        }
        let rate = money.rate(row.number, &gross.name, base)?;
        let size = nonzero(table, row, &quantity)?;
        let value = table.need_number(row, &gross)?.abs().times(rate);
        let unit = within(value.and_then(|value| value.over(size.abs())), row.number)?;
        let at = moment(&clock, row, &date, &mut losses)?.at;
        let mut fill = Fill::new(row.number, at, row.text(&symbol), size, unit);
        let cost = match row.maybe(commission.as_ref()) {
            "-" | "" => Decimal::ZERO,
            _ => table.maybe(row, commission.as_ref())?.unwrap_or_default(),
        };
        fill.fee = within(cost.negated().times(rate), row.number)?;
        losses.count(LossCode::PricesInBase, BASE_PRICES);
        fills.push(fill);
    }
    record.trades = pair(fills, true, options, &mut losses)?;
    record.currency = money.named(&mut losses);
    record.imported(options, losses)
}

fn nonzero(table: &Table, row: &Row, column: &Column) -> Result<Decimal, ImportError> {
    let number = table.need_number(row, column)?;
    Some(number).filter(|number| !number.is_zero()).ok_or_else(|| row.error(column, "a size other than zero"))
}

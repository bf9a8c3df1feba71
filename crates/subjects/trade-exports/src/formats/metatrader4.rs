//! MetaTrader 4: Account History, Save as Report (HTML).
//!
//! Columns: `Ticket`, `Open Time`, `Type`, `Size` (lots), `Item`, `Price`, `S / L`, `T / P`, `Close Time`, `Price`, `Commission`, `Taxes`,
//! `Swap`, `Profit` (before the three). Times are the broker's server's. Rows of the type `balance` are deposits and withdrawals;
//! pending and cancelled orders are no trades.

use super::within;
use crate::clock::Clock;
use crate::error::{ImportError, Problem};
use crate::html;
use crate::lost::{LossCode, Losses};
use crate::options::Options;
use crate::request::Record;
use crate::table::{Column, Row, Table, moment};
use crate::trade::{Side, Trade};
use crate::{Decimal, Format, Imported};

const LEFT_OUT: &str = "rows that are no trades, such as cancelled orders, were left out";
const OPEN: &str = "trades are open at the time of the report; their profit so far is `open_pnl`";

/// The columns of a trade's row, by place: two have the same name.
const HEADER: [&str; 14] = [
    "Ticket",
    "Open Time",
    "Type",
    "Size",
    "Item",
    "Open Price",
    "S / L",
    "T / P",
    "Close Time",
    "Close Price",
    "Commission",
    "Taxes",
    "Swap",
    "Profit",
];

struct Columns {
    opened: Column,
    closed: Column,
    kind: Column,
    size: Column,
    item: Column,
    prices: [Column; 2],
    costs: [Column; 3],
    profit: Column,
}

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let all = html::rows(content)?;
    let is_header =
        |row: &Row| row.cell(0) == "Ticket" && row.cell(1) == "Open Time" && row.cell(13) == "Profit";
    let Some(start) = all.iter().position(is_header) else {
        let missing = "a table with `Ticket`, `Open Time` and `Profit`".to_owned();
        return Err(Problem::OtherFormat { format: Format::MetaTrader4, missing }.anywhere());
    };
    let currency = all.iter().take(start).find_map(currency_of);
    let is_ticket =
        |row: &Row| !row.cell(0).is_empty() && row.cell(0).bytes().all(|byte| byte.is_ascii_digit());
    let rows = all.into_iter().skip(start).filter(|row| is_ticket(row) && row.len() > 3).collect();
    let table = Table::new(HEADER.map(str::to_owned).to_vec(), rows);
    let columns = Columns {
        opened: table.need(&["Open Time"])?,
        closed: table.need(&["Close Time"])?,
        kind: table.need(&["Type"])?,
        size: table.need(&["Size"])?,
        item: table.need(&["Item"])?,
        prices: [table.need(&["Open Price"])?, table.need(&["Close Price"])?],
        costs: [table.need(&["Commission"])?, table.need(&["Taxes"])?, table.need(&["Swap"])?],
        profit: table.need(&["Profit"])?,
    };
    let mut losses = Losses::default();
    let clock = table.clock(options, None, &[&columns.opened], &mut losses)?;
    let mut record = Record {
        rows: table.rows.len(),
        currency: options.currency.clone().or(currency),
        has_lots: true,
        ..Record::default()
    };
    for row in &table.rows {
        let side = match row.text(&columns.kind).to_ascii_lowercase().as_str() {
            "buy" => Side::Long,
            "sell" => Side::Short,
            "balance" | "credit" => {
                let at = moment(&clock, row, &columns.opened, &mut losses)?.at;
                record.flows.push((at, table.need_number(row, &columns.profit)?));
                continue;
            }
            _ => {
                losses.count(LossCode::RowsLeftOut, LEFT_OUT);
                continue;
            }
        };
        // A row that was cancelled has no profit.
        if row.len() < HEADER.len() || row.text(&columns.profit).eq_ignore_ascii_case("cancelled") {
            losses.count(LossCode::RowsLeftOut, LEFT_OUT);
            continue;
        }
        record.trades.push(trade(&table, &columns, row, side, options, &clock, &mut losses)?);
    }
    if record.currency.is_none() {
        losses.count(LossCode::CurrencyMissing, "the report does not name its currency; set `currency`");
    }
    record.imported(options, losses)
}

fn trade(
    table: &Table,
    columns: &Columns,
    row: &Row,
    side: Side,
    options: &Options,
    clock: &Clock,
    losses: &mut Losses,
) -> Result<Trade, ImportError> {
    let mut costs = Decimal::ZERO;
    for column in &columns.costs {
        costs = within(costs.plus(table.number(row, column)?.unwrap_or_default()), row.number)?;
    }
    let profit = within(table.need_number(row, &columns.profit)?.plus(costs), row.number)?;
    let price = |column: &Column| {
        within(table.price(row, column)?.times(options.fx_rate.unwrap_or(Decimal::ONE)), row.number)
    };
    let is_open = row.text(&columns.closed).is_empty();
    if is_open {
        losses.count(LossCode::OpenPositions, OPEN);
    }
    let closed_at = if is_open { None } else { Some(moment(clock, row, &columns.closed, losses)?.at) };
    let [entry, exit] = &columns.prices;
    Ok(Trade {
        row: row.number,
        id: row.cell(0).to_owned(),
        instrument: Some(row.text(&columns.item).to_owned()).filter(|name| !name.is_empty()),
        side: Some(side),
        opened_at: Some(moment(clock, row, &columns.opened, losses)?.at),
        closed_at,
        is_open,
        size: Some(table.positive(row, &columns.size)?),
        entry_price: Some(price(entry)?),
        exit_price: if is_open { None } else { Some(price(exit)?) },
        fees: Some(costs.negated()),
        pnl_net: Some(profit).filter(|_| !is_open),
        open_pnl: Some(profit).filter(|_| is_open),
        ..Trade::default()
    })
}

/// The currency of a line such as `Account: 1 | Currency: USD`.
fn currency_of(row: &Row) -> Option<String> {
    let texts = (0..row.len()).map(|at| row.cell(at));
    let found =
        texts.filter_map(|text| text.strip_prefix("Currency:")).map(str::trim).find(|name| !name.is_empty());
    found.map(str::to_owned)
}

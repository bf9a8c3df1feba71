//! TradingView: Strategy Tester, List of Trades, export as CSV.
//!
//! Columns: `Trade #` or `Trade number`; `Type` (`Entry long`, `Exit long`); `Date and time` or `Date/Time`; `Signal`;
//! `Price USD`; `Size (qty)`, `Position size (qty)` or `Contracts`; `Net P&L USD`, `Net PnL USD` or `Profit USD`; `Commission USD`
//! in some. A trade has two rows, the exit first or last. Times are those of the chart's zone, without offset. The profit is
//! after commission. A trade that is still open has an exit with the signal `Open`.

use std::collections::HashMap;

use super::within;
use crate::clock::Clock;
use crate::error::{ImportError, Problem};
use crate::lost::{LossCode, Losses};
use crate::money::Money;
use crate::options::Options;
use crate::request::Record;
use crate::table::{Column, Row, Table, moment};
use crate::trade::{Side, Trade};
use crate::{Decimal, Format, Imported};

const OPEN: &str = "trades are open at the end of the list; their profit so far is `open_pnl`";

struct Columns {
    number: Column,
    kind: Column,
    date: Column,
    signal: Option<Column>,
    price: Column,
    size: Column,
    profit: Column,
    currency: String,
    commission: Option<Column>,
}

/// The rows of a trade.
#[derive(Default)]
struct Pair {
    entry: Option<usize>,
    exit: Option<usize>,
}

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let table = super::table_with(Format::TradingView, content, &["Type", "Signal"])?;
    let columns = columns(&table)?;
    let mut losses = Losses::default();
    let clock = table.clock(options, None, &[&columns.date], &mut losses)?;
    let mut order: Vec<&str> = Vec::new();
    let mut pairs: HashMap<&str, Pair> = HashMap::new();
    for (at, row) in table.rows.iter().enumerate() {
        let number = row.text(&columns.number);
        let pair = pairs.entry(number).or_insert_with(|| {
            order.push(number);
            Pair::default()
        });
        let is_entry = kind(row, &columns)?.0;
        let place = if is_entry { &mut pair.entry } else { &mut pair.exit };
        if place.replace(at).is_some() {
            let expected = "the number of one trade: an entry and an exit";
            return Err(row.error(&columns.number, expected));
        }
    }
    let mut money = Money::new(options);
    let mut trades = Vec::new();
    for number in order {
        if let Some(pair) = pairs.get(number) {
            trades.push(trade(&table, &columns, pair, &clock, &mut money, &mut losses)?);
        }
    }
    let record = Record {
        rows: table.rows.len(),
        trades,
        currency: money.named(&mut losses),
        has_lots: true,
        ..Record::default()
    };
    record.imported(options, losses)
}

fn columns(table: &Table) -> Result<Columns, ImportError> {
    let start = |names: &[&str]| {
        table.find_start(names).ok_or_else(|| table.missing(names.first().copied().unwrap_or_default()))
    };
    let (profit, currency) = start(&["Net P&L", "Net PnL", "Profit"])?;
    Ok(Columns {
        number: table.need(&["Trade number", "Trade #"])?,
        kind: table.need(&["Type"])?,
        date: table.need(&["Date and time", "Date/Time"])?,
        signal: table.find(&["Signal"]),
        price: start(&["Price"])?.0,
        size: table.need(&["Size (qty)", "Position size (qty)", "Contracts", "Quantity"])?,
        profit,
        currency,
        commission: table.find_start(&["Commission"]).map(|(column, _)| column),
    })
}

/// True for an entry; and the side.
fn kind(row: &Row, columns: &Columns) -> Result<(bool, Side), ImportError> {
    match row.text(&columns.kind).to_ascii_lowercase().as_str() {
        "entry long" => Ok((true, Side::Long)),
        "entry short" => Ok((true, Side::Short)),
        "exit long" => Ok((false, Side::Long)),
        "exit short" => Ok((false, Side::Short)),
        _ => Err(row.error(&columns.kind, "`Entry long`, `Exit long`, `Entry short` or `Exit short`")),
    }
}

fn trade(
    table: &Table,
    columns: &Columns,
    pair: &Pair,
    clock: &Clock,
    money: &mut Money<'_>,
    losses: &mut Losses,
) -> Result<Trade, ImportError> {
    let row_at = |at: Option<usize>| at.and_then(|at| table.rows.get(at));
    let (entry, exit) = (row_at(pair.entry), row_at(pair.exit));
    let Some(entry) = entry else {
        let row = exit.map_or(0, |row| row.number);
        return Err(Problem::Damaged("the trade has no entry".to_owned()).of(row, &columns.number.name));
    };
    let rate = money.rate(entry.number, &columns.profit.name, &columns.currency)?;
    let amount =
        |number: Option<Decimal>| number.map(|number| within(number.times(rate), entry.number)).transpose();
    let is_open = exit.is_none_or(|exit| exit.maybe(columns.signal.as_ref()).eq_ignore_ascii_case("open"));
    if is_open {
        losses.count(LossCode::OpenPositions, OPEN);
    }
    let profit = match exit.map(|exit| table.number(exit, &columns.profit)).transpose()?.flatten() {
        None if !is_open => {
            let row = exit.unwrap_or(entry);
            return Err(row.error(&columns.profit, "the profit of the trade"));
        }
        profit => amount(profit)?,
    };
    let commission = amount(table.maybe(exit.unwrap_or(entry), columns.commission.as_ref())?)?;
    let side = kind(entry, columns)?.1;
    if let Some(exit) = exit.filter(|exit| kind(exit, columns).is_ok_and(|(_, own)| own != side)) {
        return Err(exit.error(&columns.kind, "the side of the entry"));
    }
    let exit_price = exit.filter(|_| !is_open).map(|exit| table.price(exit, &columns.price)).transpose()?;
    Ok(Trade {
        row: entry.number,
        id: entry.text(&columns.number).to_owned(),
        side: Some(side),
        opened_at: Some(moment(clock, entry, &columns.date, losses)?.at),
        closed_at: match exit.filter(|_| !is_open) {
            Some(exit) => Some(moment(clock, exit, &columns.date, losses)?.at),
            None => None,
        },
        is_open,
        size: Some(table.positive(entry, &columns.size)?),
        entry_price: amount(Some(table.price(entry, &columns.price)?))?,
        exit_price: amount(exit_price)?,
        fees: commission,
        pnl_net: profit.filter(|_| !is_open),
        open_pnl: profit.filter(|_| is_open),
        ..Trade::default()
    })
}

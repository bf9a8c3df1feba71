//! MetaTrader 5: History, Report (HTML, in UTF-16LE).
//!
//! By the table `Deals`: `Time`, `Deal`, `Symbol`, `Type`, `Direction` (`in`, `out`, `in/out`), `Volume` (lots), `Price`, `Commission`,
//! `Fee`, `Swap`, `Profit` (before the three), `Balance`. Rows of other types than `buy` and `sell` are deposits, withdrawals and
//! charges. Where there are no deals, by the table `Positions`. Times are the broker's server's.

use super::{is_buy, side, within};
use crate::error::{ImportError, Problem};
use crate::fill::{Effect, Fill};
use crate::html;
use crate::lost::{LossCode, Losses};
use crate::options::Options;
use crate::pair::pair;
use crate::request::Record;
use crate::table::{Column, Row, Table, moment};
use crate::trade::Trade;
use crate::{Decimal, Format, Imported};

const UNNAMED: &str = "the report does not name its currency; set `currency`";
/// The columns of a row of `Positions`, by place: two pairs have the same name.
const POSITIONS: [&str; 13] = [
    "Open Time",
    "Position",
    "Symbol",
    "Type",
    "Volume",
    "Open Price",
    "S / L",
    "T / P",
    "Close Time",
    "Close Price",
    "Commission",
    "Swap",
    "Profit",
];

pub(super) fn import(content: &str, options: &Options) -> Result<Imported, ImportError> {
    let rows = html::rows(content)?;
    let currency = options.currency.clone().or_else(|| rows.iter().find_map(currency_of));
    let has = |row: &Row, name: &str| (0..row.len()).any(|at| row.cell(at) == name);
    let deals = rows.iter().position(|row| has(row, "Deal") && has(row, "Direction") && has(row, "Volume"));
    let positions =
        rows.iter().position(|row| row.cell(0) == "Time" && row.cell(1) == "Position" && has(row, "Profit"));
    match (deals, positions) {
        (Some(start), _) => by_deals(&section(&rows, start, None), currency, options),
        (None, Some(start)) => by_positions(&section(&rows, start, Some(&POSITIONS)), currency, options),
        (None, None) => {
            let missing = "a table `Deals` or `Positions` with English headers".to_owned();
            Err(Problem::OtherFormat { format: Format::MetaTrader5, missing }.anywhere())
        }
    }
}

/// The rows under a header that begin with a date, up to the next table.
fn section(rows: &[Row], start: usize, names: Option<&[&str]>) -> Table {
    let header = rows.get(start);
    let names = match names {
        Some(names) => names.iter().map(|name| (*name).to_owned()).collect(),
        None => header.iter().flat_map(|row| (0..row.len()).map(|at| row.cell(at).to_owned())).collect(),
    };
    let is_dated = |row: &&Row| row.cell(0).starts_with(|letter: char| letter.is_ascii_digit());
    Table::new(names, rows.iter().skip(start + 1).take_while(is_dated).cloned().collect())
}

/// The sum of the columns that are there.
fn sum(table: &Table, row: &Row, columns: &[Option<Column>]) -> Result<Decimal, ImportError> {
    columns.iter().try_fold(Decimal::ZERO, |sum, column| {
        within(sum.plus(table.maybe(row, column.as_ref())?.unwrap_or_default()), row.number)
    })
}

fn by_deals(table: &Table, currency: Option<String>, options: &Options) -> Result<Imported, ImportError> {
    let [time, symbol, kind, direction] = [
        table.need(&["Time"])?,
        table.need(&["Symbol"])?,
        table.need(&["Type"])?,
        table.need(&["Direction"])?,
    ];
    let [volume, price, profit] =
        [table.need(&["Volume"])?, table.need(&["Price"])?, table.need(&["Profit"])?];
    let fees = [table.find(&["Commission"]), table.find(&["Fee"])];
    let (swap, balance) = (table.find(&["Swap"]), table.find(&["Balance"]));
    let mut losses = Losses::default();
    let clock = table.clock(options, None, &[&time], &mut losses)?;
    let mut record = Record { rows: table.rows.len(), currency, has_lots: true, ..Record::default() };
    let mut fills = Vec::new();
    for (index, row) in table.rows.iter().enumerate() {
        let at = moment(&clock, row, &time, &mut losses)?.at;
        let costs = sum(table, row, &fees)?;
        let swap = table.maybe(row, swap.as_ref())?.unwrap_or_default();
        let stated = table.number(row, &profit)?.unwrap_or_default();
        let change = within(stated.plus(costs).and_then(|sum| sum.plus(swap)), row.number)?;
        if index == 0
            && let Some(balance) = table.maybe(row, balance.as_ref())?
        {
            record.initial_equity = balance.minus(change);
        }
        if !matches!(row.text(&kind).to_ascii_lowercase().as_str(), "buy" | "sell") {
            record.flows.push((at, change));
            continue;
        }
        let effect = match row.text(&direction).to_ascii_lowercase().as_str() {
            "in" => Effect::Open,
            "out" | "out by" => Effect::Close,
            "in/out" => Effect::Reverse,
            _ => return Err(row.error(&direction, "`in`, `out` or `in/out`")),
        };
        let size = table.positive(row, &volume)?;
        let size = if is_buy(row, &kind)? { size } else { size.negated() };
        let unit = table.price(row, &price)?.times(options.fx_rate.unwrap_or(Decimal::ONE));
        let mut fill = Fill::new(row.number, at, row.text(&symbol), size, within(unit, row.number)?);
        fill.effect = effect;
        fill.fee = costs.negated();
        fill.funding = swap;
        fill.profit = Some(stated).filter(|_| effect != Effect::Open);
        fills.push(fill);
    }
    // A report that begins with the account has a balance of zero before its first deposit.
    record.initial_equity =
        record.initial_equity.filter(|equity| equity.is_positive() || !record.flows.is_empty());
    record.trades = pair(fills, true, options, &mut losses)?;
    if record.currency.is_none() {
        losses.count(LossCode::CurrencyMissing, UNNAMED);
    }
    record.imported(options, losses)
}

fn by_positions(table: &Table, currency: Option<String>, options: &Options) -> Result<Imported, ImportError> {
    let [opened, closed, symbol, kind] = [
        table.need(&["Open Time"])?,
        table.need(&["Close Time"])?,
        table.need(&["Symbol"])?,
        table.need(&["Type"])?,
    ];
    let [volume, entry, exit, profit] = [
        table.need(&["Volume"])?,
        table.need(&["Open Price"])?,
        table.need(&["Close Price"])?,
        table.need(&["Profit"])?,
    ];
    let costs = [table.find(&["Commission"]), table.find(&["Swap"])];
    let mut losses = Losses::default();
    let clock = table.clock(options, None, &[&opened, &closed], &mut losses)?;
    let mut record = Record { rows: table.rows.len(), currency, has_lots: true, ..Record::default() };
    for row in &table.rows {
        let costs = sum(table, row, &costs)?;
        let price = |column: &Column| {
            within(table.price(row, column)?.times(options.fx_rate.unwrap_or(Decimal::ONE)), row.number)
        };
        record.trades.push(Trade {
            row: row.number,
            id: row.cell(1).to_owned(),
            instrument: Some(row.text(&symbol).to_owned()).filter(|name| !name.is_empty()),
            side: Some(side(row, &kind)?),
            opened_at: Some(moment(&clock, row, &opened, &mut losses)?.at),
            closed_at: Some(moment(&clock, row, &closed, &mut losses)?.at),
            size: Some(table.positive(row, &volume)?),
            entry_price: Some(price(&entry)?),
            exit_price: Some(price(&exit)?),
            fees: Some(costs.negated()),
            pnl_net: Some(within(table.need_number(row, &profit)?.plus(costs), row.number)?),
            ..Trade::default()
        });
    }
    if record.currency.is_none() {
        losses.count(LossCode::CurrencyMissing, UNNAMED);
    }
    record.imported(options, losses)
}

/// The currency of the row `Account: | 1 (USD, Broker, real, Hedge)`.
fn currency_of(row: &Row) -> Option<String> {
    let at = (0..row.len()).find(|at| row.cell(*at).starts_with("Account:"))?;
    let text = (at..row.len()).map(|at| row.cell(at)).find(|text| text.contains('('))?;
    let (_, rest) = text.split_once('(')?;
    let name = rest
        .split([',', ')'])
        .map(str::trim)
        .find(|part| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_uppercase()));
    name.map(str::to_owned)
}

//! One module a format. Each names the columns that it reads, and where they are documented.

mod backtesting_py;
mod binance;
mod bybit;
mod generic;
mod generic_rows;
mod hyperliquid;
mod hyperliquid_json;
mod ibkr_activity;
mod ibkr_flex;
mod kraken;
mod metatrader4;
mod metatrader5;
mod okx;
mod quantconnect;
mod returns;
mod tradingview;

use crate::error::{ImportError, Problem};
use crate::options::Options;
use crate::table::{Column, Row, Table};
use crate::text::{BadBytes, decode};
use crate::trade::Side;
use crate::{Format, Imported};

/// Reads an export.
pub(crate) fn import(format: Format, bytes: &[u8], options: &Options) -> Result<Imported, ImportError> {
    let is_html = matches!(format, Format::MetaTrader4 | Format::MetaTrader5);
    let content = decode(bytes, if is_html { BadBytes::Replaced } else { BadBytes::Refused })?;
    let read = match format {
        Format::MetaTrader4 => metatrader4::import,
        Format::MetaTrader5 => metatrader5::import,
        Format::BinanceSpot => binance::spot,
        Format::BinanceFutures => binance::futures,
        Format::BybitClosedPnl => bybit::import,
        Format::OkxTrading => okx::import,
        Format::KrakenTrades => kraken::import,
        Format::HyperliquidFills => hyperliquid::fills,
        Format::HyperliquidCsv => hyperliquid::csv,
        Format::IbkrFlex => ibkr_flex::import,
        Format::IbkrActivity => ibkr_activity::import,
        Format::TradingView => tradingview::import,
        Format::QuantConnect => quantconnect::import,
        Format::BacktestingPy => backtesting_py::import,
        Format::Returns => returns::import,
        Format::Generic => generic::import,
    };
    read(&content, options)
}

/// The table under the first row that has these columns.
fn table_with(format: Format, content: &str, columns: &[&str]) -> Result<Table, ImportError> {
    let has = |row: &Row, name: &str| (0..row.len()).any(|at| row.cell(at).eq_ignore_ascii_case(name));
    let missing = format!(
        "a header with {}",
        columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    );
    Table::of_csv(format, content, b',', |row| columns.iter().all(|name| has(row, name)), &missing)
}

/// True for a buy, false for a sale.
fn is_buy(row: &Row, column: &Column) -> Result<bool, ImportError> {
    match row.text(column).to_ascii_lowercase().as_str() {
        "buy" | "b" | "bot" => Ok(true),
        "sell" | "s" | "sld" => Ok(false),
        _ => Err(row.error(column, "`buy` or `sell`")),
    }
}

/// The side of a position.
fn side(row: &Row, column: &Column) -> Result<Side, ImportError> {
    match row.text(column).to_ascii_lowercase().as_str() {
        "long" | "buy" | "0" => Ok(Side::Long),
        "short" | "sell" | "1" => Ok(Side::Short),
        _ => Err(row.error(column, "`long` or `short`")),
    }
}

/// The zone in brackets at the end of a column's name: `Trade Time(UTC+8)`.
fn zone_of_header(name: &str) -> Option<crate::Zone> {
    let (_, rest) = name.rsplit_once('(')?;
    crate::Zone::of_text(rest.strip_suffix(')')?)
}

/// The value if it could be computed; else the error of an amount that is too great.
fn within<T>(value: Option<T>, row: u32) -> Result<T, ImportError> {
    value.ok_or_else(|| Problem::TooGreat.at(row))
}

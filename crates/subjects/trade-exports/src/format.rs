//! Formats, by the names that callers give.

use std::fmt;
use std::str::FromStr;

/// A format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// MetaTrader 4: Account History, Save as Report (HTML).
    MetaTrader4,
    /// MetaTrader 5: History, Report (HTML), by its deals or else its positions.
    MetaTrader5,
    /// Binance spot trade history (CSV).
    BinanceSpot,
    /// Binance USDT-M futures trade history (CSV).
    BinanceFutures,
    /// Bybit closed P&L of derivatives (CSV).
    BybitClosedPnl,
    /// OKX trading history (CSV).
    OkxTrading,
    /// Kraken `trades.csv`.
    KrakenTrades,
    /// Hyperliquid's answer to `userFills` (JSON).
    HyperliquidFills,
    /// Hyperliquid's trade history of the web page (CSV).
    HyperliquidCsv,
    /// Interactive Brokers Flex Query (XML).
    IbkrFlex,
    /// Interactive Brokers activity statement or transaction history (CSV).
    IbkrActivity,
    /// TradingView list of trades of the strategy tester (CSV).
    TradingView,
    /// QuantConnect trades of a backtest (CSV).
    QuantConnect,
    /// backtesting.py `stats._trades` (CSV).
    BacktestingPy,
    /// Daily returns as pyfolio, Zipline, backtrader and vectorbt write them: date, return (CSV).
    Returns,
    /// Any CSV file by [`Options::columns`](crate::Options::columns).
    Generic,
}

/// All formats with their keys.
pub const FORMATS: [(&str, Format); 16] = [
    ("metatrader4", Format::MetaTrader4),
    ("metatrader5", Format::MetaTrader5),
    ("binance-spot", Format::BinanceSpot),
    ("binance-futures", Format::BinanceFutures),
    ("bybit-closed-pnl", Format::BybitClosedPnl),
    ("okx-trading", Format::OkxTrading),
    ("kraken-trades", Format::KrakenTrades),
    ("hyperliquid-fills", Format::HyperliquidFills),
    ("hyperliquid-csv", Format::HyperliquidCsv),
    ("ibkr-flex", Format::IbkrFlex),
    ("ibkr-activity", Format::IbkrActivity),
    ("tradingview", Format::TradingView),
    ("quantconnect", Format::QuantConnect),
    ("backtesting-py", Format::BacktestingPy),
    ("returns", Format::Returns),
    ("generic", Format::Generic),
];

impl Format {
    /// The key of the format.
    #[must_use]
    pub fn key(self) -> &'static str {
        FORMATS.iter().find(|(_, format)| *format == self).map_or("", |(key, _)| key)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.key())
    }
}

/// A text that is the key of no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no format; send one of {list}", list = keys())]
pub struct UnknownFormat(String);

fn keys() -> String {
    FORMATS.map(|(key, _)| format!("`{key}`")).join(", ")
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let known = FORMATS.iter().find(|(key, _)| *key == text).map(|&(_, format)| format);
        known.ok_or_else(|| UnknownFormat(crate::error::shown(text)))
    }
}

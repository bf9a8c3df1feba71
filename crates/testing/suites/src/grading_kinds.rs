//! The kinds of exports that the suite knows, by the beginnings of their names, with what their owners would know.

use serde_json::{Value, json};
use trade_exports::{Decimal, Format};

/// Finds a number in the bytes of a file; `None` if the file does not state it.
type Profit = fn(&[u8]) -> Result<Option<Decimal>, String>;

/// A kind of export.
pub struct Kind {
    pub format: Format,
    /// Options as a caller writes them.
    pub options: Value,
    /// Finds the profit after fees that the file itself states; `None` if it does not state one.
    pub profit: Profit,
}

/// The kind of a file; `None` if no format is known for it.
pub fn kind_of(file: &str) -> Option<Kind> {
    if file.ends_with(".inputs.json") {
        return None;
    }
    let kind = |format, options, profit: Profit| Some(Kind { format, options, profit });
    let by_start: &[(&str, Format)] = &[
        ("binance_spot", Format::BinanceSpot),
        ("binance_futures", Format::BinanceFutures),
        ("bybit_closed_pnl", Format::BybitClosedPnl),
        ("okx_trading", Format::OkxTrading),
        ("kraken_trades", Format::KrakenTrades),
        ("hyperliquid_trade_history", Format::HyperliquidCsv),
        ("mt4_", Format::MetaTrader4),
        ("mt5_", Format::MetaTrader5),
        ("ibflex_", Format::IbkrFlex),
        ("ibkr_activity", Format::IbkrActivity),
        ("pyfolio_returns", Format::Returns),
    ];
    if let Some((_, format)) = by_start.iter().find(|(start, _)| file.starts_with(start)) {
        return kind(*format, json!({}), unstated);
    }
    if file.starts_with("hyperliquid_user_fills") {
        return kind(Format::HyperliquidFills, json!({}), hyperliquid_profit);
    }
    if file.starts_with("tradingview_") {
        // The zone of the charts, as the corpus says it.
        return kind(Format::TradingView, json!({"zone": 480}), tradingview_profit);
    }
    if file.starts_with("backtestingpy_trades") {
        let options = json!({"instrument": "GOOG", "currency": "USD", "initial_equity": 10_000});
        return kind(Format::BacktestingPy, options, unstated);
    }
    Some(Kind { format: Format::Generic, options: columns_of(file)?, profit: unstated })
}

/// The columns of exports that have no format of their own, and are read by a map.
fn columns_of(file: &str) -> Option<Value> {
    let (currency, columns) = if file.starts_with("koinly_trade_template") {
        let columns = json!({"rows": "fills", "time": "Koinly Date", "instrument": "Pair", "side": "Side",
            "quantity": "Amount", "total": "Total", "fee": "Fee Amount", "fee_currency": "Fee Currency"});
        (Some("USD"), columns)
    } else if file.starts_with("ghostfolio_bitvavo") {
        let columns = json!({"rows": "fills", "day": "Date", "time": "Time", "instrument": "Currency", "side": "Type",
            "quantity": "Amount", "price": "Quote Price", "currency": "Quote Currency", "fee": "Fee amount",
            "fee_currency": "Fee currency", "only": {"column": "Type", "values": ["buy", "sell"]}});
        (None, columns)
    } else if file.starts_with("ghostfolio_schwab") {
        let columns = json!({"rows": "fills", "time": "Date", "instrument": "Symbol", "side": "Action",
            "quantity": "Quantity", "price": "Price", "fee": "Fees & Comm",
            "only": {"column": "Action", "values": ["Buy", "Sell"]}});
        (Some("USD"), columns)
    } else {
        return None;
    };
    let mut options = json!({ "columns": columns });
    if let Some(currency) = currency {
        options["currency"] = currency.into();
    }
    Some(options)
}

fn unstated(_: &[u8]) -> Result<Option<Decimal>, String> {
    Ok(None)
}

/// The profits of all fills, which Hyperliquid states before fees. Where there are fees it is not known: those of positions
/// that are still open are in no profit.
fn hyperliquid_profit(bytes: &[u8]) -> Result<Option<Decimal>, String> {
    let fills: Vec<Value> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let number = |fill: &Value, name: &str| fill.get(name).and_then(Value::as_str).and_then(Decimal::parse);
    if !fills.iter().all(|fill| number(fill, "fee").is_some_and(Decimal::is_zero)) {
        return Ok(None);
    }
    let profits =
        fills.iter().map(|fill| number(fill, "closedPnl").ok_or_else(|| format!("no profit in {fill}")));
    sum(profits).map(Some)
}

/// The profits of the exits of trades that are closed.
fn tradingview_profit(bytes: &[u8]) -> Result<Option<Decimal>, String> {
    let mut rows =
        csv::ReaderBuilder::new().from_reader(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let headers = rows.headers().map_err(|error| error.to_string())?.clone();
    let column = |starts: &[&str]| {
        let is_one = |name: &str| starts.iter().any(|start| name.starts_with(start)) && !name.ends_with('%');
        headers.iter().position(is_one).ok_or_else(|| format!("no column {starts:?}"))
    };
    let (kind, signal, profit) = (column(&["Type"])?, column(&["Signal"])?, column(&["Net P", "Profit"])?);
    let mut profits = Vec::new();
    for row in rows.records() {
        let row = row.map_err(|error| error.to_string())?;
        let cell = |at: usize| row.get(at).unwrap_or_default();
        if cell(kind).starts_with("Exit") && cell(signal) != "Open" {
            let number = Decimal::parse(&cell(profit).replace(',', "").replace('\u{2212}', "-"));
            profits.push(number.ok_or_else(|| format!("`{}` is no profit", cell(profit))));
        }
    }
    sum(profits).map(Some)
}

fn sum(numbers: impl IntoIterator<Item = Result<Decimal, String>>) -> Result<Decimal, String> {
    numbers.into_iter().try_fold(Decimal::ZERO, |sum, number| {
        sum.plus(number?).ok_or_else(|| "the profits are too great".to_owned())
    })
}

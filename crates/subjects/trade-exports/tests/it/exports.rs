//! Each real and documented file ends in a request or in a named error, and the sums are those that are expected.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use trade_exports::{Decimal, FORMATS, Format, ImportError, Imported, LossCode, Options, import};

use crate::common::{decimal, lost, options, rows, settled, sum};

fn folder(name: &str) -> Option<PathBuf> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/grading/exports").join(name);
    let is_there = path.is_dir();
    if !is_there {
        println!("passed over: there is no {}", path.display());
    }
    is_there.then_some(path)
}

fn read(folder: &Path, file: &str, format: Format, json: Value) -> Result<Imported, ImportError> {
    let bytes = fs::read(folder.join(file)).unwrap();
    import(format, &bytes, &Options { file: file.to_owned(), ..options(json) })
}

/// Columns of the Koinly template.
fn koinly() -> Value {
    json!({"columns": {"rows": "fills", "time": "Koinly Date", "instrument": "Pair", "side": "Side", "quantity": "Amount",
        "total": "Total", "fee": "Fee Amount", "fee_currency": "Fee Currency"}, "currency": "USD"})
}

#[test]
fn documented_files_give_the_expected_sums() {
    let Some(folder) = folder("documented") else { return };
    let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let mut checked = 0;
    for (file, format, options) in [
        ("binance_spot_trade_history.csv", Format::BinanceSpot, json!({})),
        ("binance_futures_trade_history.csv", Format::BinanceFutures, json!({})),
        ("bybit_closed_pnl_old_header.csv", Format::BybitClosedPnl, json!({})),
        ("okx_trading_history.csv", Format::OkxTrading, json!({})),
        ("kraken_trades.csv", Format::KrakenTrades, json!({})),
        ("hyperliquid_trade_history.csv", Format::HyperliquidCsv, json!({"date_order": "day_first"})),
        ("koinly_trade_template.csv", Format::Generic, koinly()),
        ("tradingview_old_header.csv", Format::TradingView, json!({})),
        ("mt4_statement.html", Format::MetaTrader4, json!({})),
        ("mt5_history_deals_utf16.html", Format::MetaTrader5, json!({})),
    ] {
        let imported = read(&folder, file, format, options).unwrap_or_else(|error| panic!("{error}"));
        let sums = &expected[file];
        let number = |name: &str| sums.get(name).map(|number| decimal(&number.to_string()));
        println!("{file}: {:?}", imported.lost);
        assert_eq!(
            Some(settled(&imported)),
            sums["round_trips"].as_u64().and_then(|trips| usize::try_from(trips).ok()),
            "{file}"
        );
        let net = sum(&imported, "pnl_net");
        if let (Some(gross), Some(fees)) = (number("gross_pnl"), number("fees")) {
            // The fees of Kraken are rounded in the file, and those of the expected sums are not.
            let most = decimal(if file.starts_with("kraken") { "0.00005" } else { "0" });
            let near = |one: Decimal, other: Decimal| one.minus(other).unwrap().abs() <= most;
            assert!(near(net, gross.minus(fees).unwrap()), "{file}: {net}");
            assert!(near(sum(&imported, "fees"), fees), "{file}");
        }
        for name in ["net_pnl", "usdt_change"] {
            if let Some(expected) = number(name) {
                assert_eq!(net, expected, "{file}");
            }
        }
        checked += 1;
    }
    assert_eq!(checked, expected.as_object().unwrap().len());
}

#[test]
fn the_equity_of_metatrader_reports_starts_with_the_deposit() {
    let Some(folder) = folder("documented") else { return };
    for (file, format) in
        [("mt4_statement.html", Format::MetaTrader4), ("mt5_history_deals_utf16.html", Format::MetaTrader5)]
    {
        let imported = read(&folder, file, format, json!({"zone": 120})).unwrap();
        assert_eq!(rows(&imported)[0]["equity_before"], "10000", "{file}");
        assert_eq!(lost(&imported, LossCode::NoEquity), 0, "{file}");
        assert_eq!(lost(&imported, LossCode::PricesDropped), 0, "{file}: {:?}", imported.lost);
        assert_eq!(lost(&imported, LossCode::MultiplierDerived), 1, "{file}");
    }
}

#[test]
fn dates_that_may_be_either_are_asked_for() {
    let Some(folder) = folder("documented") else { return };
    let error =
        read(&folder, "hyperliquid_trade_history.csv", Format::HyperliquidCsv, json!({})).unwrap_err();
    assert!(
        error.to_string().contains("row 2, column `time`") && error.to_string().contains("date_order"),
        "{error}"
    );
}

/// The format of a file by its name, and options.
fn format_of(file: &str) -> Option<(Format, Value)> {
    let by_start = [
        ("tradingview_", Format::TradingView),
        ("backtestingpy_trades", Format::BacktestingPy),
        ("hyperliquid_user_fills", Format::HyperliquidFills),
        ("ibflex_", Format::IbkrFlex),
        ("ibkr_activity", Format::IbkrActivity),
        ("pyfolio_returns", Format::Returns),
    ];
    let format = by_start.iter().find(|(start, _)| file.starts_with(start)).map(|(_, format)| *format);
    if let Some(format) = format.filter(|_| !file.ends_with("inputs.json")) {
        return Some((format, json!({"zone": 480})));
    }
    let columns = match file {
        "ghostfolio_bitvavo-export.csv" => {
            json!({"rows": "fills", "day": "Date", "time": "Time", "instrument": "Currency",
            "side": "Type", "quantity": "Amount", "price": "Quote Price", "currency": "Quote Currency", "fee": "Fee amount",
            "fee_currency": "Fee currency", "only": {"column": "Type", "values": ["buy", "sell"]}})
        }
        "trading212_2024_cgt.csv" => {
            json!({"rows": "fills", "time": "Time", "instrument": "Ticker", "side": "Action",
            "quantity": "No. of shares", "price": "Price / share", "currency": "Currency (Price / share)",
            "only": {"column": "Action", "values": ["Market buy", "Limit sell"]}, "buy_words": ["market buy"],
            "sell_words": ["limit sell"]})
        }
        "ghostfolio_schwab-export.csv" => {
            json!({"rows": "fills", "time": "Date", "instrument": "Symbol", "side": "Action",
            "quantity": "Quantity", "price": "Price", "fee": "Fees & Comm",
            "only": {"column": "Action", "values": ["Buy", "Sell"]}})
        }
        "backtestingpy_equity_curve.csv" | "pyfolio_factor_returns.csv" => {
            return Some((
                Format::Returns,
                json!({"columns": {"rows": "returns", "date": "", "r": "materials"}}),
            ));
        }
        _ => return None,
    };
    Some((Format::Generic, json!({"columns": columns, "zone": "Europe/Amsterdam"})))
}

#[test]
fn each_real_file_gives_a_request_or_a_named_error_in_each_format() {
    let Some(folder) = folder("real") else { return };
    let files = fs::read_dir(&folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    for file in names {
        for (_, format) in FORMATS {
            if let Err(error) = read(&folder, &file, format, json!({})) {
                assert!(error.to_string().starts_with(&file), "{error}");
            }
        }
        match format_of(&file).map(|(format, options)| read(&folder, &file, format, options)) {
            Some(Ok(imported)) => {
                assert_eq!(imported.positions, rows(&imported).len());
                println!(
                    "{file}: {} rows, {} positions, {:?}",
                    imported.rows, imported.positions, imported.lost
                );
            }
            Some(Err(error)) => println!("{error}"),
            None => {}
        }
    }
}

#[test]
fn tradingview_profits_are_those_of_the_last_cumulative_profit() {
    let Some(folder) = folder("real") else { return };
    for file in fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()) {
        if !file.starts_with("tradingview_") || !file.ends_with(".csv") {
            continue;
        }
        let imported = read(&folder, &file, Format::TradingView, json!({"zone": 480})).unwrap();
        let text = fs::read_to_string(folder.join(&file)).unwrap();
        let exits =
            text.lines().filter(|line| line.contains(",Exit ")).filter(|line| !line.contains(",Open,"));
        let expected =
            exits.fold(decimal("0"), |sum, line| sum.plus(decimal(line.split(',').nth(7).unwrap())).unwrap());
        assert_eq!(sum(&imported, "pnl_net"), expected, "{file}");
        assert_eq!(lost(&imported, LossCode::ZoneMissing), 0, "{file}");
        assert_eq!(lost(&imported, LossCode::PricesDropped), 0, "{file}: {:?}", imported.lost);
    }
}

#[test]
fn hyperliquid_fills_keep_all_stated_profits() {
    let Some(folder) = folder("real") else { return };
    let file = "hyperliquid_user_fills.json";
    let imported = read(&folder, file, Format::HyperliquidFills, json!({})).unwrap();
    let fills: Vec<Value> = serde_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap();
    let expected = fills
        .iter()
        .fold(decimal("0"), |sum, fill| sum.plus(decimal(fill["closedPnl"].as_str().unwrap())).unwrap());
    assert_eq!(sum(&imported, "pnl_net"), expected, "{:?}", imported.lost);
    assert!(imported.positions < fills.len() / 2, "{}", imported.positions);
}

#[test]
fn backtesting_py_trades_make_the_final_equity() {
    let Some(folder) = folder("real") else { return };
    let options = json!({"instrument": "GOOG", "currency": "USD", "initial_equity": "10000"});
    let imported = read(&folder, "backtestingpy_trades.csv", Format::BacktestingPy, options).unwrap();
    let equity = decimal("10000").plus(sum(&imported, "pnl_net")).unwrap();
    assert_eq!(equity.rounded(5), decimal("55574.51294"));
    assert_eq!(imported.positions, 94);
    assert_eq!(lost(&imported, LossCode::PricesDropped), 0);
}

#[test]
fn pyfolio_returns_are_those_of_the_file() {
    let Some(folder) = folder("real") else { return };
    let imported = read(&folder, "pyfolio_returns.csv", Format::Returns, json!({})).unwrap();
    assert_eq!(imported.positions, 504);
    assert_eq!(rows(&imported)[0], json!({"date": "2016-01-04", "r": "2.16420955433"}));
    assert!(lost(&imported, LossCode::LargeReturns) > 0);
}

//! A made-up small file of each format.

use serde_json::json;
use trade_exports::{FORMATS, Format, LossCode};

use crate::common::{decimal, lost, read, rows, settled, sum};

#[test]
fn each_format_has_one_key() {
    for (key, format) in FORMATS {
        assert_eq!((key.parse(), format.key(), format.to_string()), (Ok(format), key, key.to_owned()));
    }
    let error = "excel".parse::<Format>().unwrap_err().to_string();
    assert!(error.contains("`excel`") && error.contains("`tradingview`"), "{error}");
}

const TRADINGVIEW: &str = "\u{feff}Trade number,Type,Date and time,Signal,Price USD,Size (qty),Size (value),Net PnL USD,Net PnL %,Commission USD
2,Exit short,2026-01-07 10:00,Open,95,2,200,10,5,0
2,Entry short,2026-01-06 10:00,Short,100,2,200,10,5,0
1,Exit long,2026-01-05 10:00,=HYPERLINK(1),110,1,100,9,9,1
1,Entry long,2026-01-05 02:00,Long,100,1,100,9,9,1
";

#[test]
fn tradingview_pairs_rows_of_one_number() {
    let imported = read(
        Format::TradingView,
        TRADINGVIEW,
        json!({"zone": 480, "initial_equity": 1000, "instrument": "X"}),
    );
    let first = &rows(&imported)[1];
    assert_eq!(
        *first,
        json!({"trade_id": "1", "instrument": "X", "currency": "USD", "side": "long", "opened_at": "2026-01-04T18:00:00Z",
            "closed_at": "2026-01-05T02:00:00Z", "settled": true, "size": "1", "entry_price": "100", "exit_price": "110",
            "fees": "1", "pnl_net": "9", "equity_before": "1000"})
    );
    let open = &rows(&imported)[0];
    assert_eq!(
        (&open["settled"], &open["open_pnl"], open.get("closed_at")),
        (&json!(false), &json!("10"), None)
    );
    assert_eq!(lost(&imported, LossCode::OpenPositions), 1);
    assert_eq!(lost(&imported, LossCode::ZoneMissing), 0);
}

#[test]
fn hyperliquid_fills_are_paired_from_flat_to_flat() {
    let fill = |side: &str, size: &str, price: &str, start: &str, profit: &str, time: i64| {
        json!({"coin": "BTC", "px": price, "sz": size, "side": side, "time": time, "startPosition": start, "dir": "x",
            "closedPnl": profit, "fee": "0.5", "feeToken": "USDC", "tid": time})
    };
    let start = 1_767_600_000_000_i64;
    let fills = json!([
        fill("B", "1", "90", "-1.0", "10.0", start + 3),
        fill("A", "3", "110", "2.0", "20.0", start + 2),
        fill("B", "1", "100", "1.0", "0.0", start + 1),
        fill("B", "1", "100", "0.0", "0.0", start),
    ]);
    let imported = read(Format::HyperliquidFills, &fills.to_string(), json!({}));
    assert_eq!((imported.rows, imported.positions, settled(&imported)), (4, 2, 2));
    let sides: Vec<&str> = rows(&imported).iter().map(|row| row["side"].as_str().unwrap()).collect();
    assert_eq!(sides, ["long", "short"]);
    assert_eq!(sum(&imported, "pnl_net"), decimal("28"));
    assert_eq!(rows(&imported)[0]["size"], "2");
    // Prices of the short: sold at 110, bought at 90; the platform states half of that, so they are left out.
    assert_eq!(lost(&imported, LossCode::PricesDropped), 1);
    assert_eq!(lost(&imported, LossCode::FundingElsewhere), 4);
}

#[test]
fn hyperliquid_web_profits_are_before_the_fee_again() {
    let file = "time,coin,dir,px,sz,ntl,fee,closedPnl
13/01/2026 - 10:00:00,ETH,Open Short,100,2,200,0.1,-0.1
13/01/2026 - 11:00:00,ETH,Close Short,90,2,180,0.1,19.9
";
    let imported = read(Format::HyperliquidCsv, file, json!({"zone": "UTC"}));
    assert_eq!((sum(&imported, "pnl_net"), sum(&imported, "fees")), (decimal("19.8"), decimal("0.2")));
    assert_eq!(rows(&imported)[0]["opened_at"], "2026-01-13T10:00:00Z");
    assert_eq!(lost(&imported, LossCode::DateOrderInferred), 1);
}

/// A report of MetaTrader 5 with these rows of deals.
fn deals(rows: &str) -> String {
    format!(
        "<table><tr><th>Account:</th><th>1 (EUR, Broker, demo, Hedge)</th></tr><tr><th colspan=\"2\"><b>Deals</b></th></tr>
        <tr><td>Time</td><td>Deal</td><td>Symbol</td><td>Type</td><td>Direction</td><td>Volume</td><td>Price</td><td>Order</td>
        <td>Commission</td><td>Fee</td><td>Swap</td><td>Profit</td><td>Balance</td><td>Comment</td></tr>{rows}</table>"
    )
}

fn deal(
    time: &str,
    kind: &str,
    direction: &str,
    volume: &str,
    price: &str,
    profit: &str,
    balance: &str,
) -> String {
    format!(
        "<tr><td>2026.01.05 {time}</td><td>1</td><td>EURUSD</td><td>{kind}</td><td>{direction}</td><td>{volume}</td>
        <td>{price}</td><td>1</td><td>-1.00</td><td>0.00</td><td>-0.50</td><td>{profit}</td><td>{balance}</td><td></td></tr>"
    )
}

#[test]
fn metatrader_5_closes_by_direction_also_where_both_sides_are_open() {
    let file = deals(
        &[
            deal("08:00:00", "balance", "", "", "", "10 001.50", "10 000.00"),
            deal("09:00:00", "buy", "in", "1.00", "1.10000", "0.00", "9 998.50"),
            deal("09:30:00", "sell", "in", "1.00", "1.10000", "0.00", "9 997.00"),
            deal("10:00:00", "sell", "out", "1.00", "1.10100", "100.00", "10 095.50"),
            deal("11:00:00", "buy", "out", "1.00", "1.10200", "-200.00", "9 894.00"),
        ]
        .concat(),
    );
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(file.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let options = trade_exports::Options { zone: trade_exports::Zone::minutes(120), ..Default::default() };
    let imported = trade_exports::import(Format::MetaTrader5, &utf16, &options).unwrap();
    assert_eq!(imported.positions, 2);
    let [long, short] = rows(&imported) else { panic!("two trades") };
    assert_eq!(
        (&long["side"], &long["pnl_net"], &long["size"]),
        (&json!("long"), &json!("97"), &json!("100000"))
    );
    assert_eq!(
        (&short["side"], &short["pnl_net"], &short["fees"]),
        (&json!("short"), &json!("-203"), &json!("3"))
    );
    assert_eq!((&long["currency"], &long["closed_at"]), (&json!("EUR"), &json!("2026-01-05T08:00:00Z")));
    assert_eq!((&long["equity_before"], &short["equity_before"]), (&json!("10000"), &json!("10097")));
}

#[test]
fn metatrader_5_reads_positions_where_there_are_no_deals() {
    let file = "<table><tr><th>Time</th><th>Position</th><th>Symbol</th><th>Type</th><th>Volume</th><th>Price</th><th>S / L</th>
        <th>T / P</th><th>Time</th><th>Price</th><th>Commission</th><th>Swap</th><th>Profit</th></tr>
        <tr><td>2026.01.05 09:00:00</td><td>7</td><td>USDJPY</td><td>buy</td><td class=\"hidden\" colspan=\"8\"></td><td>1.00</td>
        <td>150.000</td><td></td><td></td><td>2026.01.05 10:00:00</td><td>151.000</td><td>-2.00</td><td>0.00</td><td>662.25</td></tr>
        </table>";
    let imported = read(Format::MetaTrader5, file, json!({"zone": 120, "currency": "USD"}));
    assert_eq!((imported.positions, sum(&imported, "pnl_net")), (1, decimal("660.25")));
    // With the multiplier and the rate of the yen, prices make the profit.
    let options = json!({"multiplier": 100_000, "fx_rate": "0.0066225", "currency": "USD"});
    let imported = read(Format::MetaTrader5, file, options);
    assert_eq!(
        (lost(&imported, LossCode::PricesDropped), &rows(&imported)[0]["size"]),
        (0, &json!("100000"))
    );
}

#[test]
fn metatrader_4_leaves_out_what_is_no_trade() {
    let file = "<table><tr><td>Currency: USD</td></tr><tr><td>Ticket</td><td>Open Time</td><td>Type</td><td>Size</td><td>Item</td>
        <td>Price</td><td>S / L</td><td>T / P</td><td>Close Time</td><td>Price</td><td>Commission</td><td>Taxes</td><td>Swap</td>
        <td>Profit</td></tr>
        <tr><td>1</td><td>2026.01.05 08:00:00</td><td>balance</td><td colspan=10>Deposit</td><td>1 000.00</td></tr>
        <tr><td>2</td><td>2026.01.05 09:00:00</td><td>sell</td><td>0.10</td><td>eurusd</td><td>1.10000</td><td>0</td><td>0</td>
        <td>2026.01.05 10:00:00</td><td>1.09900</td><td>-0.70</td><td>0.00</td><td>-0.30</td><td>10.00</td></tr>
        <tr><td>3</td><td>2026.01.05 09:00:00</td><td>buy limit</td><td>0.10</td><td>eurusd</td><td>1.0</td><td>0</td><td>0</td>
        <td>2026.01.05 10:00:00</td><td>1.1</td><td colspan=4>cancelled</td></tr>
        <tr><td colspan=10></td><td>-0.70</td></tr></table>";
    let imported = read(Format::MetaTrader4, file, json!({}));
    assert_eq!(
        (imported.positions, sum(&imported, "pnl_net"), sum(&imported, "fees")),
        (1, decimal("9"), decimal("1"))
    );
    assert_eq!((lost(&imported, LossCode::RowsLeftOut), lost(&imported, LossCode::ZoneMissing)), (1, 3));
    assert_eq!(
        (&rows(&imported)[0]["equity_before"], &rows(&imported)[0]["currency"]),
        (&json!("1000"), &json!("USD"))
    );
}

#[test]
fn a_fee_in_the_coin_that_was_bought_is_taken_from_the_position() {
    let file = "Date(UTC),Pair,Side,Price,Executed,Amount,Fee
2026-01-05 10:00:00,BTCUSDT,BUY,100,1BTC,100USDT,0.001BTC
2026-01-05 11:00:00,BTCUSDT,SELL,110,0.999BTC,109.89USDT,0.1BNB
";
    let imported = read(Format::BinanceSpot, file, json!({}));
    assert_eq!(
        (imported.positions, sum(&imported, "pnl_net"), sum(&imported, "fees")),
        (1, decimal("9.89"), decimal("0.11"))
    );
    assert_eq!(lost(&imported, LossCode::FeeInOtherCoin), 1);
    let imported = read(Format::BinanceSpot, file, json!({"currency": "USDT", "fx_rates": {"BNB": "600"}}));
    assert_eq!(sum(&imported, "pnl_net"), decimal("-50.11"));
}

#[test]
fn bybit_closes_a_long_position_by_a_sale() {
    let file = "Contracts,Closing Direction,Qty,Entry Price,Exit Price,Closed P&L,Exit Type,Trade Time(UTC+8)
XRPUSDT,Sell,10,2,3,9.5,Trade,2026-01-05 04:00:00
";
    let imported = read(Format::BybitClosedPnl, file, json!({}));
    let row = &rows(&imported)[0];
    assert_eq!(
        (&row["side"], &row["fees"], &row["closed_at"]),
        (&json!("long"), &json!("0.5"), &json!("2026-01-04T20:00:00Z"))
    );
    assert_eq!(
        (lost(&imported, LossCode::OpeningTimeMissing), lost(&imported, LossCode::FeesDerived)),
        (1, 1)
    );
}

#[test]
fn okx_takes_the_zone_of_its_first_line_and_closes_by_action() {
    let file = "UID:0,Account Type:Main,Time Zone:UTC+8
id,Order id,Time,Trade Type,Symbol,Action,Amount,Trading Unit,Filled Price,PnL,Fee,Fee Unit
1,1,2026-01-05 08:00:00,Perpetual Swap,BTC-USDT-SWAP,Open short,5,cont,100,0,-0.1,USDT
2,2,2026-01-05 09:00:00,Perpetual Swap,BTC-USDT-SWAP,Close short,5,cont,90,0.5,-0.1,USDT
";
    let imported = read(Format::OkxTrading, file, json!({}));
    let row = &rows(&imported)[0];
    assert_eq!(
        (&row["pnl_net"], &row["size"], &row["opened_at"]),
        (&json!("0.3"), &json!("0.05"), &json!("2026-01-05T00:00:00Z"))
    );
    assert_eq!(lost(&imported, LossCode::FundingElsewhere), 2);
}

#[test]
fn kraken_leaves_out_an_id_that_comes_twice() {
    let file = "txid,pair,time,type,price,cost,fee,vol,margin
A,XXBTZEUR,2026-01-05 10:00:00.1234,buy,100,100,1,1,0
A,XXBTZEUR,2026-01-05 10:00:00.1234,buy,100,100,1,1,0
B,XXBTZEUR,2026-01-05 11:00:00,sell,120,120,1,1,0
C,XXBTZEUR,2026-01-05 12:00:00,sell,120,120,1,1,0
";
    let imported = read(Format::KrakenTrades, file, json!({}));
    assert_eq!(
        (imported.positions, sum(&imported, "pnl_net"), &rows(&imported)[0]["currency"]),
        (1, decimal("18"), &json!("EUR"))
    );
    assert_eq!((lost(&imported, LossCode::DuplicateIds), lost(&imported, LossCode::OpeningMissing)), (1, 1));
}

#[test]
fn ibkr_flex_multiplies_contracts_and_keeps_positions_of_before() {
    let trade = |day: &str, quantity: &str, price: &str, profit: &str, code: &str| {
        format!(
            "<Trade currency=\"USD\" assetCategory=\"OPT\" symbol=\"X  C5\" multiplier=\"100\" dateTime=\"2026-01-{day};100000\"
            quantity=\"{quantity}\" tradePrice=\"{price}\" ibCommission=\"-1\" taxes=\"0\" fifoPnlRealized=\"{profit}\"
            openCloseIndicator=\"{code}\" levelOfDetail=\"EXECUTION\"/>"
        )
    };
    let file = format!(
        "<?xml version=\"1.0\"?><FlexQueryResponse><FlexStatements><FlexStatement><Trades>{}{}{}</Trades></FlexStatement>
        </FlexStatements></FlexQueryResponse>",
        trade("05", "-1", "3", "50", "C"),
        trade("06", "2", "1", "0", "O"),
        trade("07", "-2", "1.5", "98", "C"),
    );
    let imported = read(Format::IbkrFlex, &file, json!({"zone": "America/New_York"}));
    assert_eq!((imported.positions, sum(&imported, "pnl_net")), (2, decimal("148")));
    assert_eq!((&rows(&imported)[1]["size"], &rows(&imported)[0]["pnl_net"]), (&json!("200"), &json!("50")));
    assert_eq!(
        (&rows(&imported)[0]["closed_at"], lost(&imported, LossCode::OpeningMissing)),
        (&json!("2026-01-05T15:00:00Z"), 1)
    );
}

#[test]
fn ibkr_activity_reads_orders_of_the_section_trades() {
    let file = "Statement,Header,Field Name,Field Value
Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Basis,Realized P/L,MTM P/L,Code
Trades,Data,Order,Stocks,USD,X,\"2026-01-05, 10:00:00\",\"1,000\",10,10,-10000,-1,10001,0,0,O
Trades,Data,Order,Stocks,USD,X,\"2026-01-06, 10:00:00\",\"-1,000\",11,11,11000,-1,-10001,998,0,C
Trades,Data,ClosedLot,Stocks,USD,X,2026-01-05,1000,10,,,,,,,
Trades,SubTotal,,Stocks,USD,X,,0,,,1000,-2,,998,0,
";
    let imported = read(Format::IbkrActivity, file, json!({}));
    assert_eq!((imported.positions, sum(&imported, "pnl_net")), (1, decimal("998")));
    assert_eq!(lost(&imported, LossCode::RowsLeftOut), 1);
}

#[test]
fn quantconnect_profits_are_before_fees() {
    let file = "Entry Time,Symbols,Exit Time,Direction,Entry Price,Exit Price,Quantity,P&L,Fees,MAE,MFE
2026-01-05T15:00:00Z,ES,2026-01-05T16:00:00Z,Sell,5000,4990,2,1000,4.3,0,0
";
    let imported = read(Format::QuantConnect, file, json!({}));
    assert_eq!((sum(&imported, "pnl_net"), &rows(&imported)[0]["size"]), (decimal("995.7"), &json!("100")));
    assert_eq!(lost(&imported, LossCode::MultiplierDerived), 1);
}

#[test]
fn backtesting_py_profits_are_after_commission() {
    let file = ",Size,EntryBar,ExitBar,EntryPrice,ExitPrice,PnL,Commission,EntryTime,ExitTime
0,-10,1,2,100.0,99.5,4.0,1.0,2026-01-05,2026-01-06
";
    let imported = read(Format::BacktestingPy, file, json!({}));
    let row = &rows(&imported)[0];
    assert_eq!(
        (&row["pnl_net"], &row["side"], &row["closed_at"]),
        (&json!("4"), &json!("short"), &json!("2026-01-06T00:00:00Z"))
    );
}

#[test]
fn returns_are_read_with_and_without_header_zone_and_gaps() {
    for file in [
        "2026-01-05,0.01\n2026-01-06,-0.02\n",
        ",returns\n2026-01-05 00:00:00+00:00,0.01\n2026-01-06 00:00:00+00:00,-2e-2\n2026-01-07 00:00:00+00:00,\n",
        "Date,0\n2026-01-05,1%\n2026-01-06,-0.02\n2026-01-07,NaN\n",
        "index,return\n2026-01-05 00:00:00-05:00,0.01\n2026-01-06 00:00:00-05:00,-0.020\n",
    ] {
        let imported = read(Format::Returns, file, json!({}));
        let expected = json!([{"date": "2026-01-05", "r": "0.01"}, {"date": "2026-01-06", "r": "-0.02"}]);
        assert_eq!(imported.request, json!({"returns": expected}), "{file}");
        assert_eq!(
            imported.rows - 2,
            usize::try_from(lost(&imported, LossCode::EmptyReturns)).unwrap(),
            "{file}"
        );
    }
}

#[test]
fn any_file_is_read_by_a_map_of_columns() {
    let file = "Symbol;Richtung;Auf;Zu;Menge;Kauf;Verkauf;Ergebnis;Markt
ABC;Kauf;05.01.2026 10:00;06.01.2026 10:00;10;1.000,50;1.001,50;9,00;0,001
";
    let columns = json!({"rows": "trades", "delimiter": ";", "decimal_comma": true, "instrument": "Symbol", "side": "Richtung",
        "opened_at": "Auf", "closed_at": "Zu", "quantity": "Menge", "entry_price": "Kauf", "exit_price": "Verkauf",
        "pnl_net": "Ergebnis", "benchmark": "Markt", "buy_words": ["kauf"]});
    let imported =
        read(Format::Generic, file, json!({"columns": columns, "zone": "Europe/Berlin", "currency": "EUR"}));
    let row = &rows(&imported)[0];
    assert_eq!(
        (&row["entry_price"], &row["pnl_net"], &row["opened_at"]),
        (&json!("1000.5"), &json!("9"), &json!("2026-01-05T09:00:00Z"))
    );
    assert_eq!((&row["benchmark_return"], lost(&imported, LossCode::NoBenchmark)), (&json!("0.001"), 0));
}

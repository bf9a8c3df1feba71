//! Files that give no request: the row, the column and the reason.

use proptest::prelude::*;
use serde_json::json;
use trade_exports::{FORMATS, Format, MAX_BYTES, MAX_ROWS, Options, Problem, import};

use crate::common::{options, refused};

#[test]
fn a_wrong_cell_is_named_with_row_and_column() {
    let head = "Date(UTC),Symbol,Side,Price,Quantity,Amount,Fee,Realized Profit,Quote Asset\n";
    for (row, column) in [
        ("2026-13-05 10:00:00,X,BUY,1,1,1,0,0,USDT", "Date(UTC)"),
        ("2026-01-05 10:00:00,X,HOLD,1,1,1,0,0,USDT", "Side"),
        ("2026-01-05 10:00:00,X,BUY,-1,1,1,0,0,USDT", "Price"),
        ("2026-01-05 10:00:00,X,BUY,=1+1,1,1,0,0,USDT", "Price"),
        ("2026-01-05 10:00:00,X,BUY,1,+1,1,0,0,USDT", "Quantity"),
        ("2026-01-05 10:00:00,X,BUY,1,0,1,0,0,USDT", "Quantity"),
        ("2026-01-05 10:00:00,X,BUY,1,1,1,@SUM(A1),0,USDT", "Fee"),
        ("2026-01-05 10:00:00,X,BUY,1,1,1,0,1e400,USDT", "Realized Profit"),
    ] {
        let file = format!("{head}2026-01-05 09:00:00,X,BUY,1,1,1,0,0,USDT\n{row}\n");
        let (at, name, problem) = refused(Format::BinanceFutures, file.as_bytes(), json!({}));
        assert_eq!((at, name.as_deref()), (Some(3), Some(column)), "{row}: {problem}");
    }
}

#[test]
fn two_currencies_need_a_rate() {
    let file = "txid,pair,time,type,price,cost,fee,vol
A,XBT/EUR,2026-01-05 10:00:00,buy,100,100,1,1
B,ETH/USD,2026-01-05 11:00:00,buy,100,100,1,1
";
    let (row, column, problem) = refused(Format::KrakenTrades, file.as_bytes(), json!({}));
    assert_eq!((row, column.as_deref()), (Some(3), Some("pair")));
    assert_eq!(problem, Problem::Currencies { currency: "EUR".to_owned(), other: "USD".to_owned() });
    assert!(
        import(Format::KrakenTrades, file.as_bytes(), &options(json!({"fx_rates": {"USD": 0.9}}))).is_ok()
    );
}

#[test]
fn dates_of_two_orders_or_of_none_are_refused() {
    let file = |one: &str, two: &str| {
        format!(
            "time,coin,dir,px,sz,ntl,fee,closedPnl\n{one} - 10:00:00,X,Open Long,1,1,1,0,0\n{two} - 10:00:00,X,Close Long,1,1,1,0,0\n"
        )
    };
    let problem =
        |one: &str, two: &str| refused(Format::HyperliquidCsv, file(one, two).as_bytes(), json!({})).2;
    assert!(matches!(problem("01/02/2026", "02/02/2026"), Problem::DateOrder { .. }));
    assert!(matches!(problem("13/02/2026", "02/13/2026"), Problem::DateOrderMixed { .. }));
    assert!(
        import(
            Format::HyperliquidCsv,
            file("01/02/2026", "02/02/2026").as_bytes(),
            &options(json!({"date_order": "month_first"}))
        )
        .is_ok()
    );
}

#[test]
fn xml_bombs_and_documents_with_a_type_are_refused() {
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><FlexQueryResponse><Trade symbol=\"&b;\"/></FlexQueryResponse>";
    assert_eq!(refused(Format::IbkrFlex, bomb.as_bytes(), json!({})).2, Problem::Doctype);
    let deep = format!("<FlexQueryResponse>{}", "<a>".repeat(100));
    assert_eq!(refused(Format::IbkrFlex, deep.as_bytes(), json!({})).2.code(), "TOO_DEEP");
    let entity = "<FlexQueryResponse><Trade symbol=\"&own;\"/></FlexQueryResponse>";
    assert!(matches!(refused(Format::IbkrFlex, entity.as_bytes(), json!({})).2, Problem::Damaged(_)));
}

#[test]
fn files_cut_in_the_middle_are_refused() {
    let csv = "Trade #,Type,Date/Time,Signal,Price USD,Contracts,Profit USD\n1,Entry Long,2026-01-05 10:00,a,1,1,\n1,Exit Long,2026-01-05";
    let (row, _, problem) = refused(Format::TradingView, csv.as_bytes(), json!({}));
    assert!(row == Some(3) && matches!(problem, Problem::Damaged(_)), "{problem}");
    let quote = "a,b\n\"x,1\ny,2\n";
    let map = json!({"columns": {"rows": "returns", "date": "a", "r": "b"}});
    assert!(matches!(refused(Format::Generic, quote.as_bytes(), map).2, Problem::Damaged(_)));
    for (format, file) in [
        (Format::HyperliquidFills, "[{\"coin\":\"X\""),
        (Format::IbkrFlex, "<FlexQueryResponse><Trades>"),
        (Format::MetaTrader5, "<table><tr><td>Deal</td><td>Dir"),
    ] {
        assert!(matches!(refused(format, file.as_bytes(), json!({})).2, Problem::Damaged(_)), "{file}");
    }
}

#[test]
fn a_close_before_the_opening_is_refused() {
    let file = ",Size,EntryPrice,ExitPrice,PnL,EntryTime,ExitTime\n0,1,1,1,0,2026-01-06,2026-01-05\n";
    let (row, column, problem) = refused(Format::BacktestingPy, file.as_bytes(), json!({}));
    assert_eq!((row, column.as_deref(), problem), (Some(2), Some("closed_at"), Problem::ClosedBeforeOpened));
}

#[test]
fn every_bound_is_held() {
    let large = vec![b'1'; MAX_BYTES + 1];
    assert_eq!(refused(Format::Returns, &large, json!({})).2, Problem::TooLarge { bytes: MAX_BYTES + 1 });
    let rows = "2026-01-05,0.01\n".repeat(MAX_ROWS + 2);
    assert_eq!(refused(Format::Returns, rows.as_bytes(), json!({})).2, Problem::TooManyRows);
    let wide = ",".repeat(1_000);
    assert_eq!(refused(Format::Returns, wide.as_bytes(), json!({})).2, Problem::TooManyColumns);
    let long = format!("2026-01-05,{}\n", "1".repeat(5_000));
    assert_eq!(refused(Format::Returns, long.as_bytes(), json!({})).2, Problem::CellTooLong);
    let span = "<tr><td colspan=999999999>x</td></tr>";
    assert_eq!(refused(Format::MetaTrader4, span.as_bytes(), json!({})).2, Problem::TooManyColumns);
}

#[test]
fn funding_without_a_position_is_refused() {
    let file = "date,i,s,q,p\n2026-01-05T10:00:00Z,X,buy,1,1\n2026-01-05T11:00:00Z,X,sell,1,1\n";
    let columns = json!({"rows": "fills", "time": "date", "instrument": "i", "side": "s", "quantity": "q", "price": "p"});
    let funding = json!([{"at": "2026-01-05T12:00:00Z", "amount": 1, "instrument": "X"}]);
    let (row, column, problem) =
        refused(Format::Generic, file.as_bytes(), json!({"columns": columns, "funding": funding}));
    assert_eq!((row, column.as_deref()), (Some(1), Some("funding")));
    assert!(matches!(problem, Problem::FundingWithoutPosition { .. }));
}

#[test]
fn returns_of_a_day_twice_and_levels_are_refused() {
    let twice = "2026-01-05 10:00,0.1\n2026-01-05 11:00,0.1\n";
    let (row, column, problem) = refused(Format::Returns, twice.as_bytes(), json!({}));
    assert_eq!(
        (row, column.as_deref(), problem),
        (Some(2), Some("1"), Problem::DayTwice { day: "2026-01-05".to_owned() })
    );
    for file in [",Equity\n2026-01-05,100\n", ",a,b\n2026-01-05,1,2\n", ""] {
        assert!(
            matches!(refused(Format::Returns, file.as_bytes(), json!({})).2, Problem::OtherFormat { .. }),
            "{file}"
        );
    }
    assert!(matches!(refused(Format::Returns, b"2026-01-05,inf\n", json!({})).2, Problem::Cell { .. }));
}

proptest! {
    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for (_, format) in FORMATS {
            let _ = import(format, &bytes, &Options::default());
        }
    }

    #[test]
    fn no_cells_are_too_strange(cells in prop::collection::vec("[-0-9.,:/A-Za-z =+@\"]{0,12}|-?[0-9]{1,18}(\\.[0-9]{1,20})?", 16..64)) {
        let heads = [
            (Format::TradingView, "Trade #,Type,Date/Time,Signal,Price USD,Contracts,Profit USD"),
            (Format::BinanceSpot, "Date(UTC),Pair,Side,Price,Executed,Amount,Fee"),
            (Format::KrakenTrades, "txid,pair,time,type,price,cost,fee,vol"),
            (Format::Returns, "date,returns"),
        ];
        for (format, head) in heads {
            let width = head.split(',').count();
            let rows: Vec<String> = cells.chunks(width).map(|row| row.join(",")).collect();
            let _ = import(format, format!("{head}\n{}\n", rows.join("\n")).as_bytes(), &Options::default());
        }
    }

    #[test]
    fn no_sizes_and_prices_are_too_great(numbers in prop::collection::vec("[0-9]{1,18}(\\.[0-9]{1,20})?", 4..40)) {
        let rows: Vec<String> = numbers.chunks(2).enumerate().map(|(at, pair)| {
            let side = if at % 3 == 0 { "buy" } else { "sell" };
            format!("2026-01-05T10:00:{:02}Z,X,{side},{},{}", at % 60, pair[0], pair.last().unwrap())
        }).collect();
        let columns = json!({"rows": "fills", "time": "t", "instrument": "i", "side": "s", "quantity": "q", "price": "p", "shorts": true});
        let _ = import(Format::Generic, format!("t,i,s,q,p\n{}\n", rows.join("\n")).as_bytes(), &options(json!({"columns": columns})));
    }
}

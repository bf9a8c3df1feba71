//! Files that are damaged, cut or hostile, on both routes: the row and the column of what is wrong, or a finding that says what was
//! lost.

use serde_json::{Value, json};

use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

const ROUTES: [&str; 2] = ["/grade-strategy", "/copy-trade-score"];
/// Fills of one instrument that may be sold first.
const FILLS: &str = "t,i,s,q,p\n";
const FUTURES: &str = "Date(UTC),Symbol,Side,Price,Quantity,Amount,Fee,Realized Profit,Quote Asset\n\
    2026-01-05 09:00:00,X,BUY,1,1,1,0,0,USDT\n";

fn columns() -> Value {
    json!({"columns": {"rows": "fills", "time": "t", "instrument": "i", "side": "s", "quantity": "q", "price": "p",
        "shorts": true}})
}

fn question(format: &str, file: &str, import: Value) -> Value {
    json!({"agent": "a", "benchmark": "cash", "format": format, "file": file, "import": import})
}

/// That both routes refuse the file, and say this of it.
#[track_caller]
fn refused(service: &Service, format: &str, file: &str, import: Value, field: &str, says: &[&str]) {
    let question = question(format, file, import);
    for route in ROUTES {
        let problem = service.ask(route, &question).problem(400);
        assert_eq!(text(&problem, "field"), field, "{problem}");
        for part in says {
            assert!(text(&problem, "detail").contains(part), "{part}: {problem}");
        }
    }
}

/// What both routes made of a file; neither verdict is a good one.
#[track_caller]
fn read(service: &Service, format: &str, file: &str, import: Value) -> Value {
    let question = question(format, file, import);
    let [graded, scored] = ROUTES.map(|route| service.ask(route, &question).expect(200).json());
    assert_eq!(graded["imported"], scored["imported"]);
    assert_ne!(graded["verdict"], "REAL_EDGE");
    assert_ne!(scored["verdict"], "COPY");
    graded
}

fn lost(receipt: &Value, code: &str) -> Option<u64> {
    let lost = receipt["imported"]["lost"].as_array().unwrap();
    lost.iter().find(|loss| loss["code"] == code)?["count"].as_u64()
}

#[test]
fn a_formula_a_negative_price_and_a_number_past_all_measure_are_named_by_their_cell() {
    let service = Launch::dev().without_limits().start();
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
        let place = format!("row 3, column `{column}`");
        refused(&service, "binance-futures", &format!("{FUTURES}{row}\n"), json!({}), "file", &[&place]);
    }
    // In a column of texts a formula is a text, and goes nowhere.
    let named = "Trade #,Type,Date/Time,Signal,Price USD,Contracts,Profit USD\n\
        1,Entry Long,2026-01-05 10:00,=HYPERLINK(1),1,1,\n1,Exit Long,2026-01-05 11:00,=cmd|' /C calc'!A0,2,1,1\n";
    let receipt = read(&service, "tradingview", named, json!({"zone": "UTC"}));
    assert_eq!(receipt["imported"]["positions"], 1);
    assert!(!receipt.to_string().contains("HYPERLINK"), "{receipt}");
}

#[test]
fn a_file_that_was_cut_in_the_middle_is_refused() {
    let service = Launch::dev().without_limits().start();
    let cut = "Trade #,Type,Date/Time,Signal,Price USD,Contracts,Profit USD\n\
        1,Entry Long,2026-01-05 10:00,a,1,1,\n1,Exit Long,2026-01-05";
    refused(&service, "tradingview", cut, json!({}), "file", &["row 3", "damaged or ends early"]);
    let returns = json!({"columns": {"rows": "returns", "date": "a", "r": "b"}});
    refused(&service, "generic", "a,b\n\"x,1\ny,2\n", returns, "file", &["damaged or ends early"]);
    for (format, file) in [
        ("hyperliquid-fills", "[{\"coin\":\"X\""),
        ("ibkr-flex", "<FlexQueryResponse><Trades>"),
        ("metatrader5", "<table><tr><td>Deal</td><td>Dir"),
    ] {
        refused(&service, format, file, json!({}), "file", &["damaged or ends early"]);
    }
}

#[test]
fn xml_bombs_are_refused_before_they_grow() {
    let service = Launch::dev().without_limits().start();
    let levels: String = (1..30)
        .map(|level| format!("<!ENTITY a{level} \"{}\">", format!("&a{};", level - 1).repeat(10)))
        .collect();
    let laughs = format!(
        "<!DOCTYPE x [<!ENTITY a0 \"aaaa\">{levels}]><FlexQueryResponse><Trade symbol=\"&a29;\"/></FlexQueryResponse>"
    );
    refused(&service, "ibkr-flex", &laughs, json!({}), "file", &["DOCTYPE"]);
    let outside = "<!DOCTYPE x SYSTEM \"http://127.0.0.1:1/x.dtd\"><FlexQueryResponse/>";
    refused(&service, "ibkr-flex", outside, json!({}), "file", &["DOCTYPE"]);
    let deep = format!("<FlexQueryResponse>{}", "<a>".repeat(100_000));
    refused(&service, "ibkr-flex", &deep, json!({}), "file", &["nested deeper than 16"]);
    let own = "<FlexQueryResponse><Trade symbol=\"&own;\"/></FlexQueryResponse>";
    refused(&service, "ibkr-flex", own, json!({}), "file", &["row", "damaged or ends early"]);
}

#[test]
fn two_clocks_in_one_file_are_told_apart_or_refused() {
    let service = Launch::dev().without_limits().start();
    let fills =
        |closed: &str| format!("{FILLS}2026-01-05T10:00:00-05:00,X,buy,1,100\n{closed},X,sell,1,110\n");
    // Each cell has its own offset: an hour later by New York's clock, and by that of Berlin.
    let one = read(&service, "generic", &fills("2026-01-05T11:00:00-05:00"), columns());
    let other = read(&service, "generic", &fills("2026-01-05T17:00:00+01:00"), columns());
    assert_eq!(one["rows"], other["rows"]);
    assert_eq!((lost(&one, "ZONE_MISSING"), one["rows"]["settled"].as_u64()), (None, Some(1)));
    // A trade that closes at eleven in Tokyo was opened at ten in New York, thirteen hours later.
    let trades = json!({"columns": {"rows": "trades", "opened_at": "o", "closed_at": "c", "pnl_net": "n"}});
    let file = "o,c,n\n2026-01-05T10:00:00-05:00,2026-01-05T11:00:00+09:00,1\n";
    refused(
        &service,
        "generic",
        file,
        trades,
        "file",
        &["row 2, column `closed_at`", "closes before it opens"],
    );
    // Day first in one row, month first in the next.
    let mixed = "time,coin,dir,px,sz,ntl,fee,closedPnl\n13/02/2026 - 10:00:00,X,Open Long,1,1,1,0,0\n\
        02/13/2026 - 10:00:00,X,Close Long,1,1,1,0,0\n";
    refused(&service, "hyperliquid-csv", mixed, json!({}), "file", &["row 3, column `time`", "contradicts"]);
}

#[test]
fn funding_while_nothing_was_open_is_refused_by_its_place() {
    let service = Launch::dev().without_limits().start();
    let file = format!("{FILLS}2026-01-05T10:00:00Z,X,buy,1,1\n2026-01-05T11:00:00Z,X,sell,1,1\n");
    let funded = |at: &str, instrument: &str| {
        let mut import = columns();
        import["funding"] = json!([{"at": "2026-01-05T10:30:00Z", "amount": 1, "instrument": "X"},
            {"at": at, "amount": 1, "instrument": instrument}]);
        import
    };
    for (at, instrument) in
        [("2026-01-05T09:59:59Z", "X"), ("2026-01-05T12:00:00Z", "X"), ("2026-01-05T10:30:00Z", "Y")]
    {
        let says = [format!("`{instrument}`")];
        let says: Vec<&str> = says.iter().map(String::as_str).collect();
        refused(&service, "generic", &file, funded(at, instrument), "import.funding.1", &says);
    }
}

#[test]
fn a_position_that_never_closes_and_a_split_are_told_and_are_no_profit() {
    let service = Launch::dev().without_limits().start();
    // The second half of the position is never sold.
    let open = format!("{FILLS}2026-01-05T10:00:00Z,X,buy,2,100\n2026-01-05T11:00:00Z,X,sell,1,110\n");
    let open = read(&service, "generic", &open, columns());
    assert_eq!((lost(&open, "OPEN_POSITIONS"), &open["rows"]["unsettled"]), (Some(1), &json!(1)));
    // One share at 100 becomes two at 50: the second one that is sold was never bought.
    let split = format!("{FILLS}2026-01-05T10:00:00Z,X,buy,1,100\n2026-01-06T10:00:00Z,X,sell,2,50\n");
    let split = read(&service, "generic", &split, columns());
    assert_eq!(
        (lost(&split, "OPEN_POSITIONS"), &split["rows"]["settled"], &split["rows"]["unsettled"]),
        (Some(1), &json!(1), &json!(1))
    );
}

#[test]
fn opposite_fills_at_one_moment_are_paired_in_the_order_of_the_file() {
    let service = Launch::dev().without_limits().start();
    let fills = |first: &str, second: &str| {
        format!("{FILLS}2026-01-05T10:00:00Z,X,{first},1,100\n2026-01-05T10:00:00Z,X,{second},1,100\n")
    };
    for file in [fills("buy", "sell"), fills("sell", "buy")] {
        let receipt = read(&service, "generic", &file, columns());
        assert_eq!(
            (&receipt["imported"]["positions"], &receipt["rows"]["settled"]),
            (&json!(1), &json!(1)),
            "{receipt}"
        );
    }
}

#[test]
fn a_hundred_thousand_fills_of_one_second_are_one_position() {
    let service = Launch::dev().without_limits().start();
    let pair = "2026-01-05T10:00:00Z,X,buy,1,9\n2026-01-05T10:00:00Z,X,sell,1,9\n";
    let file = format!("{FILLS}{}", pair.repeat(50_000));
    let question = question("generic", &file, columns());
    let receipt = service.ask("/grade-strategy", &question).expect(200).json();
    assert_eq!(
        (&receipt["imported"]["rows"], &receipt["imported"]["positions"]),
        (&json!(100_000), &json!(1)),
        "{receipt}"
    );
    assert_eq!(text(&receipt, "verdict"), "INSUFFICIENT_DATA");
    let more = format!("{file}2026-01-05T10:00:00Z,X,buy,1,9\n");
    refused(&service, "generic", &more, columns(), "file", &["100000 rows"]);
}

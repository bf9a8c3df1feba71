//! Exports of trading platforms in place of rows: what they are read to, what the finding says of them, and where the
//! error stands in a bad one.

use serde_json::{Value, json};

use super::assert_replays;
use crate::support::http::Answer;
use crate::support::notary::Notary;
use crate::support::receipt::{text, verify};
use crate::support::service::{BASE_URL, Launch, Service};

const HEADER: &str = "Date(UTC),Symbol,Side,Price,Quantity,Amount,Fee,Realized Profit,Quote Asset";
const DEAL: &str = "2026-02-03 18:45:00,ETHUSDT,BUY,100,1,100,0.1,0,USDT";
const CLOSE: &str = "2026-02-03 20:30:00,ETHUSDT,SELL,103,1,103,0.1,3,USDT";

fn futures(rows: &[&str]) -> String {
    [&[HEADER], rows].concat().join("\n")
}

fn question(format: &str, file: &str, import: Value) -> Value {
    json!({"agent": "a", "benchmark": "cash", "format": format, "file": file, "import": import})
}

fn ask(service: &Service, format: &str, file: &str, import: Value) -> Answer {
    service.ask("/grade-strategy", &question(format, file, import))
}

/// The sentences of what was lost, by their codes.
fn lost(receipt: &Value, code: &str) -> Option<u64> {
    let lost = receipt["imported"]["lost"].as_array().unwrap();
    lost.iter().find(|loss| loss["code"] == code)?["count"].as_u64()
}

#[test]
fn an_export_is_graded_as_the_rows_that_it_makes_and_replays_to_the_byte() {
    let service = Launch::dev().without_limits().set("BASE_URL", BASE_URL).start();
    let file: String = (0..200)
        .map(|at| {
            format!("2024-{:02}-{:02},{}\n", at / 28 + 1, at % 28 + 1, (at % 5) as f64 / 1_000.0 - 0.001)
        })
        .collect();
    let file = format!("date,returns\n{file}");
    let receipt = ask(&service, "returns", &file, json!({})).expect(200).json();
    verify(&receipt, &Notary::of(&service));
    assert_eq!(receipt["units"], 200);
    let imported = &receipt["imported"];
    assert_eq!(
        (&imported["format"], &imported["rows"], &imported["positions"]),
        (&json!("returns"), &json!(200), &json!(200))
    );
    assert_eq!(lost(&receipt, "NO_BENCHMARK"), Some(200));
    assert!(text(&receipt, "method").ends_with(", trade-exports/1"), "{}", receipt["method"]);
    assert_replays(&service, &receipt);
    // The same rows without a file: the same grade, and no word of an import.
    let rows: Vec<Value> = file
        .lines()
        .skip(1)
        .map(|line| line.split_once(',').unwrap())
        .map(|(date, r)| json!({"date": date, "r": r}))
        .collect();
    let plain = json!({"agent": "a", "benchmark": "cash", "returns": rows});
    let plain = service.ask("/grade-strategy", &plain).expect(200).json();
    for member in ["verdict", "reason", "steps", "seed", "rows", "curve"] {
        assert_eq!(plain[member], receipt[member], "{member}");
    }
    assert!(plain.get("imported").is_none());
}

#[test]
fn fills_are_paired_and_a_copier_is_told_of_the_import_too() {
    let service = Launch::dev().without_limits().start();
    let file = futures(&[DEAL, CLOSE]);
    let receipt =
        ask(&service, "binance-futures", &file, json!({"initial_equity": "1000"})).expect(200).json();
    assert_eq!((&receipt["rows"]["given"], &receipt["imported"]["positions"]), (&json!(1), &json!(1)));
    assert_eq!((lost(&receipt, "NO_EQUITY"), lost(&receipt, "FUNDING_ELSEWHERE")), (None, Some(2)));
    let receipt =
        service.ask("/copy-trade-score", &question("binance-futures", &file, json!({}))).expect(200).json();
    assert_eq!((&receipt["imported"]["rows"], lost(&receipt, "NO_EQUITY")), (&json!(2), Some(1)));
    let lacks =
        receipt["missing"].as_array().unwrap().iter().find(|lack| lack["field"] == "equity_before").unwrap();
    assert_eq!(lacks["first"], "file, row 2");
}

#[test]
fn a_file_that_is_no_text_is_sent_in_base64() {
    use base64::Engine as _;
    let service = Launch::dev().without_limits().start();
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(futures(&[DEAL, CLOSE]).encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let file = base64::engine::general_purpose::STANDARD.encode(utf16);
    let mut question = json!({"agent": "a", "format": "binance-futures", "file_base64": file});
    let receipt = service.ask("/grade-strategy", &question).expect(200).json();
    assert_eq!(receipt["imported"]["positions"], 1);
    question["file_base64"] = "====".into();
    service.ask("/grade-strategy", &question).names("file_base64", "malformed");
    question["file_base64"] = "AAAA".into();
    service.ask("/grade-strategy", &question).names("file_base64", "malformed");
}

#[test]
fn a_record_has_one_source_of_rows() {
    let service = Launch::dev().without_limits().start();
    let with = |changes: Value| {
        let mut body = question("returns", "2026-01-02,0.01", json!({}));
        for (name, value) in changes.as_object().unwrap() {
            body[name] = value.clone();
        }
        body.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        service.ask("/grade-strategy", &body)
    };
    with(json!({})).expect(200);
    with(json!({"trades": []})).names("file", "contradictory");
    with(json!({"returns": []})).names("file", "contradictory");
    with(json!({"file_base64": "AAAA"})).names("file_base64", "contradictory");
    with(json!({"file": null})).names("format", "contradictory");
    with(json!({"file": null, "format": null})).names("import", "contradictory");
    with(json!({"file": null, "format": null, "returns": []})).names("import", "contradictory");
    with(json!({"format": null})).names("format", "missing");
    with(json!({"format": "koinly"})).names("format", "unknown_value");
    with(json!({"file": ""})).names("file", "empty");
    with(json!({"file": 7})).names("file", "wrong_type");
    with(json!({"import": []})).names("import", "wrong_type");
    with(json!({"import": {"zonne": 1}})).names("import.zonne", "malformed");
    with(json!({"import": {"zone": "Mars/Olympus"}})).names("import.zone", "malformed");
    with(
        json!({"import": {"funding": [{"at": "2026-01-01T00:00:00Z", "amount": "1", "instrument": "A"}, 7]}}),
    )
    .names("import.funding.1", "malformed");
    with(json!({"import": {"columns": {"rows": "fills"}}})).names("import.columns", "malformed");
}

#[test]
fn what_is_wrong_with_a_file_is_named_by_row_and_column() {
    let service = Launch::dev().without_limits().start();
    let refused = |format: &str, file: &str, import: Value, field: &str, says: &[&str]| {
        let problem = ask(&service, format, file, import).problem(400);
        assert_eq!(text(&problem, "field"), field, "{problem}");
        for part in says {
            assert!(text(&problem, "detail").contains(part), "{part}: {problem}");
        }
    };
    let deal = |row: &str| futures(&[DEAL, row]);
    // A price below zero, a formula, a row that was cut, another document.
    let negative = deal("2026-02-03 20:30:00,ETHUSDT,SELL,-103,1,103,0.1,3,USDT");
    refused("binance-futures", &negative, json!({}), "file", &["row 3, column `Price`"]);
    let formula = deal("2026-02-03 20:30:00,ETHUSDT,SELL,=1+1,1,103,0.1,3,USDT");
    refused("binance-futures", &formula, json!({}), "file", &["row 3, column `Price`", "`=1+1`"]);
    refused("binance-futures", &deal("2026-02-03 20:30:00,ETHU"), json!({}), "file", &["row 3"]);
    refused("binance-futures", "<html></html>", json!({}), "file", &["binance-futures"]);
    // XML with entities of its own.
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"cccc\">]><FlexQueryResponse>&b;</FlexQueryResponse>";
    refused("ibkr-flex", bomb, json!({}), "file", &["DOCTYPE"]);
    // Funding while nothing was open.
    let funding =
        json!({"funding": [{"at": "2025-01-01T00:00:00Z", "amount": "-1", "instrument": "ETHUSDT"}]});
    refused("binance-futures", &futures(&[DEAL, CLOSE]), funding, "import.funding.0", &["ETHUSDT"]);
    // Days that may be months.
    let hyperliquid =
        "time,coin,dir,px,sz,ntl,fee,closedPnl\n03/02/2026 - 12:09:00,HYPE,Open Long,40,1,40,0,0\n";
    refused("hyperliquid-csv", hyperliquid, json!({}), "file", &["row 2, column `time`", "date_order"]);
    // The row is read, and the record's own rules refuse it: it is in the future.
    let future = [DEAL, CLOSE].map(|row| row.replace("2026", "2099"));
    let future = futures(&future.each_ref().map(String::as_str));
    refused("binance-futures", &future, json!({}), "file", &["row 2", "`closed_at`", "future"]);
}

#[test]
fn what_a_file_cannot_say_is_a_loss_and_no_error() {
    let service = Launch::dev().without_limits().start();
    let graded =
        |format: &str, file: &str, import: Value| ask(&service, format, file, import).expect(200).json();
    // A position that never closes.
    let open = graded("binance-futures", &futures(&[DEAL]), json!({}));
    assert_eq!((&open["rows"]["unsettled"], lost(&open, "OPEN_POSITIONS")), (&json!(1), Some(1)));
    // A split: more is sold than was bought, for a part of the price.
    let split = "2026-02-03 20:30:00,ETHUSDT,SELL,51.5,2,103,0.1,3,USDT";
    let split = graded("binance-futures", &futures(&[DEAL, split]), json!({}));
    assert_eq!(lost(&split, "OPEN_POSITIONS"), Some(1));
    // Two clocks: one zone is said, and the other is taken for it.
    let clock = "Trade #,Type,Signal,Date/Time,Price USD,Contracts,Profit USD,Profit %,Cum. Profit USD\n\
        1,Entry Long,Long,2026-02-03 23:30,100,1,,,\n1,Exit Long,Close,2026-02-04 00:30,101,1,1,1,1\n";
    let day = |receipt: &Value| receipt["imported"].clone();
    let (utc, said) = (
        graded("tradingview", clock, json!({})),
        graded("tradingview", clock, json!({"zone": "Asia/Shanghai"})),
    );
    assert_eq!((lost(&utc, "ZONE_MISSING").is_some(), lost(&said, "ZONE_MISSING")), (true, None));
    assert_ne!(day(&utc), day(&said));
}

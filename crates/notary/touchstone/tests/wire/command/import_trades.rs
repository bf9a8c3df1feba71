//! `touchstone import-trades`: the request on standard output, what is lost on standard error.

use serde_json::{Value, json};

use super::said;
use crate::support::receipt::text;
use crate::support::service::touchstone;

const HEADER: &str = "Date(UTC),Symbol,Side,Price,Quantity,Amount,Fee,Realized Profit,Quote Asset\n";

fn trips(count: usize) -> String {
    let rows = (0..count).map(|at| {
        let day = format!("2026-{:02}-{:02}", at / 28 % 10 + 1, at % 28 + 1);
        format!(
            "{day} 09:00:00,ETHUSDT,BUY,100,1,100,0.1,0,USDT\n{day} 10:00:00,ETHUSDT,SELL,{0},1,{0},0.1,{1},USDT\n",
            101 - at % 3,
            1 - i32::try_from(at % 3).unwrap()
        )
    });
    rows.fold(HEADER.to_owned(), |file, row| file + &row)
}

#[test]
fn a_file_becomes_a_question_that_is_judged_and_its_losses_are_said() {
    let flags =
        ["--initial-equity", "1000", "--agent", "me", "--cash", "--declared-trials", "3", "--risk-free", "0"];
    let command = [&["import-trades", "binance-futures", "-"][..], &flags].concat();
    let imported = said(touchstone(command), trips(40));
    assert_eq!(imported.code, Some(0), "{}", imported.err);
    assert_eq!(imported.out.lines().count(), 1);
    let request: Value = serde_json::from_str(&imported.out).unwrap();
    assert_eq!(
        (&request["agent"], &request["benchmark"], &request["declared_trials"], &request["risk_free"]),
        (&json!("me"), &json!("cash"), &json!(3), &json!("0"))
    );
    assert!(imported.err.starts_with("standard input: 80 rows, 40 positions\n"), "{}", imported.err);
    assert!(imported.err.contains("FUNDING_ELSEWHERE (80): "), "{}", imported.err);
    assert!(!imported.err.contains("NO_EQUITY"), "{}", imported.err);
    let judged = said(touchstone(["judge", "grade-strategy"]), &imported.out);
    let finding: Value = serde_json::from_str(&judged.out).unwrap();
    assert_eq!((judged.code, &finding["rows"]["settled"]), (Some(0), &json!(40)));
}

#[test]
fn flags_and_a_file_of_options_say_what_the_export_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let options = json!({"zone": "UTC", "columns": {"rows": "fills", "time": "when", "instrument": "what",
        "quantity": "size", "price": "price"}, "multipliers": {"ES": 50}});
    let options = write("options.json", &options.to_string());
    let file =
        write("fills.csv", "when,what,size,price\n03/04/2026 09:00,ES,1,100\n03/04/2026 10:00,ES,-1,101\n");
    let import = |flags: &[&str]| {
        let all = [&["import-trades", "generic", &file, "--options", &options][..], flags].concat();
        said(touchstone(all), "")
    };
    let flags = [
        "--date-order",
        "month-first",
        "--zone",
        "-300",
        "--currency",
        "USD",
        "--cash-flow",
        "2026-01-01T00:00:00Z=5000",
        "--fx-rate",
        "EUR=1.1",
    ];
    let imported = import(&flags);
    assert_eq!(imported.code, Some(0), "{}", imported.err);
    let request: Value = serde_json::from_str(&imported.out).unwrap();
    let trade = &request["trades"][0];
    assert_eq!(text(trade, "opened_at"), "2026-03-04T14:00:00Z");
    assert_eq!(
        (text(trade, "pnl_net"), text(trade, "size"), text(trade, "equity_before"), text(trade, "currency")),
        ("50", "50", "5000", "USD")
    );
    let imported = import(&["--date-order", "day-first", "--multiplier", "ES=5"]);
    let request: Value = serde_json::from_str(&imported.out).unwrap();
    assert_eq!(text(&request["trades"][0], "closed_at"), "2026-04-03T10:00:00Z");
    assert_eq!(text(&request["trades"][0], "pnl_net"), "5");
    for (flags, says) in [
        (&[][..], "row 2, column `when`: `03/04/2026 09:00` may be day first or month first"),
        (&["--zone", "Mars"], "the option `zone` is wrong"),
        (&["--cash-flow", "1000"], "--cash-flow 1000: must be a time and an amount"),
        (&["--initial-equity", "1e999999999"], "the option `initial_equity` is wrong"),
    ] {
        let refused = import(flags);
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{}", refused.err);
        assert!(refused.err.contains(says), "{}", refused.err);
    }
}

#[test]
fn bad_files_and_formats_are_named() {
    let import = |format: &str, file: &[u8]| said(touchstone(["import-trades", format, "-"]), file);
    let unknown = import("koinly", b"");
    assert_eq!(unknown.code, Some(2));
    for (key, _) in trade_exports::FORMATS {
        assert!(unknown.err.contains(key), "{key}: {}", unknown.err);
    }
    for (format, file, says) in [
        ("kraken-trades", &b""[..], "standard input: this is no export of the format `kraken-trades`"),
        ("returns", b"2026-01-02,x\n", "standard input, row 1, column `2`: `x` must be a return"),
        ("ibkr-flex", b"<!DOCTYPE a><FlexQueryResponse/>", "DOCTYPE"),
        ("ibkr-flex", b"<FlexQueryResponse><a>", "damaged or ends early"),
        ("returns", b"2026-01-02,0.1\n\xff\n", "no text in UTF-8 or UTF-16 from byte 15 on"),
    ] {
        let refused = import(format, file);
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{}", refused.err);
        assert!(refused.err.contains(says), "{}", refused.err);
    }
    let missing = said(touchstone(["import-trades", "returns", "/no/such/file"]), "");
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("read /no/such/file"), "{}", missing.err);
}

/// 100,000 rows are the most that are read.
#[test]
fn a_hundred_thousand_fills_of_one_second_become_one_request() {
    let fill = |at: usize| {
        let (side, profit) = if at.is_multiple_of(2) { ("BUY", 0) } else { ("SELL", 1) };
        format!("2026-02-03 18:45:00,ETHUSDT,{side},{},1,100,0.1,{profit},USDT\n", 100 + at % 2)
    };
    let file = (0..100_000).map(fill).fold(HEADER.to_owned(), |file, row| file + &row);
    let imported = said(touchstone(["import-trades", "binance-futures", "-"]), &file);
    assert_eq!(imported.code, Some(0), "{}", imported.err);
    assert!(imported.err.starts_with("standard input: 100000 rows, "), "{}", imported.err);
    let judged = said(touchstone(["judge", "grade-strategy"]), &imported.out);
    assert_eq!(judged.code, Some(0), "{}", judged.out);
    let longer = said(touchstone(["import-trades", "binance-futures", "-"]), &(file + &fill(0)));
    assert_eq!(longer.code, Some(1));
    assert!(longer.err.contains("more than the 100000 rows"), "{}", longer.err);
}

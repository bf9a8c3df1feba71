//! Submissions and tickers.

use company_facts::{FactsError, MAX_NEAREST, Submissions, Tickers};
use serde_json::{Value, json};

fn submissions() -> Value {
    json!({
        "cik": "0000000001", "name": "Example", "entityType": "operating", "sic": "3571", "sicDescription": "Computers",
        "fiscalYearEnd": "0928", "tickers": ["EX", null], "formerNames": [{"name": "Sample", "from": "2001"}], "new": [1],
        "filings": {"files": [], "recent": {
            "form": ["10-Q", "10-K/A", "NT 10-K"],
            "accessionNumber": ["0000000001-25-000003", "0000000001-25-000002", "0000000001-25-000001"],
            "filingDate": ["2025-05-01", "2025-04-01", "2025-03-01"],
            "reportDate": ["2025-03-31", "2024-12-31", ""],
        }},
    })
}

fn read(json: &Value) -> Result<Submissions, FactsError> {
    Submissions::read(&serde_json::to_vec(json).unwrap())
}

#[test]
fn a_submission_keeps_identity_and_annual_filings() {
    let read = read(&submissions()).unwrap();
    assert_eq!((read.cik, read.sic, read.tickers.as_slice()), (1, Some(3571), &["EX".to_owned()][..]));
    assert_eq!(read.former_names, ["Sample"]);
    let forms: Vec<_> =
        read.filings.iter().map(|filing| (filing.form.as_str(), filing.report_date)).collect();
    assert_eq!(forms, [("10-K/A", Some("2024-12-31".parse().unwrap())), ("NT 10-K", None)]);
    assert_eq!(Submissions::from_canonical(&read.to_canonical()), Ok(read));
}

#[test]
fn a_person_or_a_fund_has_no_industry() {
    let mut person = submissions();
    person["sic"] = json!("");
    person["tickers"] = json!(null);
    assert_eq!(read(&person).unwrap().sic, None);
}

#[test]
fn a_malformed_submission_is_named() {
    for (pointer, value, code) in [
        ("/sic", json!("99999"), "malformed"),
        ("/sic", json!(3571), "malformed"),
        ("/cik", json!(null), "missing"),
        ("/cik", json!([]), "wrong_type"),
        ("/name", json!(null), "missing"),
        ("/filings", json!(null), "missing"),
        ("/filings/recent", json!(null), "missing"),
        ("/filings/recent/form", json!([]), "unequal_columns"),
        ("/filings/recent/filingDate/1", json!("2025-02-30"), "malformed"),
        ("/filings/recent/accessionNumber/1", json!("x"), "malformed"),
    ] {
        let mut body = submissions();
        *body.pointer_mut(pointer).unwrap() = value;
        assert_eq!(read(&body).unwrap_err().code(), code, "{pointer}");
    }
    assert_eq!(Submissions::read(b"<html>"), Err(FactsError::Html));
    assert_eq!(Submissions::read(b"{\"cik\":").unwrap_err().code(), "incomplete");
    assert_eq!(Submissions::read(b"nothing").unwrap_err().code(), "not_json");
    assert_eq!(Submissions::from_canonical(b"{}").unwrap_err().code(), "not_canonical");
}

#[test]
fn a_ticker_is_found_in_any_spelling_of_its_class() {
    let table = json!({
        "0": {"cik_str": 1_067_983, "ticker": "BRK-B", "title": "Berkshire"},
        "1": {"cik_str": 7, "ticker": "TWO", "title": "First"},
        "2": {"cik_str": 8, "ticker": "TWO", "title": "Second"},
        "3": {"cik_str": "9", "ticker": "aapl", "new": {}},
    });
    let tickers = Tickers::read(&serde_json::to_vec(&table).unwrap()).unwrap();
    for spelling in ["BRK-B", "brk.b", " Brk/B "] {
        assert_eq!(tickers.cik_of(spelling), Some(1_067_983), "{spelling}");
    }
    assert_eq!((tickers.cik_of("AAPL"), tickers.cik_of("TWO"), tickers.len()), (Some(9), None, 4));
    for unknown in ["", "BRKB", "a ticker of many characters", "ÄÄ"] {
        assert_eq!(tickers.cik_of(unknown), None, "{unknown}");
    }
    assert_eq!(tickers.nearest("APPL"), ["AAPL"]);
    assert_eq!(tickers.nearest("two."), ["TWO"]);
    assert!(tickers.nearest("X").is_empty() && tickers.nearest(&"A".repeat(1000)).is_empty());
}

#[test]
fn suggestions_are_few_and_the_nearest_first() {
    let rows =
        (0..100).map(|at| (at.to_string(), json!({"cik_str": at + 1, "ticker": format!("AB{at:02}")})));
    let table: serde_json::Map<String, Value> = rows.collect();
    let tickers = Tickers::read(&serde_json::to_vec(&table).unwrap()).unwrap();
    let nearest = tickers.nearest("AB07X");
    assert_eq!((nearest.len(), nearest[0]), (MAX_NEAREST, "AB07"));
}

#[test]
fn a_malformed_table_of_tickers_is_named() {
    for (body, code) in [
        ("<html>", "html"),
        ("{\"0\":{", "incomplete"),
        ("[]", "wrong_type"),
        (r#"{"0":{"ticker":"A"}}"#, "missing"),
        (r#"{"0":{"cik_str":1}}"#, "missing"),
        (r#"{"0":{"cik_str":1,"ticker":""}}"#, "malformed"),
        (r#"{"0":{"cik_str":-1,"ticker":"A"}}"#, "malformed"),
        (r#"{"0":{"cik_str":1,"ticker":"A","ticker":"B"}}"#, "duplicate"),
    ] {
        assert_eq!(Tickers::read(body.as_bytes()).unwrap_err().code(), code, "{body}");
    }
}

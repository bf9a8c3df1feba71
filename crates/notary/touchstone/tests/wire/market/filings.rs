//! Companies scored by the accounts that they filed, from documents that are served locally.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Published, recorded};
use crate::support::http::Request;
use crate::support::money::{pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, text, verify};
use crate::support::service::{Launch, Service};

/// A bond.
const BOND: u64 = 1_000_000;
const TICKERS: &str = "/files/company_tickers.json";

fn submissions_of(cik: u64) -> String {
    format!("/submissions/CIK{cik:010}.json")
}

fn facts_of(cik: u64) -> String {
    format!("/api/xbrl/companyfacts/CIK{cik:010}.json")
}

/// A company's identity, with one late notice.
fn submissions(cik: u64, sic: &str) -> Value {
    json!({
        "cik": format!("{cik:010}"), "name": "Example & Sons <Works>", "sic": sic, "sicDescription": "Electronic Computers",
        "tickers": ["EXAM"], "formerNames": [], "fiscalYearEnd": "1231", "anything": {"new": 1},
        "filings": {"recent": {
            "form": ["NT 10-K", "8-K", "10-K"], "reportDate": ["2025-12-31", "", "2024-12-31"],
            "accessionNumber": ["0000000007-26-000009", "0000000007-25-000005", "0000000007-25-000001"],
            "filingDate": ["2026-03-02", "2025-05-05", "2025-02-20"],
        }},
    })
}

/// The facts of a company whose accounts grow by a tenth each year, from 2021 to 2024; each year is filed in the next February.
/// `restated` is filed in a year later and changes the total of assets of 2024.
fn facts(cik: u64, is_restated: bool) -> Value {
    let flows = [
        ("Revenues", 1200.0),
        ("OperatingIncomeLoss", 250.0),
        ("NetIncomeLoss", 180.0),
        (
            "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
            240.0,
        ),
        ("NetCashProvidedByUsedInOperatingActivities", 260.0),
    ];
    let stocks = [
        ("Assets", 1000.0),
        ("AssetsCurrent", 600.0),
        ("LiabilitiesCurrent", 150.0),
        ("Liabilities", 200.0),
        ("RetainedEarningsAccumulatedDeficit", 500.0),
        ("StockholdersEquity", 800.0),
    ];
    let fact = |start: Option<String>, year: i32, value: f64, filed: (i32, &str, &str)| {
        let (in_year, day, form) = filed;
        let mut fact = json!({
            "end": format!("{year}-12-31"), "val": value.round(), "accn": format!("0000000007-{:02}-000001", in_year % 100),
            "fy": in_year - 1, "fp": "FY", "form": form, "filed": format!("{in_year}-{day}"), "frame": "CY",
        });
        if let Some(start) = start {
            fact["start"] = json!(start);
        }
        fact
    };
    let mut tags = serde_json::Map::new();
    for (at, (tag, value)) in flows.iter().chain(&stocks).enumerate() {
        let mut of_tag = Vec::new();
        for (growth, year) in (2021..=2024).enumerate() {
            let start = (at < flows.len()).then(|| format!("{year}-01-01"));
            let value = value * 1.1_f64.powi(i32::try_from(growth).unwrap());
            of_tag.push(fact(start, year, value, (year + 1, "02-20", "10-K")));
        }
        if *tag == "Assets" && is_restated {
            of_tag.push(fact(None, 2024, 5000.0, (2025, "09-01", "10-K/A")));
        }
        tags.insert((*tag).to_owned(), json!({"label": tag, "units": {"USD": of_tag}}));
    }
    json!({"cik": cik, "entityName": "Example", "facts": {"us-gaap": tags}})
}

/// Sources with the company 7.
fn company(sic: &str) -> Published {
    Published::new()
        .with(&submissions_of(7), submissions(7, sic).to_string())
        .with(&facts_of(7), facts(7, true).to_string())
        .with(TICKERS, r#"{"0":{"cik_str":7,"ticker":"EXAM","title":"Example"},"1":{"cik_str":8,"ticker":"EXAMS","title":"E"}}"#)
}

fn ask(service: &Service, question: &Value) -> Value {
    let mut question = question.clone();
    question["agent"] = json!("a");
    service.ask("/distress-score", &question).expect(200).json()
}

fn altman(receipt: &Value) -> f64 {
    let models = receipt["models"].as_array().unwrap().iter();
    let z = models.clone().find(|model| model["model"] == receipt["altman_model"]).unwrap();
    z["score"].as_f64().unwrap()
}

#[test]
fn a_company_is_scored_by_what_it_had_filed_on_the_day() {
    let published = company("3571");
    let service = published.launch().start();
    let asked = json!({"ticker": "exam", "as_of": "2025-06-30"});
    let receipt = ask(&service, &asked);
    verify(&receipt, &Notary::of(&service));
    assert_eq!(text(&receipt, "verdict"), "SAFE", "{receipt:#}");
    assert_eq!(
        (&receipt["company"]["cik"], &receipt["company"]["sic"], &receipt["company"]["sic_source"]),
        (&json!("0000000007"), &json!(3571), &json!("edgar"))
    );
    assert_eq!(
        (text(&receipt["report"], "accession"), text(&receipt, "period_end")),
        ("0000000007-25-000001", "2024-12-31")
    );
    // Each amount is the signed sum of its facts.
    for input in receipt["inputs"].as_array().unwrap() {
        let parts = input["parts"].as_array().unwrap().iter();
        let sum: f64 = parts
            .map(|part| part["sign"].as_f64().unwrap() * text(part, "value").parse::<f64>().unwrap())
            .sum();
        assert!((sum - text(input, "amount").parse::<f64>().unwrap()).abs() < 1e-9, "{input}");
    }
    // 6.56 × .45 + 3.26 × .5 + 6.72 × .25 + 1.05 × 4: all ratios are those of the first year.
    assert!((altman(&receipt) - 10.462).abs() < 0.02, "{}", altman(&receipt));
    let later = ask(&service, &json!({"cik": 7, "as_of": "2025-12-31"}));
    assert!(
        (altman(&later) - altman(&receipt)).abs() > 1.0,
        "the restated assets count from their filing on"
    );
    let first = ask(&service, &json!({"cik": "7", "as_of": "2025-12-31", "basis": "as_first_filed"}));
    assert!((altman(&first) - altman(&receipt)).abs() < 1e-9);
    assert_eq!(later["late_notices"], json!([]));
    assert_eq!(receipt["history"].as_array().unwrap().len(), 4);
    let old = ask(&service, &json!({"cik": 7}));
    assert_eq!((text(&old, "verdict"), &old["reasons"]), ("INSUFFICIENT_DATA", &json!(["report_too_old"])));
    assert_eq!(old["late_notices"][0]["period_end"], "2025-12-31");
    let none = ask(&service, &json!({"cik": 7, "as_of": "2022-02-19"}));
    assert_eq!((&none["reasons"], &none["currency"]), (&json!(["no_annual_report"]), &json!(null)));
    let page = service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
    for part in [
        "https://www.sec.gov/Archives/edgar/data/7/000000000725000001/",
        "Example &#38; Sons &#60;Works&#62;",
        "OperatingIncomeLoss",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_callers_market_value_makes_the_model_fit_and_never_mixes_currencies() {
    let service = company("3571").launch().start();
    let asked = |supplement: Value| {
        ask(&service, &json!({"cik": 7, "as_of": "2025-06-30", "supplement": supplement}))
    };
    assert_eq!(text(&asked(json!({})), "altman_model"), "altman_z_double_prime");
    let priced = asked(json!({"market_value": "3000", "equity_volatility": "0.3", "risk_free_rate": "0.04"}));
    assert_eq!(text(&priced, "altman_model"), "altman_z", "{priced:#}");
    let private = asked(json!({"is_private": true}));
    assert_eq!(text(&private, "altman_model"), "altman_z_prime");
    let mixed = asked(json!({"market_value": "3000", "currency": "EUR"}));
    assert_eq!(
        (text(&mixed, "verdict"), &mixed["reasons"]),
        ("INSUFFICIENT_DATA", &json!(["mixed_currencies"]))
    );
    let question = json!({"agent": "a", "cik": 7, "supplement": {"sic": "2834"}});
    service.ask("/distress-score", &question).names("supplement.sic", "contradictory");
}

#[test]
fn companies_that_no_model_fits_are_insufficient_whatever_their_accounts() {
    for (sic, reason) in [("6021", "financial_firm"), ("6770", "financial_firm"), ("", "industry_unknown")] {
        let published = company(sic);
        let receipt = ask(&published.launch().start(), &json!({"cik": 7, "as_of": "2025-06-30"}));
        assert_eq!(
            (text(&receipt, "verdict"), &receipt["reasons"], &receipt["history"]),
            ("INSUFFICIENT_DATA", &json!([reason]), &json!([])),
            "{sic}"
        );
        assert!(!published.asked().iter().any(|asked| asked.contains("companyfacts")), "{sic}");
    }
    // The industry that EDGAR lacks may come from the caller, who is named as its source.
    let told = ask(
        &company("").launch().start(),
        &json!({"cik": 7, "as_of": "2025-06-30", "supplement": {"sic": "3571"}}),
    );
    assert_eq!((text(&told, "verdict"), &told["company"]["sic_source"]), ("SAFE", &json!("request")));
    let ifrs = json!({"cik": 7, "entityName": "E", "facts": {"ifrs-full": {"Assets": {"units": {"EUR": [
        {"end": "2024-12-31", "val": 5, "accn": "0000000007-25-000001", "form": "20-F", "filed": "2025-02-20"}]}}}}});
    for (body, reason) in
        [(ifrs, "ifrs_not_mapped"), (json!({"cik": 7, "entityName": "E", "facts": {}}), "no_annual_report")]
    {
        let published = company("3571").with(&facts_of(7), body.to_string());
        let receipt = ask(&published.launch().start(), &json!({"cik": 7}));
        assert_eq!((text(&receipt, "verdict"), &receipt["reasons"]), ("INSUFFICIENT_DATA", &json!([reason])));
    }
    let published = company("3571");
    published.put(&facts_of(7), "404 Not Found", "");
    let receipt = ask(&published.launch().start(), &json!({"cik": 7}));
    assert_eq!(receipt["reasons"], json!(["no_annual_report"]));
}

#[test]
fn unknown_companies_and_future_days_are_named() {
    let service = company("3571").launch().start();
    for (question, field, reason) in [
        (json!({"cik": 9}), "cik", "unknown_value"),
        (json!({"ticker": "NOPE"}), "ticker", "unknown_value"),
        (json!({"ticker": "EXAMS"}), "ticker", "unknown_value"),
        (json!({"cik": 7, "as_of": "2999-01-01"}), "as_of", "in_future"),
        (json!({"cik": 7, "ticker": "EXAM"}), "ticker", "contradictory"),
    ] {
        let mut asked = question.clone();
        asked["agent"] = json!("a");
        service.ask("/distress-score", &asked).names(field, reason);
    }
    let near = service.ask("/distress-score", &json!({"agent": "a", "ticker": "EXAMP"})).problem(400);
    assert!(near["detail"].as_str().unwrap().contains("EXAM, EXAMS"), "{near}");
}

#[test]
fn without_a_contact_edgar_is_not_asked() {
    let published = company("3571");
    let service = Launch::dev().without_limits().configured(&published.settings(false)).start();
    let problem = service.ask("/distress-score", &json!({"agent": "a", "cik": 7})).problem(501);
    assert!(text(&problem, "detail").contains("contact_missing"), "{problem}");
    assert_eq!(published.asked(), Vec::<String>::new());
}

#[test]
fn bodies_that_are_no_facts_are_faults_of_the_source() {
    let published = company("3571");
    let service = published.launch().start();
    let asked = json!({"agent": "a", "cik": 7});
    let whole = facts(7, false).to_string();
    let mut long = String::from(r#"{"cik":7,"entityName":"E","facts":{},"pad":""#);
    long.push_str(&"x".repeat(33 << 20));
    long.push_str("\"}");
    let other = facts(8, false).to_string();
    for (status, body, told) in [
        ("200 OK", "<html>Undeclared automated tool</html>", "unreadable"),
        ("200 OK", &whole[..whole.len() / 2], "unreadable"),
        ("200 OK", r#"{"cik":7,"entityName":"E"}"#, "facts"),
        ("200 OK", &*long, "too_large"),
        ("500 Internal Server Error", "", "status_500"),
        // It is read, and serves for a while: the last.
        ("200 OK", &*other, "another company"),
    ] {
        published.put(&facts_of(7), status, body);
        let problem = service.ask("/distress-score", &asked).problem(503);
        let detail = text(&problem, "detail");
        assert!(detail.contains(told) && detail.contains("edgar"), "{told}: {problem}");
    }
    for (status, told) in [("403 Forbidden", "status_403"), ("429 Too Many Requests", "status_429")] {
        let published = company("3571");
        published.put(&facts_of(7), status, "");
        let service = published.launch().start();
        let answer = service.ask("/distress-score", &asked);
        assert!(answer.header("retry-after").is_some(), "{answer:?}");
        assert!(text(&answer.problem(503), "detail").contains(told));
        // The source asked for a pause, and gets it.
        let before = published.asked().len();
        assert!(
            text(&service.ask("/distress-score", &json!({"agent": "a", "cik": 8})).problem(503), "detail")
                .contains("rate_used_up")
        );
        assert_eq!(published.asked().len(), before);
    }
}

#[test]
fn a_dispute_replays_the_filings_without_the_source() {
    let published = company("3571");
    let mut large = facts(7, true);
    let mut noise = String::new();
    (0..30_000).for_each(|at| write!(noise, "Line {at} of the notes. ").unwrap());
    large["facts"]["us-gaap"]["Assets"]["description"] = json!(noise + &"x".repeat(1 << 20));
    for body in [facts(7, true), large] {
        published.put(&facts_of(7), "200 OK", body.to_string());
        let service = published.launch().start();
        let receipt = ask(&service, &json!({"ticker": "EXAM", "as_of": "2025-06-30"}));
        published.set_down(true);
        let dispute = json!({"agent": "b", "receipt_hash": hash(&receipt), "reason": "Show me."});
        let answer = service.send(&with_proof(Request::json("/dispute", &dispute), &pays(BOND)));
        assert_eq!(text(&answer.expect(200).json(), "verdict"), "UPHELD");
        published.set_down(false);
    }
}

#[test]
fn recorded_companies_are_scored_from_their_recorded_bodies() {
    let Some(submissions) = recorded("edgar_submissions_trim.json") else { return };
    let submissions: Vec<Value> = serde_json::from_slice(&submissions).unwrap();
    let published = Published::new();
    for of_company in &submissions {
        let cik = text(of_company, "cik").trim_start_matches('0').parse().unwrap();
        published.put(&submissions_of(cik), "200 OK", of_company.to_string());
    }
    for (cik, name) in [(320_193, "companyfacts_aapl_trim.json"), (1_835_632, "companyfacts_mrvl_trim.json")]
    {
        published.put(&facts_of(cik), "200 OK", recorded(name).unwrap());
    }
    published.put(TICKERS, "200 OK", recorded("company_tickers_trim.json").unwrap());
    let service = published.launch().start();
    let apple = ask(
        &service,
        &json!({"ticker": "AAPL", "as_of": "2026-01-31", "supplement": {"market_value": "3900000000000"}}),
    );
    verify(&apple, &Notary::of(&service));
    assert_eq!(
        (text(&apple, "period_end"), text(&apple, "altman_model"), text(&apple["report"], "form")),
        ("2025-09-27", "altman_z", "10-K"),
        "{apple:#}"
    );
    assert!(altman(&apple) > 3.0 && apple["history"].as_array().unwrap().len() >= 7);
    let marvell = ask(&service, &json!({"cik": "1835632", "as_of": "2026-06-01"}));
    assert_eq!(text(&marvell["company"], "name"), "Marvell Technology, Inc.");
    assert_ne!(text(&marvell, "verdict"), "INSUFFICIENT_DATA", "{marvell:#}");
    // Funds, persons and banks of the recording have no score, and nobody answers for them with a 500.
    for of_company in &submissions {
        let receipt = ask(&service, &json!({"cik": of_company["cik"]}));
        let has_facts = ["0000320193", "0001835632"].contains(&text(of_company, "cik"));
        assert!(has_facts || text(&receipt, "verdict") == "INSUFFICIENT_DATA", "{receipt:#}");
    }
}

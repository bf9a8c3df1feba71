//! Recorded bodies, where the folder that holds them is there.

use std::fs;
use std::path::Path;

use company_facts::{Submissions, Tickers, check_body, check_case};
use serde_json::Value;

fn shared(file: &str) -> Option<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/market").join(file);
    let bytes = fs::read(&path).ok();
    if bytes.is_none() {
        println!("passed over: there is no {}", path.display());
    }
    bytes
}

#[test]
fn each_edge_case_is_chosen_as_by_a_plain_scan() {
    let Some(bytes) = shared("companyfacts_edge_cases.json") else { return };
    let rows: Vec<Value> = serde_json::from_slice(&bytes).unwrap();
    let mut choices = 0;
    for row in &rows {
        choices += check_case(row).unwrap_or_else(|why| panic!("{} {}: {why}", row["case"], row["tag"]));
    }
    println!("{choices} choices of {} cases", rows.len());
    assert!(choices > rows.len());
}

#[test]
fn each_recorded_body_gives_sound_reports() {
    for (file, reports) in [("aapl", 6), ("mrvl", 5), ("snow", 5)] {
        let Some(bytes) = shared(&format!("companyfacts_{file}_trim.json")) else { return };
        let figures = check_body(&bytes).unwrap_or_else(|why| panic!("{file}: {why}"));
        println!("{figures}");
        let facts = company_facts::CompanyFacts::read_slice(&bytes).unwrap();
        let history = facts.history("2026-11-01".parse().unwrap());
        assert!(history.len() >= reports, "{file}: {}", history.len());
        let ends: Vec<_> = history.iter().map(|report| report.period_end).collect();
        assert!(ends.is_sorted_by(|left, right| left < right), "{ends:?}");
    }
}

#[test]
fn each_recorded_submission_is_read_and_written_alike() {
    let Some(bytes) = shared("edgar_submissions_trim.json") else { return };
    let rows: Vec<Value> = serde_json::from_slice(&bytes).unwrap();
    for row in &rows {
        let read = Submissions::read(&serde_json::to_vec(row).unwrap())
            .unwrap_or_else(|why| panic!("{}: {why}", row["name"]));
        assert_eq!(Submissions::from_canonical(&read.to_canonical()), Ok(read.clone()));
        assert_eq!(
            read.sic.map(|sic| sic.to_string()).unwrap_or_default(),
            row["sic"].as_str().unwrap_or("")
        );
        let forms = row["filings"]["recent"]["form"].as_array().unwrap();
        let annual =
            |form: &&Value| form.as_str().is_some_and(|form| form.contains("10-K") || form.contains("20-F"));
        assert_eq!(read.filings.len(), forms.iter().filter(annual).count(), "{}", read.name);
    }
    println!("{} submissions", rows.len());
}

#[test]
fn each_recorded_ticker_is_found() {
    let Some(bytes) = shared("company_tickers_trim.json") else { return };
    let tickers = Tickers::read(&bytes).unwrap();
    let rows: Value = serde_json::from_slice(&bytes).unwrap();
    for row in rows.as_object().unwrap().values() {
        let ticker = row["ticker"].as_str().unwrap();
        assert_eq!(tickers.cik_of(&ticker.to_lowercase()), row["cik_str"].as_u64(), "{ticker}");
    }
    assert_eq!(tickers.cik_of("brk.b"), Some(1_067_983));
    assert!(tickers.nearest("APPL").contains(&"AAPL"));
    println!("{} tickers", tickers.len());
}

//! Security headers against MDN's HTTP Observatory: `trust/observatory_headers_oracle.jsonl`, one field at a time, and
//! `trust/observatory_scan_oracle.jsonl`, whole responses.
//!
//! A field passes where its test comes to the same result, pass and modifier; a scan where its score is the same. The
//! oracle's site answers HTTP with a redirect to itself over HTTPS, sets no cookies and loads no scripts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use domain_name::DomainName;
use http_headers::{HeaderFields, HeadersReport, Http, Https, Page, PreloadList, ScanInput, analyze};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::outcome::Outcome;

/// The share of scans that must have the same score.
const SCANS_BAR: f64 = 0.99;

#[derive(Deserialize)]
struct FieldCase {
    test: String,
    header: Option<String>,
    #[serde(flatten)]
    expected: Expected,
}

#[derive(Deserialize)]
struct ScanCase {
    headers: BTreeMap<String, String>,
    score: i32,
    grade: String,
    tests: BTreeMap<String, Expected>,
}

#[derive(Deserialize, Debug, PartialEq, Eq)]
struct Expected {
    result: String,
    pass: bool,
    modifier: i32,
}

/// Runs the suites whose data lies in `dir/trust`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let dir = dir.join("trust");
    let fields = suite(&dir, "headers", "observatory_headers_oracle", field);
    let scans = suite(&dir, "scans", "observatory_scan_oracle", scan).map(|mut outcome| {
        let share = outcome.passed as f64 / outcome.total.max(1) as f64;
        outcome.figures = format!("exact={share:.4}");
        outcome.bar = Some(share >= SCANS_BAR);
        outcome
    });
    fields.into_iter().chain(scans).collect()
}

fn suite<C: DeserializeOwned>(
    dir: &Path,
    name: &str,
    file: &str,
    check: impl Fn(&C) -> Result<(), String>,
) -> Option<Outcome> {
    let text = fs::read_to_string(dir.join(format!("{file}.jsonl"))).ok()?;
    let mut outcome = Outcome { name: format!("trust/{name}"), ..Outcome::default() };
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        outcome.total += 1;
        let case = serde_json::from_str(line).map_err(|error| error.to_string());
        match case.and_then(|case| check(&case)) {
            Ok(()) => outcome.passed += 1,
            Err(why) => outcome.failures.push(format!("line {}: {why}", number + 1)),
        }
    }
    Some(outcome)
}

fn field(case: &FieldCase) -> Result<(), String> {
    let report = report(case.header.iter().map(|value| (case.test.clone(), value.clone())).collect())?;
    compare(&report, &case.test, &case.expected)
}

fn scan(case: &ScanCase) -> Result<(), String> {
    let report = report(case.headers.clone().into_iter().collect())?;
    if (report.score, report.grade) == (case.score, case.grade.as_str()) {
        return Ok(());
    }
    let wrong = case.tests.iter().find_map(|(test, expected)| compare(&report, test, expected).err());
    Err(format!("score {} ({}), not {} ({}); {wrong:?}", report.score, report.grade, case.score, case.grade))
}

fn compare(report: &HeadersReport, test: &str, expected: &Expected) -> Result<(), String> {
    let outcome = report.get(test).ok_or_else(|| format!("no test {test}"))?;
    let found =
        Expected { result: outcome.result.to_owned(), pass: outcome.pass, modifier: outcome.modifier };
    if found == *expected { Ok(()) } else { Err(format!("{test}: {found:?}, not {expected:?}")) }
}

fn report(fields: HeaderFields) -> Result<HeadersReport, String> {
    let url = |text: &str| Url::parse(text).map_err(|error| error.to_string());
    let route = [url("http://mozilla.org/")?, url("https://mozilla.org/")?, url("https://www.mozilla.org/")?];
    let page = Page::new(url("https://www.mozilla.org/")?, fields, "");
    let observed = ScanInput {
        host: "mozilla.org",
        page: &page,
        https: Https::Answers,
        http: Http::Route(&route),
        cors: None,
        preload: &PreloadList::default(),
    };
    let registered = DomainName::parse("mozilla.org").map_err(|error| error.to_string())?;
    Ok(analyze(&observed, &registered))
}

//! The models of distress against published and computed cases (`market/distress_cases.json`), the choice of a company's facts
//! against cases and recorded bodies (`market/companyfacts_*.json`), the searches of federal records against recorded answers
//! (`market/fr_*.json`, `market/usaspending_*.json`), and the composite of market stress over recorded histories.

mod composite;

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::outcome::Outcome;

/// Runs the suites whose data lies in `dir/market`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("market");
    let cases = fs::read(folder.join("distress_cases.json")).ok().map(|bytes| distress(&bytes));
    let registers = recordings("federal_register", &folder, "fr_", |body| {
        federal_register::check_lossless(body).map(|(rows, _)| rows.len())
    });
    let awards = recordings("awards", &folder, "usaspending_", |body| {
        usaspending::check_lossless(body).map(|(rows, _)| rows.len())
    });
    let composite = composite::run(&folder);
    cases.into_iter().chain(company_facts(&folder)).chain(registers).chain(awards).chain(composite).collect()
}

/// Every expected member of a case is computed within the case's own tolerance.
fn distress(bytes: &[u8]) -> Outcome {
    let mut outcome = Outcome { name: "market/distress".to_owned(), ..Outcome::default() };
    let cases: Vec<Value> = serde_json::from_slice(bytes).expect("the cases are an array");
    for case in &cases {
        let fault = distress::check_case(case).err();
        outcome.check(fault.is_none(), || format!("{}: {}", case["id"], fault.unwrap_or_default()));
    }
    outcome
}

/// Every case is chosen as the rules say, and every recorded body gives reports whose amounts are the sums of their facts.
fn company_facts(folder: &Path) -> Option<Outcome> {
    let mut outcome = Outcome { name: "market/companyfacts".to_owned(), ..Outcome::default() };
    let mut figures = Vec::new();
    for (title, bytes) in bodies(folder, "companyfacts_") {
        let json: Value = serde_json::from_slice(&bytes).expect("the file is JSON");
        if let Some(cases) = json.as_array() {
            for case in cases {
                let checked = company_facts::check_case(case);
                outcome.check(checked.is_ok(), || {
                    format!(
                        "{title}, {} {}: {}",
                        case["case"],
                        case["tag"],
                        checked.err().unwrap_or_default()
                    )
                });
            }
        } else {
            match company_facts::check_body(&bytes) {
                Ok(figure) => {
                    figures.push(format!("{title}: {figure}"));
                    outcome.check(true, String::new);
                }
                Err(fault) => outcome.check(false, || format!("{title}: {fault}")),
            }
        }
    }
    outcome.details = figures;
    (outcome.total > 0).then_some(outcome)
}

/// The files with a prefix, by name.
fn bodies(folder: &Path, prefix: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let titled = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let mut files: Vec<(String, PathBuf)> =
        titled.filter(|(title, _)| title.starts_with(prefix) && title.ends_with(".json")).collect();
    files.sort();
    files.into_iter().map(|(title, path)| (title, fs::read(path).expect("the file can be read"))).collect()
}

/// Every member of a recorded answer is in a normalised row, or named as dropped.
fn recordings<E: Display>(
    name: &str,
    folder: &Path,
    prefix: &str,
    check: impl Fn(&[u8]) -> Result<usize, E>,
) -> Option<Outcome> {
    let mut outcome = Outcome { name: format!("market/{name}"), ..Outcome::default() };
    let mut rows = 0;
    for (title, bytes) in bodies(folder, prefix) {
        let checked = check(&bytes);
        rows += checked.as_ref().map_or(0, |rows| *rows);
        outcome.check(checked.is_ok(), || {
            format!("{title}: {}", checked.as_ref().err().map(ToString::to_string).unwrap_or_default())
        });
    }
    outcome.figures = format!("rows={rows}");
    (outcome.total > 0).then_some(outcome)
}

//! The models of distress against published and computed cases (`market/distress_cases.json`), and the searches of federal
//! records against recorded answers (`market/fr_*.json`, `market/usaspending_*.json`).

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
    cases.into_iter().chain(registers).chain(awards).collect()
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

/// Every member of a recorded answer is in a normalised row, or named as dropped.
fn recordings<E: Display>(
    name: &str,
    folder: &Path,
    prefix: &str,
    check: impl Fn(&[u8]) -> Result<usize, E>,
) -> Option<Outcome> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut outcome = Outcome { name: format!("market/{name}"), ..Outcome::default() };
    let mut rows = 0;
    for file in files {
        let title = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !(title.starts_with(prefix) && title.ends_with(".json")) {
            continue;
        }
        let checked = check(&fs::read(&file).expect("the file can be read"));
        rows += checked.as_ref().map_or(0, |rows| *rows);
        outcome.check(checked.is_ok(), || {
            format!("{title}: {}", checked.as_ref().err().map(ToString::to_string).unwrap_or_default())
        });
    }
    outcome.figures = format!("rows={rows}");
    (outcome.total > 0).then_some(outcome)
}

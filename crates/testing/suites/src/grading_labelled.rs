//! The rule on simulated records whose truth is known: `grading/track_records.jsonl`, judged by the rates that its
//! authors ask for. The records are read as those of callers are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use grading::grade_strategy::GradeQuestion;
use grading::rule::rule;
use receipt::json::Json;
use verdict::{Fields, Question as _};

use crate::grading_goals::{Labelled, Process, rates};
use crate::outcome::Outcome;

pub fn run(folder: &Path) -> Option<Outcome> {
    let text = fs::read_to_string(folder.join("track_records.jsonl")).ok()?;
    let mut outcome = Outcome { name: "grading/labelled".to_owned(), ..Outcome::default() };
    let mut graded = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        outcome.total += 1;
        match Labelled::read(line).and_then(|record| Ok((verdict(&record)?, record))) {
            Ok((verdict, record)) => graded.push((record, verdict)),
            Err(error) => outcome.failures.push(format!("line {}: {error}", number + 1)),
        }
    }
    outcome.passed = graded.len();
    let mut holds = graded.len() == outcome.total;
    let mut figures = Vec::new();
    for rate in rates(&graded) {
        holds &= rate.holds();
        outcome.passed -= rate.wrong.len().min(outcome.passed);
        figures.push(format!("{}={}/{} (at most {})", rate.name, rate.wrong.len(), rate.of, rate.most));
        for (record, verdict) in rate.wrong {
            let Process { kind, n, .. } = &record.generating_process;
            outcome.failures.push(format!("{} ({kind}, {n} units): {verdict}", record.id));
        }
    }
    outcome.figures = figures.join(" ");
    outcome.details = table(&graded);
    outcome.bar = Some(holds);
    Some(outcome)
}

/// The verdict as it stands in a receipt.
fn verdict(record: &Labelled) -> Result<String, String> {
    let request = Json::from(&record.question());
    let question = GradeQuestion::read(&Fields::root(request.as_object().expect("it is an object")));
    let question = question.map_err(|error| format!("{}: {error}", record.id))?;
    let verdict = serde_json::to_value(rule(&question.settled.record).verdict);
    Ok(verdict.expect("it is a name").as_str().unwrap_or_default().to_owned())
}

/// A line for each process and Sharpe ratio: how many of each verdict.
fn table(graded: &[(Labelled, String)]) -> Vec<String> {
    let mut table: BTreeMap<String, BTreeMap<&str, u32>> = BTreeMap::new();
    for (record, verdict) in graded {
        let Process { kind, annual_sharpe, .. } = &record.generating_process;
        let cell = table.entry(format!("{kind} sharpe {annual_sharpe}")).or_default();
        *cell.entry(verdict).or_default() += 1;
    }
    table.into_iter().map(|(name, verdicts)| format!("{name}: {verdicts:?}")).collect()
}

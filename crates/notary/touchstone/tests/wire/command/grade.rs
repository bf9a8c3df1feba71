//! `touchstone judge grade-strategy` on the project's shared track records, where the folder that holds them is there.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::said;
use crate::support::receipt::text;
use crate::support::service::touchstone;

#[path = "../../../../../testing/suites/src/grading_cases.rs"]
mod cases;
#[path = "../../../../../testing/suites/src/grading_goals.rs"]
mod goals;

use cases::Case;
use goals::{Labelled, rates};

/// A file of the shared folder; where it is not there, that is said.
fn shared(name: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/grading");
    let text = fs::read_to_string(folder.join(name)).ok();
    if text.is_none() {
        println!("skipped: there is no ../shared/data/grading/{name}");
    }
    text
}

/// The answers to these questions, and the exit code.
fn judge(questions: impl Iterator<Item = Value>) -> (Vec<Value>, Option<i32>) {
    let input: String = questions.map(|question| question.to_string() + "\n").collect();
    let said = said(touchstone(["judge", "grade-strategy"]), input);
    (said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), said.code)
}

#[test]
fn labelled_records_are_graded_within_the_rates_that_their_authors_ask_for() {
    let Some(lines) = shared("track_records.jsonl") else { return };
    let records: Vec<Labelled> = lines.lines().map(|line| Labelled::read(line).unwrap()).collect();
    let (findings, code) = judge(records.iter().map(Labelled::question));
    assert_eq!((findings.len(), code), (records.len(), Some(0)));
    let verdicts = findings.iter().map(|finding| text(finding, "verdict").to_owned());
    let graded: Vec<(Labelled, String)> = records.into_iter().zip(verdicts).collect();
    for rate in rates(&graded) {
        let wrong: Vec<String> = rate
            .wrong
            .iter()
            .map(|(record, verdict)| {
                let process = &record.generating_process;
                let (kind, n, sharpe) = (&process.kind, process.n, process.annual_sharpe);
                format!("{}: {verdict} ({kind}, {n} units, Sharpe {sharpe})", record.id)
            })
            .collect();
        assert!(rate.of > 0, "{}", rate.name);
        assert!(rate.holds(), "{}: {} of {}, not {}: {wrong:#?}", rate.name, wrong.len(), rate.of, rate.most);
    }
    // Who never finds an edge is never wrong about one. They do not say what was held, without which there is none.
    let said = |record: &Labelled| {
        let mut question = record.question();
        question["greatest_notional"] = 1.into();
        question["declared_trials"] = 1.into();
        question
    };
    let edges = graded
        .iter()
        .map(|(record, _)| record)
        .filter(|record| record.generating_process.annual_sharpe >= 2.0);
    let (findings, _) = judge(edges.map(said));
    assert!(findings.iter().any(|finding| text(finding, "verdict") == "REAL_EDGE"));
}

#[test]
fn each_list_with_something_wrong_in_it_is_answered_as_it_should_be() {
    let Some(text) = shared("input_validation_cases.json") else { return };
    let cases: Vec<Case> = serde_json::from_str(&text).unwrap();
    let (answers, code) = judge(cases.iter().flat_map(|case| [case.question(), case.sorted()]));
    assert_eq!((answers.len(), code), (2 * cases.len(), Some(2)));
    let check = |(case, answers): (&Case, &[Value])| case.check(&answers[0], &answers[1]).err();
    let failures: Vec<String> = cases.iter().zip(answers.chunks_exact(2)).filter_map(check).collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

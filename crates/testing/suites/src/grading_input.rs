//! Track records as callers send them: `grading/trade_records.jsonl`, lists of trades by the process that made them, and
//! `grading/input_validation_cases.json`, lists with something wrong in each.

use std::fs;
use std::path::Path;

use grading::GradeVerdict;
use grading::grade_strategy::{GradeFinding, GradeJudge, GradeQuestion};
use receipt::json::Json;
use serde::Deserialize;
use serde_json::{Value, json};
use verdict::{Clock as _, FieldError, Fields, Judge as _, Question as _, SystemClock, Timestamp};

use crate::grading_cases::Case;
use crate::outcome::Outcome;

#[derive(Deserialize)]
struct Record {
    id: String,
    generating_process: String,
    trades: Vec<Value>,
}

/// Runs the suites whose data lies in `dir/grading`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("grading");
    let at = SystemClock::start().now();
    let records = fs::read_to_string(folder.join("trade_records.jsonl")).ok();
    let cases = fs::read_to_string(folder.join("input_validation_cases.json")).ok();
    let records = records.map(|text| trades(&text, at));
    let cases = cases.map(|text| validation(&text, at));
    records.into_iter().chain(cases).collect()
}

/// None but an edge is taken for one, and an edge is not taken for its opposite.
fn trades(text: &str, at: Timestamp) -> Outcome {
    let mut outcome = Outcome { name: "grading/trades".to_owned(), ..Outcome::default() };
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let checked = match serde_json::from_str::<Record>(line) {
            Ok(record) => {
                let checked = check_record(&record, at);
                checked.map_err(|error| format!("{} ({}): {error}", record.id, record.generating_process))
            }
            Err(error) => Err(format!("line {}: {error}", number + 1)),
        };
        count(&mut outcome, checked);
    }
    outcome
}

fn check_record(record: &Record, at: Timestamp) -> Result<(), String> {
    let question = json!({ "agent": "suite", "trades": record.trades });
    let finding = grade(&question, at).map_err(|error| error.to_string())?;
    let wrong = match &*record.generating_process {
        "edge" => GradeVerdict::NegativeEv,
        "none" | "fees_kill" | "martingale" | "beta" => GradeVerdict::RealEdge,
        process => return Err(format!("the process {process} is not known")),
    };
    if finding.grade.verdict == wrong {
        return Err(format!("{:?}, {:?}", finding.grade.verdict, finding.grade.reason));
    }
    Ok(())
}

fn validation(text: &str, at: Timestamp) -> Outcome {
    let mut outcome = Outcome { name: "grading/validation".to_owned(), ..Outcome::default() };
    match serde_json::from_str::<Vec<Case>>(text) {
        Ok(cases) => {
            for case in &cases {
                let (answer, sorted) = (answer(&case.question(), at), answer(&case.sorted(), at));
                count(&mut outcome, case.check(&answer, &sorted));
            }
        }
        Err(error) => count(&mut outcome, Err(error.to_string())),
    }
    outcome
}

/// Returns the answer that `touchstone judge` would give.
fn answer(question: &Value, at: Timestamp) -> Value {
    match grade(question, at) {
        Ok(finding) => serde_json::to_value(finding).expect("a finding is JSON"),
        Err(error) => json!({ "error": { "field": error.path.dotted() } }),
    }
}

fn grade(question: &Value, at: Timestamp) -> Result<GradeFinding, FieldError> {
    let request = Json::from(question);
    let question = GradeQuestion::read(&Fields::root(request.as_object().expect("it is an object")))?;
    question.admit(at)?;
    let judge = GradeJudge;
    Ok(judge.replay(&question, &[], at).expect("it needs no evidence"))
}

fn count(outcome: &mut Outcome, checked: Result<(), String>) {
    outcome.total += 1;
    match checked {
        Ok(()) => outcome.passed += 1,
        Err(failure) => outcome.failures.push(failure),
    }
}

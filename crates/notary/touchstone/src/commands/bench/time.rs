//! The time of a whole grade: from the JSON text of a question to that of its finding.
//!
//! No server, no log and no signature: `bench/run.sh grading` measures the answers over HTTP. The records are simulated, and those
//! of one kind differ in their luck alone. Nobody says what cash pays, so that the rule runs with and without it.

use std::time::Instant;

use anyhow::Context as _;
use grading::grade_strategy::{GradeJudge, GradeQuestion};
use grading::statistics::performance::quantile;
use serde_json::Value;
use simulated_returns::{Cell, Generator, Noise, Part, record, request};
use verdict::{Judge as _, Timestamp};

use super::records::read_text;

/// The longest time of 95 in 100 grades of 2,000 settlement days, in milliseconds.
const BUDGET_MS: f64 = 150.0;
/// Records of each kind that are graded before the clock starts.
const WARM_UP: u32 = 3;

/// When the questions come: 2040-01-01.
const AT_MILLIS: i64 = 2_208_988_800_000;

/// The kinds of records: days, a trade a day, and eight trades a day. All have an edge, so that most grades run every step.
const KINDS: [(&str, Generator); 3] = [
    ("a return a day", Generator::Returns { noise: Noise::StudentT(5), sharpe: 2.0 }),
    ("a trade a day", Generator::StoppedDaily { edge: 3.0 }),
    ("eight trades a day", Generator::DayTrader { edge: 3.0 }),
];

/// One line a kind of record, times in milliseconds.
///
/// # Errors
/// Where a simulated record is no request, which a test excludes.
pub fn table(records: u32, days: usize, mut line: impl FnMut(String)) -> anyhow::Result<()> {
    line(
        "| record | days | records | with a bootstrap | p50, ms | p95, ms | max, ms | p95 at most 150 ms |"
            .to_owned(),
    );
    line("|---|--:|--:|--:|--:|--:|--:|---|".to_owned());
    for (name, generator) in KINDS {
        let cell = Cell { part: Part::Power, generator, days, declared: Some(1), max_loss: true };
        let mut times = Vec::new();
        let mut whole = 0;
        for number in 0..WARM_UP + records {
            let text = question(&cell, number);
            let started = Instant::now();
            let finding = graded(&text).with_context(|| cell.name())?;
            let time = started.elapsed().as_secs_f64() * 1e3;
            if number >= WARM_UP {
                times.push(time);
                whole += u32::from(finding.contains("\"observed\":"));
            }
        }
        let [middle, p95, longest] = [0.5, 0.95, 1.0].map(|share| quantile(&times, share));
        let met = if p95 <= BUDGET_MS { "yes" } else { "no" };
        line(format!(
            "| {name} | {days} | {records} | {whole} | {middle:.1} | {p95:.1} | {longest:.1} | {met} |"
        ));
    }
    Ok(())
}

/// The text of a question on a record of the cell.
fn question(cell: &Cell, number: u32) -> String {
    let mut body = request(&record(cell, u64::from(number)));
    if let Some(members) = body.as_object_mut() {
        members.remove("risk_free");
    }
    body.to_string()
}

/// The text of the finding on a question, by all steps that a judge takes.
fn graded(question: &str) -> anyhow::Result<String> {
    let question: GradeQuestion = read_text(question)?;
    // Later than every record.
    let at = Timestamp::from_millis(AT_MILLIS)?;
    question.admit(at).map_err(|error| anyhow::anyhow!("{}: {}", error.path.dotted(), error.detail))?;
    let finding = GradeJudge.replay(&question, &[], at).context("a grade needs no evidence")?;
    Ok(serde_json::to_value(finding).map(|finding: Value| finding.to_string())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_record_is_graded_through_every_step() {
        for (name, generator) in KINDS {
            let cell = Cell { part: Part::Power, generator, days: 756, declared: Some(1), max_loss: true };
            let graded = (0..5).map(|number| graded(&question(&cell, number)).unwrap());
            let finding = graded.into_iter().find(|finding| finding.contains("\"observed\":"));
            let finding: Value = serde_json::from_str(&finding.unwrap_or_else(|| panic!("{name}"))).unwrap();
            assert_eq!(finding["units"], 756, "{name}");
        }
    }
}

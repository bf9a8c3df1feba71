//! Grading against published and reference values, and against labelled records: `grading/paper_cases.json`,
//! `grading/numeric_crosscheck.json`, `grading/track_records.jsonl`.

use std::path::Path;

use crate::{grading_labelled, grading_numeric, grading_paper, outcome::Outcome};

/// Runs the suites whose data lies in `dir/grading`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("grading");
    let suites = [grading_paper::run, grading_numeric::run, grading_labelled::run];
    suites.iter().filter_map(|suite| suite(&folder)).collect()
}

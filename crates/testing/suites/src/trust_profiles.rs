//! Typical domains with the verdicts that an expert would accept: `trust/profiles.jsonl`.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use simulated_domains::{Facts, Profile};
use trust::score::Purpose;

use crate::outcome::Outcome;

#[derive(Deserialize)]
struct Case {
    id: String,
    domain: String,
    purpose: String,
    facts: Facts,
    expect: Vec<String>,
}

/// Runs the suite whose data lies in `dir/trust`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let Ok(text) = fs::read_to_string(dir.join("trust/profiles.jsonl")) else { return Vec::new() };
    let mut outcome = Outcome { name: "trust/profiles".to_owned(), ..Outcome::default() };
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Result<Case, String> = serde_json::from_str(line).map_err(|error| error.to_string());
        let judged = case.and_then(|case| judged(&case));
        outcome.total += 1;
        match judged {
            Ok(verdict) => {
                outcome.passed += 1;
                outcome.details.push(verdict);
            }
            Err(why) => outcome.failures.push(why),
        }
    }
    vec![outcome]
}

/// Has the domain judged; the verdict must be among those that are accepted, and no grade stands beside `RISKY`. Returns the
/// verdict as a row of a table.
fn judged(case: &Case) -> Result<String, String> {
    let purpose = Purpose::ALL.into_iter().find(|purpose| purpose.word() == case.purpose);
    let purpose = purpose.ok_or_else(|| format!("{}: no purpose {}", case.id, case.purpose))?;
    let profile = Profile { domain: case.domain.clone(), purpose, facts: case.facts.clone() };
    let found = profile.judge().map_err(|error| format!("{}: {error:?}", case.id))?;
    let verdict = serde_json::to_value(found.verdict).unwrap_or_default();
    let verdict = verdict.as_str().unwrap_or_default();
    let reasons: Vec<String> = found.risk.reasons.iter().map(|reason| reason.id.code()).collect();
    if verdict == "RISKY" && found.hygiene.grade.is_some() {
        return Err(format!("{}: a grade beside RISKY", case.id));
    }
    if case.expect.iter().any(|accepted| accepted == verdict) {
        let (id, score) = (&case.id, found.hygiene.score);
        return Ok(format!("| {id} | {} | {verdict} | {score} | {} |", case.purpose, reasons.join(", ")));
    }
    Err(format!(
        "{}: {verdict} for {reasons:?}, hygiene {}, not {:?}",
        case.id, found.hygiene.score, case.expect
    ))
}

//! `/scan-text` against secrets and seed phrases: `safety/secrets.jsonl` and `bip39_leaks.jsonl`.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use safety::{ScanVerdict, Severity, TextScan};
use serde::Deserialize;

use crate::json_lines;
use crate::outcome::Outcome;
use crate::safety_figures::Tally;

#[derive(Deserialize)]
struct SecretRow {
    text_b64: String,
    label: u8,
    rule: String,
}

#[derive(Deserialize)]
struct PhraseRow {
    text: String,
    label: u8,
}

/// Runs the suites whose data lies in `dir/safety`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("safety");
    let secrets = json_lines::read(&folder.join("secrets.jsonl")).map(secrets);
    let phrases = json_lines::read(&folder.join("bip39_leaks.jsonl")).map(phrases);
    secrets.into_iter().chain(phrases).collect()
}

/// A true secret is found, and a false one is not. `label` is that of one provider's rule; a text that is false for it may
/// hold another secret, and counts as false here all the same.
fn secrets(rows: Vec<SecretRow>) -> Outcome {
    let mut outcome = Outcome { name: "safety/secrets".to_owned(), ..Outcome::default() };
    let (mut recall, mut alarms) = (Tally::default(), Tally::default());
    for SecretRow { text_b64, label, rule } in rows {
        let bytes = STANDARD.decode(&text_b64).expect("the texts are in base 64");
        let text = String::from_utf8_lossy(&bytes);
        let found = TextScan::of(&text).has_secret();
        let tally = if label == 1 { &mut recall } else { &mut alarms };
        tally.add(found);
        outcome.total += 1;
        outcome.passed += usize::from(found == (label == 1));
        if found != (label == 1) {
            outcome.failures.push(format!(
                "{} {rule}: {:.100}",
                if found { "false" } else { "missed" },
                text
            ));
        }
    }
    outcome.figures = format!("recall={:.4} fpr={:.4}", recall.share(), alarms.share());
    outcome.bar = Some(recall.share() >= 0.98 && alarms.share() <= 0.05);
    outcome
}

/// A valid phrase is `BLOCK`, one with a wrong checksum `WARN`, and too few words are nothing.
fn phrases(rows: Vec<PhraseRow>) -> Outcome {
    let mut outcome = Outcome { name: "safety/bip39_leaks".to_owned(), ..Outcome::default() };
    for PhraseRow { text, label } in rows {
        let result = TextScan::of(&text).result();
        let is_phrase = |severity| {
            result.findings.iter().any(|hit| hit.rule.starts_with("seed-phrase") && hit.severity == severity)
        };
        let is_right = match label {
            1 => result.verdict == ScanVerdict::Block && is_phrase(Severity::Block),
            2 => result.verdict == ScanVerdict::Warn && is_phrase(Severity::Warn),
            _ => result.verdict == ScanVerdict::NoFinding,
        };
        outcome.total += 1;
        outcome.passed += usize::from(is_right);
        if !is_right {
            outcome.failures.push(format!("label {label}, {:?}", result.verdict));
        }
    }
    outcome
}

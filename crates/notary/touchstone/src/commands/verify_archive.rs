//! `touchstone verify` of an archive that `touchstone export` has written.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use audit_archive::{ArchiveReport, Filter, StampedTrees, is_archive, verify};
use receipt::verify::{Keys, VerificationOutcome};
use serde_json::json;
use time_stamp::Authority;
use verdict::{Clock as _, SystemClock, Timestamp};

use super::verify::plain;
use crate::progress::Progress;

/// Returns true if a file is an archive, whole or not.
pub fn is_one(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(512).read_to_end(&mut beginning));
    read.is_ok() && is_archive(&beginning)
}

/// Verifies an archive, and says what was found.
pub fn one(
    path: &Path,
    keys: Option<Keys>,
    authority: Option<&Authority>,
    quiet: bool,
    as_json: bool,
) -> anyhow::Result<VerificationOutcome> {
    let file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut progress = Progress::new("receipts verified", None, quiet);
    let report = verify(file, keys, authority, SystemClock::start().now(), &mut || progress.inc())?;
    drop(progress);
    let outcome = outcome(&report, authority.is_some());
    if as_json {
        println!("{}", told_as_json(path, &report, outcome));
    } else {
        tell(path, &report, outcome, quiet);
    }
    Ok(outcome)
}

/// An archive that is checked with its own keys proves nothing about whose it is; one without a token of the authority that is
/// believed, nothing about when.
fn outcome(report: &ArchiveReport, has_authority: bool) -> VerificationOutcome {
    let is_unstamped = has_authority && report.stamped.is_none();
    if !report.holds() {
        VerificationOutcome::Fails
    } else if report.has_own_keys || report.unsaid > 0 || report.erased_unlogged > 0 || is_unstamped {
        VerificationOutcome::CannotSay
    } else {
        VerificationOutcome::Holds
    }
}

fn tell(path: &Path, report: &ArchiveReport, outcome: VerificationOutcome, quiet: bool) {
    let place = path.display();
    for problem in &report.problems {
        println!("  {}: {}", plain(&problem.place), plain(&problem.why));
    }
    let told = report.problems.len() as u64;
    if report.problem_count > told {
        println!("  and {} further problems", report.problem_count - told);
    }
    let word = match outcome {
        VerificationOutcome::Holds if quiet => return,
        VerificationOutcome::Holds => "valid",
        VerificationOutcome::CannotSay => "CANNOT SAY",
        VerificationOutcome::Fails if !report.is_whole => "NOT WHOLE OR NOT VALID",
        VerificationOutcome::Fails => "NOT VALID",
    };
    println!("{place}: {word} archive of {}, {} leaves", plain(&report.origin), report.size);
    println!(
        "  {} receipts valid, {} not valid, {} cannot be said",
        report.valid, report.invalid, report.unsaid
    );
    println!("  not asked for: {}; erased by the notary: {}", report.filtered, report.erased);
    if report.erased_unlogged > 0 {
        println!(
            "  said to be erased, and the log does not say so: {} (withheld, or erased after this checkpoint)",
            report.erased_unlogged
        );
    }
    println!(
        "  requests and evidence: {} pieces are here; missing (not kept any more, or kept elsewhere): {} requests, {} of evidence",
        report.kept, report.without_request, report.missing_evidence
    );
    if report.unnamed_evidence > 0 {
        println!(
            "  {} pieces of evidence are named by this archive alone, and not by the signed receipt",
            report.unnamed_evidence
        );
    }
    println!("  time-stamp tokens: {}", plain(&tokens_text(report)));
    if report.has_own_keys {
        println!(
            "  checked with the keys in the archive: give --keys and --log-key, or --url, to know whose they are"
        );
    }
    if let Some(filter) = filter_text(&report.filter) {
        println!("  asked for: {}", plain(&filter));
        if report.filter.agent.is_some() {
            println!(
                "  the log does not name agents, so it cannot be said whether some of theirs are missing"
            );
        }
    }
}

/// What the tokens say, or why nothing is said.
fn tokens_text(report: &ArchiveReport) -> String {
    let ArchiveReport { tokens, tokens_of_others: others, .. } = report;
    match &report.stamped {
        Some(StampedTrees { authority, first, last }) => format!(
            "{} of {tokens} are by {authority} and hold: the first {} leaves were there by {}, the first {} by {}",
            tokens - others,
            first.0,
            first.1,
            last.0,
            last.1
        ),
        None if *tokens == 0 => "none".to_owned(),
        None if *others > 0 => format!("{tokens}, none of them under the given roots"),
        None => format!("{tokens}, not checked (--stamped-under)"),
    }
}

fn filter_text(filter: &Filter) -> Option<String> {
    let parts = [
        filter.since.map(|since| format!("since {since}")),
        filter.until.map(|until| format!("until {until}")),
        filter.agent.as_ref().map(|agent| format!("of {agent}")),
        filter.class.as_ref().map(|class| format!("of the class {class}")),
    ];
    (!filter.is_none()).then(|| parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

fn stamped(StampedTrees { authority, first, last }: &StampedTrees) -> serde_json::Value {
    let tree = |(size, at): &(u64, Timestamp)| json!({"size": size, "at": at.to_string()});
    json!({"authority": authority, "first": tree(first), "last": tree(last)})
}

fn told_as_json(path: &Path, report: &ArchiveReport, outcome: VerificationOutcome) -> serde_json::Value {
    let problems: Vec<_> =
        report.problems.iter().map(|problem| json!({ "place": problem.place, "why": problem.why })).collect();
    json!({
        "place": path.display().to_string(), "outcome": outcome, "is_whole": report.is_whole, "origin": report.origin,
        "size": report.size, "filter": report.filter, "has_own_keys": report.has_own_keys, "valid": report.valid,
        "invalid": report.invalid, "unsaid": report.unsaid, "erased": report.erased,
        "erased_unlogged": report.erased_unlogged, "filtered": report.filtered,
        "kept": report.kept, "without_request": report.without_request, "missing_evidence": report.missing_evidence,
        "unnamed_evidence": report.unnamed_evidence, "tokens": report.tokens, "tokens_of_others": report.tokens_of_others,
        "stamped": report.stamped.as_ref().map(stamped), "problem_count": report.problem_count, "problems": problems,
    })
}

//! DMARC records against an oracle, the checkdmarc release that labelled them.
//!
//! The oracle refuses what RFC 9989 says to ignore (4.7: syntax errors after `v` give way to defaults, or count for
//! nothing; 4.10.1: an invalid policy counts as `p=none` where a valid address asks for reports). A row that differs in
//! nothing else passes, and is counted as justified.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use mail_records::dmarc::{Alignment, DmarcPolicy, DmarcRecord, IgnoredTag, Psd, ReportUri};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::outcome::Outcome;

#[derive(Deserialize)]
struct Row {
    record: String,
    ok: bool,
    #[serde(default)]
    tags: BTreeMap<String, Value>,
}

enum Compared {
    Same,
    Justified,
    Different(String),
}

/// The share of the rows that must pass, in hundredths.
const BAR: usize = 98;

pub fn run(folder: &Path) -> Option<Outcome> {
    let text = fs::read_to_string(folder.join("dmarc_records_oracle.jsonl")).ok()?;
    let mut outcome = Outcome { name: "trust/dmarc".to_owned(), ..Outcome::default() };
    let mut justified = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        outcome.total += 1;
        let compared = match serde_json::from_str::<Row>(line) {
            Ok(row) => compare(&row),
            Err(error) => Compared::Different(format!("{line}: {error}")),
        };
        match compared {
            Compared::Same => outcome.passed += 1,
            Compared::Justified => {
                outcome.passed += 1;
                justified += 1;
            }
            Compared::Different(why) => outcome.failures.push(why),
        }
    }
    outcome.figures = format!("justified={justified}");
    outcome.bar = Some(outcome.passed * 100 >= outcome.total * BAR);
    Some(outcome)
}

fn compare(row: &Row) -> Compared {
    let record = DmarcRecord::read(row.record.as_bytes()).filter(|record| record.flaw.is_none());
    match (&record, row.ok) {
        (None, false) => Compared::Same,
        (None, true) => Compared::Different(format!("{:?}: refused", row.record)),
        (Some(record), false) if ignored(record).is_empty() => {
            Compared::Different(format!("{:?}: read, and nothing in it is ignored", row.record))
        }
        (Some(_), false) => Compared::Justified,
        (Some(record), true) => {
            let tags = tags(record);
            let names: BTreeSet<&String> = tags.keys().chain(row.tags.keys()).collect();
            let differ: Vec<&String> =
                names.into_iter().filter(|name| tags.get(*name) != row.tags.get(*name)).collect();
            let ignored = ignored(record);
            if differ.is_empty() {
                Compared::Same
            } else if differ.iter().all(|name| ignored.contains(name.as_str())) {
                Compared::Justified
            } else {
                Compared::Different(format!("{:?}: {tags:?}", row.record))
            }
        }
    }
}

/// The parts of a record that we ignore and the oracle may not: tags with invalid values, and texts that are no tags.
/// Tags that neither knows are left out, since the oracle ignores them, too.
fn ignored(record: &DmarcRecord) -> BTreeSet<&str> {
    record
        .ignored
        .iter()
        .filter_map(|ignored| match ignored {
            IgnoredTag::InvalidValue { tag } | IgnoredTag::InvalidUri { tag } => Some(tag.as_str()),
            IgnoredTag::Malformed { .. } => Some(""),
            // Written without a value, it is a syntax error to the oracle.
            IgnoredTag::RemovedTag { tag } | IgnoredTag::UnknownTag { tag } => {
                record.tags.get(tag).filter(|value| value.is_empty()).map(|_| tag.as_str())
            }
            IgnoredTag::SizeLimit { .. } => None,
        })
        .collect()
}

/// The tags that a record gives and that count, as the oracle writes them.
fn tags(record: &DmarcRecord) -> BTreeMap<String, Value> {
    let policy = |policy: DmarcPolicy| json!(policy);
    let alignment = |alignment| if alignment == Alignment::Strict { "s" } else { "r" };
    let psd = |psd| match psd {
        Psd::Yes => "y",
        Psd::No => "n",
        Psd::Unknown => "u",
    };
    let mailboxes = |uris: &[ReportUri]| {
        let mailboxes: Vec<&str> = uris.iter().map(|uri| uri.mailbox.as_str()).collect();
        (!uris.is_empty()).then(|| json!(mailboxes))
    };
    let given = [
        ("v", Some(json!("DMARC1"))),
        ("p", record.policy.map(policy)),
        ("sp", record.subdomains.map(policy)),
        ("np", record.nonexistent.map(policy)),
        ("t", record.testing.map(|testing| json!(if testing { "y" } else { "n" }))),
        ("psd", record.psd.map(|value| json!(psd(value)))),
        ("adkim", record.dkim_alignment.map(|value| json!(alignment(value)))),
        ("aspf", record.spf_alignment.map(|value| json!(alignment(value)))),
        ("fo", record.failure_options.as_ref().map(|value| json!(value))),
        ("rua", mailboxes(&record.aggregate_reports)),
        ("ruf", mailboxes(&record.failure_reports)),
    ];
    given.into_iter().filter_map(|(tag, value)| Some((tag.to_owned(), value?))).collect()
}

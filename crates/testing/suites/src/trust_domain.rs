//! The public suffix list's own tests, and answers of RDAP servers: `trust/psl_tests.jsonl`, `trust/rdap_*.json`.

use std::fs;
use std::path::Path;

use domain_name::rdap::Registration;
use domain_name::{DomainName, PublicSuffixes};
use serde::Deserialize;
use serde_json::Value;
use verdict::Timestamp;

use crate::outcome::Outcome;

#[derive(Deserialize)]
struct SuffixCase {
    input: String,
    registrable: Option<String>,
}

/// Runs the suites whose data lies in `dir/trust`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let dir = dir.join("trust");
    suffixes(&dir).into_iter().chain(registrations(&dir)).collect()
}

/// Each case by the bundled list, and by the folder's own list where there is one.
fn suffixes(dir: &Path) -> Option<Outcome> {
    let text = fs::read_to_string(dir.join("psl_tests.jsonl")).ok()?;
    let mut outcome = Outcome { name: "trust/psl".to_owned(), ..Outcome::default() };
    let mut lists = vec![("bundled", Ok(PublicSuffixes::bundled()))];
    if let Ok(bytes) = fs::read(dir.join("public_suffix_list.dat")) {
        lists.push(("read", PublicSuffixes::read(&bytes)));
    }
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        outcome.total += 1;
        let case = serde_json::from_str(line).map_err(|error| error.to_string());
        let checked = case.and_then(|case| {
            lists.iter().try_for_each(|(name, list)| {
                let list = list.as_ref().map_err(|error| format!("the list {name}: {error}"))?;
                suffix(&case, list).map_err(|why| format!("the list {name}: {why}"))
            })
        });
        match checked {
            Ok(()) => outcome.passed += 1,
            Err(why) => outcome.failures.push(format!("line {}: {why}", number + 1)),
        }
    }
    Some(outcome)
}

/// The tests are in U-labels or A-labels as they come; what is compared is the form of the DNS.
fn suffix(case: &SuffixCase, list: &PublicSuffixes) -> Result<(), String> {
    let found = DomainName::parse(&case.input).ok().and_then(|name| list.registrable(&name));
    let expected = match &case.registrable {
        Some(name) => Some(DomainName::parse(name).map_err(|error| format!("{name}: {error}"))?),
        None => None,
    };
    if found == expected { Ok(()) } else { Err(format!("{}: {found:?}, not {expected:?}", case.input)) }
}

/// Each `rdap_*.json`: a domain object must be read with its expiration, anything else refused.
fn registrations(dir: &Path) -> Option<Outcome> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with("rdap_") && name.ends_with(".json"))
        .collect();
    names.sort();
    let mut outcome = Outcome { name: "trust/rdap".to_owned(), ..Outcome::default() };
    for name in names {
        outcome.total += 1;
        let bytes = fs::read(dir.join(&name)).map_err(|error| error.to_string());
        match bytes.and_then(|bytes| registration(&bytes)) {
            Ok(()) => outcome.passed += 1,
            Err(why) => outcome.failures.push(format!("{name}: {why}")),
        }
    }
    (outcome.total > 0).then_some(outcome)
}

fn registration(bytes: &[u8]) -> Result<(), String> {
    let document: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let read = Registration::parse(bytes);
    if document["objectClassName"] != "domain" || !document["errorCode"].is_null() {
        return read.err().map(|_| ()).ok_or_else(|| "taken for a domain".to_owned());
    }
    let read = read.map_err(|error| error.to_string())?;
    let events = document["events"].as_array().map_or(&[][..], Vec::as_slice);
    let date =
        events.iter().find(|event| event["eventAction"] == "expiration").map(|event| &event["eventDate"]);
    let expected = date.and_then(Value::as_str).map(instant).transpose()?;
    if read.expiration == expected {
        Ok(())
    } else {
        Err(format!("expires {:?}, not {expected:?}", read.expiration))
    }
}

/// A date of RFC 3339, read without the code under test.
fn instant(text: &str) -> Result<Timestamp, String> {
    let at: jiff::Timestamp = text.parse().map_err(|error| format!("{text:?}: {error}"))?;
    Timestamp::from_millis(at.as_millisecond()).map_err(|error| error.to_string())
}

//! `check_host()` against the test suite of RFC 7208.

use std::collections::BTreeMap;
use std::fs;
use std::net::IpAddr;
use std::path::Path;

use dns::{Exchange, Failure, Mx, Name, Record, Zone};
use mail_records::spf::{Session, check_host};
use serde::Deserialize;
use serde_json::Value;

use crate::outcome::Outcome;

#[derive(Deserialize)]
struct Scenario {
    description: String,
    tests: BTreeMap<String, Case>,
    zonedata: BTreeMap<String, Vec<Value>>,
}

#[derive(Deserialize)]
struct Case {
    helo: String,
    host: IpAddr,
    mailfrom: String,
    /// A result, or a list of those that are right.
    result: Value,
    explanation: Option<String>,
}

/// The suite's notation for a fail without a text of its own.
const DEFAULT: &str = "DEFAULT";
/// The suite's notation for a name that has SPF records and no TXT ones.
const NONE: &str = "NONE";

pub fn run(folder: &Path) -> Option<Outcome> {
    let text = fs::read_to_string(folder.join("spf_rfc7208_tests.json")).ok()?;
    let mut outcome = Outcome { name: "trust/spf".to_owned(), ..Outcome::default() };
    let scenarios: Vec<Scenario> = match serde_json::from_str(&text) {
        Ok(scenarios) => scenarios,
        Err(error) => return Some(super::unreadable(outcome, error)),
    };
    for Scenario { description, tests, zonedata } in scenarios {
        let zone = zone(&zonedata);
        for (name, case) in tests {
            outcome.total += 1;
            match check(&zone, &case) {
                Ok(()) => outcome.passed += 1,
                Err(why) => outcome.failures.push(format!("{description}, {name}: {why}")),
            }
        }
    }
    Some(outcome)
}

fn check(zone: &Zone, case: &Case) -> Result<(), String> {
    let session =
        Session { ip: case.host, helo: &case.helo, mail_from: &case.mailfrom, receiver: "unknown", at: 0 };
    let checked = super::at_once(check_host(zone, &session));
    let result = format!("{:?}", checked.result).to_lowercase();
    let accepted = case.result.as_array().map_or(std::slice::from_ref(&case.result), Vec::as_slice);
    if !accepted.iter().any(|accepted| *accepted == result) {
        let problem = checked.problem.map(|problem| problem.to_string()).unwrap_or_default();
        return Err(format!("{result} {problem}"));
    }
    match (&case.explanation, &checked.explanation) {
        (None, _) => Ok(()),
        (Some(expected), found) if expected == found.as_deref().unwrap_or(DEFAULT) => Ok(()),
        (Some(_), found) => Err(format!("explained as {found:?}")),
    }
}

/// The zones of a scenario. SPF records stand for TXT ones of the same text, but where the name has TXT ones.
fn zone(data: &BTreeMap<String, Vec<Value>>) -> Zone {
    let mut zone = Zone::default();
    for (owner, entries) in data {
        let Ok(owner) = Name::parse(owner) else { continue };
        let has_txt = entries.iter().any(|entry| entry.get("TXT").is_some());
        for entry in entries {
            match entry {
                Value::String(_) => zone.fail(&owner, Failure::TimedOut),
                Value::Object(record) => {
                    for (kind, value) in record {
                        add(&mut zone, &owner, kind, value, has_txt);
                    }
                }
                _ => {}
            }
        }
    }
    zone
}

fn add(zone: &mut Zone, owner: &Name, kind: &str, value: &Value, has_txt: bool) {
    let text = || value.as_str().unwrap_or_default();
    match kind {
        "SPF" if has_txt => {}
        "TXT" if value == NONE => {}
        "TXT" | "SPF" => zone.add(owner, Record::Txt(bytes(value))),
        "A" => zone.add(owner, Record::A(text().parse().expect("the suite's A records hold addresses"))),
        "AAAA" => zone.add(owner, Record::Aaaa(text().parse().expect("the suite's AAAA records do, too"))),
        "PTR" => {
            zone.add(owner, Record::Ptr(Name::parse(text()).expect("the suite's PTR records hold names")))
        }
        "CNAME" => zone.alias(owner, Name::parse(text()).expect("the suite's CNAME records do, too")),
        "MX" => {
            let preference = value.get(0).and_then(Value::as_u64).and_then(|value| value.try_into().ok());
            let exchange = Exchange::from(value.get(1).and_then(Value::as_str).map(str::to_owned));
            zone.add(owner, Record::Mx(Mx { preference: preference.unwrap_or_default(), exchange }));
        }
        _ => {}
    }
}

/// The strings of a TXT record, joined. The suite writes a byte that is no ASCII as the character of its number.
fn bytes(value: &Value) -> Vec<u8> {
    let strings: Vec<&str> = match value {
        Value::Array(strings) => strings.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    };
    let mut bytes = Vec::new();
    for character in strings.concat().chars() {
        match u8::try_from(u32::from(character)) {
            Ok(byte) => bytes.push(byte),
            Err(_) => bytes.extend(character.to_string().into_bytes()),
        }
    }
    bytes
}

//! CAA against the cases of Boulder, which say whether Let's Encrypt would issue and whose records decided that.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dns::{Caa, Failure, Name, Record, Zone};
use mail_records::caa::{CaaDecision, IssuanceRequest, check};
use serde::Deserialize;
use serde_json::Value;

use crate::outcome::Outcome;

#[derive(Deserialize)]
struct Suite {
    zones: BTreeMap<String, Value>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    domain: String,
    found_at: Option<String>,
    valid: bool,
    issuer: String,
    account_uri: Option<String>,
    method: Option<String>,
}

#[derive(Deserialize)]
struct Property {
    flag: u8,
    tag: String,
    value: String,
}

pub fn run(folder: &Path) -> Option<Outcome> {
    let text = fs::read_to_string(folder.join("caa_boulder.json")).ok()?;
    let mut outcome = Outcome { name: "trust/caa".to_owned(), ..Outcome::default() };
    let suite = serde_json::from_str(&text).and_then(|Suite { zones, cases }| Ok((zone(zones)?, cases)));
    let (zone, cases) = match suite {
        Ok(suite) => suite,
        Err(error) => return Some(super::unreadable(outcome, error)),
    };
    for case in cases {
        outcome.total += 1;
        match check_case(&zone, &case) {
            Ok(()) => outcome.passed += 1,
            Err(why) => outcome.failures.push(format!("{}: {why}", case.domain)),
        }
    }
    Some(outcome)
}

fn check_case(zone: &Zone, case: &Case) -> Result<(), String> {
    let domain = Name::parse(&case.domain).map_err(|error| error.to_string())?;
    let request = IssuanceRequest {
        domain: &domain,
        issuer: &case.issuer,
        method: case.method.as_deref(),
        account_uri: case.account_uri.as_deref(),
    };
    let checked = super::at_once(check(zone, &request));
    let found_at = checked.found_at.as_ref().map(Name::as_str);
    if (checked.decision == CaaDecision::Permitted) != case.valid || found_at != case.found_at.as_deref() {
        return Err(format!("{:?}, found at {found_at:?}", checked.decision));
    }
    Ok(())
}

/// The zones, where a text stands for how the look-up ends.
fn zone(data: BTreeMap<String, Value>) -> serde_json::Result<Zone> {
    let mut zone = Zone::default();
    for (owner, value) in data {
        let Ok(owner) = Name::parse(&owner) else { continue };
        match value.as_str() {
            Some("TIMEOUT") => zone.fail(&owner, Failure::TimedOut),
            Some("SERVFAIL") => zone.fail(&owner, Failure::ServFail),
            // A name that is not there.
            Some(_) => {}
            None => {
                for Property { flag, tag, value } in serde_json::from_value::<Vec<Property>>(value)? {
                    let (tag, value) = (tag.into_bytes(), value.into_bytes());
                    zone.add(&owner, Record::Caa(Caa { flags: flag, tag, value }));
                }
            }
        }
    }
    Ok(zone)
}

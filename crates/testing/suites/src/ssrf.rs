//! The address guard against published SSRF payloads and the boundaries of the special-purpose registries.
//!
//! Nothing is looked up or connected to: the suites judge strings and addresses.

use std::fs;
use std::path::Path;

use fetch::{Policy, Ports, Target, target};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::outcome::Outcome;

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Expect {
    /// Refused as it stands.
    Block,
    /// Let through as a name, to be judged by its addresses.
    Resolve,
    /// Let through.
    Allow,
    /// Refused or let through.
    Either,
}

#[derive(Deserialize)]
struct AddressCase {
    ip: String,
    expect: Expect,
}

#[derive(Deserialize)]
struct UrlCase {
    url: String,
    expect: Expect,
}

#[derive(Deserialize)]
struct ParseCase {
    base: Option<String>,
    input: String,
    #[serde(default)]
    failure: Option<bool>,
    hostname: Option<String>,
    port: Option<String>,
}

/// Runs the suites whose data lies in `dir/ssrf`; a file that is not there is passed over.
pub fn run(dir: &Path) -> Vec<Outcome> {
    let dir = dir.join("ssrf");
    let policy = Policy { ports: Ports::Only([80, 443, 8080, 8443].into()), ..Policy::production() };
    let suites = [
        suite(&dir, "ip_cases", |case: &AddressCase| address(case, &policy)),
        suite(&dir, "url_payloads", |case: &UrlCase| payload(case, &policy)),
        suite(&dir, "wpt_http_url_hosts", parsing),
    ];
    suites.into_iter().flatten().collect()
}

fn suite<C: DeserializeOwned>(
    dir: &Path,
    name: &str,
    check: impl Fn(&C) -> Result<(), String>,
) -> Option<Outcome> {
    let text = fs::read_to_string(dir.join(format!("{name}.jsonl"))).ok()?;
    let mut outcome = Outcome { name: format!("ssrf/{name}"), ..Outcome::default() };
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        outcome.total += 1;
        let case = serde_json::from_str(line).map_err(|error| error.to_string());
        match case.and_then(|case| check(&case)) {
            Ok(()) => outcome.passed += 1,
            Err(why) => outcome.failures.push(format!("line {}: {why}", index + 1)),
        }
    }
    Some(outcome)
}

fn address(case: &AddressCase, policy: &Policy) -> Result<(), String> {
    let ip = case.ip.parse().map_err(|_| format!("{}: not an address", case.ip))?;
    match (case.expect, policy.judge(ip)) {
        (Expect::Either, _) | (Expect::Block, Err(_)) | (Expect::Allow | Expect::Resolve, Ok(())) => Ok(()),
        (Expect::Block, Ok(())) => Err(format!("{ip}: allowed")),
        (Expect::Allow | Expect::Resolve, Err(denied)) => Err(format!("{ip}: denied as {}", denied.why)),
    }
}

fn payload(case: &UrlCase, policy: &Policy) -> Result<(), String> {
    match (case.expect, Target::parse(&case.url, policy)) {
        (Expect::Either, _) | (Expect::Block, Err(_)) | (Expect::Allow, Ok(_)) => Ok(()),
        (Expect::Resolve, Ok(target)) if target.address().is_none() => Ok(()),
        (Expect::Block | Expect::Resolve, Ok(target)) => {
            Err(format!("{:?}: taken as {}", case.url, target.url()))
        }
        (Expect::Allow | Expect::Resolve, Err(error)) => Err(format!("{:?}: {error}", case.url)),
    }
}

fn parsing(case: &ParseCase) -> Result<(), String> {
    let base = match &case.base {
        Some(base) => Some(target::parse(base, None).map_err(|error| format!("base {base:?}: {error}"))?),
        None => None,
    };
    match (case.failure.unwrap_or(false), target::parse(&case.input, base.as_ref())) {
        (true, Err(_)) => Ok(()),
        (true, Ok(url)) => Err(format!("{:?}: parsed as {url}", case.input)),
        (false, Err(error)) => Err(format!("{:?}: {error}", case.input)),
        (false, Ok(url)) => {
            let (hostname, port) = (url.host_str().unwrap_or(""), url.port().map(|port| port.to_string()));
            let expected = (case.hostname.as_deref().unwrap_or(""), case.port.as_deref().unwrap_or(""));
            if (hostname, port.as_deref().unwrap_or("")) == expected {
                Ok(())
            } else {
                Err(format!("{:?}: {hostname}, {port:?}, not {expected:?}", case.input))
            }
        }
    }
}

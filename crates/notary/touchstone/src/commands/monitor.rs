//! `touchstone monitor`: looks after a log that others keep.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use log_follower::contradiction::MAX_BYTES;
use log_follower::monitor::{AnyKey, KnownKeys};
use log_follower::{Advance, Contradiction, Entries, HttpRecords, KeyRecords, LogKeys, Monitor};
use receipt::key::{KeyState, parse_jwks};
use serde_json::json;
use tlog::VerifierKey;

use super::follow::{CANNOT_SAY, Following, Proof, Said, Seen, alarm_lines, follow};
use super::verify::plain;
use crate::cli::MonitorArgs;
use crate::error_text;

/// Verifies the log up to its newest checkpoint; exit 0 where all is right, 1 for an alarm, 2 where nothing can be said.
pub fn run(args: &MonitorArgs) -> anyhow::Result<ExitCode> {
    let outcome = match (&args.check, &args.log, &args.state) {
        (Some(file), ..) => check(file, &args.log_key),
        (None, Some(url), Some(state)) => watch(args, url, state),
        _ => anyhow::bail!("give LOG_URL, --log-key and --state, or --check FILE"),
    };
    outcome.or_else(|error| {
        eprintln!("touchstone: {}", error_text::once(&error));
        Ok(ExitCode::from(CANNOT_SAY))
    })
}

/// Checks the proof that a log signed two trees: exit 0 where it shows that.
fn check(file: &Path, given: &[VerifierKey]) -> anyhow::Result<ExitCode> {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.with_context(|| format!("read {}", file.display()))?;
    let shown = Contradiction::from_json(&bytes)?;
    match shown.verify() {
        Ok(said) => {
            println!("proven: {said}");
            shown.log_keys().for_each(|key| println!("by the log key {key}"));
            if given.is_empty() {
                println!("compare that key with the one that the log publishes, or give it by --log-key");
            } else if let Some(other) = shown.log_keys().find(|key| !given.contains(key)) {
                println!("NOT of the log whose key was given: {other} is none of those given");
                return Ok(ExitCode::FAILURE);
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => {
            println!("not proven: {why}");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn watch(args: &MonitorArgs, url: &str, state: &Path) -> anyhow::Result<ExitCode> {
    let form = if args.opaque { Entries::Opaque } else { Entries::Notary };
    let log_keys = LogKeys::new(args.log_key.clone()).context("--log-key")?;
    let records = KeyRecords::default();
    let notary = args.notary.as_deref().or_else(|| url.trim_end_matches('/').strip_suffix("/log"));
    let notary = notary.filter(|_| form == Entries::Notary);
    let of_notary =
        notary.map(|notary| HttpRecords::new(notary).with_context(|| format!("the notary {notary}")));
    let keys = of_notary.transpose()?.map(|source| (source, records.clone()));
    let given = args.keys.as_deref().map(known_keys).transpose()?;
    let monitor = match (given, keys.is_some()) {
        (Some(given), true) => Monitor::new(form, (given, records)),
        (Some(given), false) => Monitor::new(form, given),
        (None, true) => Monitor::new(form, records),
        (None, false) => Monitor::new(form, AnyKey),
    };
    if form == Entries::Notary && keys.is_none() {
        eprintln!(
            "touchstone: no key is held against its leaves: --notary would say where the notary gives its records"
        );
    }
    let every = args.follow.then(|| Duration::from_secs(args.every.into()));
    let following = Following { url, log_keys: &log_keys, state, every, is_quiet: args.quiet, keys };
    follow(&following, monitor, |seen, monitor| say(&seen, monitor, args.json))
}

/// The keys of receipts in a JWKS file: those of reruns sign none.
fn known_keys(path: &Path) -> anyhow::Result<KnownKeys> {
    let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    let keys = parse_jwks(&bytes).with_context(|| format!("{}", path.display()))?;
    let of_receipts = keys.into_iter().filter(|key| key.state != KeyState::Rerun);
    Ok(KnownKeys(of_receipts.map(|key| (key.kid.as_str().to_owned(), key.range)).collect()))
}

/// What is to be said of a look.
fn say(seen: &Seen<'_>, monitor: &mut Monitor, as_json: bool) -> Said {
    let findings = monitor.take_findings();
    let mut is_wrong = findings.further_alarms > 0;
    let mut lines = Vec::new();
    for finding in &findings.first {
        let is_alarm = finding.kind.is_alarm();
        is_wrong |= is_alarm;
        if as_json {
            let event = if is_alarm { "alarm" } else { "notice" };
            let said = json!({ "event": event, "code": finding.kind, "leaf": finding.leaf, "detail": finding.detail });
            lines.push(format!("{said}\n"));
        } else {
            let word = if is_alarm { "ALARM" } else { "new" };
            lines.push(format!("{word}: leaf {}: {}\n", finding.leaf, plain(&finding.detail)));
        }
    }
    if findings.further_alarms > 0 && !as_json {
        lines.push(format!("ALARM: {} further entries are wrong\n", findings.further_alarms));
    }
    if as_json {
        lines.push(format!("{}\n", event(seen)));
    } else {
        match seen {
            Seen::Log(Advance::Unchanged { size }) => lines.push(format!("unchanged: {size} leaves\n")),
            Seen::Log(Advance::Verified { from, size }) => {
                lines.push(format!("verified: {size} leaves, {} of them new\n", size - from));
            }
            Seen::Alarm(error, proof) => lines.push(alarm_lines(error, proof.as_ref())),
            Seen::Nothing(error) => eprintln!("touchstone: {}", plain(&error.to_string())),
        }
    }
    Said { text: lines.concat(), is_wrong }
}

fn event(seen: &Seen<'_>) -> serde_json::Value {
    match seen {
        Seen::Log(Advance::Unchanged { size }) => json!({ "event": "unchanged", "size": size }),
        Seen::Log(Advance::Verified { from, size }) => {
            json!({ "event": "verified", "from": from, "size": size })
        }
        Seen::Alarm(error, proof) => {
            let mut event =
                json!({ "event": "alarm", "code": error.code(), "detail": error.to_string(), "proof": null });
            match proof {
                None => {}
                Some(Proof::File(path)) => event["proof"] = path.display().to_string().into(),
                Some(Proof::Document(document)) => event["document"] = document.as_str().into(),
            }
            event
        }
        Seen::Nothing(error) => {
            json!({ "event": "error", "code": error.code(), "detail": error.to_string() })
        }
    }
}

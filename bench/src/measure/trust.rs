//! Domain trust on a small internet of this machine's own (knot, unbound, nginx): how long a look takes, with all
//! probes alive and with one of them dead, and 200 domains at once. Each domain is asked about once, so that no
//! answer comes from a cache.

use std::fmt::Write as _;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use hdrhistogram::Histogram;
use peers::lab::{Lab, Site, Zone};
use serde_json::Value;

use super::Bench;
use crate::http;
use crate::process::{Server, touchstone};
use crate::report::{Figure, Report, Target};

const COMMAND: &str = "trust";
/// Domains that are asked about one after the other.
const IN_TURN: usize = 200;
/// The same, where a probe is dead: each takes seconds.
const DEAD: usize = 30;
/// Domains that are asked about at once.
const AT_ONCE: usize = 200;

/// Measures it and adds the figures; nothing where the lab's programs cannot be had, which is told.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let sites: Vec<Site> = names("site", IN_TURN + AT_ONCE).map(|name| Site::new(&name)).collect();
    // Addresses that accept connections and never answer.
    let silent: Vec<Zone> =
        names("silent", DEAD).map(|name| Zone::plain(&name).with("@ A 127.0.0.2")).collect();
    let Some(lab) = Lab::start_with("the time that /trust-score takes", &silent, &sites) else {
        return Ok(());
    };
    let add = |report: &mut Report, name, value, target, note| {
        report.add(Figure {
            name,
            command: COMMAND,
            value,
            unit: "ms",
            target: Target::AtMost(target),
            note,
        });
    };

    let scratch = bench.scratch()?;
    let all = notary(bench, scratch.path(), &lab, lab.resolver, &lab.rdap())?;
    let (p95, note) = in_turn(&all, names("site", IN_TURN))?;
    add(report, "a domain's score, p95", p95, 600.0, note);
    let (took, note) = at_once(&all, names("site", IN_TURN + AT_ONCE).skip(IN_TURN).collect())?;
    add(report, "200 domains at once", took, 4000.0, note);
    let (p95, note) = in_turn(&all, names("silent", DEAD))?;
    add(report, "the same with a server that never speaks, p95", p95, 2000.0, note);
    drop(all);

    let nobody = UdpSocket::bind("127.0.0.1:0")?;
    let scratch = bench.scratch()?;
    let deaf = notary(bench, scratch.path(), &lab, nobody.local_addr()?, &lab.rdap())?;
    let (p95, note) = in_turn(&deaf, names("site", DEAD))?;
    add(report, "the same with dead name servers, p95", p95, 2000.0, note);
    drop(deaf);

    let scratch = bench.scratch()?;
    let registry = format!("https://127.0.0.2:{}/", lab.https);
    let without = notary(bench, scratch.path(), &lab, lab.resolver, &registry)?;
    let (p95, note) = in_turn(&without, names("site", DEAD))?;
    add(report, "the same with a dead registry, p95", p95, 2000.0, note);
    Ok(())
}

fn names(word: &str, count: usize) -> impl Iterator<Item = String> {
    (0..count).map(move |number| format!("{word}{number}.test"))
}

/// A notary that looks at the lab by these name servers and this registry.
fn notary(
    bench: &Bench,
    folder: &Path,
    lab: &Lab,
    name_servers: SocketAddr,
    registry: &str,
) -> anyhow::Result<Server> {
    let bootstrap = folder.join("bootstrap.json");
    std::fs::write(&bootstrap, peers::lab::rdap::bootstrap(&["test"], registry).to_string())?;
    let mut toml = String::new();
    writeln!(toml, "[trust]\nname_servers = \"{name_servers}\"\nrdap_bootstrap = {bootstrap:?}")?;
    writeln!(toml, "[trust.laboratory]\nsuffixes = [\"test\"]\nanchors = {:?}", lab.anchor())?;
    writeln!(toml, "https_port = {}\nhttp_port = {}", lab.https, lab.http)?;
    let config = folder.join("touchstone.toml");
    std::fs::write(&config, toml)?;
    let mut command = touchstone(&bench.touchstone, folder);
    command.args(["dev", "--listen", "127.0.0.1:0"]);
    command.env("TOUCHSTONE_CONFIG", config).env("TOUCHSTONE_EXTRA_ROOTS", lab.authority_file());
    Server::start(&mut command).context("start a notary that looks at the lab")
}

/// One domain's score, and what it came to.
fn score(notary: &Server, domain: &str) -> anyhow::Result<(Duration, Value)> {
    let asked = Instant::now();
    let answer = notary.ask(&http::get(&format!("/trust-score?domain={domain}")))?;
    Ok((asked.elapsed(), serde_json::from_slice(&answer)?))
}

/// Asks in turn; the 95th percentile in milliseconds.
fn in_turn(notary: &Server, domains: impl Iterator<Item = String>) -> anyhow::Result<(f64, String)> {
    let mut latencies = Histogram::<u64>::new(3)?;
    let mut verdicts = std::collections::BTreeMap::<String, u32>::new();
    for domain in domains {
        let (took, receipt) = score(notary, &domain)?;
        latencies.record(u64::try_from(took.as_micros())?)?;
        *verdicts.entry(told(&receipt)).or_default() += 1;
    }
    let milliseconds = |percentile| latencies.value_at_percentile(percentile) as f64 / 1000.0;
    let note = format!("median {:.0} ms; {} domains: {verdicts:?}", milliseconds(50.0), latencies.len());
    Ok((milliseconds(95.0), note))
}

/// Asks all at once; the milliseconds until the last answer.
fn at_once(notary: &Server, domains: Vec<String>) -> anyhow::Result<(f64, String)> {
    let started = Instant::now();
    let outcomes: Vec<anyhow::Result<String>> = std::thread::scope(|scope| {
        let asking: Vec<_> = domains
            .iter()
            .map(|domain| scope.spawn(move || score(notary, domain).map(|(_, receipt)| told(&receipt))))
            .collect();
        asking.into_iter().map(|one| one.join().expect("asking does not panic")).collect()
    });
    let took = started.elapsed();
    let mut verdicts = std::collections::BTreeMap::<String, u32>::new();
    for outcome in outcomes {
        *verdicts.entry(outcome?).or_default() += 1;
    }
    ensure!(verdicts.values().sum::<u32>() as usize == domains.len(), "not all were answered");
    Ok((took.as_secs_f64() * 1000.0, format!("{verdicts:?}")))
}

/// The verdict, and what could not be looked at and why.
fn told(receipt: &Value) -> String {
    let checks = receipt["hygiene"]["checks"].as_array().into_iter().flatten();
    let unknown: Vec<String> = checks
        .filter(|check| check["status"] == "unknown")
        .map(|check| format!("{} ({})", text(&check["id"]), text(&check["reason"])))
        .collect();
    format!("{} without {}", text(&receipt["verdict"]), unknown.join(", "))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

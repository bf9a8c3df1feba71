//! What the service itself stands on: keys, store, clock, log, lists and other sources, endpoints, disk.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use axum::http::Uri;
use capacity::ClockSync;
use ledger::{IdentityRule, MAX_CLOCK_OFFSET_MS, StoreStatus};
use module::Mode;
use verdict::{Clock, SystemClock};

use super::{Finding, OK, WARNING};
use crate::commands::healthcheck::reachable;
use crate::commands::serve::known_base_url;
use crate::error_text;
use crate::keys::{NotaryKeys, hold_against, missing};
use crate::settings::Settings;
use crate::store::StoreAddress;
use crate::{modules, wiring};

/// The longest time for a connection to an endpoint.
const CONNECT_BOUND: Duration = Duration::from_secs(5);

/// A finding that keeps the service from its work. The command fails.
pub(super) const FAILURE: &str = "failure";

/// All findings about the service, in the order of their subjects.
pub(super) fn findings(settings: &Settings) -> Vec<Finding> {
    let clock = SystemClock::start();
    let mut findings = Vec::new();
    match settings.store_address() {
        Ok(store) => {
            findings.extend(keys_and_store(settings, &store, &clock));
            findings.push(disk(settings, &store, &clock));
        }
        Err(error) => findings.push((FAILURE, format!("store: {}", error_text::once(&error)))),
    }
    findings.extend(sources(settings, &clock));
    findings.extend(endpoints(settings));
    findings
}

/// Whether a result is good, and else why not.
fn found(result: anyhow::Result<String>, subject: &str) -> Finding {
    match result {
        Ok(text) => (OK, format!("{subject}: {text}")),
        Err(error) => (FAILURE, format!("{subject}: {}", error_text::once(&error))),
    }
}

fn keys_and_store(settings: &Settings, store: &StoreAddress, clock: &SystemClock) -> Vec<Finding> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let bound =
        runtime.map_err(anyhow::Error::from).and_then(|runtime| Ok(runtime.block_on(store.identity())?));
    let bound = match bound {
        Ok(bound) => bound,
        Err(error) => return vec![found(Err(error), "store")],
    };
    let base_url = known_base_url(settings);
    let keys = || -> anyhow::Result<(NotaryKeys, String)> {
        if let Some(bound) = &bound {
            hold_against(&settings.keys_dir, &base_url, (bound, store.is_shared()), &settings.log_signer)?;
        }
        let keys = NotaryKeys::open(&settings.keys_dir, &base_url, false, &settings.log_signer)?;
        let mut text = format!("{} signs receipts", keys.kid);
        if let Some(bound) = &bound {
            let rule = if store.is_shared() { IdentityRule::Same } else { IdentityRule::Adopt };
            wiring::identity(settings, &keys)?.changes(bound, rule)?;
            text += ", and the store is bound to it";
        }
        Ok((keys, text))
    };
    let Some(bound) = &bound else {
        let absent = missing(&settings.keys_dir, &settings.log_signer).unwrap_or_default();
        let keys = if absent.is_empty() { found(keys().map(|keys| keys.1), "keys") } else { not_yet("keys") };
        return vec![keys, not_yet("store")];
    };
    let (keys, mut findings) = match keys() {
        Ok((keys, text)) => {
            let findings = [Some(found(Ok(text), "keys")), log_signer(&keys)];
            (Some(keys), findings.into_iter().flatten().collect())
        }
        Err(error) => (None, vec![found(Err(error), "keys")]),
    };
    let operator = match store.operator() {
        Ok(operator) => operator,
        Err(error) => {
            findings.push(found(Err(error.into()), "store"));
            return findings;
        }
    };
    let before = clock.now();
    match operator.status() {
        Ok(status) => {
            let text = format!("{store} has schema {} and {} leaves", status.schema, status.head);
            findings.push((OK, format!("store: {text}")));
            findings.push(time(&status, before, clock.now()));
            findings.push(synchronised(ClockSync::read()));
        }
        Err(error) => findings.push(found(Err(error.into()), "store")),
    }
    let stored = || bound.log_vkeys().filter_map(|vkey| vkey.parse().ok()).collect();
    let log_keys: Vec<_> = keys.map_or_else(stored, |keys| keys.log_keys());
    if !log_keys.is_empty() {
        let checked = operator.check_log(&log_keys).map_err(anyhow::Error::from);
        let text = |leaves| format!("its {leaves} leaves meet the last checkpoint");
        findings.push(found(checked.map(text), "log"));
    }
    findings
}

/// Asks a log key elsewhere for a signature over a message that is no checkpoint.
fn log_signer(keys: &NotaryKeys) -> Option<Finding> {
    let signer = keys.remote_log_signer.as_ref()?;
    let begun = Instant::now();
    let answered = signer.probe().map_err(anyhow::Error::from);
    Some(found(answered.map(|()| format!("it answers in {} ms", begun.elapsed().as_millis())), "log_signer"))
}

fn not_yet(subject: &str) -> Finding {
    (OK, format!("{subject}: not there yet; the first start makes it"))
}

/// The clock against the store's, and against the newest receipt. The store's time was read between two of this machine's.
fn time(status: &StoreStatus, before: verdict::Timestamp, after: verdict::Timestamp) -> Finding {
    let (lowest, highest) = (status.now.millis_since(after), status.now.millis_since(before));
    let offset = 0.clamp(lowest.min(highest), highest.max(lowest));
    let behind = status.latest.millis_since(after);
    if offset.unsigned_abs() > MAX_CLOCK_OFFSET_MS {
        return (
            FAILURE,
            format!("clock: the database's is {offset} ms ahead of this one: nothing would be signed"),
        );
    }
    if behind > 0 {
        return (
            WARNING,
            format!("clock: {behind} ms behind the newest receipt; from 5 s on nothing is signed"),
        );
    }
    (OK, format!("clock: {offset} ms from the store's, and past the newest receipt"))
}

/// Says if something keeps the clock synchronised.
fn synchronised(sync: ClockSync) -> Finding {
    match sync {
        ClockSync::Unknown => (
            OK,
            "clock: nothing here says if it is synchronised (only systemd-timesyncd leaves word); see to it"
                .to_owned(),
        ),
        ClockSync::Synchronised(age) => (OK, format!("clock: synchronised {} min ago", age.as_secs() / 60)),
        ClockSync::Stale(age) => {
            (WARNING, format!("clock: not synchronised since {} min", age.as_secs() / 60))
        }
    }
}

fn disk(settings: &Settings, store: &StoreAddress, clock: &SystemClock) -> Finding {
    let Some(space) = wiring::storage(settings, store).space(clock.monotonic()) else {
        return (WARNING, "disk: the free space cannot be read".to_owned());
    };
    let text =
        format!("disk: {} MiB are free, and {} MiB are kept free", space.free >> 20, space.reserve >> 20);
    match (space.takes_free(), space.takes_paid()) {
        (true, _) => (OK, text),
        (false, true) => (WARNING, format!("{text}: free calls are refused")),
        (false, false) => (FAILURE, format!("{text}: all calls are refused")),
    }
}

/// The lists and other sources that the judges work with. Feeds of bad names are told of by themselves.
fn sources(settings: &Settings, clock: &SystemClock) -> Vec<Finding> {
    let modules = || -> anyhow::Result<_> {
        let host = modules::host(settings, Mode::Serve)?;
        Ok(modules::all(settings, &host)?)
    };
    let modules = match modules() {
        Ok(modules) => modules,
        Err(error) => return vec![found(Err(error), "sources")],
    };
    let mut findings = Vec::new();
    for module in modules.iter().filter(|module| module.name != "trust") {
        let unprepared = module.prepare().err();
        let standing = module.standing(clock.now());
        for source in &standing.sources {
            let age = source.age_s.map_or("no known age".to_owned(), |age| format!("{} min old", age / 60));
            let text = format!("{}: {} has {} entries, {age}", module.name, source.name, source.entries);
            findings.push(if source.stale { (WARNING, format!("{text}: stale")) } else { (OK, text) });
        }
        if let Some(why) = unprepared {
            findings.push((WARNING, format!("{}: {why}", module.name)));
        } else if let Some(fault) = standing.fault {
            findings.push((WARNING, format!("{}: {fault}", module.name)));
        }
    }
    findings
}

/// Tries to connect to what the settings name, and to the service itself. Addresses may have keys in their paths, so only
/// their hosts are shown.
fn endpoints(settings: &Settings) -> Vec<Finding> {
    let named = [("rpc", &settings.settlement.rpc), ("facilitator", &settings.settlement.facilitator)];
    let mut findings: Vec<Finding> = Vec::new();
    for (setting, address) in named {
        let Some(address) = address else { continue };
        findings.push(match host_of(address) {
            Some((host, port)) => match connects(&host, port) {
                Ok(()) => (OK, format!("{setting}: {host}:{port} takes connections")),
                Err(why) => (WARNING, format!("{setting}: {host}:{port}: {why}")),
            },
            None => (FAILURE, format!("{setting}: it is no http or https address")),
        });
    }
    let own: SocketAddr = reachable(settings.listen);
    findings.push(match TcpStream::connect_timeout(&own, CONNECT_BOUND) {
        Ok(_) => (OK, format!("service: {own} takes connections")),
        Err(_) => (OK, format!("service: nobody listens on {own}; it is not running")),
    });
    findings
}

fn host_of(address: &str) -> Option<(String, u16)> {
    let address: Uri = address.parse().ok()?;
    let port = match (address.port_u16(), address.scheme_str()?) {
        (Some(port), _) => port,
        (None, "https") => 443,
        (None, "http") => 80,
        (None, _) => return None,
    };
    Some((address.host()?.trim_matches(['[', ']']).to_owned(), port))
}

fn connects(host: &str, port: u16) -> std::io::Result<()> {
    let mut last = std::io::Error::other("the name leads nowhere");
    for address in (host, port).to_socket_addrs()?.take(4) {
        match TcpStream::connect_timeout(&address, CONNECT_BOUND) {
            Ok(_) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

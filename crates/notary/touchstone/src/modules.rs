//! The modules of the service, and the host that they run on.
//!
//! This list is all that the program knows of its modules: a new one is a line here, its dependency in `Cargo.toml`, and
//! its section in [`Settings`] where it has one.

use std::sync::Arc;

use anyhow::Context as _;
use dispute::DisputeJudge;
use fetch::{Policy, Roots};
use module::{Host, Mode, Module, ModuleError, RouteTable};
use server::Profile;
use watch::WatchJudge;

use crate::connections;
use crate::settings::Settings;

/// Makes every module.
pub fn all(settings: &Settings, host: &Host) -> Result<Vec<Module>, ModuleError> {
    Ok(vec![
        claim::module(host)?,
        sanctions::module(&settings.sanctions, host)?,
        grading::module(),
        trust::module(&settings.trust, host)?,
    ])
}

/// The routes of the price table with the judges of the modules, and with judges of disputes and watches that have no
/// ledger: enough for documents, commands and replays.
pub fn route_table(settings: &Settings, modules: &[Module]) -> anyhow::Result<RouteTable> {
    let table = modules.iter().fold(RouteTable::new(settings.table()?), RouteTable::with);
    let table = table.publish("settlement", settings.settlement.bounds()).register(
        dispute::CLASS,
        Arc::new(DisputeJudge::without_archive()),
        dispute::EXAMPLE,
    );
    let watching = WatchJudge::without_service(&table);
    Ok(table.register(watch::CLASS, watching, watch::EXAMPLE))
}

/// The host that a mode's modules run on. For a replay it is made without a file or a socket.
pub fn host(settings: &Settings, mode: Mode) -> anyhow::Result<Host> {
    let data_dir = settings.data_dir.clone();
    let (policy, roots, files) = match mode {
        Mode::Replay => (Policy::production(), Roots::webpki(), 0),
        Mode::Dev => {
            (policy(settings, Profile::Dev), roots(settings)?, connections::left(settings.max_connections))
        }
        Mode::Serve | Mode::Batch => {
            (policy(settings, Profile::Serve), roots(settings)?, connections::left(settings.max_connections))
        }
    };
    Ok(Host { mode, data_dir, policy, roots, files })
}

/// The mode of a service under a profile.
pub fn mode(profile: Profile) -> Mode {
    match profile {
        Profile::Dev => Mode::Dev,
        Profile::Serve => Mode::Serve,
    }
}

/// The addresses that a profile may connect to.
fn policy(settings: &Settings, profile: Profile) -> Policy {
    let mut policy = match profile {
        Profile::Dev => Policy::dev(),
        Profile::Serve => Policy::production(),
    };
    policy.own_addresses.extend(&settings.own_addresses);
    policy.nat64.extend(&settings.nat64_prefixes);
    policy
}

/// The certificate authorities that hold.
fn roots(settings: &Settings) -> anyhow::Result<Roots> {
    let Some(path) = &settings.extra_roots else { return Ok(Roots::webpki()) };
    let pem = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    Roots::webpki().with_pem(&pem).with_context(|| format!("{}", path.display()))
}

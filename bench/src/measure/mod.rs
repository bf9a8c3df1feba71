//! One file a figure. Each says in its documentation what is asked, and of what.

pub mod archive;
pub mod chain;
pub mod fsync;
pub mod grading;
pub mod idle;
pub mod log;
pub mod offline;
pub mod pages;
pub mod paid;
pub mod race;
pub mod receipts;
pub mod replicas;
pub mod retention;
pub mod screening;
pub mod start;
pub mod trust;
pub mod verify;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use tempfile::TempDir;

use crate::cli::Options;
use crate::load::{self, Outcome, Plan};
use crate::process::Server;
use crate::report::{Figure, Report, Target, median, number};
use crate::store::Store;

/// The replicas of one store.
const REPLICAS: usize = 3;

/// Runs what is asynchronous.
fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

/// The state that all measurements share.
pub struct Bench {
    /// The options of the measurements.
    pub options: Options,
    /// The binary under test.
    pub touchstone: PathBuf,
    /// On a real disk.
    folder: PathBuf,
}

impl Bench {
    /// Finds the binary and the folder.
    pub fn prepare(options: &Options) -> anyhow::Result<Self> {
        let here = std::env::current_exe().context("where this program lies")?;
        let beside = here.parent().context("a program lies in a folder")?;
        let touchstone = options.touchstone.clone().unwrap_or_else(|| beside.join("touchstone"));
        anyhow::ensure!(touchstone.exists(), "{} is not there: build it, or name it", touchstone.display());
        let target = beside.parent().unwrap_or(beside);
        let folder = options.folder.clone().unwrap_or_else(|| target.join("bench-store"));
        std::fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        Ok(Self { options: options.clone(), touchstone, folder })
    }

    /// A data folder that is removed after use, on the disk of all the others.
    pub fn scratch(&self) -> anyhow::Result<TempDir> {
        let made = tempfile::Builder::new().prefix("scratch-").tempdir_in(&self.folder);
        made.with_context(|| format!("make a folder in {}", self.folder.display()))
    }

    /// A notary on a data folder.
    fn notary(&self, data_folder: &Path) -> anyhow::Result<Server> {
        Server::notary(&self.touchstone, data_folder)
    }

    /// The big store.
    fn store(&self) -> anyhow::Result<Store> {
        Store::of(&self.folder, self.options.receipts)
    }

    fn rounds(&self) -> usize {
        usize::from(self.options.rounds)
    }

    /// A plan with this run's connections and times.
    fn plan<'a>(&self, server: &Server, requests: &'a [Vec<u8>], must_contain: &'a str) -> Plan<'a> {
        Plan {
            addresses: vec![server.address],
            servers: vec![server.id()],
            requests,
            must_contain: must_contain.as_bytes(),
            connections: usize::from(self.options.connections),
            warm_up: Duration::from_secs_f64(self.options.warm_up),
            measured: Duration::from_secs_f64(self.options.seconds()),
            keep_each: 0,
        }
    }

    /// Runs a plan once a round.
    fn repeat(&self, plan: &Plan<'_>) -> anyhow::Result<Vec<Outcome>> {
        (0..self.rounds()).map(|_| load::run(plan)).collect()
    }
}

/// All figures, those that write least first.
pub fn all(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    fsync::run(bench, report)?;
    idle::run(bench, report)?;
    pages::run(bench, report)?;
    receipts::run(bench, report)?;
    paid::run(bench, report)?;
    chain::run(bench, report)?;
    offline::run(bench, report)?;
    start::run(bench, report)?;
    verify::run(bench, report)?;
    log::run(bench, report)
}

/// A rate over rounds, with what it cost.
fn rate(name: &'static str, command: &'static str, outcomes: &[Outcome], target: Target) -> Figure {
    let (value, spread) = median(outcomes.iter().map(Outcome::rate).collect());
    Figure { name, command, value, unit: "/s", target, note: format!("{spread}; {}", costs(outcomes)) }
}

/// A percentile of the latency, the median over rounds.
fn latency(
    name: &'static str,
    command: &'static str,
    outcomes: &[Outcome],
    percentile: f64,
    target: Target,
) -> Figure {
    let (value, spread) = median(outcomes.iter().map(|outcome| outcome.latency_ms(percentile)).collect());
    let (middle, _) = median(outcomes.iter().map(|outcome| outcome.latency_ms(50.0)).collect());
    let note = format!("{spread}; median {} ms; {}", number(middle), noise(outcomes));
    Figure { name, command, value, unit: "ms", target, note }
}

/// Processor time a request in the server, here and between them.
fn costs(outcomes: &[Outcome]) -> String {
    let answers: u64 = outcomes.iter().map(|outcome| outcome.answers).sum();
    let a_request = |seconds: f64| seconds * 1e6 / answers as f64;
    let server = a_request(outcomes.iter().map(|outcome| outcome.usage.server).sum());
    let generator = a_request(outcomes.iter().map(|outcome| outcome.usage.generator).sum());
    let network = a_request(outcomes.iter().map(|outcome| outcome.usage.network).sum());
    let bytes = outcomes.iter().map(|outcome| outcome.bytes).sum::<u64>() / answers;
    format!(
        "processor time a request: server {server:.1} µs, load {generator:.1} µs, loopback {network:.1} µs; \
         {bytes} bytes an answer; {}",
        noise(outcomes)
    )
}

/// Describes the processor time that other processes used during the measurement.
fn noise(outcomes: &[Outcome]) -> String {
    let (others, _) = median(outcomes.iter().map(|outcome| outcome.usage.others()).collect());
    format!("others used {:.0} %", others * 100.0)
}

//! Attackers against one honest client: `bench/attack.sh`.
//!
//! Each attack has a notary of its own: the real binary with its limits on, on loopback, and wallets with local money in
//! its store. Attackers come from many addresses of 127.0.0.0/8, each a /24 of its own; the [honest client](honest) comes
//! from others. It begins before the attack, and what it sees while the attack lasts is held against the goals: no call
//! fails, the 99th percentile of no route is over 250 ms, no grade takes over 2 s. Some attacks have goals beside these.
//!
//! | module | holds |
//! |---|---|
//! | [`honest`] | the honest client |
//! | [`attackers`] | one file a kind of attack |
//! | `crew`, `client` | attackers at work, each from its address |
//! | `scene` | the notary under attack, and what its attackers got |
//! | `wallets`, `records` | wallets and terms; track records |
//! | `table` | the goals and the table |

mod attackers;
mod client;
mod crew;
mod group;
mod honest;
pub mod kind;
mod peak;
mod records;
mod scene;
mod table;
mod wallets;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::ValueEnum;
use tokio::time::Instant;

use crate::measure::Bench;
use crate::usage::{self, Usage};
use honest::Honest;
use kind::Attack;
use peak::peak;
use scene::{Notary, Scene};
use table::{Row, Table};
use wallets::Prices;

/// Seconds of each attack, unless a command says otherwise.
const SECONDS: f64 = 15.0;
/// Seconds of all of them at once, as a part more.
const AT_ONCE: f64 = 4.0 / 3.0;
/// The strength of each attack when all run at once.
const STRENGTH_AT_ONCE: f64 = 0.4;
/// The time for which the honest client calls before an attack.
const WARM_UP: Duration = Duration::from_millis(1500);
/// The most bytes that the notary may have in memory. Of these, 256 MiB are for bodies in flight.
const MOST_BYTES: u64 = 1 << 30;

/// Makes the attacks, all where none is named, and prints their table. It fails where a goal was missed.
pub fn run(bench: &Bench, chosen: &[Attack]) -> anyhow::Result<ExitCode> {
    // Ten thousand connections are ten thousand files, here and in the notary, which inherits the limit.
    let files = rlimit::increase_nofile_limit(u64::MAX).context("raise the limit of open files")?;
    let seconds = bench.options.seconds.unwrap_or(SECONDS);
    let mut table = Table::start(bench.options.commit.as_deref(), seconds);
    let attacks = if chosen.is_empty() { Attack::value_variants() } else { chosen };
    for attack in attacks {
        let (needed, name) = (attack.files(), attack.name());
        anyhow::ensure!(files >= needed, "{name} needs {needed} open files, this process may have {files}");
    }
    for attack in attacks {
        eprintln!("{}", attack.name());
        let row = one(bench, *attack, seconds).with_context(|| attack.name())?;
        table.add(row);
    }
    print!("{table}");
    Ok(if table.is_met() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One attack on a notary of its own.
fn one(bench: &Bench, attack: Attack, seconds: f64) -> anyhow::Result<Row> {
    let notary = Notary::start(bench)?;
    let address = notary.server.address;
    anyhow::ensure!(address.ip().is_loopback(), "attacks go to loopback only, not to {address}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (strength, seconds) = match attack {
        Attack::Everything => (STRENGTH_AT_ONCE, seconds * AT_ONCE),
        _ => (1.0, seconds),
    };
    let row = runtime.block_on(async {
        let prices = Prices::of(address).await?;
        let mut honest = Honest::settle_in(address, prices.clone()).await?;
        honest.grades = attack == Attack::Grading;
        let scene = Arc::new(Scene::new(&notary, prices, strength));
        let prepared = attackers::prepare(attack, &scene).await.context("prepare the attack")?;

        let begins = Instant::now() + WARM_UP;
        let ends = begins + Duration::from_secs_f64(seconds);
        let client = honest::on_its_own_thread(honest, begins, ends);
        tokio::time::sleep_until(begins).await;
        let before = Usage::now(&[scene.process])?;
        let (made, peak) =
            tokio::join!(attackers::make(attack, &scene, prepared, ends), peak(scene.process, ends));
        made?;
        let usage = Usage::now(&[scene.process]).map(|now| now.since(before));
        // The honest client's last calls are still waited for; the attackers are gone.
        let seen = tokio::task::spawn_blocking(move || client.join()).await?;
        let seen = seen.map_err(|_| anyhow::anyhow!("the honest client panicked"))??;
        attackers::look_back(attack, &scene)?;
        anyhow::Ok(Row {
            name: attack.name(),
            seen,
            missed: scene.missed(),
            summary: scene.summary(),
            short_summary: scene.short_summary(),
            peak,
            usage: usage.unwrap_or_default(),
        })
    });
    finish(row?, &notary)
}

/// Adds what holds of every attack.
fn finish(mut row: Row, notary: &Notary) -> anyhow::Result<Row> {
    let panics = notary.panics()?;
    if let Some(first) = panics.first() {
        row.missed.push(format!("the notary's log tells of {} panics, first: {first}", panics.len()));
    }
    if row.peak.resident > MOST_BYTES {
        row.missed.push(format!(
            "{:.0} MB in memory, of at most {:.0}",
            row.peak.resident as f64 / 1e6,
            MOST_BYTES as f64 / 1e6
        ));
    }
    if usage::resident_bytes(notary.server.id()).is_err() {
        row.missed.push("the notary has ended".to_owned());
    }
    Ok(row)
}

//! `touchstone dev` and `touchstone serve`.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use dispute::payouts::{PayoutLimit, RefundSource};
use ledger::Owner;
use module::BackgroundLoop;
use server::{App, Profile, Readiness, ReplaceableRouter, ServiceLevels};
use tokio::signal::unix::{Signal, SignalKind, signal};
use verdict::Usd;
use watch::rescreen::Rescreening;
use watch::{deliver, rescreen};

use crate::cli::ServeArgs;
use crate::connections;
use crate::key_changes;
use crate::keys::last_base_url;
use crate::logging;
use crate::metrics;
use crate::mirror::Mirror;
use crate::modules;
use crate::reload::{Reload, RunningSettings};
use crate::service_manager;
use crate::settings::{Settings, is_loopback};
use crate::wiring::{self, FirstLog};

/// Serves until SIGTERM or SIGINT. At SIGHUP it reads its configuration again.
pub fn run(profile: Profile, args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    check(profile, &settings)?;
    settings.write_template()?;
    let log_filter = logging::start(&settings)?;
    for warning in settings.warnings() {
        tracing::warn!("{warning}");
    }
    connections::ask_for_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let log = if args.new_log { FirstLog::Again } else { FirstLog::Once };
    let running = RunningSettings { profile, args: args.settings.clone(), settings, log_filter };
    runtime.block_on(serve(running, log))?;
    Ok(ExitCode::SUCCESS)
}

/// Checks the settings that this profile needs before it starts.
pub fn check(profile: Profile, settings: &Settings) -> anyhow::Result<()> {
    match profile {
        Profile::Dev if !is_loopback(settings.listen.ip()) => {
            bail!("dev is for trying out and listens on loopback only, and listen is {}", settings.listen)
        }
        Profile::Serve if settings.base_url.is_none() => {
            bail!("serve needs the public base address, which every receipt names: set TOUCHSTONE_BASE_URL")
        }
        Profile::Dev | Profile::Serve => Ok(settings.trust.check(modules::mode(profile))?),
    }
}

async fn serve(running: RunningSettings, log: FirstLog) -> anyhow::Result<()> {
    let (profile, settings) = (running.profile, running.settings.clone());
    let settings = &settings;
    let hangups = signal(SignalKind::hangup())?;
    let signals = [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
    let listener =
        listen::listen(settings.listen).with_context(|| format!("listen on {}", settings.listen))?;
    let address = listener.local_addr()?;
    let base_url = base_url(settings, address);
    let recorder = settings.metrics.map(|_| metrics::install()).transpose().context("metrics")?;
    let wiring::Assembled { app, key_changes: changes, refund_source, sender, loops, mirror, gas_account } =
        wiring::app(settings, profile, base_url.clone(), address, log).await?;
    let app = Arc::new(app);
    let drain = if settings.store_address()?.is_shared() { DRAIN } else { Duration::ZERO };
    let stop = stop_signal(signals, Arc::clone(&app.readiness), drain);
    wiring::prepare(&app).await?;
    let changes = Arc::new(changes);
    changes.begin().await?;
    let payout_per_day = settings.settlement.payout_per_day;
    let owners = wiring::owners()?;
    let (current, reloaded) = tokio::sync::watch::channel(Arc::clone(&app));
    app.background.start("replica", move || server::report(reloaded.clone()));
    let levels = Arc::clone(&app);
    app.background.start("service_levels", move || ServiceLevels::keep(Arc::clone(&levels)));
    work_beside(&app, Arc::new(sender), refund_source.map(Arc::new), payout_per_day, owners);
    app.background.start(key_changes::PART, move || Arc::clone(&changes).keep());
    for BackgroundLoop { part, start } in loops {
        app.background.start(part, start);
    }
    let downloads = mirror.as_ref().map(Mirror::lease);
    if let Some(mirror) = mirror {
        let mirror = Arc::new(tokio::sync::Mutex::new(mirror));
        app.background.start("mirror", move || {
            let mirror = Arc::clone(&mirror);
            async move { mirror.lock().await.keep().await }
        });
    }
    if let Some(account) = gas_account.clone() {
        app.background.start("gas_account", move || {
            let account = account.clone();
            async move { account.keep().await }
        });
    }
    if let (Some(address), Some(recorder)) = (settings.metrics, recorder) {
        metrics::serve(recorder, address, Arc::clone(&app)).await?;
    }
    banner(profile, &base_url, address);
    service_manager::ready();
    let bounds = app.connections;
    let http2 = server::http2_refused;
    let router = ReplaceableRouter::new(server::router(Arc::clone(&app)));
    tokio::spawn(Reload::new(running, current, router.clone()).at_each(hangups));
    listen::serve(listener, router.router(), &settings.proxies, bounds, http2, stop).await;
    app.service_levels.store(&app).await;
    if let Some(account) = gas_account {
        account.release().await;
    }
    if let Some(downloads) = downloads {
        downloads.release().await;
    }
    tracing::info!("stopped");
    #[cfg(feature = "otel")]
    tokio::task::spawn_blocking(crate::otel::stop).await?;
    Ok(())
}

/// Starts what works beside the answers.
fn work_beside(
    app: &Arc<App>,
    sender: Arc<deliver::Sender>,
    refund_source: Option<Arc<RefundSource>>,
    payout_per_day: Usd,
    owners: impl Fn() -> Owner + Clone + Send + 'static,
) {
    let background = &app.background;
    if app.gate.is_some() {
        let (beside, owners) = (Arc::clone(app), owners.clone());
        background
            .start("recovery", move || server::payment_gate::recover(Arc::clone(&beside), owners.clone()));
    }
    if let Some(cosigning) = app.cosigning.clone() {
        let owner = owners.clone();
        background.start("witnesses", move || Arc::clone(&cosigning).keep(owner()));
    }
    if let Some(stamping) = app.stamping.clone() {
        let owner = owners.clone();
        background.start("timestamps", move || Arc::clone(&stamping).keep(owner()));
    }
    let (beside, owner) = (Arc::clone(app), owners());
    background.start("retention", move || server::retention::keep(Arc::clone(&beside), owner));
    let (beside, owner) = (Arc::clone(app), owners());
    background.start("erasures", move || server::erasure::keep(Arc::clone(&beside), owner));
    let (notary, compute) = (Arc::clone(&app.notary), Arc::clone(&app.compute));
    let rescreening = Arc::new(Rescreening::new(notary, compute, &app.route_table));
    let owner = owners.clone();
    background.start("watches", move || rescreen::keep(Arc::clone(&rescreening), owner.clone()));
    let owner = owners.clone();
    background.start("webhooks", move || deliver::deliver(Arc::clone(&sender), owner.clone()));
    if let Some(refund_source) = refund_source {
        let (ledger, clock) = (Arc::clone(&app.notary.ledger), Arc::clone(&app.notary.clock));
        let limit = PayoutLimit { per_day: payout_per_day, background: background.clone() };
        background.start("payouts", move || {
            let (ledger, clock, refund_source) =
                (Arc::clone(&ledger), Arc::clone(&clock), Arc::clone(&refund_source));
            dispute::payouts::pay(ledger, clock, refund_source, limit.clone(), owners.clone())
        });
    }
}

/// The base address of a notary that need not be running: that of the settings, else that of its last run.
pub fn known_base_url(settings: &Settings) -> String {
    let last = || last_base_url(&settings.keys_dir);
    settings.base_url.clone().or_else(last).unwrap_or_else(|| base_url(settings, settings.listen))
}

/// The base address that the settings name; on loopback, `localhost` with the port in use.
pub fn base_url(settings: &Settings, address: SocketAddr) -> String {
    settings.base_url.clone().unwrap_or_else(|| format!("http://localhost:{}", address.port()))
}

fn banner(profile: Profile, base_url: &str, address: SocketAddr) {
    if profile == Profile::Dev {
        println!("{}", server::DEV_NOTICE);
    }
    println!("touchstone {} serves {base_url}", env!("CARGO_PKG_VERSION"));
    println!("listening on http://{address}");
    println!("first call: see {base_url}/llms.txt");
}

/// The time for which a replica still takes calls after it was told to stop, and tells balancers to send no more. They ask
/// every second or two. A notary that has its store for itself has no balancer that could send callers elsewhere.
const DRAIN: Duration = Duration::from_secs(5);

/// Ready after the first SIGTERM or SIGINT, when balancers have had their time to notice; at once after the second.
async fn stop_signal(signals: [Signal; 2], readiness: Arc<Readiness>, drain: Duration) {
    let [mut terminate, mut interrupt] = signals;
    let mut told = async || {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    told().await;
    service_manager::stopping();
    readiness.drain();
    drop(tokio::time::timeout(drain, told()).await);
}

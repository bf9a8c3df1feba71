//! Wiring: which judge sits where, and what the service is made of.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context as _, bail};
use capacity::{Compute, Inflow, Storage};
use dispute::payouts::RefundSource;
use dispute::rerun::{RerunKeys, Reruns};
use dispute::{Archive, DisputeJudge};
use ledger::{Identity, Ledger, Owner};
use module::{Background, BackgroundLoop, Module, RouteTable};
use notary::{KeyRing, Notary};
use payment::{Network, Terms, local_payee};
use receipt::key::{PublishedKey, SigningKey, VerifyingKey};
use receipt::sign::Signer;
use server::exports::Exports;
use server::payment_gate::PaymentGate;
use server::{App, DEV_NOTICE, FreeBudgets, Latencies, Profile};
use verdict::{Clock, SystemClock};
use watch::{WatchJudge, WebhookKey, deliver};

use crate::archives::StoreArchives;
use crate::gas_account::GasAccount;
use crate::key_changes::log_key::LogKeys;
use crate::key_changes::{KeyChanges, OtherKeys};
use crate::keys::{NotaryKeys, hold_against, log_has_begun, refuse_second_log, take_next_over};
use crate::log_signer_watch;
use crate::mirror::Mirror;
use crate::modules;
use crate::settings::{Bounded, FREE_MIB_PER_NETWORK, FREE_PER_NETWORK, Settings};
use crate::settlement::BackEnd;
use crate::store::StoreAddress;
use crate::{timestamps, witnesses};

/// The judge of disputes over a ledger: the only one who reads it.
fn dispute_judge(
    settings: &Settings,
    route_table: &RouteTable,
    ledger: &Arc<dyn Ledger>,
    rerun: &PublishedKey,
    base_url: &str,
) -> anyhow::Result<(DisputeJudge, RerunKeys)> {
    let PublishedKey { kid, key, .. } = rerun;
    let reruns =
        Reruns::new(program()?, rerun_arguments(settings, base_url), kid.clone(), VerifyingKey::new(*key)?);
    let keys = reruns.keys();
    let archive = Archive { ledger: Arc::clone(ledger), route_table: route_table.clone(), reruns };
    Ok((DisputeJudge::new(archive), keys))
}

/// This very program, also where its file has been replaced since it was started.
fn program() -> anyhow::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe().context("the program's own file cannot be found")
}

/// Returns the arguments of `touchstone rerun`: it gets nothing of our environment.
fn rerun_arguments(settings: &Settings, base_url: &str) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["rerun".into()];
    // A file that is named must be there; one at the default place need not.
    if let Some(config) = settings.named_config() {
        arguments.extend(["--config".into(), config.into()]);
    }
    arguments.extend([
        "--data-dir".into(),
        settings.data_dir.clone().into(),
        "--keys-dir".into(),
        settings.keys_dir.clone().into(),
        "--base-url".into(),
        base_url.into(),
    ]);
    arguments
}

/// The payee that a profile's settings name: in development nobody's address, never an operator's.
pub fn payee(settings: &Settings, profile: Profile) -> anyhow::Result<Option<Terms>> {
    match profile {
        Profile::Dev => Ok(Some(Terms::new(Network::local(), local_payee()))),
        Profile::Serve => settings.settlement.terms(),
    }
}

/// Builds the settler of payments and the source of refunds: in development the ledger itself; in production nobody
/// until a back end is configured.
fn settlement(
    settings: &Settings,
    profile: Profile,
    ledger: &Arc<dyn Ledger>,
    base_url: &str,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<(Option<Arc<PaymentGate>>, Option<RefundSource>)> {
    if profile == Profile::Dev {
        let gate = PaymentGate::local(Arc::clone(ledger), new_owner()?);
        return Ok((Some(Arc::new(gate)), Some(RefundSource::Local)));
    }
    let Some(BackEnd { terms, settler, refund_source }) = settings.settlement.back_end(base_url, clock)?
    else {
        return Ok((None, None));
    };
    Ok((Some(Arc::new(PaymentGate::new(terms, settler, new_owner()?))), refund_source))
}

/// Takes the account that pays for gas, where other processes may have the store open.
async fn gas_account(
    settings: &Settings,
    profile: Profile,
    ledger: &Arc<dyn Ledger>,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<Option<GasAccount>> {
    // An archive settles nothing.
    if profile == Profile::Dev || ledger.is_away() {
        return Ok(None);
    }
    let Some(account) = settings.settlement.gas_account()? else { return Ok(None) };
    let taken = GasAccount::of(ledger, clock, new_owner()?, account);
    if let Some(account) = &taken {
        account.take().await?;
    }
    Ok(taken)
}

/// Random bits by which this process, or one of its tasks, is told from any other.
pub fn new_owner() -> anyhow::Result<Owner> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).context("no randomness")?;
    Ok(Owner(bits))
}

/// Gives each round of the background tasks an owner of its own: random bits of the start, counted on from there. Nothing
/// random is needed later, when nobody could be told that there is none.
///
/// # Errors
/// The system has no randomness.
pub fn owners() -> anyhow::Result<impl Fn() -> Owner + Clone + Send + 'static> {
    let first = u128::from_be_bytes(new_owner()?.0);
    let given = Arc::new(AtomicU64::new(0));
    Ok(move || Owner(first.wrapping_add(given.fetch_add(1, Relaxed).into()).to_be_bytes()))
}

/// Writes the data that the ledger must have before the service is open: its prices, and the development profile's
/// money.
pub async fn prepare(app: &App) -> anyhow::Result<()> {
    if let Some(cosigning) = &app.cosigning {
        cosigning.prepare().await;
    }
    if let Some(stamping) = &app.stamping {
        stamping.prepare().await;
    }
    // An archive takes no changes. Nothing is asked for there.
    if app.notary.ledger.is_away() {
        return Ok(());
    }
    note_prices(app).await?;
    if app.profile == Profile::Dev {
        server::payment_gate::open_faucet(&*app.notary.ledger).await?;
    }
    Ok(())
}

/// Writes the prices into the ledger, which must have each before it is asked for.
pub async fn note_prices(app: &App) -> anyhow::Result<()> {
    let priced =
        app.route_table.routes().filter_map(|route| Some((route.terms.class, route.terms.price?.atomic())));
    let now = app.notary.clock.now();
    Ok(app.notary.ledger.note_prices(now, &priced.collect::<Vec<_>>()).await?)
}

/// The identity of the notary with these keys and settings.
pub fn identity(settings: &Settings, keys: &NotaryKeys) -> anyhow::Result<Identity> {
    let prices = settings.table()?;
    let prices = prices.iter().filter_map(|terms| Some((terms.class, terms.price?.atomic())));
    Ok(Identity {
        receipt_kid: keys.kid.as_str().to_owned(),
        retired_kids: keys.retired_kids(),
        recorded: Vec::new(),
        log_vkey: keys.log.verifier().to_string(),
        next_log_vkey: keys.next_log.as_ref().map(|key| key.verifier().to_string()),
        rerun_kid: Some(keys.rerun.kid.as_str().to_owned()),
        webhook_key: keys
            .webhook
            .as_ref()
            .map(|key| WebhookKey::new(SigningKey::from_seed(&key.seed())).public()),
        prices: Some(prices.collect()),
    })
}

/// The name of this process among those that share its store: the machine, and the port that it listens on.
fn replica_name(address: SocketAddr) -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { address.ip().to_string() } else { host.trim().to_owned() };
    format!("{host}:{}", address.port())
}

/// A service that is put together, and what works beside it.
pub struct Assembled {
    pub app: App,
    /// The changes of keys.
    pub key_changes: KeyChanges,
    /// The source of refunds.
    pub refund_source: Option<RefundSource>,
    /// The sender of webhooks.
    pub sender: deliver::Sender,
    /// The background loops of the modules.
    pub loops: Vec<BackgroundLoop>,
    /// What keeps the lists and feeds like those of the other processes, where there may be others.
    pub mirror: Option<Mirror>,
    /// The lease on the account that pays for gas, where other processes must not have it.
    pub gas_account: Option<GasAccount>,
}

/// The disk that is written to: that of an embedded store, else that of the data folder.
pub fn storage(settings: &Settings, store: &StoreAddress) -> Storage {
    let reserve = settings.storage_reserve_mib.map(|mib| mib.saturating_mul(1 << 20));
    let folder = match store {
        StoreAddress::File(path) => path.parent().filter(|folder| !folder.as_os_str().is_empty()),
        // The lists and feeds lie there. The database has a disk of its own.
        StoreAddress::Postgres(_) => Some(settings.data_dir.as_path()),
    };
    Storage::of(folder.unwrap_or(Path::new(".")), reserve)
}

/// Returns the free budget of a network for a day. In development only what is set: all calls come from one machine.
fn free_budgets(settings: &Settings, profile: Profile) -> FreeBudgets {
    let bound = |set: Option<Bounded>, default| {
        let default = if profile == Profile::Serve { Bounded::To(default) } else { Bounded::Off };
        set.unwrap_or(default).number()
    };
    let mib = bound(settings.free_mib_per_network, FREE_MIB_PER_NETWORK);
    FreeBudgets {
        tiers: bound(settings.free_per_network, FREE_PER_NETWORK),
        bytes: mib.map(|mib| u64::from(mib) << 20),
    }
}

/// Under which log key a log may be begun where there is no store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstLog {
    /// Under one that has signed nothing yet.
    Once,
    /// Under any, as an operator wants it.
    Again,
}

/// The service at a base address, which listens on `address`.
pub async fn app(
    settings: &Settings,
    profile: Profile,
    base_url: String,
    address: SocketAddr,
    log: FirstLog,
) -> anyhow::Result<Assembled> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let store = settings.store_address()?;
    let bound = store.identity().await?;
    match &bound {
        // It is for one start, and must not stay in a unit file.
        Some(_) if log == FirstLog::Again => {
            bail!("--new-log is for a store that is not there, and {store} has a log: leave it out")
        }
        Some(bound) => {
            take_next_over(&settings.keys_dir, &base_url, bound)?;
            hold_against(&settings.keys_dir, &base_url, (bound, store.is_shared()), &settings.log_signer)?;
        }
        None if log == FirstLog::Again => {}
        None => refuse_second_log(&settings.keys_dir, &store.to_string(), &settings.log_signer)?,
    }
    let keys = NotaryKeys::open(&settings.keys_dir, &base_url, true, &settings.log_signer)?;
    let log_key = keys.log.verifier();
    let identity = identity(settings, &keys)?;
    let log_vkeys = bound.as_ref().map_or(vec![log_key.clone()], |bound| {
        bound.log_vkeys().filter_map(|vkey| vkey.parse().ok()).collect()
    });
    let log_ring = NotaryKeys::log_ring(keys.log, keys.next_log);
    let ledger = store.open(log_ring.clone(), &identity, Arc::clone(&clock)).await?;
    log_has_begun(&settings.keys_dir)?;
    let mut host = modules::host(settings, modules::mode(profile))?;
    let mut mirror = Mirror::of(&ledger, &clock, &settings.data_dir, new_owner()?);
    if let Some(mirror) = &mut mirror {
        mirror.begin().await;
        host.sharing = mirror.sharing();
    }
    let mut modules = modules::all(settings, &host)?;
    for module in &modules {
        if let Err(missing) = module.prepare() {
            tracing::debug!(module = module.name, %missing, "the module has nothing to judge by yet");
        }
    }
    let loops = modules.iter_mut().flat_map(Module::take_loops).collect();
    let route_table = modules::route_table(settings, &modules)?;
    let known = witnesses::known_log_keys(bound.as_ref());
    let cosigning = witnesses::of(settings, &host, &ledger, &clock, (&log_vkeys, &known))?;
    let (disputes, rerun_keys) = dispute_judge(settings, &route_table, &ledger, &keys.rerun, &base_url)?;
    let webhook_key = WebhookKey::new(keys.webhook.context("there is no key for webhooks")?);
    let fetcher = host.fetcher(deliver::limits())?;
    let watching = watch::WatchService {
        ledger: Arc::clone(&ledger),
        fetcher: fetcher.clone(),
        webhook_key: webhook_key.clone(),
    };
    let watches = WatchJudge::new(&route_table, watching);
    let sender = deliver::Sender {
        ledger: Arc::clone(&ledger),
        clock: Arc::clone(&clock),
        fetcher,
        key: webhook_key.clone(),
    };
    let gas_account = gas_account(settings, profile, &ledger, &clock).await?;
    let signer = Signer::new(keys.receipt, keys.kid);
    let key_ring = KeyRing::new(signer, keys.published, log_vkeys)?;
    let (gate, refund_source) = settlement(settings, profile, &ledger, &base_url, Arc::clone(&clock))?;
    let notary = Arc::new(Notary {
        iss: base_url.clone(),
        keys: Arc::new(key_ring),
        ledger,
        clock: Arc::clone(&clock),
        scope_prefix: (profile == Profile::Dev).then_some(DEV_NOTICE),
    });
    let stamping = timestamps::of(settings, &host, &notary)?;
    let archives = StoreArchives {
        place: store.place(),
        notary: Arc::clone(&notary),
        policy: settings.log_policy.as_deref().map(witnesses::read).transpose()?,
    };
    let app = App {
        profile,
        route_table: route_table.register(dispute::CLASS, Arc::new(disputes), dispute::EXAMPLE).register(
            watch::CLASS,
            watches,
            watch::EXAMPLE,
        ),
        modules: modules.into(),
        gate,
        limits: settings.limits,
        proxies: settings.proxies.clone(),
        log_signer: keys.log_signer.map(Arc::new),
        cosigning,
        stamping,
        background: Background::default(),
        latencies: Arc::new(Latencies::default()),
        service_levels: Arc::default(),
        compute: Arc::new(Compute::new().context("start the threads that compute")?),
        inflow: Inflow::default(),
        storage: Arc::new(storage(settings, &store)),
        free_budgets: free_budgets(settings, profile),
        started: clock.now(),
        security_contact: settings.security_contact.clone().unwrap_or_else(|| base_url.clone()),
        webhook_key: webhook_key.clone(),
        connections: crate::connections::bounds(settings.max_connections)?,
        replica: replica_name(address),
        retention: Arc::new(settings.retention.clone()),
        exports: Arc::new(Exports::new(archives)),
        readiness: Arc::default(),
        notary,
    };
    let background = app.background.clone();
    if let Some(signer) = keys.remote_log_signer {
        log_signer_watch::start(signer, &background);
    }
    let is_elsewhere = settings.log_signer.is_set();
    let log = LogKeys { first: log_key, ring: log_ring, cosigning: app.cosigning.clone(), is_elsewhere };
    let others = OtherKeys { webhook: webhook_key, reruns: rerun_keys, log };
    let key_changes = KeyChanges::new(Arc::clone(&app.notary), settings.keys_dir.clone(), others, background);
    Ok(Assembled { key_changes, app, refund_source, sender, loops, mirror, gas_account })
}

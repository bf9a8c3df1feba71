//! Wiring: which judge sits where, and what the service is made of.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context as _, bail};
use claim::ClaimJudge;
use claim::commit::CommitJudge;
use fetch::resolve::BoxFuture;
use fetch::{Fetcher, Limits, Policy, Resolve, ResolveError, Roots, Source};
use grading::copy_trade::CopyTradeJudge;
use grading::grade_strategy::GradeJudge;
use ipnet::IpNet;
use ledger::{Identity, Ledger, Owner, SqliteLedger};
use payment::{Network, Terms, local_payee};
use receipt::key::{PublishedKey, VerifyingKey};
use receipt::sign::Signer;
use receipt::verify::Verifier;
use sanctions::Store;
use sanctions::agent_clearance::{AgentClearanceJudge, Chains};
use sanctions::live::Lists;
use sanctions::refresh::{self, Published, Round};
use sanctions::registers::{AllSnapshots, OneSnapshot, SnapshotDiff};
use sanctions::screen_batch::ScreenBatchJudge;
use sanctions::screen_entity::ScreenEntityJudge;
use sanctions::screen_wallet::ScreenWalletJudge;
use server::background::Background;
use server::compute::Compute;
use server::desk::Inflow;
use server::dispute::{self, Archive, DisputeJudge};
use server::notary::Notary;
use server::payouts::Purse;
use server::rerun::Reruns;
use server::route::Docket;
use server::storage::Storage;
use server::till::Till;
use server::watch::{self, WatchJudge, WebhookKey, deliver};
use server::{App, DEV_NOTICE, FreeBudgets, Latencies, Profile};
use trust::feed::Feeds;
use trust::registry::Refresh;
use trust::trust_score::{ModelRegister, TrustJudge};
use verdict::{Clock, SystemClock};

use crate::clearance;
use crate::keys::{NotaryKeys, hold_against, log_has_begun, refuse_second_log};
use crate::settings::{Bounded, Settings};
use crate::settlement::BackEnd;
use crate::trust::Followed;
use crate::watches;

/// How many times a route's free calls a network has a day, unless it is set.
pub const FREE_PER_NETWORK: u32 = 10;
/// The MiB that are stored of a network's unpaid calls of a day, unless it is set.
pub const FREE_MIB_PER_NETWORK: u32 = 64;

/// A first question for `claim-verdict`: test 1 of RFC 8032, section 7.1.
const CLAIM_EXAMPLE: &str = r#"{"agent":"my-agent","claim":"This key signed the empty message.","resolver":{"type":"ed25519_signature","message":"","signature":"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b","signature_encoding":"hex","public_key":"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a","public_key_encoding":"hex"}}"#;

/// A first question for `commit`.
const COMMIT_EXAMPLE: &str =
    r#"{"agent":"my-agent","content":{"forecast":"rain","day":"2026-11-21"},"label":"forecast-7"}"#;

/// A first question for `dispute`. The receipt must be one of this notary's.
const DISPUTE_EXAMPLE: &str = r#"{"agent":"my-agent","receipt_hash":"0000000000000000000000000000000000000000000000000000000000000000","reason":"the document says otherwise"}"#;

/// A first question for `grade-strategy`: two trades, which are too few.
const GRADE_STRATEGY_EXAMPLE: &str = r#"{"agent":"my-agent","declared_trials":3,"trades":[{"trade_id":"1","instrument":"EURUSD","side":"long","opened_at":"2026-10-01T09:00:00Z","closed_at":"2026-10-01T15:30:00Z","settled":true,"currency":"USD","size":"10000","entry_price":"1.1000","exit_price":"1.1020","fees":"2.00","pnl_net":"18.00","equity_before":"25000.00","max_loss":"100","benchmark_return":0.001},{"trade_id":"2","instrument":"EURUSD","side":"short","opened_at":"2026-10-02T09:00:00Z","closed_at":"2026-10-02T17:00:00+02:00","settled":true,"currency":"USD","size":"10000","entry_price":"1.1020","exit_price":"1.1030","fees":"2.00","pnl_net":"-12.00","equity_before":"25018.00","max_loss":"100","benchmark_return":-0.002}]}"#;

/// A first question for `copy-trade-score`: one return, which is too little.
const COPY_TRADE_EXAMPLE: &str = r#"{"agent":"my-agent","benchmark":"cash","returns":[{"date":"2026-10-01","r":"0.004","max_loss":0.02}],"costs":{"half_spread":0.0002,"fee":0.0005,"order_size":"1000","adv":"50000000","daily_volatility":0.02,"latency_seconds":3}}"#;

/// A first question for `screen-entity`.
const SCREEN_ENTITY_EXAMPLE: &str =
    r#"{"agent":"my-agent","entity":"Viktor Anatolyevich Bout","type":"person","birth_date":"1967-01-13"}"#;

/// A first question for `screen-batch`.
const SCREEN_BATCH_EXAMPLE: &str =
    r#"{"agent":"my-agent","entities":["Viktor Bout",{"entity":"Evil Corp","type":"entity"}]}"#;

/// A first question for `screen-wallet`.
const SCREEN_WALLET_EXAMPLE: &str =
    r#"{"agent":"my-agent","wallet":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"ethereum"}"#;

/// A first question for `watch`.
const WATCH_EXAMPLE: &str = r#"{"agent":"my-agent","entity":"Viktor Anatolyevich Bout","type":"person"}"#;

/// A first question for `agent-clearance`.
const AGENT_CLEARANCE_EXAMPLE: &str = r#"{"agent":"my-agent","counterparty_name":"Example Trading House","wallet":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","chain":"ethereum"}"#;

/// A first question for `trust-score`.
const TRUST_SCORE_EXAMPLE: &str = r#"{"agent":"my-agent","domain":"example.com"}"#;

/// Every route of the price table, with the judges that there are.
pub fn docket(settings: &Settings, profile: Profile, lists: Lists) -> anyhow::Result<Docket> {
    Ok(looking(settings, profile, lists)?.0)
}

/// The same, with what domains are looked at by that must be kept up to date.
fn looking(settings: &Settings, profile: Profile, lists: Lists) -> anyhow::Result<(Docket, Followed)> {
    let chains = clearance::chains(&settings.clearance, &settings.nat64_prefixes)?;
    let (domains, followed) = crate::trust::judge(settings, profile)?;
    let fetcher = fetcher(settings, profile, Limits::default())?;
    Ok((seated(settings, fetcher, lists, chains, domains)?, followed))
}

/// The same routes and judges for replays, made without any file or socket.
pub fn replaying_docket(settings: &Settings) -> anyhow::Result<Docket> {
    let fetcher = Fetcher::new(Policy::production(), Limits::default(), NoNames, Roots::webpki());
    seated(settings, fetcher, Lists::none(), Chains::none(), TrustJudge::without_probes())
}

/// The sanctions lists of the data folder, not read yet: in development the demo list until there is one.
pub fn lists(settings: &Settings, profile: Profile) -> Lists {
    let store = Store::at(settings.lists_dir());
    match profile {
        Profile::Dev => Lists::or_demo(store),
        Profile::Serve => Lists::of(store),
    }
}

/// A look at the publisher for each list of theirs. Nothing is looked up or opened yet.
pub fn rounds(settings: &Settings) -> anyhow::Result<Vec<Round>> {
    let own = own_addresses(settings)?;
    let nat64 = &settings.nat64_prefixes;
    let source = |folder: &str, limits| {
        Source::system_through(folder, &own, nat64, limits, roots(settings)?).context("lists_source")
    };
    let exports = source(&settings.lists.source, refresh::limits())?;
    let changes = refresh::changes_folder(&settings.lists.source);
    let changes = changes.map(|folder| source(&folder, refresh::changes_limits())).transpose()?;
    let round = |published| Round::new(settings.lists_dir(), exports.clone(), changes.clone(), published);
    Ok(Published::ALL.into_iter().map(round).collect())
}

/// This machine's addresses, and those that the settings name.
pub fn own_addresses(settings: &Settings) -> anyhow::Result<Vec<IpNet>> {
    Ok(policy(settings, Profile::Serve)
        .with_interfaces()
        .context("list the network interfaces")?
        .own_addresses)
}

/// The authorities whose certificates hold.
pub fn roots(settings: &Settings) -> anyhow::Result<Roots> {
    let Some(path) = &settings.extra_roots else { return Ok(Roots::webpki()) };
    let pem = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    Roots::webpki().with_pem(&pem).with_context(|| format!("{}", path.display()))
}

/// Knows no name.
struct NoNames;

impl Resolve for NoNames {
    fn resolve<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        Box::pin(std::future::ready(Err(ResolveError::NoAddress)))
    }
}

fn seated(
    settings: &Settings,
    fetcher: Fetcher,
    lists: Lists,
    chains: Chains,
    domains: TrustJudge,
) -> anyhow::Result<Docket> {
    let docket = Docket::new(settings.table()?)
        .seat("claim-verdict", Arc::new(ClaimJudge::new(fetcher)), CLAIM_EXAMPLE)
        .seat("commit", Arc::new(CommitJudge), COMMIT_EXAMPLE)
        .seat("grade-strategy", Arc::new(GradeJudge), GRADE_STRATEGY_EXAMPLE)
        .seat("copy-trade-score", Arc::new(CopyTradeJudge), COPY_TRADE_EXAMPLE)
        .seat("screen-entity", Arc::new(ScreenEntityJudge::new(lists.clone())), SCREEN_ENTITY_EXAMPLE)
        .seat("screen-batch", Arc::new(ScreenBatchJudge::new(lists.clone())), SCREEN_BATCH_EXAMPLE)
        .seat("screen-wallet", Arc::new(ScreenWalletJudge::new(lists.clone())), SCREEN_WALLET_EXAMPLE)
        .seat(
            "agent-clearance",
            Arc::new(AgentClearanceJudge::new(lists.clone(), chains)),
            AGENT_CLEARANCE_EXAMPLE,
        )
        .seat("trust-score", Arc::new(domains), TRUST_SCORE_EXAMPLE)
        .seat(dispute::CLASS, Arc::new(DisputeJudge::without_archive()), DISPUTE_EXAMPLE)
        .publish("sanctions", sanctions::bounds())
        .publish("grading", grading::bounds())
        .publish("trust", trust::bounds())
        .publish("settlement", settings.settlement.bounds())
        .open("/trust-score/model", Arc::new(ModelRegister::default()))
        .open("/snapshots", Arc::new(AllSnapshots::of(lists.clone())))
        .open("/snapshots/{id}", Arc::new(OneSnapshot::of(lists.clone())))
        .open("/snapshots/diff", Arc::new(SnapshotDiff::of(lists)));
    let watching = WatchJudge::without_service(&docket);
    Ok(docket.seat(watch::CLASS, watching, WATCH_EXAMPLE))
}

/// The judge of disputes over a ledger: the only one who reads it.
fn dispute_judge(
    settings: &Settings,
    docket: &Docket,
    ledger: &Arc<dyn Ledger>,
    rerun: &PublishedKey,
    base_url: &str,
) -> anyhow::Result<DisputeJudge> {
    let PublishedKey { kid, key, .. } = rerun;
    let reruns =
        Reruns::new(program()?, rerun_arguments(settings, base_url), kid.clone(), VerifyingKey::new(*key)?);
    Ok(DisputeJudge::new(Archive { ledger: Arc::clone(ledger), docket: docket.clone(), reruns }))
}

/// This very program, also where its file has been replaced since it was started.
fn program() -> anyhow::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe().context("the program's own file cannot be found")
}

/// What `touchstone rerun` must know: it gets nothing of our environment.
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

/// Where a profile may fetch from.
pub fn policy(settings: &Settings, profile: Profile) -> Policy {
    let mut policy = match profile {
        Profile::Dev => Policy::dev(),
        Profile::Serve => Policy::production(),
    };
    policy.own_addresses.extend(&settings.own_addresses);
    policy.nat64.extend(&settings.nat64_prefixes);
    policy
}

fn fetcher(settings: &Settings, profile: Profile, limits: Limits) -> anyhow::Result<Fetcher> {
    Ok(Fetcher::system_with_roots(policy(settings, profile), limits, roots(settings)?)?)
}

/// The payee that a profile's settings name: in development nobody's address, never an operator's.
pub fn payee(settings: &Settings, profile: Profile) -> anyhow::Result<Option<Terms>> {
    match profile {
        Profile::Dev => Ok(Some(Terms::new(Network::local(), local_payee()))),
        Profile::Serve => settings.settlement.terms(),
    }
}

/// Who takes payments, and what refunds are paid from: in development the ledger itself; in production nobody until a
/// back end is configured.
fn settlement(
    settings: &Settings,
    profile: Profile,
    ledger: &Arc<dyn Ledger>,
    base_url: &str,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<(Option<Arc<Till>>, Option<Purse>)> {
    if profile == Profile::Dev {
        let till = Till::local(Arc::clone(ledger), new_owner()?);
        return Ok((Some(Arc::new(till)), Some(Purse::Local)));
    }
    let Some(BackEnd { terms, settler, purse }) = settings.settlement.back_end(base_url, clock)? else {
        return Ok((None, None));
    };
    Ok((Some(Arc::new(Till::new(terms, settler, new_owner()?))), purse))
}

/// Random bits by which this process, or one of its tasks, is told from any other.
fn new_owner() -> anyhow::Result<Owner> {
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

/// What must be in the ledger before the service is open: its prices, and the development profile's money.
pub async fn prepare(app: &App) -> anyhow::Result<()> {
    let ledger = &*app.notary.ledger;
    let priced =
        app.docket.routes().filter_map(|route| Some((route.terms.class, route.terms.price?.atomic())));
    ledger.note_prices(app.notary.clock.now(), &priced.collect::<Vec<_>>()).await?;
    if app.profile == Profile::Dev {
        server::till::open_faucet(ledger).await?;
    }
    Ok(())
}

/// A service that is put together, and what works beside it.
pub struct Assembled {
    pub app: App,
    /// What refunds are paid from.
    pub purse: Option<Purse>,
    /// What webhooks are sent with.
    pub sender: deliver::Sender,
    /// What keeps the list of RDAP services as it is published.
    pub registries: Option<Refresh>,
    /// The feeds of bad domains, which are read again when they change.
    pub feeds: Feeds,
}

/// The disk that the store lies on, or is about to.
fn storage(settings: &Settings) -> Storage {
    let folder = Path::new(&settings.store).parent().filter(|folder| !folder.as_os_str().is_empty());
    let reserve = settings.storage_reserve_mib.map(|mib| mib.saturating_mul(1 << 20));
    Storage::of(folder.unwrap_or(Path::new(".")), reserve)
}

/// What a network has for free a day. In development only what is set: all calls come from one machine.
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

/// The service at a base address.
pub fn app(
    settings: &Settings,
    profile: Profile,
    base_url: String,
    lists: Lists,
    log: FirstLog,
) -> anyhow::Result<Assembled> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    match ledger::bound_to(Path::new(&settings.store))? {
        // It is for one start, and must not stay in a unit file.
        Some(_) if log == FirstLog::Again => {
            bail!(
                "--new-log is for a store that is not there, and {} has a log: leave it out",
                settings.store
            )
        }
        Some(bound) => hold_against(&settings.keys_dir, &base_url, &bound)?,
        None if log == FirstLog::Again => {}
        None => refuse_second_log(&settings.keys_dir, &settings.store)?,
    }
    let keys = NotaryKeys::open(&settings.keys_dir, &base_url, true)?;
    let verifier = Verifier::new(keys.verifying()?);
    let log_vkey = keys.log.verifier().to_string();
    let identity = Identity {
        receipt_kid: keys.kid.as_str().to_owned(),
        retired_kids: keys.retired_kids(),
        log_vkey: log_vkey.clone(),
    };
    let ledger = SqliteLedger::open(Path::new(&settings.store), keys.log, &identity, Arc::clone(&clock))?;
    log_has_begun(&settings.keys_dir)?;
    let ledger: Arc<dyn Ledger> = Arc::new(ledger);
    let (docket, Followed { registry, feeds }) = looking(settings, profile, lists.clone())?;
    let disputes = dispute_judge(settings, &docket, &ledger, &keys.rerun, &base_url)?;
    let webhook_key = WebhookKey::new(keys.webhook.context("there is no key for webhooks")?);
    let (public_webhook_key, hooks) = (webhook_key.public(), fetcher(settings, profile, deliver::limits())?);
    let (watches, sender) = watches::over(&docket, &ledger, hooks, webhook_key);
    let (till, purse) = settlement(settings, profile, &ledger, &base_url, Arc::clone(&clock))?;
    let awaited = settings.lists.every(profile == Profile::Serve).is_some();
    let app = App {
        profile,
        docket: docket.seat(dispute::CLASS, Arc::new(disputes), DISPUTE_EXAMPLE).seat(
            watch::CLASS,
            watches,
            WATCH_EXAMPLE,
        ),
        lists: Box::new(move |at| crate::lists::standing(&lists, awaited, at)),
        till,
        limits: settings.limits,
        proxies: settings.proxies.clone(),
        keys: keys.published,
        log_vkey,
        verifier,
        background: Background::default(),
        latencies: Latencies::default(),
        compute: Compute::new().context("start the threads that compute")?,
        inflow: Inflow::default(),
        storage: storage(settings),
        free_budgets: free_budgets(settings, profile),
        started: clock.now(),
        security_contact: settings.security_contact.clone().unwrap_or_else(|| base_url.clone()),
        webhook_key: public_webhook_key,
        connections: crate::connections::bounds(settings.max_connections)?,
        notary: Notary {
            iss: base_url,
            signer: Signer::new(keys.receipt, keys.kid),
            ledger,
            clock,
            scope_prefix: (profile == Profile::Dev).then_some(DEV_NOTICE),
        },
    };
    let registries = settings.trust.refresh(settings, registry)?;
    Ok(Assembled { app, purse, sender, registries, feeds })
}

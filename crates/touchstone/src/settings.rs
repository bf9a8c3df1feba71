//! Settings: a flag, its environment name, its key in the configuration file, its default.
//!
//! The flags below are the one definition: the commented file that the first run writes, and what
//! `config print` says, are made from them. A flag stands above the environment, that above the file, that
//! above the default.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use ipnet::IpNet;
use payment::{Address, Wallet, checked_address};
use receipt::key::normalize_base_url;
use sanctions::refresh::SANCTIONS_LIST_SERVICE;
use serde::Deserialize;
use verdict::Usd;

use crate::clearance::ChainSettings;
use crate::keys::make_folder;
use crate::lists::ListsSettings;
use crate::settlement::SettlementSettings;
use crate::trust::TrustSettings;

/// Base makes a block every two seconds; the second makes a reorganisation unlikely enough for cents.
const CONFIRMATIONS: NonZeroU64 = NonZeroU64::new(2).expect("2 is not zero");
/// A hundred times and more what gas costs on Base on most days.
const MAX_FEE_GWEI: u64 = 10;

/// The settings as flags.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Settings")]
pub struct SettingsArgs {
    /// The configuration file [default: touchstone.toml in the data folder]
    #[arg(long, env = "TOUCHSTONE_CONFIG", value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// The address to listen on [default: 127.0.0.1:8402]
    #[arg(long, env = "TOUCHSTONE_LISTEN", value_name = "ADDRESS", global = true)]
    pub listen: Option<SocketAddr>,
    /// The folder of the store, the keys and the configuration [default: ./touchstone-data]
    #[arg(long, env = "TOUCHSTONE_DATA_DIR", value_name = "DIR", global = true)]
    pub data_dir: Option<PathBuf>,
    /// The folder of the private keys [default: keys in the data folder]
    #[arg(long, env = "TOUCHSTONE_KEYS_DIR", value_name = "DIR", global = true)]
    pub keys_dir: Option<PathBuf>,
    /// The store: a file's path [default: store.sqlite in the data folder]
    #[arg(long, env = "TOUCHSTONE_STORE", value_name = "STORE", global = true)]
    pub store: Option<String>,
    /// The public base address, which every receipt names [dev default: `http://localhost:PORT`]
    #[arg(long, env = "TOUCHSTONE_BASE_URL", value_name = "URL", global = true)]
    pub base_url: Option<String>,
    /// `off` lifts rate limits and daily counts, on loopback only, for benchmarks [default: on]
    #[arg(long, env = "TOUCHSTONE_LIMITS", value_name = "on|off", global = true)]
    pub limits: Option<Switch>,
    /// The address of /metrics, or `off` [default: off]
    #[arg(long, env = "TOUCHSTONE_METRICS", value_name = "ADDRESS", global = true)]
    pub metrics: Option<String>,
    /// Networks of proxies whose X-Forwarded-For counts, with commas between [default: none]
    #[arg(long, env = "TOUCHSTONE_PROXIES", value_name = "NETS", global = true)]
    pub proxies: Option<String>,
    /// Networks that are never fetched from, such as our own public address, with commas between [default: none]
    #[arg(long, env = "TOUCHSTONE_OWN_ADDRESSES", value_name = "NETS", global = true)]
    pub own_addresses: Option<String>,
    /// The address that payments go to, for serve [dev default: the embedded ledger's payee]
    #[arg(long, env = "TOUCHSTONE_PAY_TO", value_name = "ADDRESS", global = true)]
    pub pay_to: Option<String>,
    /// The network that is paid on: `base` or `base-sepolia` [default: base]
    #[arg(long, env = "TOUCHSTONE_NETWORK", value_name = "NAME", global = true)]
    pub network: Option<String>,
    /// A node's JSON-RPC address, to settle by and to check settlements with [default: none]
    #[arg(long, env = "TOUCHSTONE_RPC", value_name = "URL", global = true, hide_env_values = true)]
    pub rpc: Option<String>,
    /// The file (0600) of the key that pays for gas: settles by our own transactions [default: none]
    #[arg(long, env = "TOUCHSTONE_GAS_KEY", value_name = "FILE", global = true)]
    pub gas_key: Option<PathBuf>,
    /// The file (0600) of the key that refunds are paid from by itself, with gas_key [default: none, they are listed]
    #[arg(long, env = "TOUCHSTONE_PAYOUT_KEY", value_name = "FILE", global = true)]
    pub payout_key: Option<PathBuf>,
    /// Blocks after which a transaction is final, its own included [default: 2]
    #[arg(long, env = "TOUCHSTONE_CONFIRMATIONS", value_name = "N", global = true)]
    pub confirmations: Option<NonZeroU64>,
    /// The most that a unit of gas may cost, in gwei [default: 10]
    #[arg(long, env = "TOUCHSTONE_MAX_FEE_GWEI", value_name = "N", global = true)]
    pub max_fee_gwei: Option<u64>,
    /// An x402 facilitator's address: settles through it [default: none]
    #[arg(long, env = "TOUCHSTONE_FACILITATOR", value_name = "URL", global = true, hide_env_values = true)]
    pub facilitator: Option<String>,
    /// Private networks that the names of node and facilitator may lead into, with commas between [default: none]
    #[arg(long, env = "TOUCHSTONE_SETTLEMENT_NETWORKS", value_name = "NETS", global = true)]
    pub settlement_networks: Option<String>,
    /// The folder that sanctions lists are fetched from [default: the exports of OFAC's Sanctions List Service]
    #[arg(long, env = "TOUCHSTONE_LISTS_SOURCE", value_name = "URL", global = true, hide_env_values = true)]
    pub lists_source: Option<String>,
    /// How often they are asked for, such as 15m, or `off` [default: 15m; dev default: off]
    #[arg(long, env = "TOUCHSTONE_LISTS_REFRESH", value_name = "TIME", global = true)]
    pub lists_refresh: Option<String>,
    /// Whom to write to about security, as a URI [default: the base address]
    #[arg(long, env = "TOUCHSTONE_SECURITY_CONTACT", value_name = "URI", global = true)]
    pub security_contact: Option<String>,
    /// A PEM file of certificate authorities to trust besides the public ones [default: none]
    #[arg(long, env = "TOUCHSTONE_EXTRA_ROOTS", value_name = "FILE", global = true)]
    pub extra_roots: Option<PathBuf>,
    /// What to log, as a tracing filter [default: info]
    #[arg(long, env = "TOUCHSTONE_LOG", value_name = "FILTER", global = true)]
    pub log: Option<String>,
    /// How to log: `text` or `json` [default: text]
    #[arg(long, env = "TOUCHSTONE_LOG_FORMAT", value_name = "FORMAT", global = true)]
    pub log_format: Option<LogFormat>,
}

/// On or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    On,
    Off,
}

/// How log lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

/// The configuration file: the same names with underscores, and a table for each route to change.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields)]
struct File {
    listen: Option<SocketAddr>,
    keys_dir: Option<PathBuf>,
    store: Option<String>,
    base_url: Option<String>,
    limits: Option<Switch>,
    metrics: Option<String>,
    proxies: Option<String>,
    own_addresses: Option<String>,
    pay_to: Option<String>,
    network: Option<String>,
    rpc: Option<String>,
    gas_key: Option<PathBuf>,
    payout_key: Option<PathBuf>,
    confirmations: Option<NonZeroU64>,
    max_fee_gwei: Option<u64>,
    facilitator: Option<String>,
    settlement_networks: Option<String>,
    lists_source: Option<String>,
    lists_refresh: Option<String>,
    security_contact: Option<String>,
    extra_roots: Option<PathBuf>,
    log: Option<String>,
    log_format: Option<LogFormat>,
    #[serde(default)]
    clearance: BTreeMap<String, ChainSettings>,
    #[serde(default)]
    trust: TrustSettings,
    #[serde(default)]
    routes: BTreeMap<String, RouteSettings>,
}

/// What a configuration may change about a route.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct RouteSettings {
    /// In US dollars, as a decimal string.
    pub price: Option<String>,
    /// Free calls an agent and UTC day.
    pub free: Option<u32>,
    /// Calls in any 60 seconds.
    pub rate: Option<u32>,
}

/// The settings in force.
#[derive(Clone, Debug)]
pub struct Settings {
    pub config: PathBuf,
    pub listen: SocketAddr,
    pub data_dir: PathBuf,
    pub keys_dir: PathBuf,
    pub store: String,
    pub base_url: Option<String>,
    pub limits: bool,
    pub metrics: Option<SocketAddr>,
    pub proxies: Vec<IpNet>,
    pub own_addresses: Vec<IpNet>,
    pub settlement: SettlementSettings,
    pub lists: ListsSettings,
    pub security_contact: Option<String>,
    pub extra_roots: Option<PathBuf>,
    pub log: String,
    pub log_format: LogFormat,
    pub clearance: BTreeMap<String, ChainSettings>,
    pub trust: TrustSettings,
    pub routes: BTreeMap<String, RouteSettings>,
}

impl Settings {
    /// Reads the file, where there is one, under the flags and the environment.
    pub fn load(args: &SettingsArgs) -> anyhow::Result<Self> {
        let (data_dir, config) = places(args);
        let settings = Self::merged(args, read(&config)?, data_dir, config)?;
        settings.check()?;
        Ok(settings)
    }

    /// The same for a rerun, without what it has no use for. The service whose rerun it is may have other flags than it
    /// passes on, so a file that is bad under ours may be good under them.
    pub fn load_for_rerun(args: &SettingsArgs) -> anyhow::Result<Self> {
        let (data_dir, config) = places(args);
        let file = File {
            metrics: None,
            proxies: None,
            own_addresses: None,
            pay_to: None,
            settlement_networks: None,
            lists_refresh: None,
            clearance: BTreeMap::new(),
            trust: TrustSettings::default(),
            ..read(&config)?
        };
        Self::merged(args, file, data_dir, config)
    }

    fn merged(args: &SettingsArgs, file: File, data_dir: PathBuf, config: PathBuf) -> anyhow::Result<Self> {
        let args = args.clone();
        let metrics = args.metrics.or(file.metrics);
        let base_url = args.base_url.or(file.base_url);
        Ok(Self {
            listen: args.listen.or(file.listen).unwrap_or(SocketAddr::from(([127, 0, 0, 1], 8402))),
            keys_dir: args.keys_dir.or(file.keys_dir).unwrap_or_else(|| data_dir.join("keys")),
            store: args
                .store
                .or(file.store)
                .unwrap_or_else(|| data_dir.join("store.sqlite").to_string_lossy().into_owned()),
            base_url: base_url
                .map(|url| normalize_base_url(&url).with_context(|| format!("base_url {url}")))
                .transpose()?,
            limits: args.limits.or(file.limits) != Some(Switch::Off),
            metrics: metrics
                .filter(|text| text != "off")
                .map(|text| text.parse())
                .transpose()
                .context("metrics")?,
            proxies: networks("proxies", args.proxies.or(file.proxies).as_deref())?,
            own_addresses: networks("own_addresses", args.own_addresses.or(file.own_addresses).as_deref())?,
            settlement: SettlementSettings {
                network: args.network.or(file.network).unwrap_or_else(|| "base".to_owned()),
                pay_to: args.pay_to.or(file.pay_to).as_deref().map(payee).transpose()?,
                rpc: args.rpc.or(file.rpc),
                gas_key: args.gas_key.or(file.gas_key),
                payout_key: args.payout_key.or(file.payout_key),
                confirmations: args.confirmations.or(file.confirmations).unwrap_or(CONFIRMATIONS),
                max_fee_gwei: args.max_fee_gwei.or(file.max_fee_gwei).unwrap_or(MAX_FEE_GWEI),
                facilitator: args.facilitator.or(file.facilitator),
                networks: networks(
                    "settlement_networks",
                    args.settlement_networks.or(file.settlement_networks).as_deref(),
                )?,
            },
            lists: ListsSettings {
                source: args
                    .lists_source
                    .or(file.lists_source)
                    .unwrap_or_else(|| SANCTIONS_LIST_SERVICE.to_owned()),
                refresh: args
                    .lists_refresh
                    .or(file.lists_refresh)
                    .map(|text| text.parse().context("lists_refresh"))
                    .transpose()?,
            },
            security_contact: args.security_contact.or(file.security_contact),
            extra_roots: args.extra_roots.or(file.extra_roots),
            log: args.log.or(file.log).unwrap_or_else(|| "info".to_owned()),
            log_format: args.log_format.or(file.log_format).unwrap_or(LogFormat::Text),
            clearance: file.clearance,
            trust: file.trust,
            routes: file.routes,
            data_dir,
            config,
        })
    }

    /// What must hold whatever the profile.
    fn check(&self) -> anyhow::Result<()> {
        if !self.limits && !is_loopback(self.listen.ip()) {
            bail!("limits = off is for benchmarks on loopback only, and listen is {}", self.listen);
        }
        self.settlement.network()?;
        let SettlementSettings { gas_key, payout_key, .. } = &self.settlement;
        for (name, path) in [("gas_key", gas_key), ("payout_key", payout_key)] {
            let path = path.as_deref().and_then(Path::to_str);
            if path.is_some_and(|text| Wallet::from_hex(text).is_ok()) {
                bail!("{name} must be the path of the file that holds the key, and is a key");
            }
        }
        if self.store.starts_with("postgres://") || self.store.starts_with("postgresql://") {
            bail!("the PostgreSQL store is not available yet; store takes a file's path");
        }
        self.table().map(|_| ())
    }

    /// The folder of the sanctions lists' snapshots.
    pub fn lists_dir(&self) -> PathBuf {
        self.data_dir.join("lists")
    }

    /// The price table with the file's changes.
    pub fn table(&self) -> anyhow::Result<Vec<server::terms::Terms>> {
        use server::terms::Free;
        let mut table = server::terms::table();
        for (class, changes) in &self.routes {
            let Some(terms) = table.iter_mut().find(|terms| terms.class == class) else {
                bail!("routes.{class}: there is no such route");
            };
            if let Some(price) = &changes.price {
                if terms.price.is_none() {
                    bail!("routes.{class}.price: the route is free");
                }
                let price: Usd = price.parse().with_context(|| format!("routes.{class}.price"))?;
                if price == Usd::ZERO {
                    bail!("routes.{class}.price must be more than nothing");
                }
                terms.price = Some(price);
            }
            terms.rate_per_minute = changes.rate.unwrap_or(terms.rate_per_minute);
            terms.free = match (terms.free, changes.free) {
                (free, None) => free,
                (Free::PerDay(_) | Free::PerDayAndBonus(_), Some(0)) => Free::None,
                (Free::PerDay(_), Some(calls)) => Free::PerDay(calls),
                (Free::PerDayAndBonus(_), Some(calls)) => Free::PerDayAndBonus(calls),
                (Free::None | Free::Unlimited, Some(_)) => {
                    bail!("routes.{class}.free: the route has no daily free calls to change")
                }
            };
        }
        Ok(table)
    }

    /// Writes the commented file where there is none: every setting with its default, switched off. Addresses that come
    /// to be in it often hold a key, so only its owner may read it.
    pub fn write_template(&self) -> anyhow::Result<()> {
        if self.config.exists() {
            return Ok(());
        }
        if let Some(folder) = self.config.parent() {
            make_folder(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        write_new(&self.config, &template()).with_context(|| format!("write {}", self.config.display()))
    }
}

/// The commented configuration file, made from the flags.
pub fn template() -> String {
    let command = SettingsArgs::augment_args(clap::Command::new("settings"));
    let mut text = String::from(
        "# Touchstone's configuration. A flag stands above the environment, that above this file.\n\
         # Take the # away from a line to change it.\n",
    );
    for argument in command
        .get_arguments()
        .filter(|argument| !matches!(argument.get_id().as_str(), "config" | "data_dir"))
    {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let env = argument.get_env().map(|env| env.to_string_lossy().into_owned()).unwrap_or_default();
        let long = argument.get_long().unwrap_or_default();
        text.push_str(&format!("\n# {help}\n# --{long}, {env}\n#{} = \"\"\n", argument.get_id()));
    }
    text.push_str(
        "\n# Prices in US dollars, free calls a UTC day and calls a minute of any route, as /catalog names it.\n\
         #[routes.claim-verdict]\n#price = \"0.05\"\n#free = 3\n#rate = 10\n",
    );
    text.push_str(
        "\n# Nodes that /agent-clearance looks at wallets by, a table for each chain: JSON-RPC addresses with commas between,\n\
         # best of three or more operators. `quorum` of them must agree (default: more than half; never fewer). A chain\n\
         # whose name is not known needs its `chain_id`; `networks` are private ones that the names may lead into.\n\
         #[clearance.ethereum]\n#endpoints = \"https://one.example.com/key,https://two.example.com,http://127.0.0.1:8545\"\n\
         #quorum = 2\n#chain_id = 1\n#networks = \"\"\n",
    );
    text.push_str(
        "\n# What /trust-score looks with. `name_servers` resolve recursively (default: the system's), with commas between;\n\
         # `validating_resolver` is one of yours whose word on DNSSEC counts; the files stand in place of the lists that are\n\
         # compiled in (public suffixes) and fetched every day (IANA's dns.json of RDAP services).\n\
         #[trust]\n#name_servers = \"192.0.2.53, [2001:db8::53]:53\"\n#validating_resolver = \"127.0.0.1:53\"\n\
         #public_suffix_list = \"public_suffix_list.dat\"\n#rdap_bootstrap = \"dns.json\"\n\
         # Chromium's list of hosts that browsers know to use HTTPS; without it `hsts_preload` is unknown at best.\n\
         #hsts_preload_list = \"transport_security_state_static.json\"\n",
    );
    text
}

/// Whether an address is one of this machine's own.
pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// The data folder, and the configuration file.
fn places(args: &SettingsArgs) -> (PathBuf, PathBuf) {
    let data_dir = args.data_dir.clone().unwrap_or_else(|| PathBuf::from("touchstone-data"));
    let config = args.config.clone().unwrap_or_else(|| data_dir.join("touchstone.toml"));
    (data_dir, config)
}

/// Writes a file that only its owner may read, where there is none.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

fn read(path: &Path) -> anyhow::Result<File> {
    match std::fs::read_to_string(path) {
        Ok(text) => toml::from_str(&text).map_err(|error| {
            // The error's own text quotes the line, which may have a key.
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            anyhow::anyhow!("{}, line {line}: {}", path.display(), error.message())
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(File::default()),
        Err(error) => Err(error).with_context(|| format!("read {}", path.display())),
    }
}

fn payee(text: &str) -> anyhow::Result<Address> {
    checked_address(text).map_err(|why| anyhow::anyhow!("pay_to {why}"))
}

/// Networks and single addresses with commas between.
pub fn networks(name: &str, text: Option<&str>) -> anyhow::Result<Vec<IpNet>> {
    let words = text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    let network = |word: &str| word.parse().or_else(|_| word.parse::<IpAddr>().map(IpNet::from));
    words.map(|word| network(word).with_context(|| format!("{name}: `{word}` is no network"))).collect()
}

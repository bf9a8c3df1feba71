//! Settings: a flag, its environment name, its key in the configuration file, its default.
//!
//! The flags are the one definition: the commented file that the first run writes, and what
//! `config print` says, are made from them. A flag stands above the environment, that above the file, that
//! above the default.

mod differences;
mod file;
mod flags;
mod shown;
mod timestamps;
mod warnings;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use dispute::payouts::PER_DAY;
use fetch::Nat64Prefix;
use ipnet::IpNet;
use log_signer::LogSignerSettings;
use module::parse_networks;
use payment::chain::gas::parse_coin;
use payment::{Address, Wallet, checked_address};
use receipt::key::normalize_base_url;
use sanctions::module::ListSettings;
use server::retention::RetentionSettings;
use threat_feeds::FeedsSettings;
use verdict::Usd;
use watchlist::refresh::{PublishedList, SANCTIONS_LIST_SERVICE};

pub use flags::{LogFormat, SettingsArgs};
pub use timestamps::TimestampSettings;

use self::flags::{RouteSettings, Switch};
use crate::keys::make_folder;
use crate::settlement::SettlementSettings;
use crate::store::StoreAddress;

/// The address that the service listens on, unless it is set.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8402);
/// The free calls of a route that a network has in a day, unless it is set.
pub const FREE_PER_NETWORK: u32 = 10;
/// The MiB that are stored of a network's unpaid calls of a day, unless it is set.
pub const FREE_MIB_PER_NETWORK: u32 = 64;
/// The log filter by default. The DNS library warns with the names that callers ask about, and with the bytes of the
/// answers; a log is no place for either.
pub const DEFAULT_FILTER: &str = "info,hickory_net=error,hickory_proto=error,hickory_resolver=error";
/// Base makes a block every two seconds; the second makes a reorganisation unlikely enough for cents.
const CONFIRMATIONS: NonZeroU64 = NonZeroU64::new(2).expect("2 is not zero");
/// A hundred times and more what gas costs on Base on most days.
const MAX_FEE_GWEI: u64 = 10;
/// Some ten thousand transfers on Base on most days, in ether.
const GAS_PER_DAY: &str = "0.05";

/// The settings in force.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Path of the configuration file, which need not exist.
    pub config: PathBuf,
    /// Address that the service listens on.
    pub listen: SocketAddr,
    /// Folder of the store, the keys and the configuration.
    pub data_dir: PathBuf,
    /// Folder of the private keys.
    pub keys_dir: PathBuf,
    /// The store: a file's path, or an address of PostgreSQL.
    pub store: String,
    /// Public base address, which every receipt names; `None` where it follows from the port.
    pub base_url: Option<String>,
    /// True where rate limits and daily counts are enforced.
    pub limits: bool,
    /// Free calls of a route that a client network has in a UTC day; `None` where the profile's default holds.
    pub free_per_network: Option<Bounded>,
    /// MiB that are stored of a network's unpaid calls in a UTC day; `None` where the profile's default holds.
    pub free_mib_per_network: Option<Bounded>,
    /// MiB of disk that unpaid calls leave free; `None` where it follows from the size of the disk.
    pub storage_reserve_mib: Option<u64>,
    /// Address of `/metrics`; `None` where there is none.
    pub metrics: Option<SocketAddr>,
    /// Networks of proxies whose `X-Forwarded-For` counts.
    pub proxies: Vec<IpNet>,
    /// Networks that are never fetched from.
    pub own_addresses: Vec<IpNet>,
    /// Where payments go, and how they settle.
    pub settlement: SettlementSettings,
    /// Settings of the sanctions module: lists, and the nodes that wallets are looked at by.
    pub sanctions: sanctions::Settings,
    /// URI to write to about security; `None` stands for the base address.
    pub security_contact: Option<String>,
    /// PEM file of certificate authorities that are trusted besides the public ones.
    pub extra_roots: Option<PathBuf>,
    /// Filter of the log, in the syntax of `tracing`.
    pub log: String,
    /// Format of log lines.
    pub log_format: LogFormat,
    /// Connections of callers at once, 16 to 16384; `None` where it follows from the limit of open files.
    pub max_connections: Option<usize>,
    /// Prefixes by which this network translates IPv6 to IPv4 (RFC 6052).
    pub nat64_prefixes: Vec<Nat64Prefix>,
    /// Settings of the trust module.
    pub trust: trust::Settings,
    /// Settings of the market module: the sources of records.
    pub market: market::Settings,
    /// The feeds of known bad names and addresses.
    pub feeds: FeedsSettings,
    /// Policy file of the log's witnesses; `None` where nobody cosigns.
    pub log_policy: Option<PathBuf>,
    /// Where the log's key is, if it is not in the keys folder.
    pub log_signer: LogSignerSettings,
    /// The authority that stamps the log's checkpoints; `None` where none does.
    pub timestamps: Option<TimestampSettings>,
    /// How long the data behind a receipt is kept.
    pub retention: RetentionSettings,
    /// Changes of the price table, by class.
    pub routes: BTreeMap<String, RouteSettings>,
}

/// A bound that may be switched off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounded {
    /// At most this number.
    To(u32),
    /// No bound.
    Off,
}

impl Bounded {
    /// The number; none where there is no bound.
    pub fn number(self) -> Option<u32> {
        match self {
            Self::To(number) => Some(number),
            Self::Off => None,
        }
    }
}

fn bounded(name: &str, text: Option<String>) -> anyhow::Result<Option<Bounded>> {
    let read = |text: String| match text.as_str() {
        "off" => Ok(Bounded::Off),
        number => number
            .parse()
            .map(Bounded::To)
            .with_context(|| format!("{name}: `{number}` is no whole number nor `off`")),
    };
    text.map(read).transpose()
}

impl Settings {
    /// Reads the file under the flags and the environment. One that they name must be there.
    pub fn load(args: &SettingsArgs) -> anyhow::Result<Self> {
        let (data_dir, config) = places(args);
        let settings = Self::of(args.clone().over(read(args, &config)?), data_dir, config)?;
        settings.check()?;
        Ok(settings)
    }

    /// The same for a rerun, without what it has no use for. The service whose rerun it is may have other flags than it
    /// passes on, so a file that is bad under ours may be good under them.
    pub fn load_for_rerun(args: &SettingsArgs) -> anyhow::Result<Self> {
        let (data_dir, config) = places(args);
        let file = match read(args, &config) {
            // The service passes on what a rerun needs, and its file may have been edited since it was read.
            Err(_) if args.keys_dir.is_some() && args.base_url.is_some() => SettingsArgs::default(),
            read => read?,
        };
        let file = SettingsArgs {
            metrics: None,
            proxies: None,
            own_addresses: None,
            pay_to: None,
            settlement_networks: None,
            lists_refresh: None,
            max_connections: None,
            nat64_prefixes: None,
            log_policy: None,
            timestamp_authority: None,
            timestamp_roots: None,
            timestamp_policy: None,
            clearance: BTreeMap::new(),
            trust: trust::Settings::default(),
            market: market::Settings::default(),
            feeds: FeedsSettings::default(),
            log_signer: LogSignerSettings::default(),
            retention: RetentionSettings::default(),
            routes: BTreeMap::new(),
            lists: BTreeMap::new(),
            ..file
        };
        Self::of(args.clone().over(file), data_dir, config)
    }

    /// The address that a running service most likely listens on, also where its file has come to be bad since its start.
    pub fn listen_of(args: &SettingsArgs) -> SocketAddr {
        let (_, config) = places(args);
        let of_file = || read(args, &config).ok()?.listen;
        args.listen.or_else(of_file).unwrap_or(LISTEN)
    }

    /// The settings with their defaults, from all that was said.
    fn of(all: SettingsArgs, data_dir: PathBuf, config: PathBuf) -> anyhow::Result<Self> {
        let nat64_prefixes = nat64_prefixes(all.nat64_prefixes.as_deref())?;
        Ok(Self {
            listen: all.listen.unwrap_or(LISTEN),
            keys_dir: all.keys_dir.unwrap_or_else(|| data_dir.join("keys")),
            store: all.store.unwrap_or_else(|| data_dir.join("store.sqlite").to_string_lossy().into_owned()),
            base_url: all
                .base_url
                .map(|url| normalize_base_url(&url).with_context(|| format!("base_url {url}")))
                .transpose()?,
            limits: all.limits != Some(Switch::Off),
            free_per_network: bounded("free_per_network", all.free_per_network)?,
            free_mib_per_network: bounded("free_mib_per_network", all.free_mib_per_network)?,
            storage_reserve_mib: all.storage_reserve_mib,
            metrics: all
                .metrics
                .filter(|text| text != "off")
                .map(|text| text.parse())
                .transpose()
                .context("metrics")?,
            proxies: networks("proxies", all.proxies.as_deref())?,
            own_addresses: networks("own_addresses", all.own_addresses.as_deref())?,
            settlement: SettlementSettings {
                network: all.network.unwrap_or_else(|| "base".to_owned()),
                pay_to: all.pay_to.as_deref().map(payee).transpose()?,
                rpc: all.rpc,
                gas_key: all.gas_key,
                payout_key: all.payout_key,
                confirmations: all.confirmations.unwrap_or(CONFIRMATIONS),
                max_fee_gwei: all.max_fee_gwei.unwrap_or(MAX_FEE_GWEI),
                facilitator: all.facilitator,
                networks: networks("settlement_networks", all.settlement_networks.as_deref())?,
                nat64: nat64_prefixes.clone(),
                payout_per_day: match all.payout_per_day {
                    Some(text) => text.parse().context("payout_per_day")?,
                    None => PER_DAY,
                },
                gas_per_day: all.gas_per_day.unwrap_or_else(|| GAS_PER_DAY.to_owned()),
            },
            sanctions: sanctions::Settings {
                source: all.lists_source.unwrap_or_else(|| SANCTIONS_LIST_SERVICE.to_owned()),
                refresh: all
                    .lists_refresh
                    .map(|text| text.parse().map_err(|why| anyhow::anyhow!("lists_refresh {why}")))
                    .transpose()?,
                published: published(all.lists)?,
                chains: all.clearance,
            },
            security_contact: all.security_contact,
            extra_roots: all.extra_roots,
            log: all.log.unwrap_or_else(|| DEFAULT_FILTER.to_owned()),
            log_format: all.log_format.unwrap_or(LogFormat::Text),
            max_connections: all.max_connections,
            nat64_prefixes,
            trust: all.trust,
            market: all.market,
            feeds: all.feeds,
            log_policy: all.log_policy,
            log_signer: all.log_signer,
            timestamps: TimestampSettings::of(
                all.timestamp_authority,
                all.timestamp_roots,
                all.timestamp_policy,
            )?,
            retention: all.retention,
            routes: all.routes,
            data_dir,
            config,
        })
    }

    /// Checks the settings that every profile needs.
    fn check(&self) -> anyhow::Result<()> {
        if !self.limits && !is_loopback(self.listen.ip()) {
            bail!("limits = off is for benchmarks on loopback only, and listen is {}", self.listen);
        }
        self.check_values()
    }

    /// Checks each setting by itself.
    fn check_values(&self) -> anyhow::Result<()> {
        crate::connections::check(self.max_connections)?;
        self.settlement.network()?;
        parse_coin(&self.settlement.gas_per_day).context("gas_per_day")?;
        let SettlementSettings { gas_key, payout_key, .. } = &self.settlement;
        for (name, path) in [("gas_key", gas_key), ("payout_key", payout_key)] {
            let path = path.as_deref().and_then(Path::to_str);
            if path.is_some_and(|text| Wallet::from_hex(text).is_ok()) {
                bail!("{name} must be the path of the file that holds the key, and is a key");
            }
        }
        self.store_address()?;
        self.log_signer.check()?;
        let table = self.table()?;
        self.retention.check(table.iter().map(|terms| terms.class)).map_err(|why| anyhow::anyhow!(why))
    }

    /// Returns the default settings of this data folder.
    fn defaults(&self) -> anyhow::Result<Self> {
        Self::of(SettingsArgs::default(), self.data_dir.clone(), self.config.clone())
    }

    /// The address of the store.
    pub fn store_address(&self) -> anyhow::Result<StoreAddress> {
        StoreAddress::parse(&self.store).context("store")
    }

    /// The folder of the sanctions lists' snapshots.
    pub fn lists_dir(&self) -> PathBuf {
        sanctions::module::folder(&self.data_dir)
    }

    /// The folder of the downloaded feeds.
    pub fn feeds_dir(&self) -> PathBuf {
        self.data_dir.join(threat_feeds::FOLDER)
    }

    /// The price table with the file's changes.
    pub fn table(&self) -> anyhow::Result<Vec<module::terms::RouteTerms>> {
        use module::terms::Free;
        let mut table = module::terms::table();
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
                if price.atomic() > ledger::MAX_CLAIM_AMOUNT {
                    bail!(
                        "routes.{class}.price must be at most {} USD",
                        Usd::from_atomic(ledger::MAX_CLAIM_AMOUNT)
                    );
                }
                terms.price = Some(price);
            }
            if changes.rate == Some(0) {
                bail!("routes.{class}.rate must be more than 0: with 0 nobody could ever call the route");
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

    /// The configuration file, where it is not the one at the default place.
    pub fn named_config(&self) -> Option<&Path> {
        Some(self.config.as_path()).filter(|config| *config != default_config(&self.data_dir))
    }

    /// Writes the commented file at the default place where there is none: every setting with its default, switched off.
    /// Addresses that come to be in it often hold a key, so only its owner may read it.
    pub fn write_template(&self) -> anyhow::Result<()> {
        if self.named_config().is_some() || self.config.exists() {
            return Ok(());
        }
        if let Some(folder) = self.config.parent() {
            make_folder(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        file::write_new(&self.config, &file::template(&self.defaults()?))
            .with_context(|| format!("write {}", self.config.display()))
    }
}

/// Returns true if an address is one of this machine's own.
pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// The data folder, and the configuration file.
fn places(args: &SettingsArgs) -> (PathBuf, PathBuf) {
    let data_dir = args.data_dir.clone().unwrap_or_else(|| PathBuf::from("touchstone-data"));
    let config = args.config.clone().unwrap_or_else(|| default_config(&data_dir));
    (data_dir, config)
}

fn default_config(data_dir: &Path) -> PathBuf {
    data_dir.join("touchstone.toml")
}

/// Reads the configuration file. Nothing is set where there is none, unless it was named: then its name is mistyped.
fn read(args: &SettingsArgs, config: &Path) -> anyhow::Result<SettingsArgs> {
    match file::read(config)? {
        Some(file) => Ok(file),
        None if args.config.is_none() => Ok(SettingsArgs::default()),
        None => bail!("there is no configuration file {}", config.display()),
    }
}

/// The publications that are fetched besides OFAC's.
fn published(lists: BTreeMap<String, ListSettings>) -> anyhow::Result<BTreeMap<PublishedList, ListSettings>> {
    let publication = |(key, settings): (String, ListSettings)| {
        let published: PublishedList =
            key.parse().map_err(|why| anyhow::anyhow!("the table lists.{key} {why}"))?;
        if published.setting() == "lists_source" {
            bail!("there is no table lists.{key}: OFAC's lists are fetched from lists_source");
        }
        Ok((published, settings))
    };
    lists.into_iter().map(publication).collect()
}

fn payee(text: &str) -> anyhow::Result<Address> {
    checked_address(text).map_err(|why| anyhow::anyhow!("pay_to {why}"))
}

/// Prefixes with commas between.
fn nat64_prefixes(text: Option<&str>) -> anyhow::Result<Vec<Nat64Prefix>> {
    let words = text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_err(|why| anyhow::anyhow!("nat64_prefixes: `{word}` {why}"))).collect()
}

/// Networks and single addresses with commas between.
pub fn networks(name: &str, text: Option<&str>) -> anyhow::Result<Vec<IpNet>> {
    parse_networks(text).map_err(|why| anyhow::anyhow!("{name}: {why}"))
}

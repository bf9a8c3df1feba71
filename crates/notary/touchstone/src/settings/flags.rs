//! The settings as flags, from which the commented file is made too.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use log_signer::LogSignerSettings;
use sanctions::module::{ChainSettings, ListSettings};
use serde::{Deserialize, Serialize};
use server::retention::RetentionSettings;
use threat_feeds::FeedsSettings;

/// The settings: each is a flag, an environment name, and a key of the configuration file. The tables are in the file alone.
#[derive(Args, Deserialize, Clone, Debug, Default)]
#[command(next_help_heading = "Settings")]
#[serde(deny_unknown_fields, default)]
pub struct SettingsArgs {
    /// The configuration file [default: touchstone.toml in the data folder]
    #[arg(long, env = "TOUCHSTONE_CONFIG", value_name = "FILE", global = true)]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// The address to listen on [default: 127.0.0.1:8402]
    #[arg(long, env = "TOUCHSTONE_LISTEN", value_name = "ADDRESS", global = true)]
    pub listen: Option<SocketAddr>,
    /// The folder of the store, the keys and the configuration [default: ./touchstone-data]
    #[arg(long, env = "TOUCHSTONE_DATA_DIR", value_name = "DIR", global = true)]
    #[serde(skip)]
    pub data_dir: Option<PathBuf>,
    /// The folder of the private keys [default: keys in the data folder]
    #[arg(long, env = "TOUCHSTONE_KEYS_DIR", value_name = "DIR", global = true)]
    pub keys_dir: Option<PathBuf>,
    /// The store: a file's path, or postgres://USER@HOST/DATABASE for several replicas [default: store.sqlite in the data folder]
    #[arg(long, env = "TOUCHSTONE_STORE", value_name = "STORE", global = true)]
    pub store: Option<String>,
    /// The public base address, which every receipt names [dev default: `http://localhost:PORT`]
    #[arg(long, env = "TOUCHSTONE_BASE_URL", value_name = "URL", global = true)]
    pub base_url: Option<String>,
    /// `off` lifts rate limits and daily counts, on loopback only, for benchmarks [default: on]
    #[arg(long, env = "TOUCHSTONE_LIMITS", value_name = "on|off", global = true)]
    pub limits: Option<Switch>,
    /// How many times a route's free calls a client network has a day, over all names, or `off` [default: 10; dev: off]
    #[arg(long, env = "TOUCHSTONE_FREE_PER_NETWORK", value_name = "TIMES", global = true)]
    pub free_per_network: Option<String>,
    /// MiB that a client network may have stored a day for calls nobody pays for, or `off` [default: 64; dev: off]
    #[arg(long, env = "TOUCHSTONE_FREE_MIB_PER_NETWORK", value_name = "MIB", global = true)]
    pub free_mib_per_network: Option<String>,
    /// MiB of disk that unpaid calls leave free; paid ones leave half [default: the larger of 5% and 2048]
    #[arg(long, env = "TOUCHSTONE_STORAGE_RESERVE_MIB", value_name = "MIB", global = true)]
    pub storage_reserve_mib: Option<u64>,
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
    /// What to log, as a tracing filter [default: info, and of the DNS library errors alone]
    #[arg(long, env = "TOUCHSTONE_LOG", value_name = "FILTER", global = true)]
    pub log: Option<String>,
    /// How to log: `text` or `json` [default: text]
    #[arg(long, env = "TOUCHSTONE_LOG_FORMAT", value_name = "FORMAT", global = true)]
    pub log_format: Option<LogFormat>,
    /// Connections of callers at once, 16 to 16384 [default: half of the open files, at most 16384]
    #[arg(long, env = "TOUCHSTONE_MAX_CONNECTIONS", value_name = "N", global = true)]
    pub max_connections: Option<usize>,
    /// Prefixes by which this network translates IPv6 to IPv4 (RFC 6052), with commas between [default: none]
    #[arg(long, env = "TOUCHSTONE_NAT64_PREFIXES", value_name = "NETS", global = true)]
    pub nat64_prefixes: Option<String>,
    /// The most that is paid out on one UTC day after disputes, in USDC; what is owed beyond it waits [default: 100]
    #[arg(long, env = "TOUCHSTONE_PAYOUT_PER_DAY", value_name = "USDC", global = true)]
    pub payout_per_day: Option<String>,
    /// The most that gas may cost in a UTC day, in the chain's own coin, with gas_key [default: 0.05]
    #[arg(long, env = "TOUCHSTONE_GAS_PER_DAY", value_name = "AMOUNT", global = true)]
    pub gas_per_day: Option<String>,
    /// The policy of the log's witnesses, a C2SP tlog-policy file: checkpoints are submitted to them [default: none]
    #[arg(long, env = "TOUCHSTONE_LOG_POLICY", value_name = "FILE", global = true)]
    pub log_policy: Option<PathBuf>,
    /// The address of an RFC 3161 authority that stamps the log's newest checkpoint once an hour, with timestamp_roots [default:
    /// none]
    #[arg(long, env = "TOUCHSTONE_TIMESTAMP_AUTHORITY", value_name = "URL", global = true)]
    pub timestamp_authority: Option<String>,
    /// PEM file of the roots that certificates of timestamp_authority must lead to [default: none]
    #[arg(long, env = "TOUCHSTONE_TIMESTAMP_ROOTS", value_name = "FILE", global = true)]
    pub timestamp_roots: Option<PathBuf>,
    /// The policy that tokens of timestamp_authority must have, an object identifier [default: any]
    #[arg(long, env = "TOUCHSTONE_TIMESTAMP_POLICY", value_name = "OID", global = true)]
    pub timestamp_policy: Option<String>,
    /// The publications that are fetched besides OFAC's.
    #[arg(skip)]
    pub lists: BTreeMap<String, ListSettings>,
    /// The nodes of each chain that wallets are looked at by.
    #[arg(skip)]
    pub clearance: BTreeMap<String, ChainSettings>,
    /// The settings of /trust-score.
    #[arg(skip)]
    pub trust: trust::Settings,
    /// The sources of records.
    #[arg(skip)]
    pub market: market::Settings,
    /// The feeds of known bad names and addresses.
    #[arg(skip)]
    pub feeds: FeedsSettings,
    /// Where the log's key is, if it is not in the keys folder.
    #[arg(skip)]
    pub log_signer: LogSignerSettings,
    /// How long the data behind a receipt is kept.
    #[arg(skip)]
    pub retention: RetentionSettings,
    /// Changes of the price table, by class.
    #[arg(skip)]
    pub routes: BTreeMap<String, RouteSettings>,
}

impl SettingsArgs {
    /// These flags over the settings of a file: what a flag says stands, and the file says the rest.
    pub fn over(self, file: Self) -> Self {
        macro_rules! over {
            ($($name:ident),*) => {
                Self {
                    config: self.config,
                    data_dir: self.data_dir,
                    $($name: self.$name.or(file.$name),)*
                    lists: file.lists,
                    clearance: file.clearance,
                    trust: file.trust,
                    market: file.market,
                    feeds: file.feeds,
                    log_signer: file.log_signer,
                    retention: file.retention,
                    routes: file.routes,
                }
            };
        }
        over!(
            listen,
            keys_dir,
            store,
            base_url,
            limits,
            free_per_network,
            free_mib_per_network,
            storage_reserve_mib,
            metrics,
            proxies,
            own_addresses,
            pay_to,
            network,
            rpc,
            gas_key,
            payout_key,
            confirmations,
            max_fee_gwei,
            facilitator,
            settlement_networks,
            lists_source,
            lists_refresh,
            security_contact,
            extra_roots,
            log,
            log_format,
            max_connections,
            nat64_prefixes,
            payout_per_day,
            gas_per_day,
            log_policy,
            timestamp_authority,
            timestamp_roots,
            timestamp_policy
        )
    }
}

/// The members of a route that a configuration may change.
#[derive(Deserialize, Serialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct RouteSettings {
    /// In US dollars, as a decimal string.
    pub price: Option<String>,
    /// Free calls an agent and UTC day.
    pub free: Option<u32>,
    /// Calls in any 60 seconds.
    pub rate: Option<u32>,
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

//! The settings as TOML: what `config print` says, and the defaults that the commented file gives.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use anyhow::Context as _;
use jiff::SignedDuration;
use module::Mode;
use threat_feeds::FeedsSettings;
use toml::Value;
use url::Url;
use watchlist::refresh::SANCTIONS_LIST_SERVICE;

use super::flags::LogFormat;
use super::{Bounded, FREE_MIB_PER_NETWORK, FREE_PER_NETWORK, Settings};
use crate::connections;

/// The display form of a setting.
pub(super) enum SettingDisplay {
    /// As TOML has it.
    Value(String),
    /// It is not set, and has no default.
    NotSet,
    /// It is set. Keys of services are often in their addresses, so no more is said than this.
    Hidden(String),
}

impl Settings {
    /// The configuration in force: TOML with the keys of the configuration file.
    pub fn printed(&self) -> anyhow::Result<String> {
        let mut text = format!(
            "# Set by a flag or the environment alone:\n# config = {}\n# data_dir = {}\n",
            string(self.config.display()),
            string(self.data_dir.display())
        );
        for (name, shown) in self.shown() {
            text.push_str(&match shown {
                SettingDisplay::Value(value) => format!("{name} = {value}\n"),
                SettingDisplay::NotSet => format!("# {name} is not set\n"),
                SettingDisplay::Hidden(what) => format!("# {name} is set and not shown{what}\n"),
            });
        }
        for (published, list) in &self.sanctions.published {
            let of = published.key();
            text.push_str(&match list.source {
                Some(_) => format!("\n# lists.{of}: from an address of yours, not shown\n[lists.{of}]\n"),
                None => format!("\n[lists.{of}]\n"),
            });
        }
        for (name, chain) in &self.sanctions.chains {
            text.push_str(&format!("\n# clearance.{name}: {} endpoints, not shown\n", chain.endpoints()));
            text.push_str(&table("clearance", &BTreeMap::from([(name, chain)]))?);
        }
        if self.trust != trust::Settings::default() {
            text.push('\n');
            text.push_str(&table("trust", &self.trust)?);
        }
        if self.market != market::Settings::default() {
            text.push('\n');
            text.push_str(&table("market", &self.market)?);
        }
        if self.feeds != FeedsSettings::default() {
            text.push('\n');
            text.push_str(&table("feeds", &self.feeds)?);
        }
        if self.log_signer.is_set() {
            text.push('\n');
            text.push_str(&table("log_signer", &self.log_signer)?);
        }
        text.push('\n');
        text.push_str(&table("retention", &self.retention)?);
        if !self.routes.is_empty() {
            text.push('\n');
            text.push_str(&table("routes", &self.routes)?);
        }
        Ok(text)
    }

    /// An address of PostgreSQL may have a password.
    fn shown_store(&self) -> SettingDisplay {
        if self.store.contains("://") { hidden(Some(&self.store)) } else { value(&self.store) }
    }

    /// Every setting that is no table, by its key in the file.
    pub(super) fn shown(&self) -> Vec<(&'static str, SettingDisplay)> {
        let (settlement, timestamps) = (&self.settlement, self.timestamps.as_ref());
        vec![
            ("listen", value(self.listen)),
            ("keys_dir", value(self.keys_dir.display())),
            ("store", self.shown_store()),
            ("base_url", optional(self.base_url.as_ref())),
            ("limits", value(if self.limits { "on" } else { "off" })),
            ("free_per_network", bounded(self.free_per_network, FREE_PER_NETWORK)),
            ("free_mib_per_network", bounded(self.free_mib_per_network, FREE_MIB_PER_NETWORK)),
            (
                "storage_reserve_mib",
                self.storage_reserve_mib
                    .map_or(SettingDisplay::NotSet, |mib| SettingDisplay::Value(mib.to_string())),
            ),
            ("metrics", value(self.metrics.map_or("off".to_owned(), |address| address.to_string()))),
            ("proxies", value(joined(&self.proxies))),
            ("own_addresses", value(joined(&self.own_addresses))),
            ("pay_to", optional(settlement.pay_to)),
            ("network", value(&settlement.network)),
            ("rpc", hidden(settlement.rpc.as_ref())),
            ("gas_key", path(settlement.gas_key.as_deref())),
            ("payout_key", path(settlement.payout_key.as_deref())),
            ("confirmations", SettingDisplay::Value(settlement.confirmations.to_string())),
            ("max_fee_gwei", SettingDisplay::Value(settlement.max_fee_gwei.to_string())),
            ("facilitator", hidden(settlement.facilitator.as_ref())),
            ("settlement_networks", value(joined(&settlement.networks))),
            ("lists_source", source(&self.sanctions.source)),
            ("lists_refresh", value(self.lists_refresh())),
            ("security_contact", optional(self.security_contact.as_ref())),
            ("extra_roots", path(self.extra_roots.as_deref())),
            ("log", value(&self.log)),
            (
                "log_format",
                value(match self.log_format {
                    LogFormat::Text => "text",
                    LogFormat::Json => "json",
                }),
            ),
            (
                "max_connections",
                SettingDisplay::Value(
                    self.max_connections.unwrap_or_else(connections::by_itself).to_string(),
                ),
            ),
            ("nat64_prefixes", value(joined(&self.nat64_prefixes))),
            ("payout_per_day", value(settlement.payout_per_day)),
            ("gas_per_day", value(&settlement.gas_per_day)),
            ("log_policy", path(self.log_policy.as_deref())),
            ("timestamp_authority", hidden(timestamps.map(|set| &set.authority))),
            ("timestamp_roots", path(timestamps.map(|set| set.roots.as_path()))),
            (
                "timestamp_policy",
                timestamps.and_then(|set| set.policy.as_deref()).map_or(SettingDisplay::NotSet, value),
            ),
        ]
    }

    /// As `serve` has it.
    fn lists_refresh(&self) -> String {
        let every = self.sanctions.every(Mode::Serve).and_then(|every| SignedDuration::try_from(every).ok());
        every.map_or("off".to_owned(), |every| format!("{every:#}"))
    }
}

fn string(text: impl Display) -> String {
    Value::String(text.to_string()).to_string()
}

fn value(text: impl Display) -> SettingDisplay {
    SettingDisplay::Value(string(text))
}

fn optional(text: Option<impl Display>) -> SettingDisplay {
    text.map_or(SettingDisplay::NotSet, value)
}

/// As `serve` has it.
fn bounded(bound: Option<Bounded>, default: u32) -> SettingDisplay {
    value(bound.unwrap_or(Bounded::To(default)).number().map_or("off".to_owned(), |n| n.to_string()))
}

fn path(path: Option<&Path>) -> SettingDisplay {
    optional(path.map(Path::display))
}

fn hidden(address: Option<&String>) -> SettingDisplay {
    address.map_or(SettingDisplay::NotSet, |_| SettingDisplay::Hidden(String::new()))
}

/// OFAC's own is no secret; of another one the host is said.
fn source(folder: &str) -> SettingDisplay {
    if folder == SANCTIONS_LIST_SERVICE {
        return value(folder);
    }
    let host =
        Url::parse(folder).ok().and_then(|url| url.host_str().map(|host| format!(": it is at {host}")));
    SettingDisplay::Hidden(host.unwrap_or_default())
}

fn joined(all: &[impl Display]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn table(name: &str, content: &impl serde::Serialize) -> anyhow::Result<String> {
    toml::to_string(&BTreeMap::from([(name, content)])).with_context(|| format!("print {name}"))
}

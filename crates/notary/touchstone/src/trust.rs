//! What `/trust-score` looks with, as the settings name it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use anyhow::{Context as _, bail};
use dns::Resolver;
use domain_name::feed::Feeds;
use domain_name::{PublicSuffixes, Rules};
use fetch::{Fetcher, NameServers, Source};
use http_headers::PreloadList;
use probe::registry::{self, BootstrapRefresh, IANA, Registry};
use probe::{dnssec, site, tls};
use serde::{Deserialize, Serialize};
use server::Profile;
use trust::trust_score::{Probes, TrustJudge, at_once, registry_limits, site_limits};
use verdict::Timestamp;

use crate::connections;
use crate::settings::Settings;
use crate::wiring;

/// The table `trust` of the configuration.
#[derive(Deserialize, Serialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct TrustSettings {
    /// Name servers that resolve recursively, with commas between; the system's where there are none.
    name_servers: Option<String>,
    /// A name server of ours that validates, whose word on signatures counts.
    validating_resolver: Option<SocketAddr>,
    /// A `public_suffix_list.dat` in place of the one that is compiled in.
    public_suffix_list: Option<PathBuf>,
    /// Chromium's `transport_security_state_static.json`: which hosts are on the HSTS preload list.
    hsts_preload_list: Option<PathBuf>,
    /// Files of names of bad domains, which are read again when they change.
    #[serde(default)]
    bad_domain_feeds: Vec<PathBuf>,
    /// A `dns.json` of IANA's in place of the one that is fetched every day.
    rdap_bootstrap: Option<PathBuf>,
    /// An internet of our own, for development alone.
    laboratory: Option<Laboratory>,
}

/// Names, ports and anchors that no public internet has.
#[derive(Deserialize, Serialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct Laboratory {
    /// Suffixes below which names of special use pass.
    #[serde(default)]
    suffixes: Vec<String>,
    /// The root's keys, as DNSKEY records.
    anchors: Option<PathBuf>,
    /// Where HTTPS is.
    https_port: Option<u16>,
    /// Where HTTP is.
    http_port: Option<u16>,
}

impl TrustSettings {
    /// What must hold of a profile's settings.
    pub fn check(&self, profile: Profile) -> anyhow::Result<()> {
        if profile == Profile::Serve && self.laboratory.is_some() {
            bail!(
                "trust.laboratory is for dev and tests only: names and keys of its own prove nothing to anybody"
            );
        }
        Ok(())
    }

    /// The name server whose word on signatures counts.
    pub fn validating_resolver(&self) -> Option<SocketAddr> {
        self.validating_resolver
    }

    /// The name servers; `None` for those of the system.
    pub fn name_servers(&self) -> anyhow::Result<Option<Vec<SocketAddr>>> {
        let words = |text: &str| {
            text.split(',')
                .map(str::trim)
                .filter(|word| !word.is_empty())
                .map(|word| {
                    let with_port =
                        word.parse().or_else(|_| word.parse().map(|address| SocketAddr::new(address, 53)));
                    with_port.with_context(|| format!("trust.name_servers: `{word}` is no address"))
                })
                .collect::<anyhow::Result<Vec<SocketAddr>>>()
        };
        self.name_servers
            .as_deref()
            .map(words)
            .transpose()
            .map(|servers| servers.filter(|all| !all.is_empty()))
    }
}

/// What the judge goes by and a running service keeps up to date.
pub struct Followed {
    /// The registry that it asks, with its list of services.
    pub registry: Registry,
    /// The feeds of bad domains.
    pub feeds: Feeds,
}

/// The judge of `/trust-score`.
pub fn judge(settings: &Settings, profile: Profile) -> anyhow::Result<(TrustJudge, Followed)> {
    let own = &settings.trust;
    let laboratory = own.laboratory.clone().unwrap_or_default();
    let mut policy = wiring::policy(settings, profile);
    if own.laboratory.is_some() {
        // Names of special use pass where a network is named, which only development's loopback is.
        policy.named = vec!["127.0.0.0/8".parse()?];
    }
    let policy = policy.with_interfaces().context("list the network interfaces")?;
    let roots = wiring::roots(settings)?;
    let servers = own.name_servers()?;
    let (resolver, addresses) = match &servers {
        Some(servers) => (Resolver::at(servers)?, NameServers::at(servers)?),
        None => (Resolver::from_system()?, NameServers::from_system()?),
    };
    let registries = Fetcher::new(policy.clone(), registry_limits(), addresses.clone(), roots.clone());
    let fetcher = Fetcher::new(policy, site_limits(), addresses, roots.clone());
    let (https_port, http_port) = (laboratory.https_port.unwrap_or(443), laboratory.http_port.unwrap_or(80));
    let anchors = laboratory.anchors.as_deref().map(anchors).transpose()?.unwrap_or_default();
    let registry = registry(own.rdap_bootstrap.as_deref(), registries)?;
    let feeds = Feeds::open(&own.bad_domain_feeds).context("trust.bad_domain_feeds")?;
    let pages = site::SiteProbe::new(fetcher.clone(), https_port, http_port);
    let pages = match own.hsts_preload_list.as_deref().map(preload_list).transpose()? {
        Some(list) => pages.with_preload(Arc::new(list)),
        None => pages,
    };
    let probes = Probes {
        dns: Arc::new(resolver),
        dnssec: dnssec::DnssecProbe::new(dnssec::DnssecConfig {
            servers,
            validating_resolver: own.validating_resolver,
            anchors,
        }),
        tls: tls::TlsProbe::new(fetcher, roots, https_port),
        site: pages,
        registry: registry.clone(),
        feeds: feeds.clone(),
        at_once: at_once(connections::left(settings.max_connections)),
    };
    let suffixes = own.public_suffix_list.as_deref().map(suffixes).transpose()?.unwrap_or_default();
    let judge = TrustJudge::new(probes, suffixes, Rules { allowed_suffixes: laboratory.suffixes });
    Ok((judge, Followed { registry, feeds }))
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("read {}", path.display()))
}

fn anchors(path: &Path) -> anyhow::Result<dnssec::Anchors> {
    let text = String::from_utf8(read(path)?).context("trust.laboratory.anchors")?;
    dnssec::Anchors::parse(&text).context("trust.laboratory.anchors")
}

fn preload_list(path: &Path) -> anyhow::Result<PreloadList> {
    PreloadList::read(&read(path)?).context("trust.hsts_preload_list")
}

fn suffixes(path: &Path) -> anyhow::Result<PublicSuffixes> {
    PublicSuffixes::read(&read(path)?).context("trust.public_suffix_list")
}

/// Goes by the operator's list of services where there is one, as of when that was written.
fn registry(list: Option<&Path>, fetcher: Fetcher) -> anyhow::Result<Registry> {
    let registry = Registry::new(fetcher);
    if let Some(path) = list {
        let written = std::fs::metadata(path).and_then(|file| file.modified());
        let written = written.with_context(|| format!("read {}", path.display()))?;
        let since = written.duration_since(UNIX_EPOCH).context("trust.rdap_bootstrap")?;
        let written = Timestamp::from_millis(i64::try_from(since.as_millis())?)?;
        registry.adopt(&read(path)?, written).context("trust.rdap_bootstrap")?;
    }
    Ok(registry)
}

impl TrustSettings {
    /// What keeps the list of RDAP services as IANA publishes it; nothing where the operator has a list of theirs.
    pub fn refresh(
        &self,
        settings: &Settings,
        registry: Registry,
    ) -> anyhow::Result<Option<BootstrapRefresh>> {
        if self.rdap_bootstrap.is_some() {
            return Ok(None);
        }
        let own = wiring::own_addresses(settings)?;
        let roots = wiring::roots(settings)?;
        let source = Source::system_through(IANA, &own, &settings.nat64_prefixes, registry::limits(), roots)
            .context("the list of RDAP services")?;
        Ok(Some(BootstrapRefresh::new(registry, source, registry::EVERY)))
    }
}

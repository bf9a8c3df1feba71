//! The module `trust`: its settings, the judge of /trust-score, and the loop that keeps its list of RDAP services up to date.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use dns::{Resolver, ServerFault, ServerHealth};
use domain_name::{PublicSuffixes, Rules};
use fetch::{Fetcher, NameServers, Policy};
use http_headers::PreloadList;
use ipnet::{IpNet, Ipv4Net};
use module::{Host, Mode, Module, ModuleError, Standing};
use probe::ct::{self, Certificates, CtSource};
use probe::payee::PayeeProbe;
use probe::registry::{self, BootstrapRefresh, IANA, Registry};
use probe::whois::{self, Whois};
use probe::{dnssec, site, tls};
use serde::{Deserialize, Serialize};
use threat_feeds::Feeds;
use verdict::{Clock as _, SystemClock, Timestamp};

use crate::popularity::{MAX_LIST_BYTES, PopularityList};
use crate::trust_score::{ModelView, Probes, TrustJudge, at_once, registry_limits, site_limits};

/// A first question.
const TRUST_SCORE_EXAMPLE: &str = r#"{"agent":"my-agent","domain":"example.com"}"#;

/// Settings of the section `trust` of the configuration.
#[derive(Deserialize, Serialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Name servers that resolve recursively, with commas between; the system's where there are none.
    name_servers: Option<String>,
    /// A name server of ours that validates, whose word on signatures counts.
    validating_resolver: Option<SocketAddr>,
    /// A `public_suffix_list.dat` in place of the one that is compiled in.
    public_suffix_list: Option<PathBuf>,
    /// Chromium's `transport_security_state_static.json`: which hosts are on the HSTS preload list.
    hsts_preload_list: Option<PathBuf>,
    /// True to ask for registrations over WHOIS where a top-level domain has no RDAP.
    whois: Option<bool>,
    /// A search service of certificate transparency: an `https` URL with `{domain}`, which answers as crt.sh or Cert Spotter
    /// do.
    certificates: Option<String>,
    /// A popularity list: a CSV file of ranks and names, such as Tranco's. A place on it is a sign of continuity.
    popularity_list: Option<PathBuf>,
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
    /// Port for HTTPS; `None` for 443.
    https_port: Option<u16>,
    /// Port for HTTP; `None` for 80.
    http_port: Option<u16>,
    /// Port for WHOIS; `None` for 43.
    whois_port: Option<u16>,
    /// Interval at which the domain of a watch is looked at, in seconds, at least 1; `None` for a day.
    watch_every_s: Option<u32>,
}

impl Settings {
    /// Checks the settings for a mode.
    ///
    /// # Errors
    /// [`ModuleError`] if a laboratory is configured in production.
    pub fn check(&self, mode: Mode) -> Result<(), ModuleError> {
        if mode == Mode::Serve && self.laboratory.is_some() {
            return Err(ModuleError::new(
                "trust.laboratory is for dev and tests only",
                "names and keys of its own prove nothing to anybody",
            ));
        }
        Ok(())
    }

    /// Returns true if an internet of our own is configured in place of the public one.
    #[must_use]
    pub fn has_laboratory(&self) -> bool {
        self.laboratory.is_some()
    }

    /// Returns the address of the configured validating name server, whose result for signatures is trusted. `None` if
    /// there is none.
    #[must_use]
    pub fn validating_resolver(&self) -> Option<SocketAddr> {
        self.validating_resolver
    }

    /// Returns the configured name servers; `None` stands for those of the operating system.
    ///
    /// # Errors
    /// [`ModuleError`] if an element of the list is not an address.
    pub fn name_servers(&self) -> Result<Option<Vec<SocketAddr>>, ModuleError> {
        let server = |word: &str| {
            word.parse()
                .or_else(|_| word.parse().map(|address| SocketAddr::new(address, 53)))
                .map_err(|why| ModuleError::new(format!("trust.name_servers: `{word}` is no address"), why))
        };
        let Some(text) = &self.name_servers else { return Ok(None) };
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        let servers: Vec<SocketAddr> = words.map(server).collect::<Result<_, ModuleError>>()?;
        Ok(Some(servers).filter(|servers| !servers.is_empty()))
    }
}

/// The ways to the internet that the settings describe. A module that looks at the same hosts shares them.
#[derive(Clone)]
pub struct Sources {
    /// The addresses that may be connected to.
    pub policy: Policy,
    /// The name servers that resolve hosts.
    pub name_servers: NameServers,
    /// The registries, with what they have answered.
    pub registry: Registry,
    /// The state of the name servers.
    pub servers: Arc<ServerHealth>,
}

/// Makes the ways to the internet.
///
/// # Errors
/// [`ModuleError`] names the setting that is wrong, or the resource of the host that is missing.
pub fn sources(settings: &Settings, host: &Host) -> Result<Sources, ModuleError> {
    settings.check(host.mode)?;
    let mut policy = host.policy.clone();
    if settings.laboratory.is_some() {
        // Names of special use pass where a network is named, which only development's loopback is.
        policy.named = vec![IpNet::from(LOOPBACK)];
    }
    let policy = host.policy_with_interfaces(policy)?;
    let name_servers = match &settings.name_servers()? {
        Some(servers) => NameServers::at(servers),
        None => NameServers::from_system(),
    };
    let name_servers = name_servers.map_err(|why| ModuleError::new("the name servers", why))?;
    let registries = host.fetcher_at(policy.clone(), registry_limits(), name_servers.clone());
    let registry = registry(settings.rdap_bootstrap.as_deref(), registries)?;
    let servers = Arc::new(ServerHealth::new(settings.name_servers()?));
    Ok(Sources { policy, name_servers, registry, servers })
}

/// Builds the module `trust` around its judge, which other modules may share. Without sources it replays only.
///
/// # Errors
/// [`ModuleError`] names the resource of the host that is missing.
pub fn module(
    settings: &Settings,
    host: &Host,
    judge: Arc<TrustJudge>,
    sources: Option<&Sources>,
) -> Result<Module, ModuleError> {
    let mut module = Module::new("trust")
        .view("/trust-score/model", Arc::new(ModelView::default()))
        .with_bounds(crate::bounds());
    module = watched(module, settings, judge);
    let Some(sources) = sources else { return Ok(module) };
    if matches!(host.mode, Mode::Serve | Mode::Dev) {
        let (shown, examined) = (Arc::clone(&sources.servers), Arc::clone(&sources.servers));
        module = module
            .with_standing(move |_| standing(&shown))
            .background("name servers", move || examine(Arc::clone(&examined)));
    }
    if host.mode == Mode::Serve && settings.rdap_bootstrap.is_none() {
        let source = host.source("the list of RDAP services", IANA, registry::limits())?;
        let refresh = BootstrapRefresh::new(sources.registry.clone(), source, registry::EVERY);
        module = module.background("registries", move || {
            let clock = SystemClock::start();
            refresh.clone().run(move || clock.now())
        });
    }
    Ok(module)
}

/// The interval at which the name servers are examined, so that no caller waits for it.
const EXAMINED_EVERY: Duration = Duration::from_secs(60);

/// The state of the module: a name server that denies what exists, or none that answers, is its fault.
fn standing(servers: &ServerHealth) -> Standing {
    let fault = match servers.last() {
        None | Some(Ok(())) => None,
        Some(Err(ServerFault::Denies { .. })) => Some("name_server_denies"),
        Some(Err(ServerFault::Silent)) => Some("name_servers_silent"),
    };
    Standing { fault, ..Standing::default() }
}

/// Examines the name servers for as long as the service runs, and logs each change of their state.
async fn examine(servers: Arc<ServerHealth>) {
    loop {
        let before = servers.last();
        let now = servers.examine().await;
        match &now {
            _ if before.as_ref() == Some(&now) => {}
            Err(fault @ ServerFault::Denies { .. }) => {
                tracing::warn!(%fault, "/trust-score answers 503; see `touchstone doctor`");
            }
            Err(fault @ ServerFault::Silent) => {
                tracing::warn!(%fault, "what /trust-score looks up stays unknown; see `touchstone doctor`");
            }
            Ok(()) if before.is_some() => tracing::info!("the name servers answer again"),
            Ok(()) => {}
        }
        // A fault is believed for no longer, and may have been a moment's.
        tokio::time::sleep(if now.is_ok() { EXAMINED_EVERY } else { dns::FRESH_FAULT }).await;
    }
}

/// The interval at which the domain of a watch is looked at.
const WATCHED_EVERY: Duration = Duration::from_secs(24 * 3600);

/// Adds the judge of /trust-score, whose domains can be watched.
fn watched(module: Module, settings: &Settings, judge: Arc<TrustJudge>) -> Module {
    let of_laboratory = settings.laboratory.as_ref().and_then(|laboratory| laboratory.watch_every_s);
    let every = of_laboratory.map_or(WATCHED_EVERY, |s| Duration::from_secs(u64::from(s.max(1))));
    module.route_watched_every(every, "trust-score", judge, TRUST_SCORE_EXAMPLE, "domain")
}

/// Builds the judge of /trust-score, which looks domains up in these feeds.
///
/// # Errors
/// [`ModuleError`] names the setting that is wrong, or the resource of the host that is missing.
pub fn judge(
    settings: &Settings,
    host: &Host,
    feeds: Feeds,
    sources: &Sources,
) -> Result<TrustJudge, ModuleError> {
    let laboratory = settings.laboratory.clone().unwrap_or_default();
    let servers = settings.name_servers()?;
    let resolver = match &servers {
        Some(servers) => Resolver::at(servers),
        None => Resolver::from_system(),
    };
    let resolver = resolver.map_err(|why| ModuleError::new("the name servers", why))?;
    let fetcher = host.fetcher_at(sources.policy.clone(), site_limits(), sources.name_servers.clone());
    let (https_port, http_port) = (laboratory.https_port.unwrap_or(443), laboratory.http_port.unwrap_or(80));
    let anchors = optional("trust.laboratory.anchors", laboratory.anchors.as_deref(), |bytes| {
        dnssec::Anchors::parse(std::str::from_utf8(bytes)?).map_err(Into::into)
    })?;
    let pages = site::SiteProbe::new(fetcher.clone(), https_port, http_port);
    let preload = optional("trust.hsts_preload_list", settings.hsts_preload_list.as_deref(), |bytes| {
        PreloadList::read(bytes).map_err(Into::into)
    })?;
    let pages = match preload {
        Some(list) => pages.with_preload(Arc::new(list)),
        None => pages,
    };
    let suffixes = optional("trust.public_suffix_list", settings.public_suffix_list.as_deref(), |bytes| {
        PublicSuffixes::read(bytes).map_err(Into::into)
    })?;
    let probes = Probes {
        dns: Arc::new(resolver),
        servers: Some(Arc::clone(&sources.servers)),
        dnssec: dnssec::DnssecProbe::new(dnssec::DnssecConfig {
            servers,
            validating_resolver: settings.validating_resolver,
            anchors: anchors.unwrap_or_default(),
        }),
        tls: tls::TlsProbe::new(fetcher.clone(), host.roots.clone(), https_port),
        site: pages,
        registry: sources.registry.clone(),
        whois: settings.whois.unwrap_or(false).then(|| {
            let policy = whois::policy(sources.policy.clone());
            let fetcher = host.fetcher_at(policy, registry_limits(), sources.name_servers.clone());
            Whois::new(fetcher, laboratory.whois_port.unwrap_or(whois::PORT))
        }),
        certificates: certificates(settings, host)?,
        payee: PayeeProbe::new(fetcher, https_port),
        feeds,
        popularity: popularity(settings)?.map(Arc::new),
        suffixes: Arc::new(suffixes.unwrap_or_default()),
        at_once: at_once(host.files),
    };
    let rules = Rules { allowed_suffixes: laboratory.suffixes };
    Ok(TrustJudge::new(probes, rules))
}

/// The client of the search service of certificate transparency, where one is configured.
fn certificates(settings: &Settings, host: &Host) -> Result<Option<Certificates>, ModuleError> {
    let Some(template) = settings.certificates.as_deref() else { return Ok(None) };
    let source = CtSource::parse(template).map_err(|why| ModuleError::new("trust.certificates", why))?;
    Ok(Some(Certificates::new(host.fetcher(ct::limits())?, source)))
}

/// Reads the popularity list, where one is configured.
fn popularity(settings: &Settings) -> Result<Option<PopularityList>, ModuleError> {
    const SETTING: &str = "trust.popularity_list";
    let Some(path) = settings.popularity_list.as_deref() else { return Ok(None) };
    let size = std::fs::metadata(path).map_err(|why| unreadable(SETTING, path, &why))?.len();
    if size > MAX_LIST_BYTES {
        return Err(ModuleError::new(SETTING, format!("has {size} bytes, and may have {MAX_LIST_BYTES}")));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    optional(SETTING, Some(path), |bytes| PopularityList::read(&name, bytes).map_err(Into::into))
}

/// The loopback network, where development's laboratory is.
const LOOPBACK: Ipv4Net = Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8);

/// Reads what a setting names a file of; `None` where it names none.
fn optional<T>(
    setting: &'static str,
    path: Option<&Path>,
    read: impl FnOnce(&[u8]) -> Result<T, Box<dyn Error + Send + Sync>>,
) -> Result<Option<T>, ModuleError> {
    let Some(path) = path else { return Ok(None) };
    let bytes = std::fs::read(path).map_err(|why| unreadable(setting, path, &why))?;
    read(&bytes).map(Some).map_err(|why| ModuleError::new(setting, why))
}

fn unreadable(setting: &'static str, path: &Path, why: &std::io::Error) -> ModuleError {
    ModuleError::new(setting, format!("read {}: {why}", path.display()))
}

/// Goes by the operator's list of services where there is one, as of when that was written.
fn registry(list: Option<&Path>, fetcher: Fetcher) -> Result<Registry, ModuleError> {
    const SETTING: &str = "trust.rdap_bootstrap";
    let registry = Registry::new(fetcher);
    let Some(path) = list else { return Ok(registry) };
    let bytes = std::fs::read(path).map_err(|why| unreadable(SETTING, path, &why))?;
    let written = std::fs::metadata(path).and_then(|file| file.modified());
    let since = written.map_err(|why| unreadable(SETTING, path, &why))?.duration_since(UNIX_EPOCH);
    let millis = since.ok().and_then(|since| i64::try_from(since.as_millis()).ok());
    let written = millis.and_then(|millis| Timestamp::from_millis(millis).ok());
    let written = written.ok_or_else(|| ModuleError::new(SETTING, "the file has no time of writing"))?;
    registry.adopt(&bytes, written).map_err(|why| ModuleError::new(SETTING, why))?;
    Ok(registry)
}

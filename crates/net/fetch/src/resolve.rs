//! Resolution of a host name to its addresses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures_util::FutureExt;
pub use futures_util::future::BoxFuture;
use futures_util::future::join;
use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError, NoRecords};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::{ResolverBuilder, TokioResolver};

/// A resolver of host names. A [`crate::Fetcher`] calls it once for each hop, and never again before it connects.
pub trait Resolve: Send + Sync + 'static {
    /// Looks up all addresses, IPv4 and IPv6, of `host`, which is a domain in its ASCII form without a trailing dot.
    ///
    /// The future must be safe to drop; the caller bounds its time.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>>;
}

/// The reason why a look-up of a host name gave no addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The name does not exist or has no address.
    #[error("the name has no address")]
    NoAddress,
    /// The answer did not arrive in time.
    #[error("no answer in time")]
    Timeout,
    /// The lookup failed; the text is for the log.
    #[error("{0}")]
    Failed(String),
}

/// Counts the outcome of a look-up of a host name, as `dns` counts its own.
pub(crate) fn count(answer: &Result<Vec<IpAddr>, ResolveError>) {
    let outcome = match answer {
        Ok(_) => "found",
        Err(ResolveError::NoAddress) => "none",
        Err(ResolveError::Timeout) => "timeout",
        Err(ResolveError::Failed(_)) => "failed",
    };
    metrics::counter!("touchstone_dns_lookups_total", "outcome" => outcome).increment(1);
}

/// A resolver that asks name servers directly, without a hosts file and a search list, so that a name means the same as
/// in the public DNS. Answers are cached for their time to live, but at most for [`NameServers::KEEP`].
#[derive(Clone)]
pub struct NameServers {
    inner: TokioResolver,
}

impl NameServers {
    /// The longest time for which an answer is cached.
    pub const KEEP: Duration = Duration::from_secs(60);
    /// Bound on cached answers.
    const CACHE: u64 = 512;
    /// For one question, after which it is asked again: well within a hop's budget, for a lost datagram.
    const PATIENCE: Duration = Duration::from_millis(700);

    /// Makes a resolver with the name servers of the system's configuration. Without a configuration it asks the one on
    /// this machine, as resolv.conf(5) says; a public name server is never used unless it is configured.
    ///
    /// # Errors
    ///
    /// [`ResolveError::Failed`] where the configuration is not accepted.
    pub fn from_system() -> Result<Self, ResolveError> {
        match TokioResolver::builder_tokio() {
            Ok(builder) => Self::build(builder),
            Err(error) => {
                tracing::warn!(%error, "no resolver configuration, asking the name server on this machine");
                Self::at(&[SocketAddr::from((Ipv4Addr::LOCALHOST, 53))])
            }
        }
    }

    /// Makes a resolver with the given name servers.
    ///
    /// # Errors
    ///
    /// [`ResolveError::Failed`] where the addresses are not accepted.
    pub fn at(servers: &[SocketAddr]) -> Result<Self, ResolveError> {
        let config = name_servers(servers);
        Self::build(TokioResolver::builder_with_config(config, TokioRuntimeProvider::default()))
    }

    fn build(mut builder: ResolverBuilder<TokioRuntimeProvider>) -> Result<Self, ResolveError> {
        let options = builder.options_mut();
        options.use_hosts_file = ResolveHosts::Never;
        options.cache_size = Self::CACHE;
        options.positive_max_ttl = Some(Self::KEEP);
        options.negative_max_ttl = Some(Self::KEEP);
        options.timeout = Self::PATIENCE;
        options.attempts = 2;
        let inner = builder.build().map_err(|error| ResolveError::Failed(error.to_string()))?;
        Ok(Self { inner })
    }
}

impl std::fmt::Debug for NameServers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("NameServers").finish_non_exhaustive()
    }
}

impl Resolve for NameServers {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        async move {
            // The final dot makes the name absolute, so that the search list is not used.
            let name = format!("{host}.");
            let (v4, v6) =
                join(self.inner.ipv4_lookup(name.as_str()), self.inner.ipv6_lookup(name.as_str())).await;
            match (addresses(v4), addresses(v6)) {
                (Ok(v4), Ok(v6)) if v4.is_empty() && v6.is_empty() => Err(ResolveError::NoAddress),
                (Ok(v4), Ok(v6)) => Ok([v4, v6].concat()),
                (Ok(found), Err(_)) | (Err(_), Ok(found)) if !found.is_empty() => Ok(found),
                // No address of one family says nothing of the other's.
                (_, Err(error)) | (Err(error), _) => Err(error),
            }
        }
        .boxed()
    }
}

/// The addresses of one family; none where there are none for sure.
fn addresses(answer: Result<Lookup, NetError>) -> Result<Vec<IpAddr>, ResolveError> {
    match answer {
        Ok(answer) => Ok(answer.answers().iter().filter_map(|record| record.data.ip_addr()).collect()),
        Err(NetError::Dns(DnsError::NoRecordsFound(none))) if is_proof(&none) => Ok(Vec::new()),
        Err(error) => Err(ResolveError::Failed(error.to_string())),
    }
}

/// Returns true if an answer without records says that there are none (RFC 2308 section 2): a referral, and a server
/// that has nothing to say, do not.
fn is_proof(none: &NoRecords) -> bool {
    none.response_code == ResponseCode::NXDomain
        || (none.response_code == ResponseCode::NoError && none.soa.is_some())
}

/// The configuration of a resolver for these servers, which are asked over UDP, and over TCP where an answer is
/// truncated.
#[must_use]
pub fn name_servers(servers: &[SocketAddr]) -> ResolverConfig {
    let servers = servers.iter().map(|server| {
        let mut config = NameServerConfig::udp_and_tcp(server.ip());
        for connection in &mut config.connections {
            connection.port = server.port();
        }
        config
    });
    ResolverConfig::from_name_servers(servers.collect())
}

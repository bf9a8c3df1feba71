//! The folder, the network and the mode for running modules.

use std::net::IpAddr;
use std::path::PathBuf;

use fetch::resolve::BoxFuture;
use fetch::{Endpoint, Fetcher, Limits, NameServers, Policy, Resolve, ResolveError, Roots, Source};
use ipnet::IpNet;

use crate::{ModuleError, Sharing};

/// The mode that the program runs its modules in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Serves requests in production.
    Serve,
    /// Serves requests for development, on loopback only.
    Dev,
    /// Judges the lines of a file, in a command.
    Batch,
    /// Judges a disputed question again from its evidence. It reads no file and looks up no name.
    Replay,
}

/// The folder, the network and the mode that modules run with.
#[derive(Clone, Debug)]
pub struct Host {
    /// The mode in which the modules run.
    pub mode: Mode,
    /// The folder of the service's files.
    pub data_dir: PathBuf,
    /// The rules for the addresses that connections may reach.
    pub policy: Policy,
    /// The root certificates of the certificate authorities.
    pub roots: Roots,
    /// The most files that the process may open, not counting the connections of its callers.
    pub files: u64,
    /// What the process has in common with the others of its store.
    pub sharing: Sharing,
}

impl Host {
    /// Makes a fetcher of callers' addresses, with the system's name servers. In a replay it resolves no name.
    ///
    /// # Errors
    /// The system's name servers cannot be read.
    pub fn fetcher(&self, limits: Limits) -> Result<Fetcher, ModuleError> {
        match self.mode {
            Mode::Replay => Ok(Fetcher::new(Policy::production(), limits, NoNames, Roots::webpki())),
            Mode::Serve | Mode::Dev | Mode::Batch => {
                Fetcher::system_with_roots(self.policy.clone(), limits, self.roots.clone())
                    .map_err(|why| ModuleError::new("the network", why))
            }
        }
    }

    /// Makes a fetcher with the given policy, limits and name servers.
    #[must_use]
    pub fn fetcher_at(&self, policy: Policy, limits: Limits, servers: NameServers) -> Fetcher {
        Fetcher::new(policy, limits, servers, self.roots.clone())
    }

    /// Makes a source of documents from an https address in the configuration. `setting` is the name of the setting,
    /// for the error.
    ///
    /// # Errors
    /// The address is not a usable URL, or this machine's own addresses cannot be listed.
    pub fn source(&self, setting: &'static str, url: &str, limits: Limits) -> Result<Source, ModuleError> {
        let own = self.own_addresses()?;
        Source::system_through(url, &own, &self.policy.nat64, limits, self.roots.clone())
            .map_err(|why| ModuleError::new(setting, why))
    }

    /// Makes a client of a service whose address is in the configuration. `setting` is the name of the setting, for the
    /// error.
    ///
    /// # Errors
    /// The address is not a usable URL, or the system's name servers cannot be read.
    pub fn endpoint(
        &self,
        setting: &'static str,
        url: &str,
        limits: Limits,
    ) -> Result<Endpoint, ModuleError> {
        let servers = NameServers::from_system().map_err(|why| ModuleError::new("the network", why))?;
        Endpoint::through(url, &[], &self.policy.nat64, limits, servers, self.roots.clone())
            .map_err(|why| ModuleError::new(setting, why))
    }

    /// The addresses of this machine, and the addresses that the operator configured as its own.
    ///
    /// # Errors
    ///
    /// The network interfaces cannot be listed.
    pub fn own_addresses(&self) -> Result<Vec<IpNet>, ModuleError> {
        Ok(self.policy_with_interfaces(self.policy.clone())?.own_addresses)
    }

    /// Extends a policy so that it refuses this machine's addresses too.
    ///
    /// # Errors
    /// The network interfaces cannot be listed.
    pub fn policy_with_interfaces(&self, policy: Policy) -> Result<Policy, ModuleError> {
        policy.with_interfaces().map_err(|why| ModuleError::new("the network interfaces", why))
    }
}

/// A resolver that knows no name.
struct NoNames;

impl Resolve for NoNames {
    fn resolve<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        Box::pin(std::future::ready(Err(ResolveError::NoAddress)))
    }
}

/// Parses networks and single addresses that are separated by commas.
///
/// # Errors
/// The first part of the text that is neither a network nor an address.
pub fn parse_networks(text: Option<&str>) -> Result<Vec<IpNet>, String> {
    let words = text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    let network = |word: &str| word.parse().or_else(|_| word.parse::<IpAddr>().map(IpNet::from));
    words.map(|word| network(word).map_err(|_| format!("`{word}` is no network"))).collect()
}

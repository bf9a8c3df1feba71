//! Periodic download of IANA's list of RDAP services.

use std::time::Duration;

use domain_name::rdap::{Bootstrap, MAX_BOOTSTRAP_BYTES, RdapError};
use fetch::{FetchError, GunzipError, Limits, Source, Validators};
use receipt::Timestamp;

use super::Registry;
use super::services::MIN_NAMES;

/// The folder of IANA's bootstrap lists (RFC 9224).
pub const IANA: &str = "https://data.iana.org/rdap/";
/// The list of the top-level domains' services there.
const DOCUMENT: &str = "dns.json";
/// Magic number of gzip (RFC 1952 section 2.3.1); no JSON text begins so.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// Default interval at which the list is fetched.
pub const EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the limits on a fetch of the list.
#[must_use]
pub fn limits() -> Limits {
    Limits { total: Duration::from_secs(30), wire_bytes: MAX_BOOTSTRAP_BYTES, ..Limits::default() }
}

/// The reason why a round changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapRefreshError {
    /// The list could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The server answered with this HTTP status instead of a list.
    #[error("the list was answered with status {0}")]
    Status(u16),
    /// The list's gzip coding cannot be decoded.
    #[error(transparent)]
    Coding(#[from] GunzipError),
    /// The list cannot be parsed.
    #[error(transparent)]
    List(#[from] RdapError),
    /// The list has this number of top-level domains, fewer than [`MIN_NAMES`], so it is probably truncated.
    #[error("the list names {0} top-level domains only")]
    TooFewNames(usize),
}

/// Result of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BootstrapRound {
    /// A new list was adopted.
    New,
    /// The list has not changed since the last round.
    Still,
}

/// Keeps a registry client's list of services up to date.
#[derive(Clone, Debug)]
pub struct BootstrapRefresh {
    registry: Registry,
    source: Source,
    every: Duration,
    known: Validators,
}

impl BootstrapRefresh {
    /// Builds a refresh from a folder of lists ([`IANA`], under [`limits`]) at an interval ([`EVERY`]), which varies by
    /// a tenth.
    #[must_use]
    pub fn new(registry: Registry, source: Source, every: Duration) -> Self {
        Self { registry, source, every, known: Validators::default() }
    }

    /// Fetches the list for as long as the future is polled, with the clock `now`. A failed round leaves the list as it
    /// is.
    pub async fn run(mut self, now: impl Fn() -> Timestamp) {
        let mut failures = 0;
        loop {
            match self.round(now()).await {
                Ok(round) => {
                    failures = 0;
                    tracing::debug!(?round, "the list of RDAP services was looked for");
                }
                Err(error) => {
                    failures += 1;
                    tracing::warn!(%error, failures, "the list of RDAP services was not fetched; the old one serves on");
                }
            }
            tokio::time::sleep(fetch::pause(self.every, failures)).await;
        }
    }

    /// Fetches the list once.
    ///
    /// # Errors
    /// [`BootstrapRefreshError`]; the list then stays as it is.
    pub async fn round(&mut self, at: Timestamp) -> Result<BootstrapRound, BootstrapRefreshError> {
        let mut sink = Vec::new();
        let fetched = self.source.download(DOCUMENT, &self.known, &mut sink).await?;
        match fetched.status {
            200 => {}
            304 if self.known != Validators::default() => {
                self.registry.confirm(at);
                return Ok(BootstrapRound::Still);
            }
            status => return Err(BootstrapRefreshError::Status(status)),
        }
        if sink.starts_with(GZIP) {
            sink = fetch::gunzip(&sink, MAX_BOOTSTRAP_BYTES)?;
        }
        let names = Bootstrap::parse(&sink)?.names();
        if names < MIN_NAMES {
            return Err(BootstrapRefreshError::TooFewNames(names));
        }
        self.registry.adopt(&sink, at)?;
        self.known = fetched.validators;
        Ok(BootstrapRound::New)
    }
}

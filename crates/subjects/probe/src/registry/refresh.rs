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
/// The pause after the first failure; each further one doubles it, up to the usual pause.
const FIRST_RETRY: Duration = Duration::from_secs(60);
/// By how many thousandths the longest pause is longer than the shortest.
const JITTER: u64 = 200;

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
            tokio::time::sleep(jittered(pause(self.every, failures), thousandths())).await;
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

/// Pause after so many failures in a row.
fn pause(every: Duration, failures: u32) -> Duration {
    match failures.checked_sub(1) {
        None => every,
        Some(doublings) => every.min(FIRST_RETRY.saturating_mul(1 << doublings.min(16))),
    }
}

/// A pause, a tenth more or less: by so many thousandths within [`JITTER`].
fn jittered(pause: Duration, thousandths: u64) -> Duration {
    let millis = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(millis.saturating_mul(1000 - JITTER / 2 + thousandths) / 1000)
}

/// A random number within 0 and [`JITTER`]; the middle where there is no randomness.
fn thousandths() -> u64 {
    let mut bytes = [0; 4];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from(u32::from_le_bytes(bytes)) % (JITTER + 1),
        Err(_) => JITTER / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_tried_again_sooner_and_ever_more_seldom() {
        let minutes = |failures| pause(EVERY, failures).as_secs() / 60;
        assert_eq!([0, 1, 2, 3, 11, 12, 99].map(minutes), [1440, 1, 2, 4, 1024, 1440, 1440]);
        assert_eq!(pause(Duration::from_secs(5), 1), Duration::from_secs(5));
    }

    #[test]
    fn a_pause_differs_by_a_tenth() {
        let hour = Duration::from_secs(3600);
        assert_eq!(jittered(hour, 0), hour * 9 / 10);
        assert_eq!(jittered(hour, JITTER), hour * 11 / 10);
        assert!(thousandths() <= JITTER);
    }
}

//! The client of a search service, and its observations.

use std::convert::Infallible;
use std::time::Duration;

use domain_name::DomainName;
use fetch::{Fetcher, Limits, PageAsk};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use receipt::Timestamp;
use receipt::hash::sha256;
use serde::{Deserialize, Serialize};
use url::Url;

use super::rows::CtRows;
use super::source::CtSource;
use crate::answer_cache::{self, Answer, AnswerCache};
use crate::elapsed::millis;
use crate::site::ProbeFailure;

/// Maximum number of concurrent requests of a look.
pub const CONNECTIONS: usize = 1;
/// Timeout of one look.
pub const LOOK: Duration = Duration::from_millis(1500);
/// Maximum number of bytes of an answer that are read.
pub const MAX_BYTES: usize = 4 << 20;
/// Time for which an answer is cached. The first certificate of a domain does not change.
pub const KEEP: Duration = Duration::from_secs(6 * 60 * 60);
/// Time for which a failure is cached.
pub const KEEP_FAILED: Duration = answer_cache::KEEP_FAILED;
/// Maximum size of the evidence of all cached answers, in bytes.
pub const KEPT_BYTES: u64 = answer_cache::KEPT_BYTES;
const MAX_REDIRECTS: usize = 2;

/// Returns the limits of the fetcher that a [`Certificates`] client needs.
#[must_use]
pub fn limits() -> Limits {
    Limits { wire_bytes: 2 * MAX_BYTES, decoded_bytes: 2 * MAX_BYTES, ..Limits::default() }
}

/// Observation of a search in the logs, as plain data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CtObservation {
    /// The registrable name of the search.
    pub name: DomainName,
    /// The URL that was asked.
    pub url: Url,
    /// Result of the search.
    pub end: CtResult,
    /// Time of the result, which may be hours before the look because answers are cached.
    pub observed_at: Timestamp,
    /// Duration of the search, in milliseconds.
    pub elapsed_ms: u32,
}

/// Result of a search in the logs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CtResult {
    /// The service answered.
    Answered {
        /// The status. Unless it is 200, no row was read.
        status: u16,
        /// Number of bytes that were read.
        bytes: u64,
        /// SHA-256 of the bytes that were read, in hex.
        sha256: String,
        /// Number of rows that were read.
        rows: u32,
        /// Number of those that name the domain and have a possible date.
        counted: u32,
        /// The earliest date of the counted rows. If the answer was cut, there may be an earlier one.
        first_seen: Option<Timestamp>,
        /// True if the answer was cut, malformed, or no list.
        is_cut: bool,
    },
    /// The search failed.
    Failed(ProbeFailure),
}

impl CtObservation {
    /// Returns the time of the first known certificate, which is a lower bound of the domain's age; `None` if none is
    /// known.
    #[must_use]
    pub fn first_seen(&self) -> Option<Timestamp> {
        match self.end {
            CtResult::Answered { first_seen, .. } => first_seen,
            CtResult::Failed(_) => None,
        }
    }

    /// Returns true if a repeated search may bring an answer that this one did not.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        match &self.end {
            CtResult::Answered { status, is_cut, .. } => *status != 200 || *is_cut,
            CtResult::Failed(_) => true,
        }
    }
}

impl Answer for CtObservation {
    fn is_told(&self) -> bool {
        !self.has_gaps()
    }
}

/// The client of one search service. A clone is cheap and shares the cache.
#[derive(Clone, Debug)]
pub struct Certificates {
    fetcher: Fetcher,
    source: CtSource,
    answers: AnswerCache<CtObservation>,
}

impl Certificates {
    /// Builds a client of a service. The fetcher, with [`limits`], must not be shared with other clients, because all
    /// domains are searched at one host.
    #[must_use]
    pub fn new(fetcher: Fetcher, source: CtSource) -> Self {
        Self { fetcher, source, answers: AnswerCache::keeping(KEEP) }
    }

    /// Searches for the certificates of a registrable name, or returns the cached result. Concurrent looks at one name
    /// share one search.
    pub fn look<'a>(&'a self, registrable: &'a DomainName, now: Timestamp) -> BoxFuture<'a, CtObservation> {
        async move {
            let asking = async { Ok::<_, Infallible>(self.ask(registrable, now).await) };
            match self.answers.or_ask(registrable, asking).await {
                Ok(seen) => seen,
                Err(never) => match never {},
            }
        }
        .boxed()
    }

    async fn ask(&self, name: &DomainName, now: Timestamp) -> CtObservation {
        let url = self.source.url(name);
        let seen = |end, elapsed_ms: u32| CtObservation {
            name: name.clone(),
            url: url.clone(),
            end,
            observed_at: now.saturating_add_millis(elapsed_ms.into()),
            elapsed_ms,
        };
        let Ok(target) = self.fetcher.check_url(url.as_str()) else {
            return seen(CtResult::Failed(ProbeFailure::PolicyRefused), 0);
        };
        let ask = PageAsk {
            accept: "application/json",
            preflight_from: None,
            redirects: MAX_REDIRECTS,
            below: None,
            body_bytes: MAX_BYTES,
            within: LOOK,
        };
        let page = self.fetcher.page(target, &ask).await;
        let end = match page.end {
            Err(error) => CtResult::Failed(ProbeFailure::from(&error)),
            Ok(answer) => {
                let body: &[u8] = if answer.status == 200 { &answer.body } else { &[] };
                let CtRows { rows, counted, first_seen, is_cut } = CtRows::parse(body, name, now);
                CtResult::Answered {
                    status: answer.status,
                    bytes: answer.body.len() as u64,
                    sha256: hex::encode(sha256(&answer.body)),
                    rows,
                    counted,
                    first_seen,
                    is_cut: is_cut || answer.is_cut,
                }
            }
        };
        seen(end, millis(page.elapsed))
    }
}

//! The WHOIS client (RFC 3912).

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use domain_name::DomainName;
use fetch::{FetchError, Fetcher, Policy, Ports};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use moka::future::Cache;
use receipt::Timestamp;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, timeout_at};

use super::observation::{WhoisObservation, WhoisResult};
use super::servers::{self, IANA};
use crate::answer_cache::{self, AnswerCache};
use crate::elapsed::millis;
use crate::site::ProbeFailure;

/// The port of WHOIS.
pub const PORT: u16 = 43;
/// Maximum number of concurrent connections of a look.
pub const CONNECTIONS: usize = 1;
/// Timeout of one look, the referral included.
pub const LOOK: Duration = Duration::from_secs(1);
/// Maximum number of bytes that are read from a server.
pub const MAX_BYTES: usize = 64 << 10;
/// Time for which an answer is cached.
pub const KEEP: Duration = Duration::from_secs(300);
/// Time for which a failure is cached.
pub const KEEP_FAILED: Duration = answer_cache::KEEP_FAILED;
/// Maximum size of the evidence of all cached answers, in bytes.
pub const KEPT_BYTES: u64 = answer_cache::KEPT_BYTES;
/// Time for which a referral is cached, and the most of them; there are about 1,500 top-level domains.
const KEEP_REFERRAL: Duration = Duration::from_secs(24 * 60 * 60);
const MAX_REFERRALS: u64 = 2_048;

/// Returns the same policy with [`PORT`] as the only port: for a fetcher of a [`Whois`] client alone, so that no URL of
/// a caller ever leads to this port. A policy that permits all ports stays as it is.
#[must_use]
pub fn policy(policy: Policy) -> Policy {
    match policy.ports {
        Ports::Any => policy,
        Ports::Only(_) => Policy { ports: Ports::Only([PORT].into()), ..policy },
    }
}

/// The WHOIS client. A clone is cheap and shares the cache.
///
/// It is for domains whose top-level domain has no RDAP service; it queries for every name that it is given.
#[derive(Clone, Debug)]
pub struct Whois {
    fetcher: Fetcher,
    port: u16,
    own: Arc<BTreeMap<String, String>>,
    referrals: Cache<String, Option<String>>,
    answers: AnswerCache<WhoisObservation>,
}

impl Whois {
    /// Builds a client with the servers that are compiled in and a fetcher under [`policy`]. The port is [`PORT`],
    /// except in a laboratory.
    #[must_use]
    pub fn new(fetcher: Fetcher, port: u16) -> Self {
        let referrals = Cache::builder().max_capacity(MAX_REFERRALS).time_to_live(KEEP_REFERRAL).build();
        Self { fetcher, port, own: Arc::default(), referrals, answers: AnswerCache::keeping(KEEP) }
    }

    /// Adds servers, each a top-level domain and a host name. They take precedence over those that are compiled in. The
    /// one for the root (an empty name) is asked in place of [`IANA`].
    #[must_use]
    pub fn with_servers(mut self, servers: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut own = (*self.own).clone();
        own.extend(servers);
        self.own = Arc::new(own);
        self
    }

    /// Queries the registration of a registered name, or returns the cached answer. Concurrent looks at one name share
    /// one query.
    pub fn look<'a>(&'a self, registered: &'a DomainName, now: Timestamp) -> BoxFuture<'a, WhoisObservation> {
        async move {
            let asking = async { Ok::<_, Infallible>(self.ask(registered, now).await) };
            match self.answers.or_ask(registered, asking).await {
                Ok(seen) => seen,
                Err(never) => match never {},
            }
        }
        .boxed()
    }

    async fn ask(&self, name: &DomainName, now: Timestamp) -> WhoisObservation {
        let started = Instant::now();
        let deadline = started + LOOK;
        let end = match self.server(name, deadline).await {
            Err(end) => end,
            Ok(None) => WhoisResult::NoServer,
            Ok(Some(server)) => match self.query(&server, &servers::query(&server, name), deadline).await {
                Ok((answer, has_more)) => WhoisResult::answered(server, &answer, has_more),
                Err(unseen) => WhoisResult::Failed { server, unseen },
            },
        };
        let elapsed_ms = millis(started.elapsed());
        let observed_at = now.saturating_add_millis(elapsed_ms.into());
        WhoisObservation { name: name.clone(), end, observed_at, elapsed_ms }
    }

    /// The server for a domain; `None` if its top-level domain has none.
    async fn server(&self, name: &DomainName, deadline: Instant) -> Result<Option<String>, WhoisResult> {
        let top = servers::top_level(name);
        if let Some(server) = self.own.get(top) {
            return Ok(Some(server.clone()));
        }
        if let Some(server) = servers::server(name) {
            return Ok(Some(server.to_owned()));
        }
        if let Some(known) = self.referrals.get(top).await {
            return Ok(known);
        }
        let iana = self.own.get("").map_or(IANA, String::as_str);
        let failed = |unseen| WhoisResult::Failed { server: iana.to_owned(), unseen };
        let (answer, has_more) = self.query(iana, &format!("{top}\r\n"), deadline).await.map_err(failed)?;
        let referral = servers::referral(&answer);
        // An empty or a cut answer does not show that there is no server.
        if referral.is_none() && (has_more || !names(&answer, top)) {
            return Err(failed(ProbeFailure::Interrupted));
        }
        self.referrals.insert(top.to_owned(), referral.clone()).await;
        Ok(referral)
    }

    /// Sends a query and reads the answer to its end; true if there is more of it than may be read.
    async fn query(
        &self,
        server: &str,
        query: &str,
        deadline: Instant,
    ) -> Result<(Vec<u8>, bool), ProbeFailure> {
        let target = self.fetcher.check_url(&format!("http://{server}:{}/", self.port));
        let target = target.map_err(|_| ProbeFailure::PolicyRefused)?;
        let asking = async {
            let channel = self.fetcher.connect(&target).await;
            let mut channel = channel.map_err(|error: FetchError| ProbeFailure::from(&error))?;
            let exchange = async {
                channel.write_all(query.as_bytes()).await?;
                channel.flush().await?;
                let mut answer = Vec::new();
                (&mut channel).take(MAX_BYTES as u64 + 1).read_to_end(&mut answer).await?;
                Ok::<_, std::io::Error>(answer)
            };
            let mut answer = exchange.await.map_err(|_| ProbeFailure::Interrupted)?;
            let has_more = answer.len() > MAX_BYTES;
            answer.truncate(MAX_BYTES);
            Ok((answer, has_more))
        };
        timeout_at(deadline, asking).await.unwrap_or(Err(ProbeFailure::Timeout))
    }
}

/// True if IANA's answer is about this top-level domain.
fn names(answer: &[u8], top: &str) -> bool {
    let text = String::from_utf8_lossy(answer);
    let named = text.lines().filter_map(|line| line.split_once(':'));
    named.into_iter().any(|(key, value)| {
        key.trim().eq_ignore_ascii_case("domain") && value.trim().eq_ignore_ascii_case(top)
    })
}

//! The RDAP client (RFC 7480).

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use domain_name::DomainName;
use domain_name::rdap::RdapError;
use fetch::{Fetcher, PageAsk};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use receipt::Timestamp;
use url::Url;

use super::observation::{RdapAnswer, RegistryObservation, RegistryResult};
use super::pauses::{ServicePauses, asked_for};
use super::services::{ServiceChoice, Services};
use crate::answer_cache::{self, AnswerCache};
use crate::elapsed::millis;
use crate::site::ProbeFailure;

/// Maximum number of concurrent requests of a look.
pub const CONNECTIONS: usize = 1;
/// Timeout of one look.
pub const LOOK: Duration = Duration::from_millis(1500);
/// Time for which an answer is cached.
pub const KEEP: Duration = Duration::from_secs(300);
/// Time for which a failure is cached.
pub const KEEP_FAILED: Duration = answer_cache::KEEP_FAILED;
/// Maximum size of the evidence of all cached answers, in bytes.
pub const KEPT_BYTES: u64 = answer_cache::KEPT_BYTES;
/// Maximum size of an answer, in bytes.
pub const MAX_BYTES: usize = 256 << 10;
/// Maximum number of redirects that are followed. Registries redirect to the service that answers for them.
pub const MAX_REDIRECTS: usize = 3;

/// The RDAP client (RFC 7480 to 7484). A clone is cheap and shares the list of services, the cache and the pauses.
#[derive(Clone, Debug)]
pub struct Registry {
    fetcher: Fetcher,
    known: Arc<RwLock<RegistryState>>,
    pauses: ServicePauses,
}

/// List of services and kept answers. A new list starts with none, not even those that are still under way.
#[derive(Clone, Debug)]
struct RegistryState {
    services: Arc<Services>,
    answers: AnswerCache<RegistryObservation>,
}

impl RegistryState {
    fn new(services: Services) -> Self {
        Self { services: Arc::new(services), answers: AnswerCache::keeping(KEEP) }
    }
}

impl Registry {
    /// Builds a client with the list of services that is compiled in. The fetcher must not be shared with other
    /// clients, because all domains of a top-level domain are queried at one host.
    #[must_use]
    pub fn new(fetcher: Fetcher) -> Self {
        let known = RegistryState::new(Services::bundled());
        Self { fetcher, known: Arc::new(RwLock::new(known)), pauses: ServicePauses::default() }
    }

    /// Replaces the list of services by IANA's `dns.json`. `confirmed_at` is a time at which it was the published list;
    /// for a file, the time at which it was written.
    ///
    /// # Errors
    /// [`RdapError`] if the bytes are not a list of services. The old list then stays in use.
    pub fn adopt(&self, bytes: &[u8], confirmed_at: Timestamp) -> Result<(), RdapError> {
        let adopted = RegistryState::new(Services::listed(bytes, confirmed_at)?);
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = adopted;
        Ok(())
    }

    /// The list is still what is published.
    pub(super) fn confirm(&self, at: Timestamp) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.services = Arc::new(known.services.confirmed(at));
    }

    /// Returns true if the list of services is complete and recent, so that a top-level domain that it does not name
    /// has no service.
    #[must_use]
    pub fn is_complete(&self, now: Timestamp) -> bool {
        self.known().services.is_complete(now)
    }

    /// Queries the registration of a registered name
    /// ([`PublicSuffixes::registered`](domain_name::PublicSuffixes::registered)), or returns the cached answer.
    /// Concurrent looks at one name share one query; if the caller that sends it is cancelled, the next sends it again.
    pub fn look<'a>(
        &'a self,
        registered: &'a DomainName,
        now: Timestamp,
    ) -> BoxFuture<'a, RegistryObservation> {
        async move {
            let RegistryState { services, answers } = self.known();
            let unasked = |end| RegistryObservation {
                name: registered.clone(),
                list: services.publication().map(str::to_owned),
                end,
                observed_at: None,
                elapsed_ms: 0,
            };
            let url = match services.ask(registered, now) {
                ServiceChoice::At(url) => url,
                ServiceChoice::NoService => return unasked(RegistryResult::NoService),
                ServiceChoice::Unknown => return unasked(RegistryResult::ServiceUnknown),
            };
            let asking = async {
                if let Some(until) = self.pauses.until(&url, now).await {
                    return Err(until);
                }
                let (end, elapsed_ms) = self.ask(url.clone(), now).await;
                let observed_at = Some(now.saturating_add_millis(elapsed_ms.into()));
                Ok(RegistryObservation { observed_at, elapsed_ms, ..unasked(end) })
            };
            answers
                .or_ask(registered, asking)
                .await
                .unwrap_or_else(|until| unasked(RegistryResult::Busy { url, until }))
        }
        .boxed()
    }

    /// Asks, and notes whether the service wants to be left alone.
    async fn ask(&self, url: Url, now: Timestamp) -> (RegistryResult, u32) {
        let Ok(target) = self.fetcher.check_url(url.as_str()) else {
            return (RegistryResult::Failed { url, unseen: ProbeFailure::PolicyRefused }, 0);
        };
        let ask = PageAsk {
            accept: "application/rdap+json",
            preflight_from: None,
            redirects: MAX_REDIRECTS,
            below: None,
            body_bytes: MAX_BYTES,
            within: LOOK,
        };
        let page = self.fetcher.page(target, &ask).await;
        let elapsed_ms = millis(page.elapsed);
        let url = Url::parse(&page.url).unwrap_or(url);
        let received_at = now.saturating_add_millis(elapsed_ms.into());
        if let Ok(answer) = &page.end
            && let Some(until) = asked_for(answer.status, &answer.fields, received_at)
        {
            self.pauses.note(&url, until).await;
        }
        let end = match page.end {
            Err(error) => RegistryResult::Failed { url, unseen: ProbeFailure::from(&error) },
            Ok(answer) if answer.is_cut => RegistryResult::Failed { url, unseen: ProbeFailure::TooLarge },
            Ok(answer) => {
                let kept = (200..300).contains(&answer.status).then(|| RdapAnswer::keep(&answer.body));
                RegistryResult::Answered { url, status: answer.status, answer: kept }
            }
        };
        (end, elapsed_ms)
    }

    fn known(&self) -> RegistryState {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

//! The RDAP client (RFC 7480).

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use domain_name::DomainName;
use domain_name::rdap::RdapError;
use fetch::{Fetcher, PageAsk};
use receipt::Timestamp;
use url::Url;

use super::cache::AnswerCache;
use super::observation::{RdapAnswer, RegistryObservation, RegistryResult};
use super::pauses::{ServicePauses, asked_for};
use super::services::{ServiceChoice, Services};
use crate::elapsed::millis;
use crate::site::ProbeFailure;

/// The requests of a look under way at once.
pub const CONNECTIONS: usize = 1;
/// Longest time for one question.
pub const LOOK: Duration = Duration::from_millis(1500);
/// The most bytes of an answer.
pub const MAX_BYTES: usize = 256 << 10;
/// The most redirects that are followed: from registries to whom they have answer for them.
pub const MAX_REDIRECTS: usize = 3;

/// Asks registries (RFC 7480 to 7484). Cheap to clone; clones share the list of services, what was heard, and whom to leave
/// alone for now.
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
    answers: AnswerCache,
}

impl RegistryState {
    fn new(services: Services) -> Self {
        Self { services: Arc::new(services), answers: AnswerCache::default() }
    }
}

impl Registry {
    /// A client that goes by the list that is compiled in. The fetcher must not be shared: all domains of a top-level
    /// domain are asked about at one host.
    #[must_use]
    pub fn new(fetcher: Fetcher) -> Self {
        let known = RegistryState::new(Services::bundled());
        Self { fetcher, known: Arc::new(RwLock::new(known)), pauses: ServicePauses::default() }
    }

    /// Goes by this list from now on: IANA's `dns.json` as it was published at that time or later (of a file, when it was
    /// written).
    ///
    /// # Errors
    /// [`RdapError`]: no list of services. Then the old one stays.
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

    /// True if the list of services is whole and fresh, so that a top-level domain that it does not name has none.
    #[must_use]
    pub fn is_complete(&self, now: Timestamp) -> bool {
        self.known().services.is_complete(now)
    }

    /// Asks for the registration of a name that a registry knows
    /// ([`PublicSuffixes::registered`](domain_name::PublicSuffixes::registered) gives it), or gives the answer of a
    /// moment ago. Whoever looks at the same name at the same time waits for the same answer; where the one who asks
    /// goes away, the next asks.
    pub async fn look(&self, registered: &DomainName, now: Timestamp) -> RegistryObservation {
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

//! The question to a registry.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use fetch::{Fetcher, PageAsk};
use url::Url;
use verdict::Timestamp;

use super::seen::{Answer, RegistryEnd, RegistrySeen};
use super::services::{Asked, Services};
use crate::domain::DomainName;
use crate::elapsed::millis;
use crate::rdap::RdapError;
use crate::site::Unseen;

/// The requests of a look under way at once.
pub const CONNECTIONS: usize = 1;
/// For a question.
pub const LOOK: Duration = Duration::from_millis(1500);
/// The most bytes of an answer.
pub const MAX_BYTES: usize = 256 << 10;
/// The most redirects that are followed: from registries to whom they have answer for them.
pub const MAX_REDIRECTS: usize = 3;

/// Asks registries (RFC 7480 to 7484). Cheap to clone; clones share the list of services.
#[derive(Clone, Debug)]
pub struct Registry {
    fetcher: Fetcher,
    services: Arc<RwLock<Arc<Services>>>,
}

impl Registry {
    /// One that knows the services of a few large registries, and asks through this fetcher.
    #[must_use]
    pub fn new(fetcher: Fetcher) -> Self {
        Self { fetcher, services: Arc::new(RwLock::new(Arc::new(Services::known()))) }
    }

    /// Goes by this list from now on: IANA's `dns.json` as it was published at that time or later (of a file, when it was
    /// written).
    ///
    /// # Errors
    /// [`RdapError`]: no list of services. Then the old one stays.
    pub fn adopt(&self, bytes: &[u8], confirmed_at: Timestamp) -> Result<(), RdapError> {
        self.put(Services::listed(bytes, confirmed_at)?);
        Ok(())
    }

    /// The list is still what is published.
    pub(super) fn confirm(&self, at: Timestamp) {
        let confirmed = self.services().confirmed(at);
        self.put(confirmed);
    }

    /// Whether the list of services is whole and fresh, so that a top-level domain that it does not name has none.
    #[must_use]
    pub fn is_complete(&self, now: Timestamp) -> bool {
        self.services().is_complete(now)
    }

    /// Asks about a name that was registered with a registry: `PublicSuffixes::registered` gives it.
    pub async fn look(&self, registered: &DomainName, now: Timestamp) -> RegistrySeen {
        let services = self.services();
        let list = services.publication().map(str::to_owned);
        let seen = |end, elapsed_ms| RegistrySeen { name: registered.clone(), list, end, elapsed_ms };
        let url = match services.ask(registered, now) {
            Asked::At(url) => url,
            Asked::NoService => return seen(RegistryEnd::NoService, 0),
            Asked::Unknown => return seen(RegistryEnd::ServiceUnknown, 0),
        };
        let Ok(target) = self.fetcher.check_url(url.as_str()) else {
            return seen(RegistryEnd::Failed { url, unseen: Unseen::PolicyRefused }, 0);
        };
        let ask = PageAsk {
            accept: "application/rdap+json",
            preflight_from: None,
            redirects: MAX_REDIRECTS,
            body_bytes: MAX_BYTES,
            within: LOOK,
        };
        let page = self.fetcher.page(target, &ask).await;
        let url = Url::parse(&page.url).unwrap_or(url);
        let end = match page.end {
            Err(error) => RegistryEnd::Failed { url, unseen: Unseen::from(&error) },
            Ok(answer) if answer.is_cut => RegistryEnd::Failed { url, unseen: Unseen::TooLarge },
            Ok(answer) => {
                let kept = (200..300).contains(&answer.status).then(|| Answer::keep(&answer.body));
                RegistryEnd::Answered { url, status: answer.status, answer: kept }
            }
        };
        seen(end, millis(page.elapsed))
    }

    fn services(&self) -> Arc<Services> {
        Arc::clone(&self.services.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, services: Services) {
        *self.services.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(services);
    }
}

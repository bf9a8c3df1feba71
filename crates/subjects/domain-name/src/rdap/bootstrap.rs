//! IANA's list of RDAP services (RFC 9224, `https://data.iana.org/rdap/dns.json`).

use std::collections::BTreeMap;

use receipt::json::Json;
use url::Url;

use super::error::{RdapError, document, member};
use crate::DomainName;

/// The most bytes of the list; the list of 2026 has about 100,000.
pub const MAX_BOOTSTRAP_BYTES: usize = 2 << 20;
/// The most services of the list, and names of one of them.
const MAX_SERVICES: usize = 10_000;
const BOOTSTRAP: &str = "a bootstrap file";

/// The list of RDAP services, by the top-level domains and other names that they serve.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bootstrap {
    /// The publication date that the list contains; `None` where it has none.
    pub publication: Option<String>,
    services: BTreeMap<String, Url>,
}

/// The RDAP service for a domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RdapService {
    /// The URL of the answer about the domain.
    At(Url),
    /// The top-level domain has no RDAP service, so its registrations cannot be looked up.
    None,
}

impl Bootstrap {
    /// Reads the list. A service without a usable `https` or `http` URL is ignored.
    ///
    /// # Errors
    /// [`RdapError`]: the document is not a list of services, or the list is empty.
    pub fn parse(bytes: &[u8]) -> Result<Self, RdapError> {
        let document = document(bytes, MAX_BOOTSTRAP_BYTES)?;
        let object = document.as_object().ok_or(RdapError::WrongKind(BOOTSTRAP))?;
        let listed =
            member(object, "services")?.and_then(Json::as_array).ok_or(RdapError::WrongKind(BOOTSTRAP))?;
        let mut services = BTreeMap::new();
        for service in listed.iter().take(MAX_SERVICES).filter_map(Json::as_array) {
            let [names, addresses] =
                [0, 1].map(|at| service.get(at).and_then(Json::as_array).unwrap_or_default());
            let Some(address) = best(addresses) else { continue };
            for name in names.iter().take(MAX_SERVICES).filter_map(Json::as_str) {
                services.insert(name.trim_matches('.').to_lowercase(), address.clone());
            }
        }
        if services.is_empty() {
            return Err(RdapError::WrongKind(BOOTSTRAP));
        }
        let publication = object.get("publication").and_then(Json::as_str);
        Ok(Self { publication: publication.map(|text| text.chars().take(64).collect()), services })
    }

    /// Adds the services of another list, which take precedence over those of this list.
    pub fn add(&mut self, other: Self) {
        self.publication = other.publication.or(self.publication.take());
        self.services.extend(other.services);
    }

    /// The number of names that have a service.
    #[must_use]
    pub fn names(&self) -> usize {
        self.services.len()
    }

    /// The service for a domain: that of the longest name in the list that is the domain itself or above it.
    #[must_use]
    pub fn service(&self, domain: &DomainName) -> RdapService {
        let mut name = domain.as_str();
        loop {
            if let Some(found) = self.services.get(name).and_then(|base| address(base, domain)) {
                return RdapService::At(found);
            }
            match name.split_once('.') {
                Some((_, parent)) => name = parent,
                None => return RdapService::None,
            }
        }
    }
}

/// The first address over HTTPS, else the first over HTTP (RFC 9224 section 8).
fn best(addresses: &[Json]) -> Option<Url> {
    let parsed =
        || addresses.iter().take(16).filter_map(Json::as_str).filter_map(|text| Url::parse(text).ok());
    let by = |scheme: &str| parsed().find(|url| url.scheme() == scheme && url.has_host());
    by("https").or_else(|| by("http"))
}

fn address(base: &Url, domain: &DomainName) -> Option<Url> {
    let mut url = base.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.path_segments_mut().ok()?.pop_if_empty().extend(["domain", domain.as_str()]);
    Some(url)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIST: &str = r#"{"version":"1.0","publication":"2026-01-01T00:00:00Z","services":[
        [["com","NET"],["http://plain.example/","https://rdap.example/com/v1/"]],
        [["co.com"],["https://rdap.example/co"]],
        [["moscow"],["ftp://x/","nonsense"]], 7, [[], ["https://empty.example/"]]]}"#;

    fn asked(domain: &str) -> Option<String> {
        match Bootstrap::parse(LIST.as_bytes()).unwrap().service(&DomainName::parse(domain).unwrap()) {
            RdapService::At(url) => Some(url.to_string()),
            RdapService::None => None,
        }
    }

    #[test]
    fn the_longest_name_and_https_decide_where_to_ask() {
        assert_eq!(asked("example.com").as_deref(), Some("https://rdap.example/com/v1/domain/example.com"));
        assert_eq!(asked("example.net").as_deref(), Some("https://rdap.example/com/v1/domain/example.net"));
        assert_eq!(asked("a.co.com").as_deref(), Some("https://rdap.example/co/domain/a.co.com"));
        assert_eq!(asked("example.zz"), None);
        assert_eq!(asked("home.moscow"), None);
    }

    #[test]
    fn a_list_without_services_is_none() {
        for text in
            ["", "{}", "[]", r#"{"services":{}}"#, r#"{"services":[]}"#, r#"{"services":[[["com"],[]]]}"#]
        {
            assert!(Bootstrap::parse(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(
            Bootstrap::parse(&vec![b' '; MAX_BOOTSTRAP_BYTES + 1]),
            Err(RdapError::TooLarge(MAX_BOOTSTRAP_BYTES))
        );
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..100), at in 0..LIST.len()) {
            let _ = Bootstrap::parse(&bytes);
            let mut torn = LIST.as_bytes().to_vec();
            torn.splice(at..at, bytes);
            let _ = Bootstrap::parse(&torn);
        }
    }
}

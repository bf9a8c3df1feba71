//! Who is asked: IANA's list of RDAP services where there is one, and the few that are known without it.

use verdict::Timestamp;

use crate::domain::DomainName;
use crate::rdap::{Bootstrap, RdapError, Service};

/// How long a list may go without being confirmed before it no longer says which top-level domains have no service.
pub const FRESH_DAYS: i64 = 30;
/// Fewer top-level domains than any of IANA's lists since 2022 has: what has less cannot say that one is missing.
pub const MIN_NAMES: usize = 1_000;

const DAY_MILLIS: i64 = 86_400_000;

/// Services of large registries, as IANA's list of 2026 has them. This is no list of what there is: a top-level domain
/// that is not here is unknown.
const KNOWN: &[(&str, &str)] = &[
    ("ai", "https://rdap.identitydigital.services/rdap/"),
    ("app", "https://pubapi.registry.google/rdap/"),
    ("biz", "https://rdap.nic.biz/"),
    ("br", "https://rdap.registro.br/"),
    ("ca", "https://rdap.ca.fury.ca/rdap/"),
    ("cc", "https://tld-rdap.verisign.com/cc/v1/"),
    ("com", "https://rdap.verisign.com/com/v1/"),
    ("cz", "https://rdap.nic.cz/"),
    ("dev", "https://pubapi.registry.google/rdap/"),
    ("fr", "https://rdap.nic.fr/"),
    ("id", "https://rdap.pandi.id/rdap/"),
    ("info", "https://rdap.identitydigital.services/rdap/"),
    ("name", "https://tld-rdap.verisign.com/name/v1/"),
    ("net", "https://rdap.verisign.com/net/v1/"),
    ("nl", "https://rdap.sidn.nl/"),
    ("no", "https://rdap.norid.no/"),
    ("org", "https://rdap.publicinterestregistry.org/rdap/"),
    ("top", "https://rdap.zdnsgtld.com/top/"),
    ("tv", "https://rdap.nic.tv/"),
    ("uk", "https://rdap.nominet.uk/uk/"),
    ("xyz", "https://rdap.centralnic.com/xyz/"),
];

/// The services that can be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Services {
    list: Bootstrap,
    /// When IANA's list was last known to be what is published.
    confirmed_at: Option<Timestamp>,
}

/// Whom to ask about a domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    /// The service at this address.
    At(url::Url),
    /// The top-level domain has none.
    NoService,
    /// It may have one that is not known here.
    Unknown,
}

impl Services {
    /// Those that are known without a list.
    pub(super) fn known() -> Self {
        Self { list: Bootstrap::of(KNOWN), confirmed_at: None }
    }

    /// Those of a list that was published at this time or later.
    pub(super) fn listed(bytes: &[u8], confirmed_at: Timestamp) -> Result<Self, RdapError> {
        let list = Bootstrap::parse(bytes)?;
        if list.names() >= MIN_NAMES {
            return Ok(Self { list, confirmed_at: Some(confirmed_at) });
        }
        // A short list adds to what is known, and says nothing of what is missing.
        let mut both = Bootstrap::of(KNOWN);
        both.add(list);
        Ok(Self { list: both, confirmed_at: None })
    }

    /// The same, known to be what is published at this time too.
    pub(super) fn confirmed(&self, at: Timestamp) -> Self {
        Self { list: self.list.clone(), confirmed_at: self.confirmed_at.map(|_| at) }
    }

    /// When the list was published, as it says.
    pub(super) fn publication(&self) -> Option<&str> {
        self.list.publication.as_deref()
    }

    /// Whether a top-level domain that is missing has no service: whether this is all of a list that is not old.
    pub(super) fn is_complete(&self, now: Timestamp) -> bool {
        self.confirmed_at.is_some_and(|at| now.millis_since(at) < FRESH_DAYS * DAY_MILLIS)
    }

    pub(super) fn ask(&self, name: &DomainName, now: Timestamp) -> Asked {
        match self.list.service(name) {
            Service::At(url) => Asked::At(url),
            Service::None if self.is_complete(now) => Asked::NoService,
            Service::None => Asked::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: usize) -> Vec<u8> {
        let names: Vec<String> = (0..names).map(|n| format!("\"t{n}\"")).collect();
        let services = format!(r#"[[{}],["https://rdap.example/"]]"#, names.join(","));
        format!(r#"{{"publication":"2026-11-01T00:00:00Z","services":[{services}]}}"#).into_bytes()
    }

    fn name(text: &str) -> DomainName {
        DomainName::parse(text).unwrap()
    }

    #[test]
    fn every_service_that_is_known_can_be_asked_over_tls() {
        let services = Services::known();
        for (top, _) in KNOWN {
            let Asked::At(url) = services.ask(&name(&format!("a.{top}")), Timestamp::EPOCH) else {
                panic!("{top}");
            };
            assert!(url.scheme() == "https" && url.path().ends_with(&format!("/domain/a.{top}")), "{url}");
        }
        assert!(KNOWN.is_sorted());
    }

    #[test]
    fn only_a_whole_list_that_is_fresh_says_that_there_is_no_service() {
        let at = Timestamp::EPOCH;
        let later = |days: i64| at.saturating_add_millis(days * DAY_MILLIS);
        let whole = Services::listed(&list(MIN_NAMES), at).unwrap();
        let ask = |services: &Services, text, now| services.ask(&name(text), now);
        assert_eq!(ask(&whole, "a.zz", later(FRESH_DAYS - 1)), Asked::NoService);
        assert_eq!(ask(&whole, "a.zz", later(FRESH_DAYS)), Asked::Unknown);
        assert_eq!(ask(&whole.confirmed(later(9)), "a.zz", later(FRESH_DAYS)), Asked::NoService);
        assert!(matches!(ask(&whole, "a.t7", later(9_999)), Asked::At(_)));
        let short = Services::listed(&list(9), at).unwrap();
        assert_eq!(ask(&short, "a.zz", at), Asked::Unknown);
        assert_eq!(ask(&short.confirmed(at), "a.zz", at), Asked::Unknown);
        assert!(
            matches!(ask(&short, "a.com", at), Asked::At(_))
                && matches!(ask(&short, "a.t7", at), Asked::At(_))
        );
        assert_eq!(ask(&Services::known(), "a.zz", at), Asked::Unknown);
    }
}

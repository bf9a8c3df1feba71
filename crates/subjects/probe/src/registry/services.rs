//! The RDAP services by IANA's list, as published or as compiled in.

use domain_name::DomainName;
use domain_name::rdap::{Bootstrap, RdapError, RdapService};
use receipt::Timestamp;

/// Number of days for which a list counts as complete after its last confirmation. After that, a top-level domain that
/// it does not name may have a service.
pub const FRESH_DAYS: i64 = 30;
/// Minimum number of top-level domains of a complete list. Every list of IANA since 2022 has more.
pub const MIN_NAMES: usize = 1_000;

const DAY_MILLIS: i64 = 86_400_000;

/// IANA's list as it was published in July 2026: `curl -o crates/subjects/probe/data/rdap-dns.json https://data.iana.org/rdap/dns.json`
/// brings a newer one. It says whom to ask, not who has no service by now: a top-level domain that is not in it is unknown.
const BUNDLED: &[u8] = include_bytes!("../../data/rdap-dns.json");

/// The services that can be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Services {
    list: Bootstrap,
    /// Time at which IANA's list was last known to be this one.
    confirmed_at: Option<Timestamp>,
}

/// Service to ask about a domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ServiceChoice {
    /// The service is at this URL.
    At(url::Url),
    /// The top-level domain has no service.
    NoService,
    /// The service is unknown; it may exist.
    Unknown,
}

impl Services {
    /// The services of the list that is compiled in.
    pub(super) fn bundled() -> Self {
        let list = Bootstrap::parse(BUNDLED).expect("the list that is compiled in is one");
        Self { list, confirmed_at: None }
    }

    /// The services of a list that was published at this time or later.
    pub(super) fn listed(bytes: &[u8], confirmed_at: Timestamp) -> Result<Self, RdapError> {
        let list = Bootstrap::parse(bytes)?;
        if list.names() >= MIN_NAMES {
            return Ok(Self { list, confirmed_at: Some(confirmed_at) });
        }
        // A short list adds to the compiled-in one. It does not show that other domains have no service.
        let mut both = Self::bundled();
        both.list.add(list);
        Ok(both)
    }

    /// Returns the same list, confirmed to be the published one at this time.
    pub(super) fn confirmed(&self, at: Timestamp) -> Self {
        Self { list: self.list.clone(), confirmed_at: self.confirmed_at.map(|_| at) }
    }

    /// Publication date of the list, as the list gives it.
    pub(super) fn publication(&self) -> Option<&str> {
        self.list.publication.as_deref()
    }

    /// True if a top-level domain that the list does not name has no service: the list is whole and not old.
    pub(super) fn is_complete(&self, now: Timestamp) -> bool {
        self.confirmed_at.is_some_and(|at| now.millis_since(at) < FRESH_DAYS * DAY_MILLIS)
    }

    pub(super) fn ask(&self, name: &DomainName, now: Timestamp) -> ServiceChoice {
        match self.list.service(name) {
            RdapService::At(url) => ServiceChoice::At(url),
            RdapService::None if self.is_complete(now) => ServiceChoice::NoService,
            RdapService::None => ServiceChoice::Unknown,
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
    fn the_list_that_is_compiled_in_is_whole_and_says_nothing_of_what_is_missing() {
        let services = Services::bundled();
        assert!(services.list.names() >= MIN_NAMES);
        for top in ["com", "org", "co.uk", "app", "fr", "shop", "xn--p1acf"] {
            let ServiceChoice::At(url) = services.ask(&name(&format!("a.{top}")), Timestamp::EPOCH) else {
                panic!("{top}");
            };
            assert!(url.scheme() == "https" && url.path().ends_with(&format!("/domain/a.{top}")), "{url}");
        }
        assert_eq!(services.ask(&name("a.zz"), Timestamp::EPOCH), ServiceChoice::Unknown);
    }

    #[test]
    fn only_a_whole_list_that_is_fresh_says_that_there_is_no_service() {
        let at = Timestamp::EPOCH;
        let later = |days: i64| at.saturating_add_millis(days * DAY_MILLIS);
        let whole = Services::listed(&list(MIN_NAMES), at).unwrap();
        let ask = |services: &Services, text, now| services.ask(&name(text), now);
        assert_eq!(ask(&whole, "a.zz", later(FRESH_DAYS - 1)), ServiceChoice::NoService);
        assert_eq!(ask(&whole, "a.zz", later(FRESH_DAYS)), ServiceChoice::Unknown);
        assert_eq!(ask(&whole.confirmed(later(9)), "a.zz", later(FRESH_DAYS)), ServiceChoice::NoService);
        assert!(matches!(ask(&whole, "a.t7", later(9_999)), ServiceChoice::At(_)));
        let short = Services::listed(&list(9), at).unwrap();
        assert_eq!(ask(&short, "a.zz", at), ServiceChoice::Unknown);
        assert_eq!(ask(&short.confirmed(at), "a.zz", at), ServiceChoice::Unknown);
        assert!(
            matches!(ask(&short, "a.com", at), ServiceChoice::At(_))
                && matches!(ask(&short, "a.t7", at), ServiceChoice::At(_))
        );
    }
}

//! The check of the HSTS preload list, by which browsers use HTTPS from the first visit on.

use domain_name::DomainName;
use probe::site::{ProbeFailure, SiteObservation};
use serde_json::json;
use url::Url;

use super::{Check, CheckId, ModelVersion, Partial, Points};

/// Minimum `max-age` for the HSTS preload list, in seconds: one year.
pub const PRELOAD_SECONDS: u64 = 31_536_000;

const REMEDY: &str = "Strict-Transport-Security: max-age=63072000; includeSubDomains; preload\n\
    # then submit the domain at https://hstspreload.org";

const ELIGIBLE: Partial = Partial { reason: "eligible", points: Points::hundredths(25) };

/// Reasons that earn some of the points.
pub(crate) const HSTS_PRELOAD_PARTIALS: &[Partial] = &[ELIGIBLE];

/// Checks HSTS preloading of a site below `registrable`.
///
/// Only the list tells which domains are on it. Without a list, a domain whose header asks for preloading earns some
/// points, and every other domain is unknown.
#[must_use]
pub fn hsts_preload(site: &SiteObservation, registrable: &DomainName, model: ModelVersion) -> Check {
    let id = CheckId::HstsPreload;
    // The list takes registrable names only, and covers the names below them.
    let is_registrable = site.name == *registrable;
    let hsts = site.hsts();
    let redirects = model == ModelVersion::V1 || redirects_to_https(site);
    let is_eligible = is_registrable && redirects && hsts.as_deref().is_some_and(asks_for_preload);
    let is_listed = site.preloaded.as_ref().map(|hosts| hosts.iter().any(|host| host == site.name.as_str()));
    let check = match is_listed {
        Some(true) => Check::pass(id, "listed"),
        _ if is_eligible => {
            let check =
                Check::partly(id, ELIGIBLE).with_remedy("Submit the domain at https://hstspreload.org");
            let rest = check.max.less(check.points);
            if is_listed.is_none() { check.with_unseen(rest) } else { check }
        }
        Some(false) => Check::fail(id, "not_listed").with_remedy(REMEDY),
        None => Check::unknown(id, "no_list"),
    };
    check.with_evidence(json!({ "field": hsts, "listed": is_listed }))
}

/// True if plain HTTP leads to HTTPS of the same host first, as the list demands, or is not served.
fn redirects_to_https(site: &SiteObservation) -> bool {
    match first_redirect(site) {
        Some(first) => first.scheme() == "https" && first.host_str() == Some(site.name.as_str()),
        None => site.http.failure() == Some(ProbeFailure::ConnectionRefused),
    }
}

/// Returns the target of the first redirect from plain HTTP; `None` if it does not redirect.
pub(super) fn first_redirect(site: &SiteObservation) -> Option<&Url> {
    match site.http.hops.as_slice() {
        [] => None,
        [_, next, ..] => Some(&next.url),
        [_] => Some(&site.http.url),
    }
}

/// True if a field meets the list's conditions.
fn asks_for_preload(value: &str) -> bool {
    let directives: Vec<(String, String)> = value
        .split(';')
        .map(|directive| directive.split_once('=').unwrap_or((directive, "")))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().trim_matches('"').to_owned()))
        .collect();
    let get = |name: &str| directives.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
    let max_age = get("max-age").and_then(|value| value.parse::<u64>().ok());
    max_age.is_some_and(|seconds| seconds >= PRELOAD_SECONDS)
        && get("includesubdomains").is_some()
        && get("preload").is_some()
}

#[cfg(test)]
mod tests {
    use domain_name::DomainName;

    use super::super::Status::{self, Fail, Pass, Unknown, Warn};
    use super::super::samples::bare_site;
    use super::*;

    #[test]
    fn the_list_s_conditions_are_a_year_all_below_and_the_word() {
        for (value, asks) in [
            ("max-age=31536000; includeSubDomains; preload", true),
            ("preload;INCLUDESUBDOMAINS ; max-age=\"63072000\"", true),
            ("max-age=31535999; includeSubDomains; preload", false),
            ("max-age=31536000; preload", false),
            ("max-age=31536000; includeSubDomains", false),
            ("includeSubDomains; preload", false),
            ("", false),
        ] {
            assert_eq!(asks_for_preload(value), asks, "{value}");
        }
    }

    #[test]
    fn a_site_that_does_not_lead_to_https_is_not_eligible() {
        let reason = |first: &str| {
            let mut site = bare_site();
            let page = &mut site.page.as_mut().unwrap().page;
            page.fields = [("strict-transport-security", "max-age=31536000; includeSubDomains; preload")]
                .into_iter()
                .collect();
            site.http.url = first.parse().unwrap();
            hsts_preload(&site, &site.name, ModelVersion::V2).reason
        };
        assert_eq!(reason("https://example.com/"), "eligible");
        for first in ["http://example.com/start", "https://www.example.com/", "https://other.example/"] {
            assert_eq!(reason(first), "no_list", "{first}");
        }
    }

    #[test]
    fn only_the_list_tells_who_is_on_it() {
        let eligible = "max-age=31536000; includeSubDomains; preload";
        let check = |name: &str, hsts: &str, preloaded: Option<&[&str]>| -> Check {
            let mut site = bare_site();
            site.name = DomainName::parse(name).unwrap();
            site.preloaded = preloaded.map(|hosts| hosts.iter().map(|&host| host.to_owned()).collect());
            let page = &mut site.page.as_mut().unwrap().page;
            page.url = format!("https://{name}/").parse().unwrap();
            page.fields = [("strict-transport-security", hsts)].into_iter().collect();
            hsts_preload(&site, &DomainName::parse("example.com").unwrap(), ModelVersion::V1)
        };
        let of = |name: &str, hsts: &str, preloaded| -> Status { check(name, hsts, preloaded).status };
        assert_eq!(of("example.com", "", Some(&["example.com"])), Pass);
        assert_eq!(of("example.com", eligible, Some(&[])), Warn);
        assert_eq!(of("example.com", "max-age=1", Some(&["www.example.com"])), Fail);
        assert_eq!(of("example.com", eligible, None), Warn);
        assert_eq!(of("example.com", "max-age=1", None), Unknown);
        assert_eq!(of("www.example.com", eligible, None), Unknown, "www.example.com cannot be submitted");
        let unseen = |preloaded| check("example.com", eligible, preloaded).unseen;
        assert_eq!(unseen(None), Points::hundredths(25), "it may be listed already");
        assert_eq!(unseen(Some(&[])), Points::ZERO);
    }
}

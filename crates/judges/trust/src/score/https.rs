//! The check that a site is used over HTTPS alone: the redirect from plain HTTP, and HSTS (RFC 6797).

use probe::site::{ProbeFailure, SiteObservation};
use serde_json::json;

use super::headers::HSTS_FIELD;
use super::hsts_preload::first_redirect;
use super::{Check, CheckId, Partial, Points};

/// Minimum `max-age` of HSTS, in seconds: half a year, as MDN's HTTP Observatory asks for.
pub const HSTS_SECONDS: u64 = 15_552_000;

const NO_HSTS: Partial = Partial { reason: "no_hsts", points: Points::whole(5) };
const NO_REDIRECT: Partial = Partial { reason: "no_redirect", points: Points::whole(5) };

/// Reasons that earn some of the points.
pub(crate) const HTTPS_PARTIALS: &[Partial] = &[NO_HSTS, NO_REDIRECT];

/// Checks that plain HTTP leads to HTTPS or is not served, and that browsers are told to remember it. Unlike the other
/// header fields, both matter for interfaces that serve no pages, too.
#[must_use]
pub fn https(site: &SiteObservation) -> Check {
    let id = CheckId::Https;
    let hsts = site.hsts();
    let has_hsts = hsts.as_deref().is_some_and(holds_long);
    let is_closed = site.http.failure() == Some(ProbeFailure::ConnectionRefused);
    let redirects = match first_redirect(site) {
        Some(first) => first.scheme() == "https",
        None => is_closed,
    };
    let plain = site.http.failure().filter(|_| !is_closed);
    let check = match site.https.failure() {
        Some(ProbeFailure::NoAddress) => Check::not_applicable(id, "no_address"),
        Some(failure) if failure.is_the_site_s() => Check::fail(id, "no_https"),
        Some(failure) => Check::unknown(id, failure.code()),
        None => match (redirects, has_hsts) {
            (true, true) => Check::pass(id, "https_only"),
            (true, false) => Check::partly(id, NO_HSTS).with_remedy(HSTS_FIELD),
            (false, true) if plain.is_some() => {
                Check::warn(id, NO_REDIRECT.points, "http_unseen").with_unseen(Points::whole(5))
            }
            (false, true) => Check::partly(id, NO_REDIRECT).with_remedy(redirect_remedy(site)),
            (false, false) if plain.is_some() => Check::warn(id, Points::ZERO, "http_unseen")
                .with_unseen(Points::whole(5))
                .with_remedy(HSTS_FIELD),
            (false, false) => {
                let both = format!("{}\n{HSTS_FIELD}", redirect_remedy(site));
                Check::fail(id, "neither_redirect_nor_hsts").with_remedy(both)
            }
        },
    };
    check.with_evidence(json!({ "hsts": hsts, "http": site.http.route(), "http_end": site.http.end }))
}

fn redirect_remedy(site: &SiteObservation) -> String {
    format!(
        "server {{\n    listen 80;\n    listen [::]:80;\n    server_name {0};\n    return 301 https://{0}$request_uri;\n}}",
        site.name
    )
}

/// True if the field has a `max-age` of at least [`HSTS_SECONDS`].
fn holds_long(value: &str) -> bool {
    value
        .split(';')
        .filter_map(|directive| directive.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("max-age"))
        .and_then(|(_, seconds)| seconds.trim().trim_matches('"').parse::<u64>().ok())
        .is_some_and(|seconds| seconds >= HSTS_SECONDS)
}

#[cfg(test)]
mod tests {
    use probe::site::RedirectEnd;

    use super::super::samples::bare_site;
    use super::*;

    fn found(first: Option<&str>, end: RedirectEnd, hsts: &str) -> (String, u32, u32) {
        let mut site = bare_site();
        site.page.as_mut().unwrap().page.fields = [("strict-transport-security", hsts)].into_iter().collect();
        site.http.end = end;
        match first {
            Some(first) => site.http.url = first.parse().unwrap(),
            None => site.http.hops.clear(),
        }
        let check = https(&site);
        (check.reason.into_owned(), check.points.as_hundredths(), check.unseen.as_hundredths())
    }

    #[test]
    fn the_redirect_and_hsts_earn_half_each() {
        let (answered, year) = (RedirectEnd::Answered(200), "max-age=31536000");
        let home = Some("https://example.com/");
        let expected = |reason: &str, points, unseen| (reason.to_owned(), points, unseen);
        assert_eq!(found(home, answered, year), expected("https_only", 1000, 0));
        assert_eq!(found(Some("https://www.example.com/"), answered, year), expected("https_only", 1000, 0));
        assert_eq!(found(home, answered, "max-age=86400"), expected("no_hsts", 500, 0));
        assert_eq!(found(Some("http://example.com/a"), answered, year), expected("no_redirect", 500, 0));
        assert_eq!(found(None, answered, ""), expected("neither_redirect_nor_hsts", 0, 0));
        let refused = RedirectEnd::Failed(ProbeFailure::ConnectionRefused);
        assert_eq!(found(None, refused, year), expected("https_only", 1000, 0));
        let unseen = RedirectEnd::Failed(ProbeFailure::Timeout);
        assert_eq!(found(None, unseen, year), expected("http_unseen", 500, 500));
        assert_eq!(found(None, unseen, ""), expected("http_unseen", 0, 500));
    }

    #[test]
    fn without_https_there_is_nothing_to_lead_to() {
        let of = |failure| {
            let mut site = bare_site();
            site.https.end = RedirectEnd::Failed(failure);
            https(&site).reason.into_owned()
        };
        assert_eq!(of(ProbeFailure::NoAddress), "no_address");
        assert_eq!(of(ProbeFailure::InvalidCertificate), "no_https");
        assert_eq!(of(ProbeFailure::Timeout), ProbeFailure::Timeout.code());
    }
}

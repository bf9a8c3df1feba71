//! The test of subresource integrity (W3C SRI): scripts of other sites must be pinned, and come over TLS.

use domain_name::DomainName;

use crate::outcome::{TestOutcome, worse};
use crate::{Http, ScanInput};

const ALL_SECURE: TestOutcome = TestOutcome::pass("sri-implemented-and-all-scripts-loaded-securely", 5);
const EXTERNAL_SECURE: TestOutcome =
    TestOutcome::pass("sri-implemented-and-external-scripts-loaded-securely", 5);
const NOT_HTML: TestOutcome = TestOutcome::pass("sri-not-implemented-response-not-html", 0);
const NO_SCRIPTS: TestOutcome = TestOutcome::pass("sri-not-implemented-but-no-scripts-loaded", 0);
const OWN_SCRIPTS: TestOutcome =
    TestOutcome::pass("sri-not-implemented-but-all-scripts-loaded-from-secure-origin", 0);
const NOT_PINNED: TestOutcome =
    TestOutcome::fail("sri-not-implemented-but-external-scripts-loaded-securely", -5);
const NOT_SECURE: TestOutcome =
    TestOutcome::fail("sri-implemented-but-external-scripts-not-loaded-securely", -20);
const NEITHER: TestOutcome =
    TestOutcome::fail("sri-not-implemented-and-external-scripts-not-loaded-securely", -50);

pub(crate) const OUTCOMES: &[TestOutcome] =
    &[ALL_SECURE, EXTERNAL_SECURE, NOT_HTML, NO_SCRIPTS, OWN_SCRIPTS, NOT_PINNED, NOT_SECURE, NEITHER];

/// Outcomes from best to worst, as the Observatory orders them.
const ORDER: &[TestOutcome] = &[ALL_SECURE, EXTERNAL_SECURE, NOT_SECURE, NOT_PINNED, NEITHER, NOT_HTML];

/// Source of a script, by the form of its `src`.
struct Origin {
    is_own: bool,
    is_secure: bool,
}

/// Scripts of hosts below `registered`, the name that the site's owner registered, are the site's own.
pub(crate) fn test(observed: &ScanInput<'_>, registered: &DomainName) -> TestOutcome {
    let page = observed.page;
    let kind = page.fields.all("content-type").next().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    if !kind.is_empty() && !["text/html", "application/xhtml+xml"].contains(&kind) {
        return NOT_HTML;
    }
    if page.scripts.is_empty() {
        return NO_SCRIPTS;
    }
    let mut found = None;
    let mut has_foreign = false;
    for script in &page.scripts {
        let Some(src) = &script.src else { continue };
        let origin = origin(src, observed, registered);
        let is_pinned = script.integrity.is_some();
        has_foreign |= !origin.is_own;
        match (origin.is_own, is_pinned, origin.is_secure) {
            (true, true, true) => found = found.or(Some(ALL_SECURE)),
            (false, true, false) => found = Some(worse(ORDER, found, NOT_SECURE)),
            (false, false, true) => found = Some(worse(ORDER, found, NOT_PINNED)),
            (false, false, false) => found = Some(worse(ORDER, found, NEITHER)),
            (true, ..) | (false, true, true) => {}
        }
    }
    found.unwrap_or(if has_foreign { EXTERNAL_SECURE } else { OWN_SCRIPTS })
}

fn origin(src: &str, observed: &ScanInput<'_>, registered: &DomainName) -> Origin {
    let is_own = |rest: &str| {
        let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
        host.eq_ignore_ascii_case(observed.host)
            || DomainName::parse(host).is_ok_and(|name| name.is_within(registered.as_str()))
    };
    if let Some(rest) = src.strip_prefix("//").filter(|rest| !rest.is_empty() && !rest.starts_with('/')) {
        Origin { is_own: is_own(rest), is_secure: http_leads_to_https(observed.http) }
    } else if let Some(rest) = src.strip_prefix("https://") {
        Origin { is_own: is_own(rest), is_secure: true }
    } else if let Some(rest) = src.strip_prefix("http://") {
        Origin { is_own: is_own(rest), is_secure: false }
    } else {
        Origin { is_own: true, is_secure: observed.page.url.scheme() == "https" }
    }
}

/// True if nobody gets the page over plain HTTP, so that an address without a scheme means HTTPS.
fn http_leads_to_https(http: Http<'_>) -> bool {
    match http {
        Http::Silent => true,
        Http::InvalidCertificate => false,
        Http::Route(route) => route.len() > 1 && route[1..].iter().all(|url| url.scheme() == "https"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Page;

    #[test]
    fn scripts_of_other_sites_must_be_pinned_and_come_over_tls() {
        let registered = DomainName::parse("example.com").unwrap();
        for (html, outcome) in [
            ("<p>", NO_SCRIPTS),
            ("<script src=/a.js></script>", OWN_SCRIPTS),
            ("<script src=https://cdn.example.com/a.js></script>", OWN_SCRIPTS),
            ("<script src=/a.js integrity=sha256-x></script>", ALL_SECURE),
            ("<script src=https://o.net/a.js integrity=sha256-x></script>", EXTERNAL_SECURE),
            ("<script src=//o.net/a.js integrity=sha256-x></script>", EXTERNAL_SECURE),
            ("<script src=https://o.net/a.js></script>", NOT_PINNED),
            ("<script src=http://o.net/a.js integrity=sha256-x></script>", NOT_SECURE),
            ("<script src=http://o.net/a.js></script>", NEITHER),
            ("<script src=https://o.net/a.js></script><script src=http://o.net/b.js></script>", NEITHER),
            ("<script src=https:///></script>", NOT_PINNED),
        ] {
            let page = Page::new(
                "https://www.example.com/".parse().unwrap(),
                [("content-type", "text/html")].into_iter().collect(),
                html,
            );
            assert_eq!(test(&ScanInput::example(&page), &registered), outcome, "{html}");
        }
        let fields = [("content-type", "application/json")].into_iter().collect();
        let page =
            Page::new("https://www.example.com/".parse().unwrap(), fields, "<script src=http://o.net>");
        assert_eq!(test(&ScanInput::example(&page), &registered), NOT_HTML);
    }
}

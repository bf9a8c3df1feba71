//! Strict-Transport-Security (RFC 6797), and where plain HTTP leads.

use std::collections::BTreeMap;

use url::Url;

use crate::fields::MAX_VALUE_CHARS;
use crate::outcome::TestOutcome;
use crate::{Http, Https, ScanInput};

const HSTS_PRELOADED: TestOutcome = TestOutcome::pass("hsts-preloaded", 5);
const HSTS_LONG: TestOutcome = TestOutcome::pass("hsts-implemented-max-age-at-least-six-months", 0);
const HSTS_SHORT: TestOutcome = TestOutcome::fail("hsts-implemented-max-age-less-than-six-months", -10);
const HSTS_ABSENT: TestOutcome = TestOutcome::fail("hsts-not-implemented", -20);
const HSTS_INVALID: TestOutcome = TestOutcome::fail("hsts-header-invalid", -20);
const HSTS_NO_HTTPS: TestOutcome = TestOutcome::fail("hsts-not-implemented-no-https", -20);
const HSTS_INVALID_CERT: TestOutcome = TestOutcome::fail("hsts-invalid-cert", -20);

pub(crate) const HSTS_OUTCOMES: &[TestOutcome] =
    &[HSTS_PRELOADED, HSTS_LONG, HSTS_SHORT, HSTS_ABSENT, HSTS_INVALID, HSTS_NO_HTTPS, HSTS_INVALID_CERT];

const REDIRECT_PRELOADED: TestOutcome = TestOutcome::pass("redirection-all-redirects-preloaded", 0);
const REDIRECT_TO_HTTPS: TestOutcome = TestOutcome::pass("redirection-to-https", 0);
const REDIRECT_NO_HTTP: TestOutcome = TestOutcome::pass("redirection-not-needed-no-http", 0);
const REDIRECT_OFF_HOST: TestOutcome = TestOutcome::fail("redirection-off-host-from-http", -5);
const REDIRECT_LATE: TestOutcome = TestOutcome::fail("redirection-not-to-https-on-initial-redirection", -10);
const REDIRECT_NOT_HTTPS: TestOutcome = TestOutcome::fail("redirection-not-to-https", -20);
const REDIRECT_MISSING: TestOutcome = TestOutcome::fail("redirection-missing", -20);
const REDIRECT_INVALID_CERT: TestOutcome = TestOutcome::fail("redirection-invalid-cert", -20);

pub(crate) const REDIRECT_OUTCOMES: &[TestOutcome] = &[
    REDIRECT_PRELOADED,
    REDIRECT_TO_HTTPS,
    REDIRECT_NO_HTTP,
    REDIRECT_OFF_HOST,
    REDIRECT_LATE,
    REDIRECT_NOT_HTTPS,
    REDIRECT_MISSING,
    REDIRECT_INVALID_CERT,
];

/// The shortest `max-age` that counts as six months, in seconds. It is 180 days, because many sites use this value.
pub const HSTS_LONG_SECONDS: i64 = 15_552_000;

/// The hosts for which browsers never use plain HTTP: Chromium's preload list, or a part of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PreloadList(BTreeMap<String, bool>);

impl PreloadList {
    /// Adds a host. `with_subdomains` says whether its subdomains are covered.
    pub fn insert(&mut self, host: &str, with_subdomains: bool) {
        self.0.insert(host.to_ascii_lowercase(), with_subdomains);
    }

    /// The number of hosts on the list.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.0.len()
    }

    /// Returns true if a host is on the list, or below a host whose subdomains are covered.
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        let mut name = host;
        loop {
            if self.0.get(name).is_some_and(|with_subdomains| *with_subdomains || name == host) {
                return true;
            }
            match name.split_once('.') {
                Some((_, parent)) => name = parent,
                None => return false,
            }
        }
    }
}

impl FromIterator<(String, bool)> for PreloadList {
    fn from_iter<I: IntoIterator<Item = (String, bool)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

pub(crate) fn hsts(observed: &ScanInput<'_>) -> TestOutcome {
    match observed.https {
        Https::Silent => HSTS_NO_HTTPS,
        _ if observed.preload.covers(observed.host) => HSTS_PRELOADED,
        Https::InvalidCertificate => HSTS_INVALID_CERT,
        Https::Answers => match observed.page.fields.get("strict-transport-security") {
            None => HSTS_ABSENT,
            Some(value) => policy(&value),
        },
    }
}

/// The policy of a field. A comma means that it was given several times, which RFC 6797 section 8.1 has a browser
/// ignore but for the first, and which the Observatory refuses.
fn policy(value: &str) -> TestOutcome {
    let value: String = value.chars().take(MAX_VALUE_CHARS).collect::<String>().to_lowercase();
    if value.contains(',') {
        return HSTS_INVALID;
    }
    let last = value.split(';').filter_map(|directive| directive.trim().strip_prefix("max-age=")).next_back();
    match last.map(leading_number) {
        None => HSTS_INVALID,
        Some(Some(seconds)) if seconds < HSTS_LONG_SECONDS => HSTS_SHORT,
        // What does not begin with a number counts as long. RFC 6797 allows the quoted form, and the Observatory's
        // grades are what is reproduced here.
        Some(_) => HSTS_LONG,
    }
}

/// The number that a text begins with, after white space and a sign; held within the range.
fn leading_number(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    (end > 0).then(|| sign * digits[..end].parse::<i64>().unwrap_or(i64::MAX))
}

pub(crate) fn redirection(observed: &ScanInput<'_>) -> TestOutcome {
    let route = match observed.http {
        Http::Silent => return REDIRECT_NO_HTTP,
        Http::InvalidCertificate => return REDIRECT_INVALID_CERT,
        Http::Route(route) => route,
    };
    let is = |url: Option<&Url>, scheme: &str| url.is_some_and(|url| url.scheme() == scheme);
    let host = |at: usize| route.get(at).and_then(Url::host_str);
    if !route.is_empty()
        && route.iter().all(|url| url.host_str().is_some_and(|host| observed.preload.covers(host)))
    {
        REDIRECT_PRELOADED
    } else if route.len() <= 1 {
        REDIRECT_MISSING
    } else if !is(route.last(), "https") {
        REDIRECT_NOT_HTTPS
    } else if is(route.get(1), "http") {
        REDIRECT_LATE
    } else if is(route.first(), "http") && host(0) != host(1) {
        REDIRECT_OFF_HOST
    } else {
        REDIRECT_TO_HTTPS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_long_from_180_days_on() {
        for (value, outcome) in [
            ("max-age=15552000", HSTS_LONG),
            ("max-age=15551999; includeSubDomains; preload", HSTS_SHORT),
            ("MAX-AGE=31536000;", HSTS_LONG),
            ("max-age=31536000; max-age=1", HSTS_SHORT),
            ("max-age=-1", HSTS_SHORT),
            ("max-age=0x7fffffff", HSTS_SHORT),
            ("max-age=\"31536000\"", HSTS_LONG),
            ("max-age=99999999999999999999999", HSTS_LONG),
            ("max-age=31536000, max-age=31536000", HSTS_INVALID),
            ("includeSubDomains; preload", HSTS_INVALID),
            ("max-age", HSTS_INVALID),
            ("", HSTS_INVALID),
        ] {
            assert_eq!(policy(value), outcome, "{value}");
        }
    }

    #[test]
    fn a_preloaded_name_covers_those_below_it_only_where_it_says_so() {
        let mut list = PreloadList::default();
        list.insert("Example.com", true);
        list.insert("alone.example", false);
        assert!(list.covers("example.com") && list.covers("a.b.example.com") && list.covers("alone.example"));
        assert!(!list.covers("a.alone.example") && !list.covers("notexample.com") && !list.covers("com"));
    }

    #[test]
    fn plain_http_should_lead_to_the_same_host_over_https_at_once() {
        use crate::Page;

        let page = Page::example();
        let result = |route: &[&str], preload: &PreloadList| {
            let route: Vec<Url> = route.iter().map(|text| text.parse().unwrap()).collect();
            redirection(&ScanInput { http: Http::Route(&route), preload, ..ScanInput::example(&page) })
        };
        let none = PreloadList::default();
        for (route, outcome) in [
            (&["http://a.example/", "https://a.example/", "https://www.a.example/"][..], REDIRECT_TO_HTTPS),
            (&["http://a.example/", "https://www.a.example/"][..], REDIRECT_OFF_HOST),
            (&["http://a.example/", "http://www.a.example/", "https://www.a.example/"][..], REDIRECT_LATE),
            (&["http://a.example/", "https://a.example/", "http://a.example/x"][..], REDIRECT_NOT_HTTPS),
            (&["http://a.example/"][..], REDIRECT_MISSING),
            (&[][..], REDIRECT_MISSING),
        ] {
            assert_eq!(result(route, &none), outcome, "{route:?}");
        }
        let mut all = PreloadList::default();
        all.insert("example", true);
        assert_eq!(result(&["http://a.example/", "https://www.b.example/"], &all), REDIRECT_PRELOADED);
        let observed = ScanInput { http: Http::InvalidCertificate, ..ScanInput::example(&page) };
        assert_eq!(redirection(&observed), REDIRECT_INVALID_CERT);
    }
}

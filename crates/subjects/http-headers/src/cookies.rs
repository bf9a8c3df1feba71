//! The test of the cookies that a page sets.

use std::collections::BTreeMap;

use crate::Page;
use crate::outcome::{TestOutcome, worse};

const SAME_SITE: TestOutcome = TestOutcome::pass("cookies-secure-with-httponly-sessions-and-samesite", 5);
const SECURE: TestOutcome = TestOutcome::pass("cookies-secure-with-httponly-sessions", 0);
const NONE: TestOutcome = TestOutcome::pass("cookies-not-found", 0);
const INSECURE_BUT_HSTS: TestOutcome =
    TestOutcome::fail("cookies-without-secure-flag-but-protected-by-hsts", -5);
const INSECURE: TestOutcome = TestOutcome::fail("cookies-without-secure-flag", -20);
const SESSION_INSECURE_BUT_HSTS: TestOutcome =
    TestOutcome::fail("cookies-session-without-secure-flag-but-protected-by-hsts", -10);
const SAME_SITE_INVALID: TestOutcome = TestOutcome::fail("cookies-samesite-flag-invalid", -20);
const ANTI_CSRF: TestOutcome = TestOutcome::fail("cookies-anticsrf-without-samesite-flag", -20);
const SESSION_SCRIPTED: TestOutcome = TestOutcome::fail("cookies-session-without-httponly-flag", -30);
const SESSION_INSECURE: TestOutcome = TestOutcome::fail("cookies-session-without-secure-flag", -40);

pub(crate) const OUTCOMES: &[TestOutcome] = &[
    SAME_SITE,
    SECURE,
    NONE,
    INSECURE_BUT_HSTS,
    INSECURE,
    SESSION_INSECURE_BUT_HSTS,
    SAME_SITE_INVALID,
    ANTI_CSRF,
    SESSION_SCRIPTED,
    SESSION_INSECURE,
];

/// Outcomes from best to worst, as the Observatory orders them: not quite by modifier.
const ORDER: &[TestOutcome] = &[
    INSECURE_BUT_HSTS,
    INSECURE,
    SESSION_INSECURE_BUT_HSTS,
    SAME_SITE_INVALID,
    ANTI_CSRF,
    SESSION_SCRIPTED,
    SESSION_INSECURE,
];

/// A load balancer's cookie that no site can change.
const IGNORED: &str = "heroku-session-affinity";
/// The most cookies that are looked at; no browser keeps more for one host.
const MAX_COOKIES: usize = 300;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Cookie {
    is_secure: bool,
    is_http_only: bool,
    same_site: Option<String>,
}

pub(crate) fn test(page: &Page, hsts: TestOutcome) -> TestOutcome {
    let mut found = None;
    let mut cookies: BTreeMap<String, Cookie> = BTreeMap::new();
    for line in page.fields.all("set-cookie").take(MAX_COOKIES) {
        if has_invalid_same_site(line) {
            found = Some(worse(ORDER, found, SAME_SITE_INVALID));
        }
        if let Some((name, cookie)) = parse(line).filter(|(name, _)| name != IGNORED) {
            cookies.insert(name, cookie);
        }
    }
    if cookies.is_empty() {
        return NONE;
    }
    for (name, cookie) in &cookies {
        for flaw in flaws(name, cookie, hsts.pass) {
            found = Some(worse(ORDER, found, flaw));
        }
    }
    let all_same_site = cookies.values().all(|cookie| cookie.same_site.is_some());
    found.unwrap_or(if all_same_site { SAME_SITE } else { SECURE })
}

fn flaws(name: &str, cookie: &Cookie, has_hsts: bool) -> impl Iterator<Item = TestOutcome> + use<> {
    let name = name.to_lowercase();
    let is_session = name.contains("login") || name.contains("sess");
    let is_open = !cookie.is_secure;
    let is_cross_site = cookie.same_site.as_deref() == Some("none");
    [
        (is_open && is_cross_site).then_some(SAME_SITE_INVALID),
        is_open.then_some(if has_hsts { INSECURE_BUT_HSTS } else { INSECURE }),
        (name.contains("csrf") && cookie.same_site.is_none()).then_some(ANTI_CSRF),
        (is_session && is_open).then_some(if has_hsts {
            SESSION_INSECURE_BUT_HSTS
        } else {
            SESSION_INSECURE
        }),
        (is_session && !cookie.is_http_only).then_some(SESSION_SCRIPTED),
    ]
    .into_iter()
    .flatten()
}

/// Reads a cookie as RFC 6265 section 5.2 says; one without a name is none.
fn parse(line: &str) -> Option<(String, Cookie)> {
    let mut parts = line.split(';');
    let (name, _) = parts.next()?.split_once('=')?;
    let name = name.trim();
    let mut cookie = Cookie::default();
    for part in parts {
        let (attribute, value) = part.split_once('=').unwrap_or((part, ""));
        match attribute.trim().to_ascii_lowercase().as_str() {
            "secure" => cookie.is_secure = true,
            "httponly" => cookie.is_http_only = true,
            "samesite" => cookie.same_site = same_site(value),
            _ => {}
        }
    }
    (!name.is_empty()).then(|| (name.to_owned(), cookie))
}

fn same_site(value: &str) -> Option<String> {
    let value = value.trim().to_ascii_lowercase();
    ["strict", "lax", "none"].contains(&value.as_str()).then_some(value)
}

fn has_invalid_same_site(line: &str) -> bool {
    line.split(';').any(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        name.trim().eq_ignore_ascii_case("samesite") && same_site(value).is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeaderFields;

    fn found(lines: &[&str], has_hsts: bool) -> &'static str {
        let fields: HeaderFields = lines.iter().map(|line| ("Set-Cookie", line)).collect();
        let page = Page { fields, ..Page::example() };
        let hsts = if has_hsts { TestOutcome::pass("", 0) } else { TestOutcome::fail("", 0) };
        test(&page, hsts).result
    }

    #[test]
    fn the_worst_cookie_decides() {
        for (lines, has_hsts, result) in [
            (&[][..], false, "cookies-not-found"),
            (&["a=b; Secure; HttpOnly; SameSite=Strict"][..], false, SAME_SITE.result),
            (&["a=b; Secure"][..], false, SECURE.result),
            (&["a=b"][..], true, INSECURE_BUT_HSTS.result),
            (&["a=b"][..], false, INSECURE.result),
            (&["SESSID=b; HttpOnly"][..], true, SESSION_INSECURE_BUT_HSTS.result),
            (&["SESSID=b; HttpOnly"][..], false, SESSION_INSECURE.result),
            (&["SESSID=b; Secure"][..], true, SESSION_SCRIPTED.result),
            (&["csrftoken=b; Secure"][..], true, ANTI_CSRF.result),
            (&["a=b; Secure; SameSite=Maybe"][..], true, SAME_SITE_INVALID.result),
            (&["a=b; SameSite=None"][..], true, SAME_SITE_INVALID.result),
            (&["a=b; Secure; SameSite=Lax", "SESSID=x"][..], false, SESSION_INSECURE.result),
            (&["heroku-session-affinity=b", "=x", "nothing"][..], false, "cookies-not-found"),
        ] {
            assert_eq!(found(lines, has_hsts), result, "{lines:?} {has_hsts}");
        }
    }
}

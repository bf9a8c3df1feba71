//! The test of the Content-Security-Policy.

use std::collections::BTreeSet;

use crate::Page;
use crate::outcome::TestOutcome;
use crate::policy::CspPolicy;

const NO_UNSAFE_DEFAULT_NONE: TestOutcome =
    TestOutcome::pass("csp-implemented-with-no-unsafe-default-src-none", 10);
const NO_UNSAFE: TestOutcome = TestOutcome::pass("csp-implemented-with-no-unsafe", 5);
const UNSAFE_STYLE_ONLY: TestOutcome =
    TestOutcome::pass("csp-implemented-with-unsafe-inline-in-style-src-only", 0);
const INSECURE_PASSIVE_ONLY: TestOutcome =
    TestOutcome::pass("csp-implemented-with-insecure-scheme-in-passive-content-only", -10);
const DUPLICATES: TestOutcome = TestOutcome::pass("csp-implemented-but-duplicate-directives", 0);
const UNSAFE_EVAL: TestOutcome = TestOutcome::fail("csp-implemented-with-unsafe-eval", -10);
const UNSAFE_INLINE: TestOutcome = TestOutcome::fail("csp-implemented-with-unsafe-inline", -20);
const INSECURE_SCHEME: TestOutcome = TestOutcome::fail("csp-implemented-with-insecure-scheme", -20);
const INVALID: TestOutcome = TestOutcome::fail("csp-header-invalid", -25);
const ABSENT: TestOutcome = TestOutcome::fail("csp-not-implemented", -25);
const REPORT_ONLY: TestOutcome = TestOutcome::fail("csp-not-implemented-but-reporting-enabled", -25);

pub(crate) const OUTCOMES: &[TestOutcome] = &[
    NO_UNSAFE_DEFAULT_NONE,
    NO_UNSAFE,
    UNSAFE_STYLE_ONLY,
    INSECURE_PASSIVE_ONLY,
    DUPLICATES,
    UNSAFE_EVAL,
    UNSAFE_INLINE,
    INSECURE_SCHEME,
    INVALID,
    ABSENT,
    REPORT_ONLY,
];

/// Sources that let nearly everything through.
const BROAD: &[&str] =
    &["ftp:", "http:", "https:", "*", "http://*", "http://*.*", "https://*", "https://*.*"];
/// Sources that let a page's own text become script or style.
const INLINE: &[&str] = &["'unsafe-inline'", "data:"];
/// Prefixes of a nonce or a hash.
const TRUSTED: &[&str] = &["'sha256-", "'sha384-", "'sha512-", "'nonce-"];
/// Directives of content that cannot act.
const PASSIVE: &[&str] = &["img-src", "media-src"];

/// Outcome of the test, and the facts that other tests need.
pub(crate) struct Csp {
    pub(crate) outcome: TestOutcome,
    /// True if a policy names `frame-ancestors`, so that X-Frame-Options is not needed.
    pub(crate) limits_framing: bool,
}

impl Csp {
    fn without_policy(outcome: TestOutcome) -> Self {
        Self { outcome, limits_framing: false }
    }
}

pub(crate) fn test(page: &Page) -> Csp {
    let header: Vec<&str> = page.fields.all("content-security-policy").collect();
    let meta: Vec<&str> = page.meta.policies.iter().map(String::as_str).collect();
    let Ok(policy) = CspPolicy::parse(header.iter().chain(&meta).copied()) else {
        return Csp::without_policy(INVALID);
    };
    let has_header = CspPolicy::parse(header).is_ok_and(|policy| !policy.is_empty());
    let has_meta = CspPolicy::parse_meta(meta).is_ok_and(|policy| !policy.is_empty());
    if !has_header && !has_meta {
        let reports = page.fields.filled("content-security-policy-report-only").is_some();
        return Csp::without_policy(if reports { REPORT_ONLY } else { ABSENT });
    }
    let limits_framing = policy.get("frame-ancestors").is_some();
    let has_repeats = policy.has_repeats;
    let outcome = judge(policy, page.url.scheme() == "https");
    let outcome = if outcome.pass && has_repeats { DUPLICATES } else { outcome };
    Csp { outcome, limits_framing }
}

/// The first rule that the policy breaks, from the gravest on.
fn judge(mut policy: CspPolicy, is_https: bool) -> TestOutcome {
    for directive in ["script-src", "style-src"] {
        if let Some(sources) = policy.effective_mut(directive).filter(|sources| has_trusted(sources)) {
            sources.remove("'unsafe-inline'");
        }
    }
    if let Some(script) =
        policy.effective_mut("script-src").filter(|script| script.contains("'strict-dynamic'"))
    {
        if !has_trusted(script) {
            return INVALID;
        }
        // Browsers then ignore the other sources of the list.
        script.retain(|source| source != "'self'" && !BROAD.iter().any(|broad| source.starts_with(broad)));
    }
    let allows = |directive, kinds: &[&[&str]]| {
        policy.effective(directive).is_none_or(|sources| {
            sources.iter().any(|source| kinds.iter().any(|kind| kind.contains(&source.as_str())))
        })
    };
    if allows("script-src", &[BROAD, INLINE]) || allows("object-src", &[BROAD]) {
        return UNSAFE_INLINE;
    }
    if is_https && active(&policy).any(|source| is_insecure(source)) {
        return INSECURE_SCHEME;
    }
    if ["script-src", "style-src"]
        .iter()
        .any(|directive| policy.effective(directive).is_some_and(|sources| sources.contains("'unsafe-eval'")))
    {
        return UNSAFE_EVAL;
    }
    if is_https
        && PASSIVE
            .iter()
            .filter_map(|directive| policy.effective(directive))
            .flatten()
            .any(|source| is_insecure(source))
    {
        return INSECURE_PASSIVE_ONLY;
    }
    if allows("style-src", &[BROAD, INLINE]) {
        return UNSAFE_STYLE_ONLY;
    }
    let default = policy.get("default-src");
    if default.is_some_and(|sources| sources.len() == 1 && sources.contains("'none'")) {
        NO_UNSAFE_DEFAULT_NONE
    } else {
        NO_UNSAFE
    }
}

fn has_trusted(sources: &BTreeSet<String>) -> bool {
    sources.iter().any(|source| TRUSTED.iter().any(|start| source.starts_with(start)))
}

fn is_insecure(source: &str) -> bool {
    source.starts_with("http:") || source.starts_with("ftp:")
}

/// The sources of all directives but the passive ones.
fn active(policy: &CspPolicy) -> impl Iterator<Item = &String> {
    policy.iter().filter(|(directive, _)| !PASSIVE.contains(directive)).flat_map(|(_, sources)| sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeaderFields;

    fn found(value: &str) -> &'static str {
        let fields: HeaderFields = [("content-security-policy", value)].into_iter().collect();
        test(&Page { fields, ..Page::example() }).outcome.result
    }

    #[test]
    fn the_gravest_rule_that_is_broken_decides() {
        for (value, outcome) in [
            ("default-src 'none'", NO_UNSAFE_DEFAULT_NONE),
            ("default-src 'none' 'none'", NO_UNSAFE_DEFAULT_NONE),
            ("default-src 'self'", NO_UNSAFE),
            ("default-src 'none'; style-src 'unsafe-inline'", UNSAFE_STYLE_ONLY),
            ("default-src 'none'; img-src http:", INSECURE_PASSIVE_ONLY),
            ("default-src 'none'; script-src 'unsafe-eval'", UNSAFE_EVAL),
            ("default-src 'none'; connect-src http://a.example", INSECURE_SCHEME),
            ("default-src 'none'; script-src 'unsafe-inline'", UNSAFE_INLINE),
            ("script-src 'self'", UNSAFE_INLINE),
            ("default-src 'none'; report-uri /a; report-uri /b", DUPLICATES),
            ("default-src *; report-uri /a; report-uri /b", UNSAFE_INLINE),
            ("default-src 'none'; default-src 'none'", INVALID),
        ] {
            assert_eq!(found(value), outcome.result, "{value}");
        }
    }

    #[test]
    fn a_nonce_makes_up_for_inline_and_strict_dynamic_asks_for_one() {
        for (value, outcome) in [
            ("default-src 'none'; script-src 'nonce-a' 'unsafe-inline'", NO_UNSAFE_DEFAULT_NONE),
            (
                "default-src 'none'; script-src 'nonce-a' 'strict-dynamic' https: 'self'",
                NO_UNSAFE_DEFAULT_NONE,
            ),
            ("default-src 'nonce-a' 'strict-dynamic' https:", NO_UNSAFE),
            ("default-src 'none'; script-src 'strict-dynamic' 'self'", INVALID),
        ] {
            assert_eq!(found(value), outcome.result, "{value}");
        }
    }

    #[test]
    fn a_policy_in_the_page_counts_but_for_what_only_a_field_may_say() {
        let result = |html: &str| {
            let csp = test(&Page::new("https://a.example/".parse().unwrap(), HeaderFields::default(), html));
            (csp.outcome.result, csp.limits_framing)
        };
        let meta = |policy: &str| format!("<meta http-equiv=content-security-policy content=\"{policy}\">");
        assert_eq!(result(&meta("default-src 'none'")), (NO_UNSAFE_DEFAULT_NONE.result, false));
        assert_eq!(result(&meta("frame-ancestors 'none'")), (ABSENT.result, false));
        let fields: HeaderFields =
            [("Content-Security-Policy-Report-Only", "default-src 'none'")].into_iter().collect();
        assert_eq!(test(&Page { fields, ..Page::example() }).outcome, REPORT_ONLY);
    }
}

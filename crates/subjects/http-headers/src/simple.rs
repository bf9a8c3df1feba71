//! The fields that hold one word: X-Content-Type-Options, X-Frame-Options and Referrer-Policy.

use crate::Page;
use crate::csp::Csp;
use crate::fields::{MAX_VALUE_CHARS, normal};
use crate::outcome::TestOutcome;

const NOSNIFF: TestOutcome = TestOutcome::pass("x-content-type-options-nosniff", 0);
const SNIFF_ABSENT: TestOutcome = TestOutcome::fail("x-content-type-options-not-implemented", -5);
const SNIFF_INVALID: TestOutcome = TestOutcome::fail("x-content-type-options-header-invalid", -5);

pub(crate) const CONTENT_TYPE_OUTCOMES: &[TestOutcome] = &[NOSNIFF, SNIFF_ABSENT, SNIFF_INVALID];

const FRAME_BY_CSP: TestOutcome = TestOutcome::pass("x-frame-options-implemented-via-csp", 5);
const FRAME_DENY: TestOutcome = TestOutcome::pass("x-frame-options-sameorigin-or-deny", 5);
const FRAME_ALLOW_FROM: TestOutcome = TestOutcome::pass("x-frame-options-allow-from-origin", 0);
const FRAME_ABSENT: TestOutcome = TestOutcome::fail("x-frame-options-not-implemented", -20);
const FRAME_INVALID: TestOutcome = TestOutcome::fail("x-frame-options-header-invalid", -20);

pub(crate) const FRAME_OUTCOMES: &[TestOutcome] =
    &[FRAME_BY_CSP, FRAME_DENY, FRAME_ALLOW_FROM, FRAME_ABSENT, FRAME_INVALID];

const REFERRER_PRIVATE: TestOutcome = TestOutcome::pass("referrer-policy-private", 5);
const REFERRER_ABSENT: TestOutcome = TestOutcome::pass("referrer-policy-not-implemented", 0);
const REFERRER_UNSAFE: TestOutcome = TestOutcome::fail("referrer-policy-unsafe", -5);
const REFERRER_INVALID: TestOutcome = TestOutcome::fail("referrer-policy-header-invalid", -5);

pub(crate) const REFERRER_OUTCOMES: &[TestOutcome] =
    &[REFERRER_PRIVATE, REFERRER_ABSENT, REFERRER_UNSAFE, REFERRER_INVALID];

const PRIVATE: &[&str] = &["no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin"];
const UNSAFE: &[&str] = &["origin", "origin-when-cross-origin", "unsafe-url", "no-referrer-when-downgrade"];

pub(crate) fn content_type(page: &Page) -> TestOutcome {
    match page.fields.filled("x-content-type-options") {
        None => SNIFF_ABSENT,
        Some(value) if normal(&value, 256) == "nosniff" => NOSNIFF,
        Some(_) => SNIFF_INVALID,
    }
}

pub(crate) fn frame(page: &Page, csp: &Csp) -> TestOutcome {
    if csp.limits_framing {
        return FRAME_BY_CSP;
    }
    let Some(value) = page.fields.filled("x-frame-options") else { return FRAME_ABSENT };
    match normal(&value, MAX_VALUE_CHARS).as_str() {
        "deny" | "sameorigin" => FRAME_DENY,
        value if value.starts_with("allow-from") => FRAME_ALLOW_FROM,
        _ => FRAME_INVALID,
    }
}

/// The last policy that is known counts (W3C Referrer CspPolicy section 8.1), that of a `meta` element after the field's.
pub(crate) fn referrer(page: &Page) -> TestOutcome {
    let field = page.fields.get("referrer-policy");
    if field.is_none() && page.meta.referrer.is_none() {
        return REFERRER_ABSENT;
    }
    let values = [field, page.meta.referrer.clone()];
    let words: Vec<String> = values
        .iter()
        .flatten()
        .flat_map(|value| value.split(','))
        .map(|word| normal(word, MAX_VALUE_CHARS))
        .collect();
    let last =
        words.iter().rev().find(|word| PRIVATE.contains(&word.as_str()) || UNSAFE.contains(&word.as_str()));
    match last {
        None => REFERRER_INVALID,
        Some(word) if PRIVATE.contains(&word.as_str()) => REFERRER_PRIVATE,
        Some(_) => REFERRER_UNSAFE,
    }
}

//! Cross-Origin-Opener-Policy, Cross-Origin-Embedder-Policy (HTML standard) and Cross-Origin-Resource-Policy (Fetch).

use sfv::{Item, Parser};

use crate::Page;
use crate::fields::{HeaderFields, MAX_VALUE_CHARS, normal};
use crate::outcome::TestOutcome;

const COOP_SAME_ORIGIN: TestOutcome = TestOutcome::pass("coop-implemented-with-same-origin", 10);
const COOP_ALLOW_POPUPS: TestOutcome =
    TestOutcome::pass("coop-implemented-with-same-origin-allow-popups", 10);
const COOP_NOOPENER: TestOutcome = TestOutcome::pass("coop-implemented-with-noopener-allow-popups", 10);
const COOP_NONE: TestOutcome = TestOutcome::pass("coop-implemented-with-unsafe-none", 0);
const COOP_ABSENT: TestOutcome = TestOutcome::pass("coop-not-implemented", 0);
const COOP_INVALID: TestOutcome = TestOutcome::fail("coop-header-invalid", -5);

pub(crate) const OPENER_OUTCOMES: &[TestOutcome] =
    &[COOP_SAME_ORIGIN, COOP_ALLOW_POPUPS, COOP_NOOPENER, COOP_NONE, COOP_ABSENT, COOP_INVALID];

const COEP_REQUIRE_CORP: TestOutcome = TestOutcome::pass("coep-implemented-with-require-corp", 10);
const COEP_CREDENTIALLESS: TestOutcome = TestOutcome::pass("coep-implemented-with-credentialless", 10);
const COEP_NONE: TestOutcome = TestOutcome::pass("coep-implemented-with-unsafe-none", 0);
const COEP_ABSENT: TestOutcome = TestOutcome::pass("coep-not-implemented", 0);
const COEP_INVALID: TestOutcome = TestOutcome::fail("coep-header-invalid", -5);

pub(crate) const EMBEDDER_OUTCOMES: &[TestOutcome] =
    &[COEP_REQUIRE_CORP, COEP_CREDENTIALLESS, COEP_NONE, COEP_ABSENT, COEP_INVALID];

const CORP_SAME_ORIGIN: TestOutcome = TestOutcome::pass("corp-implemented-with-same-origin", 10);
const CORP_SAME_SITE: TestOutcome = TestOutcome::pass("corp-implemented-with-same-site", 10);
const CORP_CROSS_ORIGIN: TestOutcome = TestOutcome::pass("corp-implemented-with-cross-origin", 0);
const CORP_ABSENT: TestOutcome = TestOutcome::pass("corp-not-implemented", 0);
const CORP_INVALID: TestOutcome = TestOutcome::fail("corp-header-invalid", -5);

pub(crate) const RESOURCE_OUTCOMES: &[TestOutcome] =
    &[CORP_SAME_ORIGIN, CORP_SAME_SITE, CORP_CROSS_ORIGIN, CORP_ABSENT, CORP_INVALID];

pub(crate) fn opener(page: &Page) -> TestOutcome {
    match token(&page.fields, "cross-origin-opener-policy") {
        None => COOP_ABSENT,
        Some(token) => match token.as_str() {
            "same-origin" => COOP_SAME_ORIGIN,
            "same-origin-allow-popups" => COOP_ALLOW_POPUPS,
            "noopener-allow-popups" => COOP_NOOPENER,
            "unsafe-none" => COOP_NONE,
            _ => COOP_INVALID,
        },
    }
}

pub(crate) fn embedder(page: &Page) -> TestOutcome {
    match token(&page.fields, "cross-origin-embedder-policy") {
        None => COEP_ABSENT,
        Some(token) => match token.as_str() {
            "require-corp" => COEP_REQUIRE_CORP,
            "credentialless" => COEP_CREDENTIALLESS,
            "unsafe-none" => COEP_NONE,
            _ => COEP_INVALID,
        },
    }
}

pub(crate) fn resource(page: &Page) -> TestOutcome {
    match page.fields.filled("cross-origin-resource-policy").map(|value| normal(&value, 256)).as_deref() {
        None | Some("") => CORP_ABSENT,
        Some("same-origin") => CORP_SAME_ORIGIN,
        Some("same-site") => CORP_SAME_SITE,
        Some("cross-origin") => CORP_CROSS_ORIGIN,
        Some(_) => CORP_INVALID,
    }
}

/// The token of a field that is a structured item (RFC 8941), its parameters aside; empty where it is none.
fn token(fields: &HeaderFields, name: &str) -> Option<String> {
    let value = fields.filled(name)?;
    let cut: String = value.chars().take(MAX_VALUE_CHARS).collect();
    let item = Parser::new(cut.trim()).parse::<Item>().ok();
    let token = item.as_ref().and_then(|item| item.bare_item.as_token());
    Some(token.map_or_else(String::new, |token| token.as_str().to_owned()))
}

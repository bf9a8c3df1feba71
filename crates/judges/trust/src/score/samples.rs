//! Samples for the tests of several checks.

use dns::{Answer, Name};
use domain_name::DomainName;
use http_headers::{HeaderFields, Page};
use probe::site::{
    PageObservation, PreflightResult, ProbeFailure, RedirectChain, RedirectEnd, RedirectHop, SiteObservation,
    WellKnownText, WellKnownTextResult,
};
use proptest::prelude::*;
use url::Url;

use super::Status;

/// A name that is one.
pub(super) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// An answer of these records.
pub(super) fn found<T>(records: Vec<T>) -> Answer<T> {
    Answer::Found { records, ttl: 60 }
}

/// A site that answers with a bare page.
pub(super) fn bare_site() -> SiteObservation {
    let url = |text: &str| -> Url { text.parse().unwrap() };
    let way = |hops, end: &str| RedirectChain {
        hops,
        url: url(end),
        end: RedirectEnd::Answered(200),
        elapsed_ms: 1,
    };
    let text = |asked: &str| WellKnownText {
        asked: url(asked),
        end: WellKnownTextResult::Failed(ProbeFailure::Timeout),
        elapsed_ms: 1,
    };
    let home = "https://example.com/";
    SiteObservation {
        name: DomainName::parse("example.com").unwrap(),
        https: way(Vec::new(), home),
        http: way(vec![RedirectHop { url: url("http://example.com/"), status: 301, hsts: None }], home),
        page: Some(PageObservation {
            page: Page::new(url(home), HeaderFields::default(), ""),
            status: 200,
            bytes: 0,
            is_cut: false,
            sha256: String::new(),
        }),
        cors: PreflightResult::NotAsked,
        security_txt: text("https://example.com/.well-known/security.txt"),
        mta_sts: text("https://mta-sts.example.com/.well-known/mta-sts.txt"),
        preloaded: None,
    }
}

/// Any status of a check.
pub(in crate::score) fn status() -> impl Strategy<Value = Status> {
    prop::sample::select(vec![
        Status::Pass,
        Status::Warn,
        Status::Fail,
        Status::Unknown,
        Status::NotApplicable,
    ])
}

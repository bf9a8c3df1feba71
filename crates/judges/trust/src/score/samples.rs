//! What the tests of several checks are made of.

use dns::{Answer, Name};
use domain_name::DomainName;
use http_headers::{Fields, Page};
use probe::site::{CorsSeen, HopSeen, PageSeen, SiteSeen, TextEnd, TextSeen, Unseen, Way, WayEnd};
use url::Url;

/// A name that is one.
pub(super) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// An answer of these records.
pub(super) fn found<T>(records: Vec<T>) -> Answer<T> {
    Answer::Found { records, ttl: 60 }
}

/// A site that answers with a bare page.
pub(super) fn bare_site() -> SiteSeen {
    let url = |text: &str| -> Url { text.parse().unwrap() };
    let way = |hops, end: &str| Way { hops, url: url(end), end: WayEnd::Answered(200), elapsed_ms: 1 };
    let text =
        |asked: &str| TextSeen { asked: url(asked), end: TextEnd::Failed(Unseen::Timeout), elapsed_ms: 1 };
    let home = "https://example.com/";
    SiteSeen {
        name: DomainName::parse("example.com").unwrap(),
        https: way(Vec::new(), home),
        http: way(vec![HopSeen { url: url("http://example.com/"), status: 301, hsts: None }], home),
        page: Some(PageSeen {
            page: Page::new(url(home), Fields::default(), ""),
            status: 200,
            bytes: 0,
            is_cut: false,
            sha256: String::new(),
        }),
        cors: CorsSeen::NotAsked,
        security_txt: text("https://example.com/.well-known/security.txt"),
        mta_sts: text("https://mta-sts.example.com/.well-known/mta-sts.txt"),
        preloaded: None,
    }
}

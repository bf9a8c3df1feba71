//! The security headers of a site, scored as [MDN's HTTP Observatory](https://developer.mozilla.org/observatory) does:
//! the same tests, modifiers and grades, so that a site's owner can find the same figures there.
//!
//! A site starts with 100. Each test adds its [`TestOutcome`]'s modifier; those above 0 count only where all the others
//! leave at least [`BONUS_FROM`]. The rules are pure: the caller makes the requests, and passes their results as
//! [`ScanInput`].
//!
//! # Invariants
//!
//! - Only a page that was received is scored.
//!
//! - Every rule returns an outcome for every header and page, without a panic.
//!
//! ```
//! use domain_name::DomainName;
//! use http_headers::{HeaderFields, Http, Https, ScanInput, Page, PreloadList, analyze};
//!
//! let fields: HeaderFields = [("X-Frame-Options", "DENY")].into_iter().collect();
//! let page = Page::new("https://example.com/".parse()?, fields, "<!doctype html>");
//! let observed = ScanInput {
//!     host: "example.com",
//!     page: &page,
//!     https: Https::Answers,
//!     http: Http::Silent,
//!     cors: None,
//!     preload: &PreloadList::default(),
//! };
//! let report = analyze(&observed, &DomainName::parse("example.com")?);
//! assert_eq!(report.get("x-frame-options").map(|outcome| outcome.modifier), Some(5));
//! assert_eq!(report.score, 50); // no policy, no HSTS, and sniffing is not forbidden
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cookies;
mod cors;
mod csp;
mod fields;
mod html;
mod integrity;
mod isolation;
mod outcome;
mod policy;
mod preload;
mod report;
mod simple;
mod transport;

use serde::{Deserialize, Serialize};
use url::Url;

pub use fields::HeaderFields;
pub use html::{MAX_HTML_BYTES, Meta, ScriptElement, meta_refresh, refresh_target};
pub use outcome::TestOutcome;
pub use preload::{MAX_PRELOAD_BYTES, PreloadError};
pub use report::{BONUS_FROM, GRADES, HeadersReport, START, TESTS, Test, TestKind, analyze, grade};
pub use transport::{HSTS_LONG_SECONDS, PreloadList};

/// The input of a scan: the page of a site, and its answers over HTTPS and HTTP.
#[derive(Clone, Copy, Debug)]
pub struct ScanInput<'a> {
    /// The requested host.
    pub host: &'a str,
    /// The page at the end of all redirects, over HTTPS if the site answers there, and otherwise over HTTP.
    pub page: &'a Page,
    /// The result of the request over HTTPS.
    pub https: Https,
    /// The result of the request over plain HTTP.
    pub http: Http<'a>,
    /// The answer to a request from another origin; `None` where no such request was made.
    pub cors: Option<&'a Cors>,
    /// The preload list: the hosts for which browsers always use HTTPS.
    pub preload: &'a PreloadList,
}

/// A page: its URL, its header fields, and the relevant parts of its HTML.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Page {
    /// URL of the page.
    pub url: Url,
    /// Header fields of the response.
    pub fields: HeaderFields,
    /// Content of `meta` elements that stand in place of header fields.
    pub meta: Meta,
    /// The scripts, in their order.
    pub scripts: Vec<ScriptElement>,
}

impl Page {
    /// Makes a page from its URL, its header fields and its HTML, of which at most [`MAX_HTML_BYTES`] are read.
    #[must_use]
    pub fn new(url: Url, fields: HeaderFields, html: &str) -> Self {
        let (meta, scripts) = html::read(html);
        Self { url, fields, meta, scripts }
    }
}

/// Result of a request over HTTPS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Https {
    /// No server answered.
    Silent,
    /// The certificate is not valid for the host.
    InvalidCertificate,
    /// The page was received with a valid certificate.
    Answers,
}

/// Result of a request over plain HTTP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Http<'a> {
    /// No server answered.
    Silent,
    /// A redirect led to a host whose certificate is not valid.
    InvalidCertificate,
    /// The URLs of the request and its redirects, from the first to the last.
    Route(&'a [Url]),
}

/// The answer to a request with another origin.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cors {
    /// The origin in the request.
    pub origin: String,
    /// The header fields of the answer.
    pub fields: HeaderFields,
}

impl Cors {
    /// The least secure possible answer: it permits the origin, with credentials.
    pub fn universal(origin: &str) -> Self {
        let fields = [("access-control-allow-origin", origin), ("access-control-allow-credentials", "true")];
        Self { origin: origin.to_owned(), fields: fields.into_iter().collect() }
    }
}

#[cfg(test)]
mod examples {
    use std::sync::LazyLock;

    use super::*;

    static NO_PRELOADS: LazyLock<PreloadList> = LazyLock::new(PreloadList::default);

    impl Page {
        pub(super) fn example() -> Self {
            Self::new("https://www.example.com/".parse().unwrap(), HeaderFields::default(), "")
        }
    }

    impl<'a> ScanInput<'a> {
        pub(super) fn example(page: &'a Page) -> Self {
            let (https, http) = (Https::Answers, Http::Silent);
            Self { host: "www.example.com", page, https, http, cors: None, preload: &NO_PRELOADS }
        }
    }
}

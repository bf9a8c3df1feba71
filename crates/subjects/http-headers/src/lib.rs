//! The security headers of a site, scored as [MDN's HTTP Observatory](https://developer.mozilla.org/observatory) does:
//! the same tests, modifiers and grades, so that a site's owner finds the same figures there.
//!
//! A site starts with 100. Each test adds its [`TestOutcome`]'s modifier; those above 0 count only where all the others
//! leave at least [`BONUS_FROM`]. The rules are pure: whoever looked hands in what was [`ScanInput`].
//!
//! What never happens: a page that was not seen is scored; a header or a page makes a rule panic.
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
pub use html::{MAX_HTML_BYTES, Meta, ScriptElement};
pub use outcome::TestOutcome;
pub use preload::{MAX_PRELOAD_BYTES, PreloadError};
pub use report::{BONUS_FROM, GRADES, HeadersReport, START, TESTS, Test, TestKind, analyze, grade};
pub use transport::{HSTS_LONG_SECONDS, PreloadList};

/// Input of a scan: a site's page and its answers over HTTPS and HTTP.
#[derive(Clone, Copy, Debug)]
pub struct ScanInput<'a> {
    /// The host that was asked for.
    pub host: &'a str,
    /// The page at the end of all redirects: over HTTPS where that answers, else over HTTP.
    pub page: &'a Page,
    /// Result of the request over HTTPS.
    pub https: Https,
    /// Result of the request over plain HTTP.
    pub http: Http<'a>,
    /// The answer to a request from another origin, where one was made.
    pub cors: Option<&'a Cors>,
    /// The hosts that browsers know to use HTTPS.
    pub preload: &'a PreloadList,
}

/// A page: its address, its fields, and what its HTML says.
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
    /// A page with this text, of which at most [`MAX_HTML_BYTES`] are read.
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
    /// The certificate does not hold.
    InvalidCertificate,
    /// The page was answered under a certificate that holds.
    Answers,
}

/// Result of a request over plain HTTP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Http<'a> {
    /// No server answered.
    Silent,
    /// The request led to a certificate that does not hold.
    InvalidCertificate,
    /// The addresses that it went through, from the first to the last.
    Route(&'a [Url]),
}

/// An answer to a request that named another origin.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cors {
    /// The origin that was named.
    pub origin: String,
    /// The fields of the answer.
    pub fields: HeaderFields,
}

impl Cors {
    /// The worst answer that there is: the origin named again, with credentials.
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

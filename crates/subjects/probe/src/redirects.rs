//! Where an address leads: each redirect of its servers, and each refresh of its pages.

use std::time::Duration;

use fetch::{Fetcher, Limits, PageAnswer, PageAsk, PageFetch, UrlError};
use http::header::{CONTENT_TYPE, REFRESH};
use http_headers::{meta_refresh, refresh_target};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use url::Url;

use crate::site::ProbeFailure;

/// The most redirects and refreshes that are followed, together.
pub const MAX_HOPS: usize = 10;
/// The most bytes of a page in which a refresh is looked for.
pub const BODY_BYTES: usize = 64 << 10;
/// Timeout of all requests together.
pub const LOOK: Duration = Duration::from_millis(1700);

const HTML: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// The way from an address to the page at its end, as plain data. Addresses are without their fragments.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RedirectPath {
    /// The addresses that led on, in order. The last may not have been followed.
    pub hops: Vec<PathHop>,
    /// The address that answered or failed, or the target that was not followed.
    pub url: String,
    /// Result at the last address.
    pub end: PathEnd,
}

/// An address that led on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PathHop {
    /// The address.
    pub url: String,
    /// The HTTP status of its answer.
    pub status: u16,
    /// The way in which it led on.
    pub by: HopKind,
}

/// The way in which an address leads on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HopKind {
    /// A status of 3xx with `Location`.
    Redirect,
    /// The header field `Refresh`, or a `meta` element that stands for it.
    Refresh,
}

/// Result at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathEnd {
    /// The address answered with this HTTP status, and led no further.
    Answered(u16),
    /// The address leads back to one that led to it.
    Loop,
    /// The address has a scheme other than `http` and `https`, which a browser may open.
    OtherScheme,
    /// The address did not answer, or was not asked.
    Failed(ProbeFailure),
}

/// The probe of redirects. A clone is cheap and shares the fetcher's limits.
#[derive(Clone, Debug)]
pub struct RedirectProbe {
    fetcher: Fetcher,
}

/// Returns the limits of a fetcher for this probe: at most this many requests at once, a quarter of them to one network.
#[must_use]
pub fn limits(at_once: usize) -> Limits {
    Limits {
        resolve: Duration::from_millis(800),
        connect: Duration::from_millis(1200),
        total: LOOK,
        wire_bytes: BODY_BYTES,
        decoded_bytes: BODY_BYTES,
        redirects: MAX_HOPS,
        addresses: 4,
        per_network: at_once.div_ceil(4),
        in_all: at_once,
        reserved: at_once / 8,
        ..Limits::default()
    }
}

impl RedirectProbe {
    /// Builds a probe that uses this fetcher.
    #[must_use]
    pub fn new(fetcher: Fetcher) -> Self {
        Self { fetcher }
    }

    /// Follows an address to its end. It takes at most [`LOOK`] and the time to parse the pages.
    pub async fn follow(&self, url: &str) -> RedirectPath {
        let deadline = Instant::now() + LOOK;
        let mut path = RedirectPath { hops: Vec::new(), url: url.to_owned(), end: PathEnd::Loop };
        loop {
            let target = match self.fetcher.check_url(&path.url) {
                Ok(target) => target,
                Err(error) => return path.ending(refused(&error)),
            };
            let ask = PageAsk {
                accept: HTML,
                preflight_from: None,
                redirects: MAX_HOPS - path.hops.len(),
                below: None,
                body_bytes: BODY_BYTES,
                within: deadline.saturating_duration_since(Instant::now()),
            };
            let PageFetch { hops, url, end, .. } = self.fetcher.page(target, &ask).await;
            let redirects = hops.into_iter().map(|hop| PathHop {
                url: hop.url,
                status: hop.status,
                by: HopKind::Redirect,
            });
            path.hops.extend(redirects);
            path.url = url;
            if path.has_loop() {
                return path.ending(PathEnd::Loop);
            }
            let answer = match end {
                Ok(answer) => answer,
                Err(error) => {
                    let is_other_scheme =
                        Url::parse(&path.url).is_ok_and(|url| !matches!(url.scheme(), "http" | "https"));
                    let failed = PathEnd::Failed(ProbeFailure::from(&error));
                    return path.ending(if is_other_scheme { PathEnd::OtherScheme } else { failed });
                }
            };
            let status = answer.status;
            let Some(next) = refresh(&path.url, &answer) else {
                return path.ending(PathEnd::Answered(status));
            };
            path.hops.push(PathHop {
                url: std::mem::replace(&mut path.url, next),
                status,
                by: HopKind::Refresh,
            });
            if path.has_loop() {
                return path.ending(PathEnd::Loop);
            }
            if path.is_downgraded() {
                return path.ending(PathEnd::Failed(ProbeFailure::RedirectToHttp));
            }
            if path.hops.len() > MAX_HOPS {
                return path.ending(PathEnd::Failed(ProbeFailure::TooManyRedirects));
            }
        }
    }
}

impl RedirectPath {
    fn ending(self, end: PathEnd) -> Self {
        let end = match end {
            // The first address is the caller's; a later one was named by a server.
            PathEnd::Failed(ProbeFailure::AddressDenied) if !self.hops.is_empty() => {
                PathEnd::Failed(ProbeFailure::RedirectToPrivate)
            }
            end => end,
        };
        Self { end, ..self }
    }

    /// True if the last hop leads from `https` to `http`.
    fn is_downgraded(&self) -> bool {
        let from = self.hops.last().map_or("", |hop| &*hop.url);
        from.starts_with("https:") && self.url.starts_with("http:")
    }

    /// True if the address at the end is one of those that led to it.
    fn has_loop(&self) -> bool {
        self.hops.iter().any(|hop| hop.url == self.url)
    }
}

/// The address that a page refreshes to, without its fragment; `None` where it stays, or refreshes itself.
fn refresh(url: &str, answer: &PageAnswer) -> Option<String> {
    let base = Url::parse(url).ok()?;
    let by_field = answer.fields.get(REFRESH).and_then(|value| refresh_target(value.to_str().ok()?));
    let is_html = answer
        .fields
        .get(CONTENT_TYPE)
        .is_none_or(|kind| kind.as_bytes().to_ascii_lowercase().windows(4).any(|part| part == b"html"));
    let by_page = || meta_refresh(&String::from_utf8_lossy(&answer.body)).filter(|_| is_html);
    let target = by_field.map(str::to_owned).or_else(by_page)?;
    let mut next = base.join(&target).ok()?;
    next.set_fragment(None);
    (next.as_str() != url).then(|| next.into())
}

/// The end of a path at an address that is not asked.
fn refused(error: &UrlError) -> PathEnd {
    match error {
        UrlError::Refused(fetch::TargetRefusal::Address(_)) => PathEnd::Failed(ProbeFailure::AddressDenied),
        UrlError::Scheme => PathEnd::OtherScheme,
        _ => PathEnd::Failed(ProbeFailure::PolicyRefused),
    }
}

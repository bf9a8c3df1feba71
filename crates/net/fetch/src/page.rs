//! A page as a visitor gets it: the header fields of each hop, and the beginning of the body.
//!
//! [`Fetcher::get`] returns a complete answer or an error. [`Fetcher::page`] returns the redirects themselves, and the
//! answer or the error at their end. Every hop goes through the same guard, within the same bounds. A body that is
//! longer than the bound is cut, and [`PageAnswer::is_cut`] says so; a body that is malformed within the bound is an
//! error.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::ask::PageAsk;
use crate::client::{self, Fetcher, Visit};
use crate::connect::TlsInfo;
use crate::error::FetchError;
use crate::exchange::{Ask, Reply};
use crate::target::{self, RedirectRefusal, Target};

/// The redirects from a URL to a page, and the answer at their end.
#[derive(Debug)]
pub struct PageFetch {
    /// The redirects in order. The last of them may not have been followed.
    pub hops: Vec<PageHop>,
    /// The URL that answered or failed. For a redirect that was not followed, it is the redirect's target.
    pub url: String,
    /// The answer, or the reason why there is none.
    pub end: Result<PageAnswer, FetchError>,
    /// The time from the call to the end.
    pub elapsed: Duration,
}

/// One redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageHop {
    /// The URL that redirected.
    pub url: String,
    /// The HTTP status.
    pub status: u16,
    /// The header fields of the redirect.
    pub fields: HeaderMap,
}

/// The answer at the end of the redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAnswer {
    /// The HTTP status, 200 to 999.
    pub status: u16,
    /// The header fields of the answer.
    pub fields: HeaderMap,
    /// The bytes of the body that were read, after content decoding.
    pub body: Bytes,
    /// True if the body continues past the bound.
    pub is_cut: bool,
    /// The remote address of the connection.
    pub peer: SocketAddr,
    /// The TLS session of the connection; `None` for `http`.
    pub tls: Option<TlsInfo>,
}

impl Fetcher {
    /// Requests the page at `target` and follows redirects. An error is part of the result.
    pub async fn page(&self, target: Target, ask: &PageAsk) -> PageFetch {
        let started = Instant::now();
        let deadline = started + ask.within.min(self.limits().total);
        let (mut hops, mut url) = (Vec::new(), target.url().to_owned());
        let way = self.way(target, ask, deadline, &mut hops, &mut url);
        let end = timeout_at(deadline, way).await.unwrap_or(Err(FetchError::Timeout));
        client::count("page", &end);
        PageFetch { hops, url, end, elapsed: started.elapsed() }
    }

    async fn way(
        &self,
        mut target: Target,
        ask: &PageAsk,
        deadline: Instant,
        hops: &mut Vec<PageHop>,
        url: &mut String,
    ) -> Result<PageAnswer, FetchError> {
        loop {
            let connect = deadline.saturating_duration_since(Instant::now()) * 3 / 4;
            let visit = self.visit(&target, &mut Ask::Page { ask, connect }).await;
            let visit = if hops.is_empty() { visit } else { visit.map_err(FetchError::behind_redirect) };
            let Visit { reply, peer, tls } = visit?;
            match reply {
                Reply::Answer { status, headers, body, is_cut, .. } => {
                    return Ok(PageAnswer { status, fields: headers, body, is_cut, peer, tls });
                }
                Reply::Redirect { status, location, headers } => {
                    hops.push(PageHop { url: url.clone(), status, fields: headers });
                    if let Some(to) = leads_to(&target, location.as_bytes()) {
                        *url = to.into();
                    }
                    if hops.len() > ask.redirects.min(self.limits().redirects) {
                        return Err(FetchError::TooManyRedirects);
                    }
                    target = target.redirected(location.as_bytes(), self.policy())?;
                    if ask.below.as_deref().is_some_and(|name| !target.is_below(name)) {
                        return Err(RedirectRefusal::Elsewhere.into());
                    }
                }
            }
        }
    }
}

/// Returns the URL that a redirect names, even if policy refuses it.
fn leads_to(target: &Target, location: &[u8]) -> Option<Url> {
    let base = Url::parse(target.url()).ok()?;
    let mut url = target::parse(std::str::from_utf8(location).ok()?, Some(&base)).ok()?;
    url.set_fragment(None);
    Some(url)
}

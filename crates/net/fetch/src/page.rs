//! A page as its visitors get it: each hop's header fields, and the beginning of the body.
//!
//! [`Fetcher::get`] gives a whole answer or none. Here the way itself is what is asked for: where it led, and where
//! and why it ended. Every hop goes through the same guard, within the same bounds. Only the body's length is treated
//! leniently: past the bound it is cut, and the cut is told; a body that is not sound as far as it is read is an
//! error.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::ask::PageAsk;
use crate::client::{Fetcher, Visit};
use crate::connect::TlsInfo;
use crate::error::FetchError;
use crate::exchange::{Ask, Reply};
use crate::target::{self, RedirectRefusal, Target};

/// The way to a page, and its end.
#[derive(Debug)]
pub struct PageFetch {
    /// The redirects that were met, in order, the last of them perhaps not followed.
    pub hops: Vec<PageHop>,
    /// The URL that answered or failed, or that a redirect led to which was not followed.
    pub url: String,
    /// The answer, or why there is none.
    pub end: Result<PageAnswer, FetchError>,
    /// From the call to the end.
    pub elapsed: Duration,
}

/// A redirect on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageHop {
    /// The URL that redirected.
    pub url: String,
    /// The HTTP status.
    pub status: u16,
    /// The header fields.
    pub fields: HeaderMap,
}

/// The answer at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAnswer {
    /// The status, 200 to 999.
    pub status: u16,
    /// The header fields.
    pub fields: HeaderMap,
    /// The body as far as it was read, decoded.
    pub body: Bytes,
    /// True if the body continues past the bound.
    pub is_cut: bool,
    /// The address that answered.
    pub peer: SocketAddr,
    /// The TLS session; `None` for `http`.
    pub tls: Option<TlsInfo>,
}

impl Fetcher {
    /// Looks at `target`, following redirects.
    pub async fn page(&self, target: Target, ask: &PageAsk) -> PageFetch {
        let started = Instant::now();
        let deadline = started + ask.within.min(self.limits().total);
        let (mut hops, mut url) = (Vec::new(), target.url().to_owned());
        let way = self.way(target, ask, deadline, &mut hops, &mut url);
        let end = timeout_at(deadline, way).await.unwrap_or(Err(FetchError::Timeout));
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

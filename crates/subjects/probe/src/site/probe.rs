//! The probe of a site: every request at once, all within the same time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use domain_name::DomainName;
use fetch::{FetchError, Fetcher, PageAnswer, PageAsk, PageFetch, RedirectRefusal};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join, join3};
use http_headers::{Cors, MAX_HTML_BYTES, PreloadList};
use tokio::time::Instant;
use url::Url;

use super::observation::{
    PageObservation, PreflightResult, RedirectChain, RedirectEnd, SiteObservation, WellKnownText,
    WellKnownTextResult,
};
use super::{ProbeFailure, keep};
use crate::elapsed::millis;

/// Timeout of all requests of a look together.
pub const LOOK: Duration = Duration::from_millis(1500);
/// Maximum number of concurrent requests of a look.
pub const CONNECTIONS: usize = 5;
/// The origin of the CORS preflight request, which belongs to nobody (`.invalid`, RFC 6761).
pub const FOREIGN_ORIGIN: &str = "https://origin.invalid";

const HTML: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const TEXT: &str = "text/plain,*/*;q=0.8";

/// The site probe. A clone is cheap and shares the fetcher's limits.
///
/// The fetcher must permit [`CONNECTIONS`] connections to one host.
#[derive(Clone, Debug)]
pub struct SiteProbe {
    fetcher: Fetcher,
    https_port: u16,
    http_port: u16,
    preload: Option<Arc<PreloadList>>,
}

impl SiteProbe {
    /// Builds a probe that uses this fetcher and these ports: 443 and 80, except in a laboratory.
    #[must_use]
    pub fn new(fetcher: Fetcher, https_port: u16, http_port: u16) -> Self {
        Self { fetcher, https_port, http_port, preload: None }
    }

    /// Adds the HSTS preload list.
    #[must_use]
    pub fn with_preload(mut self, list: Arc<PreloadList>) -> Self {
        self.preload = Some(list);
        self
    }

    /// Observes a site below a registrable name. It takes at most [`LOOK`] and the time to parse a page.
    ///
    /// If the site redirects to a site of another owner, only the page is requested there, so that a domain cannot make
    /// this service a burden to others.
    pub fn look<'a>(
        &'a self,
        name: &'a DomainName,
        registrable: &'a DomainName,
    ) -> BoxFuture<'a, SiteObservation> {
        async move {
            let deadline = Instant::now() + LOOK;
            let https = self.url("https", name.as_str(), "/");
            let texts = join(
                self.text(
                    self.url("https", name.as_str(), "/.well-known/security.txt"),
                    Some(registrable),
                    deadline,
                ),
                // RFC 8461 section 3.3: redirects are not followed.
                self.text(
                    self.url("https", &format!("mta-sts.{name}"), "/.well-known/mta-sts.txt"),
                    None,
                    deadline,
                ),
            );
            let plain = self.visit(self.url("http", name.as_str(), "/"), deadline);
            let secure = async {
                // Most pages do not redirect. For them the preflight need not wait for the page.
                let (visit, early) =
                    join(self.visit(https.clone(), deadline), self.preflight(&https, deadline)).await;
                let cors = self.cors(&visit, &https, early, deadline).await;
                (visit, cors)
            };
            let ((security_txt, mta_sts), http, (https, cors)) = join3(texts, plain, secure).await;
            let (https, page) = https.kept(true);
            let (http, plain_page) = http.kept(page.is_none());
            let page = page.or(plain_page);
            let preloaded = self.preload.as_ref().map(|list| listed(list, name, &[&https, &http]));
            SiteObservation { name: name.clone(), https, http, page, cors, security_txt, mta_sts, preloaded }
        }
        .boxed()
    }

    async fn visit(&self, url: Url, deadline: Instant) -> PageVisit {
        let ask = PageAsk {
            accept: HTML,
            preflight_from: None,
            redirects: keep::MAX_REDIRECTS,
            below: None,
            body_bytes: MAX_HTML_BYTES,
            within: deadline.saturating_duration_since(Instant::now()),
        };
        PageVisit { page: self.page(&url, &ask).await, url }
    }

    /// Asks at this address alone.
    async fn preflight(&self, url: &Url, deadline: Instant) -> Result<PageFetch, ProbeFailure> {
        let ask = PageAsk {
            accept: "*/*",
            preflight_from: Some(FOREIGN_ORIGIN),
            redirects: 0,
            below: None,
            body_bytes: 0,
            within: deadline.saturating_duration_since(Instant::now()),
        };
        self.page(url, &ask).await
    }

    /// The preflight of the page that counts: the early one where the page is at that address, else one of its own.
    async fn cors(
        &self,
        visit: &PageVisit,
        early_url: &Url,
        early: Result<PageFetch, ProbeFailure>,
        deadline: Instant,
    ) -> PreflightResult {
        let Ok(PageFetch { end: Ok(_), url, .. }) = &visit.page else { return PreflightResult::NotAsked };
        let preflight = match Url::parse(url) {
            Ok(url) if url == *early_url => early,
            Ok(url) => self.preflight(&url, deadline).await,
            Err(_) => return PreflightResult::NotAsked,
        };
        match preflight.and_then(|page| page.end.map_err(|error| ProbeFailure::from(&error))) {
            Ok(PageAnswer { status, fields, .. }) => {
                let (origin, fields) = (FOREIGN_ORIGIN.to_owned(), keep::cors(&fields));
                PreflightResult::Answered(status, Cors { origin, fields })
            }
            Err(unseen) => PreflightResult::Failed(unseen),
        }
    }

    /// A text, to which redirects are followed below one name alone, or not at all.
    async fn text(&self, asked: Url, below: Option<&DomainName>, deadline: Instant) -> WellKnownText {
        let ask = PageAsk {
            accept: TEXT,
            preflight_from: None,
            redirects: if below.is_some() { keep::MAX_REDIRECTS } else { 0 },
            below: below.map(DomainName::to_string),
            body_bytes: keep::TEXT_BYTES,
            within: deadline.saturating_duration_since(Instant::now()),
        };
        let started = Instant::now();
        let end = match self.page(&asked, &ask).await {
            Ok(PageFetch { end: Ok(answer), url, .. }) => answered(&answer, &url, &asked),
            Ok(PageFetch {
                end: Err(FetchError::RedirectRefused(RedirectRefusal::Elsewhere)), url, ..
            }) => WellKnownTextResult::LeftSite(
                Url::parse(&url).map_or_else(|_| asked.clone(), |url| keep::shown(&url)),
            ),
            Ok(PageFetch { end: Err(error), .. }) => WellKnownTextResult::Failed(ProbeFailure::from(&error)),
            Err(unseen) => WellKnownTextResult::Failed(unseen),
        };
        WellKnownText { asked, end, elapsed_ms: millis(started.elapsed()) }
    }

    async fn page(&self, url: &Url, ask: &PageAsk) -> Result<PageFetch, ProbeFailure> {
        match self.fetcher.check_url(url.as_str()) {
            Ok(target) => Ok(self.fetcher.page(target, ask).await),
            // The URL is made of a host name, so only the policy can refuse it.
            Err(_) => Err(ProbeFailure::PolicyRefused),
        }
    }

    fn url(&self, scheme: &str, host: &str, path: &str) -> Url {
        let port = if scheme == "https" { self.https_port } else { self.http_port };
        let url = Url::parse(&format!("{scheme}://{host}:{port}{path}"));
        url.expect("a host name, a port and a fixed path are a URL")
    }
}

/// A page request and its result.
struct PageVisit {
    url: Url,
    page: Result<PageFetch, ProbeFailure>,
}

impl PageVisit {
    /// The way and, where it ends at a page and that is wanted, the page.
    fn kept(self, wants_page: bool) -> (RedirectChain, Option<PageObservation>) {
        let page = match self.page {
            Ok(page) => page,
            Err(unseen) => {
                let end = RedirectEnd::Failed(unseen);
                return (RedirectChain { hops: Vec::new(), url: self.url, end, elapsed_ms: 0 }, None);
            }
        };
        let url = Url::parse(&page.url).unwrap_or(self.url);
        let (end, seen) = match &page.end {
            Ok(answer) if !wants_page => (RedirectEnd::Answered(answer.status), None),
            Ok(answer) => match keep::page(url.clone(), answer) {
                Some(seen) => (RedirectEnd::Answered(answer.status), Some(seen)),
                None => (RedirectEnd::Failed(ProbeFailure::TooLarge), None),
            },
            Err(error) => (RedirectEnd::Failed(ProbeFailure::from(error)), None),
        };
        let hops = keep::hops(&page.hops);
        (RedirectChain { hops, url: keep::shown(&url), end, elapsed_ms: millis(page.elapsed) }, seen)
    }
}

/// The hosts of a look that are on a list.
fn listed(list: &PreloadList, name: &DomainName, ways: &[&RedirectChain]) -> Vec<String> {
    let route = ways.iter().flat_map(|way| way.route());
    let met = route.filter_map(|url| url.host_str().map(str::to_owned));
    let hosts: BTreeSet<String> = met.chain([name.to_string()]).collect();
    hosts.into_iter().filter(|host| list.covers(host)).collect()
}

fn answered(answer: &PageAnswer, url: &str, asked: &Url) -> WellKnownTextResult {
    let is_success = (200..300).contains(&answer.status);
    let (text, is_longer) = if is_success { keep::text(&answer.body) } else { (String::new(), false) };
    WellKnownTextResult::Answered {
        url: Url::parse(url).map_or_else(|_| asked.clone(), |url| keep::shown(&url)),
        status: answer.status,
        content_type: keep::content_type(&answer.fields),
        text,
        is_cut: is_success && (answer.is_cut || is_longer),
    }
}

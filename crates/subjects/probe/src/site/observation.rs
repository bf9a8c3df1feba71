//! What was seen of a site, as it is kept.

use domain_name::DomainName;
use http_headers::{Cors, Page};
use serde::{Deserialize, Serialize};
use url::Url;

use super::ProbeFailure;

/// What was seen of a site: plain data, under 64 KiB as JSON, from which everything that is said of the site follows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteObservation {
    /// The name that was looked at.
    pub name: DomainName,
    /// Where `https://name/` leads.
    pub https: Route,
    /// Where `http://name/` leads.
    pub http: Route,
    /// The page that counts: at the end of the way over HTTPS where that answers, else of the one over HTTP.
    pub page: Option<PageObservation>,
    /// The answer to a page of another origin.
    pub cors: PreflightResult,
    /// `https://name/.well-known/security.txt`.
    pub security_txt: WellKnownText,
    /// `https://mta-sts.name/.well-known/mta-sts.txt`.
    pub mta_sts: WellKnownText,
    /// Which of the hosts that were met are on the HSTS preload list, or covered by it; absent where there is no list.
    pub preloaded: Option<Vec<String>>,
}

/// Where a URL leads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Route {
    /// The redirects, in order; the last of them perhaps not followed.
    pub hops: Vec<RedirectHop>,
    /// The URL that answered or failed, or that a redirect led to which was not followed. Here and everywhere, URLs are
    /// kept without their queries.
    pub url: Url,
    /// What happened there.
    pub end: RouteEnd,
    /// How long it took.
    pub elapsed_ms: u32,
}

/// A redirect.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RedirectHop {
    /// The URL that redirected.
    pub url: Url,
    /// Its status.
    pub status: u16,
    /// Its `Strict-Transport-Security`, of the first redirect only.
    pub hsts: Option<String>,
}

/// What happened at the end of a way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteEnd {
    /// It answered with this status.
    Answered(u16),
    /// It did not answer.
    Failed(ProbeFailure),
}

/// A page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PageObservation {
    /// Its address, the fields that rules look at, and what its HTML says.
    pub page: Page,
    /// Its status.
    pub status: u16,
    /// How many bytes of it were read.
    pub bytes: u64,
    /// Whether there are more.
    pub is_cut: bool,
    /// The SHA-256 of what was read, in hexadecimal digits.
    pub sha256: String,
}

/// What became of the request of another origin.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreflightResult {
    /// There was no page to ask for.
    NotAsked,
    /// An answer, with its status.
    Answered(u16, Cors),
    /// None.
    Failed(ProbeFailure),
}

/// A text at a well-known place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WellKnownText {
    /// Where it was asked for.
    pub asked: Url,
    /// What became of it.
    pub end: WellKnownTextResult,
    /// How long it took.
    pub elapsed_ms: u32,
}

/// What became of a text that was asked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WellKnownTextResult {
    /// It was answered, as it should be or not.
    Answered {
        /// Where it was found.
        url: Url,
        /// The status.
        status: u16,
        /// The `Content-Type`.
        content_type: Option<String>,
        /// The text; empty where the status is no success.
        text: String,
        /// Whether there is more of it.
        is_cut: bool,
    },
    /// A redirect to a site below another registrable name, which was not followed.
    LeftSite(Url),
    /// No answer.
    Failed(ProbeFailure),
}

impl SiteObservation {
    /// The `Strict-Transport-Security` of the name itself: the first answer's, be it a redirect.
    #[must_use]
    pub fn hsts(&self) -> Option<String> {
        match self.https.hops.first() {
            Some(hop) => hop.hsts.clone(),
            None => {
                let page =
                    self.page.as_ref().map(|seen| &seen.page).filter(|page| page.url.scheme() == "https");
                page.and_then(|page| page.fields.get("strict-transport-security"))
            }
        }
    }

    /// Whether something was not seen that another look may see.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        let of_text = |text: &WellKnownText| match text.end {
            WellKnownTextResult::Answered { .. } | WellKnownTextResult::LeftSite(_) => None,
            WellKnownTextResult::Failed(unseen) => Some(unseen),
        };
        let cors = if let PreflightResult::Failed(unseen) = self.cors { Some(unseen) } else { None };
        let all = [self.https.failure(), self.http.failure(), cors];
        let all = all.into_iter().chain([of_text(&self.security_txt), of_text(&self.mta_sts)]);
        all.flatten().any(|unseen| !unseen.is_the_site_s())
    }
}

impl Route {
    /// Why there is no answer.
    #[must_use]
    pub fn failure(&self) -> Option<ProbeFailure> {
        match self.end {
            RouteEnd::Answered(_) => None,
            RouteEnd::Failed(unseen) => Some(unseen),
        }
    }

    /// The URLs of the way, from the first to the last.
    #[must_use]
    pub fn route(&self) -> Vec<Url> {
        let hops = self.hops.iter().map(|hop| hop.url.clone());
        hops.chain([self.url.clone()]).collect()
    }
}

#[cfg(test)]
impl SiteObservation {
    /// A site that answers with a bare page.
    pub(crate) fn example() -> Self {
        let url = |text: &str| -> Url { text.parse().unwrap() };
        let way =
            |hops, end: &str| Route { hops, url: url(end), end: RouteEnd::Answered(200), elapsed_ms: 1 };
        let text = |asked: &str| WellKnownText {
            asked: url(asked),
            end: WellKnownTextResult::Failed(ProbeFailure::Timeout),
            elapsed_ms: 1,
        };
        let home = "https://example.com/";
        Self {
            name: DomainName::parse("example.com").unwrap(),
            https: way(Vec::new(), home),
            http: way(vec![RedirectHop { url: url("http://example.com/"), status: 301, hsts: None }], home),
            page: Some(PageObservation {
                page: Page::new(url(home), http_headers::Fields::default(), ""),
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
}

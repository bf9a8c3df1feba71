//! Observations of sites, as they are stored as evidence.

use domain_name::DomainName;
use http_headers::{Cors, Page};
use serde::{Deserialize, Serialize};
use url::Url;

use super::ProbeFailure;

/// Observation of a site: plain data, under 64 KiB as JSON, from which everything that is said of the site follows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteObservation {
    /// The name that was looked at.
    pub name: DomainName,
    /// Redirects from `https://name/`.
    pub https: RedirectChain,
    /// Redirects from `http://name/`.
    pub http: RedirectChain,
    /// The page that counts: at the end of the way over HTTPS where that answers, else of the one over HTTP.
    pub page: Option<PageObservation>,
    /// The answer to a page of another origin.
    pub cors: PreflightResult,
    /// The text at `https://name/.well-known/security.txt` (RFC 9116).
    pub security_txt: WellKnownText,
    /// The text at `https://mta-sts.name/.well-known/mta-sts.txt` (RFC 8461).
    pub mta_sts: WellKnownText,
    /// Hosts of the redirects that are on the HSTS preload list, or covered by it; absent where there is no list.
    pub preloaded: Option<Vec<String>>,
}

/// Redirects from a URL, and their end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RedirectChain {
    /// The redirects, in order; the last of them perhaps not followed.
    pub hops: Vec<RedirectHop>,
    /// The URL that answered or failed, or that a redirect led to which was not followed. Here and everywhere, URLs are
    /// kept without their queries.
    pub url: Url,
    /// Result at that URL.
    pub end: RedirectEnd,
    /// Time taken, in milliseconds.
    pub elapsed_ms: u32,
}

/// A redirect of a chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RedirectHop {
    /// The URL that redirected.
    pub url: Url,
    /// Status of the redirect.
    pub status: u16,
    /// Value of `Strict-Transport-Security`, of the first redirect only.
    pub hsts: Option<String>,
}

/// Result at the end of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedirectEnd {
    /// The URL answered with this status.
    Answered(u16),
    /// The URL did not answer.
    Failed(ProbeFailure),
}

/// Observation of a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PageObservation {
    /// URL of the page, the header fields that rules look at, and the content of its HTML that they look at.
    pub page: Page,
    /// Status of the answer.
    pub status: u16,
    /// Number of bytes that were read.
    pub bytes: u64,
    /// True if there are more.
    pub is_cut: bool,
    /// The SHA-256 of what was read, in hexadecimal digits.
    pub sha256: String,
}

/// Result of the preflight request (CORS).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreflightResult {
    /// There was no page to ask for.
    NotAsked,
    /// An answer, with its status.
    Answered(u16, Cors),
    /// The request failed.
    Failed(ProbeFailure),
}

/// A text at a well-known place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WellKnownText {
    /// The URL that was asked for.
    pub asked: Url,
    /// Result of the request.
    pub end: WellKnownTextResult,
    /// Time taken, in milliseconds.
    pub elapsed_ms: u32,
}

/// Result of a request for a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WellKnownTextResult {
    /// The server answered, as it should or not.
    Answered {
        /// The URL at the end of the redirects.
        url: Url,
        /// The status.
        status: u16,
        /// The `Content-Type`.
        content_type: Option<String>,
        /// The text; empty where the status is no success.
        text: String,
        /// True if there is more of the text.
        is_cut: bool,
    },
    /// A redirect to a site below another registrable name, which was not followed.
    LeftSite(Url),
    /// The request failed.
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

    /// True if another look may see a part that this one did not see.
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

impl RedirectChain {
    /// Reason of the failure; `None` where the URL answered.
    #[must_use]
    pub fn failure(&self) -> Option<ProbeFailure> {
        match self.end {
            RedirectEnd::Answered(_) => None,
            RedirectEnd::Failed(unseen) => Some(unseen),
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
        Self {
            name: DomainName::parse("example.com").unwrap(),
            https: way(Vec::new(), home),
            http: way(vec![RedirectHop { url: url("http://example.com/"), status: 301, hsts: None }], home),
            page: Some(PageObservation {
                page: Page::new(url(home), http_headers::HeaderFields::default(), ""),
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

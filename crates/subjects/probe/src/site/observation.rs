//! Observations of sites, as they are stored as evidence.

use domain_name::DomainName;
use http_headers::{Cors, Page};
use serde::{Deserialize, Serialize};
use url::Url;

use super::ProbeFailure;

/// Observation of a site, as plain data of less than 64 KiB of JSON. Every statement about the site is derived from it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteObservation {
    /// The name of the site.
    pub name: DomainName,
    /// Redirects from `https://name/`.
    pub https: RedirectChain,
    /// Redirects from `http://name/`.
    pub http: RedirectChain,
    /// The page that is assessed: the end of the HTTPS chain if it answers, else the end of the HTTP chain. `None` if
    /// neither answers.
    pub page: Option<PageObservation>,
    /// The reply to a CORS preflight request from a foreign origin.
    pub cors: PreflightResult,
    /// The text at `https://name/.well-known/security.txt` (RFC 9116).
    pub security_txt: WellKnownText,
    /// The text at `https://mta-sts.name/.well-known/mta-sts.txt` (RFC 8461).
    pub mta_sts: WellKnownText,
    /// Hosts of the redirects that are covered by the HSTS preload list; `None` if no list is configured.
    pub preloaded: Option<Vec<String>>,
}

/// The redirects from a URL, and the URL at their end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RedirectChain {
    /// The redirects, in order. The last one may not have been followed.
    pub hops: Vec<RedirectHop>,
    /// The URL that answered or failed, or the target of a redirect that was not followed. All URLs in an observation
    /// are without their query.
    pub url: Url,
    /// Result at the last URL.
    pub end: RedirectEnd,
    /// Duration, in milliseconds.
    pub elapsed_ms: u32,
}

/// A redirect of a chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RedirectHop {
    /// The URL that redirected.
    pub url: Url,
    /// HTTP status of the redirect.
    pub status: u16,
    /// Value of `Strict-Transport-Security`, kept for the first redirect only; `None` if absent.
    pub hsts: Option<String>,
}

/// Result at the end of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedirectEnd {
    /// The URL answered with this HTTP status.
    Answered(u16),
    /// The URL did not answer.
    Failed(ProbeFailure),
}

/// Observation of a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PageObservation {
    /// URL of the page, the header fields that the rules use, and the facts about its HTML that they use.
    pub page: Page,
    /// HTTP status of the answer.
    pub status: u16,
    /// Number of bytes of the body that were read.
    pub bytes: u64,
    /// True if the body is longer.
    pub is_cut: bool,
    /// SHA-256 of the bytes that were read, in hex.
    pub sha256: String,
}

/// Result of a CORS preflight request (Fetch standard).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreflightResult {
    /// No request was sent, because there was no page.
    NotAsked,
    /// The server answered with this HTTP status and these CORS fields.
    Answered(u16, Cors),
    /// The request failed.
    Failed(ProbeFailure),
}

/// A text at a well-known URI (RFC 8615).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WellKnownText {
    /// The URL of the request.
    pub asked: Url,
    /// Result of the request.
    pub end: WellKnownTextResult,
    /// Duration of the request, in milliseconds.
    pub elapsed_ms: u32,
}

/// Result of a request for a text at a well-known URI.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WellKnownTextResult {
    /// The server answered, with a text or with another status.
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
    /// The server redirected to a site of another registrable name; the redirect was not followed.
    LeftSite(Url),
    /// The request failed.
    Failed(ProbeFailure),
}

impl SiteObservation {
    /// Returns the `Strict-Transport-Security` of the name itself, which is in the first answer, even if that is a
    /// redirect; `None` if absent.
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

    /// Returns true if a repeated probe may observe a part that this one did not.
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
    /// Returns the reason of the failure; `None` if the URL answered.
    #[must_use]
    pub fn failure(&self) -> Option<ProbeFailure> {
        match self.end {
            RedirectEnd::Answered(_) => None,
            RedirectEnd::Failed(unseen) => Some(unseen),
        }
    }

    /// Returns the URLs of the chain, from first to last.
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

//! The judge of `/scan-url`.

use std::time::Duration;

use probe::redirects::{RedirectPath, RedirectProbe};
use probe::registry::Registry;
use receipt::json::{Json, Object};
use threat_feeds::Feeds;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use verdict::{EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Timestamp, Unavailable};
use web_address::WebAddress;

use super::question::{AGE, FOLLOW, URL, UrlQuestion};
use super::scan::{UrlFinding, find, registered, targets};
use crate::observations::Observations;
use crate::page;
use crate::secret_places::{AddressSecrets, redacted_hop};

/// The most addresses that are followed, or asked the age of, at once.
pub const FOLLOWED_AT_ONCE: usize = 32;
/// Maximum wait for a place.
const WAIT: Duration = Duration::from_millis(200);

/// Whom the judge of addresses asks.
#[derive(Clone)]
pub struct UrlSources {
    /// Follows redirects.
    pub redirects: RedirectProbe,
    /// Knows when domains were registered.
    pub registry: Registry,
}

/// The judge of `POST /scan-url`.
pub struct UrlJudge {
    feeds: Feeds,
    /// `None` for replays, which ask nobody.
    sources: Option<UrlSources>,
    places: Semaphore,
}

impl UrlJudge {
    /// Builds a judge that asks these feeds and sources; one without sources only replays, and scans what needs none.
    #[must_use]
    pub fn new(feeds: Feeds, sources: Option<UrlSources>) -> Self {
        Self { feeds, sources, places: Semaphore::new(FOLLOWED_AT_ONCE) }
    }

    async fn look(&self, question: &UrlQuestion, at: Timestamp) -> Result<Observations, Unavailable> {
        let mut seen = Observations::of_feeds(&self.feeds, std::iter::once(&question.address), at);
        if !question.follow && !question.age {
            return Ok(seen);
        }
        let unavailable =
            |detail: &str| Unavailable { module: "safety", retry_after_s: 1, detail: detail.to_owned() };
        let sources = self.sources.as_ref().ok_or_else(|| unavailable("nothing to look with"))?;
        let Ok(Ok(_place)) = timeout(WAIT, self.places.acquire()).await else {
            return Err(unavailable("too many addresses are followed just now"));
        };
        let path = async {
            let has_page = matches!(question.address.scheme(), "http" | "https");
            if question.follow && has_page {
                Some(sources.redirects.follow(question.address.text()).await)
            } else {
                None
            }
        };
        let registration = async {
            let registered = registered(&question.address).filter(|_| question.age)?;
            Some(sources.registry.look(&registered, at).await)
        };
        let (path, registration) = tokio::join!(path, registration);
        if let Some(path) = &path {
            for (number, url) in targets(path).enumerate() {
                if let Ok(address) = WebAddress::parse(url) {
                    seen.list(&self.feeds, number + 1, &address);
                }
            }
        }
        Ok(Observations { path: path.map(redacted), registration, ..seen })
    }
}

/// The path with every secret in it replaced: an address on the way may carry a token.
fn redacted(mut path: RedirectPath) -> RedirectPath {
    for hop in &mut path.hops {
        hop.url = redacted_hop(&hop.url);
    }
    path.url = redacted_hop(&path.url);
    path
}

impl Judge for UrlJudge {
    type Question = UrlQuestion;
    type Finding = UrlFinding;

    async fn judge(
        &self,
        question: &UrlQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<UrlFinding>, Unavailable> {
        let seen = self.look(question, context.at).await?;
        let blob = seen.blob();
        Ok(EvidencedFinding { finding: find(question, &seen, blob.sha256()), evidence: vec![blob] })
    }

    fn replay(
        &self,
        question: &UrlQuestion,
        evidence: &[EvidenceBlob],
        _: Timestamp,
    ) -> Result<UrlFinding, EvidenceMissing> {
        let (seen, observations) = Observations::of_blobs(evidence)?;
        Ok(find(question, &seen, observations))
    }

    const REDACTS: bool = true;

    fn kept_request(&self, question: &UrlQuestion, request: &Object) -> Object {
        let url = AddressSecrets::of(&question.url, &question.address).redacted(&question.url);
        crate::kept(request, &[FOLLOW.name, AGE.name], URL.name, url)
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

//! The judge: looks, and finds.

use fetch::{FetchError, Fetched, Fetcher, Priority};
use module::BlockingPool;
use receipt::json::Json;
use verdict::{EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Timestamp, Unavailable};

use crate::finding::ClaimFinding;
use crate::question::{ClaimQuestion, ClaimResolver, UrlJson};
use crate::reading::{self, unavailable};
use crate::{page, signature, url_json};

/// The judge of `POST /claim-verdict`.
///
/// ```no_run
/// use claim::{ClaimJudge, ClaimQuestion};
/// use fetch::{Fetcher, Limits, Policy};
/// use verdict::{Judge, Timestamp};
///
/// # async fn example(question: ClaimQuestion, at: Timestamp) -> Result<(), Box<dyn std::error::Error>> {
/// let judge = ClaimJudge::new(Fetcher::system(Policy::production(), Limits::default())?);
/// let judged = judge.judge(&question, at.into()).await?;
/// // A dispute finds the same on what was kept.
/// assert_eq!(judge.replay(&question, &judged.evidence, at)?, judged.finding);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ClaimJudge {
    fetcher: Fetcher,
    readers: BlockingPool,
}

impl ClaimJudge {
    /// Builds a judge that fetches documents with this fetcher, whose policy decides on the permitted addresses.
    #[must_use]
    pub fn new(fetcher: Fetcher) -> Self {
        Self { fetcher, readers: reading::readers() }
    }

    /// Fetches the document, or tells the reason why there is none. A refusal and a failure are something to
    /// find on too; only a fetch that was never tried is not.
    async fn look(
        &self,
        question: &UrlJson,
        has_priority: bool,
    ) -> Result<Result<Fetched, &'static str>, Unavailable> {
        let target = match self.fetcher.check_url(&question.url) {
            Ok(target) => target,
            Err(error) => return Ok(Err(error.code())),
        };
        let priority = if has_priority { Priority::High } else { Priority::Ordinary };
        match self.fetcher.with_priority(priority).get(target).await {
            Ok(fetched) => Ok(Ok(fetched)),
            Err(error @ FetchError::Busy) => Err(unavailable(error.to_string())),
            Err(error) => Ok(Err(error.code())),
        }
    }

    async fn judge_url_json(
        &self,
        claim: &str,
        question: &UrlJson,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<ClaimFinding>, Unavailable> {
        let looked = self.look(question, context.has_priority).await?;
        let at = context.at;
        let bytes = looked.as_ref().map_or(0, |fetched| fetched.body.len());
        let (claim, question) = (claim.to_owned(), question.clone());
        let read = move || url_json::judge(&claim, &question, looked, at);
        reading::read(&self.readers, bytes, read).await
    }
}

impl Judge for ClaimJudge {
    type Question = ClaimQuestion;
    type Finding = ClaimFinding;

    async fn judge(
        &self,
        question: &ClaimQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<ClaimFinding>, Unavailable> {
        match &question.resolver {
            ClaimResolver::UrlJson(resolver) => self.judge_url_json(&question.claim, resolver, context).await,
            ClaimResolver::Ed25519(resolver) => {
                let finding = signature::find(&question.claim, resolver, context.at);
                Ok(EvidencedFinding { finding, evidence: Vec::new() })
            }
        }
    }

    fn replay(
        &self,
        question: &ClaimQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<ClaimFinding, EvidenceMissing> {
        match &question.resolver {
            ClaimResolver::UrlJson(resolver) => url_json::replay(&question.claim, resolver, evidence, at),
            ClaimResolver::Ed25519(resolver) => Ok(signature::find(&question.claim, resolver, at)),
        }
    }

    fn is_replayable(&self, receipt: &Json) -> bool {
        url_json::is_replayable(receipt)
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

#[cfg(test)]
mod tests {
    use fetch::{Limits, Policy};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use verdict::Judge as _;

    use super::*;
    use crate::path::DotPath;
    use crate::reading::SMALL_DOCUMENT_BYTES;

    /// An address that answers once, with a JSON document of so many bytes.
    async fn document(bytes: usize) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\n\r\n");
            let mut body = br#"{"a":1}"#.to_vec();
            body.resize(bytes, b' ');
            stream.write_all(&[head.as_bytes(), &body].concat()).await.unwrap();
        });
        url
    }

    #[tokio::test]
    async fn a_large_document_waits_for_a_reader_and_a_small_one_does_not() {
        let fetcher = Fetcher::system(Policy::dev(), Limits::default()).unwrap();
        let judge = ClaimJudge { fetcher, readers: BlockingPool::new(1, 0) };
        let judged = async |bytes| {
            let path = DotPath::parse("a").unwrap();
            let resolver = UrlJson { url: document(bytes).await, path, expect: "1".to_owned() };
            let question =
                ClaimQuestion { claim: "c".to_owned(), resolver: ClaimResolver::UrlJson(resolver) };
            let at: Timestamp = "2026-11-21T02:00:00.250Z".parse().unwrap();
            judge.judge(&question, at.into()).await
        };
        let verdict = judged(SMALL_DOCUMENT_BYTES).await.map(|judged| judged.finding.verdict);
        assert_eq!(verdict, Ok(crate::ClaimVerdict::Confirmed));
        assert!(judged(SMALL_DOCUMENT_BYTES + 1).await.is_err());
    }
}

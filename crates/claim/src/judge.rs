//! The judge: looks, and finds.

use bytes::Bytes;
use fetch::{FetchError, Fetcher};
use receipt::json::Json;
use verdict::{EvidenceBlob, EvidenceMissing, Judge, Judged, Timestamp, Unavailable};

use crate::finding::ClaimFinding;
use crate::question::{ClaimQuestion, Resolver, UrlJson};
use crate::url_json::{BODY, FetchRecord, KEPT_BODY_BYTES};
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
/// let judged = judge.judge(&question, at).await?;
/// // A dispute finds the same on what was kept.
/// assert_eq!(judge.replay(&question, &judged.evidence, at)?, judged.finding);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ClaimJudge {
    fetcher: Fetcher,
}

impl ClaimJudge {
    /// A judge who looks at documents through this fetcher: its policy decides what may be looked at.
    #[must_use]
    pub fn new(fetcher: Fetcher) -> Self {
        Self { fetcher }
    }

    /// Fetches the document. A refusal and a failure are records too; only a fetch that was never tried is
    /// not.
    async fn look(&self, question: &UrlJson) -> Result<(FetchRecord, Option<Bytes>), Unavailable> {
        let target = match self.fetcher.check_url(&question.url) {
            Ok(target) => target,
            Err(error) => return Ok((FetchRecord::refused(&error), None)),
        };
        match self.fetcher.get(target).await {
            Ok(fetched) => Ok((FetchRecord::answered(&fetched), Some(fetched.body))),
            Err(error @ FetchError::Busy) => {
                Err(Unavailable { module: "claim", retry_after_s: 1, detail: error.to_string() })
            }
            Err(error) => Ok((FetchRecord::failed(&error), None)),
        }
    }

    async fn judge_url_json(
        &self,
        claim: &str,
        question: &UrlJson,
        at: Timestamp,
    ) -> Result<Judged<ClaimFinding>, Unavailable> {
        let (record, body) = self.look(question).await?;
        let blob = record.to_blob();
        let finding = url_json::find(claim, question, record, blob.sha256(), body.as_deref(), at)
            .expect("an answer's body is at hand here");
        let mut evidence = vec![blob];
        if let Some(body) = body.filter(|body| body.len() <= KEPT_BODY_BYTES) {
            evidence.push(EvidenceBlob { role: BODY, bytes: body.into() });
        }
        Ok(Judged { finding, evidence })
    }
}

impl Judge for ClaimJudge {
    type Question = ClaimQuestion;
    type Finding = ClaimFinding;

    async fn judge(
        &self,
        question: &ClaimQuestion,
        at: Timestamp,
    ) -> Result<Judged<ClaimFinding>, Unavailable> {
        match &question.resolver {
            Resolver::UrlJson(resolver) => self.judge_url_json(&question.claim, resolver, at).await,
            Resolver::Ed25519(resolver) => {
                Ok(Judged { finding: signature::find(&question.claim, resolver, at), evidence: Vec::new() })
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
            Resolver::UrlJson(resolver) => url_json::replay(&question.claim, resolver, evidence, at),
            Resolver::Ed25519(resolver) => Ok(signature::find(&question.claim, resolver, at)),
        }
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

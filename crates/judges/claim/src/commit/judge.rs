//! The judge: finds on the question alone.

use receipt::json::Json;
use verdict::{
    CountJudged, Effect, EffectKind, EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext,
    Timestamp, Unavailable,
};

use super::finding::{CommitFinding, find};
use super::page;
use super::question::{CommitQuestion, Content};

/// The judge of `POST /commit`. It opens no connection: its finding depends on the request alone, which the ledger
/// keeps.
///
/// ```
/// use claim::commit::{CommitJudge, CommitQuestion};
/// use verdict::{Judge, Timestamp};
///
/// # async fn example(question: CommitQuestion, at: Timestamp) -> Result<(), Box<dyn std::error::Error>> {
/// let judged = CommitJudge.judge(&question, at.into()).await?;
/// assert!(judged.evidence.is_empty());
/// // A dispute finds the same, unless only a hash was handed in.
/// assert_eq!(CommitJudge.replay(&question, &[], at)?, judged.finding);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CommitJudge;

impl Judge for CommitJudge {
    type Question = CommitQuestion;
    type Finding = CommitFinding;

    const EFFECT: EffectKind = EffectKind::Count;

    /// A commit is counted for its agent: a grade of trades that were committed says how many commits there are under the name.
    fn effect(&self, _: &CommitQuestion, _: &CommitFinding) -> Option<Effect> {
        Some(Effect::Count(CountJudged { subject: None }))
    }

    async fn judge(
        &self,
        question: &CommitQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<CommitFinding>, Unavailable> {
        Ok(EvidencedFinding { finding: find(question, context.at), evidence: Vec::new() })
    }

    fn replay(
        &self,
        question: &CommitQuestion,
        _: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<CommitFinding, EvidenceMissing> {
        match question.content {
            Content::Given { .. } => Ok(find(question, at)),
            Content::HashOnly(_) => {
                Err(EvidenceMissing("the content, of which only the hash was handed in".to_owned()))
            }
        }
    }

    fn is_replayable(&self, receipt: &Json) -> bool {
        // A commit of a bare hash: only who handed it in has the content.
        receipt.get("content_kept").and_then(Json::as_bool) != Some(false)
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

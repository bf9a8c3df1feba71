//! The judge: its finding depends on the question alone.

use receipt::json::Json;
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection, Timestamp, Unavailable,
};

use super::finding::{GradeFinding, find};
use super::question::GradeQuestion;
use crate::{page, tear_sheet};

/// The judge of `POST /grade-strategy`. It opens no connection: its finding depends on the request alone, which the
/// ledger keeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct GradeJudge;

impl Judge for GradeJudge {
    type Question = GradeQuestion;
    type Finding = GradeFinding;

    async fn admit(&self, question: &GradeQuestion, at: Timestamp) -> Result<(), Objection> {
        Ok(question.admit(at)?)
    }

    async fn judge(
        &self,
        question: &GradeQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<GradeFinding>, Unavailable> {
        Ok(EvidencedFinding { finding: find(&question.settled, context.at), evidence: Vec::new() })
    }

    fn replay(
        &self,
        question: &GradeQuestion,
        _: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<GradeFinding, EvidenceMissing> {
        Ok(find(&question.settled, at))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt, "steps")
    }

    fn drawing(&self, receipt: &Json) -> Option<String> {
        tear_sheet::draw(receipt, receipt)
    }
}

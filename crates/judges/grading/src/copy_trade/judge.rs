//! The judge: its finding depends on the question, and on what the ledger says of earlier grades.

use receipt::json::Json;
use verdict::{
    Effect, EffectKind, EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection,
    Timestamp, Unavailable,
};

use super::finding::{CopyFinding, find};
use super::question::CopyQuestion;
use crate::graded_before::{self, GradedBefore};
use crate::{page, tear_sheet};

/// The judge of `POST /copy-trade-score`. It opens no connection: its finding depends on the request and on the numbers of
/// earlier grades, both of which the ledger keeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyTradeJudge;

impl Judge for CopyTradeJudge {
    type Question = CopyQuestion;
    type Finding = CopyFinding;

    const EFFECT: EffectKind = EffectKind::Count;

    fn effect(&self, question: &CopyQuestion, _: &CopyFinding) -> Option<Effect> {
        Some(graded_before::counted(question.settled.beginning))
    }

    async fn admit(&self, question: &CopyQuestion, at: Timestamp) -> Result<(), Objection> {
        Ok(question.admit(at)?)
    }

    async fn judge(
        &self,
        question: &CopyQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<CopyFinding>, Unavailable> {
        let earlier = context.judged_before.map(GradedBefore::from);
        let evidence = earlier.map(GradedBefore::to_blob).into_iter().collect();
        Ok(EvidencedFinding { finding: find(question, earlier, context.at), evidence })
    }

    fn replay(
        &self,
        question: &CopyQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<CopyFinding, EvidenceMissing> {
        Ok(find(question, GradedBefore::read(evidence)?, at))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt, "gates")
    }

    fn drawing(&self, receipt: &Json) -> Option<String> {
        tear_sheet::draw(receipt, receipt.get("net")?)
    }
}

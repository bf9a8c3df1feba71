//! The judge: its finding depends on the question, and on what the ledger says of earlier grades and of commitments.

use receipt::json::Json;
use verdict::{
    Effect, EffectKind, EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection,
    Timestamp, Unavailable,
};

use super::finding::{GradeFinding, find};
use super::question::GradeQuestion;
use crate::ledger_facts::LedgerFacts;
use crate::{graded_before, page, tear_sheet};

/// The judge of `POST /grade-strategy`. It opens no connection: its finding depends on the request, on the numbers of
/// earlier grades and on the receipts of commitments, all of which the ledger keeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct GradeJudge;

impl Judge for GradeJudge {
    type Question = GradeQuestion;
    type Finding = GradeFinding;

    const EFFECT: EffectKind = EffectKind::Count;

    fn effect(&self, question: &GradeQuestion, _: &GradeFinding) -> Option<Effect> {
        Some(graded_before::counted(question.settled.beginning))
    }

    async fn admit(&self, question: &GradeQuestion, at: Timestamp) -> Result<(), Objection> {
        Ok(question.admit(at)?)
    }

    async fn judge(
        &self,
        question: &GradeQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<GradeFinding>, Unavailable> {
        let facts = LedgerFacts::of(&context);
        Ok(EvidencedFinding { finding: find(question, &facts, context.at), evidence: facts.to_evidence() })
    }

    fn replay(
        &self,
        question: &GradeQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<GradeFinding, EvidenceMissing> {
        let facts = LedgerFacts::read(evidence, question.commitments.as_deref())?;
        Ok(find(question, &facts, at))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt, "steps")
    }

    fn drawing(&self, receipt: &Json) -> Option<String> {
        tear_sheet::draw(receipt, receipt)
    }
}

//! The judge: its finding depends on the question, and on what the ledger says of earlier grades and of commitments.

use receipt::json::Json;
use verdict::{
    Effect, EffectKind, EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection,
    Timestamp, Unavailable,
};

use super::finding::{CopyFinding, find};
use super::question::CopyQuestion;
use crate::ledger_facts::LedgerFacts;
use crate::{graded_before, page, tear_sheet};

/// The judge of `POST /copy-trade-score`. It opens no connection: its finding depends on the request, on the numbers of
/// earlier grades and on the receipts of commitments, all of which the ledger keeps.
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
        let facts = LedgerFacts::of(&context);
        Ok(EvidencedFinding { finding: find(question, &facts, context.at), evidence: facts.to_evidence() })
    }

    fn replay(
        &self,
        question: &CopyQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<CopyFinding, EvidenceMissing> {
        let facts = LedgerFacts::read(evidence, question.commitments.as_deref())?;
        Ok(find(question, &facts, at))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt, "gates")
    }

    fn drawing(&self, receipt: &Json) -> Option<String> {
        tear_sheet::draw(receipt, receipt.get("net")?)
    }
}

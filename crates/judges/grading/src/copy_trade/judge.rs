//! The judge: its finding depends on the question alone.

use receipt::json::Json;
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection, Timestamp, Unavailable,
};

use super::finding::{CopyFinding, find};
use super::question::CopyQuestion;
use crate::{page, tear_sheet};

/// The judge of `POST /copy-trade-score`. It opens no connection: its finding depends on the request alone, which the
/// ledger keeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyTradeJudge;

impl Judge for CopyTradeJudge {
    type Question = CopyQuestion;
    type Finding = CopyFinding;

    async fn admit(&self, question: &CopyQuestion, at: Timestamp) -> Result<(), Objection> {
        Ok(question.admit(at)?)
    }

    async fn judge(
        &self,
        question: &CopyQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<CopyFinding>, Unavailable> {
        Ok(EvidencedFinding { finding: find(question, context.at), evidence: Vec::new() })
    }

    fn replay(
        &self,
        question: &CopyQuestion,
        _: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<CopyFinding, EvidenceMissing> {
        Ok(find(question, at))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt, "gates")
    }

    fn drawing(&self, receipt: &Json) -> Option<String> {
        tear_sheet::draw(receipt, receipt.get("net")?)
    }
}

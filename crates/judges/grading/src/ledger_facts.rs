//! The facts of the ledger for a grade: earlier grades, and the receipts of commitments. Both are evidence.

use verdict::{EvidenceBlob, EvidenceMissing, JudgeContext};

use crate::committed::{CommitReceipts, Commitments, Committed};
use crate::graded_before::GradedBefore;

/// Facts of the ledger; empty where there was none.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct LedgerFacts {
    /// The earlier grades.
    pub earlier: Option<GradedBefore>,
    /// The receipts of the commitments that the rows name.
    pub receipts: Option<CommitReceipts>,
}

impl LedgerFacts {
    /// Takes the facts from the context of a judgement.
    pub fn of(context: &JudgeContext) -> Self {
        Self {
            earlier: context.judged_before.map(GradedBefore::from),
            receipts: context.named_receipts.as_deref().map(CommitReceipts::of),
        }
    }

    /// Returns the evidence of the facts.
    pub fn to_evidence(&self) -> Vec<EvidenceBlob> {
        let earlier = self.earlier.map(GradedBefore::to_blob);
        earlier.into_iter().chain(self.receipts.as_ref().map(CommitReceipts::to_blob)).collect()
    }

    /// Reads the facts from the evidence of a receipt.
    ///
    /// # Errors
    /// A piece was deleted, or cannot be read.
    pub fn read(
        evidence: &[EvidenceBlob],
        commitments: Option<&Commitments>,
    ) -> Result<Self, EvidenceMissing> {
        let receipts = commitments.map(|named| CommitReceipts::from_evidence(evidence, named)).transpose()?;
        Ok(Self { earlier: GradedBefore::read(evidence)?, receipts: receipts.flatten() })
    }

    /// Marks the trades whose commitments hold; `None` where no row names one.
    pub fn committed(&self, commitments: Option<&Commitments>) -> Option<Committed> {
        commitments.map(|commitments| commitments.mark(self.receipts.as_ref()))
    }

    /// Adds what the facts say to an explanation. `done` is the verb of the route: `graded`.
    pub fn explained(&self, committed: Option<&Committed>, explanation: String, done: &str) -> String {
        GradedBefore::explained(self.earlier, Committed::explained(committed, explanation), done)
    }
}

//! The judge of `/composite`.

use module::BlockingPool;
use receipt::json::Json;
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection, Timestamp, Unavailable,
};

use super::finding::{CompositeFinding, find};
use super::page;
use super::question::{CompositeKind, CompositeQuestion};
use super::sources::CompositeSources;
use crate::day::{day, refuse_future};
use crate::source::{Gathered, Services};
use crate::work::{self, unavailable};

/// The judge of `POST /composite`.
pub struct CompositeJudge {
    /// `None` for replays, which ask nobody.
    sources: Option<CompositeSources>,
    pool: BlockingPool,
}

impl CompositeJudge {
    /// A judge that asks these services; one that only replays where there are none.
    #[must_use]
    pub fn new(services: Option<&Services>) -> Self {
        Self { sources: services.map(CompositeSources::new), pool: work::pool() }
    }

    async fn gather(&self, question: &CompositeQuestion, at: Timestamp) -> Result<Gathered, Unavailable> {
        match &question.kind {
            CompositeKind::Own(_) => Ok(Gathered::default()),
            CompositeKind::BuiltIn { .. } => {
                let sources = self.sources.as_ref().ok_or_else(|| unavailable("nothing to ask with"))?;
                let today = day(at);
                Ok(sources.gather(question.as_of.unwrap_or(today), at, today).await?)
            }
        }
    }
}

impl Judge for CompositeJudge {
    type Question = CompositeQuestion;
    type Finding = CompositeFinding;

    async fn admit(&self, question: &CompositeQuestion, at: Timestamp) -> Result<(), Objection> {
        refuse_future("as_of", question.as_of, at)
    }

    async fn judge(
        &self,
        question: &CompositeQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<CompositeFinding>, Unavailable> {
        let gathered = self.gather(question, context.at).await?;
        let evidence =
            if matches!(question.kind, CompositeKind::Own(_)) { Vec::new() } else { gathered.evidence() };
        let (question, today) = (question.clone(), day(context.at));
        let finding = work::run(&self.pool, move || find(&question, &gathered, today)).await?;
        Ok(EvidencedFinding { finding: finding.map_err(|why| unavailable(&why))?, evidence })
    }

    fn replay(
        &self,
        question: &CompositeQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<CompositeFinding, EvidenceMissing> {
        let gathered = match &question.kind {
            CompositeKind::Own(_) => Gathered::default(),
            CompositeKind::BuiltIn { .. } => Gathered::from_evidence(evidence)?,
        };
        find(question, &gathered, day(at)).map_err(EvidenceMissing)
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

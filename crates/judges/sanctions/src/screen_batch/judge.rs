//! The judge: it screens names against the live lists.

use std::sync::Arc;

use receipt::json::Json;
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection, Timestamp, Unavailable,
};
use watchlist::snapshot::SnapshotId;

use super::finding::{BatchFinding, find};
use super::question::BatchQuestion;
use crate::live::{Lists, LiveLists};
use crate::page;
use crate::screen::{
    ScreenSubject, evidence_of, lists_of, name_lists, refuse_no_match, refuse_unless_listed, unavailable,
};

/// The judge of `POST /screen-batch`.
#[derive(Clone, Debug)]
pub struct ScreenBatchJudge {
    lists: Lists,
}

impl ScreenBatchJudge {
    /// Builds a judge over these lists.
    #[must_use]
    pub fn new(lists: Lists) -> Self {
        Self { lists }
    }
}

/// One entity that would be `NO_MATCH` on a stale list, or without the SDN list, leaves the batch without an answer: it
/// would be told so.
fn look(
    lists: &Lists,
    subjects: &[ScreenSubject],
    live: &LiveLists,
    at: Timestamp,
) -> Result<EvidencedFinding<BatchFinding>, Unavailable> {
    let asked = name_lists(live)?;
    let finding = find(subjects, asked, at).expect("there are lists and entities");
    if finding.counts.no_match > 0 {
        refuse_no_match(lists, asked, at)?;
    }
    Ok(EvidencedFinding { finding, evidence: evidence_of(asked) })
}

impl Judge for ScreenBatchJudge {
    type Question = BatchQuestion;
    type Finding = BatchFinding;

    /// Refuses before payment what could not be answered.
    async fn admit(&self, question: &BatchQuestion, at: Timestamp) -> Result<(), Objection> {
        let live = self.lists.now();
        if question.entities.iter().any(|subject| subject.unless_listed.is_some()) {
            let (live, entities) = (Arc::clone(&live), Arc::clone(&question.entities));
            let asked =
                move || entities.iter().try_for_each(|subject| refuse_unless_listed(&live, subject, at));
            let span = tracing::Span::current();
            tokio::task::spawn_blocking(move || span.in_scope(asked))
                .await
                .map_err(|_| unavailable("the batch could not be screened"))??;
        }
        if refuse_no_match(&self.lists, name_lists(&live)?, at).is_err() {
            let (lists, entities) = (self.lists.clone(), Arc::clone(&question.entities));
            let looked = tokio::task::spawn_blocking(move || look(&lists, &entities, &live, at).map(drop));
            looked.await.map_err(|_| unavailable("the batch could not be screened"))??;
        }
        Ok(())
    }

    async fn judge(
        &self,
        question: &BatchQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<BatchFinding>, Unavailable> {
        look(&self.lists, &question.entities, &self.lists.now(), context.at)
    }

    fn replay(
        &self,
        question: &BatchQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<BatchFinding, EvidenceMissing> {
        let lists = lists_of(&self.lists, evidence)?;
        find(&question.entities, lists.names(), at)
            .ok_or_else(|| EvidenceMissing("a list of names".to_owned()))
    }

    fn kept(&self, sha256: &[u8; 32]) -> Option<Vec<u8>> {
        self.lists.content(&SnapshotId::new(*sha256))
    }

    fn keeps(&self, sha256: &[u8; 32]) -> bool {
        self.lists.has_content(&SnapshotId::new(*sha256))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

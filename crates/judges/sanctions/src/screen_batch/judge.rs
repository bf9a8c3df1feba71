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
    AskedLists, evidence_of, lists_of, objection_at_work, refuse_no_match, refuse_unless_listed, unavailable,
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
    question: &BatchQuestion,
    live: &LiveLists,
    at: Timestamp,
) -> Result<EvidencedFinding<BatchFinding>, Objection> {
    let asked = AskedLists::new(live, &question.lists)?;
    let finding = find(&question.entities, &asked, at).expect("there are lists and entities");
    if finding.counts.no_match > 0 {
        refuse_no_match(lists, &asked, at)?;
    }
    Ok(EvidencedFinding { finding, evidence: evidence_of(&asked.lists) })
}

/// Runs screens beside the threads that answer calls.
async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Objection> + Send + 'static,
) -> Result<T, Objection> {
    let span = tracing::Span::current();
    let ended = tokio::task::spawn_blocking(move || span.in_scope(work)).await;
    ended.map_err(|_| unavailable("the batch could not be screened"))?
}

impl Judge for ScreenBatchJudge {
    type Question = BatchQuestion;
    type Finding = BatchFinding;

    /// Refuses before payment what could not be answered.
    async fn admit(&self, question: &BatchQuestion, at: Timestamp) -> Result<(), Objection> {
        for (position, subject) in question.entities.iter().enumerate() {
            subject.refuse_other_calendar(Some(position), at)?;
        }
        let live = self.lists.now();
        if question.entities.iter().any(|subject| subject.unless_listed.is_some()) {
            let (live, question) = (Arc::clone(&live), question.clone());
            beside(move || {
                let refused = |subject| refuse_unless_listed(&live, &question.lists, subject, at);
                question.entities.iter().try_for_each(refused)
            })
            .await?;
        }
        let is_refused = {
            let asked = AskedLists::new(&live, &question.lists)?;
            refuse_no_match(&self.lists, &asked, at).is_err()
        };
        if is_refused {
            let (lists, question) = (self.lists.clone(), question.clone());
            beside(move || look(&lists, &question, &live, at).map(drop)).await?;
        }
        Ok(())
    }

    async fn judge(
        &self,
        question: &BatchQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<BatchFinding>, Unavailable> {
        look(&self.lists, question, &self.lists.now(), context.at).map_err(objection_at_work)
    }

    fn replay(
        &self,
        question: &BatchQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<BatchFinding, EvidenceMissing> {
        let lists = lists_of(&self.lists, evidence)?;
        let asked = AskedLists::of_replay(&lists, &question.lists);
        find(&question.entities, &asked, at).ok_or_else(|| EvidenceMissing("a list of names".to_owned()))
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

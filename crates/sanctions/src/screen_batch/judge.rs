//! The judge: screens names against what is live.

use std::sync::Arc;

use receipt::json::Json;
use tokio::sync::Semaphore;
use verdict::{EvidenceBlob, EvidenceMissing, Judge, Judged, Objection, Sitting, Timestamp, Unavailable};

use super::finding::{BatchFinding, find};
use super::question::BatchQuestion;
use crate::live::{Lists, LiveLists};
use crate::page;
use crate::screen::{
    Subject, asked_of_names, evidence_of, lists_of, refuse_no_match, refuse_unless_listed, unavailable,
};
use crate::snapshot::SnapshotId;

/// How many batches are screened or wait for it; there is no answer for one more.
pub(super) const MOST_IN_HAND: usize = 32;

/// The judge of `POST /screen-batch`. Batches take long, so they are screened on threads of their own, as many at a time
/// as there are cores.
#[derive(Clone, Debug)]
pub struct ScreenBatchJudge {
    lists: Lists,
    in_hand: Arc<Semaphore>,
    being_screened: Arc<Semaphore>,
}

impl ScreenBatchJudge {
    /// A judge who looks at these lists.
    #[must_use]
    pub fn new(lists: Lists) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self { lists, in_hand: semaphore(MOST_IN_HAND), being_screened: semaphore(cores) }
    }

    /// Screens on a thread where nobody waits for anything else.
    async fn look(
        &self,
        subjects: &Arc<[Subject]>,
        live: Arc<LiveLists>,
        at: Timestamp,
    ) -> Result<Judged<BatchFinding>, Unavailable> {
        let in_hand = Arc::clone(&self.in_hand).try_acquire_owned();
        let in_hand = in_hand.map_err(|_| Unavailable {
            retry_after_s: 1,
            ..unavailable("too many batches are being screened")
        })?;
        let being_screened =
            Arc::clone(&self.being_screened).acquire_owned().await.expect("it is never closed");
        let (lists, subjects) = (self.lists.clone(), Arc::clone(subjects));
        let screening = tokio::task::spawn_blocking(move || {
            // They go along: whoever stops waiting does not make room by that.
            let _permits = (in_hand, being_screened);
            look(&lists, &subjects, &live, at)
        });
        // It fails where the process is about to end.
        screening.await.map_err(|_| unavailable("the batch could not be screened"))?
    }
}

/// One entity that would be `NO_MATCH` on a stale list, or without the SDN list, leaves the batch without an answer: it
/// would be told so.
fn look(
    lists: &Lists,
    subjects: &[Subject],
    live: &LiveLists,
    at: Timestamp,
) -> Result<Judged<BatchFinding>, Unavailable> {
    let asked = asked_of_names(live)?;
    let finding = find(subjects, asked, at).expect("there are lists and entities");
    if finding.counts.no_match > 0 {
        refuse_no_match(lists, asked, at)?;
    }
    Ok(Judged { finding, evidence: evidence_of(asked) })
}

impl Judge for ScreenBatchJudge {
    type Question = BatchQuestion;
    type Finding = BatchFinding;

    /// Who could not be answered is told so before being asked for money.
    async fn admit(&self, question: &BatchQuestion, at: Timestamp) -> Result<(), Objection> {
        let live = self.lists.now();
        if question.entities.iter().any(|subject| subject.unless_listed.is_some()) {
            let (live, entities) = (Arc::clone(&live), Arc::clone(&question.entities));
            let asked = move || entities.iter().try_for_each(|subject| refuse_unless_listed(&live, subject));
            tokio::task::spawn_blocking(asked)
                .await
                .map_err(|_| unavailable("the batch could not be screened"))??;
        }
        if refuse_no_match(&self.lists, asked_of_names(&live)?, at).is_err() {
            self.look(&question.entities, live, at).await?;
        }
        Ok(())
    }

    async fn judge(
        &self,
        question: &BatchQuestion,
        sitting: Sitting,
    ) -> Result<Judged<BatchFinding>, Unavailable> {
        self.look(&question.entities, self.lists.now(), sitting.at).await
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

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

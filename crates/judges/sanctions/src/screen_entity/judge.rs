//! The judge: it screens a name against the live lists.

use receipt::json::Json;
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection, Timestamp, Unavailable,
};
use watchlist::snapshot::SnapshotId;

use super::finding::{EntityFinding, find};
use super::question::EntityQuestion;
use crate::live::{Lists, LiveLists};
use crate::page;
use crate::screen::{
    AskedLists, NameVerdict, evidence_of, lists_of, objection_at_work, refuse_no_match, refuse_unless_listed,
};

/// The judge of `POST /screen-entity`.
///
/// ```
/// use sanctions::live::Lists;
/// use sanctions::screen_entity::{EntityQuestion, ScreenEntityJudge};
/// use verdict::{Judge, Timestamp};
///
/// # async fn example(question: EntityQuestion, at: Timestamp) -> Result<(), Box<dyn std::error::Error>> {
/// let judge = ScreenEntityJudge::new(Lists::demo());
/// let judged = judge.judge(&question, at.into()).await?;
/// // A dispute finds the same, whatever is live by then.
/// assert_eq!(judge.replay(&question, &judged.evidence, at)?, judged.finding);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ScreenEntityJudge {
    lists: Lists,
}

impl ScreenEntityJudge {
    /// Builds a judge over these lists.
    #[must_use]
    pub fn new(lists: Lists) -> Self {
        Self { lists }
    }

    fn look(
        &self,
        question: &EntityQuestion,
        live: &LiveLists,
        at: Timestamp,
    ) -> Result<EvidencedFinding<EntityFinding>, Objection> {
        let asked = AskedLists::new(live, &question.lists)?;
        let finding = find(question, &asked, at).expect("there is a list, or it was not asked");
        if finding.verdict == NameVerdict::NoMatch {
            refuse_no_match(&self.lists, &asked, at)?;
        }
        Ok(EvidencedFinding { finding, evidence: evidence_of(&asked.lists) })
    }
}

impl Judge for ScreenEntityJudge {
    type Question = EntityQuestion;
    type Finding = EntityFinding;

    /// Refuses before payment what could not be answered.
    async fn admit(&self, question: &EntityQuestion, at: Timestamp) -> Result<(), Objection> {
        question.subject.refuse_other_calendar(None, at)?;
        let live = self.lists.now();
        refuse_unless_listed(&live, &question.lists, &question.subject, at)?;
        let asked = AskedLists::new(&live, &question.lists)?;
        if refuse_no_match(&self.lists, &asked, at).is_err() {
            self.look(question, &live, at)?;
        }
        Ok(())
    }

    async fn judge(
        &self,
        question: &EntityQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<EntityFinding>, Unavailable> {
        self.look(question, &self.lists.now(), context.at).map_err(objection_at_work)
    }

    fn replay(
        &self,
        question: &EntityQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<EntityFinding, EvidenceMissing> {
        let lists = lists_of(&self.lists, evidence)?;
        let asked = AskedLists::of_replay(&lists, &question.lists);
        find(question, &asked, at).ok_or_else(|| EvidenceMissing("a list of names".to_owned()))
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

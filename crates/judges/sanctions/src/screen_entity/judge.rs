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
use crate::screen::{NameVerdict, evidence_of, lists_of, name_lists, refuse_no_match, refuse_unless_listed};

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
    ) -> Result<EvidencedFinding<EntityFinding>, Unavailable> {
        let asked = name_lists(live)?;
        let finding = find(question, asked, at).expect("there is a list, or it was not asked");
        if finding.verdict == NameVerdict::NoMatch {
            refuse_no_match(&self.lists, asked, at)?;
        }
        Ok(EvidencedFinding { finding, evidence: evidence_of(asked) })
    }
}

impl Judge for ScreenEntityJudge {
    type Question = EntityQuestion;
    type Finding = EntityFinding;

    /// Refuses before payment what could not be answered.
    async fn admit(&self, question: &EntityQuestion, at: Timestamp) -> Result<(), Objection> {
        let live = self.lists.now();
        refuse_unless_listed(&live, &question.subject, at)?;
        if refuse_no_match(&self.lists, name_lists(&live)?, at).is_err() {
            self.look(question, &live, at)?;
        }
        Ok(())
    }

    async fn judge(
        &self,
        question: &EntityQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<EntityFinding>, Unavailable> {
        self.look(question, &self.lists.now(), context.at)
    }

    fn replay(
        &self,
        question: &EntityQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<EntityFinding, EvidenceMissing> {
        let lists = lists_of(&self.lists, evidence)?;
        find(question, lists.names(), at).ok_or_else(|| EvidenceMissing("a list of names".to_owned()))
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

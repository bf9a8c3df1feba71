//! The judge of `/federal-register`.

use std::time::Duration;

use federal_register::{MAX_RESULTS, Search};
use module::BlockingPool;
use receipt::json::{Json, Object};
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, Fields, Judge, JudgeContext, Objection, Timestamp,
    Unavailable,
};

use super::finding::{COUNT, RegisterFinding, SEARCH, counted, counting, find, plan};
use super::page;
use super::question::RegisterQuestion;
use crate::day::washington;
use crate::records::{keep, refusal};
use crate::source::{Answers, Gathered, Services, SourceRequest};
use crate::work::{self, unavailable};

/// Most requests for the counts of parts, the first among them.
pub const MAX_COUNT_CALLS: usize = 8;
/// For so long an answer serves.
const SERVES: Duration = Duration::from_secs(300);
/// Most answers that are kept.
const MOST_ANSWERS: u64 = 64;

/// The judge of `GET` and `POST /federal-register`.
pub struct RegisterJudge {
    /// `None` for replays, which ask nobody.
    answers: Option<RegisterAnswers>,
    pool: BlockingPool,
}

struct RegisterAnswers {
    searches: Answers<()>,
    counts: Answers<()>,
}

impl RegisterJudge {
    /// A judge that asks the service; one that only replays where there is none.
    #[must_use]
    pub fn new(services: Option<&Services>) -> Self {
        let answers = |services: &Services| {
            let of = |kind| Answers::new(services.federal_register.clone(), kind, SERVES, MOST_ANSWERS, keep);
            RegisterAnswers { searches: of(SEARCH), counts: of(COUNT) }
        };
        Self { answers: services.map(answers), pool: work::pool() }
    }

    async fn gather(&self, search: &Search, at: Timestamp) -> Result<Gathered, Unavailable> {
        let answers = self.answers.as_ref().ok_or_else(|| unavailable("nothing to ask with"))?;
        let mut gathered = Gathered::default();
        gathered.add(&answers.searches.of(&request(search), at).await?);
        let mut plan = plan(search, washington(at));
        let mut count = last_count(&gathered, SEARCH, |piece| {
            federal_register::Answer::read(search, &piece.kept).map(|answer| answer.count)
        })?;
        if count < MAX_RESULTS {
            return Ok(gathered);
        }
        loop {
            plan.counted(count);
            let Some(part) = plan.part().cloned() else { return Ok(gathered) };
            gathered.add(&answers.counts.of(&request(&counting(&part)), at).await?);
            count = last_count(&gathered, COUNT, |piece| counted(&part, piece))?;
        }
    }
}

/// The count of the last answer of a kind.
fn last_count(
    gathered: &Gathered,
    kind: &str,
    count: impl Fn(&crate::source::Piece) -> Result<u64, record_search::AnswerError>,
) -> Result<u64, Unavailable> {
    let piece = gathered.of_kind(kind).last().filter(|piece| piece.is_found());
    let piece =
        piece.ok_or_else(|| unavailable("the source federal_register has no such address: status_404"))?;
    count(piece).map_err(|error| unavailable(&error.to_string()))
}

fn request(search: &Search) -> SourceRequest {
    SourceRequest { query: Some(search.query()), ..SourceRequest::get("api/v1/documents.json") }
}

impl Judge for RegisterJudge {
    type Question = RegisterQuestion;
    type Finding = RegisterFinding;

    async fn admit(&self, question: &RegisterQuestion, at: Timestamp) -> Result<(), Objection> {
        let refused = |error| Objection::Field(refusal(&Fields::root(&Object::new()), &error));
        question.search(washington(at)).map(drop).map_err(refused)
    }

    async fn judge(
        &self,
        question: &RegisterQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<RegisterFinding>, Unavailable> {
        let today = washington(context.at);
        let search = question.search(today).map_err(|error| unavailable(&error.to_string()))?;
        let gathered = self.gather(&search, context.at).await?;
        let evidence = gathered.evidence();
        let finding = work::run(&self.pool, move || find(&search, &gathered, today)).await?;
        Ok(EvidencedFinding { finding: finding.map_err(|why| unavailable(&why))?, evidence })
    }

    fn replay(
        &self,
        question: &RegisterQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<RegisterFinding, EvidenceMissing> {
        let today = washington(at);
        let search = question.search(today).map_err(|error| EvidenceMissing(error.to_string()))?;
        find(&search, &Gathered::from_evidence(evidence)?, today).map_err(EvidenceMissing)
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

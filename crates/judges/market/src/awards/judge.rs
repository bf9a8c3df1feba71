//! The judge of `/awards`.

use std::time::Duration;

use module::BlockingPool;
use receipt::json::{Json, Object};
use record_search::FieldError;
use usaspending::{AwardSearch, AwardSearchRequest};
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, Fields, Judge, JudgeContext, Objection, Timestamp,
    Unavailable,
};

use super::finding::{AGENCIES, AwardsFinding, COUNT, NoSearch, SEARCH, TYPES, doubt, find, search};
use super::page;
use super::question::AwardsQuestion;
use crate::day::washington;
use crate::records::{keep, refusal};
use crate::source::{Answers, Gathered, Services, SourceRequest};
use crate::work::{self, unavailable};

/// For so long an answer to a search serves.
const SERVES: Duration = Duration::from_secs(300);
/// For so long a reference serves.
const REFERENCE_SERVES: Duration = Duration::from_secs(24 * 3600);
/// Most answers of a kind that are kept.
const MOST_ANSWERS: u64 = 64;

/// The judge of `GET` and `POST /awards`.
pub struct AwardsJudge {
    /// `None` for replays, which ask nobody.
    answers: Option<AwardsAnswers>,
    pool: BlockingPool,
}

struct AwardsAnswers {
    types: Answers<()>,
    agencies: Answers<()>,
    searches: Answers<()>,
    counts: Answers<()>,
}

impl AwardsJudge {
    /// A judge that asks the service; one that only replays where there is none.
    #[must_use]
    pub fn new(services: Option<&Services>) -> Self {
        let answers = |services: &Services| {
            let of = |kind, time, most| Answers::new(services.usaspending.clone(), kind, time, most, keep);
            AwardsAnswers {
                types: of(TYPES, REFERENCE_SERVES, 1),
                agencies: of(AGENCIES, REFERENCE_SERVES, 1),
                searches: of(SEARCH, SERVES, MOST_ANSWERS),
                counts: of(COUNT, SERVES, MOST_ANSWERS),
            }
        };
        Self { answers: services.map(answers), pool: work::pool() }
    }

    /// The search with the service's own codes and names, and the references that have them.
    async fn searched(
        &self,
        request: &AwardSearchRequest,
        at: Timestamp,
    ) -> Result<(AwardSearch, Gathered), Objection> {
        let answers = self.answers.as_ref().ok_or_else(|| unavailable("nothing to ask with"))?;
        let mut gathered = Gathered::default();
        let types = SourceRequest::get("api/v2/references/award_types/");
        gathered.add(&answers.types.of(&types, at).await.map_err(Unavailable::from)?);
        if request.agency.is_some() {
            let agencies = SourceRequest::get("api/v2/references/toptier_agencies/");
            gathered.add(&answers.agencies.of(&agencies, at).await.map_err(Unavailable::from)?);
        }
        match search(request, &gathered, washington(at)) {
            Ok(search) => Ok((search, gathered)),
            Err(NoSearch::Field(error)) => Err(refused(&error)),
            Err(NoSearch::Reference(why)) => Err(unavailable(&why).into()),
        }
    }

    /// The page of results and the counts.
    async fn gather(
        &self,
        search: &AwardSearch,
        mut gathered: Gathered,
        at: Timestamp,
    ) -> Result<Gathered, Unavailable> {
        let answers = self.answers.as_ref().ok_or_else(|| unavailable("nothing to ask with"))?;
        let posted = |path: &str, body: Vec<u8>| {
            let json = String::from_utf8(body).expect("canonical JSON is UTF-8");
            SourceRequest { json: Some(json), ..SourceRequest::get(path) }
        };
        let page = posted("api/v2/search/spending_by_award/", search.body());
        gathered.add(&answers.searches.of(&page, at).await?);
        let count = posted("api/v2/search/spending_by_award_count/", search.count_body());
        gathered.add(&answers.counts.of(&count, at).await?);
        Ok(gathered)
    }
}

fn refused(error: &FieldError) -> Objection {
    Objection::Field(refusal(&Fields::root(&Object::new()), error))
}

impl Judge for AwardsJudge {
    type Question = AwardsQuestion;
    type Finding = AwardsFinding;

    async fn admit(&self, question: &AwardsQuestion, at: Timestamp) -> Result<(), Objection> {
        let (search, references) = self.searched(&question.request, at).await?;
        // Only an empty answer tells of a subtier agency's name that it may be wrong.
        if search.agency.as_ref().is_some_and(|agency| !agency.is_known) {
            let gathered = self.gather(&search, references, at).await?;
            if let Some(error) = doubt(&search, &gathered) {
                return Err(refused(&error));
            }
        }
        Ok(())
    }

    async fn judge(
        &self,
        question: &AwardsQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<AwardsFinding>, Unavailable> {
        let (search, references) =
            self.searched(&question.request, context.at).await.map_err(|objection| match objection {
                Objection::Unavailable(unavailable) => unavailable,
                other => unavailable(&other.to_string()),
            })?;
        let gathered = self.gather(&search, references, context.at).await?;
        let evidence = gathered.evidence();
        let (request, today) = (question.request.clone(), washington(context.at));
        let finding = work::run(&self.pool, move || find(&request, &gathered, today)).await?;
        Ok(EvidencedFinding { finding: finding.map_err(|why| unavailable(&why))?, evidence })
    }

    fn replay(
        &self,
        question: &AwardsQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<AwardsFinding, EvidenceMissing> {
        find(&question.request, &Gathered::from_evidence(evidence)?, washington(at)).map_err(EvidenceMissing)
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

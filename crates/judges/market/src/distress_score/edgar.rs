//! The documents of EDGAR that a company is scored by.

use std::time::Duration;

use bytes::Bytes;
use company_facts::{CompanyFacts, FactsError, Submissions, Tickers};
use receipt::json::Path;
use serde::{Deserialize, Serialize};
use verdict::{FieldError, Objection, Reason, Timestamp, Unavailable};

use super::finding::{industry, obstacle};
use super::question::{CompanyKey, FiledQuestion, TICKER};
use crate::MODULE;
use crate::day::error;
use crate::records::MAX_KEPT_BYTES;
use crate::source::{Answer, Answers, Document, Gathered, Piece, Services, SourceRequest};
use crate::work::unavailable;

/// For so long a company's filings serve: EDGAR adds one within minutes.
const SERVES: Duration = Duration::from_secs(600);
/// For so long the table of tickers serves.
const TICKERS_SERVE: Duration = Duration::from_secs(24 * 3600);
/// Most companies whose documents are kept.
const MOST_COMPANIES: u64 = 32;

const TICKERS: &str = "tickers";
const SUBMISSIONS: &str = "submissions";
const FACTS: &str = "company_facts";

/// The documents, with what they have answered.
pub(super) struct Edgar {
    tickers: Answers<Tickers>,
    submissions: Answers<()>,
    facts: Answers<()>,
    /// The code of the setting without which EDGAR is not asked.
    missing: Option<&'static str>,
}

/// A company's documents.
pub(super) struct Filed {
    pub submissions: Submissions,
    /// `None` where EDGAR has no facts of the company, or was not asked for them.
    pub facts: Option<CompanyFacts>,
}

/// What is kept of the table of tickers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TickerRow {
    ticker: String,
    cik: u64,
}

impl Edgar {
    pub(super) fn new(services: &Services) -> Self {
        Self {
            missing: services.edgar.missing(),
            tickers: Answers::new(services.edgar_files.clone(), TICKERS, TICKERS_SERVE, 1, read_tickers),
            submissions: Answers::new(services.edgar.clone(), SUBMISSIONS, SERVES, MOST_COMPANIES, |body| {
                keep(body, Submissions::read, Submissions::to_canonical)
            }),
            facts: Answers::new(services.edgar.clone(), FACTS, SERVES, MOST_COMPANIES, |body| {
                keep(body, CompanyFacts::read_slice, CompanyFacts::to_canonical)
            }),
        }
    }

    /// The company that is asked about, and its industry.
    pub(super) async fn identify(
        &self,
        question: &FiledQuestion,
        at: Timestamp,
    ) -> Result<Gathered, Objection> {
        if let Some(code) = self.missing {
            let detail =
                format!("{code}: EDGAR is asked only in a name; send `financials`, or ask another notary");
            return Err(Objection::NotOffered { module: MODULE, detail });
        }
        let mut gathered = Gathered::default();
        let cik = match &question.company {
            CompanyKey::Cik(cik) => *cik,
            CompanyKey::Ticker(ticker) => {
                let request = SourceRequest::get("files/company_tickers.json");
                let answer = self.tickers.of(&request, at).await.map_err(Unavailable::from)?;
                self.of_ticker(ticker, &answer, &mut gathered)?
            }
        };
        let request = SourceRequest::get(format!("submissions/CIK{cik:010}.json"));
        let answer = self.submissions.of(&request, at).await.map_err(Unavailable::from)?;
        if answer.document.is_none() {
            let detail = format!("names no company of EDGAR: it has no filings of {cik:010}");
            let field = match &question.company {
                CompanyKey::Cik(_) => "cik",
                CompanyKey::Ticker(_) => TICKER.name,
            };
            return Err(Objection::Field(error(field, Reason::UnknownValue, detail)));
        }
        gathered.add(&answer);
        let filed = filed(question, &gathered).map_err(|why| unavailable(&why))?;
        match (filed.submissions.sic, question.supplement.sic) {
            (Some(known), Some(sent)) if known != sent => {
                let detail = format!("must not differ from EDGAR's, which is {known}");
                let mut path = Path::root();
                ["supplement", "sic"].into_iter().for_each(|name| path.push_name(name));
                Err(Objection::Field(FieldError { path, reason: Reason::Contradictory, detail }))
            }
            _ => Ok(gathered),
        }
    }

    fn of_ticker(
        &self,
        ticker: &str,
        answer: &Answer<Tickers>,
        gathered: &mut Gathered,
    ) -> Result<u64, Objection> {
        let missing = || Unavailable::from(self.tickers.fault("status_404"));
        let tickers = &answer.document.as_ref().ok_or_else(missing)?.content;
        let Some(cik) = tickers.cik_of(ticker) else {
            let near = tickers.nearest(ticker);
            let near = if near.is_empty() {
                String::new()
            } else {
                format!("; the nearest are {}", near.join(", "))
            };
            let detail = format!("is no ticker of one company in EDGAR{near}");
            return Err(Objection::Field(error(TICKER.name, Reason::UnknownValue, detail)));
        };
        let row = TickerRow { ticker: ticker.to_owned(), cik };
        let row = serde_json::to_vec(&row).expect("a row is plain data, which has a JSON form");
        gathered.add_extract(answer, row.into());
        Ok(cik)
    }

    /// Adds the facts of the company that was identified, where its industry is scored at all.
    pub(super) async fn gather(
        &self,
        question: &FiledQuestion,
        mut gathered: Gathered,
        at: Timestamp,
    ) -> Result<Gathered, Unavailable> {
        let Filed { submissions, .. } = filed(question, &gathered).map_err(|why| unavailable(&why))?;
        if obstacle(industry(&submissions, question).0).is_none() {
            let request =
                SourceRequest::get(format!("api/xbrl/companyfacts/CIK{:010}.json", submissions.cik));
            gathered.add(&self.facts.of(&request, at).await?);
        }
        Ok(gathered)
    }
}

/// A body up to [`MAX_KEPT_BYTES`] whole, a larger one as its extract in canonical form.
fn keep<T>(
    body: Bytes,
    read: fn(&[u8]) -> Result<T, FactsError>,
    extract: fn(&T) -> Vec<u8>,
) -> Result<Document<()>, String> {
    let content = read(&body).map_err(|error| error.to_string())?;
    let kept = if body.len() <= MAX_KEPT_BYTES { body } else { extract(&content).into() };
    Ok(Document { content: (), kept })
}

/// The table is not kept: a finding rests on one row of it.
fn read_tickers(body: Bytes) -> Result<Document<Tickers>, String> {
    let content = Tickers::read(&body).map_err(|error| error.to_string())?;
    Ok(Document { content, kept: Bytes::new() })
}

/// The documents of the company that is asked about. The error names one that cannot be read, or is another company's.
pub(super) fn filed(question: &FiledQuestion, gathered: &Gathered) -> Result<Filed, String> {
    let cik = match &question.company {
        CompanyKey::Cik(cik) => *cik,
        CompanyKey::Ticker(_) => {
            let row = gathered.of_kind(TICKERS).next().ok_or(TICKERS)?;
            serde_json::from_slice::<TickerRow>(&row.kept).map_err(|error| format!("{TICKERS}: {error}"))?.cik
        }
    };
    let submissions = gathered.of_kind(SUBMISSIONS).next().ok_or(SUBMISSIONS)?;
    let submissions = read(submissions, Submissions::read, Submissions::from_canonical)?;
    let facts = gathered.of_kind(FACTS).find(|piece| piece.is_found());
    let facts =
        facts.map(|facts| read(facts, CompanyFacts::read_slice, CompanyFacts::from_canonical)).transpose()?;
    for (kind, of) in [(SUBMISSIONS, Some(submissions.cik)), (FACTS, facts.as_ref().map(CompanyFacts::cik))] {
        if of.is_some_and(|of| of != cik) {
            return Err(format!("the source edgar gave the {kind} of another company"));
        }
    }
    Ok(Filed { submissions, facts })
}

fn read<T>(
    piece: &Piece,
    whole: fn(&[u8]) -> Result<T, FactsError>,
    extract: fn(&[u8]) -> Result<T, FactsError>,
) -> Result<T, String> {
    let is_whole = piece.record.evidence_sha256.as_ref() == Some(&piece.record.sha256);
    let read = if is_whole { whole } else { extract };
    read(&piece.kept).map_err(|error| format!("{}: {error}", piece.record.document))
}

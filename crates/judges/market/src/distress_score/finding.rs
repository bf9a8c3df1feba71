//! The finding of `/distress-score`, a pure function of the question, the day and the gathered documents.

use std::borrow::Cow;
use std::sync::LazyLock;

use company_facts::{AnnualReport, Basis, Filing, LeftOut, NoReport, ReportInput, Submissions};
use distress::{AltmanChoice, Assessment, DistressVerdict, Financials, Finite, ModelId, VerdictReason, Zone};
use jiff::civil::Date;
use receipt::hash::sha256;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::quoted;

use super::edgar::{Filed, filed};
use super::question::{DistressQuestion, FiledQuestion};
use crate::source::{Gathered, SourceRecord};

const SCOPE_SENT: &str = "What published models say of the accounts that were sent, computed as their papers state them. Whether the \
    accounts are true, and what will become of the company, was not looked at; the models were fitted to companies of other times.";
const SCOPE_FILED: &str = "What published models say of the accounts that the company filed with the SEC, computed as their papers \
    state them. Whether the accounts are true, and what will become of the company, was not looked at; market values come from the \
    caller; the models were fitted to companies of other times.";
const METHOD: &str = "distress-score/1";

/// The SHA-256 of the models' constants and code.
static MODELS: LazyLock<String> = LazyLock::new(|| hex::encode(sha256(&distress::canonical_rules())));
/// The SHA-256 of the table of tags and the code that chooses facts by it.
static MAPPING: LazyLock<String> = LazyLock::new(|| hex::encode(sha256(&company_facts::canonical_rules())));

/// The finding of `/distress-score`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DistressFinding {
    /// The verdict and the models that it rests on.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// The company; `null` for accounts that were sent.
    pub company: Option<Company>,
    /// The annual report whose accounts were judged; `null` where there is none.
    pub report: Option<Report>,
    /// Each amount of the accounts, with the facts whose sum it is; none for accounts that were sent.
    pub inputs: Vec<ReportInput>,
    /// Items that filings report and that could not be used.
    pub left_out: Vec<LeftOut>,
    /// The score of each annual report as of the day on which it was filed, oldest first, without market values.
    pub history: Vec<EarlierScore>,
    /// The company's notices, since the end of the year that was judged, that an annual report will be late.
    pub late_notices: Vec<LateNotice>,
    /// What the finding rests on, beside the request.
    pub evidence: DistressEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// Scope of the verdict: the statements that it makes and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the method.
    pub method: Cow<'static, str>,
}

/// A company that files with the SEC.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Company {
    /// Its number in EDGAR, of ten digits.
    pub cik: String,
    /// Its name in EDGAR today.
    pub name: String,
    /// The industry code; `null` where neither EDGAR nor the request has one.
    pub sic: Option<u16>,
    /// The party that names the industry: `edgar` or `request`.
    pub sic_source: Option<&'static str>,
    /// The industry in EDGAR's words.
    pub sic_description: Option<String>,
    /// Its tickers in EDGAR today.
    pub tickers: Vec<String>,
}

/// An annual report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// The first day of the year.
    pub period_start: String,
    /// The last day of the year.
    pub period_end: String,
    /// The form that first reported the year, such as `10-K`.
    pub form: String,
    /// The accession number of that filing.
    pub accession: String,
    /// The day of that filing.
    pub filed: String,
    /// The filing whose value was taken where several report one period.
    pub basis: Basis,
    /// The address of that filing.
    pub link: String,
}

/// The score of an annual report as of the day on which it was filed.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct EarlierScore {
    /// The last day of the year.
    pub period_end: String,
    /// The day of the filing, and of the judging.
    pub filed: String,
    /// The accession number of the filing.
    pub accession: String,
    /// The verdict.
    pub verdict: DistressVerdict,
    /// The reasons of the verdict.
    pub reasons: Vec<VerdictReason>,
    /// The Altman model that fits.
    pub altman_model: ModelId,
    /// The reason for which it fits.
    pub altman_choice: AltmanChoice,
    /// The score of that model.
    pub altman_score: Option<Finite>,
    /// The zone of that score.
    pub altman_zone: Option<Zone>,
    /// The number of votes for distress.
    pub votes_for_distress: usize,
    /// The number of models that were computed among the fitting Altman model and the four voters.
    pub computed: usize,
}

/// A notice that an annual report will be late.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct LateNotice {
    /// The day of filing.
    pub filed: String,
    /// The last day of the year of the late report; `null` where the notice names none.
    pub period_end: Option<String>,
    /// The accession number.
    pub accession: String,
}

/// What a finding of `/distress-score` rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DistressEvidence {
    /// The source of the accounts: `request` or `edgar`.
    pub accounts: &'static str,
    /// The day, in UTC, against which the age of the accounts was held; nothing that was filed later counts.
    pub judged_on: String,
    /// The SHA-256 of the models' constants and code.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub models_sha256: String,
    /// The SHA-256 of the table of tags and of the code that chooses facts by it; `null` for accounts that were sent.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub mapping_sha256: Option<String>,
    /// The documents of EDGAR; none for accounts that were sent.
    pub sources: Vec<SourceRecord>,
}

/// The finding on a day, from the documents. The error names a document that cannot be read.
pub(super) fn find(
    question: &DistressQuestion,
    gathered: &Gathered,
    today: Date,
) -> Result<DistressFinding, String> {
    match question {
        DistressQuestion::Sent(financials) => Ok(of_sent(financials, today)),
        DistressQuestion::Filed(question) => of_filed(question, gathered, today),
    }
}

fn of_sent(financials: &Financials, today: Date) -> DistressFinding {
    let assessment = distress::assess(financials, today);
    DistressFinding {
        explanation: explanation("The accounts that were sent", &assessment),
        assessment,
        company: None,
        report: None,
        inputs: Vec::new(),
        left_out: Vec::new(),
        history: Vec::new(),
        late_notices: Vec::new(),
        evidence: DistressEvidence {
            accounts: "request",
            judged_on: today.to_string(),
            models_sha256: MODELS.clone(),
            mapping_sha256: None,
            sources: Vec::new(),
        },
        scope: SCOPE_SENT.into(),
        method: METHOD.into(),
    }
}

fn of_filed(question: &FiledQuestion, gathered: &Gathered, today: Date) -> Result<DistressFinding, String> {
    let judged_on = question.as_of.unwrap_or(today);
    let Filed { submissions, facts } = filed(question, gathered)?;
    let (sic, sic_source) = industry(&submissions, question);
    let company = Company {
        cik: format!("{:010}", submissions.cik),
        name: submissions.name.clone(),
        sic,
        sic_source,
        sic_description: submissions.sic_description.clone(),
        tickers: submissions.tickers.clone(),
    };
    let report = match (obstacle(sic), &facts) {
        (Some(reason), _) => Err(reason),
        (None, None) => Err(VerdictReason::NoAnnualReport),
        (None, Some(facts)) => facts.latest(judged_on, question.basis).map_err(|none| match none {
            NoReport::IfrsNotMapped => VerdictReason::IfrsNotMapped,
            NoReport::NoUsGaap | NoReport::NoAnnualReport => VerdictReason::NoAnnualReport,
            NoReport::MixedCurrencies(_) => VerdictReason::MixedCurrencies,
        }),
    };
    let (assessment, report) = match report {
        Err(reason) => (Assessment::without_accounts(reason, sic, judged_on), None),
        Ok(mut report) => {
            report.financials.sic = sic;
            question.supplement.add_to(&mut report.financials);
            let is_mixed =
                question.supplement.has_market_value() && question.supplement.currency != report.currency;
            let assessment = if is_mixed {
                Assessment::without_accounts(VerdictReason::MixedCurrencies, sic, judged_on)
            } else {
                distress::assess(&report.financials, judged_on)
            };
            (assessment, Some(report))
        }
    };
    let assessment = if gathered.is_stale() { assessment.of_stale_accounts() } else { assessment };
    let histories = facts.as_ref().filter(|_| obstacle(sic).is_none());
    let history = histories.into_iter().flat_map(|facts| facts.history(judged_on));
    Ok(DistressFinding {
        explanation: explanation(&format!("{} (EDGAR {})", quoted(&company.name), company.cik), &assessment),
        history: history.map(|earlier| earlier_score(earlier, sic)).collect(),
        late_notices: late_notices(&submissions, report.as_ref(), judged_on),
        report: report.as_ref().map(|report| report_of(report, submissions.cik, question.basis)),
        inputs: report.as_ref().map(|report| report.inputs.clone()).unwrap_or_default(),
        left_out: report.map(|report| report.left_out).unwrap_or_default(),
        assessment,
        company: Some(company),
        evidence: DistressEvidence {
            accounts: "edgar",
            judged_on: judged_on.to_string(),
            models_sha256: MODELS.clone(),
            mapping_sha256: Some(MAPPING.clone()),
            sources: gathered.records(),
        },
        scope: SCOPE_FILED.into(),
        method: METHOD.into(),
    })
}

/// The sentence that says whose accounts were judged, and why the verdict follows.
fn explanation(whose: &str, assessment: &Assessment) -> String {
    let year = assessment.period_end.as_ref().map(|end| format!(" for the year to {end}"));
    let year = year.unwrap_or_default();
    let reasons: Vec<&str> = assessment.reasons.iter().map(|reason| reason.words()).collect();
    let Assessment { computed, votes_for_distress, .. } = assessment;
    format!(
        "{whose}{year}: {}. Of {computed} models that could be computed, {votes_for_distress} vote for distress.",
        reasons.join("; ")
    )
}

/// The industry, which EDGAR's own code decides where it has one.
pub(super) fn industry(
    submissions: &Submissions,
    question: &FiledQuestion,
) -> (Option<u16>, Option<&'static str>) {
    match (submissions.sic, question.supplement.sic) {
        (Some(sic), _) => (Some(sic), Some("edgar")),
        (None, Some(sic)) => (Some(sic), Some("request")),
        (None, None) => (None, None),
    }
}

/// The reason why a company of an industry is not scored, whatever its accounts are.
pub(super) fn obstacle(sic: Option<u16>) -> Option<VerdictReason> {
    match sic {
        None => Some(VerdictReason::IndustryUnknown),
        Some(sic) if distress::FINANCIAL_FIRMS.contains(&sic) => Some(VerdictReason::FinancialFirm),
        Some(_) => None,
    }
}

fn report_of(report: &AnnualReport, cik: u64, basis: Basis) -> Report {
    Report {
        period_start: report.period_start.to_string(),
        period_end: report.period_end.to_string(),
        form: report.form.clone(),
        accession: report.accession.clone(),
        filed: report.filed.to_string(),
        basis,
        link: filing_link(cik, &report.accession),
    }
}

/// The address of a filing in EDGAR.
pub(super) fn filing_link(cik: u64, accession: &str) -> String {
    format!("https://www.sec.gov/Archives/edgar/data/{cik}/{}/", accession.replace('-', ""))
}

fn earlier_score(mut report: AnnualReport, sic: Option<u16>) -> EarlierScore {
    report.financials.sic = sic;
    let assessment = distress::assess(&report.financials, report.filed);
    let altman = assessment.models.iter().find(|score| score.model == assessment.altman_model);
    EarlierScore {
        period_end: report.period_end.to_string(),
        filed: report.filed.to_string(),
        accession: report.accession,
        verdict: assessment.verdict,
        altman_model: assessment.altman_model,
        altman_choice: assessment.altman_choice,
        altman_score: altman.map(|score| score.score),
        altman_zone: assessment.altman_zone,
        votes_for_distress: assessment.votes_for_distress,
        computed: assessment.computed,
        reasons: assessment.reasons,
    }
}

fn late_notices(
    submissions: &Submissions,
    report: Option<&AnnualReport>,
    judged_on: Date,
) -> Vec<LateNotice> {
    let since = report.map_or(Date::MIN, |report| report.period_end);
    let is_late =
        |filing: &&Filing| filing.form == "NT 10-K" && filing.filed > since && filing.filed <= judged_on;
    let notice = |filing: &Filing| LateNotice {
        filed: filing.filed.to_string(),
        period_end: filing.report_date.map(|day| day.to_string()),
        accession: filing.accession.clone(),
    };
    submissions.filings.iter().filter(is_late).take(MAX_NOTICES).map(notice).collect()
}

/// Most notices of late reports that are listed.
const MAX_NOTICES: usize = 20;

//! Accounts, company facts, histories of markets, and answers of federal services.

use company_facts::{Basis, CompanyFacts, Submissions, Tickers};
use distress::{DistressVerdict, Financials, Zone};
use federal_register::{Answer, PublicInspection, SearchRequest};
use jiff::civil::{Date, date};
use record_search::AnswerError;
use stress_composite::{Composite, Series, YieldCurve, built_in, vix_history};
use usaspending::{AwardAnswer, AwardCounts, AwardSearchRequest, AwardTypes, ToptierAgencies};

use crate::split::{cut, parts};

/// The day of all judging.
const TODAY: Date = date(2026, 6, 30);

/// Answers of the Federal Register: normalised without loss, or refused; what is refused at its first byte was no answer.
pub fn federal_register(data: &[u8]) -> bool {
    let lossless = federal_register::check_lossless(data);
    assert!(!matches!(lossless, Err(AnswerError::Lost { .. })), "{lossless:?}");
    let search = SearchRequest::default().check(TODAY).expect("a search for everything");
    let _ = PublicInspection::read(data);
    let Ok(answer) = Answer::read(&search, data) else { return lossless.is_ok() };
    assert!(lossless.is_ok());
    for document in &answer.documents {
        assert!(document.published.is_none_or(|day| document.key().ends_with(&day.to_string())));
        assert!(
            document.link.as_ref().is_none_or(|link| link.starts_with("https://")),
            "{:?}",
            document.link
        );
    }
    true
}

/// Answers of `USAspending`: normalised without loss, or refused. An agency of the reference is found by its own name.
pub fn awards(data: &[u8]) -> bool {
    let lossless = usaspending::check_lossless(data);
    assert!(!matches!(lossless, Err(AnswerError::Lost { .. })), "{lossless:?}");
    let request = AwardSearchRequest { group: Some("contracts".to_owned()), ..AwardSearchRequest::default() };
    let types = AwardTypes::read(data);
    let search = request.check(TODAY, &AwardTypes::bundled()).expect("a search for contracts");
    let answer = AwardAnswer::read(&search, data);
    assert!(answer.is_err() || lossless.is_ok());
    let counts = AwardCounts::read(data);
    let agencies = ToptierAgencies::read(data);
    for agency in agencies.iter().flat_map(ToptierAgencies::agencies) {
        let named = agencies.as_ref().ok().and_then(|all| all.find(&agency.name));
        assert!(
            named.is_some() || agency.name.chars().all(|letter| !letter.is_alphanumeric()),
            "{}",
            agency.name
        );
    }
    lossless.is_ok() || types.is_ok() || counts.is_ok()
}

/// Histories of the VIX and of yields, with 0xff between: the days rise, a reading is a percentile of what there was, and
/// rows of later days change none.
pub fn series(data: &[u8]) -> bool {
    let [vix, yields] = parts(data);
    let (vix, curve) = (vix_history(vix), YieldCurve::read([yields]));
    let known = vix
        .iter()
        .chain(curve.iter().flat_map(|curve| [&curve.three_month, &curve.two_year, &curve.ten_year]));
    known.for_each(|series| assert!(series.days().is_sorted_by(|a, b| a < b)));
    let (Ok(vix), Ok(curve)) = (vix, curve) else { return false };
    let (Some(first), Some(last)) = (vix.days().first(), vix.days().last()) else { return false };
    let whole = built_in(&vix, &curve, None);
    for day in [*first, *last] {
        let reading = whole.read(day);
        assert!(
            reading.inputs.iter().all(|input| (0.0..=100.0).contains(&input.percentile) && input.day <= day)
        );
        assert!(reading.value.is_none_or(|value| (0.0..=100.0).contains(&value)));
        assert!(reading.label.is_none() || reading.value.is_some());
        assert_eq!(until(&vix, &curve, day).read(day), reading);
    }
    true
}

/// The composite of what was known on a day.
fn until(vix: &Series, curve: &YieldCurve, day: Date) -> Composite {
    let cut = |series: &Series| {
        let known = series.days().iter().zip(series.values()).filter(|(of, _)| **of <= day);
        Series::new(known.map(|(day, value)| (*day, *value))).expect("a part of a series")
    };
    let curve = YieldCurve {
        three_month: cut(&curve.three_month),
        two_year: cut(&curve.two_year),
        ten_year: cut(&curve.ten_year),
    };
    built_in(&cut(vix), &curve, None)
}

/// Accounts: `SAFE` only in the safe zone without a vote, `DISTRESS` only with one, and neither of a financial firm, of old
/// accounts or with fewer than three models. Each model is computed, or names what it lacks.
pub fn financials(data: &[u8]) -> bool {
    let Ok(json) = serde_json::from_slice(data) else { return false };
    let Ok(accounts) = Financials::from_json(&json) else { return false };
    let judged = distress::assess(&accounts, TODAY);
    let votes = judged.votes.iter().filter(|vote| vote.is_distress == Some(true)).count();
    assert_eq!(votes, judged.votes_for_distress);
    assert!(!judged.reasons.is_empty());
    match judged.verdict {
        DistressVerdict::Safe => assert!(votes == 0 && judged.altman_zone == Some(Zone::Safe)),
        DistressVerdict::Distress => {
            assert!(votes > 2 || (votes > 0 && judged.altman_zone == Some(Zone::Distress)))
        }
        DistressVerdict::Grey | DistressVerdict::InsufficientData => {}
    }
    if judged.verdict != DistressVerdict::InsufficientData {
        assert!(judged.computed >= distress::MIN_COMPUTED && accounts.period_end <= TODAY);
        assert!(accounts.sic.is_none_or(|sic| !distress::FINANCIAL_FIRMS.contains(&sic)));
    }
    assert_eq!(judged.models.len() + judged.not_computed.len(), distress::ModelId::ALL.len());
    assert!(judged.not_computed.iter().all(|model| !model.inputs.is_empty()));
    serde_json::to_value(&judged).expect("a finding is plain data");
    true
}

/// Bodies of EDGAR: an extract is read to itself, and no report has a fact that was filed later or is more than the sum of
/// its facts. A part of a body is refused, unless it lacks white space alone.
pub fn facts(data: &[u8]) -> bool {
    let tickers = Tickers::read(data).is_ok_and(|tickers| !tickers.is_empty());
    if let Ok(submissions) = Submissions::read(data) {
        assert_eq!(Submissions::from_canonical(&submissions.to_canonical()).as_ref(), Ok(&submissions));
        return true;
    }
    let Ok(facts) = CompanyFacts::read_slice(data) else { return tickers };
    assert_eq!(CompanyFacts::from_canonical(&facts.to_canonical()).as_ref(), Ok(&facts));
    let reports =
        [Basis::Latest, Basis::AsFirstFiled].into_iter().filter_map(|basis| facts.latest(TODAY, basis).ok());
    for report in reports.chain(facts.history(TODAY)) {
        assert!(
            report.filed <= TODAY
                && report.period_start < report.period_end
                && report.period_end <= report.filed
        );
        for input in &report.inputs {
            assert!(
                !input.parts.is_empty() && input.parts.iter().all(|part| part.filed <= TODAY),
                "{input:?}"
            );
        }
        let _ = distress::assess(&report.financials, TODAY);
    }
    if let Ok(shorter) = CompanyFacts::read_slice(cut(data)) {
        assert_eq!(shorter, facts);
    }
    true
}

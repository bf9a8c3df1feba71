//! The choice of the year of a report.

use company_facts::{Basis, LeftOutReason, NoReport};
use distress::{Item, Year};

use crate::bodies::{Body, FIRST, NEXT, SECOND, YEAR, amount, day};

const FAR: &str = "2030-01-01";

#[test]
fn the_newest_year_filed_by_the_day_is_taken() {
    let body = Body::default().year(YEAR, FIRST).year(NEXT, SECOND);
    for (as_of, end, accession) in [
        ("2024-02-20", "2023-12-31", FIRST.0),
        ("2025-02-19", "2023-12-31", FIRST.0),
        ("2025-02-20", "2024-12-31", SECOND.0),
    ] {
        let report = body.report(as_of, Basis::Latest);
        assert_eq!((report.period_end, report.accession.as_str()), (day(end), accession), "{as_of}");
    }
    assert_eq!(body.read().latest(day("2024-02-19"), Basis::Latest), Err(NoReport::NoAnnualReport));
}

#[test]
fn the_year_before_stands_beside_and_is_no_report_of_its_own() {
    let body = Body::default().year(NEXT, SECOND).year(YEAR, SECOND);
    let report = body.report(FAR, Basis::Latest);
    assert_eq!(report.period_end, day("2024-12-31"));
    assert_eq!(amount(&report, Item::NetIncome, Year::Prior), Some("10"));
    assert_eq!(amount(&report, Item::TotalAssets, Year::Prior), Some("1000"));
    assert_eq!(body.read().history(day(FAR)).len(), 1);
}

#[test]
fn a_history_holds_each_year_as_of_its_own_filing() {
    let body = Body::default()
        .year(YEAR, FIRST)
        .fact("Revenues", YEAR, "100", FIRST)
        .year(NEXT, SECOND)
        .fact("Revenues", YEAR, "80", SECOND)
        .fact("Revenues", NEXT, "90", SECOND);
    let history = body.read().history(day(FAR));
    let revenues: Vec<_> =
        history.iter().map(|report| amount(report, Item::Revenue, Year::Current)).collect();
    assert_eq!(revenues, [Some("100"), Some("90")]);
    assert_eq!(amount(&history[1], Item::Revenue, Year::Prior), Some("80"));
    assert_eq!(body.read().history(day("2025-02-19")).len(), 1);
}

#[test]
fn years_of_52_and_53_weeks_are_years() {
    let first = ("0000000001-23-000001", "10-K", "2023-11-03");
    let second = ("0000000001-24-000001", "10-K", "2024-11-01");
    // 371 and 364 days.
    let body = Body::default().year("2022-09-25/2023-09-30", first).year("2023-10-01/2024-09-28", second);
    let report = body.report(FAR, Basis::Latest);
    assert_eq!((report.period_start, report.period_end), (day("2023-10-01"), day("2024-09-28")));
    assert_eq!(amount(&report, Item::NetIncome, Year::Prior), Some("10"));
    assert_eq!(body.read().history(day(FAR)).len(), 2);
}

#[test]
fn periods_outside_350_to_380_days_are_no_years() {
    for (period, is_year) in [
        ("2023-01-16/2023-12-31", true),
        ("2023-01-17/2023-12-31", false),
        ("2022-12-17/2023-12-31", true),
        ("2022-12-16/2023-12-31", false),
    ] {
        let body = Body::default().year(period, FIRST);
        assert_eq!(body.read().latest(day(FAR), Basis::Latest).is_ok(), is_year, "{period}");
    }
}

#[test]
fn a_transition_report_is_no_annual_report_and_cuts_off_the_year_before() {
    let transition = ("0000000001-24-000007", "10-KT", "2024-09-01");
    let after = ("0000000001-25-000007", "10-K", "2025-09-01");
    let body = Body::default()
        .year(YEAR, FIRST)
        .year("2024-01-01/2024-06-30", transition)
        .year(YEAR, transition)
        .year("2024-07-01/2025-06-30", after);
    assert_eq!(body.report("2025-08-31", Basis::Latest).accession, FIRST.0);
    let report = body.report(FAR, Basis::Latest);
    assert_eq!(report.period_end, day("2025-06-30"));
    assert_eq!(amount(&report, Item::NetIncome, Year::Prior), None);
    let alone = Body::default().year("2024-01-01/2024-06-30", transition).year(YEAR, transition);
    assert_eq!(alone.read().latest(day(FAR), Basis::Latest), Err(NoReport::NoAnnualReport));
    assert_eq!(body.read().history(day(FAR)).len(), 2);
}

#[test]
fn a_year_needs_a_balance_sheet_at_its_end_in_an_annual_report() {
    let flows = Body::default().fact("NetIncomeLoss", YEAR, "10", FIRST);
    assert_eq!(flows.read().latest(day(FAR), Basis::Latest), Err(NoReport::NoAnnualReport));
    let other_day = flows.clone().fact("Assets", "2023-12-30", "1000", FIRST);
    assert_eq!(other_day.read().latest(day(FAR), Basis::Latest), Err(NoReport::NoAnnualReport));
    let quarterly = Body::default().year(YEAR, ("0000000001-24-000003", "10-Q", "2024-05-01"));
    assert_eq!(quarterly.read().latest(day(FAR), Basis::Latest), Err(NoReport::NoAnnualReport));
    let foreign = Body::default().year(YEAR, ("0000000001-24-000003", "20-F", "2024-05-01"));
    assert_eq!(foreign.report(FAR, Basis::Latest).form, "20-F");
}

#[test]
fn all_amounts_are_of_one_currency() {
    let yen = |body: Body, tag: &str, period: &str| body.fact_in("us-gaap", tag, "JPY", period, "7", FIRST);
    let body = yen(yen(Body::default(), "NetIncomeLoss", YEAR), "Assets", "2023-12-31");
    let report = body.report(FAR, Basis::Latest);
    assert_eq!(report.currency.as_str(), "JPY");
    assert_eq!(amount(&report, Item::TotalAssets, Year::Current), Some("7"));
    let both = yen(body.clone().year(YEAR, FIRST), "InventoryNet", "2023-12-31");
    let report = both.report(FAR, Basis::Latest);
    assert_eq!(report.currency.as_str(), "USD");
    assert_eq!(amount(&report, Item::TotalAssets, Year::Current), Some("1000"));
    let left_out: Vec<_> = report.left_out.iter().map(|left_out| (left_out.item, left_out.reason)).collect();
    assert_eq!(left_out, [(Item::Inventory, LeftOutReason::OtherCurrency)]);
    let euro = |body: Body, tag: &str, period: &str| body.fact_in("us-gaap", tag, "EUR", period, "7", FIRST);
    let mixed = euro(euro(body, "NetIncomeLoss", YEAR), "Assets", "2023-12-31");
    let why = mixed.read().latest(day(FAR), Basis::Latest).unwrap_err();
    assert_eq!(
        (why.code(), why),
        ("mixed_currencies", NoReport::MixedCurrencies(vec!["EUR".into(), "JPY".into()]))
    );
}

#[test]
fn accounts_by_ifrs_or_without_taxonomy_are_named() {
    let ifrs = Body::default().fact_in("ifrs-full", "Assets", "EUR", "2023-12-31", "7", FIRST);
    assert!(ifrs.read().is_ifrs_only());
    assert_eq!(ifrs.read().latest(day(FAR), Basis::Latest), Err(NoReport::IfrsNotMapped));
    assert!(company_facts::check_body(ifrs.text().as_bytes()).unwrap().contains("ifrs_not_mapped"));
    let both = ifrs.year(YEAR, FIRST);
    assert!(!both.read().is_ifrs_only() && both.read().latest(day(FAR), Basis::Latest).is_ok());
    let cover = Body::default().fact_in("dei", "EntityPublicFloat", "USD", "2023-12-31", "7", FIRST);
    assert_eq!(cover.read().latest(day(FAR), Basis::Latest), Err(NoReport::NoUsGaap));
    assert_eq!(Body::default().read().latest(day(FAR), Basis::Latest), Err(NoReport::NoUsGaap));
}

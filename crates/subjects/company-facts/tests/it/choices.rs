//! The choice of one fact among several of the same period.

use company_facts::{Basis, LeftOutReason, check_case};
use distress::{Item, Year};
use serde_json::json;

use crate::bodies::{Body, FIRST, NEXT, SECOND, YEAR, amount, day, parts};

const FAR: &str = "2030-01-01";

fn cash(body: &Body, as_of: &str, basis: Basis) -> Option<String> {
    amount(&body.report(as_of, basis), Item::Cash, Year::Current).map(str::to_owned)
}

fn with_cash(values: &[(&str, (&str, &str, &str))]) -> Body {
    let add = |body: Body, (value, filing): &(&str, (&str, &str, &str))| {
        body.fact("CashAndCashEquivalentsAtCarryingValue", "2023-12-31", value, *filing)
    };
    values.iter().fold(Body::default().year(YEAR, FIRST), add)
}

#[test]
fn a_restatement_counts_from_its_filing_on_and_never_as_first_filed() {
    let amended = ("0000000001-24-000009", "10-K/A", "2024-08-01");
    let body = with_cash(&[("100", FIRST), ("90", amended), ("80", SECOND)]).year(YEAR, amended);
    for (as_of, latest) in [("2024-02-20", "100"), ("2024-07-31", "100"), ("2024-08-01", "90"), (FAR, "80")] {
        assert_eq!(cash(&body, as_of, Basis::Latest).as_deref(), Some(latest), "{as_of}");
        assert_eq!(cash(&body, as_of, Basis::AsFirstFiled).as_deref(), Some("100"), "{as_of}");
    }
    assert_eq!(body.report(FAR, Basis::Latest).accession, FIRST.0);
}

#[test]
fn on_one_day_the_accession_number_decides() {
    let same_day = ("0000000001-24-000002", "10-K/A", FIRST.2);
    let body = with_cash(&[("100", same_day), ("90", FIRST)]);
    assert_eq!(cash(&body, FAR, Basis::Latest).as_deref(), Some("100"));
    assert_eq!(cash(&body, FAR, Basis::AsFirstFiled).as_deref(), Some("90"));
    let same_value = with_cash(&[("100", same_day), ("100", FIRST)]);
    for (basis, accession) in [(Basis::Latest, same_day.0), (Basis::AsFirstFiled, FIRST.0)] {
        assert_eq!(parts(&same_value.report(FAR, basis), Item::Cash)[0].accession, accession);
    }
}

#[test]
fn the_exact_value_of_a_filing_is_taken_and_not_its_rounding() {
    for values in [["57.4e9", "57411000000"], ["57411000000", "57.4e9"], ["57411000000", "5.7411E10"]] {
        let body = with_cash(&values.map(|value| (value, FIRST)));
        for basis in [Basis::Latest, Basis::AsFirstFiled] {
            assert_eq!(cash(&body, FAR, basis).as_deref(), Some("57411000000"), "{values:?}");
        }
    }
    let coarser_later = with_cash(&[("57411000000", FIRST), ("57.4e9", SECOND)]);
    assert_eq!(cash(&coarser_later, FAR, Basis::Latest).as_deref(), Some("57400000000"));
}

#[test]
fn two_values_of_one_filing_leave_the_item_out_by_name() {
    let body = with_cash(&[("100", FIRST), ("250", FIRST)]);
    let report = body.report(FAR, Basis::Latest);
    assert_eq!(amount(&report, Item::Cash, Year::Current), None);
    let left_out = &report.left_out[0];
    assert_eq!((left_out.item, left_out.reason), (Item::Cash, LeftOutReason::ConflictingValues));
    assert_eq!(left_out.tag, "CashAndCashEquivalentsAtCarryingValue");
    let settled = with_cash(&[("100", FIRST), ("250", FIRST), ("240", SECOND)]);
    assert_eq!(cash(&settled, FAR, Basis::Latest).as_deref(), Some("240"));
}

#[test]
fn annual_reports_go_before_other_forms_and_others_before_nothing() {
    let quarterly = ("0000000001-24-000005", "10-Q", "2024-05-01");
    let body = with_cash(&[("100", FIRST), ("90", quarterly)]);
    assert_eq!(cash(&body, FAR, Basis::Latest).as_deref(), Some("100"));
    let only = with_cash(&[("90", quarterly)]);
    assert_eq!(cash(&only, FAR, Basis::Latest).as_deref(), Some("90"));
    assert_eq!(cash(&only, "2024-04-30", Basis::Latest), None);
}

#[test]
fn a_fact_filed_before_its_period_ended_does_not_count() {
    let too_early = ("0000000001-23-000001", "10-K", "2023-06-01");
    let body = with_cash(&[("70", too_early), ("100", FIRST)]);
    assert_eq!(cash(&body, FAR, Basis::AsFirstFiled).as_deref(), Some("100"));
}

#[test]
fn one_end_with_several_durations_gives_the_year() {
    let mut body = Body::default().year(YEAR, FIRST);
    for (start, value) in
        [("2023-10-01", "3"), ("2023-07-01", "6"), ("2023-04-01", "9"), ("2023-01-01", "12")]
    {
        body = body.fact("Revenues", &format!("{start}/2023-12-31"), value, FIRST);
    }
    let report = body.report(FAR, Basis::Latest);
    assert_eq!(amount(&report, Item::Revenue, Year::Current), Some("12"));
    let quarter = body.read().facts_of("us-gaap", "Revenues", "USD")[3].clone();
    assert_eq!((quarter.value.as_str(), quarter.start), ("3", Some(day("2023-10-01"))));
}

#[test]
fn a_tag_that_only_later_filings_have_does_not_hide_what_was_first_filed() {
    let body = Body::default()
        .year(YEAR, FIRST)
        .fact("SalesRevenueNet", YEAR, "100", FIRST)
        .year(NEXT, SECOND)
        .fact("RevenueFromContractWithCustomerExcludingAssessedTax", YEAR, "95", SECOND)
        .fact("RevenueFromContractWithCustomerExcludingAssessedTax", NEXT, "120", SECOND);
    for (basis, prior) in [(Basis::Latest, "95"), (Basis::AsFirstFiled, "100")] {
        let report = body.report(FAR, basis);
        assert_eq!(amount(&report, Item::Revenue, Year::Current), Some("120"));
        assert_eq!(amount(&report, Item::Revenue, Year::Prior), Some(prior), "{basis:?}");
    }
}

#[test]
fn a_share_split_restates_both_years_on_the_latest_basis() {
    let shares = |body: Body, end: &str, value: &str, filing| {
        body.fact_in("us-gaap", "CommonStockSharesOutstanding", "shares", end, value, filing)
    };
    let body = Body::default().year(YEAR, FIRST).year(NEXT, SECOND);
    let body = shares(body, "2023-12-31", "1000", FIRST);
    let body = shares(body, "2023-12-31", "4000", SECOND);
    let body = shares(body, "2024-12-31", "3900", SECOND);
    let report = body.report(FAR, Basis::Latest);
    assert_eq!(amount(&report, Item::SharesOutstanding, Year::Current), Some("3900"));
    assert_eq!(amount(&report, Item::SharesOutstanding, Year::Prior), Some("4000"));
    let first = body.report(FAR, Basis::AsFirstFiled);
    assert_eq!(amount(&first, Item::SharesOutstanding, Year::Prior), Some("1000"));
}

#[test]
fn a_case_is_compared_with_a_plain_scan_and_held_to_its_words() {
    let fact = |value: i64, filed: &str, accession: &str| json!({"start": "2006-10-01", "end": "2007-09-29", "val": value, "form": "10-K", "filed": filed, "accn": accession});
    let facts =
        json!([fact(1, "2007-11-01", "0000000001-07-000001"), fact(2, "2008-11-01", "0000000001-08-000001")]);
    let case = |name: &str, days: i64| json!({"case": name, "tag": "T", "unit": "USD", "facts": facts, "days": days});
    assert_eq!(check_case(&case("restated_or_split", 364)), Ok(4));
    assert!(check_case(&case("52/53-week fiscal year", 371)).unwrap_err().contains("371"));
    assert!(check_case(&case("amended form carries the same value", 364)).unwrap_err().contains("differs"));
    assert!(check_case(&json!({"case": "restated"})).unwrap_err().contains("no facts"));
    assert!(check_case(&json!({"case": "x", "facts": [{"end": "2007-13-01"}]})).is_err());
    for (one, other) in [("57411000000", "57.4e9"), ("57.4e9", "57411000000"), ("100", "250")] {
        let row = |value: &str| {
            format!(
                r#"{{"end":"2023-12-31","val":{value},"accn":"{}","form":"10-K","filed":"{}"}}"#,
                FIRST.0, FIRST.2
            )
        };
        let text = format!(r#"{{"case":"one filing","facts":[{},{}]}}"#, row(one), row(other));
        assert_eq!(check_case(&serde_json::from_str(&text).unwrap()), Ok(2), "{one} {other}");
    }
}

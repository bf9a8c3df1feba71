use serde_json::{Value, json};

use super::*;

/// Accounts of a healthy manufacturer, which every voter but those of the market can read.
fn accounts() -> Value {
    json!({
        "currency": "USD", "period_end": "2025-12-31", "sic": "3571",
        "current_assets": "600", "current_liabilities": "200", "total_assets": "1000", "total_liabilities": "400",
        "retained_earnings": "300", "ebit": "150", "pretax_income": "140", "net_income": "110", "revenue": "1200",
        "market_value": "2000",
    })
}

fn with(changes: &[(&str, Value)]) -> Financials {
    let mut accounts = accounts();
    for (name, value) in changes {
        accounts[*name] = value.clone();
    }
    Financials::from_json(&accounts).unwrap()
}

fn on(day: &str) -> Date {
    day.parse().unwrap()
}

fn judged(changes: &[(&str, Value)]) -> Assessment {
    assess(&with(changes), on("2026-03-01"))
}

#[test]
fn the_table_of_zones_and_votes_is_the_published_one() {
    use DistressVerdict::{Distress, Grey, Safe};
    for (zone, by_votes) in [
        (Some(Zone::Distress), [Grey, Distress, Distress, Distress, Distress]),
        (Some(Zone::Grey), [Grey, Grey, Grey, Distress, Distress]),
        (Some(Zone::Safe), [Safe, Grey, Grey, Distress, Distress]),
        (None, [Grey, Grey, Grey, Distress, Distress]),
    ] {
        for (votes, verdict) in by_votes.into_iter().enumerate() {
            let decided = decide(zone, votes);
            assert_eq!(decided.0, verdict, "{zone:?} with {votes} votes");
            assert!(!decided.1.is_empty());
        }
    }
}

#[test]
fn the_altman_model_is_chosen_by_industry_and_market() {
    for (changes, choice, model) in [
        (vec![], AltmanChoice::ManufacturerWithMarketValue, ModelId::AltmanZ),
        (vec![("is_private", json!(true))], AltmanChoice::PrivateManufacturer, ModelId::AltmanZPrime),
        (
            vec![("market_value", Value::Null)],
            AltmanChoice::ManufacturerWithoutMarketValue,
            ModelId::AltmanZDoublePrime,
        ),
        (
            vec![("market_value", json!("-1"))],
            AltmanChoice::ManufacturerWithoutMarketValue,
            ModelId::AltmanZDoublePrime,
        ),
        (vec![("sic", json!(1999))], AltmanChoice::NotAManufacturer, ModelId::AltmanZDoublePrime),
        (vec![("sic", json!("2000"))], AltmanChoice::ManufacturerWithMarketValue, ModelId::AltmanZ),
        (vec![("sic", json!("3999"))], AltmanChoice::ManufacturerWithMarketValue, ModelId::AltmanZ),
        (vec![("sic", json!("4000"))], AltmanChoice::NotAManufacturer, ModelId::AltmanZDoublePrime),
        (vec![("sic", Value::Null)], AltmanChoice::IndustryUnknown, ModelId::AltmanZDoublePrime),
    ] {
        let judged = judged(&changes);
        assert_eq!((judged.altman_choice, judged.altman_model), (choice, model), "{changes:?}");
    }
}

#[test]
fn a_financial_firm_is_not_judged() {
    for (sic, is_financial) in
        [("5999", false), ("6000", true), ("6798", true), ("6999", true), ("7000", false)]
    {
        let judged = judged(&[("sic", json!(sic))]);
        assert_eq!(judged.reasons.contains(&VerdictReason::FinancialFirm), is_financial, "{sic}");
        assert_eq!(judged.verdict == DistressVerdict::InsufficientData, is_financial, "{sic}");
    }
}

#[test]
fn a_report_is_judged_up_to_eighteen_months_after_its_end() {
    for (end, day, reason) in [
        ("2025-12-31", "2025-12-30", Some(VerdictReason::PeriodEndInFuture)),
        ("2025-12-31", "2025-12-31", None),
        ("2025-12-31", "2027-06-30", None),
        ("2025-12-31", "2027-07-01", Some(VerdictReason::ReportTooOld)),
        ("2024-08-31", "2026-02-28", None),
        ("2024-08-31", "2026-03-01", Some(VerdictReason::ReportTooOld)),
        ("9999-12-31", "9999-12-31", None),
    ] {
        let judged = assess(&with(&[("period_end", json!(end))]), on(day));
        assert_eq!(judged.reasons.first().copied().filter(|one| Some(*one) == reason), reason, "{end} {day}");
        assert_eq!(judged.verdict == DistressVerdict::InsufficientData, reason.is_some(), "{end} {day}");
    }
}

#[test]
fn fewer_than_three_of_the_five_models_are_too_few() {
    let three = judged(&[]);
    assert_eq!((three.computed, three.verdict), (3, DistressVerdict::Safe));
    let two = judged(&[("pretax_income", Value::Null)]);
    assert_eq!((two.computed, two.verdict), (2, DistressVerdict::InsufficientData));
    assert_eq!(two.reasons, [VerdictReason::TooFewModels]);
    let springate = two.not_computed.iter().find(|one| one.model == ModelId::SpringateS).unwrap();
    let names: Vec<&str> = springate.inputs.iter().map(|fault| fault.input.as_str()).collect();
    assert_eq!(names, ["pretax_income"]);
    let none = judged(&[("total_assets", json!("0"))]);
    assert_eq!(none.verdict, DistressVerdict::InsufficientData);
}

#[test]
fn a_failing_manufacturer_is_in_distress() {
    let judged = judged(&[
        ("current_assets", json!("150")),
        ("current_liabilities", json!("500")),
        ("total_liabilities", json!("1100")),
        ("retained_earnings", json!("-600")),
        ("ebit", json!("-120")),
        ("pretax_income", json!("-200")),
        ("net_income", json!("-210")),
        ("market_value", json!("50")),
        ("equity_volatility", json!("0.9")),
        ("risk_free_rate", json!("0.04")),
        ("short_term_debt", json!("300")),
        ("long_term_debt", json!("500")),
    ]);
    assert_eq!(judged.verdict, DistressVerdict::Distress);
    assert_eq!(judged.reasons, [VerdictReason::AltmanDistressWithVote, VerdictReason::ThreeVotes]);
    assert_eq!((judged.votes_for_distress, judged.computed), (3, 4));
    let ohlson = judged.votes.iter().find(|vote| vote.model == ModelId::OhlsonO).unwrap();
    assert_eq!((ohlson.measured, ohlson.is_distress), (None, None));
}

#[test]
fn every_model_is_either_computed_or_names_what_it_lacks() {
    let judged = judged(&[("current_assets", json!("1006"))]);
    assert_eq!(judged.models.len() + judged.not_computed.len(), ModelId::ALL.len());
    assert!(judged.not_computed.iter().all(|one| !one.inputs.is_empty()));
    let names: Vec<&str> = judged.refused_items.iter().map(|fault| fault.input.as_str()).collect();
    assert_eq!(names, ["current_assets", "total_assets"]);
    assert_eq!(judged.verdict, DistressVerdict::InsufficientData);
}

#[test]
fn a_company_without_accounts_is_insufficient_and_stale_accounts_are_never_safe() {
    let nothing = Assessment::without_accounts(VerdictReason::IfrsNotMapped, None, on("2026-03-01"));
    assert_eq!((nothing.verdict, nothing.computed), (DistressVerdict::InsufficientData, 0));
    assert_eq!((nothing.reasons, nothing.currency), (vec![VerdictReason::IfrsNotMapped], None));
    let safe = assess(&with(&[("market_value", json!("9000"))]), on("2026-03-01"));
    assert_eq!(safe.verdict, DistressVerdict::Safe, "{safe:#?}");
    let stale = safe.of_stale_accounts();
    assert_eq!(
        (stale.verdict, stale.reasons),
        (DistressVerdict::InsufficientData, vec![VerdictReason::SourceStale])
    );
    let nothing = Assessment::without_accounts(VerdictReason::Mixed, None, on("2026-03-01"));
    let grey = Assessment { verdict: DistressVerdict::Grey, ..nothing };
    assert_eq!(grey.of_stale_accounts().verdict, DistressVerdict::Grey);
}

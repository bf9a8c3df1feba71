//! Inputs that are refused, each by name.

use distress::{FaultReason, Financials, InputProblem, Item, ModelId, score_items};
use serde_json::{Value, json};

fn with(changes: &[(&str, Value)]) -> Value {
    let mut accounts = json!({
        "currency": "USD", "period_end": "2025-12-31", "gnp_index": "500",
        "current_assets": "400", "current_liabilities": "250", "total_assets": "1000", "total_liabilities": "600",
        "retained_earnings": "200", "ebit": "90", "pretax_income": "60", "net_income": "45", "revenue": "1100",
        "depreciation_amortization": "40", "market_value": "500", "equity_volatility": "0.4",
        "risk_free_rate": "0.04", "short_term_debt": "60", "long_term_debt": "240",
        "prior": {"net_income": "40"},
    });
    for (name, value) in changes {
        accounts[*name] = value.clone();
    }
    accounts
}

fn fault(id: ModelId, changes: &[(&str, Value)]) -> (String, FaultReason) {
    let accounts = Financials::from_json(&with(changes)).unwrap();
    let mut faults = score_items(id, &accounts).unwrap_err().inputs;
    assert_eq!(faults.len(), 1, "{faults:?}");
    let fault = faults.remove(0);
    (fault.input, fault.reason)
}

#[test]
fn every_malformed_member_is_named_with_its_problem() {
    let errors = |changes: &[(&str, Value)]| {
        let errors = Financials::from_json(&with(changes)).unwrap_err();
        errors.into_iter().map(|error| (error.member, error.problem)).collect::<Vec<_>>()
    };
    let not_a_string = InputProblem::NotAString;
    assert_eq!(errors(&[("ebit", json!(90))]), [("ebit".to_owned(), not_a_string)]);
    assert_eq!(errors(&[("prior", json!({"ebit": 90}))]), [("prior.ebit".to_owned(), not_a_string)]);
    assert_eq!(errors(&[("prior", json!([]))]), [("prior".to_owned(), InputProblem::NotAnObject)]);
    assert_eq!(errors(&[("ebitda", json!("1"))]), [("ebitda".to_owned(), InputProblem::Unknown)]);
    assert_eq!(errors(&[("currency", json!("usd"))]), [("currency".to_owned(), InputProblem::NotACurrency)]);
    assert_eq!(errors(&[("currency", Value::Null)]), [("currency".to_owned(), InputProblem::Missing)]);
    for day in ["2025-02-30", "2025-1-01", "20250101", "2025-12-31T00", "+2025-1-1", "2025/12/31"] {
        assert_eq!(
            errors(&[("period_end", json!(day))]),
            [("period_end".to_owned(), InputProblem::NotADay)],
            "{day}"
        );
    }
    for sic in
        [json!("35712"), json!("x571"), json!(99), json!(-3571), json!(3571.5), json!("+357"), json!(true)]
    {
        assert_eq!(errors(&[("sic", sic)]), [("sic".to_owned(), InputProblem::NotASic)]);
    }
    assert_eq!(
        errors(&[("is_private", json!("no"))]),
        [("is_private".to_owned(), InputProblem::NotABoolean)]
    );
    assert_eq!(errors(&[("ebit", json!("1e3")), ("cash", json!(" 1"))]).len(), 2);
    assert!(Financials::from_json(&json!([])).is_err());
    let many: serde_json::Map<String, Value> = (0..65).map(|at| (format!("m{at}"), Value::Null)).collect();
    assert_eq!(
        errors(&[("prior", Value::Object(many))]),
        [("prior".to_owned(), InputProblem::TooManyMembers)]
    );
}

#[test]
fn the_base_of_these_tests_is_computed_by_every_voter() {
    let accounts = Financials::from_json(&with(&[])).unwrap();
    for id in distress::VOTERS {
        assert!(score_items(id, &accounts).is_ok(), "{id:?}");
    }
}

#[test]
fn a_zero_or_negative_divisor_is_named() {
    let zero = |name: &str| (name.to_owned(), FaultReason::ZeroDivisor);
    assert_eq!(
        fault(ModelId::SpringateS, &[("current_liabilities", json!("0"))]),
        zero("current_liabilities")
    );
    let nothing = [("net_income", json!("0")), ("prior", json!({"net_income": "0"}))];
    assert_eq!(fault(ModelId::OhlsonO, &nothing), zero("|net_income| + |prior.net_income|"));
    let no_debt = [("short_term_debt", json!("0")), ("long_term_debt", json!("0"))];
    assert_eq!(fault(ModelId::MertonDd, &no_debt), zero("short_term_debt + 0.5 long_term_debt"));
    // No current item; total assets divides in every other ratio.
    let no_assets = [("total_assets", json!("0")), ("current_assets", json!("0"))];
    let accounts = Financials::from_json(&with(&no_assets)).unwrap();
    let faults = score_items(ModelId::ZmijewskiX, &accounts).unwrap_err().inputs;
    assert_eq!(faults[0].input, "total_assets");
}

#[test]
fn an_item_that_cannot_be_negative_or_is_absurd_is_named() {
    let negative = |name: &str| (name.to_owned(), FaultReason::Negative);
    assert_eq!(fault(ModelId::SpringateS, &[("total_assets", json!("-1"))]), negative("total_assets"));
    assert_eq!(fault(ModelId::SpringateS, &[("revenue", json!("-0.01"))]), negative("revenue"));
    let absurd = |name: &str| (name.to_owned(), FaultReason::OutOfRange);
    assert_eq!(
        fault(ModelId::SpringateS, &[("revenue", json!("1000000000000000001000"))]),
        absurd("revenue")
    );
    assert_eq!(fault(ModelId::SpringateS, &[("ebit", json!("-1000000000000000001000"))]), absurd("ebit"));
    // A rate of 4 or a volatility of 40 is a number of percent.
    assert_eq!(fault(ModelId::MertonDd, &[("risk_free_rate", json!("4"))]), absurd("risk_free_rate"));
    assert_eq!(fault(ModelId::MertonDd, &[("equity_volatility", json!("40"))]), absurd("equity_volatility"));
    assert_eq!(fault(ModelId::OhlsonO, &[("gnp_index", json!("0"))]), absurd("gnp_index"));
    let tiny = [("total_assets", json!("0.0000000001")), ("current_assets", Value::Null)];
    let accounts = Financials::from_json(&with(&tiny)).unwrap();
    let faults = score_items(ModelId::ZmijewskiX, &accounts).unwrap_err().inputs;
    assert!(faults.iter().any(|fault| fault.reason == FaultReason::RatioOutOfRange), "{faults:?}");
}

#[test]
fn parts_above_their_whole_are_contradictions_beyond_half_a_percent() {
    let accounts = |changes: &[(&str, Value)]| Financials::from_json(&with(changes)).unwrap();
    let within = accounts(&[("current_assets", json!("1005"))]);
    assert!(score_items(ModelId::ZmijewskiX, &within).is_ok());
    let beyond = accounts(&[("current_assets", json!("1005.1"))]);
    let faults = score_items(ModelId::ZmijewskiX, &beyond).unwrap_err().inputs;
    let named: Vec<(&str, FaultReason)> = faults.iter().map(|one| (one.input.as_str(), one.reason)).collect();
    let contradiction = FaultReason::Contradiction;
    assert_eq!(named, [("total_assets", contradiction), ("current_assets", contradiction)]);
    assert_eq!(faults[0].detail.as_deref(), Some("current_assets exceeds total_assets by more than 0.5 %"));
    for changes in [
        vec![("equity", json!("500"))],
        vec![("equity", json!("1100")), ("total_liabilities", Value::Null)],
        vec![("current_liabilities", json!("700"))],
    ] {
        let faults = score_items(ModelId::AltmanZDoublePrime, &accounts(&changes)).unwrap_err().inputs;
        assert!(faults.iter().any(|fault| fault.reason == contradiction), "{changes:?} {faults:?}");
    }
    let margin = [("gross_profit", json!("300")), ("cost_of_revenue", json!("700"))];
    let faults = score_items(ModelId::PiotroskiF, &accounts(&margin)).unwrap_err().inputs;
    assert!(
        faults.iter().any(|fault| (fault.input.as_str(), fault.reason) == ("gross_profit", contradiction))
    );
}

#[test]
fn size_is_in_dollars_and_needs_the_index() {
    let missing = ("gnp_index".to_owned(), FaultReason::Missing);
    assert_eq!(fault(ModelId::OhlsonO, &[("gnp_index", Value::Null)]), missing);
    let euro = ("currency".to_owned(), FaultReason::NotDollars);
    assert_eq!(fault(ModelId::OhlsonO, &[("currency", json!("EUR"))]), euro);
    let price = [("currency", json!("EUR")), ("shares_outstanding", json!("10")), ("cash", json!("5"))];
    let price = [&price[..], &["nimtaavg", "exretavg", "rsize"].map(|name| (name, json!("0")))].concat();
    assert_eq!(fault(ModelId::CampbellHilscherSzilagyi12m, &price).1, FaultReason::NotDollars);
    let no_assets = [("total_assets", json!("0")), ("current_assets", json!("0"))];
    let accounts = Financials::from_json(&with(&no_assets)).unwrap();
    let faults = score_items(ModelId::OhlsonO, &accounts).unwrap_err().inputs;
    assert!(faults.iter().any(|fault| fault.reason == FaultReason::NotPositive), "{faults:?}");
}

#[test]
fn all_missing_inputs_of_a_model_are_named_once() {
    let nothing = json!({"currency": "USD", "period_end": "2025-12-31"});
    let accounts = Financials::from_json(&nothing).unwrap();
    let faults = score_items(ModelId::AltmanZ, &accounts).unwrap_err().inputs;
    let names: Vec<&str> = faults.iter().map(|fault| fault.input.as_str()).collect();
    let expected = [
        "current_assets",
        "current_liabilities",
        "total_assets",
        "retained_earnings",
        "ebit",
        "market_value",
        "total_liabilities",
        "revenue",
    ];
    assert_eq!(names, expected);
    assert!(faults.iter().all(|fault| fault.reason == FaultReason::Missing));
    assert!(Item::ALL.len() < distress::MAX_MEMBERS);
}

//! The scores of companies' accounts, through the real binary.

use serde_json::{Value, json};

use crate::support::notary::Notary;
use crate::support::receipt::{hash, text, verify};
use crate::support::service::{Launch, dev};

/// A manufacturer's accounts of a year that has just ended.
fn accounts() -> Value {
    json!({
        "currency": "USD", "period_end": "2026-06-30", "sic": "3571", "market_value": "2500", "total_assets": "1000",
        "current_assets": "600", "current_liabilities": "150", "total_liabilities": "200", "retained_earnings": "500",
        "ebit": "250", "pretax_income": "250", "net_income": "180", "revenue": "1200"
    })
}

#[test]
fn accounts_are_scored_and_each_number_can_be_redone_by_hand() {
    let service = Launch::dev().without_limits().start();
    let question = json!({"agent": "a", "financials": accounts()});
    let receipt = service.ask("/distress-score", &question).expect(200).json();
    verify(&receipt, &Notary::of(&service));
    assert_eq!(
        (text(&receipt, "verdict"), text(&receipt, "altman_model")),
        ("SAFE", "altman_z"),
        "{receipt:#}"
    );
    let models = receipt["models"].as_array().unwrap();
    let altman = models.iter().find(|model| model["model"] == "altman_z").unwrap();
    let products = altman["terms"].as_array().unwrap().iter().map(|term| {
        let (ratio, coefficient) = (term["ratio"].as_f64().unwrap(), term["coefficient"].as_f64().unwrap());
        ratio * coefficient
    });
    // 1.2 × .45 + 1.4 × .5 + 3.3 × .25 + .6 × 12.5 + .999 × 1.2
    let sum: f64 = products.sum();
    assert!((sum - 10.7638).abs() < 1e-6, "{sum}");
    assert!((altman["score"].as_f64().unwrap() - sum).abs() < 1e-6);
    let page = service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
    assert!(page.contains("altman_z") && page.contains("2026-06-30"), "{page}");
}

#[test]
fn what_is_missing_is_named_and_never_divided_by() {
    let service = Launch::dev().without_limits().start();
    let judged = |change: &dyn Fn(&mut Value)| {
        let mut accounts = accounts();
        change(&mut accounts);
        service.ask("/distress-score", &json!({"agent": "a", "financials": accounts})).expect(200).json()
    };
    let no_assets = judged(&|accounts| accounts["total_assets"] = json!("0"));
    assert_eq!(text(&no_assets, "verdict"), "INSUFFICIENT_DATA", "{no_assets:#}");
    let negative = judged(&|accounts| accounts["revenue"] = json!("-5"));
    assert!(negative["refused_items"][0]["input"] == "revenue", "{negative:#}");
    let future = judged(&|accounts| accounts["period_end"] = json!("2999-12-31"));
    assert_eq!(future["reasons"], json!(["period_end_in_future"]));
    let bank = judged(&|accounts| accounts["sic"] = json!("6021"));
    assert_eq!(bank["reasons"], json!(["financial_firm"]));
}

#[test]
fn a_bad_question_names_its_field() {
    let service = dev();
    for (financials, field, reason) in [
        (json!(null), "financials", "wrong_type"),
        (json!({"currency": "USD"}), "financials.period_end", "missing"),
        (json!({"currency": "USD", "period_end": "2025-12-31", "cash": 1}), "financials.cash", "wrong_type"),
        (json!({"currency": "USD", "period_end": "2025-12-31", "ca": "1"}), "financials.ca", "unknown_value"),
    ] {
        service.ask("/distress-score", &json!({"agent": "a", "financials": financials})).names(field, reason);
    }
    service.ask("/distress-score", &json!({"agent": "a"})).names("financials", "missing");
}

//! Rules that hold for any input.

use distress::{
    Amount, Assessment, Currency, DistressVerdict, Financials, Item, MAX_RESIDUAL, MertonInputs, ModelId,
    ModelScore, Year, assess, score_ratios, solve,
};
use proptest::prelude::*;
use serde_json::Value;

/// Amounts of every size and sign, with zeros and repeated values so that divisors vanish.
fn amount() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("0".to_owned()),
        8 => (1..2000_i64).prop_map(|value| value.to_string()),
        2 => (-2000..0_i64).prop_map(|value| value.to_string()),
        2 => "-?[0-9]{1,18}(\\.[0-9]{1,9})?",
        1 => "-?[0-9]{1,29}",
        1 => "0\\.0{0,25}[1-9]",
    ]
}

prop_compose! {
    fn financials()(
        items in prop::collection::vec(
            (prop::sample::select(Item::ALL), prop::bool::weighted(0.3), amount()), 0..120,
        ),
        sic in prop::option::of(100..10_000_u16),
        is_private in prop::option::of(any::<bool>()),
        end in 0..40_000_i64,
        is_dollars in prop::bool::weighted(0.9),
    ) -> Financials {
        let currency = if is_dollars { Currency::USD } else { Currency::parse("EUR").unwrap() };
        let day = jiff_day(end);
        let mut read = Financials::new(currency, day.parse().unwrap());
        read.sic = sic;
        read.is_private = is_private;
        for (item, is_prior, text) in items {
            let year = if is_prior { Year::Prior } else { Year::Current };
            read.set(item, year, Amount::parse(&text).unwrap());
        }
        read
    }
}

/// Accounts of which every model can be computed, but for what `changes` break.
fn whole(changes: &[(Item, bool, Option<String>)]) -> Financials {
    let mut texts: Vec<(Item, bool, Option<String>)> = Vec::new();
    for (name, now, before) in [
        ("current_assets", "400000", "380000"),
        ("current_liabilities", "250000", "260000"),
        ("total_assets", "1000000", "950000"),
        ("total_liabilities", "600000", "610000"),
        ("retained_earnings", "200000", "150000"),
        ("ebit", "90000", "20000"),
        ("pretax_income", "60000", "-10000"),
        ("net_income", "45000", "-15000"),
        ("revenue", "1100000", "1000000"),
        ("cost_of_revenue", "770000", "720000"),
        ("sga_expense", "180000", "170000"),
        ("depreciation_amortization", "40000", "38000"),
        ("operating_cash_flow", "80000", "30000"),
        ("cash", "50000", "40000"),
        ("short_term_debt", "60000", "50000"),
        ("long_term_debt", "240000", "260000"),
        ("receivables", "132000", "110000"),
        ("ppe_net", "360000", "342000"),
        ("equity", "400000", "340000"),
        ("shares_outstanding", "10000", "10000"),
        ("market_value", "500000", "400000"),
        ("equity_volatility", "0.4", "0.4"),
        ("risk_free_rate", "0.04", "0.04"),
        ("gnp_index", "500", "490"),
        ("nimtaavg", "0.01", "0.01"),
        ("exretavg", "-0.02", "-0.02"),
        ("rsize", "-9", "-9"),
    ] {
        let item = Item::from_name(name).unwrap();
        texts.extend([(item, false, Some(now.to_owned())), (item, true, Some(before.to_owned()))]);
    }
    for (item, is_prior, text) in changes {
        texts.retain(|(other, other_is_prior, _)| (other, other_is_prior) != (item, is_prior));
        texts.push((*item, *is_prior, text.clone()));
    }
    let mut read = Financials::new(Currency::USD, "2025-12-31".parse().unwrap());
    read.sic = Some(3571);
    for (item, is_prior, text) in texts {
        let year = if is_prior { Year::Prior } else { Year::Current };
        if let Some(text) = text {
            read.set(item, year, Amount::parse(&text).unwrap());
        }
    }
    read
}

#[test]
fn every_model_is_computed_from_whole_accounts() {
    let judged = assess(&whole(&[]), "2026-03-01".parse().unwrap());
    assert_eq!((judged.models.len(), judged.computed), (ModelId::ALL.len(), 5), "{:?}", judged.not_computed);
}

/// A day of the years 1970 to 2080, on the 15th.
fn jiff_day(seed: i64) -> String {
    format!("{:04}-{:02}-15", 1970 + seed % 110, 1 + seed % 12)
}

/// A NaN or an infinity is `null` in JSON; every number of a score must be one.
fn numbers_are_numbers(score: &ModelScore) {
    let json = serde_json::to_value(score).unwrap();
    assert!(json["score"].is_f64() && json["constant"].is_f64(), "{json}");
    for name in ["score_em", "probability"] {
        let is_there = name == "score_em" && score.score_em.is_some()
            || name == "probability" && score.probability.is_some();
        assert_eq!(json[name].is_f64(), is_there, "{json}");
    }
    if let Some(probability) = score.probability {
        assert!((0.0..=1.0).contains(&probability.get()), "{json}");
    }
    for term in json["terms"].as_array().unwrap() {
        for name in ["ratio", "coefficient", "product"] {
            assert!(term[name].is_f64(), "{json}");
        }
        assert!(term["inputs"].as_array().unwrap().iter().all(|used| used["value"].is_f64()), "{json}");
    }
    if let Some(solution) = &score.solution {
        assert!(solution.asset_value.get().is_finite() && solution.distance_to_default.get().is_finite());
    }
    if score.solution.is_none() {
        let sum = score.terms.iter().fold(score.constant.get(), |sum, term| sum + term.product.get());
        assert_eq!(sum.to_bits() << 1, score.score.get().to_bits() << 1);
    }
}

fn all_models_are_accounted_for(judged: &Assessment) {
    assert_eq!(judged.models.len() + judged.not_computed.len(), ModelId::ALL.len());
    assert!(judged.not_computed.iter().all(|one| !one.inputs.is_empty()));
    assert!(!judged.reasons.is_empty());
    if judged.verdict != DistressVerdict::InsufficientData {
        assert!(judged.computed >= distress::MIN_COMPUTED);
    }
}

proptest! {
    #[test]
    fn any_accounts_have_a_verdict_without_nan(accounts in financials(), day in 0..40_000_i64) {
        let judged = assess(&accounts, jiff_day(day).parse().unwrap());
        judged.models.iter().for_each(numbers_are_numbers);
        all_models_are_accounted_for(&judged);
        prop_assert_eq!(&judged, &assess(&accounts, jiff_day(day).parse().unwrap()));
    }

    #[test]
    fn whole_accounts_with_a_few_changes_have_a_verdict_without_nan(
        changes in prop::collection::vec(
            (prop::sample::select(Item::ALL), any::<bool>(), prop::option::weighted(0.8, amount())), 0..4,
        ),
    ) {
        let judged = assess(&whole(&changes), "2026-03-01".parse().unwrap());
        judged.models.iter().for_each(numbers_are_numbers);
        all_models_are_accounted_for(&judged);
    }

    /// Removes an item: a model that did not list it among its inputs keeps its score, and the others change or name it.
    #[test]
    fn a_model_uses_the_items_that_it_lists_and_no_others(item in prop::sample::select(Item::ALL), is_prior in any::<bool>()) {
        let day = "2026-03-01".parse().unwrap();
        let name = distress::name_in(item, if is_prior { Year::Prior } else { Year::Current });
        let (before, after) = (assess(&whole(&[]), day), assess(&whole(&[(item, is_prior, None)]), day));
        for score in &before.models {
            let terms = score.terms.iter().flat_map(|term| &term.inputs);
            let solved = score.solution.iter().flat_map(|one| &one.arguments).flat_map(|one| &one.inputs);
            let is_used = terms.chain(solved).any(|used| used.name == name);
            let again = after.models.iter().find(|other| other.model == score.model);
            if !is_used {
                prop_assert_eq!(again, Some(score));
            } else if let Some(again) = again {
                // It was derived, and its inputs say so.
                prop_assert!(serde_json::to_string(again).unwrap().contains("\"derived\":\""));
            } else {
                let missing = after.not_computed.iter().find(|one| one.model == score.model).unwrap();
                let is_named = missing.inputs.iter().any(|fault| {
                    // A part of a sum is named beside the item that it gives.
                    fault.input == name || fault.detail.iter().any(|detail| detail.contains(item.name()))
                });
                prop_assert!(is_named, "{:?}", missing);
            }
        }
    }

    #[test]
    fn any_ratios_have_a_score_or_a_named_fault(
        id in prop::sample::select(&ModelId::ALL[..]),
        values in prop::collection::vec(prop_oneof![any::<f64>(), -10.0..10.0_f64, Just(0.0)], 9),
    ) {
        let merton = ["equity", "equity_vol", "debt", "r", "T"];
        let names: Vec<&str> = if id == ModelId::MertonDd {
            merton.to_vec()
        } else {
            distress::model(id).coefficients.iter().map(|one| one.name).collect()
        };
        let ratios: Vec<(&str, f64)> = names.into_iter().zip(values).collect();
        match score_ratios(id, &ratios) {
            Ok(score) => numbers_are_numbers(&score),
            Err(missing) => prop_assert!(!missing.inputs.is_empty()),
        }
    }

    #[test]
    fn mertons_equations_are_solved_within_their_bounds(
        equity in -5.0..8.0_f64, equity_vol in 0.001..10.0_f64, debt in -3.0..12.0_f64, r in -0.5..1.0_f64, years in 0.01..50.0_f64,
    ) {
        let debt = 10.0_f64.powf(debt);
        let inputs = MertonInputs { equity: debt * 10.0_f64.powf(equity), equity_vol, debt, r, years };
        if let Ok(solution) = solve(&inputs) {
            prop_assert!(solution.value_residual.get() <= MAX_RESIDUAL);
            prop_assert!(solution.volatility_residual.get() <= MAX_RESIDUAL);
            prop_assert!(solution.asset_value.get() >= inputs.equity * (1.0 - 1e-12));
            prop_assert!(solution.asset_vol.get() <= equity_vol * (1.0 + 1e-12));
        }
    }

    #[test]
    fn any_json_is_read_or_named(text in "[\\PC]{0,40}", number in any::<f64>()) {
        for value in [Value::from(text.clone()), Value::from(number), Value::Null, Value::from(vec![text.clone()])] {
            for name in ["ebit", "sic", "is_private", "prior", "currency", "period_end", text.as_str()] {
                let mut accounts = serde_json::json!({"currency": "USD", "period_end": "2025-12-31"});
                accounts[name] = value.clone();
                if let Err(errors) = Financials::from_json(&accounts) {
                    prop_assert!(!errors.is_empty());
                }
                let _ = distress::check_case(&accounts);
            }
        }
    }
}

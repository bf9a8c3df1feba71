//! Scores against values that were computed by hand; the arithmetic stands beside each.

use distress::{Financials, ModelId, ModelScore, NotComputed, Year, score_items, score_ratios};
use serde_json::{Value, json};

/// A made-up company, in dollars.
fn accounts() -> Value {
    json!({
        "currency": "USD", "period_end": "2025-12-31", "sic": "3571", "gnp_index": "500",
        "current_assets": "400000", "current_liabilities": "250000", "total_assets": "1000000",
        "total_liabilities": "600000", "retained_earnings": "200000", "ebit": "90000", "pretax_income": "60000",
        "net_income": "45000", "revenue": "1100000", "cost_of_revenue": "770000", "sga_expense": "180000",
        "depreciation_amortization": "40000", "operating_cash_flow": "80000", "cash": "50000",
        "short_term_debt": "60000", "long_term_debt": "240000", "receivables": "132000", "ppe_net": "360000",
        "equity": "400000", "shares_outstanding": "10000",
        "prior": {
            "current_assets": "380000", "current_liabilities": "260000", "total_assets": "950000",
            "total_liabilities": "610000", "net_income": "-15000", "revenue": "1000000",
            "cost_of_revenue": "720000", "sga_expense": "170000", "depreciation_amortization": "38000",
            "long_term_debt": "260000", "receivables": "110000", "ppe_net": "342000", "equity": "340000",
            "shares_outstanding": "10000",
        },
    })
}

fn score(id: ModelId) -> ModelScore {
    score_items(id, &Financials::from_json(&accounts()).unwrap()).unwrap()
}

fn close(computed: f64, by_hand: f64) {
    assert!((computed - by_hand).abs() < 1e-9, "{computed}, by hand {by_hand}");
}

fn ratios(score: &ModelScore) -> Vec<f64> {
    score.terms.iter().map(|term| term.ratio.get()).collect()
}

#[test]
fn altman_z_prime_by_hand() {
    let score = score(ModelId::AltmanZPrime);
    // x1 = (400 - 250)/1000, x2 = 200/1000, x3 = 90/1000, x4 = 400/600, x5 = 1100/1000
    for (ratio, by_hand) in ratios(&score).into_iter().zip([0.15, 0.2, 0.09, 2.0 / 3.0, 1.1]) {
        close(ratio, by_hand);
    }
    // 0.717 x 0.15 = 0.10755; 0.847 x 0.2 = 0.1694; 3.107 x 0.09 = 0.27963; 0.42 x 2/3 = 0.28; 0.998 x 1.1 = 1.0978
    close(score.score.get(), 0.107_55 + 0.169_4 + 0.279_63 + 0.28 + 1.097_8);
    close(score.score.get(), 1.934_38);
    assert_eq!(score.zone.unwrap().as_str(), "GREY");
    for (x5, zone) in [(0.3, "DISTRESS"), (3.0, "SAFE")] {
        let given = [("x1", 0.15), ("x2", 0.2), ("x3", 0.09), ("x4", 0.5), ("x5", x5)];
        assert_eq!(score_ratios(ModelId::AltmanZPrime, &given).unwrap().zone.unwrap().as_str(), zone);
    }
}

#[test]
fn altman_z_double_prime_by_hand_has_the_variant_for_emerging_markets() {
    let score = score(ModelId::AltmanZDoublePrime);
    // 6.56 x 0.15 = 0.984; 3.26 x 0.2 = 0.652; 6.72 x 0.09 = 0.6048; 1.05 x 2/3 = 0.7
    close(score.score.get(), 2.940_8);
    close(score.score_em.unwrap().get(), 6.190_8);
    assert_eq!((score.zone.unwrap().as_str(), score.zone_em.unwrap().as_str()), ("SAFE", "SAFE"));
}

#[test]
fn ohlson_o_by_hand() {
    let score = score(ModelId::OhlsonO);
    // size = ln(1000000/500) = ln 2000 = 7.600902459542082; futl = (60 + 40)/600; chin = (45 + 15)/(45 + 15) = 1
    let by_hand = [7.600_902_459_542_082, 0.6, 0.15, 0.625, 0.0, 0.045, 1.0 / 6.0, 0.0, 1.0];
    for (ratio, by_hand) in ratios(&score).into_iter().zip(by_hand) {
        close(ratio, by_hand);
    }
    // -1.32 - 3.093567301033627 + 3.618 - 0.2145 + 0.0473125 - 0 - 0.10665 - 0.305 + 0 - 0.521 = -1.895404801033627
    close(score.score.get(), -1.895_404_801_033_627);
    // 1/(1 + e^1.895404801033627) = 1/(1 + 6.655240...) = 0.13063...
    close(score.probability.unwrap().get(), 1.0 / (1.0 + 1.895_404_801_033_627_f64.exp()));
    assert_eq!(score.signals, Some(false));
}

#[test]
fn ohlson_o_by_hand_with_every_indicator_set() {
    let given = [
        ("size", 5.0),
        ("tlta", 1.2),
        ("wcta", -0.3),
        ("clca", 2.0),
        ("oeneg", 1.0),
        ("nita", -0.25),
        ("futl", -0.1),
        ("intwo", 1.0),
        ("chin", -0.5),
    ];
    let score = score_ratios(ModelId::OhlsonO, &given).unwrap();
    // -1.32 - 2.035 + 7.236 + 0.429 + 0.1514 - 1.72 + 0.5925 + 0.183 + 0.285 + 0.2605 = 4.0624
    close(score.score.get(), 4.062_4);
    // e^-4.0624 = 0.017207..., 1/1.017207... = 0.98308...
    close(score.probability.unwrap().get(), 1.0 / (1.0 + (-4.062_4_f64).exp()));
    assert_eq!(score.signals, Some(true));
}

#[test]
fn springate_s_by_hand() {
    let score = score(ModelId::SpringateS);
    // a = 0.15, b = 0.09, c = 60/250 = 0.24, d = 1.1: 0.1545 + 0.2763 + 0.1584 + 0.44 = 1.0292
    close(score.score.get(), 1.029_2);
    assert_eq!(score.signals, Some(false));
    let weak = score_ratios(ModelId::SpringateS, &[("a", 0.1), ("b", 0.05), ("c", 0.1), ("D", 0.5)]).unwrap();
    // 0.103 + 0.1535 + 0.066 + 0.2 = 0.5225
    close(weak.score.get(), 0.522_5);
    assert_eq!(weak.signals, Some(true));
}

#[test]
fn zmijewski_x_by_hand() {
    let score = score(ModelId::ZmijewskiX);
    // -4.336 - 4.513 x 0.045 + 5.679 x 0.6 + 0.004 x 1.6 = -4.336 - 0.203085 + 3.4074 + 0.0064 = -1.125285
    close(score.score.get(), -1.125_285);
    assert_eq!(score.signals, Some(false));
}

#[test]
fn beneish_m8_by_hand() {
    let score = score(ModelId::BeneishM8);
    let by_hand = [
        (132.0 / 1100.0) / (110.0 / 1000.0),            // dsri: 0.12 / 0.11
        (280.0 / 1000.0) / (330.0 / 1100.0),            // gmi: 0.28 / 0.3
        (1.0 - 760.0 / 1000.0) / (1.0 - 722.0 / 950.0), // aqi: 0.24 / 0.24
        1.1,                                            // sgi
        (38.0 / 380.0) / (40.0 / 400.0),                // depi: 0.1 / 0.1
        (180.0 / 1100.0) / (170.0 / 1000.0),            // sgai
        (45.0 - 80.0) / 1000.0,                         // tata
        (490.0 / 1000.0) / (520.0 / 950.0),             // lvgi
    ];
    for (ratio, by_hand) in ratios(&score).into_iter().zip(by_hand) {
        close(ratio, by_hand);
    }
    let coefficients = [0.92, 0.528, 0.404, 0.892, 0.115, -0.172, 4.679, -0.327];
    let sum: f64 = by_hand.iter().zip(coefficients).map(|(ratio, coefficient)| ratio * coefficient).sum();
    close(score.score.get(), -4.84 + sum);
    assert_eq!(score.signals, Some(false));
}

#[test]
fn piotroski_f_by_hand() {
    let mut accounts = accounts();
    let f = |accounts: &Value| {
        let score = score_items(ModelId::PiotroskiF, &Financials::from_json(accounts).unwrap()).unwrap();
        let signals: Vec<u8> = score.terms.iter().map(|term| u8::from(term.signal.unwrap())).collect();
        (score.score.get(), signals)
    };
    // roa 4.5 % > 0; cfo 8 % > 0; roa up from -1.6 %; cfo above roa; debt 24 % after 27 %; current ratio 1.6 after 1.46;
    // no new shares; margin 30 % after 28 %; turnover 1.1 after 1.053
    assert_eq!(f(&accounts), (9.0, vec![1; 9]));
    accounts["shares_outstanding"] = json!("10001");
    accounts["operating_cash_flow"] = json!("45000");
    accounts["cost_of_revenue"] = json!("792000");
    // New shares; cash flow equal to income is no signal; margin 28 % after 28 %.
    assert_eq!(f(&accounts), (6.0, vec![1, 1, 1, 0, 1, 1, 0, 0, 1]));
}

#[test]
fn the_published_mean_of_altman_holds_with_the_coefficient_of_the_paper() {
    let given = [("x1", 0.414), ("x2", 0.355), ("x3", 0.153), ("x4", 2.477), ("x5", 1.9)];
    // 0.4968 + 0.497 + 0.5049 + 1.4862 + 1.8981 = 4.883, published as 4.885
    let score = score_ratios(ModelId::AltmanZ, &given).unwrap();
    close(score.score.get(), 4.883);
}

#[test]
fn campbell_from_items_needs_the_three_market_series_of_the_caller() {
    let mut accounts = accounts();
    accounts["market_value"] = json!("500000");
    accounts["equity_volatility"] = json!("0.4");
    let NotComputed { inputs, .. } =
        score_items(ModelId::CampbellHilscherSzilagyi12m, &Financials::from_json(&accounts).unwrap())
            .unwrap_err();
    let names: Vec<&str> = inputs.iter().map(|fault| fault.input.as_str()).collect();
    assert_eq!(names, ["nimtaavg", "exretavg", "rsize"]);
    for (name, value) in [("nimtaavg", "0.01"), ("exretavg", "-0.02"), ("rsize", "-9")] {
        accounts[name] = json!(value);
    }
    let score = score_items(ModelId::CampbellHilscherSzilagyi12m, &Financials::from_json(&accounts).unwrap())
        .unwrap();
    // tlmta = 600/1100, cashmta = 50/1100, mb = 500/(0.9 x 400 + 0.1 x 500) = 500/410, price = ln(min(50, 15))
    let by_hand = -9.16 - 0.202_6 + 1.42 * 600.0 / 1100.0 + 0.142_6 + 0.564 + 0.405 - 2.13 * 50.0 / 1100.0
        + 0.075 * 500.0 / 410.0
        - 0.058 * 15.0_f64.ln();
    close(score.score.get(), by_hand);
}

#[test]
fn a_score_can_be_added_up_from_its_terms_and_a_term_from_its_items() {
    let score = score(ModelId::AltmanZDoublePrime);
    let sum: f64 = score.terms.iter().map(|term| term.product.get()).sum();
    close(score.score.get(), sum);
    let first = serde_json::to_value(&score.terms[0]).unwrap();
    assert_eq!(first["formula"], "(current_assets - current_liabilities) / total_assets");
    assert_eq!(
        first["inputs"][0],
        json!({"name": "current_assets", "value": 400000.0, "text": "400000", "derived": null})
    );
    assert_eq!(
        (&first["ratio"], &first["coefficient"], &first["product"]),
        (&json!(0.15), &json!(6.56), &json!(0.984))
    );
}

#[test]
fn a_derived_item_shows_its_sum_and_its_parts() {
    let mut accounts = accounts();
    accounts["ebit"] = Value::Null;
    accounts["interest_expense"] = json!("30000");
    let read = Financials::from_json(&accounts).unwrap();
    assert!(read.get(distress::Item::Ebit, Year::Current).is_none());
    let score = score_items(ModelId::AltmanZPrime, &read).unwrap();
    close(score.terms[2].ratio.get(), 0.09);
    let inputs = serde_json::to_value(&score.terms[2].inputs).unwrap();
    assert_eq!(
        inputs[0],
        json!({"name": "ebit", "value": 90000.0, "text": null, "derived": "pretax_income + interest_expense"})
    );
    assert_eq!(
        (&inputs[1]["name"], &inputs[2]["name"]),
        (&json!("pretax_income"), &json!("interest_expense"))
    );
}

#[test]
fn the_schema_of_a_number_is_a_number_and_a_receipt_has_nine_decimals() {
    let schema = serde_json::to_value(schemars::schema_for!(distress::Assessment)).unwrap();
    let score = &schema["$defs"]["ModelScore"]["properties"]["score"];
    let number = if score["$ref"].is_string() { &schema["$defs"]["Finite"] } else { score };
    assert_eq!(number["type"], "number", "{score}");
    let x4 = serde_json::to_value(&self::score(ModelId::AltmanZPrime).terms[3]).unwrap();
    assert_eq!(x4["ratio"].to_string(), "0.666666667");
}

#[test]
fn the_ends_of_a_grey_zone_are_grey() {
    let of = |id| distress::model(id);
    let variant = of(ModelId::AltmanZDoublePrime).emerging_markets.map(|(_, zones)| zones);
    for (zones, low, high) in [
        (of(ModelId::AltmanZ).zones, 1.81, 2.99),
        (of(ModelId::AltmanZPrime).zones, 1.23, 2.90),
        (of(ModelId::AltmanZDoublePrime).zones, 1.10, 2.60),
        (variant, 4.35, 5.85),
    ] {
        let zone = |score| zones.unwrap().of(score).as_str();
        assert_eq!([low - 1e-9, low, high, high + 1e-9].map(zone), ["DISTRESS", "GREY", "GREY", "SAFE"]);
    }
}

#[test]
fn a_threshold_itself_does_not_signal() {
    for (id, value, beyond) in [
        (ModelId::OhlsonO, 0.5, 1e-9),
        (ModelId::ZmijewskiX, 0.0, 1e-9),
        (ModelId::SpringateS, 0.862, -1e-9),
        (ModelId::MertonDd, 1.5, -1e-9),
        (ModelId::BeneishM8, -1.78, 1e-9),
    ] {
        let threshold = distress::model(id).threshold.unwrap();
        let signals = [value - beyond, value, value + beyond].map(|measured| threshold.signals(measured));
        assert_eq!(signals, [false, false, true], "{id:?}");
    }
}

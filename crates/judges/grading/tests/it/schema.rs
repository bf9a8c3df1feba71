//! The JSON Schemas say what the readers do.

use grading::copy_trade::{CopyFinding, CopyQuestion};
use grading::grade_strategy::{GradeFinding, GradeQuestion};
use schemars::JsonSchema;
use serde_json::{Value, json};
use verdict::Question;

use crate::common::*;

fn validator<Q: Question>() -> jsonschema::Validator {
    jsonschema::validator_for(&Q::TABLE.schema()).unwrap()
}

fn finding_validator<T: JsonSchema>() -> jsonschema::Validator {
    jsonschema::validator_for(schemars::schema_for!(T).as_value()).unwrap()
}

/// The commitment of a trade, whose content has these members too.
fn commitment(changes: Value) -> Value {
    let content = json!({"instrument": "XYZ", "side": "long", "opened_at": "2026-01-05T09:00:00Z"});
    json!({"receipt_hash": "0".repeat(64), "content": with(content, changes)})
}

#[test]
fn a_request_that_is_refused_is_refused_by_the_schema_too() {
    let schema = validator::<GradeQuestion>();
    let good = [
        json!({"trades": []}),
        json!({"returns": []}),
        trades([trade()]),
        trades([json!({"pnl_net": "1.5"})]),
        trades([json!({"settled": false})]),
        trades([json!({"price": 0.5, "outcome": "1", "stake": "10"})]),
        trades([with(
            trade(),
            json!({"entry_price": "0.001", "closed_at": "2026-01-05T16:00:00.5+01:00", "pnl_net": 10.0, "size": null}),
        )]),
        json!({"returns": [{"date": "2026-01-05", "r": "-0.01", "b": null}], "declared_trials": 3, "benchmark": "cash"}),
        json!({"format": "returns", "file": "2026-01-05,0.01"}),
        json!({"format": "returns", "file_base64": "MjAyNi0wMS0wNSwwLjAx", "import": {"zone": "Asia/Tokyo"}}),
        json!({"format": "generic", "file": "d,v\n05.01.2026,1", "import": {"date_order": "day_first", "zone": -300,
            "initial_equity": "10.5", "columns": {"rows": "returns", "date": "d", "r": "v"}, "multipliers": {"A": 2}}}),
        json!({"returns": [{"date": "2026-01-05", "r": 1}], "periods_per_year": "252", "alternatives": [["0.1"]]}),
        with(
            trades([trade()]),
            json!({"greatest_notional": "1.5", "marks": [{"date": "2026-01-05", "equity": "7.5", "cash_flow": -1}]}),
        ),
        json!({"returns": [], "risk_free": [{"date": "2026-01-05", "rate": "0.045"}, {"date": "2026-01-06", "rate": -0.01}]}),
        trades([with(trade(), json!({"equity_before": 0}))]),
        trades([with(
            trade(),
            json!({"commitment": commitment(json!({"size": "10", "note": [1], "previous": "0".repeat(64)}))}),
        )]),
    ];
    for body in good {
        assert!(question(&body).is_ok(), "{body}: {:?}", question(&body).err());
        let errors: Vec<String> = schema.iter_errors(&body).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{body}: {errors:?}");
    }
    let change = |changes: Value| trades([with(trade(), changes)]);
    let bad = [
        json!({}),
        json!({"trades": [], "returns": []}),
        json!({"trades": {}}),
        trades([json!(7)]),
        with(trades([]), json!({"marks": [{"date": "2026-01-05"}]})),
        with(trades([]), json!({"marks": [{"equity": 1}]})),
        with(trades([]), json!({"greatest_notional": 0})),
        with(trades([]), json!({"greatest_notional": "1000001"})),
        with(trades([]), json!({"risk_free": []})),
        with(trades([]), json!({"risk_free": [{"date": "2026-01-05"}]})),
        with(trades([]), json!({"risk_free": [{"date": "2026-01-05", "rate": "2"}]})),
        trades([json!({})]),
        change(json!({"size": 0})),
        change(json!({"size": "0.00"})),
        change(json!({"entry_price": "-1"})),
        change(json!({"pnl_net": "NaN"})),
        change(json!({"pnl_net": "1e3"})),
        change(json!({"side": "up"})),
        change(json!({"opened_at": "2026-01-05T10:00:00"})),
        change(json!({"price": 0})),
        change(json!({"outcome": 2})),
        change(json!({"settled": "true"})),
        change(json!({"commitment": 7})),
        change(json!({"commitment": {"content": {}}})),
        change(json!({"commitment": with(commitment(json!({})), json!({"receipt_hash": "0".repeat(63)}))})),
        change(json!({"commitment": commitment(json!({"opened_at": null}))})),
        change(json!({"commitment": commitment(json!({"instrument": ""}))})),
        change(json!({"commitment": commitment(json!({"side": "up"}))})),
        change(json!({"commitment": commitment(json!({"size": "ten"}))})),
        change(json!({"commitment": commitment(json!({"previous": "0"}))})),
        json!({"returns": [{}]}),
        json!({"returns": [{"r": true}]}),
        json!({"format": "returns"}),
        json!({"file": "2026-01-05,0.01"}),
        json!({"format": "koinly", "file": "2026-01-05,0.01"}),
        json!({"format": "returns", "file": "2026-01-05,0.01", "returns": []}),
        json!({"format": "returns", "file": "2026-01-05,0.01", "file_base64": "MjAyNi0wMS0wNSwwLjAx"}),
        json!({"format": "returns", "file_base64": "?"}),
        json!({"format": "returns", "file": "2026-01-05,0.01", "import": {"zonne": 1}}),
        json!({"format": "returns", "file": "2026-01-05,0.01", "import": {"zone": 5_000}}),
        json!({"format": "returns", "file": "2026-01-05,0.01", "import": {"initial_equity": "ten"}}),
        json!({"format": "returns", "file": "2026-01-05,0.01", "import": {"funding": [7]}}),
        json!({"returns": [], "declared_trials": 0}),
        json!({"returns": [], "periods_per_year": 367}),
        json!({"returns": [], "benchmark": "index"}),
        json!({"returns": [], "alternatives": [[true]]}),
    ];
    for body in bad {
        assert!(question(&body).is_err(), "{body}");
        assert!(!schema.is_valid(&body), "{body}");
    }
}

#[test]
fn the_costs_of_a_copier_are_in_its_schema() {
    let schema = validator::<CopyQuestion>();
    let body = |costs: Value| json!({"returns": [], "costs": costs});
    let curve = json!([{"seconds": 1, "drift": "-0.001"}, {"seconds": "2.5", "drift": 0.002}]);
    for costs in [
        json!({}),
        low_costs(),
        json!({"measured_drift": -0.1, "turnover": 2, "impact_coefficient": null}),
        json!({"delay_curve": curve, "leverage_multiple": 0.1, "by_instrument": null}),
        json!({"by_instrument": {"BTC": {}, "TOKEN": {"half_spread": "0.01", "delay_curve": curve}}, "delay_curve": []}),
    ] {
        assert!(copy_question(&body(costs.clone())).is_ok() && schema.is_valid(&body(costs)));
    }
    let many: serde_json::Map<String, Value> = (0..257).map(|at| (format!("I{at}"), json!({}))).collect();
    for costs in [
        json!(7),
        json!({"fee": 2}),
        json!({"adv": 0}),
        json!({"latency_seconds": -1}),
        json!({"fee": true}),
        json!({"leverage_multiple": 0}),
        json!({"by_instrument": []}),
        json!({"by_instrument": {"": {}}}),
        json!({"by_instrument": {"BTC": 7}}),
        json!({"by_instrument": {"BTC": {"fee": 2}}}),
        json!({"by_instrument": many}),
        json!({"delay_curve": {}}),
        json!({"delay_curve": [7]}),
        json!({"delay_curve": [{"seconds": 1}]}),
        json!({"delay_curve": vec![json!({"seconds": 1, "drift": 0}); 65]}),
    ] {
        assert!(copy_question(&body(costs.clone())).is_err() && !schema.is_valid(&body(costs)));
    }
}

#[test]
fn findings_are_as_their_schemas_say() {
    let (graded, copied) = (finding_validator::<GradeFinding>(), finding_validator::<CopyFinding>());
    for body in [
        trades([]),
        trades([with(trade(), json!({"commitment": commitment(json!({}))}))]),
        trades([json!({"pnl": 1})]),
        trades(year(0.004, 0.01)),
        trades(year(-0.01, 0.01)),
    ] {
        let finding = serde_json::to_value(grade(&body)).unwrap();
        let errors: Vec<String> = graded.iter_errors(&finding).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let finding = serde_json::to_value(copy(&with(body, json!({"costs": low_costs()})))).unwrap();
        let errors: Vec<String> = copied.iter_errors(&finding).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

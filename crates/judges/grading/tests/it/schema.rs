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
        json!({"returns": [{"date": "2026-01-05", "r": 1}], "periods_per_year": "252", "alternatives": [["0.1"]]}),
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
        json!({"returns": [{}]}),
        json!({"returns": [{"r": true}]}),
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
    for costs in
        [json!({}), low_costs(), json!({"measured_drift": -0.1, "turnover": 2, "impact_coefficient": null})]
    {
        assert!(copy_question(&body(costs.clone())).is_ok() && schema.is_valid(&body(costs)));
    }
    for costs in
        [json!(7), json!({"fee": 2}), json!({"adv": 0}), json!({"latency_seconds": -1}), json!({"fee": true})]
    {
        assert!(copy_question(&body(costs.clone())).is_err() && !schema.is_valid(&body(costs)));
    }
}

#[test]
fn findings_are_as_their_schemas_say() {
    let (graded, copied) = (finding_validator::<GradeFinding>(), finding_validator::<CopyFinding>());
    for body in
        [trades([]), trades([json!({"pnl": 1})]), trades(year(0.004, 0.01)), trades(year(-0.01, 0.01))]
    {
        let finding = serde_json::to_value(grade(&body)).unwrap();
        let errors: Vec<String> = graded.iter_errors(&finding).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let finding = serde_json::to_value(copy(&with(body, json!({"costs": low_costs()})))).unwrap();
        let errors: Vec<String> = copied.iter_errors(&finding).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

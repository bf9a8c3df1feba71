//! Rows of test cases, where the folder that holds them is there, and the shape of a row.

use std::fs;
use std::path::Path;

use distress::check_case;
use serde_json::{Value, json};

#[test]
fn every_row_of_the_shared_cases_is_met() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/market/distress_cases.json");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("passed over: there is no {}", path.display());
        return;
    };
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let failed: Vec<String> = rows
        .iter()
        .filter_map(|row| check_case(row).err().map(|why| format!("{}: {why}", row["id"])))
        .collect();
    println!("{} of {} rows are met", rows.len() - failed.len(), rows.len());
    assert!(failed.is_empty() && !rows.is_empty(), "{failed:#?}");
}

fn case(model: &str, inputs: &Value, expected: &Value) -> Result<(), String> {
    check_case(&json!({"model": model, "inputs": inputs, "expected": expected, "abs_tol": 1e-9}))
}

#[test]
fn a_case_names_its_first_difference() {
    let inputs = json!({"x1": 0.1, "x2": 0.1, "x3": 0.1, "x4": 1.0});
    // 6.56 x 0.1 + 3.26 x 0.1 + 6.72 x 0.1 + 1.05 = 2.704
    let expected = json!({"score": 2.704, "score_em": 5.954, "zone": "SAFE", "zone_em": "SAFE"});
    assert_eq!(case("altman_z_double_prime", &inputs, &expected), Ok(()));
    for (expected, part) in [
        (json!({"score": 2.704_000_01}), "not 2.70400001"),
        (json!({"zone": "GREY"}), "zone"),
        (json!({"probability": 0.1}), "has no probability"),
        (json!({"distress": true}), "has no distress"),
        (json!({"rank": 1}), "has no rank"),
        (json!({}), "expects nothing"),
    ] {
        let why = case("altman_z_double_prime", &inputs, &expected).unwrap_err();
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn a_case_of_another_shape_is_an_error() {
    let inputs = json!({"roa": 0.1, "finl": 0.5, "liq": 1.0});
    let expected = json!({"distress": false});
    assert_eq!(case("zmijewski_x", &inputs, &expected), Ok(()));
    assert!(case("altman_y", &inputs, &expected).unwrap_err().contains("unknown model"));
    assert!(
        case("zmijewski_x", &json!({"roa": 0.1, "finl": 0.5}), &expected)
            .unwrap_err()
            .contains("liq Missing")
    );
    let more = json!({"roa": 0.1, "finl": 0.5, "liq": 1.0, "size": 2.0});
    assert!(case("zmijewski_x", &more, &expected).unwrap_err().contains("size Unknown"));
    assert!(case("zmijewski_x", &json!({"roa": "0.1"}), &expected).unwrap_err().contains("not a number"));
    assert!(check_case(&json!({"model": "zmijewski_x", "inputs": inputs, "expected": expected})).is_err());
    assert!(check_case(&json!(null)).is_err());
}

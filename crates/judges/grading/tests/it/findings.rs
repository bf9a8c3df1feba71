//! Findings, as they stand in a receipt.

use std::sync::Arc;

use grading::grade_strategy::GradeJudge;
use grading::{GradeReason, GradeVerdict};
use receipt::json::Json;
use receipt::json::Object;
use serde_json::{Value, json};
use verdict::AnyJudge;

use crate::common::*;

fn canonical(body: &Value) -> Vec<u8> {
    receipt::canonical::to_vec(&grade(body)).unwrap()
}

#[test]
fn an_edge_passes_every_step_and_says_so_in_three_sentences() {
    let finding = grade(&trades(year(0.004, 0.01)));
    assert_eq!(
        (finding.grade.verdict, finding.grade.reason),
        (GradeVerdict::RealEdge, GradeReason::AllStepsPassed)
    );
    assert!(finding.grade.steps.iter().all(|step| step.passed), "{:?}", finding.grade.steps);
    assert_eq!(finding.explanation.matches(". ").count() + 1, 3, "{}", finding.explanation);
    assert_eq!((finding.grade.resamples, finding.grade.seed.len(), finding.grade.units), (9_999, 64, 250));
    assert_eq!(finding.grade.curve.len(), 250);
    assert_eq!(grade(&trades(year(-0.004, 0.01))).grade.verdict, GradeVerdict::NegativeEv);
}

#[test]
fn the_order_of_rows_their_names_and_unknown_members_change_nothing() {
    let rows = year(0.001, 0.02);
    let expected = canonical(&trades(rows.clone()));
    let turned = rows.iter().rev().cloned();
    assert_eq!(canonical(&trades(turned)), expected);
    let renamed = rows
        .iter()
        .enumerate()
        .map(|(at, row)| with(row.clone(), json!({"trade_id": format!("x{at}"), "note": "?"})));
    assert_eq!(canonical(&trades(renamed)), expected);
    assert_eq!(canonical(&with(trades(rows.clone()), json!({"agent": "another", "why": 7}))), expected);
    let declared = with(trades(rows), json!({"declared_trials": 9}));
    assert_ne!(grade(&declared).grade.seed, grade(&trades(year(0.001, 0.02))).grade.seed);
}

#[test]
fn exposure_that_is_only_denied_is_said_in_the_scope() {
    let rows = year(0.004, 0.01).into_iter().map(|row| with(row, json!({"benchmark_return": null})));
    let body = with(trades(rows), json!({"benchmark": "cash"}));
    let finding = grade(&body);
    assert_eq!(finding.grade.verdict, GradeVerdict::RealEdge);
    assert!(finding.scope.contains("the caller's word"), "{}", finding.scope);
    assert_eq!(grade(&with(body, json!({"benchmark": null}))).grade.reason, GradeReason::BenchmarkAbsent);
}

/// Records that no statistic likes.
fn extremes() -> Vec<Vec<f64>> {
    let wide = |exponent: i32| (0..80).map(|at| f64::from(at % 7 - 3) * 10_f64.powi(exponent)).collect();
    let outlier =
        |value: f64| (0..80).map(|at| if at == 40 { value } else { f64::from(at % 5 - 2) * 1e-3 }).collect();
    vec![
        vec![],
        vec![0.1],
        vec![0.0; 80],
        vec![0.01; 80],
        vec![-1.0; 80],
        vec![f64::MAX; 80],
        vec![5e-324; 80],
        wide(300),
        wide(-300),
        wide(-320),
        wide(0),
        outlier(1e300),
        outlier(-1e300),
        outlier(5e-324),
        outlier(-1.0),
    ]
}

#[test]
fn no_number_is_too_strange_for_a_receipt() {
    for series in extremes() {
        for benchmark in [json!(null), json!(0), json!(1e300), json!(-5e-324)] {
            let row = |(at, r): (usize, &f64)| json!({"date": day(at as i64), "r": r, "b": benchmark, "max_loss": 1e-300});
            let rows: Vec<Value> = series.iter().enumerate().map(row).collect();
            let body = json!({"returns": rows});
            let finding = grade(&body);
            assert_ne!(finding.grade.verdict, GradeVerdict::RealEdge, "{finding:?}");
            let text = receipt::canonical::to_vec(&finding).unwrap();
            assert!(receipt::json::parse(&text).is_ok());
            let costs = with(body, json!({"costs": low_costs()}));
            assert!(receipt::canonical::to_vec(&copy(&costs)).is_ok());
        }
    }
}

fn object(body: &Value) -> Object {
    let Json::Object(object) = receipt::json::parse(body.to_string().as_bytes()).unwrap() else {
        panic!("{body}")
    };
    object
}

#[tokio::test]
async fn a_replay_gives_the_same_bytes_and_needs_nothing_but_the_question() {
    let judge = Arc::new(GradeJudge);
    let case = judge.open(&object(&trades(year(0.001, 0.02)))).unwrap();
    let ruling = case.judge(now().into()).await.unwrap();
    assert!(ruling.evidence.is_empty());
    let replayed = case.replay(&[], now()).unwrap();
    assert_eq!(Json::Object(replayed).canonical(), Json::Object(ruling.finding).canonical());
}

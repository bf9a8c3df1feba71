//! Marks of an account, rates of cash, the greatest notional, and what they may not be.

use grading::{GradeReason, GradeVerdict};
use serde_json::{Value, json};

use crate::common::*;

fn graded(body: &Value) -> (GradeVerdict, GradeReason) {
    let finding = grade(body);
    (finding.grade.verdict, finding.grade.reason)
}

/// Positions that are held for three days each, in turn in three instruments, and the account's marks: its result is so much a day
/// and noise, and a position has its part on the days on which it is held.
fn held(edge: f64, spread: f64) -> Value {
    let (mut luck, mut market) = (noise(17), noise(19));
    let days = 300;
    let results: Vec<f64> = (0..days).map(|_| 100_000.0 * (edge + spread * luck())).collect();
    let trades: Vec<Value> = (0..days / 3)
        .map(|at| {
            let pnl: f64 = results[3 * at..3 * at + 3].iter().sum();
            let (from, to) = (i64::try_from(3 * at).unwrap(), i64::try_from(3 * at + 2).unwrap());
            json!({
                "instrument": format!("I{}", at % 3), "opened_at": format!("{}T09:00:00Z", day(from)),
                "closed_at": format!("{}T20:00:00Z", day(to)), "settled": true, "side": "long", "pnl_net": pnl,
                "max_loss": 4_000, "size": 500, "entry_price": 100,
            })
        })
        .collect();
    let mut equity = 100_000.0;
    let mut marks = vec![json!({"date": day(-1), "equity": equity})];
    for (at, result) in results.iter().enumerate() {
        equity += result;
        let date = day(i64::try_from(at).unwrap());
        marks.push(json!({"date": date, "equity": equity, "b": 0.01 * market()}));
    }
    json!({"agent": "a", "risk_free": 0, "declared_trials": 1, "trades": trades, "marks": marks})
}

#[test]
fn positions_held_over_days_are_graded_by_marks_and_by_nothing_else() {
    let body = held(0.002, 0.008);
    assert_eq!(graded(&body), (GradeVerdict::RealEdge, GradeReason::AllStepsPassed));
    let finding = grade(&body);
    assert_eq!((finding.grade.units, finding.missing.len()), (300, 0));
    // By closes alone, with all that these need, it is none, and a loss is none either.
    let closes = |body: &Value| {
        let rows = body["trades"].as_array().unwrap();
        let priced = rows.iter().enumerate().map(|(at, row)| {
            let b = f64::from(u32::try_from(at * 37 % 11).unwrap()) / 1_000.0 - 0.005;
            with(row.clone(), json!({"equity_before": 100_000, "benchmark_return": b}))
        });
        with(body.clone(), json!({"marks": null, "trades": priced.collect::<Vec<_>>()}))
    };
    for body in [held(0.002, 0.008), held(-0.002, 0.008)] {
        assert_eq!(graded(&closes(&body)), (GradeVerdict::InsufficientData, GradeReason::MarksMissing));
    }
    assert_eq!(graded(&held(-0.002, 0.008)), (GradeVerdict::NegativeEv, GradeReason::LossSignificant));
}

fn profit(row: &Value) -> f64 {
    row["pnl_net"].as_f64().unwrap()
}

#[test]
fn days_of_marks_may_not_be_chosen() {
    let body = held(0.002, 0.008);
    let marks = body["marks"].as_array().unwrap();
    let kept = |keep: &dyn Fn(usize) -> bool| {
        let kept: Vec<Value> =
            marks.iter().enumerate().filter(|(at, _)| keep(*at)).map(|(_, mark)| mark.clone()).collect();
        graded(&with(body.clone(), json!({ "marks": kept }))).1
    };
    assert_eq!(kept(&|at| at % 2 == 0), GradeReason::MarksMissing);
    assert_eq!(kept(&|at| at < 250), GradeReason::MarksMissing, "trades closed after the last");
    assert_eq!(kept(&|at| at == 0 || at % 7 > 1), GradeReason::AllStepsPassed, "five of seven");
}

#[test]
fn cash_flows_are_no_results() {
    let body = held(0.002, 0.008);
    let mut marks = body["marks"].as_array().unwrap().clone();
    for (at, mark) in marks.iter_mut().enumerate() {
        let paid_in = if at >= 200 { 50_000.0 } else { 0.0 };
        let equity = mark["equity"].as_f64().unwrap() + paid_in;
        mark["equity"] = json!(equity);
        if at == 200 {
            mark["cash_flow"] = json!(paid_in);
        }
    }
    let paid = with(body.clone(), json!({"marks": marks.clone()}));
    assert_eq!(graded(&paid).0, GradeVerdict::RealEdge);
    // Without the cash flow the marks contradict the trades.
    marks[200].as_object_mut().unwrap().remove("cash_flow");
    refused(&with(body, json!({ "marks": marks })), "marks.300.equity", "contradictory");
}

#[test]
fn marks_are_of_trades_each_day_once_and_not_of_the_future() {
    let body = held(0.002, 0.008);
    let marks = |marks: Value| with(body.clone(), json!({ "marks": marks }));
    refused(&marks(json!([{"equity": 1}])), "marks.0.date", "missing");
    refused(&marks(json!([{"date": "2024-01-01"}])), "marks.0.equity", "missing");
    refused(&marks(json!([{"date": "2024-02-30", "equity": 1}])), "marks.0.date", "malformed");
    refused(&marks(json!([{"date": "2024-01-01", "equity": "x"}])), "marks.0.equity", "malformed");
    let twice = json!([{"date": "2024-01-02", "equity": 1}, {"date": "2024-01-01", "equity": 1}, {"date": "2024-01-02", "equity": 1}]);
    refused(&marks(twice), "marks.2.date", "duplicate");
    refused(&marks(json!([{"date": "2999-01-01", "equity": 1}])), "marks.0.date", "in_future");
    let returns = json!({"returns": [], "marks": [{"date": "2024-01-01", "equity": 1}]});
    refused(&returns, "marks", "contradictory");
}

#[test]
fn an_account_that_lost_all_is_graded_and_not_refused() {
    let ruin = (GradeVerdict::NegativeEv, GradeReason::Ruin);
    let mut rows = year(0.004, 0.01);
    rows[200]["equity_before"] = json!(0);
    assert_eq!(graded(&trades(rows.clone())), ruin);
    assert_eq!(grade(&trades(rows.clone())).grade.units, 200, "what comes after is no return");
    rows[0]["equity_before"] = json!(-5);
    assert_eq!(graded(&trades(rows)), ruin);
    let lost = json!({"returns": [{"date": "2024-01-01", "r": -1.2}, {"date": "2024-01-02", "r": 0.1}]});
    assert_eq!(graded(&lost), ruin);
    let mut body = held(0.002, 0.008);
    let before: f64 = body["trades"].as_array().unwrap()[..99].iter().map(profit).sum();
    body["trades"][99]["pnl_net"] = json!(-100_100.0 - before);
    body["marks"][300]["equity"] = json!(-100);
    assert_eq!(graded(&body), ruin);
}

#[test]
fn the_rate_of_cash_may_change_from_day_to_day() {
    let body = held(0.002, 0.008);
    let returns = |risk_free: Value| {
        let record = question(&with(body.clone(), json!({ "risk_free": risk_free }))).unwrap().settled;
        record.record.units.iter().map(|unit| unit.x).collect::<Vec<f64>>()
    };
    let rates = json!([{"date": day(100), "rate": "0.05"}, {"date": day(0), "rate": 0.0}]);
    let (none, five, both) = (returns(json!(0)), returns(json!(0.05)), returns(rates));
    assert_eq!((&both[..100], &both[100..]), (&none[..100], &five[100..]));
    let refused_rates = |rates: Value, field: &str, reason: &str| {
        refused(&with(body.clone(), json!({ "risk_free": rates })), field, reason);
    };
    refused_rates(json!([]), "risk_free", "out_of_range");
    refused_rates(json!([7]), "risk_free.0", "wrong_type");
    refused_rates(json!([{"rate": 0.01}]), "risk_free.0.date", "missing");
    refused_rates(json!([{"date": "2024-01-01"}]), "risk_free.0.rate", "missing");
    refused_rates(json!([{"date": "2024-01-01", "rate": 5}]), "risk_free.0.rate", "out_of_range");
    let twice = json!([{"date": "2024-01-01", "rate": 0}, {"date": "2024-01-01", "rate": 0}]);
    refused_rates(twice, "risk_free.1.date", "duplicate");
}

/// A year of days with an edge, without their greatest losses.
fn days(more: Value) -> Value {
    let (mut luck, mut market) = (noise(7), noise(11));
    let mut row = |at: i64| {
        let deep = if at % 83 == 40 { -0.03 } else { 0.0 };
        let high = if at % 50 == 20 { 0.025 } else { 0.0 };
        json!({"date": day(at), "r": 0.004 + 0.01 * luck() + deep + high, "b": 0.01 * market()})
    };
    let rows: Vec<Value> = (0..250).map(&mut row).collect();
    with(json!({"agent": "a", "risk_free": 0, "declared_trials": 1, "returns": rows}), more)
}

#[test]
fn the_greatest_notional_stands_in_for_the_greatest_loss_where_the_profit_survives_it() {
    let unknown = (GradeVerdict::InsufficientData, GradeReason::TailUnknown);
    assert_eq!(graded(&days(json!({}))), unknown);
    assert_eq!(graded(&days(json!({"greatest_notional": 1}))).0, GradeVerdict::RealEdge);
    let hidden = (GradeVerdict::InsufficientData, GradeReason::HiddenTail);
    assert_eq!(graded(&days(json!({"greatest_notional": 20}))), hidden);
    for wrong in [json!(0), json!(-1), json!(1_000_001)] {
        refused(&days(json!({ "greatest_notional": wrong })), "greatest_notional", "out_of_range");
    }
}

#[test]
fn days_that_were_pasted_are_found() {
    let mut body = days(json!({"greatest_notional": 1}));
    let best: Vec<Value> = (0..40).map(|at| body["returns"][at]["r"].clone()).collect();
    for (at, best) in best.into_iter().enumerate() {
        body["returns"][at * 5 + 50]["r"] = best;
    }
    assert_eq!(graded(&body), (GradeVerdict::InsufficientData, GradeReason::ReturnsRepeated));
}

#[test]
fn an_edge_says_what_loss_would_take_it_and_one_of_unknown_trials_for_how_many_it_holds() {
    let sure = grade(&days(json!({"greatest_notional": 1})));
    assert!(sure.explanation.contains("once in") && sure.explanation.contains("would take the profit"));
    let loss = sure.grade.loss_that_takes_profit.unwrap();
    let profit: f64 = (0..250).map(|at| days(json!({}))["returns"][at]["r"].as_f64().unwrap()).sum();
    assert!((loss / profit - 3.0).abs() < 1e-6);
    let undeclared = grade(&held_undeclared());
    assert_eq!(undeclared.grade.reason, GradeReason::TrialsUndeclared);
    let most = undeclared.grade.holds_for_trials.unwrap();
    assert!(
        (1..1_000).contains(&most) && undeclared.explanation.contains(&format!("at most {most} of them"))
    );
}

fn held_undeclared() -> Value {
    with(held(0.0009, 0.008), json!({"declared_trials": null}))
}

#[test]
fn a_rate_of_cash_makes_no_edge() {
    let zero_edge = |x: &dyn Fn(f64, f64) -> f64, more: Value| {
        let (mut luck, mut market) = (noise(23), noise(29));
        let rows: Vec<Value> = (0..500)
            .map(|at| {
                let b = 0.0009 + 0.02 * market();
                json!({"date": day(at), "r": x(luck(), b), "b": b, "max_loss": 0.08})
            })
            .collect();
        with(json!({"agent": "a", "declared_trials": 1, "returns": rows}), more)
    };
    // Twice the market by futures, which cost no interest: the rate leaves it unexplained.
    let futures = |rate: f64| zero_edge(&|luck, b| 2.0 * b + 0.0002 * luck, json!({ "risk_free": rate }));
    for rate in [0.0, 0.045, 0.2] {
        assert_ne!(graded(&futures(rate)).0, GradeVerdict::RealEdge, "{rate}");
    }
    // A negative rate is no gain.
    let steady = zero_edge(&|luck, _| 0.0006 * luck, json!({"risk_free": -0.05, "benchmark": "cash"}));
    assert_ne!(graded(&steady).0, GradeVerdict::RealEdge);
}

#[test]
fn cash_paid_in_before_losses_makes_no_edge() {
    // Losses are taken on a hundred times the equity of gains.
    let mut luck = noise(31);
    let (mut trades, mut marks, mut equity) =
        (Vec::new(), vec![json!({"date": day(-1), "equity": 1_000.0})], 1_000.0);
    for at in 0..300 {
        let pnl = if luck() < 0.0 { -10.0 } else { 10.0 };
        let paid = if pnl < 0.0 { 99_000.0 } else { 0.0 };
        trades.push(json!({
            "opened_at": format!("{}T09:00:00Z", day(2 * at + 1)), "closed_at": format!("{}T15:00:00Z", day(2 * at + 1)),
            "settled": true, "pnl_net": pnl, "max_loss": 10.5, "instrument": "X",
        }));
        equity += paid;
        marks.push(json!({"date": day(2 * at), "equity": equity, "cash_flow": paid, "b": 0.01 * luck()}));
        equity += pnl - paid;
        marks
            .push(json!({"date": day(2 * at + 1), "equity": equity, "cash_flow": -paid, "b": 0.01 * luck()}));
    }
    let body = json!({"agent": "a", "risk_free": 0, "declared_trials": 1, "trades": trades, "marks": marks});
    assert_ne!(graded(&body).0, GradeVerdict::RealEdge, "{:?}", graded(&body));
}

#[test]
fn a_notional_below_what_was_lost_is_none() {
    let unknown = (GradeVerdict::InsufficientData, GradeReason::TailUnknown);
    assert_eq!(graded(&days(json!({"greatest_notional": 0.001}))), unknown);
}

#[test]
fn variants_that_do_not_vary_or_differ_stand_for_none() {
    let body = days(json!({"greatest_notional": 1}));
    let own: Vec<Value> = body["returns"].as_array().unwrap().iter().map(|row| row["r"].clone()).collect();
    let trials = |variants: Vec<Vec<Value>>| {
        let declared = json!({"declared_trials": 200, "alternatives": variants});
        let steps = grade(&with(body.clone(), declared)).grade.steps;
        steps.iter().any(|step| step.id == "alternatives.romano_wolf_p")
    };
    assert!(!trials(vec![own.clone(); 200]), "copies of one");
    assert!(!trials(vec![vec![json!(0); 250]; 200]), "nothing");
    let turned = |by: usize| [&own[by..], &own[..by]].concat();
    assert!(trials((0..200).map(turned).collect()), "as many as are declared");
}

#[test]
fn an_open_loss_after_the_last_mark_counts() {
    let mut body = held(0.002, 0.008);
    let open = |loss: f64| json!({"instrument": "Y", "opened_at": format!("{}T09:00:00Z", day(301)), "settled": false, "open_pnl": -loss});
    body["trades"].as_array_mut().unwrap().push(open(10.0));
    assert_eq!(graded(&body).0, GradeVerdict::RealEdge);
    *body["trades"].as_array_mut().unwrap().last_mut().unwrap() = open(90_000.0);
    assert_eq!(graded(&body), (GradeVerdict::InsufficientData, GradeReason::OpenLoss));
}

#[test]
fn an_account_that_is_paid_out_is_not_ruined() {
    let mut body = held(0.002, 0.008);
    let last = body["marks"][300]["equity"].as_f64().unwrap();
    body["marks"]
        .as_array_mut()
        .unwrap()
        .push(json!({"date": day(300), "equity": 0, "cash_flow": -last, "b": 0.001}));
    assert_ne!(graded(&body).1, GradeReason::Ruin);
}

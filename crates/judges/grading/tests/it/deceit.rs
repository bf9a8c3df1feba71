//! Records that say of themselves what would make them look better, and are no edge for it.

use grading::copy_trade::CopyVerdict;
use grading::{Benchmark, GradeReason, GradeVerdict};
use serde_json::{Value, json};

use crate::common::*;

fn graded(body: &Value) -> (GradeVerdict, GradeReason) {
    let finding = grade(body);
    (finding.grade.verdict, finding.grade.reason)
}

fn profit(row: &Value) -> f64 {
    row["pnl_net"].as_f64().unwrap()
}

/// The rows, of which the worst are said to be open, and these members of them changed.
fn worst_called_open(rows: &[Value], share: usize, changes: &Value) -> Vec<Value> {
    let mut worst: Vec<usize> = (0..rows.len()).collect();
    worst.sort_by(|one, other| profit(&rows[*one]).total_cmp(&profit(&rows[*other])));
    worst.truncate(rows.len() / share);
    let called = |(at, row): (usize, &Value)| {
        let row = row.clone();
        if worst.contains(&at) { with(with(row, json!({"settled": false})), changes.clone()) } else { row }
    };
    rows.iter().enumerate().map(called).collect()
}

#[test]
fn losers_that_are_called_open_make_no_edge() {
    let rows = year(-0.0005, 0.01);
    assert_ne!(graded(&trades(rows.clone())).0, GradeVerdict::RealEdge);
    let bare = json!({"open_pnl": 0, "closed_at": null, "exit_price": null, "pnl_net": null});
    // The rest of the record alone would be an edge.
    let open = worst_called_open(&rows, 5, &bare);
    let settled = open.iter().filter(|row| row["settled"] == true).cloned();
    assert_eq!(graded(&trades(settled)).0, GradeVerdict::RealEdge);
    for more in [json!({}), json!({"max_loss": null}), json!({"max_loss": 1e-6})] {
        let body = trades(worst_called_open(&rows, 5, &with_all(&bare, &more)));
        assert_eq!(graded(&body), (GradeVerdict::InsufficientData, GradeReason::OpenLoss), "{more}");
        assert_ne!(
            copy(&with(body, json!({"costs": low_costs(), "declared_trials": 5}))).verdict,
            CopyVerdict::Copy,
            "{more}"
        );
    }
    // An open trade may not have members that show its end.
    for kept in ["closed_at", "exit_price", "pnl_net"] {
        let mut changes = bare.clone();
        changes.as_object_mut().unwrap().remove(kept);
        let (field, reason) = question(&trades(worst_called_open(&rows, 5, &changes))).unwrap_err();
        assert!(field.ends_with(kept) && reason == "contradictory", "{field}: {reason}");
    }
    // Of an edge, a few that are open take nothing away.
    let open = worst_called_open(&year(0.004, 0.01), 50, &bare);
    assert_eq!(graded(&trades(open)), (GradeVerdict::RealEdge, GradeReason::AllStepsPassed));
}

/// The members of both, also those that are null.
fn with_all(changes: &Value, more: &Value) -> Value {
    let mut changes = changes.clone();
    for (name, change) in more.as_object().unwrap() {
        changes[name] = change.clone();
    }
    changes
}

/// Small gains, and a loss now and then that is not the worst to come.
fn option_seller(max_loss: &Value) -> Value {
    let (mut luck, mut market) = (noise(3), noise(5));
    let rows = (0..500).map(|at| {
        let luck = luck();
        let r = if at % 14 == 5 { -0.008 + 0.006 * luck } else { 0.002 + 0.0004 * luck };
        json!({"date": day(at), "r": r, "b": 0.01 * market(), "max_loss": max_loss})
    });
    json!({"agent": "a", "declared_trials": 1, "returns": rows.collect::<Vec<_>>()})
}

#[test]
fn a_greatest_loss_that_was_exceeded_counts_as_not_given() {
    assert_eq!(
        graded(&option_seller(&json!(0.5))),
        (GradeVerdict::InsufficientData, GradeReason::HiddenTail)
    );
    let unknown = (GradeVerdict::InsufficientData, GradeReason::TailUnknown);
    for max_loss in [Value::Null, json!(1e-6), json!(0.01)] {
        assert_eq!(graded(&option_seller(&max_loss)), unknown, "{max_loss}");
    }
    // A stated greatest loss that is not exceeded is the caller's word.
    assert_eq!(graded(&option_seller(&json!(0.015))).0, GradeVerdict::RealEdge);
}

#[test]
fn a_benchmark_that_does_not_move_is_none() {
    let body = |b: &dyn Fn(usize) -> f64| {
        let rows = year(0.004, 0.01).into_iter().enumerate();
        trades(rows.map(|(at, row)| with(row, json!({"benchmark_return": b(at)}))))
    };
    let still: [&dyn Fn(usize) -> f64; 5] = [
        &|_| 0.0,
        &|_| 0.01,
        &|at| if at == 249 { 1e-9 } else { 0.0 },
        &|at| if at == 9 { 0.05 } else { 0.0 },
        &|at| (at % 7) as f64 * 1e-9,
    ];
    for b in still {
        let body = body(b);
        assert_eq!(question(&body).unwrap().settled.record.benchmark, Benchmark::Absent);
        assert_eq!(graded(&body), (GradeVerdict::InsufficientData, GradeReason::BenchmarkAbsent));
        // Nor does it stand against the caller's word.
        let cash = grade(&with(body, json!({"benchmark": "cash"})));
        assert_eq!(cash.grade.verdict, GradeVerdict::RealEdge);
        assert!(cash.scope.contains("the caller's word"), "{}", cash.scope);
    }
    // One that rests at weekends moves.
    let resting = body(&|at| if at % 7 < 5 { ((at % 5) as f64 - 2.0) * 0.004 } else { 0.0 });
    assert_eq!(question(&resting).unwrap().settled.record.benchmark, Benchmark::Series);
}

#[test]
fn an_equity_that_is_higher_on_days_that_lose_makes_no_edge() {
    let stated = |row: Value| {
        let equity = if profit(&row) < 0.0 { 400_000 } else { 100_000 };
        with(row, json!({"equity_before": equity, "max_loss": 2_000}))
    };
    let declared = json!({"declared_trials": 1});
    let rows = year(-0.0005, 0.01);
    assert_ne!(graded(&with(trades(rows.clone()), declared.clone())).0, GradeVerdict::RealEdge);
    let body = with(trades(rows.into_iter().map(stated)), declared);
    assert_eq!(graded(&body), (GradeVerdict::InsufficientData, GradeReason::EquityUnreconciled));
    assert_ne!(
        copy(&with(body, json!({"costs": low_costs(), "declared_trials": 1}))).verdict,
        CopyVerdict::Copy
    );
}

#[test]
fn deposits_and_what_was_earned_take_nothing_from_an_edge() {
    // Four times the stakes after a deposit, half of them after a withdrawal.
    let staked = |(at, row): (usize, Value)| {
        let times = [1.0, 4.0, 2.0][at / 84];
        let pnl = times * profit(&row);
        let changes = json!({"pnl_net": pnl, "fees": times, "size": times * 500.0, "equity_before": times * 1e5, "max_loss": times * 1e3});
        with(row, changes)
    };
    let deposits = grade(&trades(year(0.004, 0.01).into_iter().enumerate().map(staked)));
    assert_eq!(deposits.grade.reason, GradeReason::AllStepsPassed);
    assert!(deposits.grade.steps.iter().any(|step| step.id == "equity.p_of_trials"));
    let mut equity = 100_000.0;
    let earned = year(0.004, 0.01).into_iter().map(|row| {
        let row = with(row, json!({"equity_before": equity}));
        equity += profit(&row);
        row
    });
    let earned = grade(&trades(earned));
    assert_eq!(earned.grade.reason, GradeReason::AllStepsPassed);
    assert!(earned.grade.steps.iter().all(|step| step.id != "equity.p_of_trials"));
}

/// Losing variants, no two of which are the same.
fn varied(variants: u32) -> Vec<Vec<f64>> {
    let variant = |k: u32| (0..250_u32).map(|at| -0.001 * f64::from((at * (k + 1)) % 11)).collect();
    (0..variants).map(variant).collect()
}

#[test]
fn a_variant_does_not_stand_for_all_that_were_tried() {
    let trials = |variants: u32| {
        let body = with(trades(year(0.004, 0.01)), json!({"alternatives": varied(variants)}));
        grade(&body).grade.trials
    };
    assert_eq!([0, 1, 5, 7].map(trials), [5, 5, 5, 7]);
}

#[test]
fn a_stake_that_is_none_takes_no_costs_away() {
    let rows = || year(0.004, 0.01).into_iter();
    let body = |rows: Vec<Value>| with(trades(rows), json!({"costs": low_costs()}));
    let staked = rows().map(|row| with(row, json!({"stake": 0.0001}))).collect();
    assert_eq!(copy(&body(staked)).net, copy(&body(rows().collect())).net);
}

/// A record of days: what it returns and its benchmark, over three years.
fn days(returns: impl Fn(usize) -> (f64, f64), more: Value) -> Value {
    let row = |at: usize| {
        let (r, b) = returns(at);
        json!({"date": day(i64::try_from(at).unwrap()), "r": r, "b": b, "max_loss": (-2.0 * r).max(0.0006)})
    };
    let rows: Vec<Value> = (0..750).map(row).collect();
    with(json!({"agent": "a", "declared_trials": 1, "returns": rows}), more)
}

/// A market that rises by so much on the mean day.
fn market(rise: f64) -> Vec<f64> {
    let mut luck = noise(11);
    (0..760).map(|_| rise + 0.01 * luck()).collect()
}

#[test]
fn the_benchmark_a_day_late_or_averaged_over_a_week_is_no_edge() {
    let market = market(0.002);
    let late = days(|at| (market[at + 5], market[at + 4]), json!({"risk_free": 0}));
    let averaged = days(
        |at| (market[at + 1..at + 6].iter().sum::<f64>() / 5.0, market[at + 5]),
        json!({"risk_free": 0}),
    );
    for body in [late, averaged] {
        let (verdict, reason) = graded(&body);
        assert_ne!(verdict, GradeVerdict::RealEdge, "{reason:?}");
    }
}

#[test]
fn the_interest_on_cash_is_no_edge_whether_it_is_said_or_not() {
    let market = market(0.0);
    let mut luck = noise(5);
    let own: Vec<f64> = (0..750).map(|_| 0.0004 * luck()).collect();
    let paid = |at: usize| (0.05 / 365.25 + own[at], market[at]);
    assert_eq!(
        graded(&days(paid, json!({}))),
        (GradeVerdict::InsufficientData, GradeReason::RiskFreeMissing)
    );
    assert_ne!(graded(&days(paid, json!({"risk_free": 0.05}))).0, GradeVerdict::RealEdge);
    let earned = |at: usize| (0.0004 + own[at], market[at]);
    assert_eq!(graded(&days(earned, json!({"risk_free": 0.05}))).0, GradeVerdict::RealEdge);
    assert_eq!(graded(&days(earned, json!({}))).0, GradeVerdict::RealEdge, "more than cash could have paid");
}

#[test]
fn a_rate_of_cash_is_a_fraction_of_a_year() {
    for (rate, is_taken) in [
        (json!(0.05), true),
        (json!("0.05"), true),
        (json!(-0.005), true),
        (json!(5), false),
        (json!(-0.06), false),
        (json!("5%"), false),
    ] {
        let body = with(trades(year(0.004, 0.01)), json!({"risk_free": rate}));
        assert_eq!(question(&body).is_ok(), is_taken, "{rate}");
    }
}

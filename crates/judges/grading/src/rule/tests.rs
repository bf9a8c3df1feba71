//! The rule on records made for it, and on anything at all.

use proptest::prelude::*;

use super::*;
use crate::record::{PossibleLosses, Reservation, Reservations, SettlementUnit};
use crate::statistics::count;
use crate::statistics::moments::Moments;

/// Returns of a steady edge: a swing that repeats, with a part that does not.
fn edge(n: i32, mean: f64) -> TrackRecord {
    let units = (0..n).map(|day| {
        let swing = libm::sin(f64::from(day) * 1.7) + libm::sin(f64::from(day * day) * 0.37);
        let deep = if day % 97 == 11 { -0.035 } else { 0.0 };
        SettlementUnit {
            day,
            x: 0.01 * swing + mean + deep,
            b: Some(0.01 * libm::cos(f64::from(day) * 2.9)),
            max_loss: None,
        }
    });
    TrackRecord {
        units: units.collect(),
        declared_trials: Some(1),
        periods_per_year: 252.0,
        benchmark: Benchmark::Series,
        reservations: Reservations::default(),
        open_losses: Vec::new(),
        unreconciled_equity: Vec::new(),
        alternatives: Vec::new(),
        lacks_risk_free: false,
        possible: PossibleLosses { notional: Some(1.0), ..PossibleLosses::default() },
        cash: Vec::new(),
    }
}

fn ruled(record: &TrackRecord) -> (GradeVerdict, GradeReason) {
    let ruling = rule(record);
    (ruling.verdict, ruling.reason)
}

#[test]
fn a_steady_edge_is_real_and_its_absence_is_not() {
    assert_eq!(ruled(&edge(600, 0.003)), (GradeVerdict::RealEdge, GradeReason::AllStepsPassed));
    assert_ne!(ruled(&edge(600, 0.0)).0, GradeVerdict::RealEdge);
    assert_eq!(ruled(&edge(600, -0.003)), (GradeVerdict::NegativeEv, GradeReason::LossSignificant));
    assert_eq!(ruled(&edge(59, 0.003)), (GradeVerdict::InsufficientData, GradeReason::TooFewUnits));
}

#[test]
fn what_the_input_lacks_forbids_an_edge() {
    let insufficient = |change: &dyn Fn(&mut TrackRecord)| {
        let mut record = edge(600, 0.003);
        change(&mut record);
        let (verdict, reason) = ruled(&record);
        assert_eq!(verdict, GradeVerdict::InsufficientData);
        reason
    };
    assert_eq!(insufficient(&|r| r.benchmark = Benchmark::Absent), GradeReason::BenchmarkAbsent);
    assert_eq!(insufficient(&|r| r.benchmark = Benchmark::Partial), GradeReason::BenchmarkCoverage);
    assert_eq!(insufficient(&|r| r.units[300].b = None), GradeReason::OutOfRange);
    assert_eq!(insufficient(&|r| r.units[300].x = f64::NAN), GradeReason::OutOfRange);
    assert_eq!(insufficient(&|r| r.units[300].x = 1e300), GradeReason::OutOfRange);
    assert_eq!(insufficient(&|r| r.units.iter_mut().for_each(|u| u.x = 0.01)), GradeReason::NoVariation);
    assert_eq!(
        insufficient(&|r| {
            r.units.iter_mut().for_each(|u| u.max_loss = Some(0.9));
            r.possible.notional = None;
        }),
        GradeReason::HiddenTail
    );
    assert_eq!(
        insufficient(&|r| r.units.iter_mut().for_each(|u| u.x = u.x.max(-0.015))),
        GradeReason::TailUnknown
    );
    assert_eq!(insufficient(&|r| r.possible.notional = None), GradeReason::TailUnknown);
    assert_eq!(insufficient(&|r| r.possible.notional = Some(20.0)), GradeReason::HiddenTail);
    assert_eq!(insufficient(&|r| r.alternatives = vec![vec![0.0; 3]]), GradeReason::AlternativesMismatch);
    let reserved = |reservation| move |r: &mut TrackRecord| r.reservations = Reservations(vec![reservation]);
    assert_eq!(
        insufficient(&reserved(Reservation::Insufficient(GradeReason::FieldsMissing))),
        GradeReason::FieldsMissing
    );
    assert_eq!(
        insufficient(&reserved(Reservation::NeverRealEdge(GradeReason::OpenPnlMissing))),
        GradeReason::OpenPnlMissing
    );
    let mut losing = edge(600, -0.003);
    losing.reservations = Reservations(vec![Reservation::NoResult(GradeReason::MarksMissing)]);
    assert_eq!(ruled(&losing), (GradeVerdict::InsufficientData, GradeReason::MarksMissing));
    let mut ruined = edge(600, 0.003);
    ruined.reservations = Reservations(vec![Reservation::Ruined]);
    assert_eq!(ruled(&ruined), (GradeVerdict::NegativeEv, GradeReason::Ruin));
}

#[test]
fn leverage_on_the_benchmark_is_no_edge() {
    let mut record = edge(600, 0.0);
    for unit in &mut record.units {
        unit.b = unit.b.map(|b| b + 0.002);
        unit.x = 0.1 * unit.x + 2.0 * unit.b.unwrap_or_default();
    }
    assert_eq!(ruled(&record), (GradeVerdict::RegimeLuck, GradeReason::BenchmarkExplains));
}

#[test]
fn trials_that_are_declared_explain_a_result_that_one_trial_does_not() {
    let mut record = edge(600, 0.003);
    record.declared_trials = Some(1_000_000_000);
    assert_eq!(ruled(&record), (GradeVerdict::RegimeLuck, GradeReason::SelectionExplains));
}

#[test]
fn a_few_variants_do_not_lower_the_trials_of_a_record_that_declares_none() {
    let trials = |declared_trials, variants: usize| {
        // No two are the same, and each varies.
        let variant = |k: usize| (0..600).map(|day| libm::sin(count(day * (k + 1)))).collect();
        let alternatives = (0..variants).map(variant).collect();
        super::grade(&TrackRecord { declared_trials, alternatives, ..edge(600, 0.003) }).trials
    };
    assert_eq!(
        [trials(None, 0), trials(None, 1), trials(None, 4), trials(None, 6)],
        [1_000, 1_000, 1_000, 1_000]
    );
    assert_eq!([trials(Some(1), 0), trials(Some(1), 3), trials(Some(9), 3)], [1, 3, 9]);
}

#[test]
fn open_losses_are_taken_one_a_day_from_the_last() {
    let record = TrackRecord { open_losses: vec![0.3, 0.2, 0.1], ..edge(2, 0.0) };
    let taken = record.with_losses_taken();
    let lost: Vec<f64> =
        record.units.iter().zip(&taken.units).map(|(unit, taken)| unit.x - taken.x).collect();
    assert!((lost[0] - 0.2).abs() < 1e-15 && (lost[1] - 0.4).abs() < 1e-15, "{lost:?}");
    assert!(taken.open_losses.is_empty());
    assert!(TrackRecord { units: Vec::new(), ..record }.with_losses_taken().units.is_empty());
}

#[test]
fn other_equities_have_no_part_of_the_days_own_profit() {
    let mut record = TrackRecord { unreconciled_equity: vec![1.0, 4.0, 2.0], ..edge(3, 0.0) };
    let returns = |record: &TrackRecord| record.units.iter().map(|unit| unit.x).collect::<Vec<f64>>();
    for (unit, x) in record.units.iter_mut().zip([0.5, -0.25, 0.5]) {
        unit.x = x;
    }
    // Profits of 0.5, -1 and 1: on the mean of 7/3, and on 1, 1.5 and 0.5.
    let [constant, earned] = &record.with_other_equities()[..] else { panic!("there are two") };
    let expected = [0.5, -1.0, 1.0].map(|profit| profit * 3.0 / 7.0);
    assert!(returns(constant).iter().zip(expected).all(|(x, expected)| (x - expected).abs() < 1e-15));
    assert!(returns(earned).iter().zip([0.5, -2.0 / 3.0, 2.0]).all(|(x, y)| (x - y).abs() < 1e-15));
    // Of what is lost nothing can be earned.
    record.units[0].x = -1.0;
    assert_eq!(record.with_other_equities().len(), 1);
    record.unreconciled_equity.clear();
    assert!(record.with_other_equities().is_empty());
}

#[test]
fn an_edge_that_rests_on_the_stated_equity_is_none() {
    // The days that lose are said to have had four times the equity.
    let mut record = edge(600, 0.0);
    record.unreconciled_equity =
        record.units.iter().map(|unit| if unit.x < 0.0 { 4.0 } else { 1.0 }).collect();
    for (unit, equity) in record.units.iter_mut().zip(&record.unreconciled_equity) {
        unit.x /= equity;
        unit.max_loss = Some(0.04);
    }
    assert_eq!(ruled(&record), (GradeVerdict::InsufficientData, GradeReason::EquityUnreconciled));
    record.unreconciled_equity.clear();
    assert_eq!(ruled(&record), (GradeVerdict::RealEdge, GradeReason::AllStepsPassed));
}

#[test]
fn trials_beyond_the_resamples_are_spoken_for_by_their_tail() {
    // The least share of 9,999 resamples is 0.0001, which at the level of 0.01 stands for 100 trials.
    let ruled_with = |record: &TrackRecord, trials: u32| {
        ruled(&TrackRecord { declared_trials: Some(trials), ..record.clone() })
    };
    let record = edge(600, 0.006);
    let real = (GradeVerdict::RealEdge, GradeReason::AllStepsPassed);
    assert_eq!([1, 100, 101, 10_000].map(|trials| ruled_with(&record, trials)), [real; 4]);
    let weaker = edge(600, 0.0025);
    assert_eq!(ruled_with(&weaker, 1), real);
    assert_eq!(ruled_with(&weaker, 100_000), (GradeVerdict::RegimeLuck, GradeReason::SelectionExplains));
}

#[test]
fn a_record_that_declares_no_trials_is_held_to_those_of_a_leaderboard_and_told_for_how_many_it_holds() {
    let undeclared = |mean| TrackRecord { declared_trials: None, ..edge(600, mean) };
    assert_eq!(ruled(&undeclared(0.006)).0, GradeVerdict::RealEdge);
    let weaker = undeclared(0.0022);
    assert_eq!(ruled(&weaker), (GradeVerdict::InsufficientData, GradeReason::TrialsUndeclared));
    let holds = super::grade(&weaker).holds_for_trials.expect("it is significant for one");
    assert!((1..1_000).contains(&holds), "{holds}");
    let declared = |trials| ruled(&TrackRecord { declared_trials: Some(trials), ..weaker.clone() });
    assert_eq!(declared(holds).0, GradeVerdict::RealEdge);
    assert_eq!(declared(holds + 1).0, GradeVerdict::RegimeLuck);
    assert_eq!(super::grade(&undeclared(0.0)).holds_for_trials, None);
}

#[test]
fn an_edge_says_what_loss_would_take_its_profit() {
    let record = edge(600, 0.003);
    let profit: f64 = record.units.iter().map(|unit| unit.x).sum();
    let loss = super::grade(&record).loss_that_takes_profit.expect("a profit");
    assert!((loss - 3.0 * profit).abs() < 1e-9);
    assert_eq!(super::grade(&edge(600, -0.003)).loss_that_takes_profit, None);
}

#[test]
fn losses_of_days_that_go_with_the_day_before_rule_less_out() {
    // Four days at a time are the same, and a yearly Sharpe ratio of -2.5 is seen.
    let mut record = edge(250, 0.0);
    let swing = |unit: &SettlementUnit| libm::sin(f64::from((unit.day / 4) * (unit.day / 4)) * 0.37);
    let moments = Moments::of(&record.units.iter().map(swing).collect::<Vec<_>>());
    for unit in &mut record.units {
        unit.x = 0.01 * ((swing(unit) - moments.mean) / moments.sd - 2.5 / libm::sqrt(252.0));
    }
    assert_eq!(rule(&record).reason, GradeReason::LossUnderpowered);
}

#[test]
fn an_edge_of_one_quarter_is_luck() {
    let mut record = edge(600, 0.0);
    for unit in &mut record.units[150..300] {
        unit.x += 0.02;
    }
    assert_eq!(ruled(&record).0, GradeVerdict::RegimeLuck);
}

#[test]
fn a_grade_is_the_same_whenever_it_is_asked_for() {
    let grade = |record: &TrackRecord| super::grade(record);
    let record = edge(300, 0.003);
    assert_eq!(grade(&record), grade(&record));
    let found = grade(&record);
    assert_eq!((found.resamples, found.units, found.trials), (9_999, 300, 1));
    let histogram = found.bootstrap.expect("drawn");
    assert_eq!(histogram.counts.iter().sum::<u32>(), 9_999);
    assert_eq!(found.subperiods.len(), 4);
    assert_eq!(found.curve.len(), 300);
}

/// Numbers of every size, the strange ones often.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -0.05_f64..0.05,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, -0.0, 1e300, -1e300, 5e-324, -1.0, 1e6, 1e-13, f64::NAN, f64::INFINITY]),
    ]
}

fn any_record() -> impl Strategy<Value = TrackRecord> {
    let number = prop_oneof![any_number().boxed(), (-0.02_f64..0.03).boxed(), Just(0.01).boxed()];
    let units = prop::collection::vec((number, any_number(), prop::option::of(any_number())), 0..130);
    let benchmark = prop::sample::select(vec![Benchmark::Series, Benchmark::Cash, Benchmark::Partial]);
    (units, benchmark, any_number(), prop::option::of(any::<u32>()), any::<bool>(), any::<bool>()).prop_map(
        |(units, benchmark, periods, declared_trials, tame, variants)| {
            let mut day = 0;
            let units: Vec<SettlementUnit> = units
                .into_iter()
                .map(|(x, b, max_loss)| {
                    day += 1;
                    // Half of the records are of numbers that get past the first step.
                    let held = |x: f64| if tame && (x.is_nan() || x.abs() > 1e6) { 0.02 } else { x };
                    SettlementUnit { day, x: held(x), b: Some(held(b)), max_loss }
                })
                .collect();
            let alternatives =
                if variants { vec![units.iter().map(|unit| unit.x * 0.5).collect()] } else { Vec::new() };
            let periods_per_year = if tame { 252.0 } else { periods };
            let reservations = Reservations::default();
            TrackRecord {
                units,
                declared_trials,
                periods_per_year,
                benchmark,
                reservations,
                open_losses: Vec::new(),
                unreconciled_equity: Vec::new(),
                alternatives,
                lacks_risk_free: tame,
                possible: PossibleLosses::default(),
                cash: Vec::new(),
            }
        },
    )
}

fn is_finite(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Number(number) => number.as_f64().is_some_and(f64::is_finite),
        serde_json::Value::Array(values) => values.iter().all(is_finite),
        serde_json::Value::Object(members) => members.values().all(is_finite),
        _ => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_record_makes_the_rule_panic_or_answer_what_is_not_a_number(record in any_record()) {
        let found = super::grade(&record);
        // `serde_json` writes what is not a number as null, which no number of a grade but an absent one may be.
        let curve = serde_json::to_value((&found.curve, &found.bootstrap, &found.alternatives))
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(is_finite(&curve));
        for point in &found.curve {
            prop_assert!(point.equity.is_finite() && point.drawdown.is_finite());
        }
        for part in &found.subperiods {
            prop_assert!(part.mean.is_finite() && part.t.is_none_or(f64::is_finite));
        }
        for step in &found.steps {
            prop_assert!(step.statistic.is_none_or(f64::is_finite));
        }
        if let Some(variants) = found.alternatives {
            prop_assert!(variants.spa_p.is_finite() && variants.reality_check_p.is_finite());
        }
        prop_assert!(found.block_length.is_none_or(f64::is_finite));
    }
}

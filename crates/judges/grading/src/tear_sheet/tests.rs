//! The sheet of records of all kinds: well-formed, escaped, bounded.

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;
use receipt::json::{Json, parse};
use serde_json::{Value, json};

use super::draw;
use super::scale::days;
use crate::Grade;
use crate::grade_strategy::finite;
use crate::performance::{Performance, Stated};
use crate::record::{Benchmark, TrackRecord};
use crate::simulated;
use simulated_returns::Process;

/// Returns the members of a receipt of that record, with all figures.
fn receipt_with_figures(record: &TrackRecord) -> Value {
    let grade = finite(crate::grade(record));
    let performance = Performance::of(record, grade.trials, &Stated::default());
    let mut receipt = receipt_of(&grade);
    receipt["performance"] = serde_json::to_value(performance).unwrap();
    receipt
}

/// Returns the members of a receipt of that grade.
fn receipt_of(grade: &Grade) -> Value {
    let mut receipt = serde_json::to_value(grade).unwrap();
    for (name, value) in [
        ("class", "grade-strategy"),
        ("agent", "scout-7"),
        ("explanation", "Found. Why."),
        ("method", "grade-strategy/3"),
        ("signed_at", "2026-11-21T12:00:00.000Z"),
        ("receipt_hash", "ab"),
    ] {
        receipt[name] = value.into();
    }
    receipt
}

fn drawn(receipt: &Value) -> Option<String> {
    let receipt: Json = parse(receipt.to_string().as_bytes()).unwrap();
    draw(&receipt, &receipt)
}

fn grade(process: Process, units: usize, sharpe: f64) -> crate::Grade {
    let mut record = TrackRecord { declared_trials: Some(1), ..simulated::record(process, units, sharpe, 3) };
    let worst = record.units.iter().fold(0.05_f64, |worst, unit| worst.max(-unit.x));
    record.units.iter_mut().for_each(|unit| unit.max_loss = Some(worst));
    finite(crate::grade(&record))
}

/// That it is XML of a bounded size, which loads and runs nothing; and all of its text, without what is escaped in it.
#[track_caller]
fn text_of(sheet: &str) -> String {
    assert!(sheet.len() < 64 * 1024, "{} bytes", sheet.len());
    let mut reader = Reader::from_str(sheet);
    let mut text = String::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return text,
            Event::Text(part) => text += &part,
            Event::Start(tag) | Event::Empty(tag) => {
                let known = ["svg", "title", "desc", "style", "rect", "text", "tspan", "g", "path"];
                assert!(known.contains(&tag.name().as_ref()), "{tag:?}");
                for attribute in tag.attributes().map(Result::unwrap) {
                    let (key, value) = (attribute.key.as_ref(), &attribute.value);
                    assert!(!key.starts_with("on") && !key.ends_with("href"), "{key}");
                    let is_number = ["x", "y", "d", "width", "height"].contains(&key);
                    assert!(!is_number || !value.contains(['N', 'i', 'e']), "{value}");
                }
            }
            _ => {}
        }
    }
}

#[test]
fn every_record_has_a_sheet_with_title_description_and_labelled_axes() {
    for (process, units, sharpe) in [
        (Process::StudentT5, 60, 4.0),
        (Process::StudentT5, 500, 4.0),
        (Process::GarchWithBenchmark, 2_000, 3.0),
        (Process::Normal, 1, 0.0),
        (Process::Normal, 12, 0.0),
        (Process::StudentT5, 500, -4.0),
        (Process::StudentT5, 1_000, -12.0),
        (Process::Normal, 700, 90.0),
    ] {
        let grade = grade(process, units, sharpe);
        let sheet = drawn(&receipt_of(&grade)).unwrap();
        let text = text_of(&sheet);
        let verdict = serde_json::to_value(grade.verdict).unwrap();
        for said in [
            verdict.as_str().unwrap(),
            "settlement day (UTC)",
            "below the high, %",
            "equity, start = 1",
            "Found. Why.",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
        assert!(
            sheet.contains("<title id=")
                && sheet.contains("<desc id=")
                && sheet.contains("prefers-color-scheme: dark")
        );
        assert_eq!(text.contains("too short for a bootstrap"), units < 60);
    }
}

#[test]
fn what_a_caller_wrote_is_text_and_nothing_else() {
    let mut receipt = receipt_of(&grade(Process::Normal, 80, 0.0));
    receipt["agent"] = json!("<script>alert('1')</script>]]>&amp;\u{202e}\u{ffff}");
    let sheet = drawn(&receipt).unwrap();
    assert!(!text_of(&sheet).is_empty() && !sheet.contains("<script"));
    assert!(!sheet.contains(['\u{202e}', '\u{ffff}']));
}

#[test]
fn a_name_that_is_too_wide_is_cut() {
    let mut receipt = receipt_of(&grade(Process::Normal, 80, 0.0));
    for (letter, most) in [("é", 45), ("W", 36), ("\u{4e16}", 32)] {
        receipt["agent"] = json!(letter.repeat(128));
        let sheet = drawn(&receipt).unwrap();
        assert!(sheet.contains('…') && !sheet.contains(&letter.repeat(most + 1)), "{letter}");
        assert!(sheet.contains(&letter.repeat(25)), "{letter}");
    }
}

#[test]
fn no_sheet_is_without_the_scope_of_its_verdict() {
    let mut record = simulated::record(Process::StudentT5, 80, 0.0, 3);
    let mut scope = |trials: Option<u32>, benchmark: Benchmark| {
        (record.declared_trials, record.benchmark) = (trials, benchmark);
        text_of(&drawn(&receipt_with_figures(&record)).unwrap())
    };
    for (trials, benchmark, said) in [
        (Some(1), Benchmark::Series, ["1 trial, declared by the caller", "benchmark: the callers series"]),
        (Some(1_200), Benchmark::Cash, ["1,200 trials, declared", "benchmark: cash (the callers word)"]),
        (
            None,
            Benchmark::Absent,
            ["1,000 trials, assumed since the caller declares none", "benchmark: none"],
        ),
        (None, Benchmark::Partial, ["1,000 trials, assumed", "series, for a part of the days"]),
    ] {
        let text = scope(trials, benchmark);
        for part in said.into_iter().chain(["As “scout-7” states it: the callers word, not checked"]) {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

#[test]
fn a_copier_s_sheet_has_its_scope_too() {
    let grade = serde_json::to_value(grade(Process::StudentT5, 500, 4.0)).unwrap();
    let receipt = json!({
        "class": "copy-trade-score", "agent": "scout-7", "verdict": "COPY", "reason": "ALL_GATES_PASSED",
        "explanation": "Found. Why.", "signed_at": "2026-11-21T12:00:00.000Z", "receipt_hash": "ab", "net": grade,
    });
    let receipt = parse(receipt.to_string().as_bytes()).unwrap();
    let text = text_of(&draw(&receipt, receipt.get("net").unwrap()).unwrap());
    for said in ["As “scout-7” states it", "1 trial, declared by the caller", "benchmark: the callers series"]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("growth a year"), "a copier's grade has no figures: {text}");
}

/// The members that a copier's receipt has beside those of [`receipt_of`].
fn copied(declared: bool) -> Value {
    let gate = |id: &str, statistic: Value, threshold: Value, bound: &str, passed: bool| {
        json!({"id": id, "statistic": statistic, "threshold": threshold, "bound": bound, "passed": passed,
            "source": "the rule's own"})
    };
    let null = Value::Null;
    let missing = if declared {
        json!([])
    } else {
        json!([{"field": "declared_trials", "rows": 1, "first": "declared_trials", "add": "how many"}])
    };
    json!({
        "class": "copy-trade-score", "agent": "scout-7", "verdict": "CAUTION", "reason": "GATE_NOT_PASSED",
        "explanation": "Found. Why.", "signed_at": "2026-11-21T12:00:00.000Z", "receipt_hash": "ab", "missing": missing,
        "gates": [
            gate("net.real_edge", null.clone(), null.clone(), "reported", true),
            gate("cost.share_of_edge", json!(0.21), json!(0.5), "at_most", true),
            gate("net.worst_day", json!(0.31), json!(0.25), "at_most", false),
            gate("hold.latencies", null.clone(), json!(20), "at_least", true),
            gate("exposure.notional_over_equity", json!(14.5), json!(10), "at_most", false),
            gate("size.added_to_losers", null, json!(0.9), "below", false),
            gate("<of.a.later.rule>", json!(3), json!(2), "above", true),
        ],
        "cost": {"spread_and_fees": 0.0006, "impact": 0.0004, "delay": 0.0002, "total": 0.0012},
        "trader_fees": "taken_off", "break_even_cost": 0.004, "break_even_size": "1234567.89", "capacity": "98765.4",
        "growth": {"record": 0.2, "record_in_excess": 0.15, "copy": 0.1, "copy_in_excess": 0.05, "risk_free": 0.045},
        "net": serde_json::to_value(grade(Process::StudentT5, 500, 4.0)).unwrap(),
    })
}

fn drawn_copy(receipt: &Value) -> String {
    let receipt = parse(receipt.to_string().as_bytes()).unwrap();
    text_of(&draw(&receipt, receipt.get("net").unwrap()).unwrap())
}

#[test]
fn a_copier_s_sheet_has_its_costs_its_capacity_and_every_gate() {
    let text = drawn_copy(&copied(true));
    for said in [
        "growth a year, copied\n10 %\nover cash: 5 %",
        "growth a year, record\n20 %\nover cash: 15 %",
        "cost of a round trip\n0.12 %\nnothing left at 0.4 %",
        "capacity of an order\n98,765\nhalf of the edge is left",
        "order that breaks even\n1,234,567",
        "spread and fees 0.06 %, impact 0.04 %, delay 0.02 %; the traders own fees are taken off first",
        "an edge after costs\nyes\n\npasses",
        "costs, of the edge before them\n21 %\nat most 50 %\npasses",
        "worst day to expect at the copiers leverage\n31 %\nat most 25 %\ndoes not pass",
        "median hold, in latencies\nno latency\nat least 20\npasses",
        "notional over equity at the copiers leverage\n14.5\nat most 10\ndoes not pass",
        "conduct: positions that grow while they lose\nnot known\nbelow 90 %\ndoes not pass",
        "of.a.later.rule\n3\nabove 2\npasses",
        "traders that this one was picked from\n1\ndeclared\npasses",
        "less cash at 4.5 % a year",
        "Equity after costs, and the callers benchmark",
        "These gates do not pass: worst day",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let text = drawn_copy(&copied(false));
    assert!(text.contains("picked from\nnot declared\ndeclared\ndoes not pass"), "{text}");
}

#[test]
fn a_cost_that_is_not_known_makes_no_sum_of_the_others() {
    let mut receipt = copied(true);
    receipt["missing"] = json!([{"field": "fee", "rows": 1, "first": "costs.fee", "add": "the fee"}]);
    for name in ["break_even_cost", "break_even_size", "capacity"] {
        receipt.as_object_mut().unwrap().remove(name);
    }
    receipt["growth"] = json!({"record": 0.2});
    let text = drawn_copy(&receipt);
    for said in [
        "Costs: not all are known",
        "cost of a round trip\n–\n",
        "capacity of an order\n–\n",
        "order that breaks even\n–\n",
        "copied\n–\n",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("0.12 %"), "{text}");
}

#[test]
fn facts_that_are_too_wide_for_a_line_are_broken_between_two_of_them() {
    let mut receipt = copied(true);
    receipt["method"] = json!("copy-trade-score/2, grade-strategy/3, trade-exports/1");
    let text = drawn_copy(&receipt);
    assert!(text.contains(" resamples\ncopy-trade-score/2, grade-strategy/3, trade-exports/1\n"), "{text}");
}

#[test]
fn the_growth_of_the_record_as_it_is_stands_above_that_in_excess_of_cash() {
    let record = simulated::record(Process::StudentT5, 500, 4.0, 3);
    let text = |record: &TrackRecord, risk_free: Option<f64>| {
        let grade = finite(crate::grade(record));
        let stated = Stated { risk_free, ..Stated::default() };
        let mut receipt = receipt_of(&grade);
        receipt["performance"] =
            serde_json::to_value(Performance::of(record, grade.trials, &stated)).unwrap();
        text_of(&drawn(&receipt).unwrap())
    };
    let plain = text(&record, None);
    let figure =
        |text: &str| text.split_once("growth a year\n").unwrap().1.lines().next().unwrap().to_owned();
    assert!(!plain.contains("over cash"), "{plain}");
    let less = text(&record.less_cash(|_| 0.05), Some(0.05));
    assert_eq!(figure(&less), figure(&plain));
    assert!(less.contains("over cash: ") && less.contains("less cash at 5 % a year"), "{less}");
}

#[test]
fn a_record_of_years_has_its_figures_its_months_and_its_ratio_over_time() {
    let record = simulated::record(Process::GarchWithBenchmark, 5_000, 1.0, 3);
    let sheet = drawn(&receipt_with_figures(&record)).unwrap();
    let text = text_of(&sheet);
    for said in [
        "growth a year",
        "Sharpe ratio a year",
        "max drawdown",
        "of the last 10 years",
        "Dec",
        "Sharpe ratio of the year before each day",
        "(dashed)",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert_eq!(drawn(&receipt_with_figures(&record)), Some(sheet), "the same receipt gives the same bytes");
}

/// A receipt as the third rule first wrote them: days are numbers, and no figure has a date.
#[test]
fn a_receipt_of_an_earlier_rule_is_drawn_too() {
    let receipt = json!({
        "class": "grade-strategy", "agent": "scout-7", "verdict": "INSUFFICIENT_DATA", "reason": "TOO_FEW_UNITS",
        "explanation": "Found. Why.", "signed_at": "2026-11-21T12:00:00.000Z", "receipt_hash": "ab", "units": 2,
        "trials": 3, "resamples": 9_999, "benchmark": "series", "steps": [], "bootstrap": null,
        "curve": [{"day": 20_727, "drawdown": 0, "equity": 1.00072},
            {"day": 20_728, "drawdown": -0.0004796546486529607, "equity": 1.00024}],
        "subperiods": [{"from": 20_727, "to": 20_728, "mean": 0.001, "t": null}],
        "performance": {"sharpe": 1.5, "max_drawdown": -0.00048},
    });
    let text = text_of(&drawn(&receipt).unwrap());
    for said in ["2026-10-01 to 2026-10-02", "corrected for 3 trials", "1.5", "0.048 %"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn where_nothing_was_graded_nothing_is_drawn() {
    let mut receipt = receipt_of(&grade(Process::Normal, 80, 0.0));
    receipt["curve"] = json!([]);
    assert_eq!(drawn(&receipt), None);
    assert_eq!(drawn(&json!({"class": "commit", "verdict": "COMMITTED"})), None);
}

proptest! {
    #[test]
    fn no_number_is_too_strange_to_be_drawn(
        curve in prop::collection::vec((any::<i32>(), prop::num::f64::NORMAL | prop::num::f64::ZERO, -1.0..=0.0), 1..20),
        means in prop::collection::vec((prop::num::f64::NORMAL, prop::option::of(prop::num::f64::NORMAL)), 0..4),
        [from, to, observed] in prop::array::uniform3(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL),
        counts in prop::collection::vec(any::<u32>(), 0..60),
    ) {
        let mut receipt = receipt_of(&grade(Process::Normal, 1, 0.0));
        let points = curve.iter().map(|(day, equity, drawdown)| json!({"day": day, "equity": equity, "drawdown": drawdown, "benchmark": to}));
        receipt["curve"] = points.collect();
        let months = means.iter().enumerate().map(|(at, (mean, _))| json!({"month": format!("{at}-0{at}"), "growth": mean}));
        let ratios = curve.iter().map(|(day, ratio, _)| json!({"date": day, "sharpe": ratio}));
        receipt["performance"] = json!({"months": months.collect::<Value>(), "rolling_sharpe": ratios.collect::<Value>(),
            "growth": from, "sharpe": to, "sharpe_low": observed, "sharpe_high": to, "max_drawdown": observed});
        let period = |(mean, t): &(f64, Option<f64>)| json!({"from": curve[0].0, "to": i32::MAX, "mean": mean, "t": t});
        receipt["subperiods"] = means.iter().map(period).collect();
        receipt["bootstrap"] = json!({"from": from, "to": to, "observed": observed, "counts": counts});
        text_of(&drawn(&receipt).unwrap());
    }

    #[test]
    fn days_are_few_round_and_within(from in -25_000..2_700_000_i32, length in 0..200_000_i32) {
        let ticks = days(from, from + length);
        prop_assert!(ticks.len() <= 7, "{ticks:?}");
        prop_assert!(ticks.iter().all(|tick| (f64::from(from)..=f64::from(from + length)).contains(&tick.value)));
        prop_assert!(length < 100 || ticks.len() >= 2, "{ticks:?}");
    }
}

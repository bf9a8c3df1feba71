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
use crate::record::TrackRecord;
use crate::simulated;
use simulated_returns::Process;

/// Returns the members of a receipt of that grade.
fn receipt_of(grade: &Grade) -> Value {
    let mut receipt = serde_json::to_value(grade).unwrap();
    for (name, value) in [
        ("class", "grade-strategy"),
        ("agent", "scout-7"),
        ("explanation", "Found. Why."),
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

/// That it is XML of a bounded size, which loads and runs nothing; and all of its text.
#[track_caller]
fn text_of(sheet: &str) -> String {
    assert!(sheet.len() < 48 * 1024, "{} bytes", sheet.len());
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
    receipt["agent"] = json!("é".repeat(128));
    let sheet = drawn(&receipt).unwrap();
    assert!(sheet.contains(&format!("{}…", "é".repeat(60))) && !sheet.contains(&"é".repeat(61)));
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
        let points = curve.iter().map(|(day, equity, drawdown)| json!({"day": day, "equity": equity, "drawdown": drawdown}));
        receipt["curve"] = points.collect();
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

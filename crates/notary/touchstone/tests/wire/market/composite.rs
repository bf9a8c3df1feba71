//! The composite of market stress, from files that are served locally.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::{Published, recorded};
use crate::support::http::Request;
use crate::support::money::{pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, text, verify};
use crate::support::service::Service;

const VIX: &str = "/api/global/us_indices/daily_prices/VIX_History.csv";
/// A bond.
const BOND: u64 = 1_000_000;

fn yields_of(year: i32) -> String {
    format!(
        "/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/{year}/all?type=daily_treasury_yield_curve&field_tdr_date_value={year}&page&_format=csv"
    )
}

/// Every weekday from 2014 to June 2025, with values that swing slowly and rise at the end.
fn days() -> Vec<(i16, i8, i8)> {
    let first = jiff::civil::date(2014, 1, 2);
    let last = jiff::civil::date(2025, 6, 30);
    first
        .series(jiff::Span::new().days(1))
        .take_while(|day| *day <= last)
        .filter(|day| day.weekday().to_monday_one_offset() < 6)
        .map(|day| (day.year(), day.month(), day.day()))
        .collect()
}

/// Files of a history in which stress is at its highest, or at its lowest, at the end.
fn published(is_calm: bool) -> Published {
    let days = days();
    let mut vix = "DATE,OPEN,HIGH,LOW,CLOSE\n".to_owned();
    let published = Published::new();
    let mut years: std::collections::BTreeMap<i16, String> = std::collections::BTreeMap::new();
    for (at, (year, month, day)) in days.iter().enumerate() {
        let wave = (at as f64 / 90.0).sin();
        let end = if at + 40 < days.len() { 0.0 } else { (at + 40 - days.len()) as f64 / 8.0 };
        let change = if is_calm { -end } else { end };
        let close = 20.0 + 3.0 * wave + 2.0 * change;
        vix.push_str(&format!("{month:02}/{day:02}/{year},{close:.2},{close:.2},{close:.2},{close:.2}\n"));
        let slope = 1.0 + 0.3 * wave - 0.2 * change;
        let shake = if (at % 2 == 0) != is_calm || at + 25 < days.len() {
            0.02 * f64::from((at % 3) as u8)
        } else {
            0.0
        };
        let ten = 3.0 + shake;
        let file = years.entry(*year).or_insert_with(|| "Date,\"3 Mo\",\"2 Yr\",\"10 Yr\"\n".to_owned());
        file.push_str(&format!(
            "{month:02}/{day:02}/{year},{:.3},{:.3},{ten:.3}\n",
            ten - slope,
            ten - slope
        ));
    }
    for (year, file) in years {
        // The Treasury's files have the newest day first.
        let mut lines: Vec<&str> = file.lines().collect();
        lines[1..].reverse();
        published.put(&yields_of(year.into()), "200 OK", lines.join("\n"));
    }
    published.with(VIX, vix)
}

fn ask(service: &Service, question: &Value) -> Value {
    let mut question = question.clone();
    question["agent"] = json!("a");
    service.ask("/composite", &question).expect(200).json()
}

#[test]
fn the_built_in_composite_reads_the_published_files_and_shows_their_hashes() {
    let (stress, calm) = (published(false), published(true));
    let (service, other) = (stress.launch().start(), calm.launch().start());
    let receipt = ask(&service, &json!({"as_of": "2025-06-30"}));
    verify(&receipt, &Notary::of(&service));
    assert!(["ELEVATED", "EXTREME"].contains(&text(&receipt, "verdict")), "{receipt:#}");
    assert_eq!(receipt["inputs"].as_array().unwrap().len(), 5);
    let contributions: f64 = receipt["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| input["contribution"].as_f64().unwrap())
        .sum();
    assert!((contributions - receipt["value"].as_f64().unwrap()).abs() < 1e-4);
    let sources = receipt["evidence"]["sources"].as_array().unwrap();
    assert_eq!(
        (sources.len(), text(&sources[0], "document"), &sources[0]["etag"]),
        (10, "vix_history", &json!("\"1\""))
    );
    for source in sources {
        assert_eq!(
            (&source["stale"], &source["sha256"]),
            (&json!(false), &source["evidence_sha256"]),
            "{source}"
        );
    }
    assert_eq!(text(&ask(&other, &json!({"as_of": "2025-06-30"})), "verdict"), "LOW");
    let page = service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
    assert!(
        page.contains("<svg") && page.contains("vix_change_20d") && page.contains("2025-06-30"),
        "{page}"
    );
    // The same files serve the next question.
    let requests = stress.asked().len();
    ask(&service, &json!({"as_of": "2025-06-27"}));
    assert_eq!(stress.asked().len(), requests);
}

#[test]
fn a_day_of_the_past_reads_no_later_observation() {
    let published = published(false);
    let service = published.launch().start();
    let before = ask(&service, &json!({"as_of": "2023-03-15"}));
    let other = self::published(true);
    let same = ask(&other.launch().start(), &json!({"as_of": "2023-03-15"}));
    for member in ["verdict", "value", "inputs", "leave_one_out", "course"] {
        assert_eq!(before[member], same[member], "{member}");
    }
    assert!(before["course"].as_array().unwrap().iter().all(|point| text(point, "day") <= "2023-03-15"));
}

#[test]
fn old_and_missing_files_give_no_label() {
    let published = published(true);
    for year in 2007..2014 {
        published.put(&yields_of(year), "200 OK", "Date,\"3 Mo\",\"2 Yr\",\"10 Yr\"\n");
    }
    let service = published.launch().start();
    let old = ask(&service, &json!({"as_of": "2025-07-20"}));
    assert_eq!(
        (text(&old, "verdict"), &old["reasons"]),
        ("INSUFFICIENT_DATA", &json!(["too_few_inputs", "input_too_old"]))
    );
    let missing = service.ask("/composite", &json!({"agent": "a", "as_of": "2014-06-30"})).problem(503);
    assert!(text(&missing, "detail").contains("treasury"), "{missing}");
    let early = ask(&service, &json!({"as_of": "2015-06-30"}));
    assert_eq!(
        (text(&early, "verdict"), &early["reasons"]),
        ("INSUFFICIENT_DATA", &json!(["too_few_inputs"]))
    );
    service.ask("/composite", &json!({"agent": "a", "as_of": "2999-01-01"})).names("as_of", "in_future");
    for body in ["<html>maintenance</html>", "DATE,OPEN,HIGH,LOW,CLOSE\n01/02/2020,1,2", ""] {
        let broken = self::published(true).with(VIX, body);
        let problem = broken
            .launch()
            .start()
            .ask("/composite", &json!({"agent": "a", "as_of": "2025-06-30"}))
            .problem(503);
        assert!(text(&problem, "detail").contains("cboe") && problem["module"] == "market", "{problem}");
    }
}

#[test]
fn own_series_are_read_with_their_weights_and_directions() {
    let service = Published::new().launch().start();
    let series = |rises: bool| -> Value {
        let values = days().into_iter().rev().take(600).rev().enumerate();
        let pair = |(at, (year, month, day)): (usize, (i16, i8, i8))| {
            json!([format!("{year}-{month:02}-{day:02}"), if rises { at as i64 } else { -(at as i64) }])
        };
        values.map(pair).collect()
    };
    let component = |name: &str, rises, direction: &str| json!({"name": name, "series": series(rises), "direction": direction});
    let components = json!([
        component("a", true, "high_is_stress"),
        component("b", false, "low_is_stress"),
        component("c", true, "high_is_stress"),
        component("d", false, "low_is_stress"),
    ]);
    let receipt = ask(&service, &json!({"components": components, "as_of": "2025-06-30"}));
    assert_eq!(
        (text(&receipt, "verdict"), &receipt["label_robust"]),
        ("EXTREME", &json!(true)),
        "{receipt:#}"
    );
    assert_eq!(receipt["evidence"]["sources"], json!([]));
    let few = json!({"agent": "a", "components": [components[0], components[1], components[2]]});
    service.ask("/composite", &few).names("components", "empty");
}

#[test]
fn a_dispute_replays_the_reading_without_a_network() {
    let published = published(false);
    let service = published.launch().start();
    let receipt = ask(&service, &json!({"as_of": "2025-06-30"}));
    published.set_down(true);
    let dispute = json!({"agent": "a", "receipt_hash": hash(&receipt), "reason": "is it so?"});
    let settled =
        service.send(&with_proof(Request::json("/dispute", &dispute), &pays(BOND))).expect(200).json();
    assert_eq!(text(&settled, "verdict"), "UPHELD", "{settled:#}");
}

/// The whole recorded histories, cut to the years that the service asks for.
#[test]
fn recorded_histories_are_read_as_they_were_published() {
    let (Some(vix), Some(yields)) =
        (recorded("vix_daily_1990_2026.csv.gz"), recorded("treasury_par_yield_full_1990_2025-07.csv.gz"))
    else {
        return;
    };
    let unpacked = |bytes: &[u8]| {
        let mut text = String::new();
        GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
        text
    };
    let (vix, yields) = (unpacked(&vix), unpacked(&yields));
    let published = Published::new().with(VIX, vix);
    let header = yields.lines().next().unwrap();
    for year in 1990..=2025 {
        let rows = yields.lines().filter(|line| line.contains(&format!("{year}")) && *line != header);
        let file: Vec<&str> = std::iter::once(header).chain(rows).collect();
        published.put(&yields_of(year), "200 OK", file.join("\n"));
    }
    let service = published.launch().start();
    for (as_of, verdicts) in [
        ("2008-10-10", &["ELEVATED", "EXTREME"][..]),
        ("2020-03-16", &["ELEVATED", "EXTREME"][..]),
        ("2017-10-05", &["LOW", "NORMAL"][..]),
        ("1995-06-30", &["LOW", "NORMAL", "ELEVATED"][..]),
    ] {
        let receipt = ask(&service, &json!({ "as_of": as_of }));
        assert!(
            verdicts.contains(&text(&receipt, "verdict")),
            "{as_of}: {} {}",
            receipt["verdict"],
            receipt["value"]
        );
    }
}

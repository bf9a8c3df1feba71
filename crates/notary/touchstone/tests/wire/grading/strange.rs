//! Records that no statistic likes: no answer has what is not a number, and none is an edge.

use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};
use std::thread;

use serde_json::{Value, json};

use super::{record, trade};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, touchstone};

/// Eighty days, whose returns are these.
fn returns(of: impl Fn(usize) -> f64) -> Value {
    let row = |at: usize| json!({"date": format!("2024-{:02}-{:02}", at / 28 + 1, at % 28 + 1), "r": of(at), "b": 0.001});
    json!({"agent": "a", "returns": (0..80).map(row).collect::<Vec<_>>()})
}

/// What a record is graded as, and why. No statistic that does not exist has passed.
#[track_caller]
fn graded(service: &Service, record: &Value) -> (String, String) {
    let receipt = service.ask("/grade-strategy", record).expect(200).json();
    for step in receipt["steps"].as_array().unwrap() {
        let exists = step["statistic"].is_number() || step["bound"] == "reported";
        assert!(exists || step["passed"] == false, "{step}");
    }
    (text(&receipt, "verdict").to_owned(), text(&receipt, "reason").to_owned())
}

#[test]
fn no_returns_are_too_strange_for_a_receipt() {
    let service = Launch::dev().without_limits().start();
    let with_one = |value: f64| move |at: usize| if at == 40 { value } else { (at % 5) as f64 * 1e-3 - 2e-3 };
    let insufficient = |record: &Value| {
        let (verdict, reason) = graded(&service, record);
        assert_eq!(verdict, "INSUFFICIENT_DATA", "{reason}");
        reason
    };
    assert_eq!(insufficient(&json!({"agent": "a", "returns": []})), "TOO_FEW_UNITS");
    assert_eq!(insufficient(&json!({"agent": "a", "trades": [trade(0)]})), "TOO_FEW_UNITS");
    for equal in [0.0, 0.01, -0.01, 5e-324] {
        assert_eq!(insufficient(&returns(|_| equal)), "NO_VARIATION", "{equal}");
    }
    for outlier in [1e300, -1e300] {
        assert_eq!(insufficient(&returns(with_one(outlier))), "OUT_OF_RANGE", "{outlier}");
    }
    let (smallest, none) = (returns(with_one(5e-324)), returns(with_one(0.0)));
    assert_eq!(insufficient(&smallest), insufficient(&none));
    let subnormal = returns(|at| if at % 3 == 0 { 5e-324 } else { -2e-310 });
    assert_eq!(insufficient(&subnormal), "NO_VARIATION");
}

#[test]
fn no_trade_is_too_strange_for_a_receipt() {
    let service = Launch::dev().without_limits().start();
    let with = |changes: Value| {
        let mut body = record(250);
        for (name, value) in changes.as_object().unwrap() {
            body["trades"][17][name] = value.clone();
        }
        body
    };
    let plain = graded(&service, &record(250));
    assert_eq!(plain.0, "REAL_EDGE", "{plain:?}");
    for harmless in [
        json!({"pnl_net": 5e-324}),
        json!({"exit_price": 0}),
        // What did not lose cannot have lost more than that.
        json!({"pnl_net": 0, "max_loss": 5e-324}),
    ] {
        assert_eq!(graded(&service, &with(harmless.clone())), plain, "{harmless}");
    }
    for (strange, reason) in [
        (json!({"pnl_net": 1e300}), "OUT_OF_RANGE"),
        (json!({"equity_before": 5e-324}), "OUT_OF_RANGE"),
        (json!({"max_loss": 1e300}), "HIDDEN_TAIL"),
        (json!({"max_loss": 5e-324}), "TAIL_UNKNOWN"),
        (json!({"benchmark_return": 1e300}), "OUT_OF_RANGE"),
    ] {
        let expected = ("INSUFFICIENT_DATA".to_owned(), reason.to_owned());
        assert_eq!(graded(&service, &with(strange.clone())), expected, "{strange}");
    }
    let refused = |field: &str, value: Value, reason: &str| {
        let answer = service.ask("/grade-strategy", &with(json!({field: value})));
        answer.names(&format!("trades.17.{field}"), reason);
    };
    refused("entry_price", json!(0), "out_of_range");
    refused("price", json!(0), "out_of_range");
    refused("closed_at", json!("2024-01-18T15:00:60Z"), "malformed");
    // What is bought at 5,000 and sold at nothing is no profit.
    let worthless = with(json!({"side": "long", "exit_price": 0, "fees": 0}));
    service.ask("/grade-strategy", &worthless).names("trades.17.pnl_net", "contradictory");
}

#[test]
fn a_leap_second_is_of_the_day_that_it_ends() {
    let service = Launch::dev().without_limits().start();
    let close = |at: &str| {
        let mut body = json!({"agent": "a", "trades": [trade(0)]});
        body["trades"][0]["opened_at"] = json!("2016-12-31T09:00:00Z");
        body["trades"][0]["closed_at"] = json!(at);
        service.ask("/grade-strategy", &body).expect(200).json()["curve"].clone()
    };
    let last_day = close("2016-12-31T12:00:00Z");
    assert_eq!(last_day.as_array().map(Vec::len), Some(1));
    assert_eq!(close("2016-12-31T23:59:60Z"), last_day);
    assert_eq!(close("2017-01-01T08:59:60.999999999+09:00"), last_day);
    assert_ne!(close("2017-01-01T00:00:00Z"), last_day);
}

#[test]
fn the_same_times_with_other_offsets_are_the_same_record() {
    let service = Launch::dev().without_limits().start();
    let utc = |body: &mut Value, at: usize, day: usize, hour: &str, offset: &str| {
        let time = format!("2024-{:02}-{day:02}T{hour}:00:00{offset}", at / 28 % 12 + 1);
        body["trades"][at]["closed_at"] = json!(time);
    };
    let (mut plain, mut mixed) = (record(250), record(250));
    for at in 0..250 {
        let day = at % 28 + 1;
        utc(&mut plain, at, day, "13", "Z");
        match at % 4 {
            0 => utc(&mut mixed, at, day, "15", "+02:00"),
            1 => utc(&mut mixed, at, day, "01", "-12:00"),
            2 => utc(&mut mixed, at, day + 1, "00", "+11:00"),
            _ => utc(&mut mixed, at, day, "13", "-00:00"),
        }
    }
    let [plain, mixed] = [plain, mixed].map(|body| service.ask("/grade-strategy", &body).expect(200).json());
    assert_ne!(plain["request_hash"], mixed["request_hash"]);
    for member in ["verdict", "reason", "steps", "seed", "units", "rows", "curve", "subperiods", "bootstrap"]
    {
        assert!(!plain[member].is_null(), "{member}");
        assert_eq!(plain[member], mixed[member], "{member}");
    }
}

/// The most memory that a process has had so far, in bytes.
fn peak(process: &Child) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().strip_suffix("kB").unwrap().trim().parse::<usize>().unwrap() << 10
}

#[test]
fn many_records_of_a_hundred_thousand_trades_take_no_more_memory_than_one() {
    let record = record(100_000).to_string() + "\n";
    let mut judge = touchstone(["judge", "grade-strategy", "--threads", "1"]);
    let mut judge = judge.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (judge.stdin.take().unwrap(), judge.stdout.take().unwrap());
    let findings = thread::spawn(move || {
        let mut findings = String::new();
        output.read_to_string(&mut findings).map(|_| findings)
    });
    // A pipe holds little: when a record is written, it has been read, and the ones before it are judged.
    let peaks = [(); 5].map(|()| {
        input.write_all(record.as_bytes()).unwrap();
        peak(&judge)
    });
    drop(input);
    assert!(judge.wait().unwrap().success());
    assert_eq!(findings.join().unwrap().unwrap().lines().count(), 5);
    let (one, many) = (peaks[1], peaks[4]);
    assert!(many < 2 * one, "{peaks:?}");
    assert!(many < 30 * record.len(), "{peaks:?} of {}", record.len());
}

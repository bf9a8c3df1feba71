//! The size of findings: receipts are kept for ever.

use serde_json::{Value, json};

use crate::common::*;

/// Maximum size of a finding's canonical form, in bytes.
const MOST_BYTES: usize = 64 * 1024;

/// A return for every fifteenth day from 1900 to 2026, with a benchmark.
fn century() -> Value {
    let (mut luck, mut market) = (noise(7), noise(11));
    let row = |at: i64| json!({"date": day(1_054 - 15 * at), "r": 0.0001 + 0.01 * luck(), "b": 0.02 * market(), "max_loss": 0.05});
    json!({"agent": "a", "declared_trials": 9, "risk_free": 0, "returns": (0..3_090).map(row).collect::<Vec<_>>()})
}

#[test]
fn the_finding_of_the_longest_record_is_bounded_and_has_all_its_lists() {
    let finding = grade(&century());
    let figures = &finding.performance;
    assert_eq!((figures.months.len(), figures.years.len()), (600, 50));
    assert_eq!((figures.drawdowns.len(), figures.rolling_sharpe.len()), (5, 120));
    assert_eq!(finding.grade.curve.len(), 320);
    assert!(finding.grade.curve.iter().all(|point| point.benchmark.is_some()));
    let bytes = receipt::canonical::to_vec(&finding).unwrap();
    assert!(bytes.len() <= MOST_BYTES, "{} bytes", bytes.len());
}

#[test]
fn days_are_dates_and_figures_have_six_places() {
    let finding = serde_json::to_value(grade(&trades(year(0.004, 0.01)))).unwrap();
    assert_eq!(finding["curve"][0]["date"], "2024-01-01");
    assert_eq!(finding["subperiods"][3]["to"], day(249));
    assert_eq!(finding["performance"]["months"][0]["month"], "2024-01");
    assert_eq!(finding["performance"]["years"][0]["year"], 2024);
    for figure in ["growth", "exposure", "leverage_median", "value_at_risk"] {
        let figure = finding["performance"][figure].as_f64().unwrap();
        assert!((figure * 1e6 - (figure * 1e6).round()).abs() < 1e-4, "{figure}");
    }
    // Half of the equity, six hours of each of 250 days.
    assert_eq!(finding["performance"]["leverage_max"], 0.5);
    let exposure = finding["performance"]["exposure"].as_f64().unwrap();
    assert!((exposure - 250.0 * 6.0 / (249.0 * 24.0 + 6.0)).abs() < 1e-6, "{exposure}");
}

#[test]
fn trades_that_do_not_say_when_they_were_opened_have_no_exposure() {
    let rows = year(0.004, 0.01).into_iter().map(|row| with(row, json!({"opened_at": null})));
    let figures = grade(&trades(rows)).performance;
    assert_eq!((figures.exposure, figures.leverage_max), (None, None));
    let rows =
        year(0.004, 0.01).into_iter().map(|row| with(row, json!({"entry_price": null, "exit_price": null})));
    let figures = grade(&trades(rows)).performance;
    assert!(figures.exposure.is_some() && figures.leverage_median.is_none());
}

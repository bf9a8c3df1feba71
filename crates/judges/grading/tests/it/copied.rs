//! What `/copy-trade-score` needs to know before it says `COPY`: instruments, delays, leverage, fees, trials.

use grading::copy_trade::{CopyFinding, CopyReason, CopyVerdict, TraderFees};
use serde_json::{Value, json};
use simulated_returns::{Cell, Generator, Part, record, request};

use crate::common::*;

fn score(rows: Vec<Value>, costs: Value) -> CopyFinding {
    copy(&with(trades(rows), json!({"costs": costs, "declared_trials": 5})))
}

fn edge() -> Vec<Value> {
    year(0.004, 0.01)
}

#[track_caller]
fn found(finding: &CopyFinding, verdict: CopyVerdict, reason: CopyReason) {
    assert_eq!((finding.verdict, finding.reason), (verdict, reason), "{:?}", finding.gates);
}

fn fields(finding: &CopyFinding) -> Vec<&str> {
    finding.missing.iter().map(|missing| missing.field).collect()
}

fn failed(finding: &CopyFinding) -> Vec<&str> {
    finding.gates.iter().filter(|gate| !gate.passed).map(|gate| gate.id).collect()
}

/// A record of half BTC and half a token, trade by trade.
fn mixed() -> Vec<Value> {
    let name = |(at, row)| with(row, json!({"instrument": if at % 2 == 0 { "BTC" } else { "TOKEN" }}));
    edge().into_iter().enumerate().map(name).collect()
}

fn own(half_spread: f64) -> Value {
    json!({"half_spread": half_spread, "fee": 0.0001, "adv": 100_000_000, "daily_volatility": 0.01})
}

#[test]
fn the_costs_of_one_instrument_are_no_word_on_another() {
    let finding = score(mixed(), low_costs());
    found(&finding, CopyVerdict::InsufficientData, CopyReason::CostInputsMissing);
    assert_eq!(fields(&finding), ["by_instrument"]);
    assert_eq!(finding.missing[0].rows, 2);
    let named = |costs: Value| score(mixed(), with(low_costs(), json!({"by_instrument": costs})));
    let both = named(json!({"BTC": own(0.0001), "TOKEN": own(0.0001)}));
    found(&both, CopyVerdict::Copy, CopyReason::AllGatesPassed);
    // Nor does a name alone, or that of an instrument which makes half of the profit, say what the other costs.
    assert_eq!(fields(&named(json!({"BTC": own(0.0001)}))), ["by_instrument"]);
    assert_eq!(fields(&named(json!({"BTC": own(0.0001), "TOKEN": {}}))), ["by_instrument"]);
    // What hardly matters need not be named.
    let mut rows = edge();
    rows.iter_mut().for_each(|row| row["instrument"] = json!("BTC"));
    rows[7]["instrument"] = json!("OTHER");
    let finding = score(rows, with(low_costs(), json!({"by_instrument": {"BTC": own(0.0001)}})));
    found(&finding, CopyVerdict::Copy, CopyReason::AllGatesPassed);
}

#[test]
fn a_trade_is_charged_what_its_instrument_costs_and_else_the_worst() {
    let cost = |costs: Value| {
        let all = with(
            json!({"half_spread": 0.001, "fee": 0, "latency_seconds": 0}),
            json!({"by_instrument": costs}),
        );
        score(mixed(), all).cost.total
    };
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    near(cost(json!({})), 0.002);
    near(cost(json!({"BTC": {"half_spread": 0.002}, "TOKEN": {"half_spread": 0.004}})), 0.006);
    // The token is not named, or does not say its spread: it has that of BTC, which is the worst. BTC has the token's fee.
    near(cost(json!({"BTC": {"half_spread": 0.002}})), 0.004);
    near(cost(json!({"BTC": {"half_spread": 0.002}, "TOKEN": {"fee": 0.001}})), 0.006);
}

/// The trades, each held for so many seconds.
fn held(seconds: i64) -> Vec<Value> {
    let shorten = |row: Value| {
        let opened = format!("{}T09:00:00Z", &row["closed_at"].as_str().unwrap()[..10]);
        let closed = opened.parse::<jiff::Timestamp>().unwrap() + jiff::SignedDuration::from_secs(seconds);
        with(row, json!({"opened_at": opened, "closed_at": closed.to_string()}))
    };
    edge().into_iter().map(shorten).collect()
}

#[test]
fn holds_of_less_than_an_hour_need_the_drift_within_the_latency() {
    found(&score(held(3_600), low_costs()), CopyVerdict::Copy, CopyReason::AllGatesPassed);
    let unknown = score(held(3_599), low_costs());
    found(&unknown, CopyVerdict::InsufficientData, CopyReason::CostInputsMissing);
    assert_eq!(fields(&unknown), ["measured_drift"]);
    let drifting = |costs: Value| score(held(3_599), with(low_costs(), costs));
    found(&drifting(json!({"measured_drift": 0.0005})), CopyVerdict::Copy, CopyReason::AllGatesPassed);
    // The edge of .4 percent is gone before the copier's fill.
    found(&drifting(json!({"measured_drift": 0.005})), CopyVerdict::Avoid, CopyReason::NetNegativeEv);
    // A few long trades do not make the others long.
    let mut rows = held(60);
    rows.iter_mut().take(130).for_each(|row| {
        let day = row["closed_at"].as_str().unwrap()[..10].to_owned();
        *row = with(row.take(), json!({"closed_at": format!("{day}T15:00:00Z")}));
    });
    assert_eq!(fields(&score(rows, low_costs())), ["measured_drift"]);
}

#[test]
fn a_curve_of_delays_gives_the_drift_at_the_latency_and_says_nothing_beyond_its_ends() {
    let at = |latency: f64| {
        let curve = json!([{"seconds": 0.5, "drift": 0}, {"seconds": 2.5, "drift": 0.002}]);
        score(
            held(600),
            with(
                low_costs(),
                json!({"delay_curve": curve, "latency_seconds": latency, "daily_volatility": 0}),
            ),
        )
    };
    for (latency, delay) in [(0.5, 0.0), (1.5, 0.001), (2.5, 0.002)] {
        let finding = at(latency);
        assert!((finding.cost.delay - delay).abs() < 1e-15, "{latency}: {}", finding.cost.delay);
        assert!(fields(&finding).is_empty());
    }
    for latency in [0.1, 2.6] {
        assert_eq!(fields(&at(latency)), ["measured_drift"]);
    }
    let wrong = json!([{"seconds": 1, "drift": 0}, {"seconds": 1, "drift": 0.1}]);
    let body = json!({"returns": [], "costs": {"by_instrument": {"BTC": {"delay_curve": wrong}}}});
    let (field, reason) = copy_question(&body).unwrap_err();
    assert_eq!((field.as_str(), reason), ("costs.by_instrument.BTC.delay_curve.1.seconds", "contradictory"));
}

#[test]
fn a_notional_of_more_than_ten_times_the_equity_is_not_copied() {
    // Prices move a hundredth as far, at a hundred times the size: the results are the same.
    let levered = |times: f64| -> Vec<Value> {
        let lever = |row: Value| {
            let entry = 100.0;
            let exit = entry + (row["exit_price"].as_f64().unwrap() - entry) / times;
            with(row, json!({"size": 500.0 * times, "exit_price": exit}))
        };
        edge().into_iter().map(lever).collect()
    };
    let cheap = |more: Value| {
        with(
            json!({"half_spread": 0, "fee": 0, "order_size": 1, "adv": 1e12, "daily_volatility": 0, "latency_seconds": 1}),
            more,
        )
    };
    found(&score(levered(20.0), cheap(json!({}))), CopyVerdict::Copy, CopyReason::AllGatesPassed);
    let finding = score(levered(21.0), cheap(json!({})));
    found(&finding, CopyVerdict::Caution, CopyReason::GateNotPassed);
    assert_eq!(failed(&finding), ["exposure.notional_over_equity"]);
    // At half of the trader's leverage it is within the bound, and at twice that of a small one it is not.
    let half = score(levered(21.0), cheap(json!({"leverage_multiple": 0.5})));
    found(&half, CopyVerdict::Copy, CopyReason::AllGatesPassed);
    assert_eq!(failed(&score(levered(19.0), cheap(json!({"leverage_multiple": 2})))), failed(&finding));
    // Two positions that are open at one time count together.
    let mut rows = levered(11.0);
    let second: Vec<Value> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            with(row.clone(), json!({"trade_id": format!("second-{at}"), "instrument": "OTHER"}))
        })
        .collect();
    rows.extend(second);
    let own = json!({"half_spread": 0, "adv": 1e12, "daily_volatility": 0});
    let rows = rows
        .into_iter()
        .map(|row| if row.get("instrument").is_none() { with(row, json!({"instrument": "X"})) } else { row });
    let finding = score(rows.collect(), cheap(json!({"by_instrument": {"X": own, "OTHER": own}})));
    assert_eq!(failed(&finding), ["exposure.notional_over_equity"]);
}

#[test]
fn a_day_that_could_lose_a_quarter_is_not_copied() {
    let worst = |max_loss: f64, multiple: f64| {
        let rows = edge().into_iter().map(|row| with(row, json!({"max_loss": max_loss}))).collect();
        score(rows, with(low_costs(), json!({"leverage_multiple": multiple})))
    };
    assert!(!failed(&worst(25_000.0, 1.0)).contains(&"net.worst_day"));
    assert!(failed(&worst(25_001.0, 1.0)).contains(&"net.worst_day"));
    // Twice the worst day counts where no greatest loss is stated.
    let step = |finding: &CopyFinding| {
        finding.gates.iter().find(|gate| gate.id == "net.worst_day").unwrap().statistic.unwrap()
    };
    let bare = |multiple: f64| {
        let rows = edge().into_iter().map(|row| with(row, json!({"max_loss": null}))).collect();
        step(&score(rows, with(low_costs(), json!({"leverage_multiple": multiple}))))
    };
    assert!(bare(1.0) > 0.0 && (bare(4.0) / bare(1.0) - 4.0).abs() < 1e-9);
}

#[test]
fn the_traders_fees_are_taken_off_before_those_of_the_copier_come_on() {
    // The trader pays a tenth of a percent a side; so does the copier.
    let fees = |row: Value| {
        let pnl = row["pnl_net"].as_f64().unwrap() - 99.0;
        with(row, json!({"fees": 100, "pnl_net": pnl}))
    };
    let paid: Vec<Value> = edge().into_iter().map(fees).collect();
    let costs = || with(low_costs(), json!({"fee": 0.001}));
    let (with_fees, without) = (score(paid.clone(), costs()), score(edge(), costs()));
    assert_eq!((with_fees.trader_fees, without.trader_fees), (TraderFees::TakenOff, TraderFees::TakenOff));
    let last = |finding: &CopyFinding| finding.net.curve.last().unwrap().equity;
    assert!((last(&with_fees) / last(&without) - 1.0).abs() < 1e-9);
    // Fees that no price confirms are not added to the result: anybody could state them.
    let claimed = |fees: f64| {
        let rows = paid.iter().map(|row| with(row.clone(), json!({"exit_price": null, "fees": fees})));
        score(rows.collect(), costs())
    };
    assert_eq!(claimed(100.0).trader_fees, TraderFees::NotKnown);
    assert!(last(&claimed(100.0)) < last(&with_fees));
    assert_eq!(last(&claimed(100.0)), last(&claimed(5_000.0)));
}

#[test]
fn a_leader_is_copied_only_if_it_is_said_from_how_many_it_was_picked() {
    let asked =
        |trials: Value| copy(&with(trades(edge()), json!({"costs": low_costs(), "declared_trials": trials})));
    let undeclared = asked(Value::Null);
    found(&undeclared, CopyVerdict::InsufficientData, CopyReason::TrialsUndeclared);
    assert_eq!(fields(&undeclared), ["declared_trials"]);
    assert_eq!(undeclared.explanation.matches(". ").count() + 1, 2, "{}", undeclared.explanation);
    found(&asked(json!(5)), CopyVerdict::Copy, CopyReason::AllGatesPassed);
}

/// The verdicts on the first records of a generator, with what their owner says changed.
fn verdicts(
    generator: Generator,
    days: usize,
    records: u64,
    change: impl Fn(Value) -> Value,
) -> Vec<CopyVerdict> {
    let cell = Cell { part: Part::Copy, generator, days, declared: Some(1), max_loss: true };
    (0..records).map(|seed| copy(&change(request(&record(&cell, seed)))).verdict).collect()
}

fn count_of(verdicts: &[CopyVerdict], verdict: CopyVerdict) -> usize {
    verdicts.iter().filter(|found| **found == verdict).count()
}

/// The request with members taken out of its costs.
fn without(names: &'static [&'static str]) -> impl Fn(Value) -> Value {
    move |mut body| {
        let costs = body["costs"].as_object_mut().unwrap();
        names.iter().for_each(|name| drop(costs.remove(*name)));
        body
    }
}

#[test]
fn an_edge_that_is_gone_before_the_copiers_fill_is_not_copied() {
    let scalper = Generator::CopiedScalper;
    let all = verdicts(scalper, 252, 40, |body| body);
    assert_eq!(count_of(&all, CopyVerdict::Copy), 0);
    assert_eq!(count_of(&all, CopyVerdict::Avoid), 40);
    let silent = verdicts(scalper, 252, 40, without(&["measured_drift", "by_instrument"]));
    assert_eq!(count_of(&silent, CopyVerdict::Copy), 0);
}

#[test]
fn a_profit_from_what_is_dear_to_trade_is_not_copied_at_the_costs_of_what_is_cheap() {
    let mixed = Generator::CopiedMixed;
    let all = verdicts(mixed, 252, 40, |body| body);
    assert_eq!(count_of(&all, CopyVerdict::Avoid), 40);
    let silent = verdicts(mixed, 252, 40, without(&["by_instrument"]));
    assert_eq!(count_of(&silent, CopyVerdict::Copy), 0);
}

#[test]
fn martingales_and_high_leverage_are_not_copied() {
    for generator in [
        Generator::EqualLots,
        Generator::Doubling,
        Generator::CopiedLevered { leverage: 40.0 },
        Generator::CopiedLevered { leverage: 200.0 },
    ] {
        let found = verdicts(generator, 252, 30, |body| body);
        assert_eq!(count_of(&found, CopyVerdict::Copy), 0, "{generator:?}");
    }
}

#[test]
fn the_market_held_for_weeks_is_not_copied() {
    for generator in [Generator::Book { market: 1.0, edge: 0.0 }, Generator::Swing { market: 1.0 }] {
        let found = verdicts(generator, 756, 20, |body| body);
        assert_eq!(count_of(&found, CopyVerdict::Copy), 0, "{generator:?}");
    }
}

#[test]
fn a_true_edge_that_is_cheap_to_copy_is_copied_more_often_than_not() {
    let found = verdicts(Generator::StoppedDaily { edge: 3.0 }, 756, 20, |body| body);
    assert!(count_of(&found, CopyVerdict::Copy) > 10, "{found:?}");
}

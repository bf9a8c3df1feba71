//! Tests of the cells: determinism, consistent rows, and the moments that each generator states. Tolerances are at least
//! four standard errors.

mod days;
mod trades;

use std::collections::BTreeSet;

use super::*;
use crate::process::mean;
use crate::random::count;
use crate::record::{Day, Mark, Trade};

/// A cell of that generator whose owner states the greatest loss.
fn cell(generator: Generator, days: usize) -> Cell {
    Cell { part: Part::Power, generator, days, declared: Some(1), max_loss: true }
}

/// The records of the first `seeds` seeds.
fn records(generator: Generator, days: usize, seeds: u64) -> impl Iterator<Item = Record> {
    let cell = cell(generator, days);
    (0..seeds).map(move |seed| record(&cell, seed))
}

fn day_rows(record: Record) -> Vec<Day> {
    match record.rows {
        Rows::Days(days) => days,
        Rows::Trades { .. } => panic!("trades"),
    }
}

fn trade_rows(record: Record) -> (Vec<Trade>, Vec<Mark>) {
    match record.rows {
        Rows::Days(_) => panic!("days"),
        Rows::Trades { trades, marks } => (trades, marks),
    }
}

/// The standard deviation.
fn spread(x: &[f64]) -> f64 {
    let mean = mean(x);
    let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
    libm::sqrt(squares / count(x.len()))
}

/// The mean over its standard error, for independent values.
fn z(x: &[f64]) -> f64 {
    mean(x) / (spread(x) / libm::sqrt(count(x.len())))
}

/// Slope and intercept of x over b by least squares.
fn fit(x: &[f64], b: &[f64]) -> (f64, f64) {
    let (x_mean, b_mean) = (mean(x), mean(b));
    let both: f64 = x.iter().zip(b).map(|(x, b)| (x - x_mean) * (b - b_mean)).sum();
    let own: f64 = b.iter().map(|b| (b - b_mean) * (b - b_mean)).sum();
    (both / own, x_mean - both / own * b_mean)
}

#[test]
fn each_seed_gives_one_record_and_cells_differ_in_name() {
    let mut names = BTreeSet::new();
    for cell in cells() {
        assert!(names.insert(format!("{:?}: {}", cell.part, cell.name())), "{}", cell.name());
        // Great searches take long, and the small ones run the same code.
        if matches!(cell.generator, Generator::BestOf { trials: 1_000 } | Generator::CopiedBest { .. }) {
            continue;
        }
        let made = record(&cell, 3);
        assert_eq!(made, record(&cell, 3), "{}", cell.name());
        assert_ne!(made, record(&cell, 4), "{}", cell.name());
        assert_eq!(made.declared_trials, cell.declared);
    }
}

#[test]
fn each_part_of_the_rule_has_cells_and_each_has_its_label() {
    let of = |part: Part| cells().into_iter().filter(move |cell| cell.part == part);
    for part in [
        Part::Benchmark,
        Part::Bets,
        Part::Tail,
        Part::Cash,
        Part::Selection,
        Part::Loss,
        Part::Fees,
        Part::Copy,
        Part::Luck,
        Part::Power,
    ] {
        assert!(of(part).next().is_some(), "{part:?}");
    }
    for part in [Part::Benchmark, Part::Bets, Part::Tail, Part::Cash, Part::Selection] {
        assert!(of(part).all(|cell| cell.label() == Label::NoEdge), "{part:?}");
    }
    assert!(of(Part::Power).all(|cell| matches!(cell.label(), Label::Edge(_))));
    assert!(of(Part::Fees).all(|cell| matches!(cell.label(), Label::Negative(_))));
    let Label::Edge(sharpe) = (Generator::Bets { chance: 0.98 }).label() else { panic!("an edge") };
    assert!((sharpe - 10.0).abs() < 0.3, "{sharpe}");
}

#[test]
fn statements_alone_do_not_change_results() {
    let stated = cell(Generator::Swing { market: 1.0 }, 300);
    let silent = Cell { declared: None, max_loss: false, ..stated };
    let (stated, _) = trade_rows(record(&stated, 1));
    let (silent, _) = trade_rows(record(&silent, 1));
    assert_eq!(stated.len(), silent.len());
    for (stated, silent) in stated.iter().zip(&silent) {
        assert!(stated.max_loss.is_some() && silent.max_loss.is_none());
        assert_eq!(*silent, Trade { max_loss: None, ..stated.clone() });
    }
}

#[test]
fn days_follow_one_another_and_lose_no_more_than_is_stated() {
    for cell in cells().into_iter().filter(|cell| cell.max_loss) {
        let Rows::Days(days) = record(&cell, 0).rows else { continue };
        assert!(days.windows(2).all(|pair| pair[0].day < pair[1].day), "{}", cell.name());
        for day in &days {
            assert!(day.r.is_finite() && day.r > -1.0, "{}: {day:?}", cell.name());
            assert!(day.max_loss.is_some_and(|most| most >= -day.r), "{}: {day:?}", cell.name());
        }
    }
}

#[test]
fn prices_make_the_profits_and_the_profits_make_the_equity() {
    for cell in cells() {
        let Rows::Trades { trades, marks } = record(&cell, 0).rows else { continue };
        let name = cell.name();
        assert!(!trades.is_empty(), "{name}");
        let mut equity = trades[0].equity_before;
        let mut rows = BTreeSet::new();
        for trade in &trades {
            let gross = trade.side.sign() * (trade.exit_price - trade.entry_price) * trade.size;
            let off = (gross - trade.fees - trade.pnl_net).abs();
            assert!(off < 1e-9 * trade.notional(), "{name}: {trade:?}");
            assert!((trade.equity_before - equity).abs() < 1e-6, "{name}: {trade:?}");
            assert!(trade.opened_at < trade.closed_at, "{name}: {trade:?}");
            assert!(trade.entry_price > 0.0 && trade.exit_price >= 0.0, "{name}: {trade:?}");
            assert!(trade.max_loss.is_none_or(|most| most >= -trade.pnl_net), "{name}: {trade:?}");
            assert!(rows.insert(format!("{trade:?}")), "{name}: twice {trade:?}");
            equity += trade.pnl_net;
        }
        assert!(trades.windows(2).all(|pair| pair[0].closed_at <= pair[1].closed_at), "{name}");
        assert!(marks.windows(2).all(|pair| pair[0].day < pair[1].day), "{name}");
        assert!(marks.iter().all(|mark| mark.equity > 0.0), "{name}");
    }
}

#[test]
fn positions_of_one_instrument_overlap_only_where_that_is_the_point() {
    for cell in cells() {
        let Rows::Trades { trades, .. } = record(&cell, 0).rows else { continue };
        let is_meant = match cell.generator {
            // A bet that is stopped before its first slice is one row.
            Generator::OneBet { won: false } => continue,
            Generator::OneBet { won: true } | Generator::EqualLots => true,
            Generator::Overlapping { instruments, .. } => instruments == crate::Instruments::One,
            _ => false,
        };
        let mut last = std::collections::BTreeMap::new();
        let overlaps = trades.iter().any(|trade| {
            let before = last.insert(trade.instrument.clone(), trade.closed_at);
            before.is_some_and(|closed| closed > trade.opened_at)
        });
        assert_eq!(overlaps, is_meant, "{}", cell.name());
    }
}

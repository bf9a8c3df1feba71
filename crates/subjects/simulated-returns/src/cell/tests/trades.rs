use super::*;
use crate::trades::doubling::{BASE, SEQUENCES};
use crate::trades::holds::STOCKS;
use crate::trades::intraday::{BETS_A_DAY, CRASH, TRADES_A_DAY};
use crate::trades::ledger::START;
use crate::trades::one_bet::{SLICES, STOP};
use crate::{Instruments, YEAR};

const SECONDS_A_DAY: i64 = 86_400;

/// A trade's return on its notional.
fn on_notional(trade: &Trade) -> f64 {
    trade.pnl_net / trade.notional()
}

/// The profits of the trades over the start.
fn total(trades: &[Trade]) -> f64 {
    trades.iter().map(|trade| trade.pnl_net).sum::<f64>() / START
}

/// The days' returns at marks, and the benchmark's.
fn marked(marks: &[Mark]) -> (Vec<f64>, Vec<f64>) {
    let r = marks.windows(2).map(|pair| pair[1].equity / pair[0].equity - 1.0).collect();
    (r, marks.iter().skip(1).map(|mark| mark.benchmark).collect())
}

/// The days' returns by close: profits over the equity before the first.
fn closed(trades: &[Trade]) -> Vec<f64> {
    let by_day = trades.chunk_by(|a, b| a.closed_at / SECONDS_A_DAY == b.closed_at / SECONDS_A_DAY);
    by_day.map(|day| day.iter().map(|trade| trade.pnl_net).sum::<f64>() / day[0].equity_before).collect()
}

#[test]
fn a_book_has_a_beta_of_one_over_holds_and_none_over_days_of_closes() {
    let (mut r, mut hold, mut day, mut held) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for record in records(Generator::Book { market: 1.0, edge: 0.0 }, 1_260, 40) {
        let (trades, marks) = trade_rows(record);
        assert!((1_150..1_370).contains(&trades.len()), "{}", trades.len());
        assert_eq!(marks.len(), 1_260);
        for trade in &trades {
            r.push(on_notional(trade));
            hold.push(trade.benchmark_of_hold);
            day.push(trade.benchmark_of_close_day);
            let seconds = i32::try_from(trade.closed_at - trade.opened_at).unwrap();
            held.push(f64::from(seconds) / 86_400.0 * 5.0 / 7.0);
        }
    }
    let (beta, alpha) = fit(&r, &hold);
    assert!((beta - 1.0).abs() < 0.1, "{beta}");
    assert!(alpha.abs() < 0.004, "{alpha}");
    assert!((mean(&held) - 20.0).abs() < 0.5, "{}", mean(&held));
    // The premium of 20 days, 1.3 %, is not in one day's benchmark.
    let (_, alpha) = fit(&r, &day);
    assert!((0.008..0.018).contains(&alpha), "{alpha}");
}

#[test]
fn the_marks_of_a_book_show_its_beta_and_its_edge() {
    for edge in [0.0, 2.0] {
        let (mut x, mut b) = (Vec::new(), Vec::new());
        for record in records(Generator::Book { market: 1.0, edge }, 1_260, 40) {
            let (r, benchmark) = marked(&trade_rows(record).1);
            x.extend(r);
            b.extend(benchmark);
        }
        let (beta, alpha) = fit(&x, &b);
        let own = 0.017 / libm::sqrt(count(STOCKS));
        assert!((beta - 1.0).abs() < 0.05, "{beta}");
        assert!((alpha / own * YEAR.sqrt() - edge).abs() < 0.45, "{edge}: {}", alpha / own * YEAR.sqrt());
    }
}

#[test]
fn a_swing_is_the_index_less_fees() {
    for record in records(Generator::Swing { market: 1.0 }, 1_260, 20) {
        let (trades, marks) = trade_rows(record);
        assert!((210..300).contains(&trades.len()), "{}", trades.len());
        assert!(trades.iter().all(|trade| (on_notional(trade) - trade.benchmark_of_hold).abs() < 1e-4));
        let (r, b) = marked(&marks);
        assert!(r.iter().zip(&b).all(|(r, b)| (r - b).abs() < 1e-4));
    }
}

#[test]
fn one_bet_is_one_position_with_a_stop() {
    for record in records(Generator::OneBet { won: true }, 210, 50) {
        let (trades, marks) = trade_rows(record);
        assert_eq!((trades.len(), marks.len()), (SLICES, 210));
        let entries: BTreeSet<i64> = trades.iter().map(|trade| trade.opened_at).collect();
        assert_eq!(entries.len(), 1);
        assert!(total(&trades) > STOP, "{}", total(&trades));
    }
    let totals: Vec<f64> = records(Generator::OneBet { won: false }, 210, 4_000)
        .map(|record| total(&trade_rows(record).0))
        .collect();
    assert!(z(&totals).abs() < 4.0, "{}", z(&totals));
    let stopped = totals.iter().filter(|total| (**total + STOP).abs() < 1e-3).count();
    assert!((0.6..0.9).contains(&(count(stopped) / 4_000.0)), "{stopped}");
}

#[test]
fn timed_closes_earn_the_books_total_a_bit_each_day() {
    let mut totals = Vec::new();
    for record in records(Generator::TimedCloses, 756, 300) {
        let (trades, marks) = trade_rows(record);
        let r = closed(&trades);
        assert_eq!((r.len(), marks.len()), (756, 756));
        assert!((spread(&r) / 0.003 - 1.0).abs() < 0.15, "{}", spread(&r));
        let balance = START * (1.0 + total(&trades));
        assert!((marks[755].equity / balance - 1.0).abs() < 1e-9);
        assert!((spread(&marked(&marks).0) / 0.01 - 1.0).abs() < 0.15);
        totals.push(r.iter().sum());
    }
    assert!(z(&totals).abs() < 4.0);
    assert!((spread(&totals) / (0.01 * libm::sqrt(756.0)) - 1.0).abs() < 0.2, "{}", spread(&totals));
}

#[test]
fn overlapping_holds_have_no_drift_and_close_once_a_day() {
    for hold in [20, 40] {
        for instruments in [Instruments::One, Instruments::Many] {
            let generator = Generator::Overlapping { hold, instruments };
            let mut totals = Vec::new();
            for record in records(generator, 252, 200) {
                let (trades, _) = trade_rows(record);
                assert_eq!(closed(&trades).len(), 252);
                totals.push(closed(&trades).iter().sum::<f64>());
            }
            assert!(z(&totals).abs() < 4.0, "{generator:?}: {}", z(&totals));
        }
    }
}

#[test]
fn a_martingale_is_fair_and_often_ruined_within_a_year() {
    for (generator, most) in [(Generator::Doubling, 0.65), (Generator::EqualLots, 0.65)] {
        let (mut totals, mut alive) = (Vec::new(), 0);
        for record in records(generator, 252, 300) {
            let (trades, _) = trade_rows(record);
            totals.push(total(&trades));
            alive += usize::from(totals.last().is_some_and(|total| *total > -0.3));
        }
        assert!(z(&totals).abs() < 4.0, "{generator:?}: {}", z(&totals));
        let share = count(alive) / 300.0;
        assert!((0.25..most).contains(&share), "{generator:?}: {share}");
    }
}

#[test]
fn a_stake_doubles_after_a_loss_and_a_lot_does_not() {
    let (trades, _) = trade_rows(record(&cell(Generator::Doubling, 60), 0));
    let coins: Vec<&Trade> = trades.iter().filter(|trade| trade.instrument == "COIN").collect();
    let is_doubled = |pair: &[&Trade]| {
        let wanted = if pair[0].pnl_net > 0.0 { BASE } else { -2.0 * pair[0].pnl_net };
        (pair[1].pnl_net.abs() - wanted).abs() < 1e-6
    };
    assert!(coins.windows(2).filter(|pair| is_doubled(pair)).count() + 5 > coins.len());
    let wins = coins.iter().filter(|trade| trade.pnl_net > 0.0).count();
    assert!(wins.abs_diff(60 * SEQUENCES) < 5, "{wins}");
    let (lots, _) = trade_rows(record(&cell(Generator::EqualLots, 60), 0));
    assert!(lots.iter().all(|lot| (lot.pnl_net.abs() - START / 1_000.0).abs() < 1e-6));
}

#[test]
fn stops_alone_make_no_profit() {
    for (edge, wanted) in [(0.0, 0.0), (2.0, 2.0)] {
        for generator in [Generator::DayTrader { edge }, Generator::StoppedDaily { edge }] {
            let mut r = Vec::new();
            for record in records(generator, 756, 100) {
                let (trades, marks) = trade_rows(record);
                let a_day = if matches!(generator, Generator::DayTrader { .. }) { TRADES_A_DAY } else { 1 };
                assert_eq!(trades.len(), 756 * a_day);
                assert!(marks.is_empty());
                r.extend(closed(&trades));
            }
            let sharpe = mean(&r) / spread(&r) * YEAR.sqrt();
            assert!((spread(&r) / 0.01 - 1.0).abs() < 0.03, "{}", spread(&r));
            assert!((sharpe - wanted).abs() < 0.25, "{generator:?}: {sharpe}");
        }
    }
}

#[test]
fn bets_win_as_often_as_their_events_happen() {
    for chance in [0.96, 0.98] {
        let (mut won, mut all) = (0, 0);
        for record in records(Generator::Bets { chance }, 250, 20) {
            let (trades, _) = trade_rows(record);
            assert_eq!(trades.len(), 250 * BETS_A_DAY);
            won += trades.iter().filter(|trade| trade.outcome == Some(true)).count();
            all += trades.len();
        }
        assert!((count(won) / count(all) - chance).abs() < 0.004, "{won} of {all}");
    }
}

#[test]
fn sold_options_are_fair_and_crash_as_seldom_as_stated() {
    for years in [2.0, 5.0] {
        let (mut r, mut crashes) = (Vec::new(), 0);
        for record in records(Generator::ShortVolatility { years }, 756, 1_000) {
            let (trades, _) = trade_rows(record);
            let made: Vec<f64> = trades.iter().map(on_notional).collect();
            crashes += made.iter().filter(|r| **r < -0.999 * CRASH).count();
            r.extend(made);
        }
        assert!((count(crashes) * years / 3_000.0 - 1.0).abs() < 0.25, "{crashes}");
        assert!(z(&r).abs() < 4.0, "{}", z(&r));
    }
}

#[test]
fn profits_without_fees_are_the_gross_of_their_prices() {
    let mut r = Vec::new();
    for record in records(Generator::FeesLeftOut, 756, 40) {
        let (trades, _) = trade_rows(record);
        assert!(trades.iter().all(|trade| trade.fees == 0.0));
        r.extend(closed(&trades));
    }
    assert!((mean(&r) / spread(&r) * YEAR.sqrt() - 3.0).abs() < 0.5);
}

#[test]
fn what_is_copied_costs_a_copier_its_edge() {
    let (mut token, mut scalp) = (Vec::new(), Vec::new());
    for record in records(Generator::CopiedMixed, 252, 40) {
        let costs = record.costs.clone().unwrap();
        assert!(costs.by_instrument.iter().all(|(name, costs)| name == "TOKEN" && costs.half_spread == 0.01));
        token.extend(trade_rows(record).0.iter().filter(|t| t.instrument == "TOKEN").map(on_notional));
    }
    assert!((0.004..0.012).contains(&mean(&token)), "{}", mean(&token));
    for record in records(Generator::CopiedScalper, 252, 40) {
        let drift = record.costs.as_ref().unwrap().measured_drift;
        scalp.extend(trade_rows(record).0.iter().map(|trade| on_notional(trade) - drift));
    }
    assert!(z(&scalp).abs() < 4.0, "{}", z(&scalp));
    for leverage in [40.0, 200.0] {
        for record in records(Generator::CopiedLevered { leverage }, 504, 3) {
            let (trades, _) = trade_rows(record);
            let all = trades.iter().map(|trade| trade.notional() / trade.equity_before / leverage);
            assert!(all.into_iter().all(|share| (share - 1.0).abs() < 1e-9));
        }
    }
}

//! Records whose closes hide how few decisions they hold.
//!
//! Source: the independent report on `grade-strategy/2`, gap 2.

use super::ledger::{Closed, FEE, Ledger, START, any_side};
use crate::market::{CLOSE, Market, VOLATILITY, WARM_UP, moment};
use crate::random::{Random, count};
use crate::record::Side;

/// Number of slices in which the position is sold.
pub(crate) const SLICES: usize = 120;
/// Number of days before the first slice is sold.
const WAIT: usize = 90;
/// Number of days of such a record.
pub(crate) const ONE_BET_DAYS: usize = WAIT + SLICES;
/// The stop's distance from the entry.
pub(crate) const STOP: f64 = 0.08;
/// The daily standard deviation of the position's instrument.
const SPREAD: f64 = 0.02;
/// Maximum number of paths that are drawn in search of a bet that won.
const DRAWS: usize = 10_000;

/// The close over the entry for each day of the bet, up to the day of the stop.
fn path(random: &mut Random) -> Vec<f64> {
    let mut price = 1.0;
    let mut path = Vec::with_capacity(ONE_BET_DAYS);
    for _ in 0..ONE_BET_DAYS {
        price *= libm::exp(SPREAD * random.normal() - SPREAD * SPREAD / 2.0);
        if price <= 1.0 - STOP {
            path.push(1.0 - STOP);
            break;
        }
        path.push(price);
    }
    path
}

/// Returns true if the bet won: never stopped, and sold at a mean gain of 3.6 stops or more.
fn has_won(path: &[f64]) -> bool {
    let sold = path.get(WAIT..).unwrap_or_default();
    path.len() == ONE_BET_DAYS && crate::process::mean(sold) > 1.0 + 3.6 * STOP
}

/// One position without drift, of the whole balance, with a stop 8 % below. It is sold in 120 slices of random size, one
/// a day from the 91st day on; what remains when the price reaches the stop is sold there. `won` keeps only bets that
/// won.
pub(crate) fn one_bet<'a>(market: &'a Market, won: bool, random: &mut Random) -> Ledger<'a> {
    let mut prices = path(random);
    for _ in 0..DRAWS {
        if !won || has_won(&prices) {
            break;
        }
        prices = path(random);
    }
    let weights: Vec<f64> = (0..SLICES).map(|_| random.exponential()).collect();
    let all: f64 = weights.iter().sum();
    let mut ledger = Ledger::new(market);
    let opened = WARM_UP - 1;
    let mut left = 1.0;
    for (day, price) in prices.iter().enumerate() {
        let at = WARM_UP + day;
        let slice = day.checked_sub(WAIT).and_then(|slice| weights.get(slice)).map_or(0.0, |w| w / all);
        let is_last = day + 1 == prices.len();
        let sold = if is_last { left } else { slice };
        if sold > 0.0 {
            left -= sold;
            ledger.close(Closed {
                instrument: "X".to_owned(),
                side: Side::Long,
                opened_at: moment(opened, CLOSE),
                closed_at: moment(at, CLOSE),
                at,
                notional: START * sold,
                entry_price: 100.0,
                net: price - 1.0 - FEE,
                fee: FEE,
                benchmark_of_hold: market.hold(opened, at),
                max_loss: Some(STOP + FEE),
                outcome: None,
            });
        }
        ledger.mark(at, START * left * (price - 1.0));
    }
    ledger
}

/// A position of the timed book is held 5 to 40 days; the first close comes as many days after the first.
pub(crate) const LONGEST_TIMED_HOLD: usize = 40;
/// The daily standard deviation of a day's closes around their mean.
const TIMED_NOISE: f64 = 0.003;

/// A book without drift whose closes are timed: the realised result of each day is the book's whole result over the
/// number of days, plus noise. The marks follow the book, of 1 % daily volatility, and end where the closes end.
pub(crate) fn timed_closes<'a>(market: &'a Market, random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    let first = WARM_UP + LONGEST_TIMED_HOLD;
    let days = market.len().saturating_sub(first);
    let step = |sum: &mut f64, z: f64| {
        *sum += VOLATILITY * z;
        Some(*sum)
    };
    let steps: Vec<f64> = (0..days).map(|_| random.normal()).collect();
    let walk: Vec<f64> = steps.into_iter().scan(0.0, step).collect();
    let total = walk.last().copied().unwrap_or_default();
    let noise: Vec<f64> = (0..days).map(|_| TIMED_NOISE * random.normal()).collect();
    let shift = crate::process::mean(&noise);
    for (day, noise) in noise.iter().enumerate() {
        let at = first + day;
        let opened = at - 5 - random.below(LONGEST_TIMED_HOLD - 4);
        let notional = 0.1 * ledger.balance;
        ledger.close(Closed {
            // An instrument comes again only when its last position is closed.
            instrument: format!("B{}", at % (LONGEST_TIMED_HOLD + 1)),
            side: any_side(random),
            opened_at: moment(opened, CLOSE),
            closed_at: moment(at, CLOSE),
            at,
            notional,
            entry_price: 100.0,
            net: (total / count(days) + noise - shift) * ledger.balance / notional,
            fee: FEE,
            benchmark_of_hold: market.hold(opened, at),
            max_loss: Some(1.0 + FEE),
            outcome: None,
        });
    }
    // The walk of the logarithm of the equity, bent so that it ends at the balance.
    let bend = libm::log(ledger.balance / START) - total;
    let balance = ledger.balance;
    for (day, sum) in walk.iter().enumerate() {
        let equity = START * libm::exp(sum + bend * count(day + 1) / count(days));
        ledger.mark(first + day, equity - balance);
    }
    ledger
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_and_a_half_percent_of_bets_win() {
        let mut random = Random::new("bets that won", 0);
        let won = (0..20_000).filter(|_| has_won(&path(&mut random))).count();
        assert!((count(won) / 20_000.0 - 0.085).abs() < 0.01, "{won}");
    }
}

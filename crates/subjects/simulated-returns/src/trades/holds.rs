//! Trades that are held for days: a book of stocks, an index bought and sold, holds that overlap.
//!
//! Source: the independent report on `grade-strategy/2`, gaps 1 and 2. Where a hold of weeks is compared with the
//! market's return of one day, the market's premium looks like skill.

use std::collections::VecDeque;

use super::ledger::{Closed, FEE, Ledger};
use crate::market::{CLOSE, Market, VOLATILITY, WARM_UP, daily, levels, moment};
use crate::random::{Random, count};
use crate::record::Side;

/// Number of stocks in the book.
pub(crate) const STOCKS: usize = 20;
/// A stock's daily standard deviation beside the market's.
const OWN_VOLATILITY: f64 = 0.017;
/// A position of the book is held 1 to 39 days.
const LONGEST_HOLD: usize = 39;

struct Holding {
    price: f64,
    entry_price: f64,
    notional: f64,
    opened: usize,
    exit: usize,
}

impl Holding {
    fn open(price: f64, notional: f64, at: usize, random: &mut Random) -> Self {
        Self { price, entry_price: price, notional, opened: at, exit: at + 1 + random.below(LONGEST_HOLD) }
    }

    fn profit(&self) -> f64 {
        self.notional * (self.price / self.entry_price - 1.0)
    }
}

/// Twenty stocks of beta 1, each a twentieth of the balance, bought again at the close at which they are sold. `edge` is
/// the yearly Sharpe ratio of what the stocks earn beside the market. Positions that are open at the end have marks and
/// no row.
pub(crate) fn book<'a>(market: &'a Market, edge: f64, random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    let alpha = daily(edge, OWN_VOLATILITY / libm::sqrt(count(STOCKS)));
    let share = 1.0 / count(STOCKS);
    let before = WARM_UP - 1;
    let mut holdings: Vec<Holding> =
        (0..STOCKS).map(|_| Holding::open(50.0, share * ledger.balance, before, random)).collect();
    for at in WARM_UP..market.len() {
        for (stock, holding) in holdings.iter_mut().enumerate() {
            let own = alpha + OWN_VOLATILITY * random.normal();
            // A price does not fall by more than 90 % in a day.
            holding.price *= 1.0 + (market.day(at) + own).max(-0.9);
            if holding.exit != at {
                continue;
            }
            let second = CLOSE + i64::try_from(stock).unwrap_or_default();
            ledger.close(Closed {
                instrument: format!("S{stock}"),
                side: Side::Long,
                opened_at: moment(holding.opened, second + 60),
                closed_at: moment(at, second),
                at,
                notional: holding.notional,
                entry_price: holding.entry_price,
                net: holding.price / holding.entry_price - 1.0 - FEE,
                fee: FEE,
                benchmark_of_hold: market.hold(holding.opened, at),
                max_loss: Some(1.0 + FEE),
                outcome: None,
            });
            *holding = Holding::open(holding.price, share * ledger.balance.max(1.0), at, random);
        }
        let open = holdings.iter().map(Holding::profit).sum();
        ledger.mark(at, open);
    }
    ledger
}

/// The index, bought with the whole balance, sold after 1 to 9 days and bought again a minute later.
pub(crate) fn swing<'a>(market: &'a Market, random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    let (mut opened, mut exit) = (WARM_UP - 1, WARM_UP + random.below(9));
    for at in WARM_UP..market.len() {
        let notional = ledger.balance;
        let gained = market.hold(opened, at);
        if at < exit {
            ledger.mark(at, notional * gained);
            continue;
        }
        ledger.close(Closed {
            instrument: "INDEX".to_owned(),
            side: Side::Long,
            opened_at: moment(opened, CLOSE + 60),
            closed_at: moment(at, CLOSE),
            at,
            notional,
            entry_price: market.level(opened),
            net: gained - FEE,
            fee: FEE,
            benchmark_of_hold: gained,
            max_loss: Some(1.0 + FEE),
            outcome: None,
        });
        ledger.mark(at, 0.0);
        (opened, exit) = (at, at + 1 + random.below(9));
    }
    ledger
}

/// The instruments of holds that overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instruments {
    /// One for all: flat to flat, the record is one position.
    One,
    /// One for each of the positions that are open together, with a correlation of .8.
    Many,
}

/// Each day, a position of 1 / `hold` of the balance is closed that was opened `hold` days before. Prices have no drift
/// and nothing to do with the market. The first close comes `hold` days after the first day.
pub(crate) fn overlapping<'a>(
    market: &'a Market,
    hold: usize,
    instruments: Instruments,
    random: &mut Random,
) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    let days = market.len();
    let (names, own) = match instruments {
        Instruments::One => (1, 0.0),
        Instruments::Many => (hold, 0.5),
    };
    let common: Vec<f64> = (0..days).map(|_| VOLATILITY * random.normal()).collect();
    let mut prices = || {
        let returns: Vec<f64> = common.iter().map(|r| r + own * VOLATILITY * random.normal()).collect();
        levels(&returns)
    };
    let prices: Vec<Vec<f64>> = (0..names).map(|_| prices()).collect();
    let price = |name: usize, at: usize| prices.get(name).and_then(|of| of.get(at)).copied().unwrap_or(100.0);
    let share = 1.0 / count(hold);
    let mut open: VecDeque<(usize, f64)> = VecDeque::new();
    for at in WARM_UP..days {
        if let Some(&(opened, notional)) = open.front().filter(|(opened, _)| opened + hold == at) {
            open.pop_front();
            let name = opened % names;
            ledger.close(Closed {
                instrument: format!("P{name}"),
                side: Side::Long,
                opened_at: moment(opened, CLOSE + 60),
                closed_at: moment(at, CLOSE),
                at,
                notional,
                entry_price: price(name, opened),
                net: price(name, at) / price(name, opened) - 1.0 - FEE,
                fee: FEE,
                benchmark_of_hold: market.hold(opened, at),
                max_loss: Some(1.0 + FEE),
                outcome: None,
            });
        }
        open.push_back((at, share * ledger.balance));
        let gained = |&(opened, notional): &(usize, f64)| {
            let name = opened % names;
            notional * (price(name, at) / price(name, opened) - 1.0)
        };
        let profit = open.iter().map(gained).sum();
        ledger.mark(at, profit);
    }
    ledger
}

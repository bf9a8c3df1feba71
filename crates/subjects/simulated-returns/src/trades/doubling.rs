//! Fair coins whose stakes double after losses: within the day, and in lots of equal size.
//!
//! Source: the independent report on `grade-strategy/2`, gap 2 (doubling within the day) and gap 6 (equal lots). A
//! martingale wins its base in each sequence until one sequence takes everything.

use super::ledger::{Closed, FEE, Ledger, START, any_side};
use crate::market::{Market, WARM_UP, moment};
use crate::random::{Random, count};

/// A bet's move of the price, up or down.
const MOVE: f64 = 0.1;
/// The first stake of a sequence within the day, in currency.
pub(crate) const BASE: f64 = 30.0;
/// Number of sequences a day.
pub(crate) const SEQUENCES: usize = 8;
/// The daily standard deviation of the noise trade, over the balance.
const NOISE: f64 = 0.003;
/// The second of the day at which the first bet opens.
const MORNING: i64 = 3_600;

/// Eight sequences a day of a fair coin, each doubled from a stake of 30 until it wins, and one unrelated trade of noise
/// in the evening. A stake is at most the balance. The record ends on the day on which less than one base is left.
pub(crate) fn doubling<'a>(market: &'a Market, random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    for at in WARM_UP..market.len() {
        let mut step = 0;
        for _ in 0..SEQUENCES {
            let mut stake = BASE;
            while ledger.balance >= BASE {
                let bet = stake.min(ledger.balance);
                let is_won = random.uniform() < 0.5;
                let opened = MORNING + 40 * step;
                close_bet(&mut ledger, at, (opened, opened + 20), bet, is_won, random);
                step += 1;
                if is_won {
                    break;
                }
                stake *= 2.0;
            }
        }
        if ledger.balance < BASE {
            break;
        }
        noise(&mut ledger, at, random);
    }
    ledger
}

/// Writes a bet that wins or loses `stake`, fees included.
fn close_bet(
    ledger: &mut Ledger<'_>,
    at: usize,
    seconds: (i64, i64),
    stake: f64,
    is_won: bool,
    random: &mut Random,
) {
    let benchmark_of_hold = ledger.within(at, seconds.1 - seconds.0, random);
    ledger.close(Closed {
        instrument: "COIN".to_owned(),
        side: any_side(random),
        opened_at: moment(at, seconds.0),
        closed_at: moment(at, seconds.1),
        at,
        notional: stake / MOVE,
        entry_price: 1.0,
        net: if is_won { MOVE } else { -MOVE },
        fee: FEE,
        benchmark_of_hold,
        max_loss: Some(MOVE),
        outcome: None,
    });
}

/// Writes the evening's trade: noise of .3 % of the balance, in a stop's bounds.
fn noise(ledger: &mut Ledger<'_>, at: usize, random: &mut Random) {
    const STOP: f64 = 5.0 * NOISE;
    let benchmark_of_hold = ledger.within(at, 1_000, random);
    ledger.close(Closed {
        instrument: "GOLD".to_owned(),
        side: any_side(random),
        opened_at: moment(at, 80_000),
        closed_at: moment(at, 81_000),
        at,
        notional: ledger.balance,
        entry_price: 1_500.0,
        net: (NOISE * random.normal()).clamp(-STOP, STOP),
        fee: FEE,
        benchmark_of_hold,
        max_loss: Some(STOP),
        outcome: None,
    });
}

/// The stake of one lot, in currency: a thousandth of the start.
const LOT: f64 = START / 1_000.0;
/// Number of sequences a day in lots.
const LOT_SEQUENCES: usize = 4;

/// Four sequences a day of a fair coin. After a loss the next bet is twice as many lots, each lot a row of its own, all
/// open at one time: no row is greater than another. The record ends on the day on which less than one lot is left.
pub(crate) fn equal_lots<'a>(market: &'a Market, random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    for at in WARM_UP..market.len() {
        let mut step = 0;
        for _ in 0..LOT_SEQUENCES {
            let mut lots = 1;
            while ledger.balance >= LOT {
                let affordable = (1..=lots).rev().find(|lots| count(*lots) * LOT <= ledger.balance);
                let is_won = random.uniform() < 0.5;
                close_lots(&mut ledger, at, step, affordable.unwrap_or(1), is_won, random);
                step += 1;
                if is_won {
                    break;
                }
                lots *= 2;
            }
        }
        if ledger.balance < LOT {
            break;
        }
    }
    ledger
}

/// Writes `lots` rows that open within five minutes, then close within five minutes.
fn close_lots(ledger: &mut Ledger<'_>, at: usize, step: i64, lots: usize, is_won: bool, random: &mut Random) {
    let side = any_side(random);
    let second = MORNING + 900 * step;
    let benchmark_of_hold = ledger.within(at, 400, random);
    for lot in 0..lots {
        let late = i64::try_from(lot * 300 / lots).unwrap_or_default();
        ledger.close(Closed {
            instrument: "COIN".to_owned(),
            side,
            opened_at: moment(at, second + late),
            closed_at: moment(at, second + 400 + late),
            at,
            notional: LOT / MOVE,
            // The price moves a little between fills, so that no two rows are equal.
            entry_price: 1.0 + 1e-6 * count(lot),
            net: if is_won { MOVE } else { -MOVE },
            fee: FEE,
            benchmark_of_hold,
            max_loss: Some(MOVE),
            outcome: None,
        });
    }
}

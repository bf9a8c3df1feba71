//! Trades that open and close within the day: day traders with stops, bets, sold options, fees left out.
//!
//! Source: the independent report on `grade-strategy/2`: "Disclosure is punished" (stops, bets), gap 3 (sold options),
//! gap 8 (fees left out).

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::ledger::{Closed, FEE, Ledger, any_side};
use crate::YEAR;
use crate::market::{Market, VOLATILITY, WARM_UP, daily, moment};
use crate::random::{Random, count};
use crate::record::Side;

/// 13:30 UTC.
const OPENING: i64 = 48_600;

/// A trade within the day.
struct Quick<'a> {
    instrument: &'a str,
    side: Side,
    /// The seconds of the day.
    opened: i64,
    closed: i64,
    /// The notional over the balance.
    leverage: f64,
    entry_price: f64,
    /// The profit after fees, over the balance.
    net: f64,
    /// Fees over the notional.
    fee: f64,
    /// Over the balance.
    max_loss: f64,
}

fn close_quick(ledger: &mut Ledger<'_>, at: usize, quick: &Quick<'_>, random: &mut Random) {
    let benchmark_of_hold = ledger.within(at, quick.closed - quick.opened, random);
    ledger.close(Closed {
        instrument: quick.instrument.to_owned(),
        side: quick.side,
        opened_at: moment(at, quick.opened),
        closed_at: moment(at, quick.closed),
        at,
        notional: quick.leverage * ledger.balance,
        entry_price: quick.entry_price,
        net: quick.net / quick.leverage,
        fee: quick.fee,
        benchmark_of_hold,
        max_loss: Some(quick.max_loss / quick.leverage),
        outcome: None,
    });
}

/// A normal result that a stop ends, of mean 0 and variance 1: (max(z, -a) - m) / s. Stops alone make no profit.
struct Stopped {
    stop: f64,
    mean: f64,
    spread: f64,
}

impl Stopped {
    /// A result whose stop lies `stop` standard deviations of z below 0.
    fn new(stop: f64) -> Self {
        let density = libm::exp(-0.5 * stop * stop) / libm::sqrt(2.0 * PI);
        let below = 0.5 * libm::erfc(stop * FRAC_1_SQRT_2);
        let mean = density - stop * below;
        let square = stop * stop * below + (1.0 - below) - stop * density;
        Self { stop, mean, spread: libm::sqrt(square - mean * mean) }
    }

    fn draw(&self, random: &mut Random) -> f64 {
        (random.normal().max(-self.stop) - self.mean) / self.spread
    }

    /// The greatest loss.
    fn worst(&self) -> f64 {
        (self.stop + self.mean) / self.spread
    }
}

/// Number of trades that a day trader makes a day.
pub(crate) const TRADES_A_DAY: usize = 8;

/// Eight trades a day, one after the other, each of 40 minutes and with a stop 1.5 standard deviations away; 1 % of
/// daily volatility. `edge` is the yearly Sharpe ratio after fees.
pub(crate) fn day_trader<'a>(market: &'a Market, edge: f64, random: &mut Random) -> Ledger<'a> {
    stopped(market, TRADES_A_DAY, 1.5, edge, random)
}

/// One trade a day with a stop 2.5 standard deviations away; 1 % of daily volatility. `edge` is the yearly Sharpe ratio
/// after fees.
pub(crate) fn stopped_daily<'a>(market: &'a Market, edge: f64, random: &mut Random) -> Ledger<'a> {
    stopped(market, 1, 2.5, edge, random)
}

fn stopped<'a>(market: &'a Market, trades: usize, stop: f64, edge: f64, random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    let result = Stopped::new(stop);
    let spread = VOLATILITY / libm::sqrt(count(trades));
    let mean = daily(edge, VOLATILITY) / count(trades);
    for at in WARM_UP..market.len() {
        for trade in 0..trades {
            let opened = OPENING + 2_700 * i64::try_from(trade).unwrap_or_default();
            let quick = Quick {
                instrument: "ES",
                side: any_side(random),
                opened,
                closed: opened + 2_400,
                leverage: 1.0,
                entry_price: 5_000.0,
                net: mean + spread * result.draw(random),
                fee: FEE,
                max_loss: spread * result.worst() - mean,
            };
            close_quick(&mut ledger, at, &quick, random);
        }
    }
    ledger
}

/// Number of bets a day.
pub(crate) const BETS_A_DAY: usize = 20;
/// The price of a bet that pays 1.
pub(crate) const BET_PRICE: f64 = 0.96;
/// A bet's stake over the balance.
const STAKE: f64 = 0.005;

/// The yearly Sharpe ratio of bets at .96 on events of that probability, as percentages of the first balance.
pub(crate) fn bets_sharpe(chance: f64) -> f64 {
    let mean = chance / BET_PRICE - 1.0;
    let spread = libm::sqrt(chance * (1.0 - chance)) / BET_PRICE;
    mean / spread * libm::sqrt(count(BETS_A_DAY) * YEAR)
}

/// Twenty independent bets a day at a price of .96, each on an event of its own, of half a percent of the balance.
/// `chance` is the true probability of each event: .96 is fair, .98 is an edge with a Sharpe ratio of 10 a year.
pub(crate) fn bets<'a>(market: &'a Market, chance: f64, random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    for at in WARM_UP..market.len() {
        for bet in 0..BETS_A_DAY {
            let is_won = random.uniform() < chance;
            let payoff = if is_won { 1.0 / BET_PRICE - 1.0 } else { -1.0 };
            let minute = i64::try_from(bet).unwrap_or_default() * 60;
            ledger.close(Closed {
                instrument: format!("EVENT-{at}-{bet}"),
                side: Side::Long,
                opened_at: moment(at, 36_000 + minute),
                closed_at: moment(at, 57_600 + minute),
                at,
                notional: STAKE * ledger.balance,
                entry_price: BET_PRICE,
                net: payoff - FEE,
                fee: FEE,
                benchmark_of_hold: market.within(at, 0.25, random),
                max_loss: Some(1.0 + FEE),
                outcome: Some(is_won),
            });
        }
    }
    ledger
}

/// A crash's loss over the balance.
pub(crate) const CRASH: f64 = 0.4;
/// The yearly Sharpe ratio of days without a crash.
const QUIET_SHARPE: f64 = 4.0;

/// One option sold a day. A crash takes 40 % of the balance, on average once in `years` years; the premium of the other
/// days makes the expected return 0. The other days vary as Student's t with 5 degrees of freedom, with a Sharpe ratio
/// of 4 a year (Lo 2001; Foster and Young 2010).
pub(crate) fn short_volatility<'a>(market: &'a Market, years: f64, random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    let chance = 1.0 / (years * YEAR);
    let premium = CRASH * chance / (1.0 - chance);
    let spread = premium * libm::sqrt(YEAR) / QUIET_SHARPE;
    for at in WARM_UP..market.len() {
        let is_crash = random.uniform() < chance;
        let quiet = premium + spread * random.student_t(5);
        let quick = Quick {
            instrument: "PUT",
            side: Side::Short,
            opened: OPENING,
            closed: OPENING + 23_000,
            leverage: 1.0,
            entry_price: 20.0,
            net: if is_crash { -CRASH } else { quiet.max(-CRASH) },
            fee: FEE,
            max_loss: CRASH,
        };
        close_quick(&mut ledger, at, &quick, random);
    }
    ledger
}

/// One trade a day of 1 % volatility whose gross Sharpe ratio is 3 a year and whose costs are 4, reported without fees:
/// each profit is the gross of its prices.
pub(crate) fn fees_left_out<'a>(market: &'a Market, random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    for at in WARM_UP..market.len() {
        let quick = Quick {
            instrument: "ES",
            side: any_side(random),
            opened: OPENING,
            closed: OPENING + 7_200,
            leverage: 1.0,
            entry_price: 5_000.0,
            net: daily(3.0, VOLATILITY) + VOLATILITY * random.student_t(5).max(-5.0),
            fee: 0.0,
            max_loss: 5.0 * VOLATILITY,
        };
        close_quick(&mut ledger, at, &quick, random);
    }
    ledger
}

/// The results of one instrument within a copied record.
pub(crate) struct Leg {
    pub instrument: &'static str,
    pub trades_a_day: usize,
    /// The notional over the balance.
    pub leverage: f64,
    /// Mean and standard deviation of a trade, over the balance.
    pub mean: f64,
    pub spread: f64,
    /// Seconds.
    pub hold: i64,
}

/// Trades of some instruments, one after the other within the day, in Student's t with 5 degrees of freedom, cut off at
/// a loss of five standard deviations.
pub(crate) fn legs<'a>(market: &'a Market, legs: &[Leg], random: &mut Random) -> Ledger<'a> {
    let mut ledger = Ledger::new(market);
    for at in WARM_UP..market.len() {
        let mut opened = OPENING;
        for leg in legs {
            for _ in 0..leg.trades_a_day {
                let quick = Quick {
                    instrument: leg.instrument,
                    side: any_side(random),
                    opened,
                    closed: opened + leg.hold,
                    leverage: leg.leverage,
                    entry_price: 100.0,
                    net: leg.mean + leg.spread * random.student_t(5).max(-5.0),
                    fee: FEE,
                    max_loss: 5.0 * leg.spread - leg.mean,
                };
                close_quick(&mut ledger, at, &quick, random);
                opened += leg.hold + 60;
            }
        }
    }
    ledger
}

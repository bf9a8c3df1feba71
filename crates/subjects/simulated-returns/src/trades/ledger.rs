//! The account that simulated trades are written to.

use crate::market::{Market, date};
use crate::random::Random;
use crate::record::{CopyCosts, Costs, Mark, Side, Trade};

/// The balance of an account at its start, in currency.
pub(crate) const START: f64 = 100_000.0;
/// Commissions of both sides over the notional: a tenth of a basis point, so that fees are seen and cost next to nothing.
pub(crate) const FEE: f64 = 1e-5;

const SECONDS_A_DAY: f64 = 86_400.0;

/// A position at its close.
pub(crate) struct Closed {
    pub instrument: String,
    pub side: Side,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub opened_at: i64,
    pub closed_at: i64,
    /// The position of the day of the close.
    pub at: usize,
    /// Currency.
    pub notional: f64,
    pub entry_price: f64,
    /// The profit after fees, over the notional.
    pub net: f64,
    /// Fees over the notional.
    pub fee: f64,
    pub benchmark_of_hold: f64,
    /// Over the notional.
    pub max_loss: Option<f64>,
    pub outcome: Option<bool>,
}

/// A balance, and the trades that made it.
pub(crate) struct Ledger<'a> {
    market: &'a Market,
    pub balance: f64,
    pub trades: Vec<Trade>,
    pub marks: Vec<Mark>,
}

impl<'a> Ledger<'a> {
    pub fn new(market: &'a Market) -> Self {
        Self { market, balance: START, trades: Vec::new(), marks: Vec::new() }
    }

    /// Writes a close. Prices show the profit before fees.
    pub fn close(&mut self, closed: Closed) {
        let Closed { notional, entry_price, .. } = closed;
        let pnl_net = notional * closed.net;
        let gross = closed.net + closed.fee;
        // Nobody truthfully says that less could be lost than was lost.
        let max_loss = closed.max_loss.map(|share| (notional * share).max(-pnl_net));
        self.trades.push(Trade {
            opened_at: closed.opened_at,
            closed_at: closed.closed_at,
            instrument: closed.instrument,
            side: closed.side,
            size: notional / entry_price,
            entry_price,
            exit_price: entry_price * (1.0 + closed.side.sign() * gross),
            fees: notional * closed.fee,
            pnl_net,
            equity_before: self.balance,
            benchmark_of_hold: closed.benchmark_of_hold,
            benchmark_of_close_day: self.market.day(closed.at),
            max_loss,
            outcome: closed.outcome,
        });
        self.balance += pnl_net;
    }

    /// Draws the market's return over that many seconds of a day.
    pub fn within(&self, at: usize, seconds: i64, random: &mut Random) -> f64 {
        let seconds = i32::try_from(seconds).map_or(SECONDS_A_DAY, f64::from);
        self.market.within(at, seconds / SECONDS_A_DAY, random)
    }

    /// Writes the equity at the close of a day: the balance, and what the open positions gained so far.
    pub fn mark(&mut self, at: usize, open_profit: f64) {
        self.marks.push(Mark {
            day: date(at),
            equity: self.balance + open_profit,
            benchmark: self.market.day(at),
        });
    }
}

/// Draws a side by a fair coin.
pub(crate) fn any_side(random: &mut Random) -> Side {
    if random.uniform() < 0.5 { Side::Long } else { Side::Short }
}

/// The costs of a liquid future: .7 basis points a side.
pub(crate) const LIQUID: Costs = Costs {
    half_spread: 5e-5,
    fee: 2e-5,
    order_size: 10_000.0,
    adv: 1e9,
    daily_volatility: 0.01,
    latency_seconds: 2.0,
};

/// Costs that are those of a liquid future for all instruments.
pub(crate) const fn liquid() -> CopyCosts {
    CopyCosts { general: LIQUID, by_instrument: Vec::new(), measured_drift: 0.0 }
}

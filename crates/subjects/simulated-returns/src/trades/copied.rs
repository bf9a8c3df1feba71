//! Records that should not be copied, whatever their owner earns.
//!
//! Source: the independent report on `copy-trade-score/1`, gap 6; sizes and spreads are those of its worst requests.

use super::intraday::{Leg, legs};
use super::ledger::{Closed, FEE, LIQUID, Ledger, any_side, liquid};
use crate::market::{Market, WARM_UP, moment};
use crate::random::Random;
use crate::record::{CopyCosts, Costs};

/// The illiquid token: a round trip costs 2 % and more.
const TOKEN: Costs = Costs {
    half_spread: 0.01,
    fee: 2e-5,
    order_size: 10_000.0,
    adv: 1e6,
    daily_volatility: 0.05,
    latency_seconds: 2.0,
};

/// Two trades a day in BTC without an edge, and one in a token that earns .75 % of its notional and costs 2 %.
pub(crate) fn mixed<'a>(market: &'a Market, random: &mut Random) -> (Ledger<'a>, CopyCosts) {
    let token =
        Leg { instrument: "TOKEN", trades_a_day: 1, leverage: 0.107, mean: 8e-4, spread: 0.005, hold: 2_900 };
    let btc =
        Leg { instrument: "BTC", trades_a_day: 2, leverage: 0.107, mean: 0.0, spread: 0.00105, hold: 2_900 };
    let costs = CopyCosts { by_instrument: vec![("TOKEN".to_owned(), TOKEN)], ..liquid() };
    (legs(market, &[token, btc], random), costs)
}

/// The mean of a scalper's trade, over its notional.
pub(crate) const SCALP: f64 = 6e-4;

/// Six trades a day of a minute. The edge of 6 basis points is gone before a copier's fill.
pub(crate) fn scalper<'a>(market: &'a Market, random: &mut Random) -> (Ledger<'a>, CopyCosts) {
    let leg = Leg { instrument: "ES", trades_a_day: 6, leverage: 1.0, mean: SCALP, spread: 0.0024, hold: 60 };
    (legs(market, &[leg], random), CopyCosts { measured_drift: SCALP, ..liquid() })
}

/// One trade a day with a true edge (Sharpe ratio 3 a year, 1 % of daily volatility) at that notional over the balance.
pub(crate) fn levered<'a>(market: &'a Market, leverage: f64, random: &mut Random) -> (Ledger<'a>, CopyCosts) {
    let mean = crate::market::daily(3.0, 0.01);
    let leg = Leg { instrument: "BTC", trades_a_day: 1, leverage, mean, spread: 0.01, hold: 3_000 };
    let cheap = Costs { half_spread: 4e-7, fee: 2e-7, adv: 1e10, daily_volatility: 5e-4, ..LIQUID };
    (legs(market, &[leg], random), CopyCosts { general: cheap, ..liquid() })
}

/// One trade a day of .5 % of the balance, in Student's t with 5 degrees of freedom and without an edge: of `leaders`
/// such records the one with the greatest Sharpe ratio.
pub(crate) fn best_leader<'a>(
    market: &'a Market,
    leaders: usize,
    random: &mut Random,
) -> (Ledger<'a>, CopyCosts) {
    const SPREAD: f64 = 0.005;
    let days = market.len() - WARM_UP;
    let best = crate::days::selection::best_of(leaders, days, random);
    let mut ledger = Ledger::new(market);
    for (day, z) in best.iter().enumerate() {
        let at = WARM_UP + day;
        let benchmark_of_hold = ledger.within(at, 3_600, random);
        let net = (SPREAD * z).max(-5.0 * SPREAD);
        ledger.close(Closed {
            instrument: "ES".to_owned(),
            side: any_side(random),
            opened_at: moment(at, 30_000),
            closed_at: moment(at, 33_600),
            at,
            notional: ledger.balance,
            entry_price: 5_000.0,
            net,
            fee: FEE,
            benchmark_of_hold,
            max_loss: Some(5.0 * SPREAD),
            outcome: None,
        });
    }
    (ledger, liquid())
}

//! Daily returns that are the market's, or cash's.
//!
//! Source: the independent report on `grade-strategy/2`, gap 1 (delayed and averaged marks: Dimson 1979; Getmansky, Lo
//! and Makarov 2004), gap 4 (cash: Sharpe 1994), and its table of verdicts (levered and switching beta).

use super::{SPREAD, Series};
use crate::YEAR;
use crate::market::{Market, WARM_UP};
use crate::process::mean;
use crate::random::Random;

/// The daily standard deviation of a fund around its index.
const TRACKING: f64 = 0.003;
/// What cash pays in a year.
pub(crate) const CASH: f64 = 0.05;
/// A trading month, in days.
const MONTH: usize = 21;

/// A record with the market as its benchmark.
fn against(market: &Market, x: impl FnMut(usize) -> f64) -> Series {
    Series::new((WARM_UP..market.len()).map(x).collect(), market.of_record())
}

/// The index of the day before, and noise: the fund's days end in a later time zone than the benchmark's.
pub(crate) fn late(market: &Market, random: &mut Random) -> Series {
    against(market, |at| market.day(at - 1) + TRACKING * random.normal())
}

/// The index of the day after, and noise: the fund's days end before the benchmark's.
pub(crate) fn early(market: &Market, random: &mut Random) -> Series {
    let last = market.len() - 1;
    let series = against(market, |at| market.day(at) + TRACKING * random.normal());
    // The benchmark is delayed instead: its next day lies after the record.
    let b: Vec<f64> = (WARM_UP..=last).map(|at| market.day(at - 1)).collect();
    Series { b, ..series }
}

/// The index at marks that average the last `days` days, and noise.
pub(crate) fn averaged(market: &Market, days: usize, random: &mut Random) -> Series {
    against(market, |at| {
        let window: Vec<f64> = (0..days).map(|lag| market.day(at - lag)).collect();
        mean(&window) + TRACKING * random.normal()
    })
}

/// The index, whose owner states that cash is the benchmark.
pub(crate) fn index_as_cash(market: &Market, random: &mut Random) -> Series {
    let series = against(market, |at| market.day(at) + TRACKING * random.normal());
    Series { b: Vec::new(), ..series }
}

/// The market levered 1.5 times, and noise of .4 %.
pub(crate) fn levered_beta(market: &Market, random: &mut Random) -> Series {
    against(market, |at| 1.5 * market.day(at) + 0.4 * SPREAD * random.student_t(5))
}

/// The market at a beta of .5 or 1.5, drawn anew each month, and noise of .3 %.
pub(crate) fn switching_beta(market: &Market, random: &mut Random) -> Series {
    let mut beta = 1.0;
    against(market, |at| {
        if (at - WARM_UP).is_multiple_of(MONTH) {
            beta = if random.uniform() < 0.5 { 0.5 } else { 1.5 };
        }
        beta * market.day(at) + TRACKING * random.normal()
    })
}

/// A ladder of Treasury bills: 5 % a year, .43 % of yearly volatility, cash as the benchmark.
pub(crate) fn treasury_bills(days: usize, random: &mut Random) -> Series {
    const NOISE: f64 = 0.00027;
    let x = (0..days).map(|_| CASH / YEAR + NOISE * random.normal()).collect();
    Series { x, b: Vec::new(), stake: 10.0 * NOISE }
}

/// A market-neutral account without skill: 2 % of yearly volatility in Student's t with 5 degrees of freedom, and 5 % a
/// year of interest on its margin.
pub(crate) fn carry(market: &Market, random: &mut Random) -> Series {
    let spread = 0.02 / libm::sqrt(YEAR);
    let series = against(market, |_| CASH / YEAR + spread * random.student_t(5));
    Series { stake: 5.0 * spread, ..series }
}

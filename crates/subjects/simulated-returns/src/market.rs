//! The market that simulated trades are held against, and the calendar of its days.
//!
//! Positions count trading days, five of seven. Those before [`WARM_UP`] lie before the record: averages and delayed
//! series need them.

use crate::YEAR;
use crate::process::garch;
use crate::random::Random;
use crate::record::FIRST_DAY;

/// The standard deviation of a day's market return.
pub(crate) const VOLATILITY: f64 = 0.01;
/// Number of trading days before a record's first; whole weeks.
pub(crate) const WARM_UP: usize = 65;
/// The second of a day at which the market closes: 20:00 UTC.
pub(crate) const CLOSE: i64 = 72_000;

const SECONDS_A_DAY: i64 = 86_400;
const DAYS_A_WEEK: i32 = 7;
const WARM_UP_WEEKS: i32 = 13;

/// A market's daily returns and the level of an index of them.
pub(crate) struct Market {
    returns: Vec<f64>,
    levels: Vec<f64>,
}

impl Market {
    /// Draws a warm-up and `days` days of a market of 1 % daily volatility and of that Sharpe ratio a year: GARCH(1, 1)
    /// (Bollerslev 1986).
    pub fn new(sharpe: f64, days: usize, random: &mut Random) -> Self {
        let n = WARM_UP + days;
        let noise = garch(n, random);
        let drift = daily(sharpe, VOLATILITY);
        let returns: Vec<f64> = noise.iter().map(|z| drift + VOLATILITY * z).collect();
        let levels = levels(&returns);
        Self { returns, levels }
    }

    /// Number of positions: the warm-up and the record.
    pub fn len(&self) -> usize {
        self.returns.len()
    }

    /// The market's return over the day at a position.
    pub fn day(&self, at: usize) -> f64 {
        self.returns.get(at).copied().unwrap_or_default()
    }

    /// The index at the close of the day at a position.
    pub fn level(&self, at: usize) -> f64 {
        self.levels.get(at).copied().unwrap_or(1.0)
    }

    /// The market's return from the close at one position to the close at a later one.
    pub fn hold(&self, opened: usize, closed: usize) -> f64 {
        self.level(closed) / self.level(opened) - 1.0
    }

    /// Draws the market's return over a part of a day, given the day's: an increment of a Brownian bridge.
    pub fn within(&self, at: usize, share: f64, random: &mut Random) -> f64 {
        share * self.day(at) + VOLATILITY * libm::sqrt(share * (1.0 - share)) * random.normal()
    }

    /// The returns of the record's own days.
    pub fn of_record(&self) -> &[f64] {
        self.returns.get(WARM_UP..).unwrap_or_default()
    }
}

/// The level of an index that starts at 100, at the close of each day.
pub(crate) fn levels(returns: &[f64]) -> Vec<f64> {
    let step = |level: &mut f64, r: &f64| {
        *level *= 1.0 + r;
        Some(*level)
    };
    returns.iter().scan(100.0, step).collect()
}

/// The mean of a day with that Sharpe ratio a year and that daily standard deviation.
pub(crate) fn daily(sharpe: f64, spread: f64) -> f64 {
    sharpe / libm::sqrt(YEAR) * spread
}

/// The date at a position, in days since 1970-01-01. Position [`WARM_UP`] is [`FIRST_DAY`], a Monday.
pub(crate) fn date(at: usize) -> i32 {
    let at = i32::try_from(at).unwrap_or(i32::MAX / 10);
    FIRST_DAY - WARM_UP_WEEKS * DAYS_A_WEEK + at / 5 * DAYS_A_WEEK + at % 5
}

/// A second of the day at a position, in seconds since 1970-01-01T00:00:00Z.
pub(crate) fn moment(at: usize, second: i64) -> i64 {
    i64::from(date(at)) * SECONDS_A_DAY + second
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::mean;
    use crate::random::count;

    #[test]
    fn a_record_begins_on_its_first_day_and_has_no_weekends() {
        assert_eq!(date(WARM_UP), FIRST_DAY);
        for at in 0..400 {
            // 1970-01-01 was a Thursday.
            assert!((date(at) + 3) % 7 < 5, "{at}");
            assert!(date(at + 1) > date(at));
        }
    }

    #[test]
    fn a_market_has_its_sharpe_ratio_and_its_volatility() {
        let market = Market::new(1.0, 400_000, &mut Random::new("market", 0));
        let x = market.of_record();
        let mean = mean(x);
        let variance = x.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / count(x.len());
        assert!((libm::sqrt(variance) / VOLATILITY - 1.0).abs() < 0.05, "{variance}");
        assert!((mean / daily(1.0, VOLATILITY) - 1.0).abs() < 0.15, "{mean}");
    }
}

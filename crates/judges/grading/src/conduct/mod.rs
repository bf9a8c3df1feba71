//! How the sizes of positions follow what was gained and lost before: martingales, grids, positions out of proportion.
//!
//! All is measured on positions from flat to flat, since a martingale in lots of equal size has rows of equal size.
//!
//! | module | holds |
//! |---|---|
//! | `after_loss` | sizes that grow after losses |
//! | `added` | positions that grow while they lose |

mod added;
mod after_loss;

use crate::input::{Position, Trade, positions};
use crate::statistics::moments::mean;
use crate::statistics::performance::quantile_of_sorted;

use after_loss::Growth;

/// The correlation of sizes with a loss before them at which sizes grow with losses.
pub const MARTINGALE: f64 = 0.3;
/// The most that the largest position may be, in medians.
pub const MOST_MEDIANS: f64 = 4.0;
/// The share of added positions that were added to at a loss from which on a record is a grid.
pub const GRID: f64 = 0.9;

/// The conduct of settled trades. `None` stands for a figure that the rows do not give.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Conduct {
    /// The correlation of the logarithm of a position's size with a loss of the position that closed before it, -1 to 1: over all
    /// positions or within instruments, whichever is greater.
    pub size_after_loss: Option<f64>,
    /// The largest position divided by the median position, both over equity.
    pub largest_over_median: Option<f64>,
    /// The share of the positions that were added to, at prices worse than those of what was open, 0 to 1. It is 0 where fewer
    /// than 20 were added to, or none grew more than fourfold that way.
    pub added_to_losers: Option<f64>,
    /// True if sizes, or results where sizes are not certain, grow after losses by more than chance.
    grows_after_losses: bool,
}

impl Conduct {
    /// Measures settled trades, in any order.
    pub fn of(settled: &[&Trade]) -> Self {
        let positions = positions(settled);
        let sizes = Sizes::of(&positions, settled);
        let by_size = sizes.as_ref().map(|sizes| Growth::of(&positions, &sizes.earned));
        // Where no price confirms a size, the results show the stakes.
        let is_certain = sizes.is_some() && settled.iter().all(|trade| trade.is_priced());
        let by_result = (!is_certain).then(|| Growth::of(&positions, &results(&positions)));
        let both = [by_size, by_result].into_iter().flatten();
        let greatest = both
            .clone()
            .filter_map(|growth| growth.correlation)
            .fold(None, |most: Option<f64>, found| Some(most.map_or(found, |most| most.max(found))));
        Self {
            size_after_loss: greatest.filter(|_| sizes.is_some()),
            largest_over_median: sizes.and_then(|sizes| largest_over_median(sizes.stated)),
            added_to_losers: added::share(&positions),
            grows_after_losses: both.into_iter().any(|growth| growth.is_martingale),
        }
    }

    /// Returns true if sizes grow after losses by more than chance, or positions while they lose. An honest record is called so
    /// less than once in 1,000 times.
    pub fn is_martingale(&self) -> bool {
        self.grows_after_losses || self.added_to_losers.is_some_and(|share| share >= GRID)
    }
}

/// Each position's greatest notional over an equity at its opening; `None` if one is not known.
struct Sizes {
    /// Over the equity that is stated before the first close after the opening. That before the position's own close would not do:
    /// what is lost meanwhile would make the position look large.
    stated: Vec<f64>,
    /// Over the first equity that is stated and the profits since, so that an account that grows does not look like growing stakes,
    /// and no other stated equity can hide them.
    earned: Vec<f64>,
}

impl Sizes {
    fn of(positions: &[Position<'_>], settled: &[&Trade]) -> Option<Self> {
        let mut closes: Vec<&Trade> = settled.to_vec();
        closes.sort_by(|one, other| one.order(other));
        let first = closes.first().and_then(|first| first.equity_before);
        let add = |equity: &mut Option<f64>, trade: &&Trade| {
            let before = *equity;
            *equity = equity.zip(trade.pnl_net).map(|(equity, pnl)| equity + pnl);
            Some(before)
        };
        let earned: Vec<Option<f64>> = closes.iter().scan(first, add).collect();
        let mut sizes = Self { stated: Vec::new(), earned: Vec::new() };
        for position in positions {
            let has_hold = position.opened < position.closed;
            let next = closes.partition_point(|trade| {
                trade.closed_at.is_none_or(|at| at < position.opened || (has_hold && at == position.opened))
            });
            let stated = closes.get(next)?.equity_before?;
            // Where more was taken out than was there at first, the statement stands.
            let earned = earned.get(next).copied().flatten().filter(|equity| *equity > 0.0).unwrap_or(stated);
            let notional = position.notional()?;
            sizes.stated.push(Some(notional / stated).filter(|size| size.is_finite() && *size > 0.0)?);
            sizes.earned.push(Some(notional / earned).filter(|size| size.is_finite() && *size > 0.0)?);
        }
        Some(sizes)
    }
}

/// The gain or loss of each position over equity without sign, in geometric means of all that gained or lost like it: gains are not
/// as large as losses in most records, and that alone says nothing of stakes. One that is not known is nothing, which no logarithm
/// counts.
fn results(positions: &[Position<'_>]) -> Vec<f64> {
    let profits: Vec<f64> = positions.iter().map(|position| position.profit().unwrap_or(0.0)).collect();
    let mean_log = |is_loss: bool| {
        let alike = profits.iter().filter(|profit| (**profit < 0.0) == is_loss);
        let logs: Vec<f64> =
            alike.map(|profit| libm::log(profit.abs())).filter(|log| log.is_finite()).collect();
        mean(&logs)
    };
    let (of_gains, of_losses) = (libm::exp(mean_log(false)), libm::exp(mean_log(true)));
    profits.iter().map(|profit| if *profit < 0.0 { -profit / of_losses } else { profit / of_gains }).collect()
}

fn largest_over_median(mut sizes: Vec<f64>) -> Option<f64> {
    sizes.sort_by(f64::total_cmp);
    let largest = sizes.last()?;
    Some(largest / quantile_of_sorted(&sizes, 0.5)).filter(|ratio| ratio.is_finite())
}

#[cfg(test)]
mod tests;

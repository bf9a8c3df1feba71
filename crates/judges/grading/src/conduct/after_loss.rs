//! Sizes that grow after losses.
//!
//! A martingale raises its stake after a loss and takes it back after a gain. The loss counts as lost or not, rather than by its
//! amount: amounts follow sizes, so that a trader who trades larger in one year than in another would look like a martingale.

use super::MARTINGALE;
use crate::input::Position;
use crate::statistics::count;
use crate::statistics::moments::{correlation, mean};

/// Sizes whose logarithms spread by less than that, in standard deviations, do not differ: their correlation with
/// anything is that of rounding.
const LEAST_SPREAD: f64 = 0.05;
/// The t statistic of a correlation that chance alone reaches once in 10,000 times (Student 1908; the normal quantile).
const SIGNIFICANT: f64 = 3.72;

/// A size, and if what closed before it lost.
#[derive(Clone, Copy)]
struct Pair {
    log_size: f64,
    lost: bool,
}

/// The growth of sizes after losses.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Growth {
    /// The greater of the two correlations; `None` if too few positions follow another.
    pub correlation: Option<f64>,
    /// True if one of them is [`MARTINGALE`] or more, by more than chance.
    pub is_martingale: bool,
}

impl Growth {
    /// Measures positions, in order of instrument and time, and a size for each. Sizes of nothing are left out.
    pub fn of(positions: &[Position<'_>], sizes: &[f64]) -> Self {
        let found = [overall(positions, sizes), within_instruments(positions, sizes)];
        let found = found.iter().filter_map(|pairs| Some((correlated(pairs)?, count(pairs.len()))));
        found.fold(Self::default(), |growth, (found, n)| {
            let t = found * libm::sqrt((n - 2.0) / (1.0 - found * found));
            Self {
                correlation: Some(growth.correlation.map_or(found, |greatest| greatest.max(found))),
                is_martingale: growth.is_martingale || (found >= MARTINGALE && t >= SIGNIFICANT),
            }
        })
    }
}

/// Pairs each position with the last that had closed when it was opened.
fn overall(positions: &[Position<'_>], sizes: &[f64]) -> Vec<Pair> {
    let mut closes: Vec<&Position<'_>> = positions.iter().collect();
    // Stable, so that of those that close together the last in order of instrument counts.
    closes.sort_by_key(|position| position.closed);
    let pair = |(position, size): (&Position<'_>, &f64)| {
        let has_hold = position.opened < position.closed;
        let known = closes.partition_point(|closed| {
            closed.closed < position.opened || (has_hold && closed.closed == position.opened)
        });
        let before = closes.get(known.checked_sub(1)?)?;
        of(*size, before)
    };
    positions.iter().zip(sizes).filter_map(pair).collect()
}

/// Pairs each position with the one before it in its instrument, its size in means of that instrument.
fn within_instruments(positions: &[Position<'_>], sizes: &[f64]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut sizes = sizes.iter();
    for of_one in positions.chunk_by(|one, other| one.instrument() == other.instrument()) {
        let sizes: Vec<f64> = sizes.by_ref().take(of_one.len()).copied().collect();
        let following = of_one.iter().zip(sizes.iter().skip(1));
        let first = pairs.len();
        pairs.extend(following.filter_map(|(before, size)| of(*size, before)));
        let own: &mut [Pair] = pairs.get_mut(first..).unwrap_or_default();
        let middle = mean(&own.iter().map(|pair| pair.log_size).collect::<Vec<_>>());
        own.iter_mut().for_each(|pair| pair.log_size -= middle);
    }
    pairs
}

fn of(size: f64, before: &Position<'_>) -> Option<Pair> {
    let log_size = libm::log(size);
    log_size.is_finite().then_some(Pair { log_size, lost: before.profit()? < 0.0 })
}

fn correlated(pairs: &[Pair]) -> Option<f64> {
    if pairs.len() < 2 {
        return None;
    }
    let logs: Vec<f64> = pairs.iter().map(|pair| pair.log_size).collect();
    let lost: Vec<f64> = pairs.iter().map(|pair| if pair.lost { 1.0 } else { 0.0 }).collect();
    let middle = mean(&logs);
    let squares: Vec<f64> = logs.iter().map(|log| (log - middle) * (log - middle)).collect();
    let is_constant = lost.iter().all(|one| lost.first() == Some(one));
    if libm::sqrt(mean(&squares)) < LEAST_SPREAD || is_constant {
        return Some(0.0);
    }
    Some(correlation(&logs, &lost)).filter(|found| found.is_finite())
}

//! Positions that grow while they lose: entries added at worse prices than those of what is open, as a grid makes them.
//!
//! A trader who builds positions in parts adds at better prices about as often as at worse ones, and one who follows the trend
//! mostly at better ones. Positions are independent where the entries of one are not, so positions are counted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::MOST_MEDIANS;
use crate::input::{Position, Side, Trade};
use crate::statistics::count;

/// The fewest positions that were added to of which a share is taken. By chance 18 of 20 or more are added to at a loss once in
/// 5,000 times.
const FEWEST: usize = 20;

/// The trades that were open on one side.
#[derive(Clone, Copy, Default)]
struct Open {
    size: f64,
    notional: f64,
    /// The notional of the first entry since nothing was open.
    first: f64,
}

/// The additions to a position.
#[derive(Clone, Copy, Default)]
struct Added {
    /// Notional that was added at worse prices, and at others.
    worse: f64,
    other: f64,
    /// The greatest notional that was open over that of the first entry.
    growth: f64,
}

/// Returns the share, 0 to 1; `None` if a trade of a position with several does not say its entry.
pub fn share(positions: &[Position<'_>]) -> Option<f64> {
    let several = positions.iter().filter(|position| position.trades.len() > 1);
    let added: Vec<Added> = several.map(added).collect::<Option<_>>()?;
    let added: Vec<Added> = added.into_iter().filter(|added| added.worse + added.other > 0.0).collect();
    let losing: Vec<&Added> = added.iter().filter(|added| added.worse > added.other).collect();
    let growth = losing.iter().fold(0.0_f64, |most, added| most.max(added.growth));
    if added.len() < FEWEST || growth <= MOST_MEDIANS {
        return Some(0.0);
    }
    Some(count(losing.len()) / count(added.len()))
}

/// An entry: when it was open, its side, price and size.
struct Entry {
    is_long: bool,
    price: f64,
    size: f64,
}

impl Entry {
    fn of(trade: &Trade) -> Option<Self> {
        Some(Self { is_long: trade.side? != Side::Short, price: trade.entry_price?, size: trade.size? })
    }
}

fn added(position: &Position<'_>) -> Option<Added> {
    let mut added = Added::default();
    // Short and long, each with what closes first on top.
    let mut open = [Open::default(); 2];
    let mut closes: BinaryHeap<Reverse<(_, usize)>> = BinaryHeap::new();
    let is_bet = |trade: &&&Trade| trade.outcome.is_some();
    let trades: Vec<&Trade> = position.trades.iter().filter(|trade| !is_bet(trade)).copied().collect();
    let entries: Vec<Entry> = trades.iter().map(|trade| Entry::of(trade)).collect::<Option<_>>()?;
    let holds = trades.iter().map(|trade| trade.hold()).collect::<Option<Vec<_>>>()?;
    let all: Vec<_> = entries.iter().zip(holds).enumerate().collect();
    // What opens at one moment is one entry.
    for together in all.chunk_by(|one, other| one.1.1.0 == other.1.1.0) {
        let Some((_, (_, (now, _)))) = together.first() else { continue };
        while let Some(Reverse((closed, at))) = closes.peek().copied() {
            if closed > *now {
                break;
            }
            closes.pop();
            let Some(entry) = entries.get(at) else { continue };
            let side = &mut open[usize::from(entry.is_long)];
            side.size -= entry.size;
            side.notional -= entry.size * entry.price;
            // What is left of sums of which all was taken away is rounding.
            if side.notional <= 1e-9 * side.first {
                *side = Open::default();
            }
        }
        let before = open;
        for (at, (entry, (_, closed))) in together {
            let held = before[usize::from(entry.is_long)];
            let notional = entry.size * entry.price;
            let side = &mut open[usize::from(entry.is_long)];
            side.size += entry.size;
            side.notional += notional;
            if held.size > 0.0 {
                let mean = held.notional / held.size;
                let is_worse = if entry.is_long { entry.price < mean } else { entry.price > mean };
                *(if is_worse { &mut added.worse } else { &mut added.other }) += notional;
                added.growth = added.growth.max(side.notional / held.first);
            } else {
                side.first += notional;
            }
            closes.push(Reverse((*closed, *at)));
        }
    }
    Some(added)
}

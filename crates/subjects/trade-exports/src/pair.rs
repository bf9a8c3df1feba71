//! Pairs fills to positions, from flat to flat.
//!
//! # Invariants
//!
//! - The sum of `pnl_net` is the sum of what the fills were worth, or of the profits that the platform states, less fees, with
//!   funding. What is left out is counted.
//! - A part that was closed of a position that is still open counts as settled, at the average price of the opening, so that
//!   no rest hides a loss.

use std::collections::BTreeMap;

use crate::Decimal;
use crate::error::{ImportError, Problem};
use crate::fill::{Effect, Fill, sort};
use crate::lost::{LossCode, Losses};
use crate::options::Options;
use crate::running::Running;
use crate::trade::{Side, Trade};

const OPENING_MISSING: &str = "positions were opened before the file begins: their stated profit counts without prices, and where \
                               none is stated they are left out; send an export that begins while nothing is held";
const FILLS_MISSING: &str =
    "fills are missing between two others, by the position that the platform states; send the whole history";
const OPEN: &str =
    "positions are open at the end of the file; add `open_pnl` to the trades with `settled` false";

/// The side of a hedging account, or the net position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Leg {
    Net,
    Long,
    Short,
}

/// Pairs fills.
pub(crate) struct Pairing<'a> {
    options: &'a Options,
    losses: &'a mut Losses,
    /// False for accounts that can sell only what they hold.
    shorts: bool,
    open: BTreeMap<(String, Leg), Running>,
    trades: Vec<Trade>,
}

/// Makes the trades of fills.
///
/// # Errors
/// [`Problem::TooGreat`] for sums beyond what can be held.
pub(crate) fn pair(
    mut fills: Vec<Fill>,
    shorts: bool,
    options: &Options,
    losses: &mut Losses,
) -> Result<Vec<Trade>, ImportError> {
    sort(&mut fills);
    let mut by_instrument: BTreeMap<&str, Vec<&Fill>> = BTreeMap::new();
    for fill in &fills {
        by_instrument.entry(&fill.instrument).or_default().push(fill);
    }
    let mut pairing = Pairing { options, losses, shorts, open: BTreeMap::new(), trades: Vec::new() };
    for fills in by_instrument.into_values() {
        for moment in fills.chunk_by(|one, other| one.at == other.at) {
            pairing.moment(moment)?;
        }
    }
    pairing.end()
}

impl Pairing<'_> {
    /// All fills of an instrument at one time. Where the platform states the position before each, they are taken in the order
    /// that fits it better, forward or backward.
    fn moment(&mut self, fills: &[&Fill]) -> Result<(), ImportError> {
        let links = |fills: &mut dyn Iterator<Item = &&Fill>| {
            let mut at: Option<Decimal> = None;
            fills.fold(0_usize, |links, fill| {
                let fits = at.is_some() && at == fill.start;
                at = fill.start.and_then(|start| start.plus(fill.size));
                links + usize::from(fits)
            })
        };
        let backward = links(&mut fills.iter().rev()) > links(&mut fills.iter());
        let first = if backward { fills.last() } else { fills.first() };
        if let Some(first) = first.filter(|fill| fill.start.is_some()) {
            self.check_start(first, fills)?;
        }
        let apply = |fill: &&Fill| self.apply(fill);
        if backward { fills.iter().rev().try_for_each(apply) } else { fills.iter().try_for_each(apply) }
    }

    /// Compares the position with the one that the platform states.
    fn check_start(&mut self, first: &Fill, fills: &[&Fill]) -> Result<(), ImportError> {
        let key = (first.instrument.clone(), Leg::Net);
        let held = self.open.get(&key).map_or(Decimal::ZERO, Running::signed);
        let Some(start) = first.start.filter(|_| fills.iter().all(|fill| fill.start != Some(held))) else {
            return Ok(());
        };
        match self.open.remove(&key) {
            Some(running) => {
                self.losses.count(LossCode::FillsMissing, FILLS_MISSING);
                self.trades.extend(running.broken_off());
            }
            None => self.losses.count(LossCode::OpeningMissing, OPENING_MISSING),
        }
        if !start.is_zero() {
            self.open.insert(key, Running::unknown(first, start, self.multiplier(first)));
        }
        Ok(())
    }

    fn apply(&mut self, fill: &Fill) -> Result<(), ImportError> {
        let legs = if fill.is_buy() { (Leg::Long, Leg::Short) } else { (Leg::Short, Leg::Long) };
        let (closing, opening) = match fill.effect {
            Effect::Net => (Some(Leg::Net), Some(Leg::Net)),
            Effect::Open => (None, Some(legs.0)),
            Effect::Close => (Some(legs.1), None),
            Effect::Reverse => (Some(legs.1), Some(legs.0)),
        };
        let size = fill.size.abs();
        let mut left = size;
        let mut fee_left = fill.fee;
        let opposite = if fill.is_buy() { Side::Short } else { Side::Long };
        let key = closing.map(|leg| (fill.instrument.clone(), leg));
        let held =
            key.as_ref().and_then(|key| self.open.get_mut(key)).filter(|running| running.side == opposite);
        if let Some(running) = held {
            let part = running.held.min(left);
            let fee = if part == size {
                fill.fee
            } else {
                share(fill.fee, part, size).ok_or_else(|| too_great(fill))?
            };
            running.close(fill, part, fee).ok_or_else(|| too_great(fill))?;
            left = left.minus(part).ok_or_else(|| too_great(fill))?;
            fee_left = fee_left.minus(fee).ok_or_else(|| too_great(fill))?;
            if running.is_flat(self.options.dust, self.losses)
                && let Some(running) = key.and_then(|key| self.open.remove(&key))
            {
                self.trades.extend(running.finished().ok_or_else(|| too_great(fill))?);
            }
        } else if fill.is_close
            || fill.profit.is_some_and(|profit| !profit.is_zero())
            || fill.effect == Effect::Close
        {
            self.orphan(fill);
            return Ok(());
        }
        if left.is_zero() {
            return Ok(());
        }
        match opening {
            Some(Leg::Net) if !self.shorts && !fill.is_buy() => self.oversold(),
            None => self.oversold(),
            Some(leg) => self.open(fill, leg, left, fee_left).ok_or_else(|| too_great(fill))?,
        }
        Ok(())
    }

    fn open(&mut self, fill: &Fill, leg: Leg, size: Decimal, fee: Decimal) -> Option<()> {
        let key = (fill.instrument.clone(), leg);
        let multiplier = self.multiplier(fill);
        self.open.entry(key).or_insert_with(|| Running::new(fill, multiplier)).add(fill, size, fee)
    }

    fn multiplier(&self, fill: &Fill) -> Decimal {
        self.options.multiplier_of(&fill.instrument).unwrap_or(Decimal::ONE)
    }

    fn oversold(&mut self) {
        self.losses.count(LossCode::OpeningMissing, OPENING_MISSING);
    }

    /// A fill that closes what the file does not open. Its stated profit counts.
    fn orphan(&mut self, fill: &Fill) {
        self.losses.count(LossCode::OpeningMissing, OPENING_MISSING);
        let net =
            fill.profit.or(fill.orphan_profit).and_then(|profit| profit.minus(fill.fee)?.plus(fill.funding));
        let Some(net) = net else { return };
        self.trades.push(Trade {
            row: fill.row,
            id: format!("row-{}", fill.row),
            instrument: Some(fill.instrument.clone()),
            side: Some(if fill.is_buy() { Side::Short } else { Side::Long }),
            closed_at: Some(fill.at),
            fees: fill.fee.minus(fill.funding),
            pnl_net: Some(net),
            ..Trade::default()
        });
    }

    fn end(mut self) -> Result<Vec<Trade>, ImportError> {
        for running in std::mem::take(&mut self.open).into_values() {
            self.losses.count(LossCode::OpenPositions, OPEN);
            let row = running.row;
            self.trades.extend(running.still_open().ok_or_else(|| Problem::TooGreat.at(row))?);
        }
        Ok(self.trades)
    }
}

fn too_great(fill: &Fill) -> ImportError {
    Problem::TooGreat.at(fill.row)
}

/// The share of an amount that `part` of `whole` makes.
pub(crate) fn share(amount: Decimal, part: Decimal, whole: Decimal) -> Option<Decimal> {
    if amount.is_zero() {
        return Some(amount);
    }
    amount.times(part)?.over(whole)
}

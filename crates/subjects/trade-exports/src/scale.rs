//! The multiplier of each instrument: lots and contracts to units of the underlying.

use std::collections::BTreeMap;

use crate::Decimal;
use crate::lost::{LossCode, Losses};
use crate::options::Options;
use crate::trade::Trade;

const DERIVED: &str =
    "the units of a lot or contract were found from the stated profits; set `multipliers` if they are others";
const DROPPED: &str = "prices and size do not make the stated profit and were left out; set `multipliers`, and `fx_rate` where prices \
                       are in another currency than profits";

/// Applies the multipliers: that of the options, or one with which prices and sizes make the stated profits. Where there is
/// none, prices and sizes are left out, since a request must not contradict itself.
pub(crate) fn apply(trades: &mut [Trade], has_lots: bool, options: &Options, losses: &mut Losses) {
    let mut by_instrument: BTreeMap<String, Vec<&mut Trade>> = BTreeMap::new();
    for trade in trades {
        by_instrument.entry(trade.instrument.clone().unwrap_or_default()).or_default().push(trade);
    }
    for (instrument, mut trades) in by_instrument {
        let given = options.multiplier_of(&instrument);
        let multiplier = given.or_else(|| if has_lots { found(&trades) } else { Some(Decimal::ONE) });
        if given.is_none() && multiplier.is_some_and(|multiplier| multiplier != Decimal::ONE) {
            losses.count(LossCode::MultiplierDerived, DERIVED);
        }
        for trade in &mut trades {
            let keeps = match multiplier {
                Some(multiplier) => {
                    trade.agrees(multiplier).unwrap_or(true) || fits_without_fees(trade, multiplier)
                }
                None => trade.gross(Decimal::ONE).is_none(),
            };
            if keeps {
                let scaled = |size: Decimal| size.times(multiplier.unwrap_or(Decimal::ONE));
                trade.size = trade.size.and_then(scaled);
            } else {
                losses.count(LossCode::PricesDropped, DROPPED);
                (trade.size, trade.entry_price, trade.exit_price) = (None, None, None);
            }
        }
    }
}

fn fits_without_fees(trade: &Trade, multiplier: Decimal) -> bool {
    multiplier == Decimal::ONE && trade.agrees_with_unknown_fees() == Some(true)
}

/// The multiplier with which prices and sizes make nine of ten stated profits: that of the trade with the greatest change,
/// to three digits.
fn found(trades: &[&mut Trade]) -> Option<Decimal> {
    let closed: Vec<&Trade> =
        trades.iter().map(|trade| &**trade).filter(|trade| trade.gross(Decimal::ONE).is_some()).collect();
    if closed.is_empty() {
        return Some(Decimal::ONE);
    }
    let fits = |multiplier: Decimal| {
        let agreeing = closed.iter().filter(|trade| trade.agrees(multiplier) == Some(true)).count();
        agreeing * 10 >= closed.len() * 9
    };
    if fits(Decimal::ONE) || closed.iter().all(|trade| fits_without_fees(trade, Decimal::ONE)) {
        return Some(Decimal::ONE);
    }
    let greatest = closed.iter().max_by_key(|trade| trade.gross(Decimal::ONE).map(Decimal::abs))?;
    let gross = greatest.pnl_net?.plus(greatest.fees.unwrap_or_default())?;
    let multiplier = three_digits(gross.over(greatest.gross(Decimal::ONE)?)?)?;
    Some(multiplier).filter(|multiplier| multiplier.is_positive() && fits(*multiplier))
}

/// The number rounded to three digits, or to a whole number of fewer.
fn three_digits(number: Decimal) -> Option<Decimal> {
    let mut unit = Decimal::parse("0.000001")?;
    let ten = Decimal::whole(10);
    while unit.times(Decimal::whole(1_000))? <= number.abs() {
        unit = unit.times(ten)?;
    }
    number.over(unit)?.rounded(0).times(unit)
}

//! A record before and after the copier's costs, and the order that its edge can bear.

use super::activity::Activity;
use super::charge::Charges;
use super::gates::{MOST_OF_ADV, MOST_OF_EDGE};
use crate::record::SettlementUnit;
use crate::statistics::moments::sum;

/// A record before and after the copier's costs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Net {
    /// The settlement units with net returns, after costs, at the trader's leverage.
    pub units: Vec<SettlementUnit>,
    /// Mean return of a unit before anybody's costs, as a fraction of the equity.
    pub gross_mean: f64,
    /// Mean cost of a unit, as a fraction of the equity.
    pub cost_mean: f64,
    /// Mean turnover of a unit: the notional opened divided by the equity.
    pub turnover_mean: f64,
    /// Deepest drawdown after costs at the copier's leverage, 0 to 1.
    pub drawdown: f64,
    /// The greatest loss of a day after costs at the copier's leverage, as a fraction of the equity; 0 if no day lost.
    pub worst_day: f64,
}

impl Net {
    /// Takes the trader's own fees off each unit's result, as far as they are known, and the copier's costs then. `multiple` is the
    /// copier's leverage in multiples of the trader's.
    pub fn of(units: &[SettlementUnit], activity: &Activity, charges: &Charges, multiple: f64) -> Self {
        let costs = activity.charged(units.len(), |instrument| charges.cost(instrument));
        let fees = activity.fees.iter().copied().chain(std::iter::repeat(0.0));
        let gross: Vec<f64> = units.iter().zip(fees).map(|(unit, fees)| unit.x + fees).collect();
        let after = |((unit, gross), cost): ((&SettlementUnit, &f64), &f64)| SettlementUnit {
            x: gross - cost,
            max_loss: unit.max_loss.map(|loss| loss + cost),
            ..*unit
        };
        let net: Vec<SettlementUnit> = units.iter().zip(&gross).zip(&costs).map(after).collect();
        let mean = |series: &[f64]| sum(series) / crate::statistics::count(series.len().max(1));
        let scaled: Vec<f64> = net.iter().map(|unit| multiple * unit.x).collect();
        Self {
            gross_mean: mean(&gross),
            cost_mean: mean(&costs),
            turnover_mean: mean(&activity.turnover(units.len())),
            drawdown: drawdown(&scaled),
            worst_day: scaled.iter().fold(0.0, |worst: f64, x| worst.max(-x)),
            units: net,
        }
    }

    /// Returns true if the mean is above zero before costs and not above zero after costs.
    pub fn is_taken_by_costs(&self) -> bool {
        self.gross_mean > 0.0 && self.gross_mean - self.cost_mean <= 0.0
    }
}

/// The deepest drawdown of the returns. The equity is clamped to the range from 0 to `f64::MAX`, so that a total loss
/// is final.
fn drawdown(returns: &[f64]) -> f64 {
    let (mut equity, mut high, mut deepest) = (1.0_f64, 1.0_f64, 0.0_f64);
    for x in returns {
        equity = (equity * (1.0 + x)).clamp(0.0, f64::MAX);
        high = high.max(equity);
        deepest = deepest.max(1.0 - equity / high);
    }
    deepest
}

/// The orders that all copiers together could trade, in currency.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Capacity {
    /// Mean cost of a round trip at which the mean net return is zero, as a fraction of the notional.
    pub break_even_cost: f64,
    /// Order size at which costs take the whole gross edge, in currency.
    pub break_even_size: f64,
    /// Order size at which costs take half of the gross edge, or a hundredth of the least ADV if that is less, in currency.
    pub capacity: f64,
}

impl Capacity {
    /// Computes the capacity; `None` if there is no profit or the costs are not known.
    pub fn of(net: &Net, activity: &Activity, charges: &Charges) -> Option<Self> {
        let adv = charges.least_adv(activity)?;
        let units = net.units.len();
        let mean = |series: Vec<f64>| sum(&series) / crate::statistics::count(units.max(1));
        let fixed = mean(activity.charged(units, |name| charges.fixed_and_impact(name).0));
        let impact_of_one = mean(activity.charged(units, |name| charges.fixed_and_impact(name).1));
        // Impact grows with the root of the order, so that one root gives the order at which costs are a part of the edge.
        let order = |part: f64| {
            let left = part * net.gross_mean.max(0.0) - fixed;
            let root = left / impact_of_one;
            if left > 0.0 { root * root } else { 0.0 }
        };
        let break_even_cost = (net.gross_mean / net.turnover_mean).max(0.0);
        let capacity = order(MOST_OF_EDGE).min(MOST_OF_ADV * adv);
        let found = Self { break_even_cost, break_even_size: order(1.0), capacity };
        break_even_cost.is_finite().then_some(found)
    }
}

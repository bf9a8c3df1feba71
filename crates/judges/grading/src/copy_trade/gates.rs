//! The gates of the copy verdict: each statistic and its bound.

use super::conduct::Conduct;
use super::costs::{CostBreakdown, Costs};
use crate::grade::{Bound, Step};
use crate::record::SettlementUnit;

/// The most of the gross edge that costs may take.
const MOST_OF_EDGE: f64 = 0.5;
/// The deepest drawdown of the net record that may be copied, and the one from which on it is to be avoided.
const MOST_DRAWDOWN: f64 = 0.25;
pub(super) const RUINOUS_DRAWDOWN: f64 = 0.5;
/// The least median hold, in latencies.
const LEAST_LATENCIES: f64 = 20.0;
/// The most of the average daily volume that an order may be.
pub(super) const MOST_OF_ADV: f64 = 0.01;
/// The correlation of sizes with prior losses at which they grow with losses.
const MARTINGALE: f64 = 0.3;
/// The largest position, in medians.
const MOST_MEDIANS: f64 = 4.0;
const SECONDS_A_DAY: f64 = 86_400.0;
const SOURCE: &str = "the rule's own";

/// A record before and after the copier's costs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Net {
    /// The settlement units with net returns, after costs.
    pub units: Vec<SettlementUnit>,
    /// Mean return of a unit before costs, as a fraction of the equity.
    pub gross_mean: f64,
    /// Mean cost of a unit, as a fraction of the equity.
    pub cost_mean: f64,
    /// Mean turnover of a unit: the notional opened divided by the equity.
    pub turnover_mean: f64,
    /// Deepest drawdown after costs, 0 to 1.
    pub drawdown: f64,
}

impl Net {
    /// Subtracts from each unit's return the cost of a round trip times the unit's turnover.
    pub fn of(units: &[SettlementUnit], turnover: &[f64], cost: &CostBreakdown) -> Self {
        let count = crate::statistics::count(units.len().max(1));
        let costs: Vec<f64> = units.iter().zip(turnover).map(|(_, turnover)| turnover * cost.total).collect();
        let net = units.iter().zip(&costs).map(|(unit, cost)| SettlementUnit {
            x: unit.x - cost,
            max_loss: unit.max_loss.map(|loss| loss + cost),
            ..*unit
        });
        let sum = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(0.0, |sum, number| sum + number);
        let net: Vec<SettlementUnit> = net.collect();
        Self {
            gross_mean: sum(&mut units.iter().map(|unit| unit.x)) / count,
            cost_mean: sum(&mut costs.iter().copied()) / count,
            turnover_mean: sum(&mut turnover.iter().copied().take(units.len())) / count,
            drawdown: drawdown(&net),
            units: net,
        }
    }

    /// Returns true if the mean is above zero before costs and not above zero after costs.
    pub fn is_taken_by_costs(&self) -> bool {
        self.gross_mean > 0.0 && self.gross_mean - self.cost_mean <= 0.0
    }
}

/// The deepest drawdown of the units. The equity is clamped to the range from 0 to `f64::MAX`, so that a total loss
/// is final.
fn drawdown(units: &[SettlementUnit]) -> f64 {
    let (mut equity, mut high, mut deepest) = (1.0_f64, 1.0_f64, 0.0_f64);
    for unit in units {
        equity = (equity * (1.0 + unit.x)).clamp(0.0, f64::MAX);
        high = high.max(equity);
        deepest = deepest.max(1.0 - equity / high);
    }
    deepest
}

/// Every gate, in order; what is not known does not pass.
pub(super) fn gates(is_edge: bool, net: Option<&Net>, conduct: &Conduct, costs: &Costs) -> Vec<Step> {
    let hold = conduct.median_hold_days.zip(costs.latency_seconds);
    let latencies = hold.map(|(hold, latency)| hold * SECONDS_A_DAY / latency);
    // Without any latency every hold is long enough.
    let is_instant = hold.is_some_and(|(_, latency)| latency == 0.0);
    let share_of_edge = net.filter(|net| net.gross_mean > 0.0).map(|net| net.cost_mean / net.gross_mean);
    let share_of_adv = costs.order_size.zip(costs.adv).map(|(size, adv)| size / adv);
    let mut long_enough = at_least("hold.latencies", latencies, LEAST_LATENCIES);
    long_enough.passed |= is_instant;
    vec![
        Step { passed: is_edge, ..step("net.real_edge", None, None, Bound::Reported) },
        at_most("cost.share_of_edge", share_of_edge, MOST_OF_EDGE),
        at_most("net.drawdown", net.map(|net| net.drawdown), MOST_DRAWDOWN),
        long_enough,
        at_most("size.share_of_adv", share_of_adv, MOST_OF_ADV),
        Step {
            passed: conduct.correlation.is_some_and(|found| found < MARTINGALE),
            ..step("size.correlation_with_prior_loss", conduct.correlation, Some(MARTINGALE), Bound::Below)
        },
        at_most("size.largest_over_median", conduct.largest_over_median, MOST_MEDIANS),
    ]
}

/// Returns true if sizes are known to grow with losses.
pub(super) fn is_martingale(conduct: &Conduct) -> bool {
    conduct.correlation.is_some_and(|found| found >= MARTINGALE)
        || conduct.largest_over_median.is_some_and(|ratio| ratio > MOST_MEDIANS)
}

fn step(id: &'static str, statistic: Option<f64>, threshold: Option<f64>, bound: Bound) -> Step {
    let statistic = statistic.filter(|statistic| statistic.is_finite());
    Step { id, statistic, threshold, bound, passed: false, source: SOURCE }
}

fn at_most(id: &'static str, statistic: Option<f64>, most: f64) -> Step {
    let passed = statistic.is_some_and(|statistic| statistic <= most);
    Step { passed, ..step(id, statistic, Some(most), Bound::AtMost) }
}

fn at_least(id: &'static str, statistic: Option<f64>, least: f64) -> Step {
    let passed = statistic.is_some_and(|statistic| statistic >= least);
    Step { passed, ..step(id, statistic, Some(least), Bound::AtLeast) }
}

/// The most that a copier could trade in one order, in currency.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Capacity {
    /// Cost of a round trip at which the mean net return is zero, as a fraction of the notional.
    pub break_even_cost: f64,
    /// Order size at which the costs are `break_even_cost`, in currency.
    pub break_even_size: f64,
    /// Largest order, in currency, with which the gates of cost and size pass.
    pub capacity: f64,
}

impl Capacity {
    /// Computes the capacity; `None` if there is no profit or the costs are not known.
    pub fn of(net: &Net, costs: &Costs) -> Option<Self> {
        let adv = costs.adv?;
        let break_even_cost = (net.gross_mean / net.turnover_mean).max(0.0);
        let share = |cost: f64| if cost > 0.0 { costs.share_of_adv_at(cost) } else { 0.0 };
        let capacity = adv * share(MOST_OF_EDGE * break_even_cost).min(MOST_OF_ADV);
        let found = Self { break_even_cost, break_even_size: adv * share(break_even_cost), capacity };
        break_even_cost.is_finite().then_some(found)
    }
}

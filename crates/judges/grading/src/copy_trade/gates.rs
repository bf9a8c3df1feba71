//! The gates of the copy verdict: each statistic and its bound.

use super::activity::Activity;
use super::charge::Charges;
use super::costs::{Costs, SECONDS_A_DAY};
use super::net::Net;
use crate::conduct::{Conduct, GRID, MARTINGALE, MOST_MEDIANS};
use crate::grade::{Bound, Step};

/// The most of the gross edge that costs may take.
pub(super) const MOST_OF_EDGE: f64 = 0.5;
/// The deepest drawdown of the net record that may be copied, and the one from which on it is to be avoided.
const MOST_DRAWDOWN: f64 = 0.25;
pub(super) const RUINOUS_DRAWDOWN: f64 = 0.5;
/// The greatest loss of a day that a copier has to expect. A worse one than that cannot be cut short.
const MOST_OF_A_DAY: f64 = 0.25;
/// The loss to expect, in worst days seen. Where tails fall with the power of three, as those of most prices do (Gopikrishnan et al.
/// 1999), the worst day of a second record as long is twice that of the first in one of nine cases.
const WORSE_TO_COME: f64 = 2.0;
/// The least median hold, in latencies.
const LEAST_LATENCIES: f64 = 20.0;
/// The most of the average daily volume that an order may be.
pub(super) const MOST_OF_ADV: f64 = 0.01;
/// The greatest notional over equity. A move of a tenth takes all of it.
const MOST_LEVERAGE: f64 = 10.0;
const SOURCE: &str = "the rule's own";

/// Every gate, in order; what is not known does not pass.
pub(super) fn gates(
    is_edge: bool,
    net: Option<&Net>,
    activity: &Activity,
    costs: &Costs,
    charges: &Charges,
) -> Vec<Step> {
    let hold = activity.median_hold_days.zip(costs.latency_seconds);
    let latencies = hold.map(|(hold, latency)| hold * SECONDS_A_DAY / latency);
    // Without any latency every hold is long enough.
    let is_instant = hold.is_some_and(|(_, latency)| latency == 0.0);
    let share_of_edge = net.filter(|net| net.gross_mean > 0.0).map(|net| net.cost_mean / net.gross_mean);
    let share_of_adv = costs.order_size.zip(charges.least_adv(activity)).map(|(size, adv)| size / adv);
    let multiple = costs.multiple();
    let most_at_once = multiple * activity.max_loss.unwrap_or(0.0);
    let worst_day = net.map(|net| most_at_once.max(WORSE_TO_COME * net.worst_day));
    let exposure = activity.notional_over_equity.map(|notional| multiple * notional);
    let Conduct { size_after_loss, largest_over_median, added_to_losers, .. } = activity.conduct;
    let mut long_enough = held("hold.latencies", latencies, LEAST_LATENCIES, Bound::AtLeast, SOURCE);
    long_enough.passed |= is_instant;
    let at_most = |id, statistic, most, source| held(id, statistic, most, Bound::AtMost, source);
    let below = |id, statistic, most, source| held(id, statistic, most, Bound::Below, source);
    vec![
        Step { passed: is_edge, ..step("net.real_edge", None, None, Bound::Reported, SOURCE) },
        at_most("cost.share_of_edge", share_of_edge, MOST_OF_EDGE, SOURCE),
        at_most("net.drawdown", net.map(|net| net.drawdown), MOST_DRAWDOWN, SOURCE),
        at_most("net.worst_day", worst_day, MOST_OF_A_DAY, "the rule's own; Gopikrishnan et al. 1999"),
        long_enough,
        at_most("size.share_of_adv", share_of_adv, MOST_OF_ADV, SOURCE),
        at_most("exposure.notional_over_equity", exposure, MOST_LEVERAGE, "the rule's own; ESMA 2018/796"),
        below("size.correlation_with_prior_loss", size_after_loss, MARTINGALE, SOURCE),
        at_most("size.largest_over_median", largest_over_median, MOST_MEDIANS, SOURCE),
        below("size.added_to_losers", added_to_losers, GRID, SOURCE),
    ]
}

/// The gates that costs decide.
pub(super) const OF_COSTS: [&str; 4] =
    ["net.real_edge", "cost.share_of_edge", "net.drawdown", "net.worst_day"];

/// Returns true if positions are known to grow with losses, or one to be out of proportion.
pub(super) fn is_martingale(conduct: &Conduct) -> bool {
    conduct.is_martingale() || conduct.largest_over_median.is_some_and(|ratio| ratio > MOST_MEDIANS)
}

fn step(
    id: &'static str,
    statistic: Option<f64>,
    threshold: Option<f64>,
    bound: Bound,
    source: &'static str,
) -> Step {
    let statistic = statistic.filter(|statistic| statistic.is_finite());
    Step { id, statistic, threshold, bound, passed: false, source }
}

fn held(
    id: &'static str,
    statistic: Option<f64>,
    threshold: f64,
    bound: Bound,
    source: &'static str,
) -> Step {
    let passed = statistic.is_some_and(|statistic| match bound {
        Bound::AtLeast => statistic >= threshold,
        Bound::Above => statistic > threshold,
        Bound::AtMost => statistic <= threshold,
        Bound::Below => statistic < threshold,
        Bound::Reported => false,
    });
    Step { passed, ..step(id, statistic, Some(threshold), bound, source) }
}

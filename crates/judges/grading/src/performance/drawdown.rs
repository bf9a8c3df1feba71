//! Drawdowns with their dates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::six_places;
use crate::day::Day;
use crate::record::SettlementUnit;

/// Number of drawdowns of a finding.
pub const MOST_DRAWDOWNS: usize = 5;

/// A drawdown: a stretch in which the equity is below its highest value so far.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Drawdown {
    /// The day of the high before it; the first day where the equity falls from the start.
    pub from: Day,
    /// The day on which the equity is lowest.
    pub trough: Day,
    /// The first day on which the equity is as high as before; absent where it has not recovered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Day>,
    /// The lowest equity over the high, less 1: 0 to -1.
    pub depth: f64,
}

/// Returns the deepest drawdowns, the deepest first.
pub fn deepest(units: &[SettlementUnit]) -> Vec<Drawdown> {
    let Some(first) = units.first() else { return Vec::new() };
    let (mut equity, mut high, mut high_day) = (1.0_f64, 1.0_f64, first.day);
    let mut all: Vec<Drawdown> = Vec::new();
    let mut current: Option<Drawdown> = None;
    for unit in units {
        // What is lost stays lost, as in the equity curve.
        equity = (equity * (1.0 + unit.x)).clamp(0.0, f64::MAX);
        let day = Day(unit.day);
        if equity >= high {
            all.extend(current.take().map(|ended| Drawdown { to: Some(day), ..ended }));
            (high, high_day) = (equity, unit.day);
            continue;
        }
        let depth = equity / high - 1.0;
        let so_far = current.get_or_insert(Drawdown { from: Day(high_day), trough: day, to: None, depth });
        if depth < so_far.depth {
            (so_far.trough, so_far.depth) = (day, depth);
        }
    }
    all.extend(current);
    let rounded = |fall: Drawdown| Some(Drawdown { depth: six_places(fall.depth)?, ..fall });
    let mut all: Vec<Drawdown> =
        all.into_iter().filter_map(rounded).filter(|fall| fall.depth < 0.0).collect();
    all.sort_by(|one, other| one.depth.total_cmp(&other.depth).then(one.from.cmp(&other.from)));
    all.truncate(MOST_DRAWDOWNS);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::performance::max_drawdown;
    use proptest::prelude::*;

    fn of(returns: &[f64]) -> Vec<Drawdown> {
        let unit = |(day, x): (i32, &f64)| SettlementUnit { day, x: *x, b: None, max_loss: None };
        deepest(&(0..).zip(returns).map(unit).collect::<Vec<_>>())
    }

    #[test]
    fn a_drawdown_runs_from_its_high_to_its_recovery() {
        let fall = |from, trough, to: Option<i32>, depth| Drawdown {
            from: Day(from),
            trough: Day(trough),
            to: to.map(Day),
            depth,
        };
        let found = of(&[0.1, -0.5, 1.0, 1.0, -0.1, -0.1, 0.05]);
        assert_eq!(found, [fall(0, 1, Some(2), -0.5), fall(3, 5, None, -0.19)]);
        assert_eq!(of(&[-0.2, 0.1]), [fall(0, 0, None, -0.2)]);
        assert!(of(&[0.1, 0.0, 0.2]).is_empty());
    }

    proptest! {
        #[test]
        fn the_deepest_is_the_maximum_drawdown(returns in prop::collection::vec(-0.2..0.2, 1..200)) {
            let found = of(&returns);
            let depth = found.first().map_or(0.0, |fall| fall.depth);
            prop_assert!((depth - max_drawdown(&returns)).abs() <= 1e-6);
            prop_assert!(found.len() <= MOST_DRAWDOWNS);
            for fall in found {
                prop_assert!(fall.from <= fall.trough && fall.to.is_none_or(|to| fall.trough < to));
            }
        }
    }
}

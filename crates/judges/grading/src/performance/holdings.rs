//! Exposure and leverage: how long, and how much, the settled trades held.

use crate::input::{Input, Instant, Rows, Trade, settled_days};
use crate::statistics::performance::quantile;

/// Exposure and leverage of the trades. `None` stands for a figure that cannot be computed from the rows.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Holdings {
    /// Share of the time from the first opening to the last close with an open trade, 0 to 1.
    pub exposure: Option<f64>,
    /// Median over the openings of what was then held, over the equity.
    pub leverage_median: Option<f64>,
    /// The greatest such leverage.
    pub leverage_max: Option<f64>,
}

/// A trade from its opening to its close.
#[derive(Clone, Copy)]
struct Held {
    opened: Instant,
    closed: Instant,
    /// The notional at the opening, over the equity before the first close of the day on which the trade closes.
    leverage: Option<f64>,
}

impl Holdings {
    /// Computes the holdings of a record's trades; returns by day show none.
    pub fn of(input: &Input) -> Self {
        match &input.rows {
            Rows::Trades(trades) => held(trades).map_or_else(Self::default, |held| Self::of_held(&held)),
            Rows::Returns(_) => Self::default(),
        }
    }

    fn of_held(held: &[Held]) -> Self {
        let leverages = leverages(held).filter(|leverages| !leverages.is_empty());
        Self {
            exposure: exposure(held),
            leverage_median: leverages.as_ref().map(|leverages| quantile(leverages, 0.5)),
            leverage_max: leverages.map(|leverages| leverages.into_iter().fold(0.0, f64::max)),
        }
    }
}

/// The settled trades in order of opening; `None` where one does not say when it was opened.
fn held(trades: &[Trade]) -> Option<Vec<Held>> {
    let mut held = Vec::with_capacity(trades.len());
    for day in settled_days(trades) {
        let equity = day.first().and_then(|first| first.equity_before);
        for trade in day {
            let leverage = trade.notional().zip(equity).map(|(notional, equity)| notional / equity);
            let leverage = leverage.filter(|leverage| leverage.is_finite());
            held.push(Held { opened: trade.opened_at?, closed: trade.closed_at?, leverage });
        }
    }
    let order = |one: &Held, other: &Held| {
        let leverage = |held: &Held| held.leverage.unwrap_or(0.0);
        let times = (one.opened, one.closed).cmp(&(other.opened, other.closed));
        times.then_with(|| leverage(one).total_cmp(&leverage(other)))
    };
    held.sort_by(order);
    Some(held)
}

/// The union of the holds over the time from the first opening to the last close.
fn exposure(held: &[Held]) -> Option<f64> {
    let first = held.first()?.opened.in_days();
    let (mut end, mut covered) = (first, 0.0);
    for trade in held {
        let (opened, closed) = (trade.opened.in_days(), trade.closed.in_days());
        covered += (closed - opened.max(end)).max(0.0);
        end = end.max(closed);
    }
    let whole = end - first;
    (whole > 0.0).then(|| (covered / whole).min(1.0))
}

/// The sum of the leverages of the open trades after each moment at which one opens; `None` where a trade has none.
fn leverages(held: &[Held]) -> Option<Vec<f64>> {
    let mut closes: Vec<(Instant, f64)> = Vec::with_capacity(held.len());
    for trade in held.iter().filter(|trade| trade.opened < trade.closed) {
        closes.push((trade.closed, trade.leverage?));
    }
    closes.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut closes = closes.into_iter().peekable();
    let (mut sum, mut open, mut found) = (0.0_f64, 0_usize, Vec::new());
    for moment in held.chunk_by(|one, other| one.opened == other.opened) {
        let now = moment.first()?.opened;
        while let Some((_, leverage)) = closes.next_if(|(closed, _)| *closed <= now) {
            open = open.saturating_sub(1);
            // No rounding is left of what was held once nothing is.
            sum = if open == 0 { 0.0 } else { sum - leverage };
        }
        let mut passing = 0.0;
        for trade in moment {
            let leverage = trade.leverage?;
            if trade.opened < trade.closed {
                (sum, open) = (sum + leverage, open + 1);
            } else {
                passing += leverage;
            }
        }
        found.push(sum + passing);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn held(hours: (u64, u64), leverage: f64) -> Held {
        let at = |hour: u64| Instant {
            day: i32::try_from(hour / 24).unwrap(),
            nanos: hour % 24 * 3_600_000_000_000,
        };
        Held { opened: at(hours.0), closed: at(hours.1), leverage: Some(leverage) }
    }

    #[test]
    fn time_counts_once_however_many_trades_are_open() {
        let found = Holdings::of_held(&[held((0, 6), 1.0), held((3, 12), 0.5), held((18, 24), 0.25)]);
        assert_eq!(found.exposure, Some(0.75));
        assert_eq!((found.leverage_median, found.leverage_max), (Some(1.0), Some(1.5)));
        assert_eq!(Holdings::of_held(&[held((5, 5), 1.0)]).exposure, None);
        assert_eq!(Holdings::of_held(&[]), Holdings::default());
    }

    #[test]
    fn a_trade_that_closes_as_another_opens_is_not_held_beside_it() {
        let found = Holdings::of_held(&[held((0, 6), 2.0), held((6, 6), 1.0), held((6, 12), 3.0)]);
        assert_eq!((found.leverage_max, found.exposure), (Some(4.0), Some(1.0)));
    }

    #[test]
    fn one_trade_without_a_notional_leaves_the_leverage_unknown() {
        let mut trades = [held((0, 6), 2.0), held((7, 8), 2.0)];
        trades[1].leverage = None;
        let found = Holdings::of_held(&trades);
        assert_eq!((found.leverage_max, found.leverage_median), (None, None));
        assert!(found.exposure.is_some());
    }

    proptest! {
        #[test]
        fn leverage_is_that_of_looking_at_each_opening(
            trades in prop::collection::vec((0_u64..200, 1_u64..60, 1_u32..5), 1..40),
        ) {
            let mut all: Vec<Held> =
                trades.iter().map(|(from, hours, size)| held((*from, from + hours), f64::from(*size))).collect();
            all.sort_by_key(|trade| (trade.opened, trade.closed));
            let at = |now: Instant| -> f64 {
                let is_open = |trade: &&Held| trade.opened <= now && now < trade.closed;
                all.iter().filter(is_open).filter_map(|trade| trade.leverage).sum()
            };
            let greatest = all.iter().map(|trade| at(trade.opened)).fold(0.0, f64::max);
            let found = Holdings::of_held(&all);
            prop_assert_eq!(found.leverage_max, Some(greatest));
            prop_assert!(found.exposure.is_some_and(|share| (0.0..=1.0).contains(&share)));
        }
    }
}

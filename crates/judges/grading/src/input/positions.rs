//! Positions: trades of one instrument that overlap, merged from flat to flat.
//!
//! A record of 120 closes may be one bet that was sold in slices, and closes of positions that are still open elsewhere may be
//! timed. So an edge needs positions, not closes, and marks of what is held over night.

use std::collections::BTreeMap;

use super::time::Instant;
use super::trade::Trade;
use crate::grade::GradeReason;
use crate::record::Reservation;

/// The fewest positions of a record that can be an edge.
pub const FEWEST: usize = 30;
/// The longest median hold, in days, of a record that is graded by its closes.
const LONGEST_HOLD_DAYS: f64 = 1.0;

/// A position: an instrument held from flat to flat.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Position {
    opened: Instant,
    closed: Instant,
}

/// Returns the reservations that follow from what was held, and how long.
pub fn reserved(settled: &[&Trade]) -> Vec<Reservation> {
    // A bet on an event has its whole result on one day, whenever it was placed.
    let is_bet = |trade: &&Trade| trade.outcome.is_some();
    if settled.iter().any(|trade| trade.opened_at.is_none() && !is_bet(trade)) {
        return vec![Reservation::NeverRealEdge(GradeReason::HoldsUnknown)];
    }
    let positions = positions(settled);
    let mut reservations = Vec::new();
    if positions.len() < FEWEST {
        reservations.push(Reservation::NeverRealEdge(GradeReason::TooFewPositions));
    }
    let held: Vec<f64> =
        positions.iter().map(|position| position.closed.in_days() - position.opened.in_days()).collect();
    if median(held).is_some_and(|days| days > LONGEST_HOLD_DAYS) {
        reservations.push(Reservation::NeverRealEdge(GradeReason::MarksMissing));
    }
    reservations
}

/// Merges the trades of each instrument whose holds overlap or follow one another at one moment. Trades without an instrument
/// are taken for those of one.
fn positions(settled: &[&Trade]) -> Vec<Position> {
    let mut of: BTreeMap<Option<&str>, Vec<Position>> = BTreeMap::new();
    for trade in settled {
        let Some(closed) = trade.closed_at else { continue };
        let opened = trade.opened_at.unwrap_or(closed);
        of.entry(trade.instrument.as_deref()).or_default().push(Position { opened, closed });
    }
    let mut merged = Vec::new();
    for held in of.values_mut() {
        held.sort_by(|one, other| one.opened.cmp(&other.opened).then(one.closed.cmp(&other.closed)));
        let first = merged.len();
        for next in held {
            match merged.get_mut(first..).and_then(<[Position]>::last_mut) {
                Some(last) if next.opened <= last.closed => last.closed = last.closed.max(next.closed),
                _ => merged.push(*next),
            }
        }
    }
    merged
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trade(instrument: &str, opened: &str, closed: &str) -> Trade {
        let row = format!(
            r#"{{"instrument": "{instrument}", "opened_at": "{opened}Z", "closed_at": "{closed}Z", "settled": true, "pnl_net": 1}}"#
        );
        let receipt::json::Json::Object(row) = receipt::json::parse(row.as_bytes()).unwrap() else {
            panic!()
        };
        Trade::read(verdict::Fields::root(&row)).unwrap()
    }

    fn reasons(trades: &[Trade]) -> Vec<GradeReason> {
        let trades: Vec<&Trade> = trades.iter().collect();
        let reason = |reservation: &Reservation| match reservation {
            Reservation::NeverRealEdge(reason) | Reservation::Insufficient(reason) => *reason,
        };
        reserved(&trades).iter().map(reason).collect()
    }

    #[test]
    fn slices_of_one_position_are_one_and_days_of_one_instrument_are_many() {
        let day = |at: i32| format!("2024-{:02}-{:02}", 1 + at / 28, 1 + at % 28);
        let slices: Vec<Trade> =
            (0..120).map(|at| trade("X", "2024-01-01T00:00:00", &format!("{}T20:00:00", day(at)))).collect();
        assert_eq!(reasons(&slices), [GradeReason::TooFewPositions, GradeReason::MarksMissing]);
        let days: Vec<Trade> = (0..120)
            .map(|at| trade("X", &format!("{}T09:00:00", day(at)), &format!("{}T16:00:00", day(at))))
            .collect();
        assert!(reasons(&days).is_empty());
        let nights: Vec<Trade> =
            (0..40).map(|at| trade(&format!("{at}"), "2024-01-01T09:00:00", "2024-01-09T16:00:00")).collect();
        assert_eq!(reasons(&nights), [GradeReason::MarksMissing], "forty instruments, held for a week");
    }

    #[test]
    fn holds_that_are_not_said_are_no_ground_for_an_edge() {
        let mut unopened = trade("X", "2024-01-01T09:00:00", "2024-01-01T10:00:00");
        unopened.opened_at = None;
        assert_eq!(reasons(&[unopened]), [GradeReason::HoldsUnknown]);
    }
}
